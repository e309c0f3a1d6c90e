"""What `%acp` lists: a table for a notebook and for a terminal. What agents said is only text in it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from ..entities import quoted

_LONGEST = 300  # characters of a cell that are shown
_MOST_ROWS = 200  # rows that are shown
_NO_FORMULAS = "mathjax_ignore tex2jax_ignore"  # an agent's words are none
_CELL = 'style="text-align:left;vertical-align:top;white-space:pre-wrap"'


@dataclass(frozen=True)
class Table:
    """Rows below their headers, and a line below them.

    >>> Table(("NAME", "STATE"), [("demo", "idle")], "One agent.")
    NAME  STATE
    demo  idle
    One agent.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: str = ""

    def __repr__(self) -> str:
        rows = [self.headers, *([_line(cell) for cell in row] for row in self.rows[:_MOST_ROWS])]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.headers))]
        lines = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([*(lines if self.rows else []), *self._below()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th {_CELL}>{html.escape(each)}</th>" for each in self.headers)
        body = "".join(
            "<tr>" + "".join(f"<td {_CELL}>{html.escape(_line(cell))}</td>" for cell in row) + "</tr>"
            for row in self.rows[:_MOST_ROWS]
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.rows else ""
        below = "".join(f"<p>{html.escape(line)}</p>" for line in self._below())
        return f'<div class="{_NO_FORMULAS}">{table}{below}</div>'

    def _below(self) -> list[str]:
        left = len(self.rows) - _MOST_ROWS
        return [*([f"… and {left} more"] if left > 0 else []), *map(_line, self.below.splitlines())]


def _line(text: str) -> str:
    """Text that may come from an agent: what cannot be seen becomes visible."""
    return text if text.isprintable() and len(text) <= _LONGEST else quoted(text, _LONGEST)
