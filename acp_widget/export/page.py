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
:root {
  color-scheme: light dark;
  --ground: #fff; --ink: #1f2328; --dim: #5b636c; --line: #dde1e6; --card: #f6f7f9; --soft: #eceef1;
  --you: #e9f0fc; --ok: #1a7f37; --bad: #cf222e; --add: #e6ffec; --del: #ffebe9; --add-ink: #0f5725; --del-ink: #950c22;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111418; --ink: #e3e6ea; --dim: #9aa2ac; --line: #2e343d; --card: #181c21; --soft: #232830;
    --you: #1b2940; --ok: #4cc26b; --bad: #ff7b72; --add: #12301c; --del: #3a1618;
    --add-ink: #9be6aa; --del-ink: #ffb1ab;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere }
body { font: 14px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
main { max-width: 820px; margin: 0 auto; padding: 40px 20px 56px }
header { padding-bottom: 16px; border-bottom: 1px solid var(--line) }
header h1 { font-size: 22px; line-height: 1.25; letter-spacing: -0.01em; margin: 0 0 6px }
header div, footer, .quiet, .state { color: var(--dim) }
header div, footer { font-size: 13px }
h2 { font-size: 12px; font-weight: 600; letter-spacing: .02em; color: var(--dim); margin: 32px 0 12px }
section > * { margin: 0 0 12px }
section > h2 { margin: 32px 0 12px }
pre, code { font: 12.5px/1.5 var(--mono) }
code { background: var(--soft); border-radius: 4px; padding: 1px 4px }
pre { margin: 6px 0; padding: 8px 12px; border-radius: 6px; white-space: pre-wrap; max-width: 100% }
pre.text { background: var(--card); border: 1px solid var(--line) }
pre.screen { background: #16191d; color: #e3e6ea }
pre.screen .quiet { color: inherit; opacity: .75 } /* its ground is dark on light pages, too */
.you { width: fit-content; max-width: 85%; margin-left: auto; padding: 8px 14px; background: var(--you) }
.you { border-radius: 14px 14px 3px 14px }
.words, .line { white-space: pre-wrap }
.paragraph { margin: 0 0 8px; white-space: pre-wrap }
.paragraph:last-child { margin-bottom: 0 }
.heading { margin: 16px 0 6px; font-size: 15px }
li .paragraph { margin-bottom: 2px }
.line { font-size: 13px; color: var(--dim) }
.line b { font-weight: 600 }
.line.bad, .line.bad b { color: var(--bad) }
pre.text + .call { margin-top: 12px }
.call { border: 1px solid var(--line); border-radius: 8px; padding: 0 12px 10px; overflow: hidden }
.call.bad { border-color: var(--bad) }
.call.bad > .head .state { color: var(--bad) }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 8px; margin: 0 -12px 8px; padding: 7px 12px }
.head { background: var(--card); border-bottom: 1px solid var(--line) }
.head:last-child { margin-bottom: -10px; border-bottom: 0 }
.head b { font-weight: 600 }
.head code { background: none; padding: 0; color: var(--dim) }
.state { margin-left: auto; font-size: 12.5px }
.asked { margin: 10px -12px -10px; padding: 7px 12px; border-top: 1px solid var(--line); font-size: 13px }
.asked b { font-weight: 600 }
section > .asked { margin: 0 0 12px; border: 1px solid var(--line); border-radius: 8px }
.asked + .asked { margin-top: 10px }
.add { background: var(--add); color: var(--add-ink) }
.del { background: var(--del); color: var(--del-ink) }
.add, .del { display: inline-block; width: 100% }
.picture { max-width: 100%; max-height: 520px; border-radius: 6px }
section > pre { margin: 0 0 12px }
table { display: block; max-width: 100%; overflow-x: auto }
th { text-align: start; background: var(--card) }
summary { cursor: pointer; color: var(--dim); font-size: 13px }
section > .quiet:has(+ pre) { margin-bottom: 4px; font-size: 13px }
details.quiet > .paragraph { border-left: 2px solid var(--line); padding-left: 12px; margin: 6px 0 }
footer { margin-top: 40px; border-top: 1px solid var(--line); padding-top: 12px }
@media (max-width: 500px) {
  main { padding: 20px 12px 32px }
  .you { max-width: 100% }
  .state { margin-left: 0 }
}
@media print {
  main { max-width: none; padding: 0 }
  h2, .head { break-after: avoid }
  pre, .you, .add, .del { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  details::details-content { content-visibility: visible; display: block } /* paper cannot be unfolded */
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
        f"<body><main><header><h1>{_text(title)}</h1>{lines}</header>{html.dressed(''.join(sections))}"
        f"<footer>{_text(foot)}</footer></main></body></html>\n"
    )


def _heading(snapshot: Mapping[str, Any]) -> tuple[str, list[str]]:
    session = as_map(snapshot.get("session"))
    agent = as_map(session.get("agent"))
    name = as_title(agent.get("title") or agent.get("name") or session.get("label") or "agent")
    title = as_title(as_map(snapshot.get("sessionInfo")).get("title")) or f"A session with {name}"
    version = as_title(agent.get("version"))
    who = f"{name} {version}".strip() if version else name
    where = "a temporary folder" if session.get("temporary") is True else _home_as_tilde(as_word(session.get("cwd")))
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
