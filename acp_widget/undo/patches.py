"""A git patch taken back: the text before, from the text after. Only where there is no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


@dataclass(frozen=True)
class Hunk:
    """A place that is changed: the lines before and after, with the ones around them."""

    old: bytes
    new: bytes


def sections(patch: str) -> Iterator[list[Hunk]]:
    """The hunks of each file of a patch, in order."""
    hunks: list[Hunk] | None = None
    lines = patch.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        found = _HUNK.match(line)
        at += 1
        if line.startswith("diff --git "):
            if hunks is not None:
                yield hunks
            hunks = []
        elif found:
            hunk, at = _hunk(lines, at, int(found[1] or 1), int(found[2] or 1))
            hunks = [*(hunks or []), hunk]
    if hunks is not None:
        yield hunks


def _hunk(lines: Sequence[str], at: int, old_left: int, new_left: int) -> tuple[Hunk, int]:
    sides: tuple[list[str], list[str]] = ([], [])
    touched: list[list[str]] = []
    while at < len(lines):
        mark, text = lines[at][:1], lines[at][1:]
        if mark == "\\":
            for side in touched:
                side[-1] = side[-1].removesuffix("\n")
        elif old_left <= 0 and new_left <= 0:
            break
        else:
            is_old, is_new = mark in ("", " ", "-"), mark in ("", " ", "+")
            touched = [side for side, told in zip(sides, (is_old, is_new), strict=True) if told]
            for side in touched:
                side.append(text + "\n")
            old_left, new_left = old_left - is_old, new_left - is_new
        at += 1
    old, new = ("".join(side).encode("utf-8", "surrogateescape") for side in sides)
    return Hunk(old, new), at


def fits(data: bytes, hunks: Sequence[Hunk]) -> bool:
    """Whether the patch could be applied: all that it changes is there."""
    return bool(hunks) and all(hunk.old in data for hunk in hunks)


def taken_back(data: bytes, hunks: Sequence[Hunk]) -> bytes | None:
    """The bytes before a patch, or None when one of its places is not there exactly once.

    >>> taken_back(b"one\\n2\\n", [Hunk(b"one\\ntwo\\n", b"one\\n2\\n")])
    b'one\\ntwo\\n'
    """
    if not hunks:
        return None
    places: list[tuple[int, Hunk]] = []
    for hunk in hunks:
        first = data.find(hunk.new) if hunk.new else -1
        if first < 0 or data.find(hunk.new, first + 1) >= 0:
            if hunk.new or data or len(hunks) > 1:
                return None
            first = 0  # all of an emptied file
        places.append((first, hunk))
    places.sort(key=lambda place: place[0])
    pieces, end = [], 0
    for at, hunk in places:
        if at < end:
            return None
        pieces += [data[end:at], hunk.old]
        end = at + len(hunk.new)
    return b"".join([*pieces, data[end:]])
