"""Waits outside a kernel: in a script, in a loop, under uvloop. In kernels: tests/kernels."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from acp_widget.widget import kernel as kernels
from acp_widget.widget import waiting
from acp_widget.widget.kernel_pump import Interrupts
from acp_widget.widget.readable import ReadableTime


def no_comms() -> set[str]:
    return set()


def later(result: object) -> Future[Any]:
    """A future that another thread completes."""
    future: Future[Any] = Future()
    threading.Timer(0.05, future.set_result, [result]).start()
    return future


def script(text: str) -> str:
    """Run a script in a fresh interpreter, warnings as errors; what it printed."""
    preamble = """
        import asyncio, os, signal, sys, threading
        from concurrent.futures import Future
        from acp_widget import errors
        from acp_widget.widget import waiting
        def later(result, delay=0.05):
            future = Future()
            threading.Timer(delay, future.set_result, [result]).start()
            return future
    """
    code = textwrap.dedent(preamble) + textwrap.dedent(text)
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


# In a script


def test_a_wait_gives_the_result() -> None:
    assert waiting.wait(later("done"), no_comms, what="it") == "done"


def test_a_wait_raises_the_error() -> None:
    future: Future[None] = Future()
    future.set_exception(LookupError("gone"))
    with pytest.raises(LookupError, match="gone"):
        waiting.wait(future, no_comms, what="it")


def test_a_wait_that_takes_too_long_says_for_what_and_leaves_the_future() -> None:
    future: Future[str] = Future()
    with pytest.raises(TimeoutError, match=r"Waited 0\.05 seconds for the turn"):
        waiting.wait(future, no_comms, 0.05, what="the turn")
    assert not future.cancelled()
    future.set_result("after all")
    assert waiting.wait(future, no_comms, 0, what="the turn") == "after all"


@pytest.mark.parametrize(
    "wait", [lambda: waiting.wait(Future(), no_comms, 30, what="it"), lambda: waiting.wait_plainly(Future(), no_comms)]
)
def test_an_interrupt_ends_a_wait(wait: Callable[[], None]) -> None:
    sent = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
    sent.start()
    with pytest.raises(KeyboardInterrupt):
        wait()
    sent.join()


def test_there_is_nothing_to_say_outside_a_kernel() -> None:
    assert not waiting.in_ipykernel()
    assert waiting.why_not() is None
    assert waiting.clicks_arrive()
    assert waiting.advice() is None
    assert waiting.readable_seconds() == 0


def test_importing_loads_neither_zmq_nor_nest_asyncio_and_patches_nothing() -> None:
    assert script("""
        print([name for name in ("zmq", "nest_asyncio", "nest_asyncio2") if name in sys.modules])
        print(waiting.wait(later("done"), set, what="it"), hasattr(asyncio, "_nest_patched"))
    """).splitlines() == ["[]", "done False"]


# In a coroutine


def test_an_await_gives_the_result() -> None:
    async def main() -> object:
        return await waiting.wait_async(later("done"), no_comms)

    assert asyncio.run(main()) == "done"


def test_a_cancelled_await_leaves_the_future_to_others() -> None:
    async def main() -> object:
        future: Future[str] = Future()
        given_up = asyncio.create_task(waiting.wait_async(future, no_comms))
        patient = asyncio.create_task(waiting.wait_async(future, no_comms))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert not future.cancelled()
        future.set_result("done")
        return await patient

    assert asyncio.run(main()) == "done"


def test_a_future_that_ends_after_the_loop_disturbs_nobody(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[str] = Future()

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(waiting.wait_async(future, no_comms), 0.01)

    asyncio.run(main())
    future.set_result("late")
    assert caplog.records == []


def test_a_blocking_wait_in_a_loop_lets_the_loop_run_on() -> None:
    assert script("""
        async def main():
            ticks = []
            async def tick():
                while True:
                    ticks.append(1)
                    await asyncio.sleep(0.01)
            task = asyncio.create_task(tick())
            result = waiting.wait(later("done", 0.3), set, what="it")
            task.cancel()
            print(result, len(ticks) > 3)
        asyncio.run(main())
    """).split() == ["done", "True"]


@pytest.mark.parametrize(
    ("missing", "used"),
    [("nest_asyncio2", "nest_asyncio"), ("nest_asyncio", "nest_asyncio2")],
)
def test_either_nest_asyncio_will_do(missing: str, used: str) -> None:
    assert script(f"""
        sys.modules["{missing}"] = None
        async def main():
            print(waiting.wait(later("done"), set, what="it"), "{used}" in sys.modules)
        asyncio.run(main())
    """).split() == ["done", "True"]


def test_of_both_nest_asyncios_one_is_used() -> None:
    assert script("""
        import nest_asyncio, nest_asyncio2
        async def main():
            print(waiting.wait(later("one"), set, what="it"), waiting.wait(later("two"), set, what="it"))
        asyncio.run(main())
    """).split() == ["one", "two"]


def test_without_any_nest_asyncio_the_error_says_what_to_write() -> None:
    said = script("""
        sys.modules["nest_asyncio"] = sys.modules["nest_asyncio2"] = None
        async def main():
            try:
                waiting.wait(Future(), set, what="the turn")
            except errors.WaitNotPossible as error:
                print(error, hasattr(asyncio, "_nest_patched"))
        asyncio.run(main())
    """)
    assert "the turn" in said
    assert "await turn" in said
    assert said.endswith("False\n")


def test_a_timeout_in_a_loop() -> None:
    assert "Waited 0.1 seconds for the turn" in script("""
        async def main():
            try:
                waiting.wait(Future(), set, 0.1, what="the turn")
            except TimeoutError as error:
                print(error)
        asyncio.run(main())
    """)


def test_an_interrupt_ends_a_blocking_wait_in_a_loop() -> None:
    assert script("""
        async def main():
            threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
            try:
                waiting.wait(Future(), set, what="the turn")
            except BaseException as error:
                print(isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)))
                raise
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
    """).split() == ["True", "interrupted"]


def test_under_uvloop_a_blocking_wait_is_refused_and_an_await_works() -> None:
    pytest.importorskip("uvloop", reason="uvloop has no wheel for this platform")
    said = script("""
        import contextlib, uvloop
        async def main():
            try:
                waiting.wait(Future(), set, what="the turn")
            except errors.WaitNotPossible as error:
                print(error)
            print(hasattr(asyncio, "_nest_patched"), await waiting.wait_async(later("done"), set))
        with contextlib.closing(uvloop.new_event_loop()) as loop:
            loop.run_until_complete(main())
    """)
    assert "`await turn`" in said
    assert said.endswith("False done\n")


# The clock of "nobody is watching"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.served = False
        self.readable = ReadableTime(lambda: self.served, lambda: self.now)


def test_the_clock_runs_between_cells_and_stands_during_one() -> None:
    clock = Clock()
    clock.now += 1
    clock.readable.cell_starts()
    clock.now += 10
    assert clock.readable.seconds() == 1
    clock.readable.cell_ends()
    clock.now += 2
    assert clock.readable.seconds() == 3


def test_the_clock_runs_during_a_wait_in_a_cell() -> None:
    clock = Clock()
    clock.readable.cell_starts()
    clock.now += 10
    clock.readable.settle()
    clock.served = True
    clock.now += 4
    clock.readable.settle()
    clock.served = False
    clock.now += 10
    assert clock.readable.seconds() == 4


def test_a_cell_run_by_a_cell_does_not_start_the_clock_when_it_ends() -> None:
    clock = Clock()
    clock.readable.cell_starts()
    clock.readable.cell_starts()
    clock.readable.cell_ends()
    clock.now += 10
    assert clock.readable.seconds() == 0
    clock.readable.cell_ends()
    clock.readable.cell_ends()
    clock.readable.cell_starts()
    clock.now += 10
    assert clock.readable.seconds() == 0


def test_a_missed_end_of_a_cell_is_corrected() -> None:
    clock = Clock()
    clock.readable.cell_starts()
    clock.now += 10
    clock.readable.no_cell_runs()
    clock.now += 1
    assert clock.readable.seconds() == 1


# The self-test


class _Odd:
    """A kernel of another make."""


def test_the_self_test_refuses_a_kernel_of_another_make() -> None:
    with pytest.raises(kernels.Unfit, match="AttributeError"):
        kernels.self_test(_Odd())


@pytest.mark.parametrize(
    ("version", "tested"),
    [
        ((6, 28, 0), False),
        ((6, 29, 5), True),
        ((6, 31, 0), True),
        ((7, 0, 1), False),
        ((7, 1, 0), True),
        ((7, 4, 9), True),
        ((7, 5, 0), False),
        ((8, 0, 0), False),
    ],
)
def test_versions_that_the_kernel_tests_passed(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], tested: bool
) -> None:
    odd = type(sys)("ipykernel")
    odd.version_info = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipykernel", odd)
    assert kernels.tested() is tested


def test_waits_on_many_threads_end_together() -> None:
    future: Future[str] = Future()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        waits = [pool.submit(waiting.wait, future, no_comms, 30, what="it") for _ in range(8)]
        future.set_result("done")
        assert {wait.result(timeout=30) for wait in waits} == {"done"}


# Interrupts of the pump


def test_an_interrupt_waits_while_a_message_is_in_our_hands() -> None:
    kept = []

    def read() -> None:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), signal.SIGINT)
            kept.append("the message")
            interrupts.check()
            kept.append("after the check")

    with pytest.raises(KeyboardInterrupt):
        read()
    assert kept == ["the message"]


def test_an_interrupt_that_comes_last_is_not_forgotten() -> None:
    kept = []

    def hand_back() -> None:
        with Interrupts(), Interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            kept.append("the message")

    with pytest.raises(KeyboardInterrupt):
        hand_back()
    assert kept == ["the message"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_is_raised_at_once_while_a_handler_runs() -> None:
    seen = []

    def handle() -> None:
        with Interrupts() as interrupts, interrupts.allowed():
            os.kill(os.getpid(), signal.SIGINT)
            seen.append("too late")

    with pytest.raises(KeyboardInterrupt):
        handle()
    assert seen == []


def test_where_interrupts_are_ignored_they_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), signal.SIGINT)
            interrupts.check()
    finally:
        signal.signal(signal.SIGINT, before)
