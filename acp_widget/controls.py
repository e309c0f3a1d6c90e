"""What one can ask of an agent beside prompts: stop one tool call or terminal, set a config option (S56, S57, R45).

`Controls` belongs to the private thread; `Remote` is the same for any other one, and waits.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from typing import Any

from . import errors, runtime
from .config import choices, is_known
from .protocol.connection import INVALID_PARAMS, METHOD_NOT_FOUND
from .protocol.peer import Peer
from .protocol.refusals import AUTH_REQUIRED
from .session.state import State
from .session.words import is_final

ANSWER_TIMEOUT = 30.0
"""Seconds that the agent may take to say that it accepts."""

_SHOWN = 200  # characters of an agent's text in our sentences
_LISTED = 20  # ids or values in a refusal


class Controls:
    """`peer()` gives the agent's peer when it is ready, else None; `why_not()` then says why it did not start.

    All methods check and send before they return.

    What they return is done when the agent has accepted; it raises `RequestError` with the agent's words,
    `ConnectionClosed` or `NoAnswer`. They themselves raise `NotOffered`, and `ConnectionClosed` without an agent;
    nothing is sent then.
    """

    def __init__(
        self, state: State, peer: Callable[[], Peer | None], why_not: Callable[[], errors.AcpError | None]
    ) -> None:
        self._state, self._peer, self._why_not = state, peer, why_not

    def cancel_call(self, key: str) -> asyncio.Future[None]:
        """Ask to stop a tool call."""
        call = self._entity("toolCalls", key, "tool call")
        if is_final(call["status"]):
            raise errors.NotOffered("This tool call is over.")
        self._check_offer(call, "tool call")
        return self._answered(self._ready().cancel_call(call["toolCallId"]), "stop this tool call")

    def cancel_terminal(self, key: str) -> asyncio.Future[None]:
        """Ask to stop the command of a terminal."""
        terminal = self._entity("terminals", key, "terminal")
        if terminal["exitStatus"] is not None:
            raise errors.NotOffered("The command of this terminal has ended.")
        self._check_offer(terminal, "terminal")
        return self._answered(self._ready().cancel_terminal(terminal["terminalId"]), "stop this terminal")

    def configure(self, config_id: str, value: str | bool) -> asyncio.Future[None]:
        """Set a config option to one of its values."""
        peer = self._ready()
        options = {option["configId"]: option for option in self._state.part("configOptions")}
        option = options.get(config_id)
        if option is None:
            hint = f"It offers: {_listed(options)}." if options else "It offers none."
            raise errors.NotOffered(f"The agent has no config option {_cut(config_id)!r}.", hint=hint)
        _check_value(option, value)
        return self._answered(peer.configure(config_id, value), f"set {_cut(config_id)!r}")

    # --- inside ------------------------------------------------------------------------------------------------------

    def _ready(self) -> Peer:
        peer = self._peer()
        if peer is not None:
            return peer
        why = self._why_not()
        if isinstance(why, errors.AuthRequired):
            raise copy.copy(why)
        because = "." if why is None else f": {why.message}"
        raise errors.ConnectionClosed(
            f"The agent is not running, so it cannot be asked for that{because}",
            hint="agent.start().wait() starts it." if why is None else why.hint,
        )

    def _entity(self, group: str, key: str, what: str) -> Mapping[str, Any]:
        entity = self._state.get(group, key)
        if entity is None:
            raise errors.NotOffered(f"There is no such {what}.")
        if self._state.left_behind(group, key):
            raise errors.NotOffered(f"This {what} belongs to an agent that has ended.")
        return entity

    def _check_offer(self, entity: Mapping[str, Any], what: str) -> None:
        if (entity["capabilities"] or {}).get("cancel") is None:
            raise errors.NotOffered(
                f"The agent does not offer to stop this {what}.", hint="agent.cancel() stops all that it does."
            )

    def _answered(self, answer: asyncio.Future[Any], what: str) -> asyncio.Future[None]:
        return asyncio.ensure_future(_accepted(answer, what))


async def _accepted(answer: asyncio.Future[Any], what: str) -> None:
    """Wait for the agent's answer; what it refuses becomes a sentence with its own words."""
    try:
        # Shielded: an answer that is late still counts for the state.
        await asyncio.wait_for(asyncio.shield(answer), ANSWER_TIMEOUT)
    except errors.RequestError as error:
        raise _refused(error, what) from None
    except errors.ConnectionClosed:
        raise errors.ConnectionClosed(f"The agent ended before it could {what}.") from None
    except asyncio.TimeoutError:
        raise errors.NoAnswer(
            f"The agent has not answered within {ANSWER_TIMEOUT:g} s when asked to {what}.",
            hint="It may still do it. agent.restart() ends its process and starts it again.",
        ) from None


