"""Waits that keep clicks arriving, wherever they are called: in a cell of an ipykernel, in a loop, in a plain script.

The ladder of a blocking wait: in an ipykernel, pump its messages; in another running loop but marimo's, let that loop
run on, with nest-asyncio; else simply wait. Where clicks cannot arrive meanwhile, `why_not` says so.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from .. import errors
from . import kernel as kernels
from . import marimo, readable
from .kernel_pump import CommIds, Pump

if TYPE_CHECKING:
    from types import ModuleType

log = logging.getLogger(__name__)

T = TypeVar("T")

_TICK = 0.05  # seconds; an interrupt of an awaiting cell reaches it when the loop next wakes
_SLICE = 0.2  # seconds; on Windows a wait without end cannot be interrupted


# --- waiting ------------------------------------------------------------------------------------------------------


def wait(future: Future[T], comm_ids: CommIds, timeout: float | None = None, *, what: str) -> T:
    """Block until the future is done, and return its result. Messages for `comm_ids()` are handled meanwhile.

    `timeout`: seconds, or None for no end. `what`: what is waited for, for the messages of errors ("the turn").
    Raises what the future raises; `TimeoutError`, and the future goes on; `KeyboardInterrupt` at an interrupt
    (`asyncio.CancelledError` when the waiting task was cancelled); `WaitNotPossible` in a loop that cannot be nested.
    """
    deadline = float("inf") if timeout is None else time.monotonic() + timeout
    if not future.done():
        pump = _pump_here()
        if pump is not None:
            pump.wait(future, comm_ids, deadline)
        elif not in_ipykernel() and not marimo.here() and asyncio._get_running_loop() is not None:
            _wait_nested(future, deadline, what)
        else:
            _wait_plain(future, deadline)
    if not future.done():
        raise TimeoutError(f"Waited {timeout:g} seconds for {what}, and it is not over. It goes on; wait again.")
    return future.result(timeout=0)


def wait_plainly(future: Future[T], comm_ids: CommIds) -> T:
    """The same without end and without help of another loop: one that runs in this thread stands still meanwhile."""
    pump = _pump_here()
    if pump is None:
        _wait_plain(future, float("inf"))
    else:
        pump.wait(future, comm_ids, float("inf"))
    return future.result(timeout=0)


async def wait_async(future: Future[T], comm_ids: CommIds) -> T:
    """Wait for the future in a coroutine, and return its result. Messages for `comm_ids()` are handled meanwhile.

    When the waiting task is cancelled, the future is not: others may wait for it too.
    """
    pump = _pump_here()
    with _woken_by(future) as done:
        if pump is None:
            await done
        elif pump.loop_is_current():
            with pump.intercepting(comm_ids):
                while not future.done():
                    await asyncio.wait([done], timeout=_TICK)
                    pump.serve_backlog()
        else:  # a loop nested in the kernel's, which stands still
            with pump.polling(comm_ids):
                while not future.done():
                    pump.step()
                    await asyncio.wait([done], timeout=_TICK)
    return future.result(timeout=0)


def _wait_plain(future: Future[Any], deadline: float) -> None:
    while not future.done() and (left := deadline - time.monotonic()) > 0:
        concurrent.futures.wait([future], timeout=min(_SLICE, left))


def _wait_nested(future: Future[Any], deadline: float, what: str) -> None:
    """Let the loop that runs in this thread run on until the future is done."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, asyncio.BaseEventLoop):
        raise errors.WaitNotPossible(
            f"Waiting for {what} would block this event loop, and {type(loop).__module__} cannot run nested.",
            hint="In a coroutine, write `await turn` instead of `turn.wait()`.",
        )
    _nesting(what).apply(loop)
    task = asyncio.current_task()
    asked_before = _cancels(task)

    async def over() -> None:
        with _woken_by(future) as done:
            while not future.done() and (left := deadline - time.monotonic()) > 0:
                await asyncio.wait([done], timeout=min(_TICK, left))
                if _cancels(task) > asked_before:  # asyncio.run answers an interrupt so
                    return

    loop.run_until_complete(over())
    if _cancels(task) > asked_before:
        raise asyncio.CancelledError


def _cancels(task: asyncio.Task[Any] | None) -> int:
    """How often a task was asked to end (always 0 before Python 3.11, where an interrupt raises by itself)."""
    return int(getattr(task, "cancelling", int)())


