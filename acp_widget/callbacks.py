"""Functions that are called when something happens in a session: the part of `Agent` that tells."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import runtime
from .deliveries import Deliveries, Subscription, Told
from .driver import Driver
from .entities import Entity
from .held import nobody as _nobody
from .opening import Opening
from .parts import Message, Plan
from .results import Permission, Terminal, ToolCall, Turn
from .session.words import TURN_OVER

# What each group of the state is to `on_update`.
_KINDS: dict[str, Callable[[Any, str], Entity]] = {
    "messages": lambda agent, key: Message(agent._reader, key),
    "toolCalls": lambda agent, key: ToolCall(agent._reader, key, agent._driver.remote),
    "terminals": lambda agent, key: Terminal(agent._reader, key, agent._driver.remote),
    "permissions": lambda agent, key: Permission(agent._reader, key),
    "plans": lambda agent, key: Plan(agent._reader, key),
    "turns": lambda agent, key: agent._turn(key),
}


class Callbacks(Opening):
    """What happens is told in order, one function after the other, on a thread of their own (not on the kernel's).

    Functions may be `async`; each is awaited to its end before the next one is called. What one raises is logged,
    warned of once, and changes nothing. A slow one delays the others, never the agent.
    """

    _telling: _Telling | None = None

    def on_turn_end(self, function: Callable[[Turn], object]) -> Subscription:
        """Call `function(turn)` whenever a turn is over, however it ended; also one that was never sent.

        Returns a `Subscription`: its `end()` ends it, and so does `close()`. Works as a decorator. Called soon after
        the end, perhaps after `turn.wait()` has returned; `close()` lets it finish, at most 5 s. Turns of a replay
        tell nothing. Raises `AgentClosed` after `close()`.

        >>> from acp_widget import Agent
        >>> ended = []
        >>> with Agent("demo") as agent:
        ...     _ = agent.on_turn_end(lambda turn: ended.append(turn.stop_reason))
        ...     _ = agent.run("hello")
        >>> ended
        ['end_turn']
        """
        return self._on("turn_end", function)

    def on_permission(self, function: Callable[[Permission], object]) -> Subscription:
        """Call `function(permission)` whenever the agent asks for permission, once a request.

        It may answer: `agent.answer(permission, option_id)`. By the time it is called somebody else may have: look at
        `permission.pending`. The rest is as for `on_turn_end`.
        """
        return self._on("permission", function)

    def on_update(self, function: Callable[[Entity], object]) -> Subscription:
        """Call `function(thing)` when a message, tool call, terminal, permission, plan or turn is new or has changed.

        `thing` is live. Changes of one thing that come before the function is called for it are told once: many chunks
        may be one call, and the last change is always told. The rest is as for `on_turn_end`.
        """
        return self._on("update", function)

    def _on(self, event: str, function: Told) -> Subscription:
        self._driver.check_usable()
        telling = self._telling or self.__dict__.setdefault("_telling", _Telling(self))
        subscription = telling.deliveries.add(event, function)
        runtime.run(telling.listen)
        return subscription

    def _finish_telling(self) -> None:
        """After the end of the agent: tell what is left, and wait for it."""
        if self._telling is not None and not self._driver.foreign:
            self._telling.deliveries.finish()
            if not runtime.here():
                self._telling.deliveries.join()


class _Telling:
    """Reads from the operations what there is to tell. On the private thread, but for the making."""

    def __init__(self, agent: Callbacks) -> None:
        # A twin with the same inside: who is told of a turn can use it, and yet an Agent that nobody holds any more
        # ends as ever, because what sees to that hangs on the one that was given out.
        self._agent: Any = object.__new__(type(agent))
        vars(self._agent).update(vars(agent))
        self._driver = agent._driver
        self._driver.twin = True
        weakref.finalize(self._agent, _forgotten, self._driver).atexit = False
        self.deliveries = Deliveries(self._driver.report)
        self._open: set[str] = set()
        self._asked: set[str] = set()

    def listen(self) -> None:
        """From now on. Done once."""
        if self._driver.on_told != _nobody:
            return
        state = self._driver.state
        self._open = {key for key in state.keys("turns") if not self._turn_over(key)}
        self._asked = set(state.keys("permissions"))
        self._driver.on_told = self._read
        self._driver.end_telling = self._end

    def _end(self) -> None:
        self._driver.on_told, self._driver.end_telling = _nobody, lambda: None
        self.deliveries.finish()

    def _read(self, operations: Sequence[Any]) -> None:
        """After each event: what did it change?"""
        changed: dict[tuple[str, str], None] = {}
        for name, target, *_ in operations:
            if isinstance(target, str):
                changed["terminals", target] = None  # bytes of a terminal
            elif name == "delete" and len(target) == 2:
                changed.pop((target[0], str(target[1])), None)
            elif len(target) > 1 and target[0] in _KINDS:
                changed[target[0], str(target[1])] = None
        for group, key in changed:  # nothing is read here: a chunk costs what the chunk costs
            self.deliveries.note("update", (group, key), partial(_KINDS[group], self._agent, key))
            if group == "permissions" and key not in self._asked:
                self._asked.add(key)
                self.deliveries.note("permission", key, partial(_KINDS[group], self._agent, key))
            elif group == "turns":
                self._look_at_turn(key)
        if self._driver.closed and self._driver.state.part("session")["connection"] == "closed":
            self._end()

    def _look_at_turn(self, key: str) -> None:
        if not self._turn_over(key):
            self._open.add(key)
        elif key in self._open:
            self._open.discard(key)
            self.deliveries.note("turn_end", key, partial(self._agent._turn, key))

    def _turn_over(self, key: str) -> bool:
        turn = self._driver.state.get("turns", key)
        return turn is not None and turn["status"] in TURN_OVER


def _forgotten(driver: Driver) -> None:
    """Nobody who was told has any of it left."""
    driver.twin = False
    if driver.abandoned and not driver.foreign:
        runtime.call(driver.settle)
