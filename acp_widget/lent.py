"""What an Agent lends its turns: where they read, how they are waited for, stopped and drawn."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
from collections.abc import Awaitable
from typing import Protocol

from . import runtime
from .controls import Remote
from .driver import Driver
from .results import Reader, Turn
from .stage import Stage
from .undo.undo import Undo
from .widget import marimo, waiting


class Lender(Protocol):
    """What of an Agent is lent."""

    _driver: Driver
    _stage: Stage

    @property
    def _reader(self) -> Reader: ...

    def _wait(self, future: concurrent.futures.Future[None], timeout: float | None, what: str) -> None: ...

    def _warn(self, *, quietly: bool = False) -> None: ...

    def _check_process(self) -> None: ...


class Lent:
    """What an Agent lends its turns. It holds the Agent: who has a turn can wait for it."""

    def __init__(self, agent: Lender) -> None:
        self._agent = agent

    @property
    def reader(self) -> Reader:
        return self._agent._reader

    @property
    def remote(self) -> Remote:
        return self._agent._driver.remote

    @property
    def undo(self) -> Undo:
        return self._agent._driver.undo

    def was_over(self, key: str) -> bool:
        return self._agent._driver.prompts.over(key).done()

    def wait_for_turn(self, key: str, timeout: float | None) -> None:
        __tracebackhide__ = True  # IPython shows the user's own lines and the message
        over = self._over(key, clicks=waiting.clicks_arrive())
        self._agent._wait(over, timeout, "the turn")
        self._raise_failure(key)

    def turn_awaitable(self, key: str) -> Awaitable[None]:
        return self._await(key)

    async def _await(self, key: str) -> None:
        __tracebackhide__ = True
        agent = self._agent
        over = self._over(key, clicks=waiting.clicks_arrive(awaiting=True))
        try:
            with agent._stage.waiting(awaiting=True):
                await waiting.wait_async(over, agent._stage.comm_ids)
        except (asyncio.CancelledError, KeyboardInterrupt) as error:
            # In a notebook this is an interrupt, that stops all. Elsewhere a task ended, with what it alone waited for.
            if waiting.in_ipykernel() or isinstance(error, KeyboardInterrupt):
                runtime.call(agent._driver.cancel, "you interrupted")
            else:
                runtime.call(agent._driver.cancel_turn, key)
            agent._warn(quietly=True)
            raise
        agent._warn()
        self._raise_failure(key)

    def cancel_turn(self, key: str) -> None:
        self._agent._check_process()
        runtime.call(self._agent._driver.cancel_turn, key)

    def display_turn(self, turn: Turn) -> None:
        stage = self._agent._stage
        if not stage.shown_here(turn._key):
            stage.show(turn._key, otherwise=repr(turn))

    def view_of_turn(self, turn: Turn) -> object:
        return self._agent._stage.view_in_marimo(turn._key)

    def _over(self, key: str, *, clicks: bool) -> concurrent.futures.Future[None]:
        driver = self._agent._driver
        over = driver.prompts.over(key)
        if not over.done():
            self._agent._check_process()
        over = driver.login.watched(over, clicks=clicks)
        return driver.asking.watched(over) if marimo.here() else over

    def _raise_failure(self, key: str) -> None:
        __tracebackhide__ = True
        failure = self._agent._driver.prompts.failure(key)
        if failure is not None:
            # A copy: a raised error holds on to all frames on its way, and they to the Agent.
            raise copy.copy(failure)
        turn = self.reader.get("turns", key)
        if turn is not None and turn["status"] == "not_sent":
            why = (turn["error"] or {}).get("message") or "the turn was stopped"
            text = f"The prompt was never sent ({why}), so its turn is empty. agent.prompt(turn.prompt) sends it."
            self._agent._driver.asking.warnings.append((text, UserWarning))
            self._agent._warn()
