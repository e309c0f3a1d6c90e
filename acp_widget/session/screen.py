"""Terminal output as text: what a terminal that keeps all its history would show.

The rules, which `js/src/lib/ansi.ts` shares (both are tested against `tests/golden/terminal_text.json`):

* Bytes are UTF-8, decoded as they come; an invalid sequence shows as U+FFFD, an unfinished one at the end not at all.
* A line has no width limit, so nothing wraps. A newline also returns the carriage. History is unlimited.
* The cursor moves within the last `rows` lines, and up to column 10,000. `ESC[H` is the top left of those lines.
* A wide character takes two columns; overwriting one half blanks the other. A combining mark joins the cell before it.
* Colours, modes, titles, links, clipboard and other strings are read and dropped.
* The text has no blanks at the end of a line that were never written, and no empty lines at its end.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from .widths import width_of

ROWS = 24
"""The height of a terminal whose size is not known."""

_MAX_COLUMN = 10_000
_MAX_PARAMETERS = 256
_TAB = 8
_BLANK = "\0"
"""A cell that was never written, or was erased. NUL is never printed, so it cannot come from the output."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_STRING_END = re.compile("[\x07\x18\x1a\x1b\x9c]")
_WHOLE_SEQUENCE = re.compile("\x1b\\[([0-9:;<=>?]{0,64})([@-~])")
_ESCAPE_TAIL = re.compile("[\x20-\x2f]")


def screen_text(data: bytes, rows: int = ROWS) -> str:
    """What a terminal would show of these bytes, as text. `rows` is its height.

    >>> screen_text(b"10%\\r\\x1b[32m100%\\x1b[0m\\ndone\\n")
    '100%\\ndone'
    """
    screen = Screen(rows)
    screen.feed(data)
    return screen.text()


