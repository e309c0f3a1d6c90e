"""Text, controls and escape sequences told apart, wherever the stream is cut. What they mean is told by the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

_MAX_PARAMETERS = 256
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_COLOUR = re.compile("\x1b\\[[0-9:;]{0,64}m")
# Text up to its last colour. Where colours change nothing it is printed at once: a third of the time.
_COLOURED = re.compile("(?:[^\x00-\x1f\x7f-\x9f]*\x1b\\[[0-9:;]{0,64}m)+")
_STRING_END = re.compile("[\x07\x18\x1a\x1b\x9c]")
_WHOLE_SEQUENCE = re.compile("\x1b\\[([0-9:;<=>?]{0,64})([@-~])")


class Escapes:
    """Reads characters; what they ask for is done by the five methods that raise here."""

    _keeps_colours = False

    def __init__(self) -> None:
        self._parse: Callable[[str, int], int] = self._ground
        self._parameters = ""

    def _print(self, text: str) -> None:
        raise NotImplementedError

    def _run_control(self, char: str) -> None:
        raise NotImplementedError

    def _run_escape(self, char: str) -> None:
        raise NotImplementedError

    def _choose_set(self, place: str, name: str) -> None:
        """`ESC ( 0` and the like: what the set of characters in a place is from now on."""
        raise NotImplementedError

    def _run_sequence(self, final: str, parameters: str) -> None:
        raise NotImplementedError

    def _read(self, text: str) -> None:
        at, end = 0, len(text)
        while at < end:
            at = self._parse(text, at)

    # --- each state reads from `at` and returns where the next one goes on -------------------------------------------

    def _ground(self, text: str, at: int) -> int:
        found = _CONTROL.search(text, at)
        plain = found and found[0] == "\x1b" and not self._keeps_colours
        if plain and (coloured := _COLOURED.match(text, at)) is not None:
            self._print(_COLOUR.sub("", coloured[0]))
            self._run_sequence("m", "")
            return coloured.end()
        end = found.start() if found else len(text)
        if end > at:
            self._print(text[at:end])
        if found is None:
            return end
        whole = _WHOLE_SEQUENCE.match(text, end)
        if whole is not None:  # the common case at once; cut or odd ones go character by character
            self._run_sequence(whole[2], whole[1])
            return whole.end()
        self._control(text[end])
        return end + 1

    def _control(self, char: str) -> None:
        if char == "\x1b":
            self._parse = self._escape
        elif not self._begin(char, "\x9b", "\x90\x98\x9d\x9e\x9f"):
            self._run_control(char)

    def _begin(self, char: str, sequence: str, strings: str) -> bool:
        """Begin a sequence or a string, if the character does."""
        if char == sequence:
            self._parameters = ""
            self._parse = self._sequence
        elif char in strings:
            self._parse = self._string
        else:
            return False
        return True

    def _escape(self, text: str, at: int) -> int:
        char = text[at]
        self._parse = self._ground
        if " " <= char <= "/":
            self._parameters = char
            self._parse = self._escape_tail
        elif char < " ":
            self._control(char)
        elif not self._begin(char, "[", "PX]^_"):
            self._run_escape(char)
        return at + 1

    def _escape_tail(self, text: str, at: int) -> int:
        """After `ESC (` and the like: one more character, a set of characters for instance."""
        self._parse = self._escape if text[at] == "\x1b" else self._ground
        if text[at] > " ":
            self._choose_set(self._parameters, text[at])
        return at + 1

    def _sequence(self, text: str, at: int) -> int:
        char = text[at]
        if "@" <= char <= "~":
            self._parse = self._ground
            self._run_sequence(char, self._parameters)
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
