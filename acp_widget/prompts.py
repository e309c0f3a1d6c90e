"""The prompts of one agent: those that wait to be sent, how each turn ended, and who waits for that.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import concurrent.futures
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from . import errors, runtime
from .protocol.refusals import AUTH_REQUIRED
from .session.state import State
from .session.words import TURN_OVER

Blocks = list[dict[str, Any]]

Choose: TypeAlias = Callable[..., Blocks]
"""Content blocks for an agent with given prompt capabilities; without them, what is shown while they are not known."""


class Prompts:
    """`on_over(turn)` is called once for each turn, just before those who wait for it go on."""

    def __init__(self, state: State, emit: Callable[[dict[str, Any]], None]) -> None:
        self.on_over: Callable[[str], None] = lambda turn: None
        self._state, self._emit = state, emit
        self._queue: deque[str] = deque()
        self._blocks: dict[str, Choose] = {}
        self._unsent: dict[str, Choose] = {}  # of prompts that were never sent
        self._again: set[str] = set()  # turns that were sent before, when the agent wanted a login first
        self._over: dict[str, concurrent.futures.Future[None]] = {}
        self._failures: dict[str, errors.AcpError] = {}

    def __len__(self) -> int:
        """How many wait to be sent."""
        return len(self._queue)

    def __contains__(self, turn: object) -> bool:
        return turn in self._queue

    # --- the queue -------------------------------------------------------------------------------------------------

    def add(self, turn: str, blocks: Choose) -> None:
        """Behind all others."""
        self._blocks[turn] = blocks
        self._queue.append(turn)

    def hold(self, turn: str) -> None:
        """The agent did not take this one for now: it is the next again."""
        entity = self._state.get("turns", turn)
        sent: Blocks = list((entity["prompt"] if entity else None) or [])
        self._blocks[turn] = lambda *capabilities: sent
        self._queue.appendleft(turn)
        self._again.add(turn)

    def again(self, turn: str) -> Choose | None:
        """The blocks of a prompt, to send them once more; None when there is no such prompt."""
        waiting = self._unsent.get(turn) or self._blocks.get(turn)
        if waiting is not None:
            return waiting
        entity = self._state.get("turns", turn)
        sent = None if entity is None else entity["prompt"]
        if not sent:
            return None
        # What an agent tells in a replay is nothing that we attached, whatever it says.
        ours = entity is not None and entity["source"] is not None
        blocks = [{name: part for name, part in block.items() if ours or name != "_meta"} for block in sent]
        return lambda *capabilities: blocks

    @property
    def first(self) -> str:
        """The next one."""
        return self._queue[0]

    def take(self) -> tuple[str, Blocks, bool]:
        """The next one, its blocks, and whether it was sent before."""
        turn = self._queue.popleft()
        again = turn in self._again
        self._again.discard(turn)
        return turn, self._blocks.pop(turn)(self._state.part("session")["promptCapabilities"]), again

    def drop(self, turn: str, why: str) -> None:
        """This one is never sent."""
        if turn in self._queue:
            self._queue.remove(turn)
            self._unsent[turn] = self._blocks.pop(turn)
            self._again.discard(turn)
        self._emit({"type": "promptDropped", "turn": turn, "why": why})

    def drop_all(self, why: str) -> None:
        """Nothing that waits is ever sent."""
        while self._queue:
            self.drop(self._queue[0], why)

    def forget(self) -> None:
        """As `drop_all()`, for a connection whose end the state tells itself."""
        self._queue.clear()
        self._unsent.update(self._blocks)
        self._blocks.clear()
        self._again.clear()

    # --- ends ------------------------------------------------------------------------------------------------------

    def over(self, turn: str) -> concurrent.futures.Future[None]:
        """A future that is done when the turn is over. From any thread."""
        return self._over.setdefault(turn, concurrent.futures.Future())

    def failure(self, turn: str) -> errors.AcpError | None:
        """Why the turn failed, when it did. From any thread."""
        return self._failures.get(turn)

    def fail(self, turn: str, error: errors.AcpError) -> None:
        """The turn will be over for this reason."""
        self._failures.setdefault(turn, error)

    def fail_all(self, error: errors.AcpError) -> None:
        """What is under way and what waits will be over for this reason."""
        active = self._state.active_turn()
        for turn in [*([active] if active else []), *self._queue]:
            self.fail(turn, error)

    def see_end(self, turn: str) -> None:
        """When the turn is over, say so once."""
        entity = self._state.get("turns", turn)
        future = self.over(turn)
        if entity is None or entity["status"] not in TURN_OVER or future.done():
            return
        if entity["status"] == "failed":
            self.fail(turn, _error_of(entity["error"] or {}))
        # First the transcript: a notebook that is executed as a whole stops listening when its last cell is over.
        runtime.tell(self.on_over, turn)
        future.set_result(None)

    def reopen(self) -> None:
        """A replay has gone back: turns that were over may not be any more."""
        over = set(self._state.turns_over())
        for turn in [turn for turn, future in self._over.items() if future.done() and turn not in over]:
            del self._over[turn]
            self._failures.pop(turn, None)


def _error_of(error: Mapping[str, Any]) -> errors.AcpError:
    """The error of a turn that the agent refused, or stopped with an error."""
    code, message = error.get("code"), str(error.get("message") or "The agent gave no reason.")
    if code == AUTH_REQUIRED:
        return errors.AuthRequired(message, hint="Log in with the agent's own command, then try again.")
    return errors.RequestError(code if isinstance(code, int) else -32603, message, error.get("data"))
