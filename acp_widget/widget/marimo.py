"""marimo: whether a cell of its runs here, and putting a view into that cell. Its public names alone are used.

It draws anywidgets by itself. What a button sends reaches the kernel when no cell runs, however a cell waits.
"""

from __future__ import annotations

import sys
from typing import Any

WHY_NOT = "Buttons answer after this cell ends: marimo hands their clicks on only when no cell runs."


def here() -> bool:
    """True in a cell (or a callback) of a marimo notebook that somebody has open. False in its scripts."""
    running = getattr(sys.modules.get("marimo"), "running_in_notebook", None)
    return running is not None and running() is True


def append(view: Any) -> None:
    """Draw a view in the cell that runs now, below what it has shown already."""
    sys.modules["marimo"].output.append(view)
