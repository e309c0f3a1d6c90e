"""`agent.to_html()`, `agent.to_markdown()`: a session as one file that needs nothing. A part of `Agent`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .export import transcript
from .export.page import session_page
from .results import Reader


class Exported:
    """The session for readers without kernel and widgets (docs/export.md)."""

    @property
    def _reader(self) -> Reader:
        raise NotImplementedError

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The session so far as one HTML page, and into a file where a path is given (it is overwritten).

        It holds no script and fetches nothing, is light or dark as its reader's system is, and has messages, diffs,
        terminals in their colours, pictures and decisions. At most about 4 MB of turns: what was cut is said.
        `OSError` when the file cannot be written. Print it for a PDF: `python -m acp_widget export … --to pdf`.

        >>> from acp_widget import Agent
        >>> with Agent("demo", permissions="allow") as agent:
        ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False)
        >>> "Allowed once by the policy" in agent.to_html(), "<script" in agent.to_html()
        (True, False)
        """
        return _written(session_page(self._reader.snapshot(), written=time.time()), path)

    def to_markdown(self, path: str | os.PathLike[str] | None = None) -> str:
        """The same as markdown, in which words of the agent stand only in code: at most about 300 kB.

        >>> from acp_widget import Agent
        >>> with Agent("demo") as agent:
        ...     turn = agent.run("Hello", show=False)
        >>> agent.to_markdown().splitlines()[0]
        '**You**'
        """
        return _written(transcript.session_markdown(self._reader.snapshot()), path)


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
