"""Terminal output as text: what a terminal that keeps all its history would show.

The rules, which `js/src/lib/ansi.ts` shares (both are tested against `tests/golden/terminal_text.json` and
`terminal_streams.json`, and the front end also against a full terminal emulator):

* Bytes are UTF-8, decoded as they come; an invalid sequence shows as U+FFFD, an unfinished one at the end not at all.
* A line wraps at the width of the terminal, where that is known, and in the text it is one line all the same.
* A newline also returns the carriage. History is unlimited.
* The cursor moves within the last `rows` lines. `ESC[H` is the top left of those lines.
* A wide character takes two columns; overwriting one half blanks the other. A combining mark joins the cell before it.
* Full-screen programs draw on a screen of their own; when they leave it, the first one is as it was.
* Colours, other modes, titles, links, clipboard and other strings are read and dropped.
* The text has no blanks at the end of a line that were never written, and no empty lines at its end.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from typing import Any

from .escapes import Escapes
from .screen_line import Line
from .widths import fitting, width_of

ROWS = 24
"""The height of a terminal whose size is not known."""

COLUMNS = 10_000
"""The width where none is known: lines only wrap so that none grows without end."""

_TAB = 8
_OTHER_SCREEN = re.compile(r"\?(?:1049|1047|47)")
_NOT_PLAIN = re.compile("[<=>? -/]")


def screen_text(data: bytes, rows: int = ROWS, columns: int = COLUMNS) -> str:
    """What a terminal of this size would show of these bytes, as text.

    >>> screen_text(b"10%\\r\\x1b[32m100%\\x1b[0m\\ndone\\n")
    '100%\\ndone'
    """
    screen = Screen(rows, columns)
    screen.feed(data)
    return screen.text()


def size_of(terminal: Mapping[str, Any]) -> tuple[int, int]:
    """Rows and columns of a terminal, as far as the agent has told them."""
    told = terminal.get("size")
    size: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    return _count(size.get("rows"), ROWS), _count(size.get("cols"), COLUMNS)


def _count(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else otherwise


_Saved = tuple[int, int, bool]
_NOWHERE: _Saved = (0, 0, False)
# What the letters from ` to ~ are in the set for drawing.
_LINES = dict(zip(range(0x60, 0x7F), "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))


class Screen(Escapes):
    """A screen that is fed bytes as they come; characters and sequences may be cut anywhere between two calls.

    >>> screen = Screen()
    >>> screen.feed(b"caf\\xc3"); screen.feed(b"\\xa9\\x1b[3"); screen.feed(b"1m!")
    >>> screen.text()
    'caf\u00e9!'
    """

    def __init__(self, rows: int = ROWS, columns: int = COLUMNS) -> None:
        super().__init__()
        self._rows = max(1, min(rows, COLUMNS))
        self._columns = max(1, min(columns, COLUMNS))
        self._lines = [self._new_line()]
        self._row = 0
        # As wide as the screen after a line was filled: the next character goes to the next line.
        self._column = 0
        self._saved = _NOWHERE
        # Letters stand for lines and corners: now, and in the two sets of characters that a program changes between.
        self._drawing = False
        self._sets = [False, False]
        self._level = 0
        # The rows of the window that scroll.
        self._first, self._last = 0, self._rows - 1
        # What was last written, if nothing came after it.
        self._repeatable = ""
        # The screen with its history, while a program draws on the other one: lines, saved place, rows that scroll.
        self._main: tuple[list[Line], _Saved, int, int] | None = None
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> None:
        """Read bytes."""
        self._read(self._decode(bytes(data)))

    def text(self) -> str:
        """What it shows; a line that wrapped is one line."""
        parts: list[str] = []
        for line in self._lines:
            if parts and not line.wrapped:
                parts.append("\n")
            parts.append(line.text())
        return "".join(parts).rstrip("\n")

    def _new_line(self) -> Line:
        return Line()

    # --- what was read -----------------------------------------------------------------------------------------------

    def _print(self, text: str) -> None:
        if self._drawing:
            text = text.translate(_LINES)
        at = 0
        while at < len(text):
            end = fitting(text, at, self._columns - self._column, some=self._column == 0)
            if end == at:
                self._line.blank(self._column, self._columns)  # a wide character did not fit
                self._down()
                self._column = 0
                self._line.wrapped = True
            else:
                self._column = self._line.print(self._column, text[at:end])
            at = end
        self._repeatable = (self._repeatable + text)[-8:]

    def _run_control(self, char: str) -> None:
        self._repeatable = ""
        if char in _CONTROLS:
            _CONTROLS[char](self)

    def _run_escape(self, char: str) -> None:
        self._repeatable = ""
        if char in _ESCAPES:
            _ESCAPES[char](self)

    def _choose_set(self, place: str, name: str) -> None:
        self._repeatable = ""
        if place in "()":
            self._sets["()".index(place)] = name == "0"
            self._change_set(self._level)

    def _change_set(self, level: int) -> None:
        self._level = level
        self._drawing = self._sets[level]

    def _run_sequence(self, final: str, parameters: str) -> None:
        repeatable, self._repeatable = self._repeatable, ""
        if final == "m":
            return  # colours: by far the most common, and nothing to do
        if final in "hl" and _OTHER_SCREEN.fullmatch(parameters):
            self._switch_to(final == "h", parameters == "?1049")
        # `<=>?` mark private modes; a blank or another mark before the final letter makes it another sequence.
        if _NOT_PLAIN.search(parameters):
            return
        parts = parameters.split(";")
        numbers = [min(int(part), COLUMNS) if part.isdecimal() and part.isascii() else 0 for part in parts]
        if final == "b":
            self._print(_last_cell(repeatable) * max(1, numbers[0]))
        elif final in _COUNTED:
            _COUNTED[final](self, max(1, numbers[0]))
        elif final in _SEQUENCES:
            _SEQUENCES[final](self, [*numbers, 0])

    # --- the cursor --------------------------------------------------------------------------------------------------

    @property
    def _line(self) -> Line:
        return self._lines[self._row]

    def _top(self) -> int:
        return max(0, len(self._lines) - self._rows)

    def _clamp(self) -> None:
        self._column = min(self._column, self._columns - 1)

    def _to(self, column: int) -> None:
        self._column = max(0, min(column, self._columns - 1))

    def _go(self, row: int, column: int) -> None:
        top = self._top()
        self._to(column)
        self._enter(max(top, min(row, top + self._rows - 1)))

    def _place(self, row: int, column: int) -> None:
        self._go(self._top() + max(0, row), column)

    def _enter(self, row: int) -> None:
        if row != self._row:
            self._line.join()
        self._fill(row + 1)
        self._row = row

    def _fill(self, count: int) -> None:
        while len(self._lines) < count:
            self._lines.append(self._new_line())

    def _down(self) -> None:
        """Down one line; at the last one that scrolls, the lines go up."""
        top = self._top()
        if self._row != top + self._last:
            if self._row < top + self._rows - 1:
                self._enter(self._row + 1)
            return
        self._line.join()
        self._fill(top + self._rows)
        self._lines.insert(self._row + 1, self._new_line())
        if self._first > 0 or self._main is not None:
            del self._lines[top + self._first]
        else:
            self._row += 1

    def _newline(self) -> None:
        row = self._row
        self._down()
        if self._row != row:
            self._line.wrapped = False
        self._column = 0

    def _next_line(self) -> None:
        self._column = 0
        self._down()

    def _index(self) -> None:
        self._clamp()
        self._down()

    def _reverse(self) -> None:
        if self._row == self._top() + self._first:
            self._scroll(-1)
        else:
            self._vertical(-1, self._column)
        self._clamp()

    def _return(self) -> None:
        self._column = 0

    def _back(self) -> None:
        self._horizontal(-1)

    def _tab(self) -> None:
        self._column = max(self._column, min(self._columns - 1, (self._column // _TAB + 1) * _TAB))

    def _tabs(self, count: int) -> None:
        """Forward, or (below zero) back; more than a line is wide changes nothing."""
        for _ in range(min(abs(count), COLUMNS // _TAB)):
            if count > 0:
                self._tab()
            elif self._column < self._columns:
                self._column = max(0, (self._column - 1) // _TAB * _TAB)

    def _vertical(self, rows: int, column: int) -> None:
        """Up or down, but not out of the lines that scroll."""
        row = self._row - self._top()
        to = row + rows
        if rows < 0 and row >= self._first:
            to = max(to, self._first)
        elif rows > 0 and row <= self._last:
            to = min(to, self._last)
        self._place(to, column)

    def _horizontal(self, columns: int) -> None:
        self._clamp()
        self._to(self._column + columns)

    def _save(self, _: list[int] | None = None) -> None:
        self._saved = (self._row, self._column, self._drawing)

    def _restore(self, _: list[int] | None = None) -> None:
        row, column, self._drawing = self._saved
        self._go(row, column)

    def _set_region(self, numbers: list[int]) -> None:
        """Which rows of the window scroll."""
        first = max(1, numbers[0])
        last = numbers[1] if 0 < numbers[1] <= self._rows else self._rows
        if last > first:
            self._first, self._last = first - 1, last - 1
            self._place(0, 0)

    def _switch_to(self, other: bool, with_cursor: bool) -> None:
        """Full-screen programs draw on a screen of their own, without history, and leave the first as it was."""
        row = self._row - self._top()
        if other and with_cursor:
            self._save()
        if other != (self._main is not None):
            before = (self._lines, self._saved, self._first, self._last)
            after = self._main or ([self._new_line()], _NOWHERE, 0, self._rows - 1)
            self._lines, self._saved, self._first, self._last = after
            self._main = before if other else None
            self._row = 0
            self._enter(self._top() + row)
        if not other and with_cursor:
            self._restore()

    # --- erasing and moving ------------------------------------------------------------------------------------------

    def _erase_line(self, numbers: list[int]) -> None:
        what = numbers[0]
        if what <= 2:
            start = self._column if what == 0 else 0
            if start == 0 and what != 1:
                self._line.wrapped = False
            self._line.blank(start, self._column + 1 if what == 1 else self._columns)

    def _erase_display(self, numbers: list[int]) -> None:
        what = numbers[0]
        if what == 3:
            self._forget_history()
        elif what <= 2:
            self._erase_line(numbers)
            if what == 1:
                self._line.wrapped = False
            start = self._row + 1 if what == 0 else self._top()
            end = self._row if what == 1 else len(self._lines)
            for row in range(start, end):
                if row != self._row:
                    self._lines[row].clear()

    def _forget_history(self) -> None:
        top = self._top()
        del self._lines[:top]
        self._row -= top
        self._saved = (max(0, self._saved[0] - top), *self._saved[1:])

    def _reset(self) -> None:
        self._sets = [False, False]
        self._change_set(0)
        self._switch_to(False, False)
        self._saved, self._first, self._last = _NOWHERE, 0, self._rows - 1
        self._erase_display([2])
        self._go(self._top(), 0)

    def _erase_characters(self, count: int) -> None:
        self._clamp()
        self._line.blank(self._column, self._column + count)

    def _delete_characters(self, count: int) -> None:
        self._clamp()
        self._line.remove(self._column, count)

    def _insert_blanks(self, count: int) -> None:
        self._clamp()
        self._line.insert(self._column, count, self._columns)

    def _scroll(self, count: int, start: int | None = None) -> None:
        """Move the lines that scroll, from `start` on, up or (below zero) down; what comes in is empty."""
        start = self._first if start is None else start
        self._line.join()
        top = self._top()
        self._fill(top + self._rows)
        out, into = (start, self._last) if count > 0 else (self._last, start)
        for _ in range(min(abs(count), self._rows)):
            del self._lines[top + out]
            self._lines.insert(top + into, self._new_line())

    def _shift_lines(self, count: int) -> None:
        """Take out or (below zero) put in lines at the cursor."""
        row = self._row - self._top()
        if self._first <= row <= self._last:
            self._scroll(count, row)
            self._column = 0


def _last_cell(text: str) -> str:
    """The last character with its marks."""
    at = len(text) - 1
    while at > 0 and width_of(text[at]) == 0:
        at -= 1
    return text[max(0, at) :]


_CONTROLS: dict[str, Callable[[Screen], None]] = {
    "\b": Screen._back,
    "\t": Screen._tab,
    "\n": Screen._newline,
    "\v": Screen._newline,
    "\f": Screen._newline,
    "\r": Screen._return,
    "\x0e": lambda screen: screen._change_set(1),
    "\x0f": lambda screen: screen._change_set(0),
    "\x84": Screen._index,
    "\x85": Screen._next_line,
}

_ESCAPES: dict[str, Callable[[Screen], None]] = {
    "7": Screen._save,
    "8": Screen._restore,
    "D": Screen._index,
    "E": Screen._next_line,
    "M": Screen._reverse,
    "c": Screen._reset,
}

# Their number counts something: none and 0 are one.
_COUNTED: dict[str, Callable[[Screen, int], None]] = {
    "A": lambda screen, n: screen._vertical(-n, screen._column),
    "B": lambda screen, n: screen._vertical(n, screen._column),
    "C": Screen._horizontal,
    "D": lambda screen, n: screen._horizontal(-n),
    "E": lambda screen, n: screen._vertical(n, 0),
    "F": lambda screen, n: screen._vertical(-n, 0),
    "G": lambda screen, n: screen._to(n - 1),
    "`": lambda screen, n: screen._to(n - 1),
    "a": Screen._horizontal,
    "d": lambda screen, n: screen._place(n - 1, screen._column),
    "e": lambda screen, n: screen._go(screen._row + n, screen._column),
    "I": Screen._tabs,
    "Z": lambda screen, n: screen._tabs(-n),
    "P": Screen._delete_characters,
    "X": Screen._erase_characters,
    "@": Screen._insert_blanks,
    "L": lambda screen, n: screen._shift_lines(-n),
    "M": Screen._shift_lines,
    "S": Screen._scroll,
    "T": lambda screen, n: screen._scroll(-n),
}

_SEQUENCES: dict[str, Callable[[Screen, list[int]], None]] = {
    "H": lambda screen, numbers: screen._place(numbers[0] - 1, numbers[1] - 1),
    "f": lambda screen, numbers: screen._place(numbers[0] - 1, numbers[1] - 1),
    "J": Screen._erase_display,
    "K": Screen._erase_line,
    "r": Screen._set_region,
    "s": Screen._save,
    "u": Screen._restore,
}
