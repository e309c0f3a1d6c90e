"""A recording in place of an agent: the face of a `Driver`, with a player behind it.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import logging
import math
import os
from collections.abc import Mapping
from typing import Any

from . import errors, policy, runtime
from .asking import Asking, Audience
from .controls import Controls, Remote
from .driver import COARSE, Driver
from .playing import Clock, Playing
from .recording.lesson import Lesson
from .recording.notes import note_of
from .recording.traffic import MESSAGES, Passed, Traffic
from .registry import Launch
from .session.edit import Outcome
from .session.reducer import reduce
from .session.state import State
from .tape import Tape

log = logging.getLogger(__name__)

_SHOWN = 200  # characters of what an agent said, in our sentences
_LIVE = "Agent(…) starts one that can."


class ReplayDriver(Driver):
    """Has the face of a `Driver`, and no agent behind it."""

    grace = 0.0

    def __init__(
        self,
        lesson: Lesson,
        *,
        speed: float,
        audience: Audience,
        nobody_after: float | None,
        clock: Clock | None = None,
    ) -> None:
        self.lesson, self.script = lesson, lesson.script
        script = self.script
        label = script.header.get("label")
        super().__init__(
            Launch((), label if isinstance(label, str) else script.name),
            cwd=os.sep,
            temporary=False,
            env=None,
            permissions="ask",
            start_timeout=None,
            nobody_after=nobody_after,
            audience=audience,
        )
        self.asking = ReplayAsking(self, audience)
        self.controls = Controls(self.state, lambda: None, self._no_agent)
        self.remote = Remote(self.controls, check=self.check_live, report=self.report)
        self.playing = Playing(
            lesson, self.state, self, speed=speed, audience=audience, nobody_after=nobody_after, clock=clock
        )
        self.tape = ReplayTape(self.playing)
        self._changed = False
        self.playing.playback.hear_nothing()
        self.tell_player(anew=True)

    # --- from any thread -------------------------------------------------------------------------------------------

    def _no_agent(self) -> errors.AcpError:
        return errors.NotOffered(
            f"This is a replay of {self.script.name}: there is no agent behind it that could be asked.",
            hint=f"agent.player plays it. {_LIVE}",
        )

    def check_live(self) -> None:
        """Raise `NotOffered`: nobody is there. From any thread."""
        self.check_process()
        raise errors.NotOffered(
            f"A replay cannot be prompted, started or asked: it plays {self.script.name}, and no agent is behind it.",
            hint=f"agent.player plays it. {_LIVE}",
        )

    def check_policy(self, permissions: object) -> policy.Permissions:
        """`recorded` or `ask`. From any thread."""
        if permissions not in ("recorded", "ask"):
            raise ValueError(f"permissions={permissions!r}: a replay takes 'recorded' or 'ask'.")
        return permissions  # type: ignore[return-value]

    # --- what a driver does ----------------------------------------------------------------------------------------

    def emit(self, event: dict[str, Any]) -> None:
        """Nothing but the recording changes the state: what is wrong beside it is logged."""
        log.warning("In a replay: %s", event.get("message") or event.get("type"))

    def set_policy(self, permissions: policy.Permissions) -> None:
        """Whether it asks, from the next question on."""
        self.lesson.asks = self.lesson.predict or permissions == "ask"
        self.playing.look_again()

    def start(self) -> None:
        """There is nothing to be started."""
        self.check_live()

    def restart(self) -> None:
        """There is nothing to be started."""
        self.check_live()

    def cancel(self, why: str = "") -> None:
        """Stop playing."""
        self.playing.pause()

    def cancel_turn(self, turn: str) -> None:
        """Stop playing while that turn is."""
        if turn == self.state.active_turn():
            self.playing.pause()

    def idle(self) -> bool:
        """Nothing comes any more."""
        return self.closed or self.playing.over

    def when_idle(self, future: concurrent.futures.Future[None]) -> None:
        """As of an agent. What waits for somebody to begin is begun where nobody can."""
        super().when_idle(future)
        if not self.closed:
            self.playing.await_somebody()

    def settle(self) -> None:
        """Tell who waits; end when nobody holds the Agent or could go on with it."""
        if self.idle():
            waiters, self._idle_waiters = self._idle_waiters, []
            for waiter in waiters:
                if waiter.set_running_or_notify_cancel():
                    waiter.set_result(None)
        else:
            self.asking.tell_waiters()
            if self.playing.goes_on:
                return
        if self.abandoned and (self.closed or not self.in_use()):
            if not self.closed:
                self._close_soon()
            elif not self._leaving:
                (self.end_telling if self.twin else self.leave)()

    def _close_soon(self) -> asyncio.Task[None]:
        if self._closing is None:
            self.closed = True
            self.playing.halt()
            if not self.playing.over:
                closed = errors.AgentClosed("This replay was closed before its end.", hint="Agent.replay(…) plays it.")
                self.prompts.fail_all(closed)
                event = {"type": "ended", "at": self.playing.playback.now, "connection": "closed", "error": None}
                self.happened(reduce(self.state, event))
            self.tell_player()
            self._closing = asyncio.ensure_future(self._leaving.over())
            self._closing.add_done_callback(lambda _: self.settle())
        return self._closing

    # --- what is told ----------------------------------------------------------------------------------------------

    def happened(self, outcome: Outcome) -> None:
        """What one event of the recording has done to the state."""
        if not outcome.ops:
            return
        runtime.tell(self.on_operations, outcome.ops)
        runtime.tell(self.on_told, outcome.ops)
        touched = {operation[1][0] for operation in outcome.ops}
        if touched.isdisjoint(COARSE):
            return
        self._changed = True
        if "session" in touched:
            self._see_error()
        paths = [operation[1] for operation in outcome.ops if operation[1][0] == "turns"]
        for turn in {path[1] for path in paths if len(path) > 1}:
            entity = self.state.get("turns", turn)
            if entity is not None and entity["status"] == "failed" and self.error is not None:
                self.prompts.fail(turn, copy.copy(self.error))
            self.prompts.see_end(turn)

    def _fresh(self, label: str) -> State:
        return State()  # the recording tells whose it is

    def _see_error(self) -> None:
        """Why the agent ended then."""
        session = self.state.part("session")
        if session["error"] is not None:
            self.error = _error_of(session["error"])
        elif session["connection"] != "closed":  # whoever closes it knows it still
            self.error = None

    def went_back(self) -> None:
        """The state is an earlier one."""
        self.prompts.reopen()
        self.error = None
        self._see_error()
        self._changed = True
        runtime.tell(self.on_anew)

    def warn(self, text: str) -> None:
        """For who waits."""
        log.warning("%s", text)
        self.asking.warnings.append((text, errors.NobodyWatching))

    def tell_player(self, *, anew: bool = False) -> None:
        """Bring the player's part of the state up to date; `anew`: also what is drawn of the whole."""
        playing, script, lesson = self.playing, self.script, self.lesson
        position = playing.position
        told = {
            **{"type": "player", "position": position, "playing": playing.on},
            **{"speed": None if math.isinf(playing.speed) else playing.speed, "at": script.at(position)},
            **{"clock": script.clocks[position - 1] if position else None, "note": lesson.note(position)},
            **{"ask": None if self.closed else lesson.ask(position)},
            **{"choices": [each.to_dict() for each in lesson.choices]},
            **{"end": script.ending if playing.playback.over else None},
        }
        if anew:
            told.update(name=script.name, count=script.count, length=script.at(script.count), **lesson.map())
            told["problem"] = _problem(script.problems)
        outcome = reduce(self.state, told)
        if outcome.ops:
            runtime.tell(self.on_operations, outcome.ops)
        if self._changed:
            self._changed = False
            runtime.tell(self.on_change)


