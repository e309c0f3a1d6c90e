"""JSON-RPC 2.0 over stdin and stdout, one message a line (ACP v2, Transports)."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import queue
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

Json = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022

# A turn stops producing while the client has this much still to read.
_MAX_UNSENT = 256_000


class RpcError(Exception):
    """A JSON-RPC error: one that we answer with, or one that the client answered with."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def as_json(self) -> Json:
        """The error object as it stands on the wire."""
        error: Json = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error


def encode(message: Any) -> bytes:
    """One line of UTF-8 JSON. Lone surrogates (an undecodable file name) go out as escapes."""
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        text = json.dumps(message, separators=(",", ":")).encode()
    return text + b"\n"


class Peer:
    """The client at the other end of stdin and stdout.

    `on_request(method, params)` gives the result, or an awaitable of it, or raises `RpcError`; a plain result is sent
    before anything that happens later. `on_notification(method, params)` gives nothing. Messages are handled in order.
    """

    def __init__(
        self,
        on_request: Callable[[str, Json], Any],
        on_notification: Callable[[str, Json], None],
        *,
        stdin: int,
        stdout: int,
    ) -> None:
        self._on_request = on_request
        self._on_notification = on_notification
        self._stdin = stdin
        self._stdout = stdout
        self._loop = asyncio.get_running_loop()
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._room = asyncio.Event()
        self._room.set()
        self._next_id = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.closed = asyncio.Event()
        self._writer = threading.Thread(target=self._write_all, name="demo-stdout", daemon=True)

    def start(self) -> None:
        """Begin to read and write."""
        self._writer.start()
        threading.Thread(target=self._read_all, name="demo-stdin", daemon=True).start()

    def finish(self, timeout: float) -> None:
        """Write what is left, for at most `timeout` seconds."""
        self._outgoing.put(None)
        self._writer.join(timeout)

    # Out

    def send_bytes(self, data: bytes) -> None:
        """Queue raw bytes for stdout."""
        self._unsent += len(data)
        if self._unsent > _MAX_UNSENT:
            self._room.clear()
        self._outgoing.put(data)

    def send(self, message: Json) -> None:
        """Queue one message."""
        self.send_bytes(encode({"jsonrpc": "2.0", **message}))

    def notify(self, method: str, params: Json) -> None:
        """Queue one notification."""
        self.send({"method": method, "params": params})

    async def drained(self) -> None:
        """Return when the client has read most of what was sent."""
        await self._room.wait()

    async def request(self, method: str, params: Json) -> Any:
        """Send a request and give its result. Raises `RpcError`; withdraws the request when cancelled."""
        request_id = self._next_id
        self._next_id += 1
        answer: asyncio.Future[Any] = self._loop.create_future()
        self._waiting[request_id] = answer
        self.send({"id": request_id, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancel_request", {"requestId": request_id})
            raise
        finally:
            self._waiting.pop(request_id, None)

    def _write_all(self) -> None:
        while (data := self._outgoing.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._stdout, view) :]
            except OSError:
                self._from_thread(self.closed.set)
                return
            self._from_thread(self._wrote, len(data))

    def _wrote(self, count: int) -> None:
        self._unsent -= count
        if self._unsent <= _MAX_UNSENT // 2:
            self._room.set()

    # In

    def _read_all(self) -> None:
        parts: list[bytes] = []
        # os.read and not sys.stdin: a thread that is blocked in sys.stdin's buffer keeps the interpreter from ending.
        with contextlib.suppress(OSError):
            while chunk := os.read(self._stdin, 65536):
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    self._from_thread(self._line, b"".join([*parts, line]))
                    parts = []
                if rest:
                    parts.append(rest)
        self._from_thread(self.closed.set)

    def _from_thread(self, callback: Callable[..., object], *args: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(callback, *args)

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._answer_error(None, RpcError(PARSE_ERROR, "This line is not JSON"))
            return
        if isinstance(message, list):
            if not message:
                self._answer_error(None, RpcError(INVALID_REQUEST, "An empty batch"))
            for item in message:
                self._message(item)
        else:
            self._message(message)

    def _message(self, message: Any) -> None:
        if not isinstance(message, dict):
            self._answer_error(None, RpcError(INVALID_REQUEST, "A message is a JSON object"))
        elif "method" in message:
            self._call(message)
        elif "result" in message or "error" in message:
            self._response(message)
        else:
            self._answer_error(None, RpcError(INVALID_REQUEST, "Neither a request nor a response"))

    def _call(self, message: Json) -> None:
        method, params, request_id = message["method"], message.get("params", {}), message.get("id")
        wants_answer = "id" in message
        try:
            if wants_answer and (isinstance(request_id, bool) or not isinstance(request_id, (int, str))):
                request_id = None
                raise RpcError(INVALID_REQUEST, "A request id is an integer or a string")
            if not isinstance(method, str):
                raise RpcError(INVALID_REQUEST, "A method is a string")
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "params is an object")
            if not wants_answer:
                self._on_notification(method, params)
                return
            result = self._on_request(method, params)
        except Exception as error:
            if wants_answer:
                self._answer_error(request_id, error)
            elif not isinstance(error, RpcError):
                traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
            return
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(self._answer_later(request_id, result))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        else:
            self.send({"id": request_id, "result": result})

    async def _answer_later(self, request_id: int | str | None, result: Awaitable[Any]) -> None:
        try:
            self.send({"id": request_id, "result": await result})
        except Exception as error:
            self._answer_error(request_id, error)

    def _answer_error(self, request_id: int | str | None, error: Exception) -> None:
        if not isinstance(error, RpcError):
            traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
            error = RpcError(INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        self.send({"id": request_id, "error": error.as_json()})

    def _response(self, message: Json) -> None:
        request_id = message.get("id")
        waiting = self._waiting.pop(request_id, None) if type(request_id) is int else None
        if waiting is None or waiting.done():
            return  # late, or never asked
        error = message.get("error")
        if error is None:
            waiting.set_result(message.get("result"))
            return
        code, text = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
        waiting.set_exception(RpcError(code if isinstance(code, int) else INTERNAL_ERROR, str(text or "no message")))
