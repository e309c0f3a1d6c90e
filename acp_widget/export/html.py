"""Entries → HTML without script, style element or link. Every word of an agent is escaped text.

Colours are `currentColor` and transparent tints, so that light and dark pages both read well. Only tags, attributes and
properties are used that JupyterLab's sanitiser keeps.
"""

from __future__ import annotations

import re
from functools import singledispatch
from html import escape

from ..session.sgr import GROUND, INK
from .entries import Call, Decision, Diff, Entry, Line, Literal, Picture, Said, Screen
from .patches import marked_lines
from .prose import HEADING, prose
from .prose import PARAGRAPH as _PARAGRAPH
from .visible import literal, running
from .words import duration

FOLDED = 12
"""Lines of a tool's output that are shown unfolded."""

_BOX = "border:1px solid rgba(128,128,128,0.35);border-radius:4px;padding:4px 8px;margin:4px 0"
_QUIET = "opacity:0.75"
_BAD = "border-left:3px solid rgba(220,60,50,0.9);padding-left:6px"
_PRE = "margin:4px 0;padding:4px 8px;white-space:pre-wrap;background-color:rgba(128,128,128,0.12);font-family:monospace"
_USER = "background-color:rgba(66,133,244,0.14);border-left:0;border-radius:6px;padding:4px 8px;margin:4px 0"
_WORDS = "white-space:pre-wrap"
_HEAD = "margin:0 0 2px 0"
_STATE = "opacity:0.7"
_ASKED = "border-top:1px solid rgba(128,128,128,0.35);margin-top:6px;padding-top:4px"
_PICTURE = "max-width:100%;max-height:480px"
_ADDED = "display:inline-block;width:100%;background-color:rgba(46,160,67,0.22)"
_REMOVED = "display:inline-block;width:100%;background-color:rgba(220,60,50,0.22)"
_MARKED = {"+": _ADDED, "-": _REMOVED, "@": _QUIET}
# A terminal has a ground of its own: its colours are made for a dark one, on light pages too.
_SCREEN = (
    f"margin:4px 0;padding:4px 8px;white-space:pre-wrap;background-color:{GROUND};color:{INK};font-family:monospace"
)
# A page that typesets formulas must not find any in an agent's words (\\href makes links).
_NO_FORMULAS = "mathjax_ignore tex2jax_ignore"


def draw_all(entries: list[Entry]) -> list[str]:
    """Each entry as a piece of HTML."""
    return [draw(entry) for entry in entries]


