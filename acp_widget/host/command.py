"""One command that we run for an agent, in a process group of its own: its output as it comes, its end."""

from __future__ import annotations

import asyncio
import base64
import codecs
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence

from ..protocol.group import ProcessGroup, signal_name
from ..protocol.transport import Json

PACE = 0.05  # seconds between two reports of output
_FULL = 1_000_000  # bytes to report at which reading pauses
_QUIET = 0.2  # seconds without output after which a command that has ended said all it will
_LAST_WORDS = 5.0  # seconds that its descendants may go on talking before its end is told
GRACE = 2.0  # seconds between TERM and KILL


class Tail:
    """The end of a stream of bytes, at most `limit` of them, as text.

    >>> tail = Tail(4)
    >>> tail.add("abcé€".encode())
    >>> tail.text(), tail.truncated
    ('€', True)
    """

    def __init__(self, limit: int) -> None:
        self.truncated = False
        self._limit = limit
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > self._limit:
            self.truncated = True
        if len(self._kept) > 2 * self._limit + 65_536:  # not at each piece: moving the rest costs
            del self._kept[: len(self._kept) - self._limit]

    def text(self, *, over: bool = True) -> str:
        """At most `limit` bytes of UTF-8, from a character's border on. `over`: no more will come.

        What is no UTF-8 becomes U+FFFD; a character that is still being written is left for later.
        """
        cut = len(self._kept) > self._limit or self.truncated
        data = bytes(self._kept[-self._limit :]) if self._limit else b""
        text = (_from_border(data) if cut else data).decode("utf-8", "replace") if over else _so_far(data, cut)
        # A replacement takes more bytes than what it stands for.
        encoded = text.encode()
        if len(encoded) > self._limit:
            self.truncated = True
            text = _from_border(encoded[len(encoded) - self._limit :]).decode("utf-8", "ignore")
        return text


def _so_far(data: bytes, cut: bool) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(_from_border(data) if cut else data)


def _from_border(data: bytes) -> bytes:
    """Without the rest of a character whose beginning was cut off."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


class Command(asyncio.Protocol):
    """A running command. `tell(fields)` gets the fields of its terminal's updates, live.

    Made by `start()`. `status` is None while it runs, then `{exitCode, signal}`.
    """

    def __init__(self, group: ProcessGroup, limit: int, tell: Callable[..., object]) -> None:
        self.output = Tail(limit)
        self.status: Json | None = None
        self.over = asyncio.Event()
        """Set when it has ended and what it said was told."""
        self._group, self._tell = group, tell
        self._loop = asyncio.get_running_loop()
        self._pipe: asyncio.ReadTransport | None = None
        self._exited, self._silent = asyncio.Event(), asyncio.Event()
        self._fresh: list[bytes] = []
        self._waiting = 0  # bytes in _fresh
        self._count = 0  # pieces seen
        self._timer: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self._following: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._freed = False

    @classmethod
    def start(
        cls, command: Sequence[str], *, cwd: str, env: Mapping[str, str], limit: int, tell: Callable[..., object]
    ) -> Command:
        """Start it. Raises `OSError` and `ValueError` when the system does not."""
        group = ProcessGroup(command, cwd=cwd, env=env, merged=True)
        group.stdin.close()  # nobody types
        self = cls(group, limit, tell)
        threading.Thread(target=self._reap, name=f"acp-command-{group.pid}", daemon=True).start()
        self._following = asyncio.ensure_future(self._follow())
        return self

    @property
    def pid(self) -> int:
        return self._group.pid

    def _reap(self) -> None:
        self._group.wait()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._exited.set)

    # --- output ----------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._pipe = transport

    def data_received(self, data: bytes) -> None:
        self._count += 1
        self.output.add(data)
        self._fresh.append(data)
        self._waiting += len(data)
        if self._timer is None:
            wait = max(0.0, self._told_at + PACE - self._loop.time())
            self._timer = self._loop.call_later(wait, self._report)
        if self._waiting > _FULL and self._pipe is not None:
            self._pipe.pause_reading()

    def connection_lost(self, error: Exception | None) -> None:
        self._silent.set()

    def _report(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._fresh:
            return
        data = b"".join(self._fresh)
        self._fresh, self._told_at = [], self._loop.time()
        if self._waiting > _FULL and self._pipe is not None and not self._pipe.is_closing():
            self._pipe.resume_reading()
        self._waiting = 0
        self._tell(sessionUpdate="terminal_output_chunk", data=base64.b64encode(data).decode())

    # --- the end ---------------------------------------------------------------------------------------------------

    async def _follow(self) -> None:
        await self._loop.connect_read_pipe(lambda: self, self._group.stdout)
        await self._exited.wait()
        deadline = self._loop.time() + _LAST_WORDS
        seen = -1
        while not self._silent.is_set() and self._count != seen and self._loop.time() < deadline:
            seen = self._count
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._silent.wait(), _QUIET)
        self._finish()
        if self._silent.is_set() and not self._group.alive():
            await self._free()

    def _finish(self) -> None:
        self._report()
        code = self._group.returncode
        self.status = {
            "exitCode": code if code is not None and code >= 0 else None,
            "signal": signal_name(-code) if code is not None and code < 0 else None,
        }
        self._tell(sessionUpdate="terminal_update", exitStatus=self.status)
        self.over.set()

    async def end(self) -> None:
        """End the whole group, what it left in the background too: TERM, then KILL. Can be called again."""
        if self._ending is None or self._ending.done():
            self._ending = asyncio.ensure_future(self._end())
        # Whoever waits may be cancelled; the end goes on.
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        for step in (self._group.terminate, self._group.kill):
            step()
            if await self._group.gone(GRACE):
                break
        # What left the group may hold the output open for ever.
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.over.wait(), 2 * _QUIET + GRACE / 4)
        if not self.over.is_set():
            self._finish()
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
        await self._free()

    async def _free(self) -> None:
        if self._freed:
            return
        self._freed = True
        self._report()
        if self._pipe is not None:
            self._pipe.close()
        await self._group.release()
        await asyncio.sleep(0)  # the pipe closes one step of the loop later
