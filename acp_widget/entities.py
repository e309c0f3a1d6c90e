"""What the results are made of: entities of the session's state, and lists of results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar, overload

from . import errors, shown
from .export.entries import Entry, Line
from .frames import Columns, frame
from .frozen import Frozen, own_copy

E = TypeVar("E", bound="Result")
S = TypeVar("S", bound="Entity")

_LONG_WORD = 100  # characters of a path or a status that are shown
_LISTED = 100  # results that are listed
_DRAWN = 200  # results that are drawn


class Place(Protocol):
    """Where an entity stands: its key, which a restart may change."""

    @property
    def key(self) -> str: ...


class Reader(Protocol):
    """Where the objects read from: frozen copies of single entities."""

    def get(self, group: str, key: str) -> Mapping[str, Any] | None: ...

    def keys(self, group: str, turn: str | None = None) -> list[str]: ...

    def place(self, group: str, key: str) -> Place: ...

    def left_behind(self, group: str, key: str) -> bool: ...

    def part(self, name: str) -> Any: ...

    def snapshot(self) -> dict[str, Any]: ...


class ReadOnly:
    """Takes no attribute but its own, which begin with `_`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(_read_only(self, name, "set"))
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if not name.startswith("_"):
            raise AttributeError(_read_only(self, name, "deleted"))
        super().__delattr__(name)


def _read_only(result: object, name: str, done: str) -> str:
    return f"{type(result).__name__} is read-only: {name!r} cannot be {done}. Keep what is yours in a variable."


class Result(ReadOnly):
    """What every result can do: show itself, and be data. It is read-only."""

    _columns: ClassVar[Columns] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `json.dumps`, made for you: what you change in it changes nothing here."""
        raise NotImplementedError

    @property
    def _name(self) -> str | None:
        """By which it is found in a list."""
        return None

    def _drawn(self) -> Sequence[Entry]:
        raise NotImplementedError

    def _row(self) -> Mapping[str, Any]:
        """One row of a table, with a value a column."""
        return {name: getattr(self, name) for name, _ in self._columns}

    def _repr_html_(self) -> str:
        return shown.as_html(self._drawn())

    def _repr_markdown_(self) -> str:
        return shown.as_markdown(self._drawn())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        drawn = self._drawn()
        return {
            "text/plain": repr(self),
            "text/html": shown.as_html(drawn),
            "text/markdown": shown.as_markdown(drawn),
        }


class Entity(Result):
    """One thing of the session's state, read anew at every access; the same one also when its id is used again.

    It equals every other object of the same thing. A pickled one is a snapshot, which equals what has the same content.
    """

    _group = ""

    def __init__(self, reader: Reader, key: str) -> None:
        self._reader = reader
        self._place = reader.place(self._group, key)

    def __init_subclass__(cls) -> None:
        # What a replay has gone back from is drawn as that, and not as what nothing is known of.
        for name, otherwise in (("__repr__", _absent), ("_drawn", _absent_drawn)):
            if name in vars(cls):
                setattr(cls, name, _or_absent(vars(cls)[name], otherwise))

    @property
    def _key(self) -> str:
        return self._place.key

    @property
    def _data(self) -> Mapping[str, Any]:
        """The entity as the state holds it, shared with everybody: to read, never to give away."""
        found = self._reader.get(self._group, self._key)
        if found is None and self._is_to_come:
            raise errors.AcpError(
                f"This {type(self).__name__} is not there at the position where the replay is.",
                hint="agent.player.seek(…) goes to another one.",
            )
        return found or {}

    @property
    def _is_to_come(self) -> bool:
        """Whether it was seen in a replay that has gone back since."""
        return bool(self._reader.part("player")) and self._reader.get(self._group, self._key) is None

    @property
    def raw(self) -> dict[str, Any]:
        """The entity as the state holds it: ACP's wire names, unknown fields kept. A copy at each access."""
        copy: dict[str, Any] = own_copy(self._data)
        return copy

    @property
    def id(self) -> str:
        """The id the agent gave it. After a restart that uses it again, the old one's is `…@1`."""
        return self._key.partition(":")[2]

    @property
    def turn_number(self) -> int | None:
        """The number of the turn in which it was first seen, from 1; None before the first turn."""
        turn = self._data.get("turn")
        return int(turn.partition(":")[2]) if isinstance(turn, str) else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `json.dumps`: what `raw` has, under ACP's names, with unknown fields beside the known ones.

        `turn` is the turn's number. `at` has times in seconds since the epoch. Bytes are base64.
        """
        data = self.raw
        more = data.pop("more", None) or {}
        return {**more, **data, "turn": self.turn_number}

    @property
    def _name(self) -> str | None:
        return self.id

    def _drawn(self) -> Sequence[Entry]:
        if self._is_to_come:
            return _absent_drawn(self)
        return shown.entity(self._reader, self._group, self._key)

    def _time(self, name: str) -> float | None:
        """`first`, `start` or `end`, in seconds since the epoch."""
        value = (self._data.get("at") or {}).get(name)
        return float(value) if isinstance(value, (int, float)) else None

    def _seconds(self) -> float | None:
        start, end = self._time("start") or self._time("first"), self._time("end")
        return None if start is None or end is None else end - start

    @property
    def _is_snapshot(self) -> bool:
        return isinstance(self._reader, Frozen)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        if other._place is self._place:
            return True
        return (self._is_snapshot or other._is_snapshot) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        # What a restart adds to the key, and whether it is a snapshot, changes nothing.
        return hash((type(self), self._key.partition("@")[0]))

    def __copy__(self: S) -> S:
        """The same thing again, as live as this one."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        reader = self._reader if isinstance(self._reader, Frozen) else self._freeze()
        return _thawed, (type(self), reader, self._key)

    def _freeze(self) -> Frozen:
        """A snapshot with all that this one shows."""
        return frozen_of(self._reader, {self._group: [self._key]})

    @classmethod
    def _of_snapshot(cls: type[S], reader: Frozen, key: str) -> S:
        return cls(reader, key)


