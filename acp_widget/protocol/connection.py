"""JSON-RPC 2.0 over any transport: both ways, strictly in order, one message at a time."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..errors import ConnectionClosed, RequestError
from .transport import Json, NotAMessage, Transport

log = logging.getLogger(__name__)

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

RequestId = int | str

NOT_HANDLED: Final = object()
"""What `on_request` returns for a method it does not know."""

OnAnswer = Callable[[Any, RequestError | ConnectionClosed | None], object]

_BREATH = 0.005  # seconds of messages in one go, then others on this loop have a turn
_UNSENT = 10_000  # messages that may wait to be sent before reading pauses
_EXPLAIN = 1.0  # seconds for the reading side to learn why writing failed
_NOISE = 100  # diagnostics about unreadable lines, then only their number is told, at the end


class Connection:
    """The two directions of one JSON-RPC connection. Needs a running loop; `start()` begins to read.

    `on_request(id, method, params)` returns `NOT_HANDLED` for an unknown method (answered -32601); anything else means
    that `respond` or `respond_error` will be called, now or later. `on_notification(method, params)`.
    `on_end(reason)` once, when the stream ended and `close()` was not called.
    `on_diagnostic(message, where)`: what was tolerated. `on_traffic("in" | "out", message)`: every message, and the
    `NotAMessage` of what is none.
    All are called one after the other, in the order of the messages. One that raises becomes a diagnostic.

    Sending never waits and never raises: messages go out in the order of the calls.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        on_request: Callable[[RequestId, str, Any], object],
        on_notification: Callable[[str, Any], object],
        on_end: Callable[[str], object] | None = None,
        on_diagnostic: Callable[[str, str], object] | None = None,
        on_traffic: Callable[[str, Any], object] | None = None,
    ) -> None:
        self._transport = transport
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_end = on_end
        self._on_diagnostic = on_diagnostic
        self._on_traffic = on_traffic
        self._next_id = 1
        self._waiting: dict[RequestId, tuple[str, asyncio.Future[Any], OnAnswer | None]] = {}
        self._late: set[RequestId] = set()
        self._open: dict[RequestId, str] = {}
        self._outgoing: deque[tuple[Any, asyncio.Future[None]]] = deque()
        self._newest: asyncio.Future[None] | None = None
        self._to_send = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._noise = 0
        self._reason: str | None = None

    def start(self) -> None:
        """Begin to read and to write."""
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write())]

    @property
    def closed(self) -> str | None:
        """Why the connection is closed; None while it is open."""
        return self._reason

    @property
    def open_requests(self) -> Mapping[RequestId, str]:
        """The other side's requests that have no answer yet, with their methods, oldest first."""
        return dict(self._open)

    # --- out -------------------------------------------------------------------------------------------------------

    def request(
        self, method: str, params: Json, *, timeout: float | None = None, on_answer: OnAnswer | None = None
    ) -> asyncio.Future[Any]:
        """Send a request. The future gives its result.

        `on_answer(result, error)` is called when the answer is read, before any later message is looked at, and when
        the connection ends. `timeout` in seconds; the future raises `TimeoutError` then, and a later answer is ignored.
        It raises `RequestError` for an error answer and `ConnectionClosed` when the connection is closed or ends.
        """
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._reason is not None:
            self._settle(method, future, on_answer, None, _closed(method, self._reason))
            return future
        request_id = self._next_id
        self._next_id += 1
        self._waiting[request_id] = (method, future, on_answer)
        self._post({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        if timeout is not None:
            timer = asyncio.get_running_loop().call_later(timeout, self._too_late, request_id)
            future.add_done_callback(lambda done: timer.cancel())
        return future

    def notify(self, method: str, params: Json) -> asyncio.Future[None]:
        """Send a notification. The future is done when it was handed over, or cannot be any more."""
        return self._post({"jsonrpc": "2.0", "method": method, "params": params})

    def respond(self, request_id: RequestId, result: Any) -> asyncio.Future[None]:
        """Answer a request of the other side. Exactly one answer is sent: a second one becomes a diagnostic."""
        return self._answer(request_id, {"result": result})

    def respond_error(self, request_id: RequestId, code: int, message: str, data: Any = None) -> asyncio.Future[None]:
        """Answer a request of the other side with an error."""
        return self._answer(request_id, {"error": _error(code, message, data)})

    def _answer(self, request_id: RequestId, answer: Json) -> asyncio.Future[None]:
        if self._open.pop(request_id, None) is None:
            self._diagnose(f"No request with the id {request_id!r} waits for an answer; nothing was sent.", "answer")
            return _done()
        return self._post({"jsonrpc": "2.0", "id": request_id, **answer})

    def _post(self, message: Json) -> asyncio.Future[None]:
        if self._reason is not None:
            return _done()
        sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._guard(self._on_traffic, "out", message)
        self._outgoing.append((message, sent))
        self._newest = sent
        self._to_send.set()
        if len(self._outgoing) > _UNSENT:
            self._room.clear()
        return sent

    async def _write(self) -> None:
        while True:
            await self._to_send.wait()
            self._to_send.clear()
            while self._outgoing:
                message, sent = self._outgoing.popleft()
                try:
                    await self._transport.send(message)
                except (OSError, EOFError):
                    # The reading side usually learns why; an agent that only closed its input is of no use either.
                    await asyncio.sleep(_EXPLAIN)
                    self._stop("it does not read any more")
                    return
                except Exception as fault:
                    self._not_sent(message, fault)
                finally:
                    _finish(sent)
                if len(self._outgoing) <= _UNSENT // 2:
                    self._room.set()

    def _not_sent(self, message: Json, fault: Exception) -> None:
        """A message of ours that is no JSON: only that one is lost, and its request fails."""
        self._fault(fault, message.get("method", "answer"), "could not be sent")
        if "method" in message and message.get("id") in self._waiting:
            method, future, on_answer = self._waiting.pop(message["id"])
            error = RequestError(INVALID_PARAMS, f"It could not be sent: {fault}")
            self._settle(method, future, on_answer, None, error)

    # --- in --------------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        breath = loop.time() + _BREATH
        try:
            while True:
                try:
                    message = await self._transport.receive()
                except NotAMessage as line:
                    self._guard(self._on_traffic, "in", line)
                    self._noisy(line)
                else:
                    self._guard(self._on_traffic, "in", message)
                    self._take(message)
                await self._room.wait()
                if loop.time() > breath:
                    await asyncio.sleep(0)
                    breath = loop.time() + _BREATH
        except EOFError as end:
            reason = str(end) or "the other side closed it"
        except OSError as error:
            reason = f"{type(error).__name__}: {error}"
        except Exception as fault:  # a fault of the transport: tell it, never hang on it
            log.exception("The transport failed")
            reason = f"{type(fault).__name__}: {fault}"
        self._stop(reason)

    def _stop(self, reason: str) -> None:
        """The stream ended, and nobody here closed it."""
        if self._reason is None:
            self._end(reason)
            self._guard(self._on_end, reason)

    def _end(self, reason: str) -> None:
        if self._reason is not None:
            return
        if self._noise > _NOISE:
            self._diagnose(f"{self._noise - _NOISE} more lines were no messages.", "stdout")
        self._reason = reason
        self._open.clear()
        while self._outgoing:
            _finish(self._outgoing.popleft()[1])
        self._room.set()
        waiting, self._waiting = self._waiting, {}
        for method, future, on_answer in waiting.values():
            self._settle(method, future, on_answer, None, _closed(method, reason))

    def _take(self, message: Any) -> None:
        if isinstance(message, list):
            if not message:
                self._refuse("an empty batch")
            for item in message:
                if isinstance(item, dict):
                    self._message(item)
                else:
                    self._refuse("a batch with something that is no object")
        elif isinstance(message, dict):
            self._message(message)
        else:
            # A number or a word on stdout is a stray print, not a request: nobody waits for an answer.
            self._diagnose(f"JSON that is no message: {str(message)[:200]}", "stdout")

    def _message(self, message: Json) -> None:
        request_id: Any = message.get("id")
        method = message.get("method")
        if isinstance(method, str):
            if "id" not in message:
                self._guard(self._on_notification, method, _params(message))
            elif _is_id(request_id):
                self._request(request_id, method, _params(message))
            else:
                self._refuse(f"a request whose id is {str(request_id)[:50]}", where=method)
        elif method is None and ("result" in message or "error" in message):
            self._response(request_id, message)
        elif _is_id(request_id):
            self._refuse("a message with neither a method nor a result", request_id)
        else:
            self._diagnose(f"A message with neither a method nor a result: {str(message)[:200]}", "connection")

    def _request(self, request_id: RequestId, method: str, params: Any) -> None:
        if request_id in self._open:
            self._refuse("a second request with an id that still waits for its answer", request_id, where=method)
            return
        self._open[request_id] = method
        try:
            handled = self._on_request(request_id, method, params)
        except Exception as fault:
            self._fault(fault, method)
            if request_id in self._open:
                self.respond_error(request_id, INTERNAL_ERROR, "The client failed to handle the request")
            return
        if handled is NOT_HANDLED:
            self.respond_error(request_id, METHOD_NOT_FOUND, f"Method not found: {method}", {"method": method})

    def _response(self, request_id: Any, message: Json) -> None:
        raw = message.get("error")
        error = None if raw is None and "result" in message else _request_error(raw)
        if not _is_id(request_id) or request_id not in self._waiting:
            if _is_id(request_id) and request_id in self._late:
                self._late.discard(request_id)
                return
            said = f": {error.message}" if error is not None else ""
            self._diagnose(f"An answer to no request of ours (id {str(request_id)[:50]}){said}", "connection")
            return
        method, future, on_answer = self._waiting.pop(request_id)
        self._settle(method, future, on_answer, message.get("result") if error is None else None, error)

    def _settle(
        self,
        method: str,
        future: asyncio.Future[Any],
        on_answer: OnAnswer | None,
        result: Any,
        error: RequestError | ConnectionClosed | None,
    ) -> None:
        self._guard(on_answer, result, error, where=method)
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
            future.exception()  # seen: whoever uses on_answer need not await it

    def _too_late(self, request_id: RequestId) -> None:
        method, future, _ = self._waiting.pop(request_id)
        self._late.add(request_id)
        if not future.done():
            future.set_exception(TimeoutError(f"no answer to {method}"))

    # --- the end ---------------------------------------------------------------------------------------------------

    async def flushed(self) -> None:
        """Return when everything sent so far was handed over, or cannot be."""
        if self._newest is not None:
            await asyncio.wait([self._newest])

    async def close(self) -> None:
        """Close the connection and its transport. What still waits fails with `ConnectionClosed`."""
        self._end("it was closed here")
        others = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await self._transport.close()
        await asyncio.gather(*others, return_exceptions=True)

    # --- what went wrong -------------------------------------------------------------------------------------------

    def _guard(self, callback: Callable[..., object] | None, *args: Any, where: str = "") -> None:
        if callback is None:
            return
        try:
            callback(*args)
        except Exception as fault:
            self._fault(fault, where or str(args[0])[:50])

    def _fault(self, fault: Exception, where: str, what: str = "was not handled") -> None:
        log.error("A message %s (%s)", what, where, exc_info=fault)
        self._diagnose(f"A message {what}: {type(fault).__name__}: {fault}", where)

    def _noisy(self, line: NotAMessage) -> None:
        self._noise += 1
        if self._noise <= _NOISE:
            self._diagnose(f"A line that is no message, {line.reason}: {line.text}", "stdout")

    def _refuse(self, what: str, request_id: RequestId | None = None, *, where: str = "connection") -> None:
        self._post({"jsonrpc": "2.0", "id": request_id, "error": _error(INVALID_REQUEST, f"Invalid request: {what}")})
        self._diagnose(f"The agent sent {what}.", where)

    def _diagnose(self, message: str, where: str) -> None:
        if self._on_diagnostic is not None:
            try:
                self._on_diagnostic(message, where)
            except Exception as fault:
                log.error("A diagnostic was not handled: %s", message, exc_info=fault)


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _params(message: Json) -> Any:
    params = message.get("params")
    return {} if params is None else params


def _error(code: int, message: str, data: Any = None) -> Json:
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return error


def _request_error(raw: Any) -> RequestError:
    """The error of an answer, however odd its shape."""
    error = raw if isinstance(raw, dict) else {"message": str(raw)[:500]}
    code, message = error.get("code"), error.get("message")
    return RequestError(
        code if isinstance(code, int) and not isinstance(code, bool) else INTERNAL_ERROR,
        message if isinstance(message, str) else "The agent gave no reason",
        error.get("data"),
    )


def _closed(method: str, reason: str) -> ConnectionClosed:
    return ConnectionClosed(f"`{method}` got no answer: the connection is closed ({reason}).")


def _done() -> asyncio.Future[None]:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.set_result(None)
    return future


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
