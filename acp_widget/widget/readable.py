"""How long comm messages could be read: the clock of "nobody is watching".

A page that says hello during a blocking cell is not heard, so that time must not count against it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from . import kernel as kernels


class ReadableTime:
    """Adds up the seconds in which the main shell ran no cell, or a wait served our comms meanwhile.

    `open_now` says whether messages are read although a cell runs. Asked from any thread.
    """

    def __init__(self, open_now: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._open_now = open_now
        self._clock = clock
        self._lock = threading.Lock()
        self._total = 0.0
        self._since = clock()
        self._cells = 0  # that run now; more than one when a cell runs another

    def cell_starts(self) -> None:
        with self._lock:
            self._settle()
            self._cells += 1

    def cell_ends(self) -> None:
        with self._lock:
            self._settle()
            self._cells = max(0, self._cells - 1)

    def no_cell_runs(self) -> None:
        """Correct the count: an end can be missed, when a kernel is interrupted between two events."""
        with self._lock:
            self._settle()
            self._cells = 0

    def settle(self) -> None:
        """Book the time up to now. Called just before `open_now` changes."""
        with self._lock:
            self._settle()

    def seconds(self) -> float:
        with self._lock:
            self._settle()
            return self._total

    def _settle(self) -> None:
        now = self._clock()
        if self._cells == 0 or self._open_now():
            self._total += now - self._since
        self._since = now


class KernelClock:
    """`ReadableTime` of a kernel, told by IPython's events. `close()` takes the events back."""

    def __init__(self, kernel: Any, pump_is_active: Callable[[], bool]) -> None:
        self._kernel = kernel
        self.time = ReadableTime(lambda: pump_is_active() or kernels.comms_have_their_own_thread(kernel))
        if not kernels.main_shell_is_free(kernel):
            self.time.cell_starts()
        # Not pre_execute and post_execute: they come for comm messages too.
        self._events = {"pre_run_cell": self._before_cell, "post_run_cell": self._after_cell}
        for name, listener in self._events.items():
            kernel.shell.events.register(name, listener)

    def seconds(self) -> float:
        if kernels.main_shell_is_free(self._kernel):
            self.time.no_cell_runs()
        return self.time.seconds()

    def close(self) -> None:
        for name, listener in self._events.items():
            self._kernel.shell.events.unregister(name, listener)

    def _before_cell(self, _info: object) -> None:
        if threading.current_thread() is threading.main_thread():  # else it runs on a subshell, and blocks nothing
            self.time.cell_starts()

    def _after_cell(self, _result: object) -> None:
        if threading.current_thread() is threading.main_thread():
            self.time.cell_ends()