def root(pieces: list[str], uid: str) -> str:
    """The pieces in the element that the live view looks for; `uid` loses what is no letter, digit, `_` or `-`."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "", uid)
    return f'<div class="acp-transcript acp-transcript-{safe} {_NO_FORMULAS}">{"".join(pieces)}</div>'


def result(pieces: list[str]) -> str:
    """The pieces in an element of their own, which no live view looks for."""
    return f'<div class="acp-result {_NO_FORMULAS}">{"".join(pieces)}</div>'


def separator() -> str:
    """What stands between two turns."""
    return '<div style="border-top:1px solid rgba(128,128,128,0.35);margin:10px 0"></div>'


def note(text: str) -> str:
    """A line of our own, perhaps with a word of somebody else in it."""
    return _tag("div", literal(text), _QUIET)


@singledispatch
def draw(entry: object) -> str:
    """One entry as HTML."""
    raise TypeError(f"no such entry: {entry!r}")


@draw.register
def _said(entry: Said) -> str:
    if entry.role == "user":
        # A quotation with its own line breaks: readable as such where styles are taken away, as on GitHub.
        lines = "<br>".join(map(_text, running(entry.text).split("\n")))
        return f'<blockquote style="{_USER}"><div dir="auto" style="{_WORDS}">{lines}</div></blockquote>'
    if entry.role == "tool":
        return _output(entry.text)
    if entry.role != "thought":
        return f"<div>{prose(entry.text)}</div>"
    time = f" for {duration(entry.seconds)}" if entry.seconds is not None else ""
    return f'<details style="{_QUIET}"><summary>Thought{time}</summary>{prose(entry.text)}</details>'


def _output(text: str) -> str:
    """What a tool gave back, as it is, unless it fences its code; folded when it is long."""
    count = text.count("\n") + 1
    drawn = prose(text) if _FENCE.search(text) else _tag("pre", literal(text), _PRE)
    return drawn if count <= FOLDED else f"<details><summary>{count} lines of output</summary>{drawn}</details>"


_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)


@draw.register
def _line(entry: Line) -> str:
    label = _text(literal(entry.label, one_line=True))
    text = f"<b>{label}</b>" + (f" {_text(running(entry.text))}" if entry.text else "")
    return f'<div style="{_WORDS};{_BAD if entry.bad else _QUIET}">{text}</div>'


@draw.register
def _literal(entry: Literal) -> str:
    label = _tag("div", literal(entry.label), _QUIET) if entry.label else ""
    return label + _tag("pre", literal(entry.text), _PRE)


@draw.register
def _picture(entry: Picture) -> str:
    about = f'<div style="{_QUIET}">{_text(literal(entry.name, one_line=True))} · {_text(entry.about)}</div>'
    name = _text(literal(entry.name, one_line=True))
    return f'<div><img src="{_text(entry.source)}" alt="{name}" style="{_PICTURE}">{about}</div>'


@draw.register
def _diff(entry: Diff) -> str:
    rows = [
        f'<div><span style="{_QUIET}">{_text(literal(operation))}</span> <code>{_text(literal(path))}</code>'
        f"{_aside(literal(aside))}</div>"
        for operation, path, aside in entry.changes
    ]
    if entry.patch is None:
        rows.append(note("No patch was sent."))
    elif entry.patch:
        patch = entry.patch.rstrip("\n")
        lines = marked_lines(patch) if entry.is_git else [("", line) for line in patch.split("\n")]
        text = "\n".join(_run(_MARKED.get(mark, ""), line) for mark, line in lines)
        rows.append(f'<pre style="{_PRE}">{text}</pre>')
    return "".join(rows)


@draw.register
def _screen(entry: Screen) -> str:
    command = f"<code>$ {_text(literal(entry.command))}</code>" if entry.command else "Terminal"
    where = _aside(f"in {literal(entry.cwd)}") if entry.cwd else ""
    left_out = note(f"… {entry.left_out}") if entry.left_out else ""
    text = _tag("pre", literal(entry.text), _PRE) if entry.text else ""
    if entry.lines:
        drawn = "\n".join("".join(_run(style, run) for style, run in line) for line in entry.lines)
        text = f'<pre style="{_SCREEN}">{drawn}</pre>'
    return f"<div>{command}{where}{_aside(literal(entry.state))}</div>{left_out}{text}"


@draw.register
def _decision(entry: Decision) -> str:
    option = f" (“{_text(literal(entry.option))}”)" if entry.option else ""
    subject = _tag("pre", literal(entry.subject), _PRE) if entry.subject else ""
    mark = next((mark for word, mark in _OUTCOMES if word in entry.outcome.split(" by ")[0].lower()), "")
    return (
        f'<div style="{_ASKED}"><div><span style="{_QUIET}">Asked:</span> {_text(literal(entry.title))}</div>{subject}'
        f"<div>{mark}<b>{_text(entry.outcome)}</b>{option}{_aside(literal(entry.why))}</div></div>"
    )


_OUTCOMES = (("allowed", "✓ "), ("rejected", "✗ "))


@draw.register
def _call(entry: Call) -> str:
    places = "".join(f" <code>{_text(literal(place))}</code>" for place in entry.places)
    state = f'<span style="{_STATE}"> · {_text(literal(entry.state))}</span>' if entry.state else ""
    head = f'<div style="{_HEAD}"><b>{_text(literal(entry.title))}</b>{places}{state}</div>'
    parts = "".join(draw(part) for part in entry.parts)
    return f'<div style="{_BOX}{";" + _BAD if entry.bad else ""}">{head}{parts}</div>'


def dressed(drawn: str) -> str:
    """What was drawn, for a page with a style sheet: classes in place of the styles of ours. No word of an agent has a
    quotation mark in it that is not escaped, so nothing else can be meant."""
    drawn = drawn.replace(f'<span style="{_STATE}"> · ', '<span class="state">')
    for style, name in _CLASSES.items():
        drawn = drawn.replace(f' style="{style}"', f' class="{name}"')
    return drawn


_CLASSES = {
    _BOX: "call",
    f"{_BOX};{_BAD}": "call bad",
    f"{_WORDS};{_BAD}": "line bad",
    f"{_WORDS};{_QUIET}": "line quiet",
    _QUIET: "quiet",
    _PRE: "text",
    _USER: "you",
    _WORDS: "words",
    _HEAD: "head",
    _ASKED: "asked",
    _ADDED: "add",
    _REMOVED: "del",
    _SCREEN: "screen",
    _PICTURE: "picture",
    _PARAGRAPH: "paragraph",
    HEADING: "heading",
}


def _run(style: str, text: str) -> str:
    return _tag("span", literal(text), style) if style else _text(literal(text))


def _tag(name: str, text: str, style: str, direction: str = "") -> str:
    dir_attribute = f' dir="{direction}"' if direction else ""
    return f'<{name}{dir_attribute} style="{style}">{_text(text)}</{name}>'


def _aside(text: str) -> str:
    return f' <span style="{_QUIET}">· {_text(text)}</span>' if text else ""


def _text(text: str) -> str:
    return escape(text, quote=True)