class Screen:
    """A screen that is fed bytes as they come; characters and sequences may be cut anywhere between two calls.

    >>> screen = Screen()
    >>> screen.feed(b"caf\\xc3"); screen.feed(b"\\xa9\\x1b[3"); screen.feed(b"1m!")
    >>> screen.text()
    'caf\u00e9!'
    """

    def __init__(self, rows: int = ROWS) -> None:
        self._rows = max(1, rows)
        # One string a cell; the second cell of a wide character is "". Lines the cursor left are joined to one string
        # where each cell is one character, because a list of characters takes eight times the memory.
        self._lines: list[str | list[str]] = []
        self._line: list[str] = []
        self._lines.append(self._line)
        self._row = 0
        self._column = 0
        self._saved = (0, 0)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._parse: Callable[[str, int], int] = self._ground
        self._parameters = ""

    def feed(self, data: bytes) -> None:
        """Read bytes."""
        text = self._decode(bytes(data))
        at, end = 0, len(text)
        while at < end:
            at = self._parse(text, at)

    def lines(self) -> list[str]:
        """What it shows, a string a line."""
        shown = [_shown(line) for line in self._lines]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def text(self) -> str:
        """What it shows, lines joined by newlines."""
        return "\n".join(self.lines())

    # --- parsing: each state reads from `at` and returns where the next one goes on ----------------------------------

    def _ground(self, text: str, at: int) -> int:
        found = _CONTROL.search(text, at)
        end = found.start() if found else len(text)
        if end > at:
            self._print(text[at:end])
        if found is None:
            return end
        whole = _WHOLE_SEQUENCE.match(text, end)
        if whole is not None:  # the common case at once; cut or odd ones go character by character
            self._parameters = whole[1]
            self._run_csi(whole[2])
            return whole.end()
        self._control(text[end])
        return end + 1

    def _control(self, char: str) -> None:
        action = _CONTROLS.get(char)
        if action is not None:
            action(self)

    def _escape(self, text: str, at: int) -> int:
        char = text[at]
        self._parse = self._ground
        if _ESCAPE_TAIL.match(char):
            self._parse = self._escape_tail
        elif char in _ESCAPES:
            _ESCAPES[char](self)
        elif char < " ":
            self._control(char)
        return at + 1

    def _escape_tail(self, text: str, at: int) -> int:
        """After `ESC (` and the like: one more character, a character set for instance, that means nothing here."""
        self._parse = self._ground
        if text[at] == "\x1b":
            self._parse = self._escape
        return at + 1

    def _csi(self, text: str, at: int) -> int:
        char = text[at]
        if "@" <= char <= "~":
            self._parse = self._ground
            self._run_csi(char)
        elif char in "\x18\x1a":
            self._parse = self._ground
        elif char == "\x1b":
            self._parse = self._escape
        elif char < " ":
            self._control(char)  # a control inside a sequence acts at once
        elif len(self._parameters) < _MAX_PARAMETERS:
            self._parameters += char
        return at + 1

    def _string(self, text: str, at: int) -> int:
        found = _STRING_END.search(text, at)
        if found is None:
            return len(text)
        self._parse = self._string_escape if found[0] == "\x1b" else self._ground
        return found.end()

    def _string_escape(self, text: str, at: int) -> int:
        """`ESC \\` ends a string; any other escape ends it too and begins anew."""
        if text[at] == "\\":
            self._parse = self._ground
            return at + 1
        self._parse = self._escape
        return at

    def _enter_escape(self) -> None:
        self._parse = self._escape

    def _enter_csi(self) -> None:
        self._parameters = ""
        self._parse = self._csi

    def _enter_string(self) -> None:
        self._parse = self._string

    def _run_csi(self, final: str) -> None:
        action = _SEQUENCES.get(final)
        if action is None:
            return
        # `<=>?` mark private modes; a blank or another mark before the final letter makes it another sequence.
        if any(char in "<=>?" or char < "0" for char in self._parameters):
            return
        numbers = [int(part) if part.isdecimal() and part.isascii() else 0 for part in self._parameters.split(";")]
        action(self, [min(number, _MAX_COLUMN) for number in numbers] + [0])

    # --- the cursor ----------------------------------------------------------------------------------------------

    def _top(self) -> int:
        return max(0, len(self._lines) - self._rows)

    def _go(self, row: int, column: int) -> None:
        top = self._top()
        row = max(top, min(row, top + self._rows - 1))
        self._column = max(0, column)
        if row == self._row:
            return
        self._leave()
        while len(self._lines) <= row:
            self._lines.append([])
        self._enter(row)

    def _leave(self) -> None:
        joined = "".join(self._line)
        if len(joined) == len(self._line) and "" not in self._line:
            self._lines[self._row] = joined

    def _enter(self, row: int) -> None:
        line = self._lines[row]
        self._row = row
        self._line = line if isinstance(line, list) else list(line)
        self._lines[row] = self._line

    def _newline(self) -> None:
        self._index(0)

    def _index(self, column: int | None = None) -> None:
        """Down one line; at the last one a new line begins."""
        self._leave()
        self._row += 1
        if self._row == len(self._lines):
            self._line = []
            self._lines.append(self._line)
        else:
            self._enter(self._row)
        if column is not None:
            self._column = column

    def _reverse_index(self) -> None:
        self._go(self._row - 1, self._column)

    def _return(self) -> None:
        self._column = 0

    def _back(self) -> None:
        self._column = max(0, self._column - 1)

    def _tab(self) -> None:
        self._column = max(self._column, min(_MAX_COLUMN, (self._column // _TAB + 1) * _TAB))

    def _up(self, numbers: list[int]) -> None:
        self._go(self._row - max(1, numbers[0]), self._column)

    def _down(self, numbers: list[int]) -> None:
        self._go(self._row + max(1, numbers[0]), self._column)

    def _right(self, numbers: list[int]) -> None:
        self._column = max(self._column, min(_MAX_COLUMN, self._column + max(1, numbers[0])))

    def _left(self, numbers: list[int]) -> None:
        self._column = max(0, self._column - max(1, numbers[0]))

    def _next_line(self, numbers: list[int]) -> None:
        self._go(self._row + max(1, numbers[0]), 0)

    def _previous_line(self, numbers: list[int]) -> None:
        self._go(self._row - max(1, numbers[0]), 0)

    def _to_column(self, numbers: list[int]) -> None:
        self._column = max(1, numbers[0]) - 1

    def _to_row(self, numbers: list[int]) -> None:
        self._go(self._top() + max(1, numbers[0]) - 1, self._column)

    def _to_place(self, numbers: list[int]) -> None:
        self._go(self._top() + max(1, numbers[0]) - 1, max(1, numbers[1]) - 1)

    def _save(self, numbers: list[int] | None = None) -> None:
        self._saved = (self._row, self._column)

    def _restore(self, numbers: list[int] | None = None) -> None:
        self._go(*self._saved)

    # --- writing and erasing -------------------------------------------------------------------------------------

    def _print(self, text: str) -> None:
        line, column = self._line, self._column
        if len(line) < column:
            line.extend(_BLANK * (column - len(line)))
        if text.isascii() or not any(width_of(char) != 1 for char in text):
            end = column + len(text)
            self._split_wide(column)
            self._split_wide(end)
            line[column:end] = text
            self._column = end
            return
        for char in text:
            self._put(char, width_of(char))

    def _put(self, char: str, width: int) -> None:
        line, column = self._line, self._column
        if width == 0:
            before = column - 1
            if before >= 0 and before < len(line) and line[before] == "":
                before -= 1
            if 0 <= before < len(line):
                line[before] = (" " if line[before] == _BLANK else line[before]) + char
            return
        self._split_wide(column)
        self._split_wide(column + width)
        line[column : column + width] = [char, ""][:width]
        self._column = column + width

    def _split_wide(self, column: int) -> None:
        """Blank the wide character that stands across the left edge of this column."""
        line = self._line
        if 0 < column < len(line) and line[column] == "":
            line[column - 1] = line[column] = _BLANK

    def _blank(self, start: int, end: int) -> None:
        line = self._line
        end = min(end, len(line))
        if start >= end:
            return
        self._split_wide(start)
        self._split_wide(end)
        line[start:end] = _BLANK * (end - start)

    def _erase_line(self, numbers: list[int]) -> None:
        start = self._column if numbers[0] == 0 else 0
        end = self._column + 1 if numbers[0] == 1 else len(self._line)
        if numbers[0] <= 2:
            self._blank(start, end)

    def _erase_display(self, numbers: list[int]) -> None:
        what = numbers[0]
        if what == 3:
            self._forget_history()
        elif what <= 2:
            self._erase_line(numbers)
            start = self._row + 1 if what == 0 else self._top()
            end = self._row if what == 1 else len(self._lines)
            for row in range(start, end):
                if row != self._row:
                    self._lines[row] = ""

    def _forget_history(self) -> None:
        top = self._top()
        del self._lines[:top]
        self._row -= top
        self._saved = (max(0, self._saved[0] - top), self._saved[1])

    def _reset(self) -> None:
        self._erase_display([2])
        self._go(self._top(), 0)

    def _erase_characters(self, numbers: list[int]) -> None:
        self._blank(self._column, self._column + max(1, numbers[0]))

    def _delete_characters(self, numbers: list[int]) -> None:
        end = self._column + max(1, numbers[0])
        self._split_wide(self._column)
        self._split_wide(end)
        del self._line[self._column : end]

    def _insert_blanks(self, numbers: list[int]) -> None:
        if self._column < len(self._line):
            self._split_wide(self._column)
            self._line[self._column : self._column] = _BLANK * max(1, numbers[0])

    def _insert_lines(self, numbers: list[int]) -> None:
        self._leave()
        count = min(max(1, numbers[0]), self._rows)
        bottom = self._top() + self._rows
        self._lines[self._row : self._row] = [""] * count
        del self._lines[bottom:]
        self._enter(self._row)

    def _delete_lines(self, numbers: list[int]) -> None:
        self._leave()
        count = min(max(1, numbers[0]), len(self._lines) - self._row)
        del self._lines[self._row : self._row + count]
        self._lines.extend([""] * count)  # the window stays where it is
        self._enter(self._row)


def _shown(line: str | list[str]) -> str:
    return "".join(line).rstrip(_BLANK).replace(_BLANK, " ")


_CONTROLS: dict[str, Callable[[Screen], None]] = {
    "\b": Screen._back,
    "\t": Screen._tab,
    "\n": Screen._newline,
    "\v": Screen._newline,
    "\f": Screen._newline,
    "\r": Screen._return,
    "\x1b": Screen._enter_escape,
    "\x85": Screen._newline,
    "\x90": Screen._enter_string,
    "\x98": Screen._enter_string,
    "\x9b": Screen._enter_csi,
    "\x9d": Screen._enter_string,
    "\x9e": Screen._enter_string,
    "\x9f": Screen._enter_string,
}

_ESCAPES: dict[str, Callable[[Screen], None]] = {
    "[": Screen._enter_csi,
    "]": Screen._enter_string,
    "P": Screen._enter_string,
    "X": Screen._enter_string,
    "^": Screen._enter_string,
    "_": Screen._enter_string,
    "7": Screen._save,
    "8": Screen._restore,
    "D": Screen._index,
    "E": Screen._newline,
    "M": Screen._reverse_index,
    "c": Screen._reset,
}

_SEQUENCES: dict[str, Callable[[Screen, list[int]], None]] = {
    "A": Screen._up,
    "B": Screen._down,
    "C": Screen._right,
    "D": Screen._left,
    "E": Screen._next_line,
    "F": Screen._previous_line,
    "G": Screen._to_column,
    "`": Screen._to_column,
    "H": Screen._to_place,
    "f": Screen._to_place,
    "d": Screen._to_row,
    "J": Screen._erase_display,
    "K": Screen._erase_line,
    "P": Screen._delete_characters,
    "X": Screen._erase_characters,
    "@": Screen._insert_blanks,
    "L": Screen._insert_lines,
    "M": Screen._delete_lines,
    "s": Screen._save,
    "u": Screen._restore,
}
