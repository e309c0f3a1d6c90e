"""Terminal output with its colours: the screen of `screen.py`, whose cells remember how they were written."""

from __future__ import annotations

from itertools import groupby

from .screen import COLUMNS, ROWS, Screen
from .screen_line import BLANK, Line
from .sgr import Pen

Run = tuple[str, str]
"""CSS declarations and the text that looks so."""


def coloured_lines(data: bytes, rows: int = ROWS, columns: int = COLUMNS) -> list[list[Run]]:
    """What a terminal of this size would show of these bytes: lines of runs, the text of each as `screen_text` has it.

    >>> coloured_lines(b"\\x1b[31mno\\x1b[0m yes\\n")
    [[('color:#ff7b72', 'no'), ('', ' yes')]]
    """
    screen = _Coloured(rows, columns)
    screen.feed(data)
    return screen.runs()


class _Cell(str):
    """What stands in a cell, and how it looks."""

    __slots__ = ("style",)
    style: str


class _ColouredLine(Line):
    def __init__(self, pen: Pen) -> None:
        super().__init__()
        self._pen = pen

    def print(self, column: int, text: str) -> int:
        end = super().print(column, text)
        style = self._pen.style
        if style:
            for at in range(column, min(end, len(self._cells))):
                cell = _Cell(self._cells[at])
                cell.style = style
                self._cells[at] = cell
        return end

    def join(self) -> None:
        """One string has no styles; what is read here is short enough."""

    def runs(self) -> list[Run]:
        cells = list(self._cells)
        while cells and cells[-1] == BLANK:
            cells.pop()
        groups = groupby(cells, key=lambda cell: cell.style if isinstance(cell, _Cell) else "")
        return [(style, "".join(run).replace(BLANK, " ")) for style, run in groups]


class _Coloured(Screen):
    _keeps_colours = True

    def __init__(self, rows: int, columns: int) -> None:
        self._pen = Pen()
        super().__init__(rows, columns)

    def _new_line(self) -> Line:
        return _ColouredLine(self._pen)

    def _run_sequence(self, final: str, parameters: str) -> None:
        if final == "m" and not parameters.startswith(("<", "=", ">", "?")):
            self._pen.read(parameters)
        super()._run_sequence(final, parameters)

    def _run_escape(self, char: str) -> None:
        if char == "c":
            self._pen.read("0")
        super()._run_escape(char)

    def runs(self) -> list[list[Run]]:
        lines: list[list[Run]] = []
        for line in self._lines:
            runs = line.runs() if isinstance(line, _ColouredLine) else []
            if lines and line.wrapped:
                lines[-1] += runs
            else:
                lines.append(runs)
        while lines and not "".join(text for _, text in lines[-1]):
            lines.pop()
        return lines