def _refused(error: errors.RequestError, what: str) -> errors.AcpError:
    said = _cut(error.message)
    if error.code == AUTH_REQUIRED:
        return errors.AuthRequired(
            f"The agent wants you to log in first: {said}", hint="Log in with its own command, then try again."
        )
    why = _REASONS.get(error.code, "The agent refused to {what}: {said} (code {code}).")
    return errors.RequestError(error.code, why.format(what=what, said=said, code=error.code), error.data)


_REASONS = {
    INVALID_PARAMS: "The agent cannot {what}: {said}",
    METHOD_NOT_FOUND: "The agent cannot {what}: it does not know the request, though it offered it. ({said})",
}


def _check_value(option: Mapping[str, Any], value: object) -> None:
    name = _cut(option["configId"])
    if not is_known(option):
        raise errors.NotOffered(
            f"{name!r} is of a type that this version does not know ({_cut(option['type'])!r}), so it cannot be set."
        )
    offered = [choice.value for choice in choices(option)]
    if not any(type(value) is type(each) and value == each for each in offered):
        given = _cut(value) if isinstance(value, str) else value
        raise errors.NotOffered(f"{given!r} is no value of {name!r}.", hint=f"It takes: {_listed(offered)}.")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _listed(names: Collection[str | bool]) -> str:
    shown = [repr(_cut(name) if isinstance(name, str) else name) for name in list(names)[:_LISTED]]
    return ", ".join(shown + ["…"] * (len(names) > _LISTED))


# --- from any thread --------------------------------------------------------------------------------------------------


class Remote:
    """Asks, and returns when the agent has accepted. May be used from any thread, also while a cell runs.

    On the private thread itself nobody can wait: there it returns at once, and a refusal that comes later is given to
    `report` as a sentence.
    """

    def __init__(self, controls: Controls, *, check: Callable[[], None], report: Callable[[str], None]) -> None:
        self._controls, self._check, self._report = controls, check, report
        self.wait: Callable[[Future[None]], None] = lambda answer: answer.result()
        """How to block until the agent has answered: where there are buttons, so that they work meanwhile."""

    def cancel_call(self, key: str) -> None:
        """Stop a tool call."""
        self._wait(lambda: self._controls.cancel_call(key))

    def cancel_terminal(self, key: str) -> None:
        """Stop a terminal."""
        self._wait(lambda: self._controls.cancel_terminal(key))

    def configure(self, config_id: str, value: str | bool) -> None:
        """Set a config option."""
        self._wait(lambda: self._controls.configure(config_id, value))

    def configuring(self, config_id: str, value: str | bool) -> Future[None]:
        """The same without waiting: the future is done when the agent has accepted."""
        self._check()
        return runtime.submit(_done(lambda: self._controls.configure(config_id, value)))

    def _wait(self, ask: Callable[[], asyncio.Future[None]]) -> None:
        __tracebackhide__ = True
        self._check()
        if runtime.here():
            ask().add_done_callback(self._tell)
        else:
            self.wait(runtime.submit(_done(ask)))

    def _tell(self, asked: asyncio.Future[None]) -> None:
        error = None if asked.cancelled() else asked.exception()
        if error is not None:
            self._report(error.message if isinstance(error, errors.AcpError) else repr(error))


async def _done(ask: Callable[[], asyncio.Future[None]]) -> None:
    await ask()
