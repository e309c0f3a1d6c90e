"""An agent's process as a stream of JSON messages, one a line (ACP v2, Transports)."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from . import launch
from .group import ProcessGroup, signal_name
from .transport import NotAMessage
from .wire import decode, encode

MB = 1_000_000

_TAIL = 64 * 1024  # bytes of stderr that are kept
_HIGH, _LOW = 16 * MB, 4 * MB  # unread bytes at which reading pauses and goes on
_QUIET = 0.5  # seconds without output after which a dead agent has said all it will
_LAST_WORDS = 5.0  # seconds that an agent's descendants may go on talking after it exited
_SHOWN = 500  # characters of a line that is no message
_SECRET = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)


class StdioTransport:
    """A child process that speaks JSON lines on stdin and stdout, with its whole process group.

    Made by `start()`. Lines may be of any length up to `max_line` bytes and cost time in proportion to it.
    Reading never stops for long: what arrives waits in memory, up to 16 MB, for `receive()`.
    """

    def __init__(self, group: ProcessGroup, *, command: Sequence[str], grace: float, max_line: int) -> None:
        self.command = list(command)
        self._group = group
        self._grace = grace
        self._loop = asyncio.get_running_loop()
        self._exited = asyncio.Event()
        self._out = _Lines(max_line)
        self._err = _Tail()
        self._in = _Input()
        self._pipes: list[asyncio.BaseTransport] = []
        self._secrets: list[tuple[str, str]] = []
        self._closing: asyncio.Task[None] | None = None
        self._lingering: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str] | None = None,
        grace: float = 2.0,
        max_line: int = 256 * MB,
    ) -> StdioTransport:
        """Start a command in `cwd`, with the whole environment of this process and `env` over it.

        `grace`: seconds the agent gets at each step of the end (stdin closed, TERM, KILL).
        Raises `AgentNotFound`.
        """
        environment = launch.environment(env)
        resolved = launch.resolve(command, cwd=cwd, env=environment)
        try:
            group = ProcessGroup(resolved, cwd=cwd, env=environment)
        except (OSError, ValueError) as error:
            raise launch.refused(command, error) from error
        self = cls(group, command=command, grace=grace, max_line=max_line)
        self._secrets = _secrets(environment, env or {})
        threading.Thread(target=self._reap, name=f"acp-agent-{group.pid}", daemon=True).start()
        try:
            self._pipes.append((await self._loop.connect_read_pipe(lambda: self._err, group.stderr))[0])
            self._pipes.append((await self._loop.connect_read_pipe(lambda: self._out, group.stdout))[0])
            self._pipes.append((await self._loop.connect_write_pipe(lambda: self._in, group.stdin))[0])
        except BaseException:
            await self._end_now()
            raise
        return self

    @property
    def pid(self) -> int:
        """The process id of the agent, which is also its group's."""
        return self._group.pid

    @property
    def returncode(self) -> int | None:
        """The agent's exit code, negative for a signal; None while it runs."""
        return self._group.returncode

    def stderr_tail(self, limit: int = _TAIL) -> str:
        """The end of what the agent wrote to stderr, at most `limit` characters, values of secrets hidden."""
        return self.hide(self._err.text())[-limit:]

    # --- messages --------------------------------------------------------------------------------------------------

    async def send(self, message: Any) -> None:
        """Write one message; returns when the agent has room for more. Raises `ConnectionError` when it is gone."""
        await self._in.write(encode(message))

    async def receive(self) -> Any:
        """The next message, any JSON value.

        Raises `NotAMessage` for a line that is none (the stream goes on), and `EOFError` with the reason at the end.
        """
        while (line := await self._out.next()) is not None:
            if isinstance(line, NotAMessage):
                raise NotAMessage(self.hide(line.text), line.reason)
            if not line.strip():
                continue
            try:
                return decode(line)
            except ValueError as error:
                text = line[: 4 * _SHOWN].decode("utf-8", "replace").strip()
                shown = text[:_SHOWN] + ("…" if len(text) > _SHOWN or len(line) > 4 * _SHOWN else "")
                raise NotAMessage(self.hide(shown), f"not JSON ({error})") from None
        raise EOFError(await self._obituary())

    async def _obituary(self) -> str:
        """What ended the stream. Gives a process that is just ending the time to say how."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._exited.wait(), _QUIET)
            await asyncio.wait_for(self._err.ended.wait(), _QUIET / 2)
        code = self.returncode
        if code is None:
            return "it closed its output"
        return f"exit code {code}" if code >= 0 else f"killed by {signal_name(-code)}"

    # --- the end ---------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """End the agent and its whole group: stdin closed, then TERM, then KILL. Can be called again."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # Whoever waits may be cancelled; the end goes on.
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self._out.discard()
        self._in.close()
        for step in (self._group.terminate, self._group.kill):
            if await self._group.gone(self._grace):
                break
            step()
        await self._end_now()

    async def _end_now(self) -> None:
        self._group.kill()
        await self._group.gone(1.0)
        if self._lingering is not None:
            self._lingering.cancel()
        for pipe in self._pipes:
            pipe.close()
        self._in.abort()
        for unused in (self._group.stderr, self._group.stdout, self._group.stdin)[len(self._pipes) :]:
            unused.close()
        self._out.finish()
        await self._group.release()
        await asyncio.sleep(0)  # the pipes close one step of the loop later

    def _reap(self) -> None:
        self._group.wait()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._agent_exited)

    def _agent_exited(self) -> None:
        self._exited.set()
        if not self._out.over and self._closing is None:
            self._lingering = asyncio.ensure_future(self._linger())

    async def _linger(self) -> None:
        """The agent is gone, but a descendant may hold its output open for ever: stop reading when it is quiet."""
        deadline = self._loop.time() + _LAST_WORDS
        seen = -1
        while not self._out.over and (self._out.count != seen or self._out.paused) and self._loop.time() < deadline:
            seen = self._out.count
            await asyncio.sleep(_QUIET)
        self._out.finish()

    def hide(self, text: str) -> str:
        """The text with the names of secrets in the place of their values."""
        for value, name in self._secrets:
            text = text.replace(value, f"[{name}]")
        return text


