"""One line of a screen: cells that are written, erased and moved."""

from __future__ import annotations

from .widths import width_of

BLANK = "\0"
"""A cell that was never written, or was erased. NUL is never printed, so it cannot come from the output."""


class Line:
    """One string a cell; the second cell of a wide character is "".

    A line the cursor left is one string, where each cell is one character: a list of characters takes eight times the
    memory.
    """

    __slots__ = ("_cells", "_joined", "wrapped")

    def __init__(self) -> None:
        self.wrapped = False
        """It goes on from the line before, which was full."""
        self._cells: list[str] = []
        self._joined = ""

    def text(self) -> str:
        """What it shows: no blanks at the end that were never written."""
        return (self._joined or "".join(self._cells)).rstrip(BLANK).replace(BLANK, " ")

    def join(self) -> None:
        """Take less memory."""
        joined = "".join(self._cells)
        if len(joined) == len(self._cells) and "" not in self._cells:
            self._joined, self._cells = joined or self._joined, []

    def _spread(self) -> list[str]:
        if self._joined:
            self._cells, self._joined = list(self._joined), ""
        return self._cells

    def clear(self) -> None:
        self.wrapped = False
        self._cells, self._joined = [], ""

    def print(self, column: int, text: str) -> int:
        """Write at a column; returns the column after it."""
        cells = self._spread()
        if len(cells) < column:
            cells.extend(BLANK * (column - len(cells)))
        if text.isascii() or not any(width_of(char) != 1 for char in text):
            end = column + len(text)
            self._split_wide(column)
            self._split_wide(end)
            cells[column:end] = text
            return end
        for char in text:
            column = self._put(column, char, width_of(char))
        return column

    def _put(self, column: int, char: str, width: int) -> int:
        cells = self._cells
        if width == 0:
            before = column - 1
            if 0 <= before < len(cells) and cells[before] == "":
                before -= 1
            if 0 <= before < len(cells):
                cells[before] = (" " if cells[before] == BLANK else cells[before]) + char
            return column
        self._split_wide(column)
        self._split_wide(column + width)
        cells[column : column + width] = [char, ""][:width]
        return column + width

    def _split_wide(self, column: int) -> None:
        """Blank the wide character that stands across the left edge of this column."""
        cells = self._cells
        if 0 < column < len(cells) and cells[column] == "":
            cells[column - 1] = cells[column] = BLANK

    def blank(self, start: int, end: int) -> None:
        """Erase cells; the rest stays where it is."""
        cells = self._spread()
        end = min(end, len(cells))
        if start < end:
            self._split_wide(start)
            self._split_wide(end)
            cells[start:end] = BLANK * (end - start)

    def remove(self, start: int, count: int) -> None:
        """Take cells out; what follows moves to the left."""
        cells = self._spread()
        self._split_wide(start)
        self._split_wide(start + count)
        del cells[start : start + count]

    def insert(self, start: int, count: int, edge: int) -> None:
        """Put blanks in; what follows moves to the right, and out at the edge."""
        cells = self._spread()
        if start < len(cells):
            self._split_wide(start)
            cells[start:start] = BLANK * min(count, edge - start)
            self._split_wide(edge)
            del cells[edge:]
