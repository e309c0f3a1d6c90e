"""Objects written as Python writes them, containers only so far; whatever is left out is counted, to be said."""

from __future__ import annotations

import contextlib
import dataclasses
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

ITEMS: Final = 200
DEEP: Final = 20
TEXT: Final = 2000
"""Characters of one text, or of one object's own `repr()`, within a container."""
_BYTES: Final = 100
_DIGITS: Final = 1000
_SHORTENING: Final = ("numpy", "pandas", "polars")
"""Whose `repr()` leaves out what is in the middle."""

_LEFT_OUT: Final = {
    "items": ("1 container in it is", "{:,} containers in it are", f"cut at {ITEMS} items"),
    "texts": ("1 text in it is", "{:,} texts in it are", f"cut at {TEXT:,} characters"),
    "bytes": ("1 value of bytes is", "{:,} values of bytes are", f"cut at {_BYTES} bytes"),
    "numbers": ("1 number is", "{:,} numbers are", f"only told by length, above {_DIGITS:,} digits"),
    "tables": ("1 array or table is", "{:,} arrays or tables are", "shown as its repr() shortens it"),
    "levels": ("1 container is", "{:,} containers are", f"left out, deeper than {DEEP} levels"),
}


class _Full(Exception):
    """There is no room for more."""


class _Entry(NamedTuple):
    """A thing in a container: what stands before it, or its key."""

    value: Any
    label: str = ""
    key: Any = None
    has_key: bool = False


def _of_dict(value: Any) -> Iterator[_Entry]:
    return (_Entry(each, key=key, has_key=True) for key, each in dict.items(value))


def _of_ordered(value: Any) -> Iterator[_Entry]:
    return (_Entry(each, key=key, has_key=True) for key, each in OrderedDict.items(value))


def _of_counter(value: Any) -> Iterator[_Entry]:
    """The most common first."""
    pairs: Iterable[Any] = dict.items(value)
    try:
        pairs = heapq.nlargest(ITEMS, pairs, key=lambda pair: pair[1])
    except TypeError:  # counts that cannot be compared
        pairs = dict.items(value)
    return (_Entry(each, key=key, has_key=True) for key, each in pairs)


def _of_set(value: Any) -> Iterator[_Entry]:
    items = list(islice(frozenset.__iter__(value) if isinstance(value, frozenset) else set.__iter__(value), ITEMS))
    with contextlib.suppress(Exception):  # what has no order
        items.sort()
    return map(_Entry, items)


class _Shape(NamedTuple):
    """How containers of a type are read, by the type's own functions, and written. A subclass may do anything."""

    entries: Callable[[Any], Iterator[_Entry]]
    brackets: str
    named: bool = False


_SHAPES: Final[dict[type, _Shape]] = {
    list: _Shape(lambda value: map(_Entry, list.__iter__(value)), "[]"),
    tuple: _Shape(lambda value: map(_Entry, tuple.__iter__(value)), "()"),
    deque: _Shape(lambda value: map(_Entry, deque.__iter__(value)), "[]", named=True),
    set: _Shape(_of_set, "{}"),
    frozenset: _Shape(_of_set, "{}", named=True),
    Counter: _Shape(_of_counter, "{}", named=True),
    OrderedDict: _Shape(_of_ordered, "{}", named=True),
    defaultdict: _Shape(_of_dict, "{}", named=True),
    dict: _Shape(_of_dict, "{}"),
}


def written(value: object, limit: int) -> tuple[str, str]:
    """The text, of at most `limit` bytes as UTF-8, and sentences about what is not in it: `""` when all is.

    >>> written({"a": [1, {2, 3}]}, 100)
    ("{'a': [1, {2, 3}]}", '')
    >>> written(list(range(1000)), 10)
    ('[0, 1, 2, ', 'Shown: the first 10 characters of its 1,000 items.')
    """
    writing, broken = _Writing(limit), ""
    try:
        writing.value(value, 0)
    except _Full:
        pass
    except Exception as error:  # it changed meanwhile, for instance
        broken = f"It could not be read to its end: {type(error).__name__}."
    text = writing.text()
    return text, " ".join(filter(None, [*writing.left_out(value, len(text)), broken]))


