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
from .session.screen import screen_text
from .session.words import is_final

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


class ToolCall(Entity):
    """A tool call (ACP v2, Tool Calls).

    `kind` and `status` are the agent's words, known or not; `status` is usually `pending`, `in_progress`,
    `completed`, `failed` or `cancelled`.
    """

    _group = "toolCalls"

    @property
    def title(self) -> str | None:
        return self.raw.get("title")

    @property
    def name(self) -> str | None:
        """The tool's programmatic name."""
        return self.raw.get("name")

    @property
    def kind(self) -> str:
        return str(self.raw.get("kind", "other"))

    @property
    def status(self) -> str:
        return str(self.raw.get("status", "pending"))

    @property
    def done(self) -> bool:
        """True when the status is `completed`, `failed` or `cancelled`."""
        return is_final(self.status)

    @property
    def content(self) -> list[Mapping[str, Any]]:
        """Its content items, verbatim: `content`, `diff`, `terminal`, or what the agent sent."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """Its text content, joined."""
        return text_of([item["content"] for item in self.content if item.get("type") == "content"])

    @property
    def diffs(self) -> list[Diff]:
        return [Diff(item) for item in self.content if item.get("type") == "diff"]

    @property
    def terminals(self) -> Entities[Terminal]:
        """The terminals it shows, in order."""
        keys = dict.fromkeys(f"x:{item['terminalId']}" for item in self.content if item.get("type") == "terminal")
        return Entities([Terminal(self._reader, key) for key in keys if self._reader.get("terminals", key)])

    @property
    def locations(self) -> list[tuple[str, int | None]]:
        """`(path, line)` pairs; lines count from 1, None when not told."""
        return [(place["path"], place.get("line") or None) for place in self.raw.get("locations", ())]

    @property
    def raw_input(self) -> Any:
        """What the tool was called with; any JSON."""
        return self.raw.get("rawInput")

    @property
    def raw_output(self) -> Any:
        """What the tool returned; any JSON."""
        return self.raw.get("rawOutput")

    def __repr__(self) -> str:
        about = quoted(self.title or self.name or self.kind)
        return f"<ToolCall {quoted(self.id)} {word(self.kind)}: {about}, {word(self.status)}>"


class Terminal(Entity):
    """A terminal the agent runs (ACP v2, Tool Calls, Terminals). Display only."""

    _group = "terminals"

    @property
    def command(self) -> str | None:
        return self.raw.get("command")

    @property
    def cwd(self) -> str | None:
        return self.raw.get("cwd")

    @property
    def bytes(self) -> bytes:
        """The output as it was written. Of very long output the front is dropped, see `cut`."""
        output: Mapping[str, Any] = self.raw.get("output") or {}
        return bytes(output.get("data", b""))

    @property
    def cut(self) -> int:
        """How many bytes were dropped from the front."""
        output: Mapping[str, Any] = self.raw.get("output") or {}
        return int(output.get("cut", 0))

    @property
    def text(self) -> str:
        """What a screen would show: colours dropped, progress bars at their last state."""
        return screen_text(self.bytes)

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs, and when a signal ended it."""
        status: Mapping[str, Any] = self.raw.get("exitStatus") or {}
        return status.get("exitCode")

    @property
    def signal(self) -> str | None:
        status: Mapping[str, Any] = self.raw.get("exitStatus") or {}
        return status.get("signal")

    @property
    def exited(self) -> bool:
        return self.raw.get("exitStatus") is not None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        code = self.exit_code if self.exit_code is not None else word(str(self.signal))
        end = f"exit {code}" if self.exited else "running"
        return f"<Terminal {quoted(self.id)} {quoted(self.command or '')}, {end}, {len(self.bytes)} bytes>"


class Permission(Entity):
    """A permission request (ACP v2, Tool Calls, Requesting Permission) and what became of it.

    `status` is `pending`, `selected` or `cancelled`; `by` says who answered: `you` (a button), `python`, `policy`,
    `nobody` (the fallback), `agent` (withdrawn), `stop` (the turn was cancelled), `end` (the agent ended).
    """

    _group = "permissions"

    @property
    def title(self) -> str:
        return str(self.raw.get("title", ""))

    @property
    def description(self) -> str | None:
        return self.raw.get("description")

    @property
    def subject(self) -> Mapping[str, Any] | None:
        """What it is about, verbatim: a tool call, a command, or what the agent sent."""
        return self.raw.get("subject")

    @property
    def options(self) -> list[Mapping[str, Any]]:
        """`optionId`, `name` and `kind` of each option, in the agent's order."""
        return list(self.raw.get("options", ()))

    @property
    def status(self) -> str:
        return str(self.raw.get("status", "pending"))

    @property
    def pending(self) -> bool:
        return self.status == "pending"

    @property
    def option_id(self) -> str | None:
        """The option that was chosen."""
        return self.raw.get("optionId")

    @property
    def allowed(self) -> bool:
        """True when one of the agent's `allow` options was chosen."""
        chosen = [option for option in self.options if option["optionId"] == self.option_id]
        return bool(chosen) and all(str(option.get("kind")).startswith("allow_") for option in chosen)

    @property
    def by(self) -> str | None:
        return self.raw.get("by")

    @property
    def why(self) -> str | None:
        return self.raw.get("why")

    @property
    def tool_call_id(self) -> str | None:
        return self.raw.get("toolCallId")

    def __repr__(self) -> str:
        outcome = self.status if self.option_id is None else f"{quoted(self.option_id)} by {self.by}"
        return f"<Permission {self.id!r}: {quoted(self.title)}, {outcome}>"


class TurnHost(Protocol):
    """What an Agent lends its turns."""

    @property
    def reader(self) -> Reader: ...

    def wait_for_turn(self, key: str, timeout: float | None) -> None: ...

    def turn_awaitable(self, key: str) -> Awaitable[None]: ...

    def cancel_turn(self, key: str) -> None: ...

    def display_turn(self, turn: Turn) -> None: ...


_OVER = frozenset({"done", "failed", "not_sent"})


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
        """`queued`, `sent`, `running`, `done`, `failed` or `not_sent` (stopped before it was sent)."""
        return str(self.raw.get("status", "queued"))

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
        return Entities(self._mine(ToolCall))

    @property
    def diffs(self) -> list[Diff]:
        """The diffs of all its tool calls, in order."""
        return [diff for call in self.tool_calls for diff in call.diffs]

    @property
    def terminals(self) -> Entities[Terminal]:
        """Indexed by position or by the agent's id."""
        return Entities(self._mine(Terminal))

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
