"""`agent.log`: what passed between us and an agent, message by message, without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from .entities import Result, quoted
from .export.entries import Entry, Line, Literal
from .frames import Columns
from .frozen import own_copy
from .recording.traffic import Passed

_DRAWN = 2_000  # characters of a message that are drawn


class LogEntry(Result):
    """One message between us and the agent, as a recording has it: secrets and home folders hidden. It is read-only.

    It stays as it is also when the log goes on. (JSON-RPC 2.0)

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     _ = agent.run("hello")
    >>> [entry.method for entry in agent.log.where(direction="out")][:3]
    ['initialize', 'session/new', 'session/prompt']
    """

    _columns: ClassVar[Columns] = (
        *(("number", "count"), ("at", "time"), ("direction", "text"), ("kind", "text"), ("method", "text")),
        *(("request_id", "text"), ("size", "count"), ("message", "text")),
    )

    def __init__(self, passed: Passed, answers: str | None = None) -> None:
        self._passed, self._answers = passed, answers

    @property
    def number(self) -> int:
        """Which message of the session it is, from 1."""
        return self._passed.number

    @property
    def at(self) -> float:
        """When it passed, in seconds since the epoch."""
        return self._passed.at

    @property
    def direction(self) -> str:
        """`"out"` for what was sent to the agent, `"in"` for what came from it."""
        return str(self._passed.record["dir"])

    @property
    def kind(self) -> str:
        """`request`, `notification`, `result`, `error`; `other` for what is no message, a stray line for instance."""
        message = self._message
        if not isinstance(message, Mapping):
            return "other"
        if isinstance(message.get("method"), str):
            return "request" if "id" in message else "notification"
        return "error" if message.get("error") is not None else "result" if "result" in message else "other"

    @property
    def method(self) -> str | None:
        """Its method; for an answer that of the request, if that is still in the log."""
        message = self._message
        own = message.get("method") if isinstance(message, Mapping) else None
        return own if isinstance(own, str) else self._answers

    @property
    def request_id(self) -> str | int | None:
        """The id of the request that it is or answers; None for a notification."""
        message = self._message
        found = message.get("id") if isinstance(message, Mapping) else None
        return found if isinstance(found, (str, int)) else None

    @property
    def size(self) -> int:
        """About how many characters it has."""
        return self._passed.weight

    @property
    def message(self) -> Any:
        """The message as plain data, a copy; the line itself for what is no JSON."""
        return own_copy(self._message)

    @property
    def _message(self) -> Any:
        record = self._passed.record
        return next((record[name] for name in ("msg", "raw", "cut") if name in record), None)

    def to_dict(self) -> dict[str, Any]:
        """What a recording says of it: `dir`, and `msg`, `raw` or `cut`; with `number` and `at`."""
        return {"number": self.number, "at": self.at, **own_copy(self._passed.record)}

    def _row(self) -> Mapping[str, Any]:
        request_id = self.request_id
        told = {"request_id": None if request_id is None else str(request_id), "message": self._text()}
        return {name: told[name] if name in told else getattr(self, name) for name, _ in self._columns}

    def _text(self) -> str:
        message = self._message
        return message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)

    def _drawn(self) -> Sequence[Entry]:
        text = self._text()
        cut = f"{text[:_DRAWN]} … [cut: {len(text) - _DRAWN:,} characters]" if len(text) > _DRAWN else text
        return [Line(f"{self.number} {self.direction} {self.kind}", self.method or ""), Literal("", cut, "json")]

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, LogEntry) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.number, self.at))

    def __repr__(self) -> str:
        about = self.method or quoted(self._text())
        return f"<LogEntry {self.number}, {self.direction}, {self.kind}, {about}, {self.size:,} characters>"


def entries(kept: Sequence[Passed]) -> list[LogEntry]:
    """The log, with the methods of what was answered."""
    asked: dict[tuple[str, str], str] = {}
    made = []
    for passed in kept:
        entry = LogEntry(passed)
        if entry.request_id is not None:
            mine = (entry.direction, repr(entry.request_id))
            if entry.kind == "request":
                asked[mine] = str(entry.method)
            else:
                theirs = ("in" if entry.direction == "out" else "out", mine[1])
                entry = LogEntry(passed, asked.pop(theirs, None))
        made.append(entry)
    return made
