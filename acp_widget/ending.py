"""Every agent of this process, so that all end when it does, and can still be read in a process forked from it."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import importlib
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Protocol

from . import runtime
from .session.state import State

_LAST_CALL = 8.0  # seconds that agents may take to end when this process does


class Ending(Protocol):
    """One agent."""

    state: State
    started: bool

    @property
    def foreign(self) -> bool: ...

    async def close(self) -> None: ...


class Leaving:
    """What of one agent is on its way out. `on_left()` is called when the last of it has ended."""

    def __init__(self, on_left: Callable[[], object]) -> None:
        self._on_left = on_left
        self._tasks: set[asyncio.Future[None]] = set()

    def __bool__(self) -> bool:
        return bool(self._tasks)

    def add(self, task: asyncio.Future[None]) -> None:
        """One more."""
        self._tasks.add(task)
        task.add_done_callback(self._has_left)

    def _has_left(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not self._tasks:
            self._on_left()

    async def over(self) -> None:
        """Wait until nothing is left."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))


_all: weakref.WeakSet[Ending] = weakref.WeakSet()


def remember(agent: Ending) -> None:
    """See to it that this one ends."""
    _all.add(agent)


def close_all() -> None:
    """End every agent of this process. Runs at exit; a forked child leaves its parent's agents alone."""
    closing = [runtime.submit(agent.close()) for agent in list(_all) if agent.started and not agent.foreign]
    concurrent.futures.wait(closing, timeout=_LAST_CALL)


def at_exit() -> None:
    """See to it that `close_all` runs when this process exits: before what its messages need is taken down."""
    if "zmq" in sys.modules:
        # Its thread for large messages goes at exit, too: what was registered last goes first.
        with contextlib.suppress(ImportError):
            importlib.import_module("zmq.utils.garbage")
    atexit.register(close_all)


def _readable_after_fork() -> None:
    """In a forked child: the thread that held a state's lock is not there to let go of it."""
    for agent in list(_all):
        agent.state.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_readable_after_fork)