class _Lines(asyncio.Protocol):
    """Bytes in pieces → whole lines. A line costs what its bytes cost, however many pieces it comes in."""

    def __init__(self, max_line: int) -> None:
        self.count = 0  # pieces seen
        self.over = False
        self.paused = False
        self._max = max_line
        self._pipe: asyncio.ReadTransport | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._lines: deque[bytes | NotAMessage] = deque()
        self._waiting = 0  # bytes in _lines
        self._discarding = False
        self._news = asyncio.Event()

    async def next(self) -> bytes | NotAMessage | None:
        """The next line without its end; None after the last one. One reader at a time."""
        while not self._lines:
            if self.over:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        if not isinstance(line, NotAMessage):
            self._waiting -= len(line)
        if self.paused and self._waiting <= _LOW and self._pipe is not None:
            self.paused = False
            self._pipe.resume_reading()
        return line

    def discard(self) -> None:
        """Read on, so that nobody is stuck writing, but keep nothing."""
        self._discarding = True
        self._lines.clear()
        self._pieces.clear()
        if self.paused and self._pipe is not None:
            self.paused = False
            self._pipe.resume_reading()

    def finish(self) -> None:
        """No more lines will come; the rest without a line end counts as one."""
        if self.over:
            return
        if self._size and not self._discarding:
            self._line(b"")
        self.over = True
        self._news.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._pipe = transport

    def data_received(self, data: bytes) -> None:
        self.count += 1
        if self._discarding or self.over:
            return
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._line(end)
        if rest:
            self._add(rest)
        if self._lines:
            self._news.set()
        if self._waiting > _HIGH and not self.paused and self._pipe is not None:
            self.paused = True
            self._pipe.pause_reading()

    def eof_received(self) -> None:
        self.finish()

    def connection_lost(self, error: Exception | None) -> None:
        self.finish()

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        # Too long: only the beginning is kept, for the diagnostic.
        if self._size <= self._max or not self._pieces:
            self._pieces.append(piece)
        else:
            del self._pieces[1:]

    def _line(self, end: bytes) -> None:
        self._add(end)
        if self._size > self._max:
            start = self._pieces[0][:_SHOWN].decode("utf-8", "replace")
            self._lines.append(NotAMessage(start + "…", f"a line of {self._size:,} bytes, more than {self._max:,}"))
        else:
            line = b"".join(self._pieces)
            self._lines.append(line)
            self._waiting += len(line)
        self._pieces = []
        self._size = 0


class _Tail(asyncio.Protocol):
    """Reads everything and keeps the end."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self._kept = bytearray()
        self._cut = False

    def data_received(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > 2 * _TAIL:
            self._cut = True
            del self._kept[:-_TAIL]

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set()

    def text(self) -> str:
        kept = bytes(self._kept[-_TAIL:])
        if self._cut or len(self._kept) > _TAIL:
            kept = kept.partition(b"\n")[2] or kept  # the first line is a torn one
        return kept.decode("utf-8", "replace")


class _Input(asyncio.BaseProtocol):
    """The agent's stdin, with back pressure."""

    def __init__(self) -> None:
        self._pipe: asyncio.WriteTransport | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._lost = False

    async def write(self, data: bytes) -> None:
        if self._lost or self._pipe is None or self._pipe.is_closing():
            raise BrokenPipeError("the agent does not read any more")
        self._pipe.write(data)
        await self._room.wait()
        if self._lost:
            raise BrokenPipeError("the agent does not read any more")

    def close(self) -> None:
        """Send the end of the stream, after what is still to be read if the agent reads it."""
        if self._pipe is not None and self._room.is_set():
            self._pipe.close()
        else:
            self.abort()

    def abort(self) -> None:
        """Close at once; what was not read is lost."""
        if self._pipe is None or self._lost:
            return
        # asyncio closes twice when asked twice: one that is closing with nothing left to write needs no help.
        if not self._pipe.is_closing() or self._pipe.get_write_buffer_size():
            self._pipe.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._pipe = transport

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost = True
        self._room.set()


def _secrets(environment: Mapping[str, str], given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Values that must not appear in what is shown, the longest first, each with the name to show instead."""
    names = {name for name in environment if _SECRET.search(name)} | {name for name in given if name != "PATH"}
    found = [(environment[name], name) for name in names if len(environment[name]) >= 8]
    return sorted(found, key=lambda secret: -len(secret[0]))
