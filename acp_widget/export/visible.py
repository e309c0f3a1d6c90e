"""Characters that a reader cannot see, or that turn the text around, made visible (js/src/lib/visible.ts)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# Spaces that are not the space, fillers, variation selectors.
_HIDDEN_RANGES = (
    (0x00A0, 0x00A0),
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200A),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0100, 0xE01EF),
)
# Running text needs joiners, direction marks and no-break spaces; it never needs to turn its surroundings around.
_TURNING = frozenset([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


class _Marks(dict[int, str]):
    """What stands for each character that was met, for `str.translate`: patches are long, and looking takes time."""

    def __init__(self, unwanted: Callable[[str], bool], kept: str = "") -> None:
        super().__init__({ord(char): char for char in kept})
        self._unwanted = unwanted

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = told = f"⟨U+{code:04X}⟩" if self._unwanted(char) else char
        return told


def _hidden(char: str) -> bool:
    code = ord(char)
    return unicodedata.category(char) in _HIDDEN_CATEGORIES or any(low <= code <= high for low, high in _HIDDEN_RANGES)


def _unwanted(char: str) -> bool:
    return ord(char) in _TURNING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


_LITERAL: Final = _Marks(_hidden, kept="\n\t")
_ONE_LINE: Final = _Marks(_hidden)
_RUNNING: Final = _Marks(_unwanted, kept="\n\t")


def literal(text: str, *, one_line: bool = False) -> str:
    """For commands, paths, titles, patches: everything hidden becomes ⟨U+202E⟩. Line breaks and tabs stay, unless
    `one_line`."""
    return text.translate(_ONE_LINE if one_line else _LITERAL)


def running(text: str) -> str:
    """For what somebody says: only control characters and what changes the direction of the text."""
    return text.replace("\r\n", "\n").translate(_RUNNING)
