"""Runs one agent: starts it, sends prompts one after the other, lets a policy answer, ends it.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from . import errors, policy, runtime
from .protocol.stdio import StdioTransport
from .protocol.v2 import Peer
from .registry import Launch
from .session.reducer import Outcome, reduce
from .session.state import State

log = logging.getLogger(__name__)

_OVER = frozenset({"done", "failed", "not_sent"})
# A change under one of these moves a turn, a permission or a scalar trait; streamed chunks touch none of them.
_COARSE = frozenset({"session", "state", "turns", "permissions", "usage", "sessionInfo"})


class Audience(Protocol):
    """Who could answer a permission request in a notebook."""

    def possible(self) -> bool:
        """False where no button can ever be pressed: outside an ipykernel."""

    def seen(self) -> bool:
        """True once a view of the session was drawn."""

    def readable_seconds(self) -> float:
        """Seconds so far in which messages of a page could be read; grows, never falls."""


class Driver:
    """One session with one agent. `state` may be read from any thread."""

    def __init__(
        self,
        launch: Launch,
        *,
        cwd: str,
        temporary: bool,
        env: Mapping[str, str] | None,
        permissions: policy.Policy,
        start_timeout: float,
        nobody_after: float,
        audience: Audience,
    ) -> None:
        self.state = State()
        self.launch = launch
        self.warnings: deque[str] = deque(maxlen=50)
        self.on_operations: Callable[[Sequence[Any]], None] = lambda operations: None
        self.on_change: Callable[[], None] = lambda: None
        self.on_turn_over: Callable[[str], None] = lambda turn: None
        self.closed = False
        self._cwd, self._temporary, self._env = cwd, temporary, env
        self._policy = permissions
        self._start_timeout, self._nobody_after = start_timeout, nobody_after
        self._audience = audience
        self._peer: Peer | None = None
        self._ready = False
        self._starting: asyncio.Task[None] | None = None
        self._prompts: dict[str, list[dict[str, Any]]] = {}
        self._queue: deque[str] = deque()
        self._over: dict[str, concurrent.futures.Future[None]] = {}
        self._failures: dict[str, errors.AcpError] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._handled: set[str] = set()
        self._idle_waiters: list[concurrent.futures.Future[None]] = []
        self._reported: set[str] = set()
        self._abandoned = False
        self._closing: asyncio.Future[None] | None = None
        self._pid = os.getpid()
        _all.add(self)

    # --- from any thread -------------------------------------------------------------------------------------------

    def over(self, turn: str) -> concurrent.futures.Future[None]:
        """A future that is done when the turn is over. From any thread."""
        return self._over.setdefault(turn, concurrent.futures.Future())

    def failure(self, turn: str) -> errors.AcpError | None:
        """Why the turn failed, when it did. From any thread."""
        return self._failures.get(turn)

    # --- prompts ---------------------------------------------------------------------------------------------------

    def prompt(self, turn: str, blocks: list[dict[str, Any]], source: str) -> None:
        """Send a prompt, or queue it while the agent is busy or starting."""
        self._prompts[turn] = blocks
        self.emit({"type": "promptQueued", "turn": turn, "prompt": blocks, "source": source})
        if self.closed:
            self._fail_turn(turn, errors.AgentClosed("This agent was closed.", hint="Make a new one: Agent(…)."))
            self.emit({"type": "promptDropped", "turn": turn, "why": "the agent was closed"})
            return
        self._queue.append(turn)
        self._ensure_started()
        self._send_next()

    def _send_next(self) -> None:
        """Send the first queued prompt if the agent is free."""
        if not self._queue or not self._ready or self._peer is None or self.state.busy():
            return
        turn = self._queue.popleft()
        self._peer.prompt(turn, self._prompts.pop(turn))

    def unqueue(self, turn: str) -> None:
        """Take a queued prompt back; it is never sent."""
        if turn in self._queue:
            self._queue.remove(turn)
            self._prompts.pop(turn, None)
            self.emit({"type": "promptDropped", "turn": turn, "why": "you removed it"})

    def cancel(self, why: str = "the turn was stopped") -> None:
        """Stop the work in progress and drop what is queued."""
        self._drop_queue(why)
        if self._ready and self._peer is not None:
            self._peer.cancel()

    def cancel_turn(self, turn: str) -> None:
        """Stop this turn: when it is queued it is never sent, when it is over nothing happens."""
        if turn in self._queue:
            self.unqueue(turn)
        elif turn == self.state.active_turn():
            self.cancel()

    def _drop_queue(self, why: str) -> None:
        while self._queue:
            turn = self._queue.popleft()
            self._prompts.pop(turn, None)
            self.emit({"type": "promptDropped", "turn": turn, "why": why})

    # --- permissions -----------------------------------------------------------------------------------------------

    def answer(self, permission: str, option_id: str, *, by: str, why: str | None = None) -> None:
        """Choose an option of a pending request. Raises `AnswerRefused` for anything else; nothing is sent then."""
        request = self._pending(permission)
        if option_id not in [option["optionId"] for option in request["options"]]:
            known = ", ".join(repr(option["optionId"]) for option in request["options"])
            raise errors.AnswerRefused(f"The request offers no option {option_id!r}.", hint=f"It offers: {known}.")
        self.emit({"type": "respond", "permission": permission, "optionId": option_id, "by": by, "why": why})

    def dismiss(self, permission: str, *, by: str, why: str | None = None) -> None:
        """Answer a pending request `cancelled`. Raises `AnswerRefused` when it is not pending."""
        self._pending(permission)
        self.emit({"type": "dismiss", "permission": permission, "by": by, "why": why})

    def _pending(self, permission: str) -> Mapping[str, Any]:
        request = self.state.get("permissions", permission)
        if request is None:
            raise errors.AnswerRefused("There is no such permission request.")
        if request["status"] != "pending":
            raise errors.AnswerRefused("This request was already answered.", hint="Nothing more was sent.")
        return request

    def report(self, message: str) -> None:
        """Keep a sentence about something odd among the session's diagnostics, once. From any thread."""
        if message not in self._reported and len(self._reported) < 100:
            self._reported.add(message)
            runtime.call(self.emit, {"type": "diagnostic", "message": message, "where": "widget"})

    def set_policy(self, permissions: policy.Policy) -> None:
        """Takes effect for the next request."""
        self._policy = permissions
        self.emit({"type": "policy", "policy": permissions})

    def _consider(self, permission: str) -> None:
        """A new pending request: let the policy answer it, or see to it that somebody can."""
        self._handled.add(permission)
        request = self.state.get("permissions", permission)
        if request is None or request["status"] != "pending":
            return
        decision = policy.decide(self._policy, request)
        if decision.action == "ask":
            if self._audience.possible():
                task = asyncio.ensure_future(self._until_somebody(permission))
                self._asking[permission] = task
                task.add_done_callback(lambda done: self._asking.pop(permission, None))
            else:
                self._fall_back(permission, "no notebook is attached")
        else:
            self._carry_out(permission, decision, "policy")

    async def _until_somebody(self, permission: str) -> None:
        """Fall back when no view was drawn for some seconds in which messages could be read."""
        start = self._audience.readable_seconds()
        while not self._audience.seen():
            await asyncio.sleep(0.25)
            request = self.state.get("permissions", permission)
            if request is None or request["status"] != "pending":
                return
            waited = self._audience.readable_seconds() - start
            if waited >= self._nobody_after:
                self._fall_back(permission, f"no view of the session was open for {self._nobody_after:g} s")
                return

    def _fall_back(self, permission: str, because: str) -> None:
        request = self.state.get("permissions", permission)
        if request is None:
            return
        decision = policy.fallback(request)
        what = "rejected" if decision.action == "select" else "answered 'cancelled'"
        text = (
            f"The agent asked {request['title']!r} and nobody could answer ({because}), so it was {what}. "
            "Pass permissions='allow' or 'reject', or run this in a notebook."
        )
        log.warning(text)
        self.warnings.append(text)
        self._carry_out(permission, decision, "nobody", f"{decision.why}: {because}")

    def _carry_out(self, permission: str, decision: policy.Decision, by: str, why: str | None = None) -> None:
        if decision.action == "select" and decision.option_id is not None:
            self.answer(permission, decision.option_id, by=by, why=why or decision.why)
        else:
            self.dismiss(permission, by=by, why=why or decision.why)

    # --- events ----------------------------------------------------------------------------------------------------

    def emit(self, event: dict[str, Any]) -> None:
        """Reduce one event, pass its operations on, send its answers, and do what follows from it. Never raises."""
        event["at"] = time.time()
        outcome: Outcome = reduce(self.state, event)
        if outcome.ops:
            self.on_operations(outcome.ops)
        for answer in outcome.answers:
            if self._peer is not None:
                self._peer.answer(answer.request_id, answer.result, answer.error)
        if event["type"] == "promptError":
            self._fail_turn(event["turn"], _prompt_error(event["error"]))
        if any(operation[0] != "bytes" and operation[1][0] in _COARSE for operation in outcome.ops):
            self._after_change()

    def _after_change(self) -> None:
        for permission in self.state.pending_permissions():
            if permission not in self._handled:
                self._consider(permission)
        for turn in self.state.turns_over():
            future = self.over(turn)
            if not future.done():
                future.set_result(None)
                self.on_turn_over(turn)
        self.on_change()
        # Not at once: the event that freed the agent may be followed by others of the same message.
        asyncio.get_running_loop().call_soon(self._settle)

    def _settle(self) -> None:
        self._send_next()
        if self.idle():
            waiters, self._idle_waiters = self._idle_waiters, []
            for waiter in waiters:
                if not waiter.done():
                    waiter.set_result(None)
            if self._abandoned and not self.closed:
                self._closing = asyncio.ensure_future(self.close())

    def idle(self) -> bool:
        """True when nothing runs, is queued or is about to start."""
        return not self._queue and self._starting is None and not self.state.busy()

    def when_idle(self, future: concurrent.futures.Future[None]) -> None:
        """Complete the future as soon as nothing runs and nothing is queued."""
        self._idle_waiters.append(future)
        self._settle()

    # --- start and end ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the agent without a prompt."""
        if not self.closed:
            self._ensure_started()

    def restart(self) -> None:
        """Start again after the agent ended; the transcript stays, the agent's own memory does not."""
        if self.closed:
            raise errors.AgentClosed("This agent was closed.", hint="Make a new one: Agent(…).")
        self._ensure_started()

    def _ensure_started(self) -> None:
        if not self._ready and self._starting is None:
            self._starting = asyncio.ensure_future(self._start())

    async def _start(self) -> None:
        self.emit(
            {
                "type": "starting",
                "command": list(self.launch.command),
                "label": self.launch.label,
                "cwd": self._cwd,
                "temporary": self._temporary,
                "policy": self._policy,
            }
        )
        peer: Peer | None = None
        try:
            transport = await StdioTransport.start(self.launch.command, cwd=self._cwd, env=self._env)
            peer = self._peer = Peer(transport, self.emit, on_closed=self._connection_closed)
            await peer.start(cwd=self._cwd, timeout=self._start_timeout)
            self._ready = True
        except errors.AcpError as error:
            await self._did_not_start(peer, error)
        except Exception as error:  # an unforeseen fault must be seen too, never swallowed by a task
            log.exception("The agent could not be started")
            await self._did_not_start(peer, errors.AcpError(f"{type(error).__name__}: {error}"))
        finally:
            self._starting = None
        self.on_change()
        self._settle()

    async def _did_not_start(self, peer: Peer | None, error: errors.AcpError) -> None:
        self._end("failed", error)
        if peer is not None:
            await peer.close()

    def _connection_closed(self, error: errors.AcpError) -> None:
        """The agent's output ended: once for each connection, and not because we closed it."""
        if self._ready:
            self._end("failed", error)

    def _end(self, connection: str, error: errors.AcpError | None) -> None:
        self._ready = False
        self._peer = None
        if error is not None:
            active = self.state.active_turn()
            for turn in [*([active] if active else []), *self._queue]:
                self._fail_turn(turn, error)
        self._queue.clear()
        self._prompts.clear()
        self.emit({"type": "ended", "connection": connection, "error": error.as_dict() if error else None})

    def _fail_turn(self, turn: str, error: errors.AcpError) -> None:
        self._failures.setdefault(turn, error)

    def abandon(self) -> None:
        """Nobody holds the Agent any more: end it when it has nothing left to do."""
        self._abandoned = True
        self._settle()

    async def close(self) -> None:
        """End the agent and its process group. Can be called again."""
        if self.closed:
            return
        self.closed = True
        peer, starting = self._peer, self._starting
        if starting is not None:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            peer = self._peer or peer
        error = errors.AgentClosed("This agent was closed before the turn was over.") if not self.idle() else None
        self._end("closed", error)
        for task in list(self._asking.values()):
            task.cancel()
        if peer is not None:
            await peer.close()


def _prompt_error(error: Mapping[str, Any]) -> errors.AcpError:
    if error.get("code") == -32000:
        return errors.AuthRequired(
            str(error.get("message")), hint="Log in with the agent's own command, then try again."
        )
    return errors.RequestError(int(error.get("code", -32603)), str(error.get("message")), error.get("data"))


_all: weakref.WeakSet[Driver] = weakref.WeakSet()


def close_all() -> None:
    """End every agent of this process. Runs at exit; a forked child leaves its parent's agents alone."""
    mine = [driver for driver in list(_all) if not driver.closed and driver._pid == os.getpid()]
    closing = [runtime.submit(driver.close()) for driver in mine]
    concurrent.futures.wait(closing, timeout=8)
