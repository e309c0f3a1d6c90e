"""Pieces of a transcript, and no more of them than there is room for."""

from __future__ import annotations

from collections.abc import Callable


def bounded(pieces: list[str], note: Callable[[str], str], *, limit: int, what: str, empty: str) -> list[str]:
    """The pieces, or a third of the limit from the beginning and the rest from the end, and what is missing between.

    `limit` in characters, `what` for the sentence that says so; `empty` is what no pieces say.
    """
    if not pieces:
        return [note(empty)]
    if sum(map(len, pieces)) <= limit:
        return pieces
    first = _fitting(pieces, limit // 3)
    last = _fitting(pieces[first:][::-1], limit - limit // 3)
    left_out = len(pieces) - first - last
    words = "1 entry is" if left_out == 1 else f"{left_out} entries are"
    gap = note(f"… {words} not shown: {what} is cut to about {limit // 1000} kB.")
    return [*pieces[:first], gap, *pieces[len(pieces) - last :]]


def _fitting(pieces: list[str], room: int) -> int:
    """How many of the pieces fit, from the first on."""
    for count, piece in enumerate(pieces):
        room -= len(piece)
        if room < 0:
            return count
    return len(pieces)
