"""The private thread: one for the process, renewed after a fork, ended when asked."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading

import pytest

from acp_widget import runtime


def private_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "acp-widget"]


def test_all_work_runs_on_one_thread_that_starts_when_needed() -> None:
    async def where() -> threading.Thread:
        return threading.current_thread()

    first, second = runtime.submit(where()).result(5), runtime.submit(where()).result(5)
    assert first is second
    assert first is not threading.current_thread()
    assert len(private_threads()) == 1


def test_stop_ends_the_thread_and_cancels_what_ran_and_it_starts_again() -> None:
    cancelled = threading.Event()
    started = threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    runtime.submit(forever())
    assert started.wait(5)
    runtime.stop()
    assert cancelled.is_set()
    assert private_threads() == []

    async def again() -> str:
        return "again"

    assert runtime.submit(again()).result(5) == "again"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # forking with threads is what is tried here
def test_a_forked_child_gets_a_thread_of_its_own() -> None:
    async def answer() -> int:
        return 7

    runtime.submit(answer()).result(5)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if runtime.submit(answer()).result(5) == 7 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_run_gives_what_the_function_returns_or_raises_from_wherever_it_is_called() -> None:
    assert runtime.run(runtime.here) is True
    assert runtime.run(lambda: runtime.run(runtime.here)) is True, "there already: at once"
    with pytest.raises(ZeroDivisionError):
        runtime.run(lambda: 1 / 0)


def test_run_gives_up_on_a_thread_that_is_busy_and_then_never_runs() -> None:
    held, ran = threading.Event(), threading.Event()
    runtime.call(held.wait, 10)
    with pytest.raises(TimeoutError, match="not free"):
        runtime.run(ran.set, timeout=0.01)
    held.set()
    runtime.run(lambda: None)
    assert not ran.is_set()


def test_work_does_not_belong_to_the_context_that_hands_it_over() -> None:
    cell: contextvars.ContextVar[str] = contextvars.ContextVar("cell", default="none")
    cell.set("the first cell")

    async def read() -> str:
        return cell.get()

    assert runtime.submit(read()).result(5) == "none"
    assert runtime.run(cell.get) == "none"
