"""The scene that sends what a client may not know yet: every variant, custom and future ones, odd orders, hostile text.

A good client shows all of it calmly, runs nothing, follows no link, and is idle at the end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from . import odd_calls, odd_content, odd_diffs, odd_questions, odd_session, odd_terminals
from .turn import Turn

Json = dict[str, Any]
Act = Callable[[Turn], Awaitable[None]]

_ACTS: tuple[tuple[str, tuple[Act, ...]], ...] = (
    ("Updates and messages", (odd_session.updates, odd_content.messages)),
    ("Content", (odd_content.blocks,)),
    ("Tool calls", (odd_calls.kinds, odd_calls.scarce, odd_calls.changing, odd_calls.raw)),
    ("Diffs", (odd_diffs.operations, odd_diffs.misfits)),
    ("Terminals", (odd_terminals.screen, odd_terminals.endings, odd_terminals.alone)),
    ("Around them", (odd_session.plans, odd_session.notices, odd_session.offers)),
    ("Broken updates", (odd_session.broken,)),
    ("Questions", (odd_questions.requests, odd_questions.two, odd_questions.three)),
    ("States", (odd_session.states,)),
)


async def odd(turn: Turn, _: str) -> Json:
    """Send everything; gives an idle report with a stop reason of its own."""
    for heading, acts in _ACTS:
        await turn.say(f"## {heading}\n")
        for act in acts:
            await act(turn)
            await turn.pause(0.05)
    await turn.say("That was everything odd that I know. Nothing of it ran, and nothing was changed.")
    return {"stopReason": "_odd_reason", "_meta": {"acpWidgetDemo": {"odd": True}}}
