"""A child process with all its descendants: its own group, ended as a whole, also when this process dies.

POSIX is what we test. The Windows parts are small and untested: `taskkill /T` and no watchdog.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

# The agent gets a second to see that its stdin closed, then TERM and another second, then KILL.
# A line after the group's number means that the group ended in an orderly way.
_WATCHDOG = """
read -r group || exit 0
read -r released && exit 0
sleep 1
kill -s TERM -- "-$group" 2>/dev/null || exit 0
sleep 1
kill -s KILL -- "-$group" 2>/dev/null
"""


class ProcessGroup:
    """A started child and its group. `stdin`, `stdout` and `stderr` are the unbuffered pipes to it.

    `merged`: what it writes to stderr comes out of `stdout`, in order, and nothing out of `stderr`.
    """

    def __init__(self, command: Sequence[str], *, cwd: str, env: Mapping[str, str], merged: bool = False) -> None:
        # The watchdog first: there is no moment in which the agent lives without it.
        self._watchdog = _Watchdog() if os.name == "posix" else None
        try:
            self._process = _popen(command, cwd=cwd, env=env, merged=merged)
        except BaseException:
            if self._watchdog is not None:
                self._watchdog.release()
            raise
        self.pid: int = self._process.pid
        self.stdin: IO[bytes] = self._process.stdin
        self.stdout: IO[bytes] = self._process.stdout
        self.stderr: IO[bytes] = io.BytesIO() if merged else self._process.stderr
        self._gone = False
        if self._watchdog is not None:
            self._watchdog.guard(self.pid)
        _started.add(self)

    @property
    def returncode(self) -> int | None:
        """The child's exit code, negative for a signal; None while it runs or was not waited for."""
        code: int | None = self._process.returncode
        return code

    def wait(self) -> int:
        """Block until the child has exited. For a thread of its own."""
        code: int = self._process.wait()
        return code

    def alive(self) -> bool:
        """True while any process of the group runs."""
        # Once gone, always gone: the number may be given to another group.
        self._gone = self._gone or not self._any()
        return not self._gone

    def _any(self) -> bool:
        if os.name != "posix":
            return self._process.poll() is None
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # macOS says so for a group of zombies
            return self._process.poll() is None
        return any(state != "Z" for state in _states(self.pid)) if Path("/proc/self/stat").exists() else True

    def terminate(self) -> None:
        """Ask the whole group to end (SIGTERM)."""
        self._signal("SIGTERM")

    def kill(self) -> None:
        """End the whole group (SIGKILL)."""
        self._signal("SIGKILL")

    def _signal(self, name: str) -> None:
        if not self.alive():
            return
        if os.name != "posix":
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self.pid)], capture_output=True, check=False)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, getattr(signal, name))

    async def gone(self, seconds: float) -> bool:
        """Wait at most that long for the whole group to end; True when it did."""
        deadline = time.monotonic() + seconds
        pause = 0.005
        while self.alive() or self.returncode is None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.1)
        return True

    async def release(self) -> None:
        """The group has ended: let the watchdog end too."""
        _started.discard(self)
        if self._watchdog is not None:
            await self._watchdog.released()

    def forget(self) -> None:
        """In a forked child: close our ends, or the agent would outlive the process that started it."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        if self._watchdog is not None:
            self._watchdog.forget()


class _Watchdog:
    """A small shell that ends a process group when our end of its pipe closes, however we died.

    It leads a session of its own: what is sent to our process group (Jupyter kills a kernel's whole group)
    does not reach it.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _WATCHDOG, "acp-widget-watchdog"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,
        )

        self._guards = False

    def guard(self, group: int) -> None:
        self._guards = True
        self._write(f"{group}\n")

    def release(self) -> None:
        """Tell it that there is nothing to guard any more."""
        if self._guards:
            self._write("released\n")
        self.forget()
        _ended.append(self._process)
        _ended[:] = [process for process in _ended if process.poll() is None]

    async def released(self) -> None:
        self.release()
        for _ in range(100):
            if self._process.poll() is not None:
                return
            await asyncio.sleep(0.01)
        self._process.kill()

    def forget(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # somebody killed it, or it was released before
            self._process.stdin.write(text.encode())


# Watchdogs that were told to end and have not been reaped yet.
_ended: list[subprocess.Popen[bytes]] = []

_started: weakref.WeakSet[ProcessGroup] = weakref.WeakSet()


def _popen(command: Sequence[str], *, cwd: str, env: Mapping[str, str], merged: bool) -> Any:
    options: dict[str, Any] = {"cwd": cwd, "env": env, "bufsize": 0}
    options |= {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    options["stderr"] = subprocess.STDOUT if merged else subprocess.PIPE
    if sys.platform == "win32":
        from asyncio import windows_utils  # its pipes can be read by an event loop

        return windows_utils.Popen(command, creationflags=subprocess.CREATE_NEW_PROCESS_GROUP, **options)
    return subprocess.Popen(command, start_new_session=True, **options)


def signal_name(number: int) -> str:
    """`SIGTERM` for 15.

    >>> signal_name(9)
    'SIGKILL'
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _states(group: int) -> list[str]:
    """The states (R, S, Z, …) of the group's processes, from /proc. A zombie that nobody reaps is not alive."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The name stands in parentheses and may hold anything, spaces and parentheses too.
                fields = Path(entry.path, "stat").read_text(errors="replace").rpartition(")")[2].split()
                if int(fields[2]) == group:
                    found.append(fields[0])
    return found


def _forget_after_fork() -> None:
    for group in list(_started):
        group.forget()
    _started.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
