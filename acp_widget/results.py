"""What an agent did, as Python objects: read-only views of the session's state, live while the turn streams."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from typing import Any, Protocol

from . import frozen
from .arguments import check_switch
from .code_blocks import CodeBlock
from .entities import E, Entities, Entity, Reader, Result, frozen_of, quoted, text_of, word
from .export import transcript
from .export.entries import Entry
from .files import TouchedFile, meant, touched
from .frames import Columns, frame
from .parts import Change, Diff, Message, Plan, PlanEntry
from .session.attachments import Attachment, attachments, own_words
from .tool_calls import Permission, Remote, Terminal, ToolCall
from .undo.changes import Changes, FileChange
from .undo.reverting import Reverted
from .undo.undo import Undo
from .usage import Usage

__all__ = [
    "Attachment",
    "Change",
    "CodeBlock",
    "Diff",
    "Entities",
    "Message",
    "Permission",
    "Plan",
    "PlanEntry",
    "Reader",
    "Result",
    "Terminal",
    "ToolCall",
    "TouchedFile",
    "Turn",
    "Usage",
    "quoted",
]

Revertible = str | os.PathLike[str] | FileChange | TouchedFile | Change | Diff
"""What names a file, or some, that a turn changed."""


class TurnHost(Protocol):
    """What an Agent lends its turns."""

    @property
    def reader(self) -> Reader: ...

    @property
    def remote(self) -> Remote: ...

    @property
    def undo(self) -> Undo: ...

    def was_over(self, key: str) -> bool: ...

    def wait_for_turn(self, key: str, timeout: float | None) -> None: ...

    def turn_awaitable(self, key: str) -> Awaitable[None]: ...

    def cancel_turn(self, key: str) -> None: ...

    def display_turn(self, turn: Turn) -> None: ...

    def view_of_turn(self, turn: Turn) -> object: ...


_OVER = frozenset({"done", "failed", "not_sent", "gone"})
_GROUPS = ("messages", "toolCalls", "terminals", "permissions", "plans", "notices", "compactions", "unknownUpdates")
_STEPS: Columns = (
    *(("what", "text"), ("id", "text"), ("kind", "text"), ("status", "text"), ("text", "text")),
    *(("first", "time"), ("ended", "time"), ("seconds", "seconds")),
)
"""The columns of `Turn.to_frame()`."""


class Turn(Entity):
    """One prompt and all that came of it. Live: read it while the agent works, or wait for its end.

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     turn = agent.prompt("hello").wait()
    >>> turn.done, turn.stop_reason
    (True, 'end_turn')
    """

    _group = "turns"
    _columns = (
        *(("number", "count"), ("prompt", "text"), ("status", "text"), ("stop_reason", "text"), ("text", "text")),
        *(("tool_calls", "count"), ("files", "list"), ("sent", "time"), ("ended", "time"), ("seconds", "seconds")),
    )

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
        return str(self._data.get("status") or ("gone" if self._host.was_over(self._key) else "queued"))

    @property
    def done(self) -> bool:
        """True when the turn is over, however it ended."""
        return self.status in _OVER

    @property
    def stop_reason(self) -> str | None:
        """ACP's stop reason, `end_turn` or `cancelled` for instance; None while it runs or when none was told."""
        return self._data.get("stopReason")

    @property
    def error(self) -> Mapping[str, Any] | None:
        """`message`, `code` and `data` when the turn ended with an error."""
        error: Mapping[str, Any] | None = frozen.own_copy(self._data.get("error"))
        return error

    @property
    def prompt(self) -> str | None:
        """The prompt's text, as it was written; None for work that no prompt began."""
        data = self._data
        if data.get("prompt") is None:
            return None if data else self._given
        return text_of(own_words(data))

    @property
    def attached(self) -> list[Attachment]:
        """The objects that went with the prompt: `name`, `kind`, `size` in bytes and `note` of each.

        >>> from acp_widget import Agent
        >>> with Agent("demo") as agent:
        ...     turn = agent.run("Look at {xs}.", xs=[1, 2], show=False)
        >>> turn.prompt, turn.attached[0].name
        ('Look at `xs`.', 'xs')
        """
        return attachments(self._data)

    @property
    def text(self) -> str:
        """What the agent said: its messages, with a blank line between them."""
        return "\n\n".join(text for message in self.messages if message.role == "agent" and (text := message.text))

    @property
    def messages(self) -> Entities[Message]:
        """All messages and thoughts of the turn, in order of first sight."""
        return Entities(self._mine(Message), Message)

    @property
    def thoughts(self) -> Entities[Message]:
        return self.messages.where(role="thought")

    @property
    def code_blocks(self) -> Entities[CodeBlock]:
        """The fenced code blocks of the agent's messages, in order: `turn.code_blocks[-1].code`."""
        said = self.messages.where(role="agent")
        return Entities([block for message in said for block in message.code_blocks], CodeBlock)

    @property
    def files(self) -> Entities[TouchedFile]:
        """The files that its tool calls changed, as far as the agent told: `turn.files["src/stats.py"].operations`.

        From the diffs of its calls, and the locations of calls of kind `edit`, `delete` and `move` without a diff of
        them. Calls that have not begun, wait for an answer, failed or were cancelled do not count, and neither does
        what a command in a terminal changed: no agent tells that.
        """
        return Entities(touched(self.tool_calls), TouchedFile)

    @property
    def usage(self) -> Usage | None:
        """The tokens of this turn, when the agent reported them at its end; else None. See `agent.usage` too."""
        told = self._data.get("usage")
        return Usage.of({}, told) if isinstance(told, Mapping) else None

    @property
    def plan(self) -> Plan | None:
        """The newest plan of the turn."""
        plans = self._mine(Plan)
        return plans[-1] if plans else None

    @property
    def tool_calls(self) -> Entities[ToolCall]:
        """Indexed by position or by the agent's id: `turn.tool_calls["call_2"]`."""
        keys = self._reader.keys("toolCalls", turn=self._key)
        return Entities([ToolCall(self._reader, key, self._host.remote) for key in keys], ToolCall)

    @property
    def diffs(self) -> Entities[Diff]:
        """The diffs of all its tool calls, in order."""
        return Entities([diff for call in self.tool_calls for diff in call.diffs], Diff)

    @property
    def terminals(self) -> Entities[Terminal]:
        """Indexed by position or by the agent's id."""
        keys = self._reader.keys("terminals", turn=self._key)
        return Entities([Terminal(self._reader, key, self._host.remote) for key in keys], Terminal)

    @property
    def permissions(self) -> Entities[Permission]:
        """Every permission request of the turn and what became of it."""
        return Entities(self._mine(Permission), Permission)

    @property
    def duration(self) -> float | None:
        """Seconds from sending the prompt to the end, or until now; None before it was sent."""
        at = self._data.get("at") or {}
        if at.get("sent") is None:
            return None
        end = at.get("end")
        return float((self._now() if end is None else end) - at["sent"])

    def _now(self) -> float:
        """What time it is where the turn runs: in a replay, the time that was."""
        clock = (self._reader.part("player") or {}).get("clock")
        return time.time() if clock is None else float(clock)

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

    def changes(self) -> Changes:
        """What it did to files, by bytes and not by what was told of it: known when the turn is over (docs/undo.md)."""
        return self._host.undo.changes(self._key)

    def revert(self, *paths: Revertible | Sequence[Revertible], dry_run: bool = False) -> Reverted:
        """Put the files that it changed back as they were, or only these; `dry_run` tells what would be done.

        `paths`: of `turn.changes()`, `turn.files` or `turn.diffs`, or as texts; also lists of them. What somebody
        changed after the turn is named as a conflict and left alone. Raises `ValueError` for a path that the turn did
        not change, while the turn runs, and where nothing was recorded.

        >>> from acp_widget import Agent
        >>> with Agent("demo", permissions="allow") as agent:
        ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.")
        >>> turn.changes()
        <FileChange modify stats.py>
        >>> turn.revert()
        restored: stats.py
        """
        __tracebackhide__ = True
        check_switch(dry_run, "dry_run")
        return self._host.undo.revert(self._key, list(meant(paths)) if paths else None, dry_run=dry_run)

    def _mine(self, kind: Callable[[Reader, str], E]) -> list[E]:
        keys = self._reader.keys(kind._group, turn=self._key)  # type: ignore[attr-defined]
        return [kind(self._reader, key) for key in keys]

    # --- as data ---------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The whole turn for `json.dumps`: its own fields, and lists of what it did under ACP's names."""
        own = super().to_dict()
        del own["turn"]
        return {
            **own,
            "messages": self.messages.to_dict(),
            "toolCalls": self.tool_calls.to_dict(),
            "terminals": self.terminals.to_dict(),
            "permissions": self.permissions.to_dict(),
            "plans": [plan.to_dict() for plan in self._mine(Plan)],
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each message, thought, tool call, permission and plan, by first sight.

        Raises `ImportError` where pandas is not installed. The columns stand in docs/results.md.
        """
        rows = [
            *(_step("thought" if each.role == "thought" else "message", each, each.text) for each in self.messages),
            *(_step("tool_call", each, each.title or each.name or "") for each in self.tool_calls),
            *(_step("permission", each, each.title) for each in self.permissions),
            *(_step("plan", each, "\n".join(step.content for step in each.entries)) for each in self._mine(Plan)),
        ]
        return frame(sorted(rows, key=lambda row: row["first"] or 0.0), _STEPS)

    def _row(self) -> Mapping[str, Any]:
        told = {name: getattr(self, name) for name in ("prompt", "status", "stop_reason", "text")}
        times = {"sent": self._time("sent"), "ended": self._time("end"), "seconds": self.duration}
        counts = {"number": int(self.id), "tool_calls": len(self.tool_calls)}
        return {**told, **times, **counts, "files": [file.path for file in self.files]}

    @property
    def _name(self) -> str:
        return self.id

    def _freeze(self) -> frozen.Frozen:
        keys = {group: self._reader.keys(group, turn=self._key) for group in _GROUPS}
        for call in self.tool_calls:  # what belongs to its calls, though it was first seen later
            keys["terminals"] += [each._key for each in call.terminals if each._key not in keys["terminals"]]
            keys["permissions"] += [each._key for each in call.permissions if each._key not in keys["permissions"]]
        kept = frozen_of(self._reader, {**keys, "turns": [self._key]})
        places = {key for names in keys.values() for key in names}
        return kept.with_part("timeline", [key for key in self._reader.part("timeline") if key in places])

    @classmethod
    def _of_snapshot(cls, reader: frozen.Frozen, key: str) -> Turn:
        return cls(frozen.NoAgent(reader), key)

    # --- as it is shown --------------------------------------------------------------------------------------------

    def _ipython_display_(self) -> None:
        self._host.display_turn(self)

    def _display_(self) -> object:
        """marimo's way: what is drawn in the place of the turn."""
        try:
            return self._host.view_of_turn(self)
        except NotImplementedError:  # nothing is live
            return Entities([self], Turn)

    def _drawn(self) -> Sequence[Entry]:
        return transcript.turn_entries(self._reader.snapshot(), self._key)

    def __repr__(self) -> str:
        about = "work no prompt began" if self.prompt is None else quoted(self.prompt)
        end = f", {word(self.stop_reason)}" if self.stop_reason else ""
        calls = len(self.tool_calls)
        return f"<Turn {self.id}: {about}, {self.status}{end}, {calls} tool call{'' if calls == 1 else 's'}>"


def _step(what: str, thing: Entity, text: str) -> dict[str, Any]:
    times = {"first": thing._time("first"), "ended": thing._time("end"), "seconds": thing._seconds()}
    words = {name: getattr(thing, name, None) for name in ("kind", "status")}
    return {"what": what, "id": thing.id, "text": text, **words, **times}
