"""Running a command in a pseudo terminal, in a process group of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLS, ROWS = 80, 24

_GRACE = 0.08  # seconds from the polite end to the hard one; a cancelled turn must be idle within 0.2 s
_QUIET = 0.5  # seconds without output after which a terminal is given up whose command has ended
_CHUNK = 65536

# Takes the terminal as the controlling one: everything in it gets a hang-up should this agent be killed outright.
_LAUNCH = """\
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
try:
    fcntl.ioctl(1, termios.TIOCSCTTY, 0)
except OSError:
    pass
os.execvp(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Exit:
    """How a command ended: an exit code, or the name of the signal that ended it."""

    code: int | None
    signal: str | None = None

    @classmethod
    def of(cls, returncode: int) -> Exit:
        """From the returncode of `subprocess`."""
        if returncode >= 0 or os.name == "nt":
            return cls(returncode)
        try:
            return cls(None, signal.Signals(-returncode).name)
        except ValueError:
            return cls(None, f"SIG{-returncode}")


class Command:
    """One command, from its start to its end.

    `run` gives its `Exit` when it ended by itself; `stop` ends it and everything that it started.
    """

    def __init__(self, argv: Sequence[str], cwd: Path) -> None:
        self._argv = list(argv)
        self._cwd = cwd
        self._process: Process | None = None
        self._master: int | None = None
        self._unwanted = False  # stopped before it was there

    async def run(self, on_output: Callable[[bytes], Awaitable[None]]) -> Exit:
        """Start it and hand over its output as it comes. Raises `OSError` when it cannot start."""
        output = await self._start()
        assert self._process is not None
        if self._unwanted:
            await self.stop()
        ended = asyncio.ensure_future(self._process.wait())
        # What it left running in the background ends with it, and with that the terminal does.
        ended.add_done_callback(lambda _: self._signal("SIGKILL"))
        async with contextlib.aclosing(output(ended)) as chunks:
            try:
                async for data in chunks:
                    await on_output(data)
                return Exit.of(await ended)
            finally:
                # In this order: a terminal that closes sends a hang-up before we can be polite.
                try:
                    await self.stop()
                finally:
                    self._close()

    async def stop(self) -> Exit | None:
        """End it, politely and then not; None when it has not started: then it ends as soon as it has."""
        process = self._process
        if process is None:
            self._unwanted = True
            return None
        if process.returncode is None:
            self._signal("SIGTERM")
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(asyncio.ensure_future(process.wait())), _GRACE)
        self._signal("SIGKILL")
        return Exit.of(await process.wait())

    def _signal(self, name: str) -> None:
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, getattr(signal, name))

    async def _start(self) -> Callable[[asyncio.Future[int]], AsyncGenerator[bytes, None]]:
        environment = {**os.environ, "COLUMNS": str(COLS), "LINES": str(ROWS), "TERM": "xterm-256color"}
        if os.name == "nt":
            self._process = await asyncio.create_subprocess_exec(
                *self._argv, cwd=self._cwd, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
            )
            return self._pipe
        master, slave = _open_terminal()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", "-c", _LAUNCH, *self._argv),
                cwd=self._cwd,
                env=environment,
                stdin=DEVNULL,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
            )
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        self._master = master
        return self._terminal

    async def _pipe(self, ended: asyncio.Future[int]) -> AsyncGenerator[bytes, None]:
        assert self._process is not None
        assert self._process.stdout is not None
        while data := await self._process.stdout.read(_CHUNK):
            yield data

    async def _terminal(self, ended: asyncio.Future[int]) -> AsyncGenerator[bytes, None]:
        assert self._master is not None
        os.set_blocking(self._master, False)
        while await _readable(self._master, ended):
            data, more = _read_ready(self._master)
            if data:
                yield data
            if not more:
                return

    def _close(self) -> None:
        if self._master is not None:
            os.close(self._master)
            self._master = None


def _open_terminal() -> tuple[int, int]:
    import fcntl
    import struct
    import termios

    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
    return master, slave


def _read_ready(fd: int) -> tuple[bytes, bool]:
    """What there is to read, up to a chunk, and whether more may come. A terminal gives at most 4 KiB at a time."""
    data = bytearray()
    try:
        while len(data) < _CHUNK:
            piece = os.read(fd, _CHUNK)
            if not piece:
                return bytes(data), False
            data += piece
    except BlockingIOError:
        pass
    except OSError:  # EIO: nobody has the other end any more
        return bytes(data), False
    return bytes(data), True


async def _readable(fd: int, ended: asyncio.Future[int]) -> bool:
    """Wait until there is something to read; False when the command ended and then kept quiet."""
    loop = asyncio.get_running_loop()
    readable: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(fd, ready)
    try:
        if not ended.done():
            waiting: set[asyncio.Future[Any]] = {readable, ended}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not readable.done():
            await asyncio.wait({readable}, timeout=_QUIET)
        return readable.done()
    finally:
        loop.remove_reader(fd)
