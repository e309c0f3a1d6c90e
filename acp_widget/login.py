"""The login that an agent waits for: its methods, the one under way, and what is sent again afterwards.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from . import errors, runtime
from .asking import Audience
from .prompts import Prompts
from .protocol.peer import Peer
from .protocol.refusals import AUTH_REQUIRED, with_data
from .session.state import State

_TICK = 0.25  # seconds between two looks at whether somebody came
_OURS = ("agent", "terminal", "env_var")
_BUTTONS = ("agent", "terminal")  # types of methods that a view has a button for


class Owner(Protocol):
    """What a `Login` needs of its driver."""

    state: State
    prompts: Prompts
    error: errors.AcpError | None

    @property
    def peer(self) -> Peer | None:
        """The agent's side of the connection, once it is there."""

    def emit(self, event: dict[str, Any]) -> None: ...

    def settle(self) -> None: ...

    def start(self) -> None: ...

    def reconnect(self, env: Mapping[str, str]) -> None: ...

    async def settled(self) -> None: ...


class Login:
    """Of one agent. `open` while it waits for a login."""

    def __init__(self, owner: Owner, audience: Audience, *, nobody_after: float | None, advice: str = "") -> None:
        self.open: errors.AuthRequired | None = None
        self.stuck = False
        """It is open, and nobody is there who could press a button, or there is none to press."""
        self.opened = asyncio.Event()
        self._owner, self._audience, self._nobody_after, self._advice = owner, audience, nobody_after, advice
        self._made: asyncio.Future[None] | None = None
        self._waiters: dict[concurrent.futures.Future[None], bool] = {}  # and whether clicks arrive while it waits
        self._watching: asyncio.Task[None] | None = None
        self._running = False
        self._after_restart: str | None = None

    # --- the agent wants it ----------------------------------------------------------------------------------------

    def need(self, error: errors.AuthRequired) -> None:
        """The agent answered "log in first": say so, and hold what waits."""
        shown = copy.copy(error)
        shown.hint = " ".join(filter(None, [self._advice, self._hint()]))
        self.open = self._owner.error = shown
        self.opened.set()
        # The card has the methods themselves.
        self._owner.emit({"type": "loginNeeded", "error": {**shown.as_dict(), "hint": self._advice}})
        # A cell that waits holds up the next one, where it could be done from Python: it must not wait for nothing.
        if not self._audience.possible() or not any(method["type"] in _BUTTONS for method in self._methods()):
            self._nobody()
            return
        self._tell_waiters()
        if not self._audience.seen() and self._watching is None:
            self._watching = asyncio.ensure_future(self._watch())

    async def through(self, peer: Peer, ask: Callable[[], Awaitable[None]]) -> None:
        """Ask; when the agent wants a login first and tells how, wait for it and ask again, once for each login."""
        while True:
            try:
                return await ask()
            except errors.AuthRequired as error:
                if not peer.auth_methods:
                    raise
                refused = error
            # After a restart with variables some agents want their method to be named, too.
            method_id, self._after_restart = self._after_restart, None
            if method_id is not None:
                try:
                    await peer.login(method_id)
                    continue
                except (errors.RequestError, errors.AuthRequired, errors.NotOffered) as error:
                    refused = errors.AuthRequired(error.message)
            self.need(refused)
            self._made, peer.held_up = asyncio.get_running_loop().create_future(), True
            await self._made
            peer.held_up = False

    def close(self) -> None:
        """It was made, or the agent is gone: nobody waits for it any more."""
        if self.open is not None:
            if self._owner.error is self.open:
                self._owner.error = None
            self.open, self.stuck = None, False
            self.opened.clear()
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    # --- who waits -------------------------------------------------------------------------------------------------

    def watched(self, over: concurrent.futures.Future[None], *, clicks: bool = True) -> concurrent.futures.Future[None]:
        """A future done when `over` is, or with `AuthRequired` while nobody can log in. From any thread.

        `clicks`: whether buttons answer while it is waited for.
        """
        if over.done():
            return over
        mine: concurrent.futures.Future[None] = concurrent.futures.Future()

        def passed_on(_: object) -> None:
            with contextlib.suppress(concurrent.futures.InvalidStateError):
                mine.set_result(None)

        over.add_done_callback(passed_on)
        runtime.call(self._wait_for, mine, clicks)
        return mine

    def _wait_for(self, waiter: concurrent.futures.Future[None], clicks: bool) -> None:
        self._waiters = {each: its for each, its in self._waiters.items() if not each.done()} | {waiter: clicks}
        self._tell_waiters()

    def _tell_waiters(self) -> None:
        if self.open is None or not self._owner.prompts:
            return
        # A copy: a raised error holds on to all frames on its way.
        told = copy.copy(self.open)
        told.hint = f"{told.hint} The prompt waits, and is sent after that.".strip()
        in_vain = [waiter for waiter, clicks in self._waiters.items() if self.stuck or not clicks]
        for waiter in in_vain:
            del self._waiters[waiter]
            with contextlib.suppress(concurrent.futures.InvalidStateError):
                waiter.set_exception(copy.copy(told))

    def _nobody(self) -> None:
        self.stuck = True
        self._tell_waiters()
        asyncio.get_running_loop().call_soon(self._owner.settle)

    async def _watch(self) -> None:
        """Nobody is there when no view came to show the login, though it could have."""
        before, waited = self._audience.readable_seconds(), 0.0
        while not self._audience.seen():
            await asyncio.sleep(_TICK)
            now = self._audience.readable_seconds()
            waited, before = waited + max(0.0, now - before), now
            if waited >= self._audience.patience(self._nobody_after) and not self._audience.seen():
                self._nobody()
                break
        self._watching = None

    # --- somebody does it ------------------------------------------------------------------------------------------

    async def log_in(self, method: str | None = None, env: Mapping[str, str] | None = None) -> None:
        """Log in by one of the agent's methods, and see how the start that waited for it goes on.

        Raises `NotOffered` for a method that there is not, or that cannot be used so; `AuthRequired` with the agent's
        words when it did not work; what the start raises.
        """
        if self._running:
            raise errors.NotOffered("A login is under way already.")
        self._running = True
        try:
            await self._log_in(method, env)
        except errors.AcpError as error:
            if self.open is not None:
                again = error.message == self.open.message
                said = "You are not logged in yet." if again else error.message
                self._owner.emit({"type": "loginFailed", "message": said})
            raise
        finally:
            self._running = False

    async def _log_in(self, method: str | None, env: Mapping[str, str] | None) -> None:
        self._owner.start()
        await self._owner.settled()
        peer = self._owner.peer
        if peer is None:
            raise copy.copy(self._owner.error or errors.ConnectionClosed("The agent is not running."))
        chosen = self._choose(method, env)
        if chosen["type"] == "agent" and not env:
            await self._ask(peer, chosen["methodId"])
        else:
            if chosen["type"] != "terminal":  # some agents read the variable and want the method to be named, too
                self._after_restart = chosen["methodId"]
            self._owner.reconnect(dict(env or {}))
        await self._owner.settled()
        if self._owner.error is not None:
            raise copy.copy(self._owner.error)

    async def _ask(self, peer: Peer, method_id: str) -> None:
        self._owner.emit({"type": "loginBegun", "methodId": method_id})
        try:
            await peer.login(method_id)
        except asyncio.CancelledError:
            self._owner.emit({"type": "loginFailed", "message": "The login was given up."})
            raise
        self.made()

    def made(self) -> None:
        """The agent took it: what waited goes on, once."""
        waiting = self.open is not None
        self.close()
        self._owner.emit({"type": "loginDone"})
        if self._made is not None and not self._made.done():
            self._made.set_result(None)
        if waiting:
            self._owner.settle()

    async def log_out(self) -> None:
        """Raises `NotOffered` where the agent has no such thing."""
        peer = self._owner.peer
        if peer is None:
            raise errors.ConnectionClosed("The agent is not running.", hint="agent.start().wait() starts it.")
        await peer.logout()

    # --- methods ---------------------------------------------------------------------------------------------------

    def _methods(self) -> list[dict[str, Any]]:
        methods: list[dict[str, Any]] = self._owner.state.part("session")["authMethods"]
        return methods

    def _choose(self, method: str | None, env: Mapping[str, str] | None) -> dict[str, Any]:
        known = {each["methodId"]: each for each in self._methods()}
        if not known:
            raise errors.NotOffered("The agent offers no way to log in.", hint="It may need none.")
        usable = [each for each in known.values() if each["type"] == ("env_var" if env else "agent")]
        if method is None:
            if len(usable) != 1:
                raise errors.NotOffered(
                    "Which login? The agent offers several, or none of that kind.", hint=self._hint()
                )
            return usable[0]
        chosen = known.get(method)
        if chosen is None:
            raise errors.NotOffered(f"The agent has no login {method[:100]!r}.", hint=self._hint())
        if chosen["type"] not in _OURS:
            raise errors.NotOffered(f"The login {method!r} is of a type that this version does not know.")
        missing = [name for name in chosen["vars"] if name not in (env or {})]
        if chosen["type"] == "env_var" and (missing or not env):
            raise errors.NotOffered(f"The login {method!r} needs variables.", hint=_how(chosen))
        return chosen

    def _hint(self) -> str:
        return " ".join(_how(method) for method in self._methods()[:10] if method["type"] in _OURS)


def wants_login(error: Mapping[str, Any]) -> errors.AuthRequired:
    """The error of a prompt that was refused for want of a login."""
    told = errors.RequestError(AUTH_REQUIRED, str(error.get("message") or ""), error.get("data"))
    return errors.AuthRequired(f"The agent wants you to log in first: {with_data(told)}")


def _how(method: Mapping[str, Any]) -> str:
    """What to do for one method, in a sentence."""
    called = f"agent.login({method['methodId']!r}"
    if method["python"]:
        return f"{method['name']}: `{method['python']}`."
    if method["type"] == "terminal":
        variables = f" with {', '.join(method['env'])} set" if method["env"] else ""
        return f"{method['name']}: run `{method['command']}` in a terminal{variables}, then `{called})`."
    return f"{method['name']}: `{called})`."
