"""What the results are made of: entities of the session's state, lists of them, and the small parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, overload

E = TypeVar("E", bound="Entity")

_LONG_WORD = 100  # characters of a path or a status that are shown
_LISTED = 100  # entities that are listed


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


class Entity:
    """One thing of the session's state, read anew at every access; the same one also when its id is used again."""

    _group = ""

    def __init__(self, reader: Reader, key: str) -> None:
        self._reader = reader
        self._place = reader.place(self._group, key)

    @property
    def _key(self) -> str:
        return self._place.key

    @property
    def raw(self) -> Mapping[str, Any]:
        """The entity as the state holds it: ACP's wire names, unknown fields kept. Do not change it."""
        return self._reader.get(self._group, self._key) or {}

    @property
    def id(self) -> str:
        """The id the agent gave it. After a restart that uses it again, the old one's is `…@1`."""
        return self._key.partition(":")[2]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._place is self._place

    def __hash__(self) -> int:
        return hash((type(self), id(self._place)))


class Entities(Sequence[E], Generic[E]):
    """A list of entities that is also indexed by the agent's ids: `calls[0]`, `calls["call_2"]`."""

    def __init__(self, items: Sequence[E]) -> None:
        self._items = list(items)

    @overload
    def __getitem__(self, index: int | str) -> E: ...

    @overload
    def __getitem__(self, index: slice) -> Entities[E]: ...

    def __getitem__(self, index: int | str | slice) -> E | Entities[E]:
        if isinstance(index, slice):
            return Entities(self._items[index])
        if isinstance(index, str):
            for item in self._items:
                if item.id == index:
                    return item
            known = ", ".join(quoted(item.id) for item in self._items[:_LISTED]) or "none yet"
            known += ", …" if len(self._items) > _LISTED else ""
            raise KeyError(f"No {quoted(index)} here. Known ids: {known}.")
        try:
            return self._items[index]
        except IndexError:
            count = f"{len(self._items)} of them" if self._items else "none of them"
            raise IndexError(f"There is no number {index} here: the agent has made {count} so far.") from None

    def __contains__(self, value: object) -> bool:
        return value in self._items or any(item.id == value for item in self._items)

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


class Message(Entity):
    """A message or a thought (ACP v2, Prompt Turn): `role` is `"user"`, `"agent"` or `"thought"`."""

    _group = "messages"

    @property
    def role(self) -> str:
        return str(self.raw.get("role", ""))

    @property
    def content(self) -> list[Mapping[str, Any]]:
        """Its content blocks, verbatim."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return text_of(self.content)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Message {self.role}: {quoted(self.text)}>"


@dataclass(frozen=True)
class Change:
    """One file operation of a diff: `operation` is `add delete modify move copy`, or what the agent sent.

    `path` is the path afterwards, `old_path` the one before a move or copy. Paths are as the agent sent them.
    """

    operation: str
    path: str | None
    old_path: str | None = None
    file_type: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class Diff:
    """A diff item of a tool call (ACP v2, Tool Calls, Diffs). `changes` is authoritative; `patch` is text or None."""

    def __init__(self, item: Mapping[str, Any]) -> None:
        self.raw = item

    @property
    def changes(self) -> list[Change]:
        return [
            Change(
                operation=change["operation"],
                path=change.get("path"),
                old_path=change.get("oldPath"),
                file_type=change.get("fileType"),
                mime_type=change.get("mimeType"),
                raw=change,
            )
            for change in self.raw["changes"]
        ]

    @property
    def paths(self) -> list[str]:
        """The paths it changes, in order."""
        return [change.path for change in self.changes if change.path is not None]

    @property
    def patch(self) -> str | None:
        """The patch text, in the format `patch_format` names; None when the agent sent none."""
        patch = self.raw.get("patch")
        return None if patch is None else str(patch["text"])

    @property
    def patch_format(self) -> str | None:
        patch = self.raw.get("patch")
        return None if patch is None else str(patch["format"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diff) and other.raw == self.raw

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.patch or "\n".join(f"{change.operation} {change.path}" for change in self.changes)

    def __repr__(self) -> str:
        changes = self.changes
        what = ", ".join(f"{word(change.operation)} {word(str(change.path))}" for change in changes[:3])
        more = f" and {len(changes) - 3:,} more" if len(changes) > 3 else ""
        return f"<Diff {what or 'no changes'}{more}{'' if self.patch else ', no patch'}>"


@dataclass(frozen=True)
class PlanEntry:
    """One step of a plan: `status` is `pending in_progress completed cancelled`, `priority` `high medium low`."""

    content: str
    status: str
    priority: str


class Plan(Entity):
    """A plan of the agent (ACP v2, Agent Plan)."""

    _group = "plans"

    @property
    def type(self) -> str:
        return str(self.raw.get("plan", {}).get("type", ""))

    @property
    def entries(self) -> list[PlanEntry]:
        """Its steps; empty for a plan that is no list."""
        entries = self.raw.get("plan", {}).get("entries", ())
        return [
            PlanEntry(str(entry["content"]), str(entry.get("status", "")), str(entry.get("priority", "")))
            for entry in entries
        ]

    def __repr__(self) -> str:
        done = sum(entry.status == "completed" for entry in self.entries)
        return f"<Plan {quoted(self.id)}: {done} of {len(self.entries)} done>"
