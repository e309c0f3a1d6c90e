"""One session with an agent: what we send, and what of its messages becomes which event (docs/internals.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import errors
from . import handshake
from .connection import INVALID_PARAMS, METHOD_NOT_FOUND, NOT_HANDLED, Connection, RequestId
from .transport import Json, Transport
from .v1 import V1
from .v2 import V2

AUTH_REQUIRED = -32000
NOT_FOUND = -32002

_EARLY = 1_000  # messages kept from before the answer to `session/new`
_STRANGERS = 50  # unknown session ids that are reported
_CLOSE_TIMEOUT = 1.0  # seconds for the answer to `session/close`
_STDERR_SHOWN = 4_000  # characters of stderr in an error

_CANCELLED = {"outcome": {"outcome": "cancelled"}}


class Peer:
    """One session with an agent that speaks ACP v2 or v1, as events with v2 shapes.

    `emit(event)` gets the events of docs/internals.md, without `at`, in the order of what happened.
    `on_closed(error)`: once, when a started agent ended by itself (`AgentExited`); its process group is ended then.
    `on_traffic("in" | "out", message)`: every message, for a recording.

    All methods belong to the running loop. Those that send do so before they return, in the order of the calls; they
    never raise, and what becomes of it is told by events. The futures they return are done when the message was
    handed over; those of `cancel_call`, `cancel_terminal` and `configure` give the agent's answer, and raise
    `RequestError` or `ConnectionClosed`.
    """

    def __init__(
        self,
        transport: Transport,
        emit: Callable[[Json], object],
        *,
        on_closed: Callable[[errors.AcpError], object] | None = None,
        on_traffic: Callable[[str, Any], object] | None = None,
    ) -> None:
        self._transport = transport
        self._dialect: V1 | V2 = V2()
        self._emit_plain = emit
        self._on_closed = on_closed
        self._connection = Connection(
            transport,
            on_request=self._request,
            on_notification=self._notification,
            on_end=self._ended,
            on_diagnostic=self._diagnostic,
            on_traffic=on_traffic,
        )
        self._session_id: str | None = None
        self._auth_methods: list[Any] = []
        self._early: list[tuple[str | None, Json]] = []
        self._strangers: set[str] = set()
        self._stray = ""
        self._started = False
        self._death: errors.AgentExited | None = None
        self._closing: asyncio.Task[None] | None = None
        self._requests: dict[str, Callable[[RequestId, Json], object]] = {
            "session/request_permission": self._permission,
        }
        self._notifications: dict[str, Callable[[Json], object]] = {
            "session/update": self._update,
            "$/cancel_request": self._cancel_request,
        }

    def _emit(self, event: Json) -> None:
        for each in self._dialect.events(event):
            self._emit_plain(each)

    @property
    def session_id(self) -> str | None:
        """The agent's id of the session; None before `session/new` was answered."""
        return self._session_id

    # --- what we send ----------------------------------------------------------------------------------------------

    async def start(
        self,
        *,
        cwd: str,
        mcp_servers: Sequence[Json] = (),
        additional_directories: Sequence[str] = (),
        timeout: float | None = None,
    ) -> None:
        """`initialize` and `session/new`. Emits `initialized` and `sessionNew`.

        `cwd` absolute. `timeout`: seconds for both together. Raises `StartTimeout`, `ProtocolVersionError`,
        `AuthRequired`, `AgentExited`, or `RequestError` when the agent refuses.
        """
        if not Path(cwd).is_absolute():
            raise ValueError(f"cwd must be an absolute path, not {cwd!r}")
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._connection.start()

        async def ask(method: str, params: Json, on_answer: Callable[[Any, Any], object]) -> Any:
            left = None if timeout is None else max(0.0, began + timeout - loop.time())
            try:
                return await self._connection.request(method, params, timeout=left, on_answer=on_answer)
            except TimeoutError:
                raise self._start_timeout(method, loop.time() - began) from None
            except errors.ConnectionClosed as error:
                raise self._death or error from None

        try:
            result = await ask("initialize", handshake.initialize_params(), self._initialized)
        except errors.RequestError as error:
            other = handshake.version_to_try(error)
            if other is None:
                raise self._refused("initialize", error) from error
            try:
                result = await ask("initialize", handshake.initialize_params(other), self._initialized)
            except errors.RequestError as again:
                raise self._refused("initialize", again) from again
        handshake.check_version(result)
        params: Json = {"cwd": cwd, "mcpServers": list(mcp_servers)}
        if additional_directories:
            params["additionalDirectories"] = list(additional_directories)
        try:
            await ask("session/new", params, self._session_made)
        except errors.RequestError as error:
            raise self._refused("session/new", error) from error
        if self._session_id is None:
            raise errors.RequestError(INVALID_PARAMS, "The agent answered `session/new` without a session id.")
        if self._death is not None:
            raise self._death
        self._started = True

    def prompt(self, turn: str, blocks: Sequence[Json], *, source: str | None = None) -> asyncio.Future[None]:
        """Send a prompt. Emits `promptSent`, and `promptResult` or `promptError` when the agent accepted it or not.

        When the agent ends first neither comes; `on_closed` does.
        """
        event = {"type": "promptSent", "turn": turn, "prompt": list(blocks)}
        self._emit(event if source is None else {**event, "source": source})

        def answered(result: Any, error: errors.RequestError | errors.ConnectionClosed | None) -> None:
            if error is None:
                self._emit({"type": "promptResult", "turn": turn, "result": result})
            elif isinstance(error, errors.RequestError):
                told = {"code": error.code, "message": error.message, "data": error.data}
                self._emit({"type": "promptError", "turn": turn, "error": told})

        self._connection.request(
            "session/prompt", {"sessionId": self._session_id, "prompt": list(blocks)}, on_answer=answered
        )
        return asyncio.ensure_future(self._connection.flushed())

    def cancel(self) -> asyncio.Future[None]:
        """Send `session/cancel`, then emit `cancel`: answers that follow from the event go out behind it (R55)."""
        sent = self._connection.notify("session/cancel", {"sessionId": self._session_id})
        self._emit({"type": "cancel"})
        return sent

    def cancel_call(self, tool_call_id: str) -> asyncio.Future[Any]:
        """Ask to stop one tool call. The answer only says "accepted": the end comes as an update (S56)."""
        return self._ask("tool_call/cancel", toolCallId=tool_call_id)

    def cancel_terminal(self, terminal_id: str) -> asyncio.Future[Any]:
        """Ask to stop one terminal's command. The answer only says "accepted": the end comes as an update (S57)."""
        return self._ask("terminal/cancel", terminalId=terminal_id)

    def configure(self, config_id: str, value: str | bool) -> asyncio.Future[Any]:
        """Set a config option (R45). Emits `configSent`, and `configResult` when the agent took the value."""
        self._emit({"type": "configSent", "configId": config_id})

        def answered(result: Any, error: errors.RequestError | errors.ConnectionClosed | None) -> None:
            if error is None:
                self._dialect.took(config_id, value)
                self._emit({"type": "configResult", "configId": config_id, "result": result})

        method, params = self._dialect.setting(config_id, value)
        return self._ask(method, answered, **params)

    def _ask(
        self, method: str, on_answer: Callable[[Any, Any], object] | None = None, /, **params: Any
    ) -> asyncio.Future[Any]:
        return self._connection.request(method, {"sessionId": self._session_id, **params}, on_answer=on_answer)

    def answer(
        self, request_id: RequestId, result: Any = None, error: Mapping[str, Any] | None = None
    ) -> asyncio.Future[None]:
        """Answer a `request` event: with `error` (`code`, `message`, `data`) if given, else with `result`."""
        if error is not None:
            sent = self._connection.respond_error(request_id, error["code"], error["message"], error.get("data"))
        else:
            sent = self._connection.respond(request_id, result)
        for event in self._dialect.answered(request_id):
            self._emit_plain(event)
        return sent

    async def close(self) -> None:
        """End the session, the connection and the agent's process group. Nothing is emitted any more.

        Requests of the agent that are still open are answered `cancelled`. Can be called again.
        """
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # Whoever waits may be cancelled; the end goes on.
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._started and self._connection.closed is None:
            for request_id in self._connection.open_requests:
                self._connection.respond(request_id, _CANCELLED)
            if self._dialect.closes:
                closing = self._connection.request("session/close", {"sessionId": self._session_id})
                await asyncio.wait([closing], timeout=_CLOSE_TIMEOUT)
        await self._connection.close()

    # --- what arrives ----------------------------------------------------------------------------------------------

    def _request(self, request_id: RequestId, method: str, params: Any) -> object:
        handler = self._requests.get(method)
        if handler is None:
            return NOT_HANDLED
        if self._closing is not None:
            return self._connection.respond(request_id, _CANCELLED)
        if not isinstance(params, dict):
            return self._connection.respond_error(request_id, INVALID_PARAMS, "The params are no object")
        return handler(request_id, params)

    def _notification(self, method: str, params: Any) -> None:
        handler = self._notifications.get(method)
        if handler is None or self._closing is not None:
            return  # unknown notifications are extensions (R60)
        if isinstance(params, dict):
            handler(params)
        else:
            self._diagnostic(f"The params of a notification are no object: {str(params)[:200]}", method)

    def _update(self, params: Json) -> None:
        if "update" in params:
            self._of_session(params.get("sessionId"), {"type": "update", "update": params["update"]})
        else:
            self._diagnostic(f"An update without `update`: {str(params)[:200]}", "session/update")

    def _permission(self, request_id: RequestId, params: Json) -> None:
        if not self._of_session(params.get("sessionId"), {"type": "request", "id": request_id, "params": params}):
            self._no_session(request_id, params.get("sessionId"))

    def _cancel_request(self, params: Json) -> None:
        event = {"type": "cancelRequest", "requestId": params.get("requestId")}
        if self._session_id is None:
            self._keep(None, event)
        else:
            self._emit(event)

    def _of_session(self, session_id: Any, event: Json) -> bool:
        """Emit what is ours, keep what may become ours, and tell of the rest. False for the rest."""
        if not isinstance(session_id, str):
            self._diagnostic("A message without a session id was dropped.", event["type"])
        elif self._session_id is None:
            return self._keep(session_id, event)
        elif session_id == self._session_id:
            self._emit(event)
            return True
        elif session_id not in self._strangers and len(self._strangers) < _STRANGERS:
            self._strangers.add(session_id)
            self._diagnostic(f"Messages of another session are not shown: {session_id[:100]!r}", event["type"])
        return False

    def _keep(self, session_id: str | None, event: Json) -> bool:
        if len(self._early) < _EARLY:
            self._early.append((session_id, event))
            return True
        if len(self._early) == _EARLY:
            self._early.append((None, {"type": "diagnostic", "where": "session/new", "message": _TOO_EARLY}))
        return False

    def _initialized(self, result: Any, error: object) -> None:
        if error is not None or not handshake.is_spoken(result):
            return
        if not handshake.speaks_v2(result):
            self._dialect = V1()
        methods = result.get("authMethods")
        self._auth_methods = methods if isinstance(methods, list) else []
        self._emit({"type": "initialized", "result": result})

    def _session_made(self, result: Any, error: object) -> None:
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if error is not None or not isinstance(session_id, str):
            return
        self._session_id = session_id
        self._emit({"type": "sessionNew", "result": result})
        # After the answer, so that what was reported early wins over what the answer says (R77).
        early, self._early = self._early, []
        for owner, event in early:
            if owner is None:
                self._emit(event)
            elif not self._of_session(owner, event) and event["type"] == "request":
                self._no_session(event["id"], owner)

    def _no_session(self, request_id: RequestId, session_id: Any) -> None:
        self._connection.respond_error(request_id, NOT_FOUND, "Unknown session", {"sessionId": session_id})

    def _diagnostic(self, message: str, where: str) -> None:
        if where == "stdout" and not self._stray:
            self._stray = message
        if self._closing is None:
            self._emit({"type": "diagnostic", "message": message, "where": where})

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def _ended(self, reason: str) -> None:
        stderr = self._stderr()
        hint = _EXIT_HINTS.get(reason, "")
        if not hint and not self._started:
            silent = "" if stderr else " It wrote nothing to stderr."
            hint = f"Does its command start an ACP agent? Try it in a terminal.{silent}"
        self._death = errors.AgentExited(f"The agent ended: {reason}.", hint=self._hint(hint), stderr=stderr)
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())  # what it left of its group ends too
            if self._started and self._on_closed is not None:
                self._on_closed(self._death)

    def _start_timeout(self, method: str, seconds: float) -> errors.StartTimeout:
        return errors.StartTimeout(
            f"The agent is running, but did not answer `{method}` within {_seconds(seconds)}.",
            hint=self._hint(
                "Does its command start an ACP agent, and is it logged in? Try it in a terminal; "
                "an agent that is only slow gets more time with start_timeout=."
            ),
            stderr=self._stderr(),
        )

    def _refused(self, method: str, error: errors.RequestError) -> errors.AcpError:
        if error.code == handshake.UNSUPPORTED_VERSION and not handshake.common(error.data):
            return handshake.other_version(handshake.versions(error.data))
        if error.code == AUTH_REQUIRED:
            return errors.AuthRequired(
                f"The agent wants you to log in first: {error.message}",
                hint=handshake.login_hint(self._auth_methods),
                stderr=self._stderr(),
            )
        hint = "Does its command start an ACP agent?" if error.code == METHOD_NOT_FOUND else ""
        told = f"The agent refused `{method}`: {error.message} (code {error.code})."
        return errors.RequestError(error.code, told, error.data, hint=self._hint(hint))

    def _hint(self, hint: str) -> str:
        return " ".join(filter(None, [hint, self._stray]))

    def _stderr(self) -> str:
        tail: Callable[[int], str] | None = getattr(self._transport, "stderr_tail", None)
        return tail(_STDERR_SHOWN) if tail is not None else ""


_TOO_EARLY = f"More than {_EARLY} messages came before the answer to session/new; later ones were dropped."

_EXIT_HINTS = {
    "exit code 127": "A command that it needs was not found; is everything it needs on PATH?",
    "killed by SIGKILL": "Something ended it by force; often the system, when memory runs out.",
}


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1g} s"
