"""Hands what happens in a session to the functions that asked for it, in order, on a thread of their own.

The private thread only notes what changed. A worker thread, started when there is first something to tell, calls the
functions one after the other. Nothing here ever blocks the private thread or raises on it.
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import logging
import os
import threading
import warnings
import weakref
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

log = logging.getLogger(__name__)

Told = Callable[[Any], Any]
PATIENCE = 5.0  # seconds that an end waits for functions that still run

_all: weakref.WeakSet[Deliveries] = weakref.WeakSet()


class Subscription:
    """A function that is called. `end()` ends that; as a context manager it ends with the block.

    Calling it calls the function itself: a decorated function stays what it was.
    """

    def __init__(self, event: str, function: Told, end: Callable[[Subscription], None]) -> None:
        self._event, self._function, self._end = event, function, end
        self._failed = False

    @property
    def active(self) -> bool:
        """False after `end()`, and after the agent's `close()`."""
        return self._end is not _ended

    def end(self) -> None:
        """Never call the function again; one call that is under way goes on. Can be called again."""
        end, self._end = self._end, _ended
        end(self)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._function(*args, **named)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __repr__(self) -> str:
        name = getattr(self._function, "__qualname__", type(self._function).__name__)
        return f"<Subscription on_{self._event} {name}, {'active' if self.active else 'ended'}>"


def _ended(subscription: Subscription) -> None:
    """It has ended already."""


class Deliveries:
    """The subscriptions of one agent. `report(sentence)` tells of a function that failed."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._news = threading.Condition()
        self._subscriptions: list[Subscription] = []
        # What is yet to be told, by what it is about: each has its place from the first change on.
        self._waiting: dict[object, tuple[str, Any, Sequence[Subscription]]] = {}
        self._worker: threading.Thread | None = None
        self._over = False
        self._pid = os.getpid()
        _all.add(self)

    def add(self, event: str, function: Told) -> Subscription:
        """Call the function at each such event from now on."""
        if not callable(function):
            raise TypeError(f"on_{event} wants a function, not {type(function).__name__}.")
        subscription = Subscription(event, function, self._remove)
        with self._news:
            if self._over:
                subscription._end = _ended
            else:
                self._subscriptions.append(subscription)
        return subscription

    def _remove(self, subscription: Subscription) -> None:
        with self._news:
            if subscription in self._subscriptions:
                self._subscriptions.remove(subscription)
            self._news.notify_all()

    def wanted(self, event: str) -> bool:
        """Whether anybody asked for it."""
        return any(each._event == event for each in self._subscriptions)

    @property
    def threads(self) -> int:
        """How many threads of its own it has."""
        return 0 if self._worker is None else 1

    def note(self, event: str, about: object, make: Callable[[], Any]) -> None:
        """Something happened. What is about the same and was not told yet is told once: `make()` gives what to tell."""
        with self._news:
            to = [each for each in self._subscriptions if each._event == event]
            if self._over or not to or (event, about) in self._waiting:
                return
            self._waiting[event, about] = (event, make(), to)
            if self._worker is None:
                worker = threading.Thread(target=self._work, name="acp-widget-callbacks", daemon=True)
                try:
                    worker.start()
                except RuntimeError:  # the interpreter is on its way out
                    log.warning("There is no time left to call on_%s", event)
                    return
                self._worker = worker
            self._news.notify_all()

    def finish(self) -> None:
        """Nothing more will happen: tell what waits, then end the subscriptions and the thread. Returns at once."""
        with self._news:
            self._over = True
            self._news.notify_all()
            if self._worker is None:
                self._drop()

    def join(self, timeout: float = PATIENCE) -> None:
        """Wait until the thread has ended, at most `timeout` seconds; not at all on it."""
        worker = self._worker
        if worker is None or worker is threading.current_thread():
            return
        worker.join(timeout)
        if worker.is_alive():
            log.warning("A function of an agent's on_… still runs %g s after its end; it is left alone", timeout)

    # --- on the worker's thread ------------------------------------------------------------------------------------

    def _work(self) -> None:
        loop = asyncio.new_event_loop()
        try:
            while (told := self._next()) is not None:
                event, thing, to = told
                for subscription in to:
                    if subscription.active:
                        self._tell(loop, event, subscription, thing)
                # An idle worker holds on to nothing that it has told.
                del told, thing, to
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            with self._news:
                self._worker = None
                self._drop()

    def _next(self) -> tuple[str, Any, Sequence[Subscription]] | None:
        with self._news:
            while not self._waiting:
                if self._over:
                    return None
                self._news.wait()
            return self._waiting.pop(next(iter(self._waiting)))

    def _tell(self, loop: asyncio.AbstractEventLoop, event: str, subscription: Subscription, thing: Any) -> None:
        try:
            result = subscription._function(thing)
            if inspect.isawaitable(result):
                loop.run_until_complete(_awaited(result))
        except BaseException as error:  # SystemExit too: it is the function's end, not the thread's
            log.warning("A function of on_%s failed", event, exc_info=True)
            if not subscription._failed:
                subscription._failed = True
                text = f"{subscription!r} failed; it is called again next time. {type(error).__name__}: {error}"
                self._show(text[:500], subscription._function)

    def _show(self, text: str, function: Told) -> None:
        """Once a function: as a warning that points to it, and among the session's diagnostics."""
        self._report(text)
        code = getattr(function, "__code__", Deliveries._show.__code__)
        try:
            warnings.warn_explicit(text, RuntimeWarning, code.co_filename, code.co_firstlineno)
        except Exception:
            log.debug("Warnings are errors here", exc_info=True)

    def _drop(self) -> None:
        for subscription in self._subscriptions:
            subscription._end = _ended
        self._subscriptions.clear()
        self._waiting.clear()


async def _awaited(result: Awaitable[Any]) -> None:
    await result


def _at_exit() -> None:
    """What happened before the end of a script is told before it ends."""
    for deliveries in list(_all):
        if deliveries._pid == os.getpid():  # a forked process has neither the thread nor a lock to rely on
            deliveries.finish()
            deliveries.join()


# Registered before the hook that ends the agents, so it runs after it.
atexit.register(_at_exit)
