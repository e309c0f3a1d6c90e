"""Help for tests with real processes and event loops: wait on conditions, see who lives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T], timeout: float = 60.0) -> T:
    """Run a test's coroutine on a loop of its own; fails instead of hanging."""

    faults: list[Any] = []

    async def limited() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context))
        return await asyncio.wait_for(coroutine, timeout)

    result = asyncio.run(limited())
    assert not faults, faults
    return result


async def until(condition: Callable[[], object], timeout: float = 20.0) -> None:
    """Return as soon as the condition holds."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        await asyncio.sleep(0.005)


def alive(pid: int) -> bool:
    """True while the process runs; a zombie that nobody reaps does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def seconds_until_gone(pids: list[int], limit: float) -> float:
    """How long it took until none of them lived; fails after `limit` seconds."""
    began = time.monotonic()
    while any(alive(pid) for pid in pids):
        assert time.monotonic() - began < limit, f"still alive: {[pid for pid in pids if alive(pid)]}"
        time.sleep(0.02)
    return time.monotonic() - began
