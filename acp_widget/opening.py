"""What opens an agent's door: the login, and the sessions that it keeps. The part of `Agent` that waits for answers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from . import errors, runtime
from .arguments import check_env, check_folder
from .reading import Reading
from .sessions import SessionInfo, listed

T = TypeVar("T")
S = TypeVar("S", bound="Opening")


class Opening(Reading):
    """Each call blocks until the agent has answered; buttons work meanwhile. An interrupt gives the call up."""

    def login(self: S, method: str | None = None, *, env: Mapping[str, str] | None = None) -> S:
        """Log in by one of the agent's methods, and let what waited for it go on: the start, or the prompt, once.

        `method`: its id, as the error and the card list them; may be left out where there is one. `env`: the values
        that a method of variables wants: the agent is started again with them. They are never stored or shown.
        For a method in a terminal: call it when you have logged in there.
        Starts the agent when it does not run. Raises `NotOffered` for a method that there is not, `AuthRequired` and
        `RequestError` with the agent's words when it did not work: the methods stay. (ACP v2, Authentication)

        >>> from acp_widget import Agent
        >>> with Agent("demo") as agent:
        ...     agent.login()
        Traceback (most recent call last):
        acp_widget.errors.NotOffered: The agent offers no way to log in.
        It may need none.
        """
        check_env(env)
        self._answered(lambda: self._driver.login.log_in(method, env))
        return self

    def logout(self: S) -> S:
        """Log out, where the agent offers that; the next prompt wants a login again. Raises `NotOffered` elsewhere."""
        self._answered(self._driver.login.log_out)
        return self

    def sessions(self, cwd: str | None = None) -> list[SessionInfo]:
        """The sessions that the agent keeps, made here or elsewhere: all pages. `cwd`: only those of that folder.

        Starts the agent when it does not run. Raises `NotOffered` where it keeps none. (ACP v2, Session List)

        >>> from acp_widget import Agent
        >>> with Agent("demo") as agent:
        ...     [session.cwd == agent.cwd for session in agent.sessions()]
        [True]
        """

        check_folder(cwd)

        async def ask() -> tuple[list[SessionInfo], str]:
            return await listed(await self._driver.running(), cwd, timeout=self._driver.patience)

        found, problem = self._answered(ask)
        if problem:
            self._driver.report(problem)
        return found

    def load(self: S, session_id: str) -> S:
        """Go on with a session that the agent keeps; what was said in it takes the place of what is shown.

        Raises `SessionNotFound` when the agent does not know it any more: what is shown stays, and so does the session
        in use. `NotOffered` where the agent cannot, or works just now. (ACP v2, Session Setup)
        """
        self._answered(lambda: self._driver.sessions.change(self._driver, _checked(session_id), replay=True))
        return self

    def resume(self: S, session_id: str) -> S:
        """The same without what was said in it: what is shown stays, and what comes is added."""
        self._answered(lambda: self._driver.sessions.change(self._driver, _checked(session_id), replay=False))
        return self

    def _answered(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the agent answers; buttons work meanwhile."""
        __tracebackhide__ = True
        self._driver.check_live()
        if runtime.here():
            raise errors.WaitNotPossible("Waiting for the agent's answer would block the thread that it runs on.")
        answer: Future[Any] = runtime.submit(ask())
        try:
            self._driver.remote.wait(answer)
        except BaseException:
            answer.cancel()
            raise
        given: T = answer.result()
        return given


def _checked(session_id: str) -> str:
    if not isinstance(session_id, str) or not session_id:
        raise TypeError("A session is named by its id, a text: agent.sessions() lists them.")
    return session_id
