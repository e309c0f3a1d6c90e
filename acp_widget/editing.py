"""An earlier prompt, written anew: a new session that is told what was said before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import errors
from .callbacks import Callbacks
from .entities import Entities
from .results import Turn

EARLIER = "what was said before"
"""The name under which it is attached."""


class Editing(Callbacks):
    """Goes back to an earlier prompt."""

    @property
    def turns(self) -> Entities[Turn]:
        raise NotImplementedError

    def prompt(self, text: str, *, show: bool = True, attach: Any = None) -> Turn:
        raise NotImplementedError

    def edit(self, turn: Turn, text: str | None = None, *, show: bool = True) -> Turn:
        """Send an earlier prompt again, written anew (`text`) or as it was, as if nothing had followed it.

        No agent can go back within its session. So it begins a new one, and what was said before that turn goes with
        the prompt, as an attachment of its own: `turn.attached` and the transcript name it. What was attached to the
        earlier prompt does not. The transcript stays, and so do files: `turn.revert()` restores these. Raises
        `ValueError` for a turn that no prompt began, or of another agent, `NotOffered` while the agent works, and as
        `prompt` does.

        >>> from acp_widget import Agent
        >>> with Agent("demo", permissions="allow") as agent:
        ...     first, second = agent.run("Hello", show=False), agent.run("And now?", show=False)
        ...     again = agent.edit(second, "Or so?", show=False).wait()
        >>> again.prompt, [each.name for each in again.attached]
        ('Or so?', ['what was said before'])
        """
        __tracebackhide__ = True
        if not isinstance(turn, Turn):
            raise TypeError(f"agent.edit(…) takes one of agent.turns, not {type(turn).__name__}.")
        if turn._reader is not self._reader:
            raise ValueError("This turn belongs to another agent, or is a copy from a file.")
        if turn.prompt is None:
            raise ValueError("No prompt began this turn, so there is none to edit.")
        if self.status in ("starting", "running", "waiting", "stopping"):
            raise errors.NotOffered("The agent works, so it cannot go back now.", hint="agent.wait() waits for it.")
        earlier = "\n\n".join(_told(list(self.turns), turn))
        self._answered(lambda: self._driver.sessions.change(self._driver, None, replay=False))
        return self.prompt(
            turn.prompt if text is None else text, show=show, attach={EARLIER: earlier} if earlier else None
        )


def _told(turns: Sequence[Turn], until: Turn) -> Iterator[str]:
    """What was said and done before a turn, for an agent that was not there."""
    for turn in turns:
        if turn._key == until._key:
            return
        if turn.prompt is not None and turn.status != "not_sent":
            yield f"The user said:\n{turn.prompt}"
        calls = "".join(f"\n- {call.title or call.name or call.kind} ({call.status})" for call in turn.tool_calls)
        if calls:
            yield f"Tool calls of the assistant:{calls}"
        if turn.text:
            yield f"The assistant said:\n{turn.text}"
