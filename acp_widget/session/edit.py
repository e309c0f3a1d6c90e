"""One event on its way through the reducer: every change goes through here and is written down as an operation."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from . import operations
from .operations import Operation, Path
from .state import GROUPS, State

DIAGNOSTICS_KEPT: Final = 200
_DIAGNOSTICS_AN_EVENT: Final = 20
_GROUPS: Final = frozenset(GROUPS)


class Answer(NamedTuple):
    """What must be sent to the agent for one of its requests, with its id verbatim: a result or an error."""

    request_id: Any
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Outcome(NamedTuple):
    """What one event came to: the operations, already applied to the state, and the answers to send."""

    ops: list[Operation]
    answers: list[Answer]


class Edit:
    """The changes of one event. Values given to it must not be changed afterwards, by anybody."""

    __slots__ = ("answers", "at", "data", "memory", "notes", "ops", "state", "where")

    def __init__(self, state: State, at: float | None) -> None:
        self.state = state
        self.data = state.data
        self.memory = state.memory
        self.at = at
        self.where: str | None = None
        self.ops: list[Operation] = []
        self.answers: list[Answer] = []
        self.notes = 0

    def set(self, path: Path, value: Any) -> None:
        """Put the value there."""
        operations.put(self.data, path, value)
        if path[0] in _GROUPS:
            self.state.touch(*path[:2])
        self.ops.append(("set", path, value))

    def append(self, path: Path, item: Any) -> None:
        """Add the item at the end of the list."""
        operations.append(self.data, path, item)
        if path[0] in _GROUPS:
            self.state.touch(*path[:2])
        self.ops.append(("append", path, item))

    def text(self, path: Path, string: str) -> None:
        """Add to the end of a text of a message."""
        operations.add_text(self.data, path, string)
        self.state.touch(*path[:2])
        self.ops.append(("text", path, string))

    def bytes(self, key: str, new: bytes) -> None:
        """Add to the end of a terminal's output; what is too much for the cap leaves at its front."""
        operations.add_bytes(self.data, key, new)
        self.state.touch("terminals", key)
        self.ops.append(("bytes", key, new))
        kept = self.data["terminals"][key]["output"]["data"]
        cap = self.state.terminal_cap
        # A quarter more than the cap may pile up, so that cutting costs little for each byte.
        if len(kept) > cap + cap // 4:
            count = len(kept) - cap
            newline = kept.find(b"\n", count, count + 4096)
            count = newline + 1 if newline >= 0 else count
            operations.trim(self.data, key, count)
            self.ops.append(("trim", key, count))

    def delete(self, path: Path) -> None:
        """Take the entry or item away."""
        operations.delete(self.data, path)
        if path[0] in _GROUPS:
            if len(path) == 2:
                self.state.forget(*path)
            else:
                self.state.touch(*path[:2])
        self.ops.append(("delete", path))

    def patch(self, path: Path, changes: dict[str, Any]) -> None:
        """`set` each field that differs from what is there."""
        current: Any = self.data
        for step in path:
            current = current[step]
        for name, value in changes.items():
            if name not in current or not same(current[name], value):
                self.set((*path, name), value)

    def replace(self, path: Path, value: dict[str, Any]) -> None:
        """`patch`, and `delete` what the value does not have."""
        current: Any = self.data
        for step in path:
            current = current[step]
        for name in [name for name in current if name not in value]:
            self.delete((*path, name))
        self.patch(path, value)

    def create(self, group: str, key: str, entity: dict[str, Any], *, place: bool = True) -> None:
        """Make an entity, at its place in the timeline."""
        self.set((group, key), entity)
        if place:
            self.append(("timeline",), key)

    def put(self, group: str, key: str, entity: dict[str, Any]) -> None:
        """Put a frozen entity there; the bytes of a terminal go the way that all bytes go."""
        output = entity.get("output") if group == "terminals" else None
        if output is not None:
            entity = {**entity, "output": {**output, "data": ""}}
        self.set((group, key), entity)
        if output is not None and output["data"]:
            self.bytes(key, output["data"])

    def displace(self, key: str) -> None:
        """Take the key out of the timeline, where it is in it."""
        timeline = self.data["timeline"]
        if key in timeline:
            self.delete(("timeline", timeline.index(key)))

    def times(self) -> dict[str, float | None]:
        """`at` of an entity that is seen first now."""
        return {"first": self.at, "start": None, "end": None}

    def answer(self, request_id: Any, result: dict[str, Any]) -> None:
        """Answer a request of the agent."""
        self.answers.append(Answer(request_id, result, None))

    def refuse(self, request_id: Any, code: int, message: str) -> None:
        """Answer a request of the agent with an error."""
        self.answers.append(Answer(request_id, None, {"code": code, "message": message}))

    def diagnose(self, message: str) -> None:
        """Write down that something was wrong with what came. Never an exception; the newest 200 are kept.

        The same again directly after it is the same entry, with a higher `count`: a stream of one fault hides no other.
        """
        self.notes += 1
        if self.notes > _DIAGNOSTICS_AN_EVENT:
            return
        if self.notes == _DIAGNOSTICS_AN_EVENT:
            message = "More was wrong with it; the rest is not listed."
        kept = self.data["diagnostics"]
        last = kept[-1] if kept else None
        if last is not None and (last["message"], last["where"]) == (message, self.where):
            self.set(("diagnostics", len(kept) - 1), {**last, "count": last.get("count", 1) + 1})
            return
        self.append(("diagnostics",), {"message": message, "where": self.where, "at": self.at})
        if len(kept) > DIAGNOSTICS_KEPT:
            self.delete(("diagnostics", 0))


def same(old: Any, new: Any) -> bool:
    """Equal as JSON: Python holds 1, 1.0 and True for equal, a reader of the JSON does not."""
    if type(old) is not type(new):
        return False
    if type(new) is dict:
        return old.keys() == new.keys() and all(same(old[name], new[name]) for name in new)
    if type(new) is list:
        return len(old) == len(new) and all(map(same, old, new))
    return bool(old == new)
