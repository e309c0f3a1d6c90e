"""Characters that a reader cannot see, or that turn the text around, made visible (js/src/lib/visible.ts)."""

from __future__ import annotations

import unicodedata

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


def literal(text: str, *, one_line: bool = False) -> str:
    """For commands, paths, titles, patches: everything hidden becomes ⟨U+202E⟩. Line breaks and tabs stay, unless
    `one_line`."""
    if text.isascii() and text.isprintable():
        return text
    kept = "" if one_line else "\n\t"
    return "".join(char if char in kept or not _hidden(char) else _mark(char) for char in text)


def running(text: str) -> str:
    """For what somebody says: only control characters and what changes the direction of the text."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_mark(char) if _unwanted(char) else char for char in text.replace("\r\n", "\n"))


def _hidden(char: str) -> bool:
    code = ord(char)
    return unicodedata.category(char) in _HIDDEN_CATEGORIES or any(low <= code <= high for low, high in _HIDDEN_RANGES)


def _unwanted(char: str) -> bool:
    return ord(char) in _TURNING or (char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"))


def _mark(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"
