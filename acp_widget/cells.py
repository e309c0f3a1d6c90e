"""Code of an agent as a cell that is proposed, and that nobody runs but you."""

from __future__ import annotations

import sys
from typing import Any

from .code_blocks import CodeBlock

_MAGICS: dict[str | None, str] = {
    **dict.fromkeys(("py", "python", "python3", "ipython"), ""),
    None: "",
    **{name: f"%%{name}\n" for name in ("bash", "sh", "html", "latex", "markdown", "javascript")},
    **{"shell": "%%bash\n", "md": "%%markdown\n", "js": "%%javascript\n", "tex": "%%latex\n"},
}
"""What the first line of a cell in this language is; "" for Python."""


class Cells:
    """The part of an `Agent` that proposes cells."""

    def insert(self, block: CodeBlock | str) -> None:
        """Propose code as the next cell: below the one that runs, unexecuted, to read, change and run.

        `block`: one of `turn.code_blocks`, or text. In another language than Python it gets the cell magic for it. One
        cell proposes one: of several calls the last counts. In a terminal IPython it stands in the next prompt.
        The notebook's file is not written: the front end makes the cell (IPython's `set_next_input`).
        Raises `RuntimeError` outside of IPython, `ValueError` for empty code and for a language that no cell runs.

        >>> from acp_widget import Agent
        >>> Agent("demo").insert("1 + 1")
        Traceback (most recent call last):
        RuntimeError: There is no next cell here: agent.insert() works in a notebook, and in IPython.
        """
        source = _source(block)
        shell = _shell()
        if shell is None:
            raise RuntimeError("There is no next cell here: agent.insert() works in a notebook, and in IPython.")
        shell.set_next_input(source)


def _source(block: CodeBlock | str) -> str:
    if isinstance(block, (str, CodeBlock)) and not (block if isinstance(block, str) else block.code).strip():
        raise ValueError("There is nothing to insert: the code is empty.")
    if isinstance(block, str):
        return block
    if not isinstance(block, CodeBlock):
        raise TypeError(f"A cell is made of a code block or a text, not of {type(block).__name__}.")
    language = block.language.lower() if block.language else None
    if language not in _MAGICS:
        raise ValueError(f"No cell runs {block.language!r}. To insert it all the same: agent.insert(block.code).")
    return _MAGICS[language] + block.code.removesuffix("\n")


def _shell() -> Any:
    """The IPython that runs here; it is not imported for this."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
