"""What is asked of an agent outside of prompts: the first words, a session, a login. The half of `Peer` that waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .. import errors
from . import handshake, offers, refusals
from .connection import INVALID_PARAMS, Connection
from .services import Serving
from .transport import Json, Transport
from .v1 import V1
from .v2 import V2

_STDERR_SHOWN = 4_000  # characters of stderr in an error

# What it may mean that a request is never answered.
_SILENT = {
    "initialize": "Does its command start an ACP agent, and is it logged in? Try it in a terminal.",
    "session/new": "It speaks ACP but makes no session: is it logged in and set up? Try its own program in a terminal.",
}
_SILENT_ELSE = "Is it logged in? Try its own program in a terminal."


class Opening:
    """Belongs to `Peer`, which has the connection and the events."""

    capabilities: Any
    """What the agent can do, in the shape of v2; any JSON."""
    auth_methods: list[Any]
    """How one can log in, in the shape of v2; any JSON."""
    held_up = False
    """The start waits for a login: an end of the agent meanwhile is told, too."""
    _transport: Transport
    _connection: Connection
    _serving: Serving
    _dialect: V1 | V2
    _emit_plain: Callable[[Json], object]
    _session_id: str | None
    _left: set[str]
    _started: bool
    _stray: str
    _death: errors.AgentExited | None
    _closing: asyncio.Task[None] | None

    @property
    def version(self) -> int:
        """Of the protocol; 2 before the agent said which it speaks."""
        return self._dialect.version

    def _emit(self, event: Json) -> None:
        raise NotImplementedError

    def _flush_early(self) -> None:
        raise NotImplementedError

    async def initialize(self, *, timeout: float | None = None) -> None:
        """The first words. Emits `initialized`."""
        self._connection.start()
        began = asyncio.get_running_loop().time()
        offered = self._serving.capabilities
        try:
            result = await self._setup(
                "initialize", handshake.initialize_params(services=offered), self._initialized, timeout
            )
        except errors.RequestError as error:
            other = handshake.version_to_try(error)
            if other is None:
                raise self._refused("initialize", error) from error
            left = None if timeout is None else max(0.0, began + timeout - asyncio.get_running_loop().time())
            params = handshake.initialize_params(other, offered)
            try:
                result = await self._setup("initialize", params, self._initialized, left)
            except errors.RequestError as again:
                raise self._refused("initialize", again) from again
        handshake.check_version(result)

    async def new(self, place: Json, *, timeout: float | None = None) -> None:
        """`session/new`. Emits `sessionNew`. `place`: `cwd`, `mcpServers`, `additionalDirectories`, in v2 shape.

        May be called again after it was refused. Raises as `start()` does.
        """
        try:
            await self._setup("session/new", self._place(place), self._session_made, timeout)
        except errors.RequestError as error:
            raise self._refused("session/new", error) from error
        if self._session_id is None:
            raise errors.RequestError(INVALID_PARAMS, "The agent answered `session/new` without a session id.")
        if self._death is not None:
            raise self._death
        self._started = True

    async def change(self, place: Json, *, timeout: float | None = None) -> None:
        """Go over to a new session, that knows nothing of the present one.

        Emits `resumeBegin` and `resumeEnd`; `replayFailed` when it is refused: then the present session stays.
        Raises as `start()` does.
        """
        before, self._session_id = self._session_id, None
        self._emit({"type": "resumeBegin", "other": True})

        def answered(result: Any, error: object) -> None:
            session_id = result.get("sessionId") if isinstance(result, dict) else None
            if error is None and isinstance(session_id, str):
                self._session_id = session_id
                self._left.update({before} if before is not None else ())
                self._emit({"type": "resumeEnd", "result": result})
                self._flush_early()

        try:
            await self._setup("session/new", self._place(place), answered, timeout)
        except errors.RequestError as error:
            raise self._refused("session/new", error) from error
        finally:
            if self._session_id is None:
                self._session_id = before
                if self._closing is None:
                    self._emit({"type": "replayFailed"})
        if self._session_id == before:
            raise errors.RequestError(INVALID_PARAMS, "The agent answered `session/new` without a new session id.")
        if self._dialect.closes:
            self._connection.request("session/close", {"sessionId": before})

    async def open(self, session_id: str, place: Json, *, replay: bool, timeout: float | None = None) -> None:
        """Go on with a session that the agent has, instead of the present one, with all that was said in it or without.

        Emits `replayBegin` and `replayEnd`, or `resumeBegin` and `resumeEnd`; `replayFailed` when it is refused: then
        the present session stays. Raises `NotOffered`, `SessionNotFound`, and as `start()` does.
        """
        kind = "load" if replay else "resume"
        if not self.offers(kind):
            raise errors.NotOffered(f"The agent does not offer to {kind} a session.", hint=refusals.OTHER_WAY[kind])
        before, word = self._session_id, "replay" if replay else "resume"
        other = before is not None and before != session_id
        if before is not None and other:
            self._left.add(before)
        self._session_id = session_id
        self._emit({"type": f"{word}Begin", "sessionId": session_id, "other": other})
        self._flush_early()

        def answered(result: Any, error: object) -> None:
            if error is None:
                given = result if isinstance(result, dict) else {}
                self._emit({"type": f"{word}End", "result": {**given, "sessionId": session_id}})

        method, more = offers.OPENING[self.version][kind]
        try:
            await self._setup(method, {"sessionId": session_id, **self._place(place), **more}, answered, timeout)
        except errors.AcpError as error:
            self._session_id = before
            if self._closing is None:
                self._emit({"type": "replayFailed"})
            if not isinstance(error, errors.RequestError):
                raise
            raise self._refused(method, error, session_id) from error
        if other and self._dialect.closes:
            self._connection.request("session/close", {"sessionId": before})
        self._started = True

    def offers(self, what: str) -> bool:
        """Whether the agent offers to `list`, `load` or `resume` sessions."""
        return offers.offers(self.version, self.capabilities, what)

    def takes(self, what: str) -> bool:
        """Whether a session of the agent takes `stdio` or `http` servers, or `additionalDirectories`."""
        return offers.takes(self.version, self.capabilities, what)

    async def list_page(self, params: Json, *, timeout: float | None = None) -> Any:
        """One page of `session/list`. Raises as `start()` does."""
        return await self._outside("session/list", params, timeout)

    async def login(self, method_id: str) -> None:
        """Log in by a method that the agent runs itself; it may wait for the user as long as it likes.

        Raises `RequestError` with the agent's words, `AgentExited`, `ConnectionClosed`.
        """
        await self._outside(offers.LOGIN[self.version], {"methodId": method_id}, None)

    async def logout(self) -> None:
        """Log out. Raises `NotOffered` where the agent has no such thing, and as `login()` does."""
        method = offers.logout(self.version, self.capabilities, self.auth_methods)
        if method is None:
            raise errors.NotOffered("The agent does not offer to log out.")
        await self._outside(method, {}, None)

    async def _outside(self, method: str, params: Json, timeout: float | None) -> Any:
        try:
            return await self._setup(method, params, None, timeout)
        except errors.RequestError as error:
            raise self._refused(method, error) from error

    async def _setup(
        self, method: str, params: Json, on_answer: Callable[[Any, Any], object] | None, timeout: float | None
    ) -> Any:
        """A request beside the session's own, with our errors for what may become of it."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            return await self._connection.request(method, params, timeout=timeout, on_answer=on_answer)
        except TimeoutError:
            raise self._start_timeout(method, loop.time() - began) from None
        except errors.ConnectionClosed as error:
            raise self._death or error from None

    def _place(self, place: Json) -> Json:
        servers = [offers.server(self.version, each) for each in place["mcpServers"]]
        return {**place, "mcpServers": servers}

    def _initialized(self, result: Any, error: object) -> None:
        if error is not None or not handshake.is_spoken(result):
            return
        if not handshake.speaks_v2(result):
            self._dialect = V1()
        for event in self._dialect.events({"type": "initialized", "result": result}):
            told = event["result"] if event["type"] == "initialized" else {}
            self.capabilities = told.get("capabilities")
            methods = told.get("authMethods")
            self.auth_methods = methods if isinstance(methods, list) else []
            self._emit_plain(event)

    def _session_made(self, result: Any, error: object) -> None:
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if error is not None or not isinstance(session_id, str):
            return
        self._session_id = session_id
        self._emit({"type": "sessionNew", "result": result})
        # After the answer, so that what was reported early wins over what the answer says (R77).
        self._flush_early()

    # --- what goes wrong

    def _start_timeout(self, method: str, seconds: float) -> errors.StartTimeout:
        return errors.StartTimeout(
            f"The agent is running, but did not answer `{method}` within {_seconds(seconds)}.",
            hint=self._hint(
                f"{_SILENT.get(method, _SILENT_ELSE)} An agent that is only slow gets more time with start_timeout=."
            ),
            stderr=self._stderr(),
        )

    def _refused(self, method: str, error: errors.RequestError, session_id: str | None = None) -> errors.AcpError:
        told = errors.RequestError(error.code, self._hide(error.message), refusals.hidden(error.data, self._hide))
        hint = handshake.login_hint(self.auth_methods) if error.code == refusals.AUTH_REQUIRED else self._stray
        return refusals.refused(method, told, session_id=session_id, hint=hint, stderr=self._stderr())

    def _hint(self, hint: str) -> str:
        return " ".join(filter(None, [hint, self._stray]))

    def _hide(self, text: str) -> str:
        """A text of the agent's without the values of secrets that it was given."""
        hide: Callable[[str], str] | None = getattr(self._transport, "hide", None)
        return hide(text) if hide is not None else text

    def _stderr(self) -> str:
        tail: Callable[[int], str] | None = getattr(self._transport, "stderr_tail", None)
        return tail(_STDERR_SHOWN) if tail is not None else ""


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1g} s"
