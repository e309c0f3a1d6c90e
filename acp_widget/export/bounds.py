"""Pieces of a transcript, and no more of them than there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def bounded(
    things: Sequence[T],
    draw: Callable[[T], str],
    note: Callable[[str], str],
    *,
    limit: int,
    what: str,
    empty: str,
    of: str = "entry",
) -> list[str]:
    """The things as they are drawn, or a third of the limit from the beginning and the rest from the end, and what is
    missing between. What there is no room for is not drawn.

    `limit` in characters, `what` for the sentence that says so; `empty` is what no things say, `of` what one
    of them is called.
    """
    if not things:
        return [note(empty)]
    first = _fitting(things, draw, limit // 3)
    last = _fitting(reversed(things[len(first) :]), draw, limit - sum(map(len, first)))[::-1]
    left_out = len(things) - len(first) - len(last)
    if not left_out:
        return [*first, *last]
    many = f"{of[:-1]}ies" if of.endswith("y") else f"{of}s"
    words = f"1 {of} is" if left_out == 1 else f"{left_out} {many} are"
    return [*first, note(f"… {words} not shown: {what} is cut to about {limit // 1000} kB."), *last]


def _fitting(things: Iterable[T], draw: Callable[[T], str], room: int) -> list[str]:
    """Those that fit, from the first on."""
    pieces = []
    for thing in things:
        piece = draw(thing)
        room -= len(piece)
        if room < 0:
            break
        pieces.append(piece)
    return pieces
