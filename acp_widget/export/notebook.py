"""The transcripts that a saved notebook holds, as a page and as markdown of their own.

Their markdown is read; of their HTML, where there is no markdown, only words and plain tags: whoever wrote the notebook
could have put anything there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import page
from .bare import bare
from .markdown import fence
from .prose import prose

_OURS = re.compile(r'class="acp-transcript ')


@dataclass(frozen=True)
class Found:
    """A transcript: the number of its cell, from 1, and what it is as markdown and as HTML of ours."""

    cell: int
    markdown: str
    html: str


def transcripts(path: str | Path) -> list[Found]:
    """The transcripts in a notebook, in order.

    Raises `OSError` for a file that cannot be read, and `ValueError` for one that is no notebook.
    """
    try:
        notebook = json.loads(Path(path).read_text(encoding="utf-8"))
        cells = notebook["cells"]
        return [found for number, cell in enumerate(cells, 1) for found in _of_cell(number, cell)]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{path} is no notebook.") from None


def _of_cell(number: int, cell: Mapping[str, Any]) -> Iterator[Found]:
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        source, told = _text(data.get("text/html")), _text(data.get("text/markdown"))
        if told and _OURS.search(source):
            yield Found(number, told, prose(told, limit=page.TURN))
        elif _OURS.search(source):
            html, words = bare(source)
            yield Found(number, fence(words), html)


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def as_markdown(found: list[Found]) -> str:
    """All transcripts, each under its cell's number."""
    return "".join(f"## Cell {each.cell}\n\n{each.markdown.rstrip()}\n\n" for each in found)


def as_page(found: list[Found], name: str, foot: str) -> str:
    """All transcripts as one page."""
    sections = [f"<section><h2>Cell {each.cell}</h2>{each.html}</section>" for each in found]
    count = f"{len(found)} turn{'' if len(found) == 1 else 's'}"
    return page.page(f"Agent turns of {name}", [count], sections, foot)
