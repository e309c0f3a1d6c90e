"""Operations that wait for the next message, merged so that the result of applying them stays the same."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

Path = tuple[str | int, ...]
Operation = tuple[Any, ...]
Kind = Literal["set", "append", "delete", "text", "terminal", "output"]

DEEPEST = 200
"""Levels of nesting kept when a value is too deep for the JSON encoder."""

_OVERHEAD = 64  # bytes of JSON around a value: the operation's name, its path, the commas
_CROWDED = (
    32  # merge candidates of one entity that are looked at one by one; more are forgotten, which only merges less
)


class Batch(NamedTuple):
    """What goes into one message: operations in wire form, their buffers, and about how many bytes that is."""

    ops: list[list[Any]]
    buffers: list[bytes]
    size: int


class _Entry:
    """One pending operation, or several merged into one."""

    __slots__ = ("kind", "parts", "path", "size", "trimmed")

    def __init__(self, kind: Kind, path: Path, parts: list[Any], size: int) -> None:
        self.kind = kind
        self.path = path
        self.parts = parts
        self.size = size
        self.trimmed = 0


class Pending:
    """Operations in order, merged where the order between them does not matter.

    Text joins text of the same path, bytes join bytes of the same terminal, a `set` takes the place of the last `set`
    of the same path: each only when nothing in between touched that place.

    A terminal with more than `terminal_cap` pending bytes keeps none of them. Its whole output is read by `output_of`
    when the message is made, so a flood of output costs no memory here. `output_of(key)` gives the terminal's
    `output` with `data` as bytes, or None, as of all operations added so far.
    """

    def __init__(self, output_of: Callable[[str], Mapping[str, Any] | None], terminal_cap: int) -> None:
        self._output_of = output_of
        self._terminal_cap = terminal_cap
        self._entries: deque[_Entry] = deque()
        # Merge candidates: group → key (None: the group itself) → path → entry.
        self._last: dict[str | int, dict[str | int | None, dict[Path, _Entry]]] = {}
        self._flooded: dict[str, _Entry] = {}
        self.size = 0
        """About how many bytes of message wait here."""

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, operation: Operation) -> None:
        """Take one operation; its value must never change afterwards."""
        _ADD[operation[0]](self, *operation[1:])

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self._last.clear()
        self._flooded.clear()
        self.size = 0

    def take(self, limit: int) -> Batch:
        """Remove and return at most about `limit` bytes; an operation that cannot be split goes alone."""
        batch = Batch([], [], 0)
        used = 0
        while self._entries:
            entry = self._entries[0]
            if entry.kind == "output":
                self._unflood(entry)
                continue
            room = limit - used
            if entry.size > room and batch.ops and (entry.kind not in _SPLIT or room < limit // 4):
                break
            if not _WRITE[entry.kind](entry, batch, room):
                used += room
                self._grow(entry, -room)
                break
            used += entry.size
            self.size -= entry.size
            self._entries.popleft()
            self._forget_entry(entry)
        if not self._entries:
            self.clear()
        return batch._replace(size=used)

    # one method for each operation

    def _add_set(self, path: Path, value: Any) -> None:
        if self._swallowed(path):
            return
        value, size = fit(value)
        last = self._find(path)
        if last is not None and last.kind == "set":
            self._grow(last, size + _OVERHEAD - last.size)
            last.parts[0] = value
            return
        self._forget(path)
        self._remember(self._append(_Entry("set", path, [value], size + _OVERHEAD)))

    def _add_append(self, path: Path, item: Any) -> None:
        if self._swallowed(path):
            return
        item, size = fit(item)
        self._forget(path)
        self._append(_Entry("append", path, [item], size + _OVERHEAD))

    def _add_delete(self, path: Path) -> None:
        if self._swallowed(path):
            return
        # Behind a deleted list item every index means another item.
        self._forget(path[:-1] if isinstance(path[-1], int) else path)
        self._append(_Entry("delete", path, [], _OVERHEAD))

    def _add_text(self, path: Path, text: str) -> None:
        if self._swallowed(path):
            return
        text, size = fit_text(text)
        last = self._find(path)
        if last is None or last.kind != "text":
            self._forget(path)
            last = self._append(_Entry("text", path, [], _OVERHEAD))
            self._remember(last)
        last.parts.append(text)
        self._grow(last, size)

    def _add_bytes(self, key: str, data: bytes) -> None:
        entry = self._terminal(key)
        if entry is None or not data:
            return
        entry.parts.append(data)
        self._grow(entry, len(data))
        if entry.size > self._terminal_cap:
            self._grow(entry, _OVERHEAD - entry.size)
            self._forget_entry(entry)
            entry.kind, entry.parts = "output", []
            self._flooded[key] = entry

    def _add_trim(self, key: str, count: int) -> None:
        entry = self._terminal(key)
        if entry is not None:
            entry.trimmed += count

    # terminals

    def _terminal(self, key: str) -> _Entry | None:
        """The entry that takes bytes of this terminal; None while it is flooded."""
        if key in self._flooded:
            return None
        path: Path = ("terminals", key, "output")
        entry = self._find(path)
        if entry is None or entry.kind != "terminal":
            self._forget(path)
            entry = self._append(_Entry("terminal", path, [], _OVERHEAD))
            self._remember(entry)
        return entry

    def _swallowed(self, path: Path) -> bool:
        """True for a change inside a flooded output: it will be read whole. Other changes of it end the flood."""
        if not self._flooded or path[0] != "terminals":
            return False
        if len(path) > 2 and path[1] in self._flooded:
            return path[2] == "output"
        for key in [key for key in self._flooded if len(path) == 1 or path[1] == key]:
            if len(path) <= 2:
                entry = self._flooded.pop(key)
                self._grow(entry, -entry.size)
                self._entries.remove(entry)
        return False

    def _unflood(self, entry: _Entry) -> None:
        """Turn a flooded terminal at the head of the queue into its output as it is now."""
        key = str(entry.path[1])
        del self._flooded[key]
        self._entries.popleft()
        self._grow(entry, -entry.size)
        output = self._output_of(key)
        if output is None:
            return
        data = bytes(output["data"])
        rest = {name: value for name, value in output.items() if name != "data"}
        value, size = fit({"data": "", **rest})
        whole = _Entry("terminal", entry.path, [data], len(data) + _OVERHEAD)
        reset = _Entry("set", entry.path, [value], size + _OVERHEAD)
        self._entries.extendleft((whole, reset))
        self.size += whole.size + reset.size
        self._remember(whole)

    # merge candidates

    def _append(self, entry: _Entry) -> _Entry:
        self._entries.append(entry)
        self.size += entry.size
        return entry

    def _grow(self, entry: _Entry, size: int) -> None:
        entry.size += size
        self.size += size

    def _find(self, path: Path) -> _Entry | None:
        return self._last.get(path[0], {}).get(path[1] if len(path) > 1 else None, {}).get(path)

    def _remember(self, entry: _Entry) -> None:
        path = entry.path
        self._last.setdefault(path[0], {}).setdefault(path[1] if len(path) > 1 else None, {})[path] = entry

    def _forget_entry(self, entry: _Entry) -> None:
        if self._find(entry.path) is entry:
            del self._last[entry.path[0]][entry.path[1] if len(entry.path) > 1 else None][entry.path]

    def _forget(self, path: Path) -> None:
        """Nothing may merge across a change of `path`: neither what is inside nor what it is inside of."""
        if len(path) < 2:
            if path:
                self._last.pop(path[0], None)
            else:
                self._last.clear()
            return
        group = self._last.get(path[0])
        if group is None:
            return
        group.pop(None, None)
        entity = group.get(path[1])
        if entity is None:
            return
        if len(entity) > _CROWDED:
            entity.clear()
            return
        for other in list(entity):
            shorter = min(len(other), len(path))
            if other[:shorter] == path[:shorter]:
                del entity[other]


_ADD: dict[str, Callable[..., None]] = {
    "set": Pending._add_set,
    "append": Pending._add_append,
    "delete": Pending._add_delete,
    "text": Pending._add_text,
    "bytes": Pending._add_bytes,
    "trim": Pending._add_trim,
}


def _write_value(entry: _Entry, batch: Batch, room: int) -> bool:
    batch.ops.append([entry.kind, list(entry.path), *entry.parts])
    return True


def _write_text(entry: _Entry, batch: Batch, room: int) -> bool:
    text = "".join(entry.parts)
    head = text if entry.size <= room else text.encode()[:room].decode(errors="ignore")
    batch.ops.append(["text", list(entry.path), head])
    entry.parts = [text[len(head) :]]
    return len(head) == len(text)


def _write_terminal(entry: _Entry, batch: Batch, room: int) -> bool:
    data = b"".join(entry.parts)
    finished = len(data) <= room
    if data:
        batch.ops.append(["bytes", entry.path[1], len(batch.buffers)])
        batch.buffers.append(data[:room])
    entry.parts = [data[room:]]
    # All bytes first, then all trims: together they are right in any order they came in.
    if finished and entry.trimmed:
        batch.ops.append(["trim", entry.path[1], entry.trimmed])
    return finished


_SPLIT = ("text", "terminal")
_WRITE: dict[str, Callable[[_Entry, Batch, int], bool]] = {
    "set": _write_value,
    "append": _write_value,
    "delete": _write_value,
    "text": _write_text,
    "terminal": _write_terminal,
}


def fit(value: Any) -> tuple[Any, int]:
    """`value` as the Jupyter wire can carry it, and its length in bytes of JSON.

    Almost always the value itself. Half surrogate pairs become U+FFFD, NaN and infinities become null, and what is
    nested deeper than the encoder can follow is cut: an agent can send all three, and none may stop the messages.
    """
    try:
        return value, len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, TypeError, RecursionError):
        value = clean(value)
        return value, len(json.dumps(value, ensure_ascii=False).encode())


def fit_text(text: str) -> tuple[str, int]:
    """As `fit`, for a string."""
    if text.isascii():
        return text, len(text)
    try:
        return text, len(text.encode())
    except UnicodeEncodeError:
        text = _whole(text)
        return text, len(text.encode())


def clean(value: Any, depth: int = DEEPEST) -> Any:
    """A copy that every JSON encoder takes."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (bool, int)) or value is None:
        return value
    if depth == 0:
        return "… [nested too deeply to show]"
    if isinstance(value, Mapping):
        return {_whole(str(key)): clean(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item, depth - 1) for item in value]
    return _whole(str(value))


def _whole(text: str) -> str:
    """Surrogate pairs that came in two pieces joined, half ones replaced by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
