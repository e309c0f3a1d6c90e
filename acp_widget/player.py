"""`agent.player`: how a replay is played."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import errors, runtime
from .playing import Playing
from .recording import notes as noted

_KINDS = ("prompt", "permission", "note", "end")


class Player:
    """The player of a replay (`agent.player`): where it is, and how it goes on. For any thread.

    `position`: how many records of the file were played, from 0 to `count`. What moves it returns when it is there,
    and raises `AcpError` with a sentence where that cannot be.

    >>> from acp_widget import Agent
    >>> agent = Agent.replay("tests/traces/sdk-v2-agent-main.jsonl", paused=True)
    >>> agent.player.next("permission").position
    24
    >>> agent.pending[0].title
    'Run this command?'
    >>> agent.player.back().position < 24
    True
    """

    def __init__(self, playing: Playing, path: str, check: Callable[[], None]) -> None:
        self._playing, self._path, self._check = playing, path, check

    # --- where it is -----------------------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many records were played."""
        return self._playing.position

    @property
    def count(self) -> int:
        """How many there are."""
        return self._playing.script.count

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself now: not while it is paused, asks, or is at its end."""
        return self._playing.on

    @property
    def speed(self) -> float:
        """How many times as fast as it was recorded; `float("inf")`: as fast as possible. Assign it at any time."""
        return self._playing.speed

    @speed.setter
    def speed(self, value: float) -> None:
        speed = checked_speed(value)
        self._do(lambda: self._playing.set_speed(speed))

    @property
    def end(self) -> str | None:
        """How it ended: `complete`, `cut short`, `no session` or `empty`; None before the end."""
        return self._playing.script.ending if self._playing.playback.over else None

    @property
    def notes(self) -> list[dict[str, Any]]:
        """Its notes, as plain data: those that may be seen by now."""
        limit = self._playing.lesson.limit
        return [note.to_dict() for note in self._playing.script.notes if note.position <= limit]

    @property
    def marks(self) -> list[dict[str, Any]]:
        """Where one may want to go: `position`, `kind` (`prompt permission note end`) and `title` of each."""
        return self._playing.lesson.seen_marks()

    @property
    def question(self) -> dict[str, Any] | None:
        """What is asked here and waits for `choose()`; else None."""
        return self._playing.lesson.ask(self.position)

    @property
    def choices(self) -> list[dict[str, Any]]:
        """What was chosen so far: `position question chosen recorded right` (None where nobody said what is)."""
        return [each.to_dict() for each in self._playing.lesson.choices]

    # --- how it goes on --------------------------------------------------------------------------------------------

    def play(self) -> Player:
        """Go on from here; at the end, from the beginning."""
        return self._do(self._playing.play)

    def pause(self) -> Player:
        """Stand still."""
        return self._do(self._playing.pause)

    def step(self, n: int = 1, *, messages: bool = False) -> Player:
        """Go `n` beats on, then stand still: chunks of one text are one beat. `messages=True`: single records.

        Stops at a question.
        """
        count = _checked(n, "n", 1)
        return self._do(lambda: self._playing.step(count, message=messages))

    def back(self, n: int = 1, *, messages: bool = False) -> Player:
        """Go `n` beats back, then stand still."""
        count = _checked(n, "n", 1)
        return self._do(lambda: self._playing.back(count, message=messages))

    def seek(self, position: int) -> Player:
        """Go to a position, from 0 to `count`; goes on playing if it did."""
        place = _checked(position, "position", 0)
        return self._do(lambda: self._playing.seek(place))

    def next(self, kind: str | None = None) -> Player:
        """Go to the next mark, or the next one of a kind: `prompt permission note end`."""
        return self._leap(kind, forward=True)

    def previous(self, kind: str | None = None) -> Player:
        """Go to the mark before, or the one of a kind."""
        return self._leap(kind, forward=False)

    def choose(self, option: str | None) -> Player:
        """Answer what is asked here (`question`) by the id of an option, or by its name; None dismisses it.

        It goes on as recorded; `choices` has both.
        """
        if option is not None and not isinstance(option, str):
            raise TypeError(f"An option is named by its id, a text, not {type(option).__name__}.")
        return self._do(lambda: self._playing.choose(option))

    def save_notes(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Write the notes to a file, by default beside the recording, where `Agent.replay` finds them; its path."""
        target = noted.beside(self._path) if path is None else Path(path)
        noted.write(self._playing.script.notes, target)
        return target

    # --- inside ----------------------------------------------------------------------------------------------------

    def _leap(self, kind: str | None, *, forward: bool) -> Player:
        if kind not in (None, *_KINDS):
            raise ValueError(f"{kind!r} is no kind of mark. There are: {', '.join(_KINDS)}.")
        return self._do(lambda: self._playing.leap(kind, forward=forward))

    def _do(self, work: Callable[[], Any]) -> Player:
        __tracebackhide__ = True
        self._check()
        if runtime.here():
            work()
            return self

        async def done() -> None:
            moving = work()
            if moving is not None:
                await moving

        try:
            runtime.submit(done()).result()
        except errors.AcpError as error:
            raise error.with_traceback(None) from None
        return self

    def __repr__(self) -> str:
        playing = self._playing
        how = "asks" if self.question is not None else "plays" if self.playing else self.end or "paused"
        return f"<Player of {playing.script.name!r}, {self.position}/{self.count}, {how}>"


def checked_speed(value: object) -> float:
    """Raises `TypeError` and `ValueError` for what is no speed."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"speed= takes a number, 2 for twice as fast, not {type(value).__name__}.")
    speed = float(value)
    if math.isnan(speed) or speed <= 0:
        raise ValueError(f"speed= takes a number above 0, not {value!r}; float('inf') is as fast as possible.")
    return speed


def _checked(value: object, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}.")
    if value < least:
        raise ValueError(f"{name} is a number from {least} on, not {value}.")
    return value
