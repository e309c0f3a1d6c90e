"""The JSON-RPC side: which methods there are, and which sessions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import project, scenes
from .session import Session
from .wire import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, NOT_FOUND, UNSUPPORTED_VERSION, Peer, RpcError

Json = dict[str, Any]

PROTOCOL_VERSION = 2
_VERSION = "1.0.0"  # of the demo agent
_SHUTDOWN = 1.0  # seconds for the turns to end


async def serve() -> int:
    """Serve the client on stdin and stdout until stdin closes; gives the exit status."""
    # Messages go to a copy of stdout. Whatever else prints lands on stderr and never between two messages.
    stdout = os.dup(1)
    os.dup2(2, 1)
    server = Server(stdin=0, stdout=stdout)
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(AttributeError, NotImplementedError, ValueError):
            loop.add_signal_handler(getattr(signal, name), server.peer.closed.set)
    server.peer.start()
    await server.peer.closed.wait()
    await server.shut_down()
    return 0


class Server:
    """The agent's side of one connection."""

    def __init__(self, *, stdin: int, stdout: int) -> None:
        self.peer = Peer(self._request, self._notification, stdin=stdin, stdout=stdout)
        self._initialized = False
        self._sessions: dict[str, Session] = {}
        self._requests: dict[str, Callable[[Json], Any]] = {
            "initialize": self._initialize,
            "session/new": self._new,
            "session/list": self._list,
            "session/resume": self._resume,
            "session/close": self._close,
            "session/prompt": self._prompt,
            "session/set_config_option": self._configure,
            "tool_call/cancel": lambda params: self._stop(params, "call", "toolCallId"),
            "terminal/cancel": lambda params: self._stop(params, "terminal", "terminalId"),
        }

    async def shut_down(self) -> None:
        """Stop every turn, with the commands that they run."""
        stops = [asyncio.ensure_future(session.stop()) for session in self._sessions.values() if session.busy]
        if stops:
            await asyncio.wait(stops, timeout=_SHUTDOWN)
        self.peer.finish(timeout=0.5)

    def _request(self, method: str, params: Json) -> Any:
        handler = self._requests.get(method)
        if handler is None:
            raise RpcError(METHOD_NOT_FOUND, f"The demo agent has no method {method}")
        if not self._initialized and method != "initialize":
            raise RpcError(INVALID_REQUEST, f"The connection must be initialized before {method}")
        return handler(params)

    def _notification(self, method: str, params: Json) -> None:
        # $/cancel_request needs nothing: every request is answered before the next line is read, and for an answered id
        # the protocol asks for silence. Other notifications that we do not know are ignored, as it asks too.
        session = self._sessions.get(str(params.get("sessionId")))
        if method == "session/cancel" and session is not None:
            session.cancel()

    def _initialize(self, params: Json) -> Json:
        version = params.get("protocolVersion")
        if isinstance(version, bool) or not isinstance(version, int):
            raise RpcError(INVALID_PARAMS, "protocolVersion is an integer")
        if version < PROTOCOL_VERSION:
            data = {"requested": version, "supported": [PROTOCOL_VERSION]}
            raise RpcError(UNSUPPORTED_VERSION, f"The demo agent speaks version {PROTOCOL_VERSION} of ACP", data)
        self._initialized = True
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "info": {"name": "acp-widget-demo", "title": "demo agent", "version": _VERSION},
            "capabilities": {"session": {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}}},
            "authMethods": [],
        }

    def _new(self, params: Json) -> Json:
        cwd = _folder(params)
        project.create(cwd)
        session = Session(f"demo-{uuid.uuid4().hex[:12]}", cwd, self.peer)
        self._sessions[session.id] = session
        return {"sessionId": session.id, **_offers(session)}

    def _list(self, params: Json) -> Json:
        wanted = params.get("cwd")
        sessions = [s for s in self._sessions.values() if wanted is None or str(s.cwd) == wanted]
        return {"sessions": [_info(session) for session in sessions]}

    def _resume(self, params: Json) -> Json:
        session = self._find(params, closed=True)
        if _folder(params) != session.cwd:
            raise RpcError(INVALID_PARAMS, f"This session works in {session.cwd}")
        replay = params.get("replayFrom")
        if replay is not None and not (isinstance(replay, dict) and replay.get("type") == "start"):
            raise RpcError(INVALID_PARAMS, "The demo agent replays from the start or not at all")
        session.closed = False
        if replay is not None:
            session.replay()
        session.report()
        return _offers(session)

    async def _close(self, params: Json) -> Json:
        session = self._find(params)
        session.closed = True
        await session.stop()
        return {}

    def _prompt(self, params: Json) -> Json:
        session = self._find(params)
        blocks = params.get("prompt")
        if not isinstance(blocks, list) or not blocks:
            raise RpcError(INVALID_PARAMS, "prompt is a list of at least one content block")
        if not all(isinstance(block, dict) and isinstance(block.get("type"), str) for block in blocks):
            raise RpcError(INVALID_PARAMS, "Every content block is an object with a type")
        return {"messageId": session.prompt(blocks)}

    def _configure(self, params: Json) -> Json:
        session = self._find(params)
        session.configure(params.get("configId"), params.get("value"))
        return {"configOptions": session.config_options()}

    def _stop(self, params: Json, group: str, field: str) -> Json:
        self._find(params).stop_one(group, params.get(field))
        return {}

    def _find(self, params: Json, *, closed: bool = False) -> Session:
        session_id = params.get("sessionId")
        if not isinstance(session_id, str):
            raise RpcError(INVALID_PARAMS, "sessionId is a string")
        session = self._sessions.get(session_id)
        if session is None or (session.closed and not closed):
            raise RpcError(NOT_FOUND, "There is no such session", {"sessionId": session_id})
        return session


def _folder(params: Json) -> Path:
    cwd = params.get("cwd")
    if not isinstance(cwd, str) or not Path(cwd).is_absolute():
        raise RpcError(INVALID_PARAMS, "cwd is an absolute path")
    if not Path(cwd).is_dir():
        raise RpcError(INVALID_PARAMS, f"There is no folder {cwd}")
    return Path(cwd)


def _offers(session: Session) -> Json:
    return {"configOptions": session.config_options(), "availableCommands": scenes.commands()}


def _info(session: Session) -> Json:
    info: Json = {"sessionId": session.id, "cwd": str(session.cwd), "updatedAt": session.updated_at}
    if session.title is not None:
        info["title"] = session.title
    return info
