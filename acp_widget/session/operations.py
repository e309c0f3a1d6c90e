"""The small set of operations through which every change of the state goes.

`("set", path, value)`, `("append", path, item)`, `("text", path, string)`, `("bytes", key, data)`,
`("trim", key, n)` and `("delete", path)`. `Builder` is the reducer's state that they are applied to, cheaply;
`apply_to_snapshot` applies the same operations to plain JSON data, as the browser does.
"""

from __future__ import annotations

import copy
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Path = tuple[Any, ...]
"""Strings and list indices, from the top of the state."""
Operation = tuple[Any, ...]


class Text:
    """Streamed text, kept as the pieces it came in and joined when somebody reads it."""

    __slots__ = ("pieces",)

    def __init__(self, *pieces: str) -> None:
        self.pieces = list(pieces)

    def joined(self) -> str:
        """The whole text."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0]


def put(data: Any, path: Path, value: Any) -> None:
    """`set` on the reducer's state. It keeps its own copy of what it will change later, never of what lies deeper."""
    parent = data
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = _own(value)
    if path[0] == "terminals" and len(path) in (2, 3):
        output = data["terminals"][path[1]]["output"]
        if type(output["data"]) is str:
            output["data"] = bytearray(b64decode(output["data"]))


def append(data: Any, path: Path, item: Any) -> None:
    """`append` on the reducer's state."""
    for step in path:
        data = data[step]
    data.append(_own(item))


def add_text(data: Any, path: Path, string: str) -> None:
    """`text` on the reducer's state: costs what the string costs, however long the text already is."""
    holder = data
    for step in path[:-2]:
        holder = holder[step]
    block = holder[path[-2]]
    text = block[path[-1]]
    if type(text) is not Text:
        # The block may be shared with an operation or a frozen copy: from now on it is the builder's own.
        holder[path[-2]] = {**block, path[-1]: Text(text, string)}
    else:
        text.pieces.append(string)


def add_bytes(data: Any, key: str, new: bytes) -> None:
    """`bytes` on the reducer's state."""
    data["terminals"][key]["output"]["data"] += new


def trim(data: Any, key: str, count: int) -> None:
    """`trim` on the reducer's state."""
    output = data["terminals"][key]["output"]
    del output["data"][:count]
    output["cut"] += count


def delete(data: Any, path: Path) -> None:
    """`delete` on the reducer's state."""
    for step in path[:-1]:
        data = data[step]
    del data[path[-1]]


def _own(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {name: _copied(item) for name, item in value.items()}
    return _copied(value)


def _copied(value: Any) -> Any:
    kind = type(value)
    return dict(value) if kind is dict else list(value) if kind is list else value


def frozen(value: Any) -> Any:
    """Plain data of one entity (or of one part beside the groups) that no later operation changes.

    Text is joined, terminal bytes are `bytes`. What lies deeper is shared: the reducer never changes it.
    """
    kind = type(value)
    if kind is dict:
        return {name: _frozen_part(part) for name, part in value.items()}
    return _frozen_part(value)


def _frozen_part(part: Any) -> Any:
    kind = type(part)
    if kind is dict:
        return {name: bytes(item) if type(item) is bytearray else item for name, item in part.items()}
    if kind is list:
        return [_frozen_item(item) if type(item) is dict else item for item in part]
    return part


def _frozen_item(item: dict[str, Any]) -> dict[str, Any]:
    text = item.get("text")
    return {**item, "text": text.joined()} if type(text) is Text else item


# --- plain snapshots -------------------------------------------------------------------------------------------------


def apply_to_snapshot(snapshot: dict[str, Any], operations: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """The snapshot after these operations; the given one stays as it is. Terminal bytes are base64 in both.

    >>> apply_to_snapshot({"usage": {"used": 1}}, [("set", ("usage", "used"), 2)])
    {'usage': {'used': 2}}
    """
    after: dict[str, Any] = _separate(snapshot)
    for name, *arguments in operations:
        _TO_SNAPSHOT[name](after, *arguments)
    return after


def _separate(value: Any) -> Any:
    """A copy in which nothing is in two places, as JSON has it: what changes at one stays as it is at the other."""
    kind = type(value)
    if kind is dict:
        return {name: _separate(item) for name, item in value.items()}
    return [_separate(item) for item in value] if kind is list else copy.deepcopy(value)


def _walk(data: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        data = data[step]
    return data


def _set(data: Any, path: Sequence[str | int], value: Any) -> None:
    _walk(data, path[:-1])[path[-1]] = _separate(value)


def _append(data: Any, path: Sequence[str | int], item: Any) -> None:
    _walk(data, path).append(_separate(item))


def _text(data: Any, path: Sequence[str | int], string: str) -> None:
    _walk(data, path[:-1])[path[-1]] += string


def _bytes(data: Any, key: str, new: bytes) -> None:
    output = data["terminals"][key]["output"]
    output["data"] = b64encode(b64decode(output["data"]) + new).decode("ascii")


def _trim(data: Any, key: str, count: int) -> None:
    output = data["terminals"][key]["output"]
    output["data"] = b64encode(b64decode(output["data"])[count:]).decode("ascii")
    output["cut"] += count


def _delete(data: Any, path: Sequence[str | int]) -> None:
    del _walk(data, path[:-1])[path[-1]]


_TO_SNAPSHOT: dict[str, Callable[..., None]] = {
    "set": _set,
    "append": _append,
    "text": _text,
    "bytes": _bytes,
    "trim": _trim,
    "delete": _delete,
}


def to_wire(operations: Iterable[Operation]) -> tuple[list[list[Any]], list[bytes]]:
    """Operations as JSON and buffers: paths are lists, and `bytes` names its buffer by index.

    >>> to_wire([("bytes", "x:1", b"hi")])
    ([['bytes', 'x:1', 0]], [b'hi'])
    """
    wire: list[list[Any]] = []
    buffers: list[bytes] = []
    for name, target, *rest in operations:
        if name == "bytes":
            wire.append([name, target, len(buffers)])
            buffers.append(rest[0])
        else:
            wire.append([name, list(target) if isinstance(target, tuple) else target, *rest])
    return wire, buffers


def from_wire(wire: Iterable[Sequence[Any]], buffers: Sequence[bytes]) -> list[Operation]:
    """The other way round."""
    return [
        (name, target, buffers[rest[0]]) if name == "bytes" else (name, target, *rest) for name, target, *rest in wire
    ]
