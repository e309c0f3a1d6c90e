"""A transcript that needs neither script nor kernel: of one turn or of a whole session, as HTML and as markdown.

Everything is read from a snapshot of the session's state. No word of the agent becomes HTML, a link or a formula, and
pictures are raster images in the text itself. Long things are cut, and the transcript says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import html, markdown
from .bounds import bounded
from .entries import Entry
from .reading import Reader

LIMIT = 300_000
"""Characters of one transcript, about."""

PICTURES = 150_000
"""Characters of base64 of all its pictures together."""

_EMPTY = "Nothing yet."


def turn_html(snapshot: Mapping[str, Any], turn_key: str, uid: str) -> str:
    """One turn as HTML; its root element has the classes `acp-transcript` and `acp-transcript-<uid>`."""
    pieces = html.draw_all(Reader(snapshot, colours=True, pictures=PICTURES).entries(turn_key))
    return html.root(_bounded(pieces, html.note), uid)


def turn_entries(snapshot: Mapping[str, Any], turn_key: str) -> list[Entry]:
    """The entries of one turn, terminals in their colours."""
    return Reader(snapshot, colours=True, pictures=PICTURES).entries(turn_key)


def turn_markdown(snapshot: Mapping[str, Any], turn_key: str) -> str:
    """One turn as markdown."""
    return "".join(_bounded(markdown.draw_all(Reader(snapshot).entries(turn_key)), markdown.note)).rstrip() + "\n"


def session_html(snapshot: Mapping[str, Any], uid: str) -> str:
    """All turns as HTML, in one root element."""
    pieces = _all_turns(snapshot, html.draw_all, html.separator())
    return html.root(_bounded(pieces, html.note, _empty(snapshot)), uid)


def session_markdown(snapshot: Mapping[str, Any]) -> str:
    """All turns as markdown."""
    pieces = _all_turns(snapshot, markdown.draw_all, markdown.separator())
    return "".join(_bounded(pieces, markdown.note, _empty(snapshot))).rstrip() + "\n"


def _all_turns(snapshot: Mapping[str, Any], draw: Callable[[list[Entry]], list[str]], between: str) -> list[str]:
    reader = Reader(snapshot)
    pieces: list[str] = []
    for key in [None, *reader.turn_keys()]:
        drawn = draw(reader.entries(key))
        pieces += [between, *drawn] if pieces and drawn else drawn
    return pieces


def _empty(snapshot: Mapping[str, Any]) -> str:
    return "A recording that was not played yet." if snapshot.get("player") else _EMPTY


def _bounded(pieces: list[str], note: Callable[[str], str], empty: str = _EMPTY) -> list[str]:
    return bounded(pieces, str, note, limit=LIMIT, what="this transcript", empty=empty)
