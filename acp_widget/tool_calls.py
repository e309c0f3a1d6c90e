"""What an agent does and asks: tool calls, the terminals it runs in them, and its permission requests."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Protocol

from . import shown
from .entities import Entities, Entity, Reader, frozen_of, quoted, text_of, word
from .export.entries import Entry, Line
from .frozen import Frozen, NoAgent, own_copy
from .parts import Diff
from .session.screen import screen_text, size_of
from .session.words import is_final

_OPTIONS = 20  # of a pending request that are listed


class Remote(Protocol):
    """Asks the agent to stop something, and returns when it has accepted."""

    def cancel_call(self, key: str) -> None: ...

    def cancel_terminal(self, key: str) -> None: ...


class ToolCall(Entity):
    """A tool call (ACP v2, Tool Calls).

    `kind` and `status` are the agent's words, known or not; `status` is usually `pending`, `in_progress`,
    `completed`, `failed` or `cancelled`.
    """

    _group = "toolCalls"
    _columns = (
        *(("id", "text"), ("turn", "count"), ("kind", "text"), ("status", "text"), ("title", "text")),
        *(("name", "text"), ("paths", "list"), ("asked", "flag"), ("text", "text")),
        *(("first", "time"), ("started", "time"), ("ended", "time"), ("seconds", "seconds")),
    )

    def __init__(self, reader: Reader, key: str, remote: Remote) -> None:
        super().__init__(reader, key)
        self._remote = remote

    @property
    def title(self) -> str | None:
        return self._data.get("title")

    @property
    def name(self) -> str | None:
        """The tool's programmatic name."""
        return self._data.get("name")

    @property
    def kind(self) -> str:
        return str(self._data.get("kind", "other"))

    @property
    def status(self) -> str:
        return str(self._data.get("status", "pending"))

    @property
    def done(self) -> bool:
        """True when the status is `completed`, `failed` or `cancelled`."""
        return is_final(self.status)

    @property
    def content(self) -> list[Mapping[str, Any]]:
        """Its content items, verbatim: `content`, `diff`, `terminal`, or what the agent sent. A copy at each access."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """Its text content, joined."""
        return text_of([item["content"] for item in self._data.get("content", ()) if item.get("type") == "content"])

    @property
    def diffs(self) -> Entities[Diff]:
        items = self._data.get("content", ())
        cwd = self._reader.part("session").get("cwd")
        return Entities([Diff(item, cwd) for item in items if item.get("type") == "diff"], Diff)

    @property
    def terminals(self) -> Entities[Terminal]:
        """The terminals it shows, in order."""
        keys = dict.fromkeys(
            f"x:{item['terminalId']}" for item in self._data.get("content", ()) if item.get("type") == "terminal"
        )
        found = [Terminal(self._reader, key, self._remote) for key in keys if self._reader.get("terminals", key)]
        return Entities(found, Terminal)

    @property
    def locations(self) -> list[tuple[str, int | None]]:
        """`(path, line)` pairs; lines count from 1, None when not told."""
        return [(place["path"], place.get("line") or None) for place in self._data.get("locations", ())]

    @property
    def raw_input(self) -> Any:
        """What the tool was called with; any JSON. A copy at each access."""
        return own_copy(self._data.get("rawInput"))

    @property
    def raw_output(self) -> Any:
        """What the tool returned; any JSON. A copy at each access."""
        return own_copy(self._data.get("rawOutput"))

    @property
    def permissions(self) -> Entities[Permission]:
        """The permission requests about it, oldest first: whether they were allowed, by whom and when."""
        requests = [Permission(self._reader, key) for key in self._reader.keys("permissions")]
        return Entities([request for request in requests if request.tool_call_id == self.id], Permission)

    @property
    def asked(self) -> bool:
        """False when the agent did (or does) this without asking for permission."""
        return bool(self.permissions)

    @property
    def can_cancel(self) -> bool:
        """True while it goes on and the agent offers to stop it alone; False when either has ended."""
        return not self.done and _offers_cancel(self)

    def cancel(self) -> None:
        """Ask the agent to stop this call alone; the turn goes on. Returns when the agent has accepted.

        Accepted is not over: wait until `done`; buttons work meanwhile. Raises `NotOffered` when the call or its agent
        has ended or the agent does not offer it, `RequestError` with its words when it refuses, `NoAnswer` when it does
        not answer, `AgentClosed` after `close()` (ACP v2, Tool Calls).
        """
        __tracebackhide__ = True  # IPython shows the user's own lines and the message
        self._remote.cancel_call(self._key)

    def _row(self) -> Mapping[str, Any]:
        paths = [path for path, _ in self.locations] or [path for diff in self.diffs for path in diff.paths]
        times = {"first": self._time("first"), "started": self._time("start"), "ended": self._time("end")}
        words = {name: getattr(self, name) for name in ("id", "kind", "status", "title", "name", "asked", "text")}
        return {**words, "turn": self.turn_number, "paths": paths, **times, "seconds": self._seconds()}

    def _freeze(self) -> Frozen:
        terminals = [terminal._key for terminal in self.terminals]
        permissions = [request._key for request in self.permissions]
        keys = {"toolCalls": [self._key], "terminals": terminals, "permissions": permissions}
        return frozen_of(self._reader, keys)

    @classmethod
    def _of_snapshot(cls, reader: Frozen, key: str) -> ToolCall:
        return cls(reader, key, NoAgent(reader))

    def __repr__(self) -> str:
        about = quoted(self.title or self.name or self.kind)
        return f"<ToolCall {quoted(self.id)} {word(self.kind)}: {about}, {word(self.status)}>"


class Terminal(Entity):
    """A terminal the agent runs (ACP v2, Tool Calls, Terminals). Nothing can be typed into it."""

    _group = "terminals"
    _columns = (
        *(("id", "text"), ("turn", "count"), ("command", "text"), ("cwd", "text"), ("exit_code", "count")),
        *(("signal", "text"), ("size", "count"), ("cut", "count"), ("text", "text")),
        *(("first", "time"), ("ended", "time"), ("seconds", "seconds")),
    )

    def __init__(self, reader: Reader, key: str, remote: Remote) -> None:
        super().__init__(reader, key)
        self._remote = remote

    @property
    def command(self) -> str | None:
        return self._data.get("command")

    @property
    def cwd(self) -> str | None:
        return self._data.get("cwd")

    @property
    def bytes(self) -> bytes:
        """The output as it was written. Of very long output the front is dropped, see `cut`."""
        output: Mapping[str, Any] = self._data.get("output") or {}
        return bytes(output.get("data", b""))

    @property
    def cut(self) -> int:
        """How many bytes were dropped from the front."""
        output: Mapping[str, Any] = self._data.get("output") or {}
        return int(output.get("cut", 0))

    @property
    def text(self) -> str:
        """What a screen would show: colours dropped, progress bars at their last state."""
        return screen_text(self.bytes, *size_of(self._data))

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs, and when a signal ended it."""
        status: Mapping[str, Any] = self._data.get("exitStatus") or {}
        return status.get("exitCode")

    @property
    def signal(self) -> str | None:
        status: Mapping[str, Any] = self._data.get("exitStatus") or {}
        return status.get("signal")

    @property
    def exited(self) -> bool:
        return self._data.get("exitStatus") is not None

    @property
    def can_cancel(self) -> bool:
        """True while it goes on and the agent offers to stop it alone; False when either has ended."""
        return not self.exited and _offers_cancel(self)

    def cancel(self) -> None:
        """Ask the agent to stop this command alone; the turn goes on. Returns when the agent has accepted.

        Accepted is not over: wait until `exited`. Raises as `ToolCall.cancel` does.
        """
        __tracebackhide__ = True
        self._remote.cancel_terminal(self._key)

    def to_dict(self) -> dict[str, Any]:
        whole = super().to_dict()
        output = whole.get("output")
        if isinstance(output, dict) and isinstance(output.get("data"), (bytes, bytearray)):
            output["data"] = base64.b64encode(output["data"]).decode("ascii")
        return whole

    def _row(self) -> Mapping[str, Any]:
        names = ("id", "command", "cwd", "exit_code", "signal", "cut", "text")
        times = {"first": self._time("first"), "ended": self._time("end"), "seconds": self._seconds()}
        told = {name: getattr(self, name) for name in names}
        return {**told, "turn": self.turn_number, "size": len(self.bytes), **times}

    @classmethod
    def _of_snapshot(cls, reader: Frozen, key: str) -> Terminal:
        return cls(reader, key, NoAgent(reader))

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
    _columns = (
        *(("id", "text"), ("turn", "count"), ("title", "text"), ("status", "text"), ("option_id", "text")),
        *(("allowed", "flag"), ("by", "text"), ("why", "text"), ("tool_call_id", "text")),
        *(("asked", "time"), ("answered", "time"), ("seconds", "seconds")),
    )

    @property
    def title(self) -> str:
        return str(self._data.get("title", ""))

    @property
    def description(self) -> str | None:
        return self._data.get("description")

    @property
    def subject(self) -> Mapping[str, Any] | None:
        """What it is about, verbatim: a tool call, a command, or what the agent sent. A copy at each access."""
        subject: Mapping[str, Any] | None = own_copy(self._data.get("subject"))
        return subject

    @property
    def options(self) -> list[Mapping[str, Any]]:
        """`optionId`, `name` and `kind` of each option, in the agent's order."""
        return list(own_copy(self._data.get("options", ())))

    @property
    def status(self) -> str:
        return str(self._data.get("status", "pending"))

    @property
    def pending(self) -> bool:
        return self.status == "pending"

    @property
    def option_id(self) -> str | None:
        """The option that was chosen."""
        return self._data.get("optionId")

    @property
    def allowed(self) -> bool:
        """True when one of the agent's `allow` options was chosen."""
        chosen = [option for option in self.options if option["optionId"] == self.option_id]
        return bool(chosen) and all(str(option.get("kind")).startswith("allow_") for option in chosen)

    @property
    def by(self) -> str | None:
        return self._data.get("by")

    @property
    def why(self) -> str | None:
        return self._data.get("why")

    @property
    def answered_at(self) -> datetime | None:
        """When it was answered or withdrawn, in the local time zone; None while it is pending."""
        end = (self._data.get("at") or {}).get("end")
        return None if end is None else datetime.fromtimestamp(end, timezone.utc).astimezone()

    @property
    def tool_call_id(self) -> str | None:
        return self._data.get("toolCallId")

    def _row(self) -> Mapping[str, Any]:
        names = ("id", "title", "status", "option_id", "by", "why", "tool_call_id")
        times = {"asked": self._time("first"), "answered": self._time("end"), "seconds": self._seconds()}
        allowed = None if self.pending else self.allowed
        told = {name: getattr(self, name) for name in names}
        return {**told, "turn": self.turn_number, "allowed": allowed, **times}

    def _freeze(self) -> Frozen:
        return frozen_of(self._reader, {"permissions": [self._key], "toolCalls": [f"t:{self.tool_call_id}"]})

    def _drawn(self) -> Sequence[Entry]:
        drawn = list(super()._drawn())
        call = (self._data.get("subject") or {}).get("toolCall")
        if isinstance(call, Mapping):
            cwd = self._reader.part("session").get("cwd")
            known = self._reader.get("toolCalls", f"t:{self.tool_call_id}") or {}
            title = call.get("title") or known.get("title") or call.get("toolCallId")
            items = [item for item in call.get("content") or () if isinstance(item, Mapping)]
            drawn[:0] = [Line("Tool call", str(title))]
            drawn[1:1] = [entry for item in items if item.get("type") == "diff" for entry in shown.diff(item, cwd)]
        if self.pending:
            offered = [f"{each.get('optionId')!r} ({each.get('name')})" for each in self.options[:_OPTIONS]]
            more = f" and {len(self.options) - _OPTIONS} more" if len(self.options) > _OPTIONS else ""
            drawn.append(Line("Options", ", ".join(offered) + more))
        return drawn

    def __repr__(self) -> str:
        outcome = self.status if self.option_id is None else f"{quoted(self.option_id)} by {self.by}"
        return f"<Permission {self.id!r}: {quoted(self.title)}, {outcome}>"


def _offers_cancel(thing: ToolCall | Terminal) -> bool:
    offered = (thing._data.get("capabilities") or {}).get("cancel") is not None
    return offered and not thing._reader.left_behind(thing._group, thing._key)
