"""One session with an agent: what we send, and what of its messages becomes which event (docs/internals.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import errors
from . import refusals
from .connection import INTERNAL_ERROR, INVALID_PARAMS, NOT_HANDLED, Connection, RequestId
from .opening import Opening
from .refusals import AUTH_REQUIRED, NOT_FOUND
from .reports import is_content
from .services import Services, Serving
from .transport import Json, Transport
from .v1 import V1
from .v2 import V2

_EARLY = 1_000  # messages kept from before the answer to `session/new`
_STRANGERS = 50  # unknown session ids that are reported
_CLOSE_TIMEOUT = 1.0  # seconds for the answer to `session/close`

_CANCELLED = {"outcome": {"outcome": "cancelled"}}


class Peer(Opening):
    """One session with an agent that speaks ACP v2 or v1, as events with v2 shapes.

    `emit(event)` gets the events of docs/internals.md, without `at`, in the order of what happened.
    `on_closed(error)`: once, when a started agent ended by itself (`AgentExited`); its process group is ended then.
    `on_traffic("in" | "out", message)`: every message, for a recording.
    `services`: what a v1 agent may ask us to do. They are closed with the session.

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
        services: Services | None = None,
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
        self._serving = Serving(services, self._connection, self._diagnostic)
        if services is not None:
            services.emit = self._served
        self._session_id: str | None = None
        self.capabilities: Any = None
        self.auth_methods: list[Any] = []
        self._early: list[tuple[str | None, Json]] = []
        self._strangers: set[str] = set()
        self._left: set[str] = set()
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
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        if not Path(cwd).is_absolute():
            raise ValueError(f"cwd must be an absolute path, not {cwd!r}")
        await self.initialize(timeout=timeout)
        left = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        place: Json = {"cwd": cwd, "mcpServers": list(mcp_servers)}
        if additional_directories:
            place["additionalDirectories"] = list(additional_directories)
        await self.new(place, timeout=left)

    def prompt(
        self, turn: str, blocks: Sequence[Json], *, source: str | None = None, again: bool = False
    ) -> asyncio.Future[None]:
        """Send a prompt. Emits `promptSent`, and `promptResult` or `promptError` when the agent accepted it or not.

        `promptHeld` when the agent wants a login first and tells how: then it may be sent again (`again`).
        When the agent ends first none of these comes; `on_closed` does.
        """
        more: Json = {**({} if source is None else {"source": source}), **({"again": True} if again else {})}
        self._emit({"type": "promptSent", "turn": turn, "prompt": list(blocks), **more})

        def answered(result: Any, error: errors.RequestError | errors.ConnectionClosed | None) -> None:
            if error is None:
                self._emit({"type": "promptResult", "turn": turn, "result": result})
            elif isinstance(error, errors.RequestError):
                held = error.code == AUTH_REQUIRED and self.auth_methods
                told = refusals.hidden({"code": error.code, "message": error.message, "data": error.data}, self._hide)
                self._emit({"type": "promptHeld" if held else "promptError", "turn": turn, "error": told})

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
        self._serving.stop()
        if self._started and self._connection.closed is None:
            for request_id in self._connection.open_requests:
                self._connection.respond(request_id, _CANCELLED)
            if self._dialect.closes:
                closing = self._connection.request("session/close", {"sessionId": self._session_id})
                await asyncio.wait([closing], timeout=_CLOSE_TIMEOUT)
        await asyncio.gather(self._connection.close(), self._serving.close())

    # --- what arrives ----------------------------------------------------------------------------------------------

    def _request(self, request_id: RequestId, method: str, params: Any) -> object:
        handler = self._requests.get(method)
        if handler is None:
            return self._serve(request_id, method, params)
        if self._closing is not None:
            return self._connection.respond(request_id, _CANCELLED)
        if not isinstance(params, dict):
            return self._connection.respond_error(request_id, INVALID_PARAMS, "The params are no object")
        return handler(request_id, params)

    def _serve(self, request_id: RequestId, method: str, params: Any) -> object:
        """A request to do something for the agent: only v1 has those."""
        if self._dialect.version != 1 or not self._serving.offers(method):
            return NOT_HANDLED
        if self._closing is not None:
            return self._connection.respond_error(request_id, INTERNAL_ERROR, "The session is closed.")
        if not isinstance(params, dict):
            return self._connection.respond_error(request_id, INVALID_PARAMS, "The params are no object")
        # An agent may ask before it told the session's id: it has only this one.
        if self._session_id is not None and params.get("sessionId") != self._session_id:
            self._no_session(request_id, params.get("sessionId"))
        else:
            self._serving.run(request_id, method, params)
        return None

    def _served(self, event: Json) -> None:
        """What a service shows."""
        if self._closing is None:
            self._emit(event)

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
        elif session_id in self._left and not is_content(event):
            pass  # how a session stands that we left says nothing to anybody
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

    def _flush_early(self) -> None:
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
        elif self._started:
            hint = f"{hint} The next prompt starts it again; so does agent.restart(). The transcript stays.".strip()
        self._death = errors.AgentExited(f"The agent ended: {reason}.", hint=self._hint(hint), stderr=stderr)
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())  # what it left of its group ends too
            if (self._started or self.held_up) and self._on_closed is not None:
                self._on_closed(self._death)


_TOO_EARLY = f"More than {_EARLY} messages came before the answer to session/new; later ones were dropped."

_EXIT_HINTS = {
    "exit code 127": "A command that it needs was not found; is everything it needs on PATH?",
    "killed by SIGKILL": "Something ended it by force; often the system, when memory runs out.",
}