def _nesting(what: str) -> ModuleType:
    """nest-asyncio, or its fork that newer Pythons need. Loaded here, on the first need only: it patches asyncio."""
    names = ["nest_asyncio", "nest_asyncio2"]
    for name in names if sys.version_info < (3, 12) else reversed(names):
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    raise errors.WaitNotPossible(
        f"Waiting for {what} in a running event loop needs nest-asyncio, which is not installed.",
        hint="Write `await turn` instead of `turn.wait()`, or run: pip install nest-asyncio2",
    )


@contextlib.contextmanager
def _woken_by(future: Future[Any]) -> Iterator[asyncio.Future[None]]:
    """A future of the running loop that is done when the other is. Cancelling it cancels nothing else."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not done.done():
            done.set_result(None)

    def from_its_thread(_: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed; nobody waits any more
            loop.call_soon_threadsafe(wake)

    future.add_done_callback(from_its_thread)
    try:
        yield done
    finally:
        done.cancel()


# --- what can be said about it ------------------------------------------------------------------------------------


def in_ipykernel() -> bool:
    """True in a process of an ipykernel, in any of its threads."""
    return kernels.running_kernel() is not None


def somebody_types() -> bool:
    """False in an ipykernel whose newest cell came from a client that answers no `input()`: nbclient, for instance."""
    kernel = kernels.running_kernel()
    return kernel is None or kernels.takes_input(kernel)


def clicks_arrive(*, awaiting: bool = False) -> bool:
    """True when buttons answer while a wait called here and now goes on."""
    return why_not(awaiting=awaiting) is None


def why_not(*, awaiting: bool = False) -> str | None:
    """Why buttons do not answer before this cell ends, as a sentence for the widget; None when they do.

    `awaiting`: the wait is an `await`. Outside the cells of an ipykernel or marimo there is nothing to say.
    """
    if marimo.here():
        return marimo.WHY_NOT
    kernel = kernels.running_kernel()
    if kernel is None or threading.current_thread() is not threading.main_thread():
        return None
    if kernels.comms_have_their_own_thread(kernel) or (awaiting and kernels.comms_pass_an_await()):
        return None
    if _switched_off():
        return "Buttons answer after this cell ends: ACP_WIDGET_PUMP=0 is set."
    if _pump_here() is None:
        return f"Buttons answer after this cell ends: {_trouble}. Without a wait in the cell they answer at once."
    return None


def advice() -> str | None:
    """What is known to be wrong with this kernel, whatever waits; None when nothing is."""
    if in_ipykernel() and kernels.version() == (7, 0):
        return "ipykernel 7.0 loses what widgets show while no cell runs. Update it: pip install -U ipykernel"
    return None


def readable_seconds() -> float:
    """Seconds, since the first call, in which comm messages could be read; 0 outside an ipykernel. From any thread.

    They can while no cell runs, during a wait that serves them, and where the kernel reads them on another thread.
    """
    clock = _clock_of(kernels.running_kernel())
    return 0.0 if clock is None else clock.seconds()


# --- one for the process ------------------------------------------------------------------------------------------

_lock = threading.RLock()
_pump: Pump | None = None
_trouble: str | None = None  # why there is no pump, once it was tried
_clock: readable.KernelClock | None = None


def _pump_here() -> Pump | None:
    """The pump, where it may run: on the main thread of an ipykernel that passed the self-test."""
    global _pump, _trouble
    kernel = kernels.running_kernel()
    if kernel is None or threading.current_thread() is not threading.main_thread() or _switched_off():
        return None
    with _lock:
        if _pump is None and _trouble is None:
            known = "tested" if kernels.tested() else "not tested"
            major, minor = kernels.version()
            try:
                inbox = kernels.self_test(kernel)
            except kernels.Unfit as unfit:
                _trouble = f"acp-widget cannot read messages early in this ipykernel {major}.{minor} ({known})"
                log.debug("%s: %s", _trouble, unfit)
            else:
                log.debug("ipykernel %s.%s (%s): the self-test passed", major, minor, known)
                _pump = Pump(kernel, inbox, _settle)
    return _pump


def _switched_off() -> bool:
    return os.environ.get("ACP_WIDGET_PUMP") == "0"


def _clock_of(kernel: Any | None) -> readable.KernelClock | None:
    global _clock
    if kernel is None:
        return None
    with _lock:
        if _clock is None:
            _clock = readable.KernelClock(kernel, lambda: _pump is not None and _pump.active())
    return _clock


def _settle() -> None:
    if _clock is not None:
        _clock.time.settle()


def _forget() -> None:
    """Take everything back: the events of IPython, the pump, the result of the self-test."""
    global _pump, _trouble, _clock
    with _lock:
        if _clock is not None:
            _clock.close()
        _pump = _trouble = _clock = None