class _Writing:
    def __init__(self, limit: int) -> None:
        self._limit, self._left = limit, limit
        self._taken: list[str] = []
        self._total = 0
        self._inside: set[int] = set()
        self._counted: Counter[str] = Counter()

    def text(self) -> str:
        return "".join(self._taken).encode("utf-8", "replace")[: self._limit].decode("utf-8", "ignore")

    def left_out(self, value: object, shown: int) -> Iterator[str]:
        """What was not written, in sentences."""
        items = _length(value)
        if self._left < 0:
            of = f" of {self._total:,}" if self._total else ""
            yield f"Shown: the first {shown:,}{of} characters{f' of its {items:,} items' if items > 1 else ''}."
        elif items > ITEMS:
            yield f"Shown: the first {ITEMS} of {items:,} items."
            self._counted["items"] -= 1
        for what, number in self._counted.items():
            if number > 0:
                one, several, how = _LEFT_OUT[what]
                yield f"{one if number == 1 else several.format(number)} {how}."

    def value(self, value: Any, depth: int) -> None:
        """One value and what is in it."""
        kind = type(value)
        if kind in (bytes, bytearray):
            self._bytes(value)
        elif issubclass(kind, str) and kind.__repr__ is str.__repr__:
            self._text(value, depth)
        elif kind is int and value.bit_length() > 3.3 * _DIGITS:
            self._counted["numbers"] += 1
            self._put(f"<int of about {int(value.bit_length() * 0.30103) + 1:,} digits>")
        elif (shape := _shape(kind)) is not None:
            self._container(value, shape, depth)
        else:
            self._other(value, depth)

    def _put(self, text: str, total: int = 0) -> None:
        self._taken.append(text)
        self._left -= len(text[: self._limit + 1].encode("utf-8", "replace"))
        if self._left < 0:
            self._total = total
            raise _Full

    def _container(self, value: Any, shape: _Shape, depth: int) -> None:
        kind, length = type(value), _length(value)
        start, end = shape.brackets[0], shape.brackets[1]
        if issubclass(kind, (set, frozenset)) and not length:
            return self._put(f"{kind.__name__}()")
        before, after = start, end
        if shape.named:
            before, after = f"{kind.__name__}({start.strip('(')}", f"{end.strip(')')})"
        if id(value) in self._inside:  # it holds itself
            return self._put(f"{before}...{after}")
        if depth >= DEEP and length:
            self._counted["levels"] += 1
            return self._put(f"{before}...{after}")
        self._inside.add(id(value))
        self._put(before)
        for number, entry in enumerate(islice(shape.entries(value), ITEMS)):
            self._put(", " if number else "")
            if entry.has_key:
                self.value(entry.key, depth + 1)
                self._put(": ")
            self._put(entry.label)
            self.value(entry.value, depth + 1)
        if length > ITEMS:
            self._counted["items"] += 1
            self._put(", …")
        self._put(f",{after}" if kind is tuple and length == 1 else after)
        self._inside.discard(id(value))

    def _text(self, value: str, depth: int) -> None:
        length, most = str.__len__(value), TEXT if depth else self._limit
        if length > most and depth:
            self._counted["texts"] += 1
        shown = str.__getitem__(value, slice(0, most))
        self._put(repr(shown) + ("…" if length > most else ""), 0 if depth else length)

    def _bytes(self, value: bytes | bytearray) -> None:
        if len(value) > _BYTES:
            self._counted["bytes"] += 1
        self._put(repr(bytes(value[:_BYTES])) + ("…" if len(value) > _BYTES else ""))

    def _other(self, value: object, depth: int) -> None:
        try:
            text = repr(value)
        except Exception as error:
            text = f"<{type(value).__name__} whose repr() failed: {type(error).__name__}>"
        if type(value).__module__.partition(".")[0] in _SHORTENING and ("..." in text or "…" in text):
            self._counted["tables"] += 1
        if depth and len(text) > TEXT:
            self._counted["texts"] += 1
            text = text[:TEXT] + "…"
        self._put(text, 0 if depth else len(text))


def _shape(kind: type) -> _Shape | None:
    """How it is written; None for what has a `repr()` of its own, which says what is to be seen."""
    own: Any = kind.__repr__
    for base, shape in _SHAPES.items():
        if own is base.__repr__:
            return shape._replace(named=True) if base is set and kind is not set else shape
    if issubclass(kind, tuple) and getattr(own, "__module__", "") == "collections":
        return _Shape(_of_named, "()", named=True)
    # What `@dataclass` wrote, and no `__repr__` by the class's own hand, is wrapped.
    if dataclasses.is_dataclass(kind) and hasattr(own, "__wrapped__"):
        return _Shape(_of_record, "()", named=True)
    return None


def _of_named(value: Any) -> Iterator[_Entry]:
    return (_Entry(each, f"{label}=") for label, each in zip(value._fields, tuple.__iter__(value), strict=False))


def _of_record(value: Any) -> Iterator[_Entry]:
    return (_Entry(getattr(value, each.name), f"{each.name}=") for each in dataclasses.fields(value) if each.repr)


def _length(value: object) -> int:
    """Of a container the number of its items, by the type's own count; 0 of all else."""
    bases: tuple[Any, ...] = (list, tuple, set, frozenset, dict, deque)
    return next((int(base.__len__(value)) for base in bases if issubclass(type(value), base)), 0)
