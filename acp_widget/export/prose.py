"""An agent's markdown → HTML of our own tags, made from the syntax tree.

Every word is escaped text. Links are their text and their address, pictures their description: nothing is fetched and
nothing can be clicked. HTML in the text stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

import mistune

from .patches import marked_lines
from .visible import literal, running

LIMIT: Final = 60_000
"""Characters of one text that are read as markdown; longer ones are shown as they are."""

PARAGRAPH: Final = "margin:0 0 6px 0;white-space:pre-wrap"
_PRE: Final = (
    "margin:4px 0;padding:4px 8px;white-space:pre-wrap;background-color:rgba(128,128,128,0.12);font-family:monospace"
)
_LIST: Final = "margin:0 0 6px 0;padding-left:24px"
_QUOTE: Final = "margin:0 0 6px 0;padding-left:10px;border-left:3px solid rgba(128,128,128,0.35)"
_CELL: Final = "border:1px solid rgba(128,128,128,0.35);padding:2px 8px"
_RULE: Final = '<div style="border-top:1px solid rgba(128,128,128,0.35);margin:8px 0"></div>'
HEADING: Final = "margin:8px 0 4px 0;font-weight:bold"
_LINES: Final = {
    "+": "display:inline-block;width:100%;background-color:rgba(46,160,67,0.22)",
    "-": "display:inline-block;width:100%;background-color:rgba(220,60,50,0.22)",
    "@": "opacity:0.75",
}

Token = Mapping[str, Any]


def prose(text: str, *, limit: int = LIMIT) -> str:
    """The text as HTML; what cannot be read as markdown, or is too long for that, as it is.

    >>> prose("It is **so** <b>")
    '<div dir="auto" style="margin:0 0 6px 0;white-space:pre-wrap">It is <strong>so</strong> &lt;b&gt;</div>'
    """
    safe = running(text)
    if len(safe) <= limit and not _is_steep(safe, limit):
        try:
            reader = mistune.create_markdown(renderer=None, plugins=["table", "strikethrough"])
            reader.block.rules.remove("ref_link")  # what only defines an address would be seen nowhere
            tokens = reader(safe)
            if isinstance(tokens, list):
                return _blocks(tokens)
        except (RecursionError, ValueError, IndexError, KeyError, TypeError):  # it is text all the same
            pass
    return _tag("div", escape(safe), PARAGRAPH, auto=True)


def _is_steep(text: str, limit: int) -> bool:
    """Whether so many brackets or quotation marks stand in it that reading it takes long: no prose has them."""
    return any(text.count(mark) > limit // 60 for mark in "[<`*_~>|") or _DEEP.search(text) is not None


_DEEP: Final = re.compile(r"[\[<*_>]{60}")


def _blocks(tokens: Sequence[Token]) -> str:
    return "".join(_BLOCKS.get(str(token.get("type")), _plain_block)(token) for token in tokens)


def _children(token: Token) -> Sequence[Token]:
    given = token.get("children")
    return [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []


def _plain_block(token: Token) -> str:
    """What has no form here: what stands in it, or its text."""
    inside = _children(token)
    return _blocks(inside) if inside else _tag("div", _raw(token), PARAGRAPH, auto=True)


def _paragraph(token: Token) -> str:
    return _tag("div", _inline(_children(token)), PARAGRAPH, auto=True)


def _heading(token: Token) -> str:
    return _tag("div", f"<b>{_inline(_children(token))}</b>", HEADING, auto=True)


def _code(token: Token) -> str:
    text = str(token.get("raw") or "").rstrip("\n")
    info = token.get("attrs")
    if isinstance(info, Mapping) and str(info.get("info") or "").split(" ")[0] == "diff":
        lines = [_line(_LINES.get(mark, ""), line) for mark, line in marked_lines(text)]
        return f'<pre style="{_PRE}">' + "\n".join(lines) + "</pre>"
    return _tag("pre", escape(literal(text)), _PRE)


def _line(style: str, line: str) -> str:
    text = escape(literal(line))
    return f'<span style="{style}">{text}</span>' if style else text


def _quote(token: Token) -> str:
    return _tag("blockquote", _blocks(_children(token)), _QUOTE)


def _list(token: Token) -> str:
    attrs = token.get("attrs")
    told: Mapping[str, Any] = attrs if isinstance(attrs, Mapping) else {}
    name = "ol" if told.get("ordered") else "ul"
    start = told.get("start")
    first = f' start="{start}"' if name == "ol" and isinstance(start, int) and start != 1 else ""
    items = "".join(f"<li>{_blocks(_children(item))}</li>" for item in _children(token))
    return f'<{name}{first} style="{_LIST}">{items}</{name}>'


def _table(token: Token) -> str:
    return f'<table style="border-collapse:collapse;margin:0 0 6px 0">{"".join(_rows(token))}</table>'


def _rows(token: Token) -> Iterator[str]:
    for part in _children(token):
        rows = [part] if part.get("type") == "table_head" else _children(part)
        name = "th" if part.get("type") == "table_head" else "td"
        for row in rows:
            cells = (_tag(name, _inline(_children(cell)), _CELL, auto=True) for cell in _children(row))
            yield f"<tr>{''.join(cells)}</tr>"


def _inline(tokens: Sequence[Token]) -> str:
    return "".join(_INLINE.get(str(token.get("type")), _plain_inline)(token) for token in tokens)


def _plain_inline(token: Token) -> str:
    inside = _children(token)
    return _inline(inside) if inside else _raw(token)


def _raw(token: Token) -> str:
    raw = token.get("raw")
    return escape(raw) if isinstance(raw, str) else ""


def _around(name: str) -> Callable[[Token], str]:
    return lambda token: f"<{name}>{_inline(_children(token))}</{name}>"


def _link(token: Token) -> str:
    """The text, and the address where that says something else."""
    address, text = _address(token), _inline(_children(token))
    same = not address or escape(address) == text or escape(address) == f"mailto:{text}"
    return text if same else f"{text} ({escape(literal(address))})"


def _picture(token: Token) -> str:
    return f"[picture: {_inline(_children(token))} {escape(literal(_address(token)))}]"


def _address(token: Token) -> str:
    attrs = token.get("attrs")
    return str(attrs.get("url") or "") if isinstance(attrs, Mapping) else ""


def _tag(name: str, inside: str, style: str, *, auto: bool = False) -> str:
    return f'<{name}{" dir=" + chr(34) + "auto" + chr(34) if auto else ""} style="{style}">{inside}</{name}>'


_BLOCKS: Final[Mapping[str, Callable[[Token], str]]] = {
    "paragraph": _paragraph,
    "block_text": lambda token: f'<span dir="auto">{_inline(_children(token))}</span>',
    "heading": _heading,
    "block_code": _code,
    "block_quote": _quote,
    "list": _list,
    "table": _table,
    "thematic_break": lambda token: _RULE,
    "blank_line": lambda token: "",
}
_INLINE: Final[Mapping[str, Callable[[Token], str]]] = {
    "strong": _around("strong"),
    "emphasis": _around("em"),
    "strikethrough": _around("del"),
    "codespan": lambda token: f"<code>{_raw(token)}</code>",
    "linebreak": lambda token: "<br>",
    "softbreak": lambda token: "\n",
    "link": _link,
    "image": _picture,
}
