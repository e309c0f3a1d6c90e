"""The private thread with its own event loop, where agents, reducers and flushes run.

One for the process: started on first use, ended at exit, renewed after a fork. Kernel threads only hand work over.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import contextvars
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

log = logging.getLogger(__name__)

T = TypeVar("T")

# Reentrant: a garbage collection in here may end an Agent, and that hands work over.
_lock = threading.RLock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def loop() -> asyncio.AbstractEventLoop:
    """The loop of the private thread; starts it when there is none."""
    global _loop, _thread
    with _lock:
        if _loop is None or _thread is None or not _thread.is_alive():
            # Not the policy's loop: with uvloop's policy set we still want the standard one.
            new = asyncio.SelectorEventLoop() if os.name == "posix" else asyncio.new_event_loop()
            _loop, _thread = new, threading.Thread(target=_run, args=(new,), name="acp-widget", daemon=True)
            _thread.start()
        return _loop


def _run(own: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(own)
    own.run_forever()
    pending = asyncio.all_tasks(own)
    for task in pending:
        task.cancel()
    if pending:
        own.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
    own.close()


def running() -> bool:
    """True when the private thread was started: else nothing was ever handed over to it."""
    with _lock:
        return _thread is not None and _thread.is_alive()


def here() -> bool:
    """True on the private thread."""
    return threading.current_thread() is _thread


def call(function: Callable[..., object], *args: Any) -> None:
    """Run `function(*args)` on the private thread soon. Safe from any thread.

    It does not inherit the caller's context: in a kernel that says which cell runs, and what is started here lives
    longer than a cell.
    """
    loop().call_soon_threadsafe(function, *args, context=contextvars.Context())


def run(function: Callable[..., T], *args: Any, timeout: float = 10.0) -> T:
    """Run `function(*args)` on the private thread and return what it returns; at once when called there.

    Raises what it raises, and `TimeoutError` when the thread is not free within `timeout` seconds: then it is not run.
    """
    if here():
        return function(*args)
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def work() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*args))
            except BaseException as error:
                future.set_exception(error)

    call(work)
    try:
        return future.result(timeout)
    except concurrent.futures.TimeoutError:
        if future.cancel():
            raise TimeoutError(f"acp-widget's own thread was not free for {timeout:g} s.") from None
        return future.result()


def submit(coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
    """Run a coroutine on the private thread; the future can be waited for from any other thread."""
    return contextvars.Context().run(asyncio.run_coroutine_threadsafe, coroutine, loop())


async def aside(work: Callable[[], T], name: str, seconds: float, over: Callable[[], object]) -> T:
    """What `work` returns, from a thread of its own, that ends with it; `over` is called here when it has.

    Raises what it raises, and `TimeoutError` after so many seconds: then it goes on, and what it returns is dropped.
    """
    own = asyncio.get_running_loop()
    answer: asyncio.Future[T] = own.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        over()
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(cast("T", result))

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # also SystemExit: it is told to whoever waits
            error = raised if isinstance(raised, Exception) else RuntimeError(repr(raised))
        with contextlib.suppress(RuntimeError):  # the private thread has ended
            own.call_soon_threadsafe(settle, result, error, context=contextvars.Context())

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        return await asyncio.wait_for(answer, seconds)
    except asyncio.TimeoutError:
        raise TimeoutError(f"{name} took longer than {seconds:g} s.") from None


def tell(listener: Callable[..., object], *args: Any) -> None:
    """Call a listener; what goes wrong there must not stop an agent."""
    try:
        listener(*args)
    except Exception:
        log.exception("A listener of an agent failed")


def stop() -> None:
    """End the private thread. It starts again at the next use."""
    global _loop, _thread
    with _lock:
        old_loop, old_thread, _loop, _thread = _loop, _thread, None, None
    if old_loop is not None and old_thread is not None and old_thread.is_alive():
        old_loop.call_soon_threadsafe(old_loop.stop)
        if old_thread is not threading.current_thread():
            old_thread.join(timeout=5)


def _forget_after_fork() -> None:
    global _lock, _loop, _thread
    _lock = threading.RLock()
    _loop = _thread = None


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