class ReplayTape(Tape):
    """What passed up to where it is; notes go to those of the replay."""

    def __init__(self, playing: Playing) -> None:
        super().__init__()
        self._playing = playing
        self.traffic = _Traffic(playing)

    def note(self, note: Mapping[str, Any]) -> None:
        """One more, at the position. Raises `ValueError` for what is none."""
        self._playing.add_note(note_of(note, position=self._playing.position))


class _Traffic(Traffic):
    def __init__(self, playing: Playing) -> None:
        super().__init__()
        self._playing = playing

    def kept(self) -> list[Passed]:
        """The newest messages up to the position, oldest first. From any thread."""
        script, position = self._playing.script, self._playing.position
        heard = [(number, script.steps[number][-1]) for number in range(position)]
        passed = [(number, record) for number, record in heard if record.get("dir") in ("in", "out")]
        return [
            Passed(count, script.clocks[number] or script.times[number], record["dir"], record, lambda _, said: said)
            for count, (number, record) in enumerate(passed, 1)
        ][-MESSAGES:]


class ReplayAsking(Asking):
    """The permission requests of a replay: they were answered long ago."""

    def __init__(self, driver: ReplayDriver, audience: Audience) -> None:
        super().__init__(driver.state, driver.emit, audience, permissions="ask", nobody_after=None)
        self._driver = driver

    def answer(self, permission: str, option_id: str, *, by: str, why: str | None = None) -> None:
        """Choose it for oneself, where it is asked."""
        self._driver.playing.answer(permission, option_id)

    def dismiss(self, permission: str, *, by: str, why: str | None = None) -> None:
        """Choose none for oneself, where it is asked."""
        self._driver.playing.answer(permission, None)

    def answer_and_remember(self, permission: str, option_id: str, rule: str) -> None:
        """No rule is made of it."""
        self._driver.check_live()

    def add(self, word: str, rule: policy.Rule | str) -> None:
        """No rule decides anything here."""
        self._driver.check_live()

    def revoke(self, text: str) -> None:
        """No rule decides anything here."""
        self._driver.check_live()

    def explain(self, permission: str) -> policy.Verdict:
        """No rule decides anything here."""
        raise errors.NotOffered("A replay decides nothing: its requests were answered when it was recorded.")

    def look(self) -> None:
        """Nobody answers what was answered."""

    def _wanted(self) -> str | None:
        playing, lesson = self._driver.playing, self._driver.lesson
        if playing.on or playing.over:
            return None
        question = lesson.open(playing.position)
        return "The replay is paused" if question is None else f"The replay asks {question.text[:_SHOWN]!r}"


def _error_of(told: Mapping[str, Any]) -> errors.AcpError:
    """An error as the state shows it, again as one."""
    kind = getattr(errors, str(told.get("name")), None)
    known = isinstance(kind, type) and issubclass(kind, errors.AcpError) and kind is not errors.RequestError
    message, hint, stderr = (str(told.get(name) or "") for name in ("message", "hint", "stderr"))
    return (kind if known else errors.AcpError)(message, hint=hint, stderr=stderr)  # type: ignore[misc]


def _problem(problems: list[str]) -> str | None:
    if not problems:
        return None
    more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
    return f"{problems[0][:_SHOWN]}{more}"