def _or_absent(method: Callable[[Any], Any], otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(method)
    def there(self: Entity) -> Any:
        return otherwise(self) if self._is_to_come else method(self)

    return there


def _absent(entity: Entity) -> str:
    return f"<{type(entity).__name__} {quoted(entity.id.partition('@+')[0])}: not there at this position of the replay>"


def _absent_drawn(entity: Entity) -> list[Entry]:
    return [Line(_absent(entity))]


def _thawed(cls: type[S], reader: Frozen, key: str) -> S:
    return cls._of_snapshot(reader, key)


def frozen_of(reader: Reader, keys: Mapping[str, Iterable[str]]) -> Frozen:
    """A snapshot of these entities and of their turns."""
    groups: dict[str, dict[str, Any]] = {}
    for group, names in keys.items():
        found = {name: reader.get(group, name) for name in names}
        groups[group] = {name: own_copy(entity) for name, entity in found.items() if entity is not None}
    named = {entity.get("turn") for entities in groups.values() for entity in entities.values()}
    turns = {name: own_copy(reader.get("turns", name)) for name in sorted(each for each in named if each)}
    groups["turns"] = {**{name: turn for name, turn in turns.items() if turn}, **groups.get("turns", {})}
    return Frozen(groups, {name: own_copy(reader.part(name)) for name in ("session", "state")})


class Entities(ReadOnly, Sequence[E], Generic[E]):
    """A list of results that is also indexed by the agent's ids: `calls[0]`, `calls["call_2"]`.

    `where(…)` picks some of them, `to_frame()` is a pandas DataFrame, `to_dict()` a list of plain data.
    """

    def __init__(self, items: Iterable[E], of: type[E]) -> None:
        self._items = list(items)
        self._of = of

    @overload
    def __getitem__(self, index: int | str) -> E: ...

    @overload
    def __getitem__(self, index: slice) -> Entities[E]: ...

    def __getitem__(self, index: int | str | slice) -> E | Entities[E]:
        if isinstance(index, slice):
            return Entities(self._items[index], self._of)
        if isinstance(index, str):
            for item in self._items:
                if item._name == index:
                    return item
            names = [quoted(item._name) for item in self._items[:_LISTED] if item._name is not None]
            known = (", ".join(names) or "none yet") + (", …" if len(self._items) > _LISTED else "")
            raise KeyError(f"No {quoted(index)} here. Known ids: {known}.")
        try:
            return self._items[index]
        except IndexError:
            count = f"{len(self._items)} of them" if self._items else "none of them"
            raise IndexError(f"There is no number {index} here: the agent has made {count} so far.") from None

    def where(self, **wanted: Any) -> Entities[E]:
        """Those whose attributes are these; a list, tuple or set means any of them: `where(kind=["edit", "delete"])`.

        Read now: what changes later does not move in or out. Raises `TypeError` for a name that they do not have.

        >>> from acp_widget import Agent
        >>> with Agent("demo", permissions="allow") as agent:
        ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.")
        >>> [call.kind for call in turn.tool_calls.where(kind=["edit", "read"], status="completed")]
        ['read', 'edit']
        """
        for name in wanted:
            if name.startswith("_") or not _has(self._of, name):
                raise TypeError(f"where(): {self._of.__name__} has no attribute {name!r} to look at.")
        return Entities([item for item in self._items if _is(item, wanted)], self._of)

    def to_dict(self) -> list[dict[str, Any]]:
        """The results as plain data, each as its own `to_dict()` has it."""
        return [item.to_dict() for item in self._items]

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row each; the columns and their types are the same for any number of them.

        Raises `ImportError` where pandas is not installed. The columns stand in docs/results.md.
        """
        return frame((item._row() for item in self._items), self._of._columns)

    def __contains__(self, value: object) -> bool:
        return value in self._items or any(item._name is not None and item._name == value for item in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[E]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return list(self) == (list(other) if isinstance(other, Entities) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [repr(item) for item in self._items[:_LISTED]]
        if len(self._items) > _LISTED:
            shown.append(f"… {len(self._items) - _LISTED:,} more")
        return "[" + ",\n ".join(shown) + "]"

    def _drawn(self) -> list[Entry]:
        drawn = [entry for item in self._items[:_DRAWN] for entry in item._drawn()]
        more = len(self._items) - _DRAWN
        return [*drawn, Line(f"{more:,} more are not shown")] if more > 0 else drawn

    _repr_html_ = Result._repr_html_
    _repr_markdown_ = Result._repr_markdown_
    _repr_mimebundle_ = Result._repr_mimebundle_


def _has(kind: type, name: str) -> bool:
    """Whether things of this kind have such an attribute, that is no method."""
    missing = object()
    given = getattr(kind, name, missing)
    return name in getattr(kind, "__dataclass_fields__", ()) or (given is not missing and not callable(given))


def _is(item: object, wanted: Mapping[str, Any]) -> bool:
    values = ((getattr(item, name), value) for name, value in wanted.items())
    return all(
        is_ in value if isinstance(value, (list, tuple, set, frozenset)) else is_ == value for is_, value in values
    )


def text_of(blocks: Sequence[Mapping[str, Any]]) -> str:
    """The text blocks among content blocks, joined."""
    return "".join(block["text"] for block in blocks if block.get("type") == "text")


def quoted(text: str, limit: int = 60) -> str:
    """The beginning of a text as one line that any terminal can show: in quotes, unseen characters as escapes."""
    line = " ".join(text[: 4 * limit].split())
    cut = len(line) > limit or len(text) > 4 * limit
    return repr(line[: limit - 1] + "…" if cut else line)


def word(text: str) -> str:
    """A word of the agent's (a status, a path) in one line: quoted only where it would not be safe to show."""
    return text if text.isprintable() and len(text) <= _LONG_WORD else quoted(text, _LONG_WORD)
