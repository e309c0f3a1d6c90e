"""The transcripts that a saved notebook holds, as a page and as markdown of their own.

Their markdown is read, never their HTML: whoever wrote the notebook could have put anything there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import page
from .prose import prose

_OURS = re.compile(r'class="acp-transcript ')


def transcripts(path: str | Path) -> list[tuple[int, str]]:
    """The markdown of each transcript with the number of its cell, from 1.

    Raises `OSError` for a file that cannot be read, and `ValueError` for one that is no notebook.
    """
    try:
        notebook = json.loads(Path(path).read_text(encoding="utf-8"))
        cells = notebook["cells"]
        return [(number, text) for number, cell in enumerate(cells, 1) for text in _of_cell(cell)]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{path} is no notebook.") from None


def _of_cell(cell: Mapping[str, Any]) -> Iterator[str]:
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if _OURS.search(_text(data.get("text/html"))):
            yield _text(data.get("text/markdown")) or _text(data.get("text/plain"))


def _text(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def as_markdown(found: list[tuple[int, str]]) -> str:
    """All transcripts, each under its cell's number."""
    return "".join(f"## Cell {number}\n\n{text.rstrip()}\n\n" for number, text in found)


def as_page(found: list[tuple[int, str]], name: str, foot: str) -> str:
    """All transcripts as one page."""
    sections = [f"<section><h2>Cell {number}</h2>{prose(text, limit=page.TURN)}</section>" for number, text in found]
    count = f"{len(found)} turn{'' if len(found) == 1 else 's'}"
    return page.page(f"Agent turns of {name}", [count], sections, foot)
