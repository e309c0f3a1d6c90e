"""How results are shown where nothing is live: HTML and markdown made of the pieces of the static transcript.

No script, no link, no picture but raster images in the text itself, and no word of an agent is anything but text. What
is too long is cut, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from .export import html, markdown
from .export.bounds import bounded
from .export.entries import Call, Decision, Diff, Entry, Line, Literal, Said, Screen
from .export.reading import Reader
from .export.words import cut_end

_PICTURES = 60_000

LIMIT = 100_000
"""Characters of one result as it is shown, about."""


class Source(Protocol):
    """Where entities are read from."""

    def get(self, group: str, key: str) -> Mapping[str, Any] | None: ...

    def keys(self, group: str, turn: str | None = None) -> list[str]: ...

    def part(self, name: str) -> Any: ...


def as_html(entries: Sequence[Entry]) -> str:
    """The entries as one piece of HTML with its styles inside."""
    return html.result(_bounded(entries, html.draw, html.note))


def as_markdown(entries: Sequence[Entry]) -> str:
    """The entries as markdown."""
    return "".join(_bounded(entries, markdown.draw, markdown.note)).rstrip() + "\n"


def _bounded(entries: Sequence[Entry], draw: Callable[[Entry], str], note: Callable[[str], str]) -> list[str]:
    what = "what is shown here"
    return bounded(entries, lambda entry: draw(_fitting(entry)), note, limit=LIMIT, what=what, empty="None yet.")


def entity(source: Source, group: str, key: str) -> list[Entry]:
    """What one entity of the state shows."""
    found = source.get(group, key)
    if found is None:
        return []
    turn = found.get("turn")
    snapshot = {
        **{part: source.part(part) for part in ("session", "state")},
        "turns": {turn: source.get("turns", turn)} if isinstance(turn, str) else {},
        "terminals": _terminals(source, found),
        "permissions": {each: source.get("permissions", each) for each in source.keys("permissions")},
        "timeline": [],
    }
    snapshot[group] = {**snapshot.get(group, {}), key: found}
    return Reader(snapshot, colours=True, pictures=_PICTURES).of(group, key)


def diff(item: Mapping[str, Any], cwd: str | None = None) -> list[Entry]:
    """What one diff item shows; paths relative to `cwd`, where they stand in it."""
    return [Reader({"session": {"cwd": cwd}}).item(item)]


def change(told: Mapping[str, Any]) -> list[Entry]:
    """What one change of a diff shows, without the lines of the patch."""
    drawn = Reader({"session": {"cwd": None}}).item({"type": "diff", "changes": [told]})
    return [replace(drawn, patch="") if isinstance(drawn, Diff) else drawn]


def _terminals(source: Source, found: Mapping[str, Any]) -> dict[str, Any]:
    named = [item.get("terminalId") for item in found.get("content", ()) if isinstance(item, Mapping)]
    keys = [f"x:{name}" for name in named if isinstance(name, str)]
    return {key: terminal for key in keys if (terminal := source.get("terminals", key)) is not None}


_LONG = {Said: "text", Literal: "text", Diff: "patch", Screen: "text", Decision: "subject"}
"""What can be long in an entry."""


def _fitting(entry: Entry) -> Entry:
    """The entry, or as much of it as there is room for."""
    if isinstance(entry, Call):
        return _fitting_call(entry)
    name = _LONG.get(type(entry))
    if name is None or len(html.draw(entry)) <= LIMIT:
        return entry
    text = getattr(entry, name) or ""
    length = len(text)
    while length > 100 and len(html.draw(entry)) > LIMIT:
        changes: dict[str, Any] = {name: cut_end(text, length)}
        if isinstance(entry, Screen):
            changes["lines"] = ()  # they are the text again
        entry = _with(entry, changes)
        length //= 2
    return entry


def _with(entry: Entry, changes: dict[str, Any]) -> Entry:
    return replace(entry, **changes)


def _fitting_call(call: Call) -> Call:
    """A call with more in it than is shown at all keeps what stands first and last in it."""
    parts, left_out = [_fitting(part) for part in call.parts], 0
    lengths = [len(html.draw(part)) for part in parts]
    while len(parts) > 1 and sum(lengths) > LIMIT * 3 // 4:
        del parts[len(parts) // 2], lengths[len(lengths) // 2]
        left_out += 1
    if left_out:
        words = "1 item is" if left_out == 1 else f"{left_out} items are"
        parts.insert((len(parts) + 1) // 2, Line(f"{words} not shown: this would be too long"))
    return replace(call, parts=tuple(parts))
