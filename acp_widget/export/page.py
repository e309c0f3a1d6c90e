"""A whole session as one HTML file: no script, nothing fetched, light and dark, fit for paper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from . import html
from .bounds import bounded
from .entries import Entry
from .reading import Reader
from .visible import literal
from .words import Json, as_list, as_map, as_title, as_word, day_and_clock

LIMIT: Final = 4_000_000
"""Characters of all its turns together, about."""
TURN: Final = 1_000_000
"""The same of one turn."""
PICTURES: Final = 800_000
"""The same of its pictures, in base64."""

_YEAR: Final = 31_536_000  # seconds

# Even if a word of an agent became HTML, it could load and run nothing.
_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_STYLE: Final = """
:root { color-scheme: light dark; --line: rgba(128,128,128,.3) }
:root { --dim: #5f6368; --ground: #fff; --card: #f7f8fa; --ink: #1f2328 }
@media (prefers-color-scheme: dark) {
  :root { --dim: #a0a6ad; --ground: #16181c; --card: #1e2126; --ink: #e3e6ea }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink) }
body { font: 14px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 860px; margin: 0 auto; padding: 24px 20px 48px }
header { border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
header { padding: 12px 16px; margin-bottom: 20px }
header h1 { font-size: 17px; line-height: 1.3; margin: 0 0 4px }
header div, footer, h2 { color: var(--dim); font-size: 12.5px }
header b { color: var(--ink); font-weight: 600 }
h2 { font-weight: 600; margin: 28px 0 10px; padding-bottom: 4px; border-bottom: 1px solid var(--line) }
section > div, section > details { margin-bottom: 8px }
pre, code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { border-radius: 5px; max-width: 100%; overflow-x: auto }
summary { cursor: pointer }
img { border-radius: 5px }
footer { margin-top: 32px; border-top: 1px solid var(--line); padding-top: 8px }
@media (max-width: 500px) { main { padding: 12px 10px 32px } }
@media print {
  main { max-width: none; padding: 0 }
  header { break-inside: avoid }
}
"""


def session_page(snapshot: Mapping[str, Any], *, written: float) -> str:
    """The session as a page. `written`: seconds since the epoch, told at its end.

    >>> page = session_page({"session": {"label": "demo"}}, written=0.0)
    >>> page.startswith("<!doctype html>"), "Nothing yet." in page
    (True, True)
    """
    title, about = _heading(snapshot)
    reader = Reader(snapshot, colours=True, pictures=PICTURES)
    sections = list(_sections(snapshot, reader))
    drawn = bounded(sections, str, html.note, limit=LIMIT, what="this page", empty="Nothing yet.", of="turn")
    return page(title, about, drawn, f"Written by acp-widget on {day_and_clock(written)}.")


def page(title: str, about: list[str], sections: list[str], foot: str) -> str:
    """A page of pieces of HTML that are ours; title, lines and foot are texts."""
    lines = "".join(f"<div>{_text(line)}</div>" for line in about)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="referrer" content="no-referrer"><title>{_text(title)}</title><style>{_STYLE}</style></head>'
        f"<body><main><header><h1>{_text(title)}</h1>{lines}</header>{''.join(sections)}"
        f"<footer>{_text(foot)}</footer></main></body></html>\n"
    )


def _heading(snapshot: Mapping[str, Any]) -> tuple[str, list[str]]:
    session = as_map(snapshot.get("session"))
    agent = as_map(session.get("agent"))
    name = as_title(agent.get("title") or agent.get("name") or session.get("label") or "agent")
    title = as_title(as_map(snapshot.get("sessionInfo")).get("title")) or f"A session with {name}"
    version = as_title(agent.get("version"))
    who = f"{name} {version}".strip() if version else name
    where = _home_as_tilde(as_word(session.get("cwd")))
    began = as_map(session.get("at")).get("ready") or as_map(session.get("at")).get("start")
    parts = [who, f"in {where}" if where else "", _when(began)]
    return title, [" · ".join(part for part in parts if part), *filter(None, [_spent(snapshot)])]


def _spent(snapshot: Mapping[str, Any]) -> str:
    turns = as_map(snapshot.get("turns"))
    cost = as_map(as_map(snapshot.get("usage")).get("cost"))
    amount, currency = cost.get("amount"), as_title(cost.get("currency"))
    counted = [f"{len(turns)} turn{'' if len(turns) == 1 else 's'}"] if turns else []
    calls = len(as_map(snapshot.get("toolCalls")))
    counted += [f"{calls} tool call{'' if calls == 1 else 's'}"] if calls else []
    asked = len(as_map(snapshot.get("permissions")))
    counted += [f"{asked} question{'' if asked == 1 else 's'}"] if asked else []
    counted += [f"{amount:g} {currency}".strip()] if isinstance(amount, (int, float)) else []
    return " · ".join(counted)


def _sections(snapshot: Mapping[str, Any], reader: Reader) -> Iterator[str]:
    turns = as_map(snapshot.get("turns"))
    before = reader.entries(None)
    if before:
        yield f"<section>{_drawn(before)}</section>"
    for number, key in enumerate(reader.turn_keys(), 1):
        at = as_map(as_map(turns.get(key)).get("at"))
        sent = at.get("sent") or at.get("queued") or at.get("end")
        when = _when(sent)
        yield f"<section><h2>Turn {number}{' · ' + when if when else ''}</h2>{_drawn(reader.entries(key))}</section>"
    ends = list(_end(snapshot))
    if ends:
        yield f"<section><h2>The end</h2>{''.join(ends)}</section>"


def _drawn(entries: list[Entry]) -> str:
    return "".join(bounded(entries, html.draw, html.note, limit=TURN, what="this turn", empty="Nothing yet."))


def _end(snapshot: Mapping[str, Any]) -> Iterator[str]:
    session = as_map(snapshot.get("session"))
    error = as_map(session.get("error"))
    if session.get("connection") == "failed" and error:
        yield html.note(" ".join(filter(None, [as_word(error.get("message")), as_word(error.get("hint"))])))
    if snapshot.get("cutNote"):
        yield html.note(as_word(snapshot.get("cutNote")))
    problems: list[Json] = [as_map(each) for each in as_list(snapshot.get("diagnostics"))]
    if problems:
        told = "".join(html.note(as_title(each.get("message"))) for each in problems[-50:])
        yield f"<details><summary>{len(problems)} odd things noticed</summary>{told}</details>"


def _when(at: Any) -> str:
    """The day and time; nothing where a recording only counts its own seconds."""
    return day_and_clock(at) if isinstance(at, (int, float)) and at > _YEAR else ""


def _home_as_tilde(path: str) -> str:
    home = str(Path.home())
    inside = home != "/" and (path == home or path.startswith(home.rstrip("/\\") + os.sep))
    return "~" + path[len(home) :] if inside else path


def _text(text: str) -> str:
    return escape(literal(text, one_line=True), quote=True)
