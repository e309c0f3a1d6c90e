"""How a recording is played: its clock, its questions, and how far it has come.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from . import errors
from .asking import Audience
from .recording.lesson import Lesson
from .recording.notes import Note
from .recording.playback import Playback
from .recording.script import Question
from .session.edit import Outcome
from .session.state import State

log = logging.getLogger(__name__)

_SLICE = 0.01  # seconds of work at once: others want the thread, too
_SOON = 1e-4  # seconds of the recording that are not waited for: less than a timer can tell apart
_TICK = 0.25  # seconds between two looks at whether somebody came
_SHOWN = 200  # characters of what an agent said, in our sentences


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """What time it is, and a call after some of it: a loop has that."""

    def time(self) -> float: ...

    def call_later(self, delay: float, function: Callable[[], object], /) -> Timer: ...


class Owner(Protocol):
    """Who plays, and is told what comes of it."""

    closed: bool

    def happened(self, outcome: Outcome) -> None:
        """What one event of the recording has done to the state."""

    def went_back(self) -> None:
        """The state is an earlier one."""

    def tell_player(self, *, anew: bool = False) -> None:
        """Where it stands has changed; `anew`: where it may go, too."""

    def settle(self) -> None:
        """Perhaps nothing comes any more."""

    def warn(self, text: str) -> None:
        """For who waits."""


class Playing:
    """One lesson that is played. `owner` is told of it."""

    def __init__(
        self,
        lesson: Lesson,
        state: State,
        owner: Owner,
        *,
        speed: float,
        audience: Audience,
        nobody_after: float | None,
        clock: Clock | None,
    ) -> None:
        self.lesson, self.script = lesson, lesson.script
        self.playback = Playback(self.script.steps, state=state, on_outcome=owner.happened)
        self.on = False
        """Whether it goes on by itself."""
        self.speed = speed
        self._owner = owner
        self._audience, self._nobody_after = audience, nobody_after
        self._clock = clock
        self._timer: Timer | None = None
        self._base = (0.0, 0.0)  # what the clock said when it was played so far
        self._touched = False  # begun by somebody, or stopped
        self._resume = False  # it played when the question came
        self._moves = 0
        self._moving = False
        self._watching: asyncio.Task[None] | None = None
        self._warned = False

    # --- from any thread -------------------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """How many records were heard. From any thread."""
        return self.playback.position

    @property
    def over(self) -> bool:
        """Whether it has come to the end. From any thread."""
        return self.playback.over and not self._moving

    @property
    def goes_on(self) -> bool:
        """Whether anything will happen that nobody has to do. From any thread."""
        return self.on or self._moving or self._watching is not None

    def look_again(self) -> None:
        """What is asked, or how far one may go, has changed."""
        self._arrived(anew=True)

    def await_somebody(self) -> None:
        """Somebody waits for its end: what was never begun is begun where nobody can."""
        if not self._touched and not self.over and self._watching is None:
            self._watch(self._nobody_began)

    # --- playing ---------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Go on from here; at the end from the beginning. Raises where a choice is waited for."""
        self._check_open()
        self._check_answered()
        self.begin()

    def begin(self) -> None:
        """The same, whatever is asked."""
        self._touched = True
        if self.on or self._owner.closed:
            return
        self.on = True
        if self.playback.over and self.script.count:
            self.move(0)
        else:
            self._arrived()

    def pause(self) -> None:
        """Stand still."""
        self._touched = True
        self._stand()
        self._owner.tell_player()
        self._owner.settle()

    def set_speed(self, speed: float) -> None:
        """How many times as fast as it was; `math.inf`: as fast as possible."""
        self.speed = speed
        self._owner.tell_player()
        if self.on and not self._moving:
            self._go_on()

    def step(self, count: int = 1, *, message: bool = False) -> asyncio.Future[None]:
        """So many beats, or single records, forwards: not past a question. Raises where there is nothing."""
        self._check_open()
        self._check_answered()
        if self.playback.over:
            raise errors.NotOffered("This is the end of the recording.", hint="One step back, or seek(0).")
        here = self.position
        target = here + count if message else self.lesson.forward(here, count)
        return self._walk(min(target, self.lesson.first_open(here), self.script.count))

    def back(self, count: int = 1, *, message: bool = False) -> asyncio.Future[None]:
        """The same, backwards."""
        self._check_open()
        if self.position == 0:
            raise errors.NotOffered("This is the beginning of the recording.")
        here = self.position
        return self._walk(max(0, here - count if message else self.lesson.backward(here, count)))

    def _walk(self, position: int) -> asyncio.Future[None]:
        self._touched = True
        self._stand()
        return self.move(position)

    def seek(self, position: int) -> asyncio.Future[None]:
        """Go there, and go on playing if it did. Raises where that cannot be seen, and for no position."""
        self._check_open()
        if not 0 <= position <= self.script.count:
            raise errors.NotOffered(f"There is no position {position}: they go from 0 to {self.script.count}.")
        if position > self.lesson.limit:
            raise errors.NotOffered(
                f"What comes after position {self.lesson.limit} can be seen when you have chosen what comes next."
            )
        self._touched = True
        return self.move(position)

    def leap(self, kind: str | None, *, forward: bool) -> asyncio.Future[None]:
        """Go to the next or the previous mark of that kind. Raises where there is none."""
        self._check_open()
        mark = self.lesson.mark(self.position, kind, forward=forward)
        if mark is None:
            where = "after" if forward else "before"
            raise errors.NotOffered(f"There is no {kind or 'mark'} {where} position {self.position}.")
        limit = self.lesson.limit
        return self.seek(min(mark.position, limit) if self.position < limit else mark.position)

    def move(self, position: int) -> asyncio.Future[None]:
        """Go to a position; what is under way to another one is given up."""
        self._moves += 1
        self._moving = True
        self._stop_timer()
        moving = asyncio.ensure_future(self._move(position, self._moves))
        return moving

    async def _move(self, position: int, mine: int) -> None:
        until = time.perf_counter() + _SLICE
        back = position < self.position
        for _ in self.playback.anew(position) if back else self._forward(position):
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + _SLICE
            if mine != self._moves:
                return
        if mine != self._moves:
            return
        if back:
            self._owner.went_back()
        self._moving = False
        self._arrived()

    def _forward(self, position: int) -> Iterator[None]:
        while self.position < position:
            self.playback.hear()
            yield

    def _tick(self) -> None:
        """Hear what is due by now."""
        self._timer = None
        began, played = self._base
        until = time.perf_counter() + _SLICE
        due = math.inf if math.isinf(self.speed) else played + (self._time() - began) * self.speed
        stop = self.lesson.first_open(self.position)
        while self.position < stop and self.script.times[self.position] <= due + _SOON and time.perf_counter() < until:
            self.playback.hear()
        self._arrived(due)

    def _arrived(self, due: float | None = None, *, anew: bool = False) -> None:
        """Say where it is, and see how it goes on. `due`: up to when all was heard, while it is played."""
        question = self.lesson.open(self.position)
        if self.on and (question is not None or self.playback.over):
            self._resume = question is not None
            self.on = False
            self._stop_timer()
            if question is not None:
                self._watch(lambda: self._nobody_chose(question))
        self._owner.tell_player(anew=anew)
        if self.on and not self._moving:
            self._go_on(due)
        self._owner.settle()

    def _go_on(self, due: float | None = None) -> None:
        self._stop_timer()
        if due is None:
            self._base = self._time(), self.script.at(self.position)
            due = self._base[1]
        next_at = self.script.times[self.position]
        delay = 0.0 if math.isinf(self.speed) else max(0.0, (next_at - due) / self.speed)
        self._timer = (self._clock or asyncio.get_running_loop()).call_later(delay, self._tick)

    def _time(self) -> float:
        return (self._clock or asyncio.get_running_loop()).time()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stand(self) -> None:
        self.on = self._resume = False
        self._stop_timer()
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def halt(self) -> None:
        self._moves += 1
        self._moving = False
        self._stand()

    def _check_open(self) -> None:
        if self._owner.closed:
            raise errors.AgentClosed("This replay was closed.", hint="Agent.replay(…) plays it again.")

    def _check_answered(self) -> None:
        if self.lesson.open(self.position) is not None:
            raise errors.NotOffered("Something is asked here: choose an answer first.", hint="agent.player.choose(…)")

    # --- questions -------------------------------------------------------------------------------------------------

    def choose(self, option_id: str | None) -> None:
        """Answer what is asked here, for oneself: it goes on as recorded. None: dismiss it."""
        self._check_open()
        question = self.lesson.open(self.position)
        if question is None:
            raise errors.AnswerRefused("Nothing is asked here.")
        chosen = question.option(option_id) if option_id is not None else None
        if option_id is not None and chosen is None:
            known = ", ".join(f"{each!r} ({name})" for each, name in question.options)
            raise errors.AnswerRefused(f"There is no such option: {option_id[:_SHOWN]!r}.", hint=f"There are: {known}.")
        self.lesson.choose(question, chosen)
        self._answered()

    def answer(self, permission: str, option_id: str | None) -> None:
        """The same, by the card of a permission request."""
        question = self.lesson.open(self.position)
        if question is None or question.permission != permission:
            raise errors.AnswerRefused(
                "This is a replay, which goes on as recorded.", hint="Agent.replay(…, permissions='ask') asks."
            )
        self.choose(option_id)

    def _answered(self) -> None:
        resume = self._resume
        self._stand()
        self.on = resume
        self._arrived(anew=True)

    def _nobody_chose(self, question: Question) -> None:
        if not self._warned:
            self._warned = True
            text = (
                f"The replay asked {question.text[:_SHOWN]!r} and nobody could choose, so it goes on as recorded. "
                "Show agent in a notebook, or leave out permissions='ask' and predict=True."
            )
            log.warning("%s", text)
            self._owner.warn(text)
        self.lesson.pass_by(question)
        self._answered()

    def _nobody_began(self) -> None:
        if not self._touched:
            text = "The replay was paused and nobody could begin it, so it plays. agent.player.play() begins it."
            self._owner.warn(text)
            self.begin()

    def _watch(self, nobody: Callable[[], object]) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._watching = asyncio.ensure_future(self._wait_for_somebody(nobody))

    async def _wait_for_somebody(self, nobody: Callable[[], object]) -> None:
        """Where no view comes that could, what nobody does is done."""
        audience, given = self._audience, self._nobody_after
        patience = audience.patience(given) if audience.possible() else given or 0.0
        before, waited = audience.readable_seconds(), 0.0
        while waited < patience and not audience.seen():
            await asyncio.sleep(_TICK)
            now = audience.readable_seconds()
            waited, before = waited + max(0.0, now - before), now
        self._watching = None
        if not audience.seen():
            nobody()

    # --- notes -----------------------------------------------------------------------------------------------------

    def add_note(self, note: Note) -> None:
        """One more."""
        self._check_open()
        self.script.notes.append(note)
        self.lesson.look_at_notes()
        self.look_again()
