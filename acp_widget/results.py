"""What an agent did, as Python objects: read-only views of the session's state, live while the turn streams."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, Protocol

from .entities import (
    Change,
    Diff,
    E,
    Entities,
    Entity,
    Message,
    Plan,
    PlanEntry,
    Reader,
    quoted,
    text_of,
    word,
)
from .tool_calls import Permission, Remote, Terminal, ToolCall

__all__ = [
    "Change",
    "Diff",
    "Entities",
    "Message",
    "Permission",
    "Plan",
    "PlanEntry",
    "Reader",
    "Terminal",
    "ToolCall",
    "Turn",
    "quoted",
]


class TurnHost(Protocol):
    """What an Agent lends its turns."""

    @property
    def reader(self) -> Reader: ...

    @property
    def remote(self) -> Remote: ...

    def was_over(self, key: str) -> bool: ...

    def wait_for_turn(self, key: str, timeout: float | None) -> None: ...

    def turn_awaitable(self, key: str) -> Awaitable[None]: ...

    def cancel_turn(self, key: str) -> None: ...

    def display_turn(self, turn: Turn) -> None: ...


_OVER = frozenset({"done", "failed", "not_sent", "gone"})


class Turn(Entity):
    """One prompt and all that came of it. Live: read it while the agent works, or wait for its end.

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     turn = agent.prompt("hello").wait()
    >>> turn.done, turn.stop_reason
    (True, 'end_turn')
    """

    _group = "turns"

    def __init__(self, host: TurnHost, key: str, *, prompt: str | None = None) -> None:
        super().__init__(host.reader, key)
        self._given = prompt  # until the state, which another thread writes, has it
        self._host = host

    @property
    def status(self) -> str:
        """`queued`, `sent`, `running`, `done`, `failed`, `not_sent` (stopped before it was sent) or `gone`.

        `gone`: it was over, and is no part of the session that `agent.load(…)` brought.
        """
        # What is not in the state is not yet there, or not any more.
        return str(self.raw.get("status") or ("gone" if self._host.was_over(self._key) else "queued"))

    @property
    def done(self) -> bool:
        """True when the turn is over, however it ended."""
        return self.status in _OVER

    @property
    def stop_reason(self) -> str | None:
        """ACP's stop reason, `end_turn` or `cancelled` for instance; None while it runs or when none was told."""
        return self.raw.get("stopReason")

    @property
    def error(self) -> Mapping[str, Any] | None:
        """`message`, `code` and `data` when the turn ended with an error."""
        return self.raw.get("error")

    @property
    def prompt(self) -> str | None:
        """The prompt's text; None for work that no prompt began."""
        blocks = self.raw.get("prompt") if self.raw else None
        if blocks is None:
            return None if self.raw else self._given
        return text_of(blocks)

    @property
    def text(self) -> str:
        """What the agent said: its messages, with a blank line between them."""
        return "\n\n".join(text for message in self.messages if message.role == "agent" and (text := message.text))

    @property
    def messages(self) -> list[Message]:
        """All messages and thoughts of the turn, in order of first sight."""
        return self._mine(Message)

    @property
    def thoughts(self) -> list[Message]:
        return [message for message in self.messages if message.role == "thought"]

    @property
    def plan(self) -> Plan | None:
        """The newest plan of the turn."""
        plans = self._mine(Plan)
        return plans[-1] if plans else None

    @property
    def tool_calls(self) -> Entities[ToolCall]:
        """Indexed by position or by the agent's id: `turn.tool_calls["call_2"]`."""
        keys = self._reader.keys("toolCalls", turn=self._key)
        return Entities([ToolCall(self._reader, key, self._host.remote) for key in keys])

    @property
    def diffs(self) -> list[Diff]:
        """The diffs of all its tool calls, in order."""
        return [diff for call in self.tool_calls for diff in call.diffs]

    @property
    def terminals(self) -> Entities[Terminal]:
        """Indexed by position or by the agent's id."""
        keys = self._reader.keys("terminals", turn=self._key)
        return Entities([Terminal(self._reader, key, self._host.remote) for key in keys])

    @property
    def permissions(self) -> Entities[Permission]:
        """Every permission request of the turn and what became of it."""
        return Entities(self._mine(Permission))

    @property
    def duration(self) -> float | None:
        """Seconds from sending the prompt to the end, or until now; None before it was sent."""
        at = self.raw.get("at") or {}
        if at.get("sent") is None:
            return None
        end = at.get("end")
        return float((time.time() if end is None else end) - at["sent"])

    def wait(self, timeout: float | None = None) -> Turn:
        """Wait until the turn is over and return it; buttons in the notebook work meanwhile.

        `timeout` in seconds; `TimeoutError` when it passes (the turn goes on). Raises the error by name when the agent
        did not start, died, refused the prompt or stopped with an error. An interrupt cancels the turn, not the
        session.
        """
        __tracebackhide__ = True
        self._host.wait_for_turn(self._key, timeout)
        return self

    def __await__(self) -> Generator[Any, None, Turn]:
        yield from self._host.turn_awaitable(self._key).__await__()
        return self

    def cancel(self) -> None:
        """Stop this turn, as `agent.cancel()` does. One that is still queued is only taken back, and never sent."""
        self._host.cancel_turn(self._key)

    def _mine(self, kind: Callable[[Reader, str], E]) -> list[E]:
        keys = self._reader.keys(kind._group, turn=self._key)  # type: ignore[attr-defined]
        return [kind(self._reader, key) for key in keys]

    def _ipython_display_(self) -> None:
        self._host.display_turn(self)

    def __repr__(self) -> str:
        about = "work no prompt began" if self.prompt is None else quoted(self.prompt)
        end = f", {word(self.stop_reason)}" if self.stop_reason else ""
        calls = len(self.tool_calls)
        return f"<Turn {self.id}: {about}, {self.status}{end}, {calls} tool call{'' if calls == 1 else 's'}>"
