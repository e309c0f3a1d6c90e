"""What of a recording is one step for somebody who watches: told by what each record changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..session.operations import Operation
from ..session.words import TURN_OVER

_STREAMED: Final = ("messages", "toolCalls", "terminals")
_SHOWN: Final = frozenset({*_STREAMED, "permissions", "plans", "notices", "compactions", "unknownUpdates"})
_MADE: Final = 2  # steps of the path of a whole entity

Beat = tuple[str, ...]
"""What a record belongs to. Records with the same one, directly after each other, are one beat; `OWN` equals none."""
OWN: Beat = ()


def beat_of(operations: Iterable[Operation]) -> Beat | None:
    """The beat of what one record changed; None when nobody sees it.

    >>> beat_of([("bytes", "x:1", b"hi")]), beat_of([("set", ("usage", "used"), 1)])
    (('terminals', 'x:1'), None)
    """
    touched: dict[Beat, None] = {}
    for name, target, *rest in operations:
        if isinstance(target, str):
            touched["terminals", target] = None
        elif _is_own(name, target, rest):
            return OWN
        elif target[0] in _STREAMED:
            touched[target[:2]] = None
    shown = [each for each in touched if each[0] != "toolCalls"] or list(touched)
    return None if not shown else shown[0] if len(shown) == 1 else OWN


def _is_own(name: str, path: tuple[Any, ...], values: Sequence[Any]) -> bool:
    group = path[0]
    if group == "turns":
        # A prompt; the end of a turn. That it has begun, or work that no prompt began, is told by what comes of it.
        if len(path) == _MADE and values:
            return values[0]["prompt"] is not None
        return len(path) < _MADE or (path[2:] == ("status",) and values[0] in ("queued", "sent", *TURN_OVER))
    if group == "session":
        return path[1:] == ("connection",) and values[0] in ("closed", "failed")
    if group not in _SHOWN:
        return False
    if group not in _STREAMED:
        return group != "permissions" or len(path) <= _MADE or path[2] == "status"
    is_new_call = group == "toolCalls" and len(path) == _MADE
    return len(path) < _MADE or name == "delete" or is_new_call or path[2:] == ("status",)


def ends(beats: Sequence[Beat | None]) -> list[int]:
    """Where the beats of records end, as positions. What nobody sees goes with what comes after it.

    >>> ends([None, ("messages", "a"), ("messages", "a"), OWN, None])
    [3, 5]
    """
    found: list[int] = []
    last: Beat | None = None
    for position, beat in enumerate(beats, 1):
        if beat is None:
            continue
        if found and beat == last and beat is not OWN:
            found[-1] = position
        else:
            found.append(position)
        last = beat
    if beats:
        found[-1:] = [len(beats)]
    return found
