"""`Agent.replay`: an Agent that plays a recording. The part of `Agent` that makes one."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from . import policy, runtime
from .arguments import check_seconds, check_switch
from .buttons import ReplayButtons
from .callbacks import Callbacks
from .player import Player, checked_speed
from .recording import notes as noted
from .recording import script as scripts
from .recording.lesson import Lesson
from .replay import ReplayDriver
from .stage import Audience, Stage

R = TypeVar("R", bound="Replaying")
Notes = str | os.PathLike[str] | Iterable[Mapping[str, Any]] | None
"""What may be given as `notes=`."""


class Replaying(Callbacks):
    """What an Agent that plays a recording has of its own."""

    _player: Player | None = None
    _stage: Stage
    _permissions: policy.Permissions
    _label: str
    _cwd: str

    @classmethod
    def replay(
        cls: type[R],
        path: str | os.PathLike[str],
        *,
        speed: float = 1.0,
        permissions: str = "recorded",
        notes: Notes = None,
        predict: bool = False,
        paused: bool = False,
        max_pause: float | None = 3.0,
        nobody_after: float | None = None,
    ) -> R:
        """An Agent that plays a recording: no agent, no key and no network is needed. It starts by itself.

        `path`: a cassette (`Agent(…, record=…)`), or a trace of both sides of a connection. Whatever is in the file,
        what can be read of it is played; `agent.player.end` tells how it ended.
        `speed`: how many times as fast as it was; `float("inf")`: as fast as possible.
        `permissions`: `"recorded"`, or `"ask"`: it stops at each question until somebody has chosen, goes on as
        recorded, and tells both. `predict=True` asks too, and nothing of what comes after can be seen before.
        `notes`: a file, or a list of `{"position", "title", "text"}`, in place of those in the recording; by default
        those of the file beside it, `fix.notes.json` of `fix.jsonl`, when there is one.
        `paused=True`: wait for `agent.player.play()`. `max_pause`: longer pauses are played as so many seconds; None:
        all as they were. `nobody_after`: seconds after which a question that no open view could show is passed by.

        `agent.player` plays it: `step()`, `back()`, `seek()`, … The rest is as of a live session, but that it cannot be
        prompted. Raises `OSError` when the file cannot be read, and `ValueError` for notes that are none.

        >>> from acp_widget import Agent
        >>> agent = Agent.replay("tests/traces/sdk-v2-agent-main.jsonl", speed=float("inf")).wait()
        >>> agent.turns[0].stop_reason, agent.player.end
        ('end_turn', 'complete')
        """
        lesson = _lesson(path, notes, permissions, predict, max_pause)
        speed = checked_speed(speed)
        check_switch(paused, "paused")
        check_seconds(nobody_after, "nobody_after")
        agent = cls.__new__(cls)
        audience = Audience()
        driver = ReplayDriver(lesson, speed=speed, audience=audience, nobody_after=nobody_after)
        header = lesson.script.header
        agent._driver = driver
        agent._permissions = driver.check_policy(permissions)
        agent._label = f"a replay of {lesson.script.name}"
        agent._cwd = header["cwd"] if isinstance(header.get("cwd"), str) else ""
        agent._player = Player(driver.playing, os.fspath(path), driver.check_process)
        agent._stage = Stage(driver, audience, nobody_after=nobody_after, actions=ReplayButtons(driver))
        agent._end_when_dropped()
        if not paused:
            runtime.call(driver.playing.begin)
        return agent

    @property
    def player(self) -> Player | None:
        """Plays the recording; None for an agent that is live."""
        return self._player

    def _end_when_dropped(self) -> None:
        raise NotImplementedError


def _lesson(path: Any, notes: Notes, permissions: Any, predict: Any, max_pause: Any) -> Lesson:
    if permissions not in ("recorded", "ask"):
        raise ValueError(f"permissions={permissions!r}: a replay takes 'recorded' or 'ask'.")
    check_switch(predict, "predict")
    check_seconds(max_pause, "max_pause")
    if max_pause is not None and max_pause < 0:
        raise ValueError(f"max_pause= takes seconds from 0 on, not {max_pause!r}.")
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"A recording is a file, a text or a Path, not {type(path).__name__}.")
    given = _given(notes)
    script = scripts.read(os.fspath(path), max_pause=math.inf if max_pause is None else float(max_pause))
    if given is None and noted.beside(path).is_file():
        try:
            given = noted.read(noted.beside(path))
        except (OSError, ValueError) as wrong:
            script.problems.append(f"The notes beside it cannot be read: {wrong}")
    if given is not None:
        script.notes = given
    return Lesson(script, asks=permissions == "ask", predict=predict)


def _given(notes: Notes) -> list[noted.Note] | None:
    if notes is None:
        return None
    return noted.read(notes) if isinstance(notes, (str, os.PathLike)) else noted.notes_of(notes)
