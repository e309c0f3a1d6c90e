"""Runs one agent: starts it, sends prompts one after the other, sees that its questions are answered, ends it.

Everything here runs on the private thread (`runtime.py`), except where a docstring says "from any thread".
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import logging
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from . import ending, errors, policy, registry, runtime
from .asking import Asking, Audience
from .controls import Controls, Remote
from .held import Held
from .host.host import Host
from .login import Login, wants_login
from .prompts import Choose, Prompts
from .protocol.peer import Peer
from .protocol.stdio import StdioTransport
from .registry import Launch
from .session.reducer import reduce
from .session.state import State
from .sessions import Sessions
from .tape import Tape
from .undo.undo import Undo

log = logging.getLogger(__name__)

# A change under one of these moves a turn, a permission or a scalar trait; streamed chunks touch none of them.
COARSE = frozenset({"session", "state", "turns", "permissions", "usage", "sessionInfo"})
_STUBBORN = 5.0  # seconds after which a stop that the agent did not confirm is told of


class Driver(Held):
    """One session with one agent. `state` may be read from any thread."""

    def __init__(
        self,
        launch: Launch,
        *,
        cwd: str,
        temporary: bool,
        env: Mapping[str, str] | None,
        permissions: policy.Permissions,
        start_timeout: float | None,
        nobody_after: float | None,
        audience: Audience,
        place: Mapping[str, Any] | None = None,
        session: str | None = None,
        client_files: bool = False,
        client_terminals: bool = False,
        watch: Sequence[str] = (),
        queue: bool = True,
        tape: Tape | None = None,
    ) -> None:
        super().__init__()
        self.state = self._fresh(launch.label)
        self.prompts = Prompts(self.state, self.emit)
        self.login = Login(self, audience, nobody_after=nobody_after, advice=registry.about_login(launch))
        self.sessions = Sessions(place or {"cwd": cwd, "mcpServers": []}, session)
        self.asking = Asking(self.state, self.emit, audience, permissions=permissions, nobody_after=nobody_after)
        folders = [cwd, *self.sessions.place.get("additionalDirectories", ())]
        self.undo = Undo(self.state, roots=folders, watch=watch, report=self.report)
        self.controls = Controls(self.state, lambda: self._peer if self.ready else None, lambda: self.error)
        self.remote = Remote(self.controls, check=self.check_live, report=self.report)
        """The same for any other thread."""
        self.started = False
        self._launch = launch
        self._cwd, self._temporary, self._env = cwd, temporary, {**launch.env, **(env or {})}
        self.tape = tape or Tape()
        self.tape.begin(launch.label, launch.command, self.sessions.place, self._env, self._not_recorded)
        self._start_timeout = start_timeout
        self.queue = queue
        self._host = partial(
            Host,
            folders,
            files=client_files,
            terminals=client_terminals,
            missing_is_empty=launch.missing_file_is_empty,
            before_write=self.undo.before_write,
            calls=self.state.calls_under_way,
        )
        """What a process of the agent may ask us to do; it takes `env`."""
        self._peer: Peer | None = None
        self.ready = False
        """It has a session, and can be sent prompts."""
        self._starting: asyncio.Task[None] | None = None
        self._stopping: list[asyncio.TimerHandle] = []
        self._leaving = ending.Leaving(lambda: self.settle() if self.abandoned else None)
        self._closing: asyncio.Task[None] | None = None
        self.at_last: list[Callable[[], None]] = [lambda: self.tape.close()]
        """What is to be done when nobody holds the Agent any more, and it has ended."""
        self.patience: float | None = None
        """Seconds that the agent may take for one answer of its start."""
        self._idle_waiters: list[concurrent.futures.Future[None]] = []
        self._reported: set[str] = set()
        ending.remember(self)

    def report(self, message: str) -> None:
        """Keep a sentence about something odd among the session's diagnostics, once. From any thread."""
        if message not in self._reported and len(self._reported) < 100:
            self._reported.add(message)
            runtime.call(self.emit, {"type": "diagnostic", "message": message, "where": "widget"})

    def _not_recorded(self, why: str) -> None:
        self.asking.warnings.append((why, UserWarning))
        self.report(why)

    def _fresh(self, label: str) -> State:
        return State(label=label)

    # --- prompts ---------------------------------------------------------------------------------------------------

    def check_free(self) -> None:
        """Raise `AgentBusy` where a prompt would have to wait and none may."""
        if not self.queue and (self.prompts or self.state.busy()):
            raise errors.AgentBusy(
                "The agent is busy, and its prompts do not wait (queue=False).", hint="agent.wait() waits for it."
            )

    def prompt(self, turn: str, blocks: Choose, source: str) -> None:
        """Send a prompt, or queue it while the agent is busy or starting."""
        known = (self.state.part("session")["promptCapabilities"],) if self.ready else ()
        self.emit({"type": "promptQueued", "turn": turn, "prompt": blocks(*known), "source": source})
        if self.closed:
            self.prompts.fail(turn, errors.AgentClosed("This agent was closed.", hint=self.ANOTHER))
            self.prompts.drop(turn, "the agent was closed")
            return
        self.prompts.add(turn, blocks)
        self._ensure_started()
        self._send_next()

    def _send_next(self) -> None:
        """Send the first queued prompt if the agent is free."""
        if not self.prompts or not self.ready or self._peer is None or self.login.open or self.state.busy():
            return
        if not self.undo.begin(self.prompts.first, self.settle):
            return
        turn, blocks, again = self.prompts.take()
        self._peer.prompt(turn, blocks, again=again)

    def _hold(self, turn: str, error: Mapping[str, Any]) -> None:
        """The agent wants a login before it takes this prompt: it is sent again, unchanged, after that."""
        if self.state.part("session")["cancelling"]:
            self.prompts.drop(turn, "the turn was stopped")
        else:
            self.prompts.hold(turn)
        self.login.need(wants_login(error))

    def unqueue(self, turn: str) -> None:
        """Take a queued prompt back; it is never sent."""
        if turn in self.prompts:
            self.prompts.drop(turn, "you removed it")

    def cancel(self, why: str = "the turn was stopped") -> None:
        """Stop the work in progress and drop what is queued."""
        self.prompts.drop_all(why)
        if not self.ready or self._peer is None:
            return
        if self.state.busy():
            self._peer.cancel()
            later = asyncio.get_running_loop().call_later
            self._stopping.append(later(_STUBBORN, self._still_stopping, self._peer, self.state.active_turn()))
        else:  # nothing runs that could be stopped, but work in the background may have asked
            self.asking.dismiss_all(by="stop")

    def cancel_turn(self, turn: str) -> None:
        """Stop this turn: when it is queued it is never sent, when it is over nothing happens."""
        if turn in self.prompts:
            self.unqueue(turn)
        elif turn == self.state.active_turn():
            self.cancel()

    def _still_stopping(self, peer: Peer, turn: str | None) -> None:
        if peer is self._peer and turn == self.state.active_turn() and self.state.status() == "stopping":
            self.report(
                f"The agent has not confirmed the stop within {_STUBBORN:g} s; prompts wait until it does. "
                "agent.restart() ends its process and starts it again."
            )

    # --- events ----------------------------------------------------------------------------------------------------

    def emit(self, event: dict[str, Any]) -> None:
        """Reduce one event, pass its operations on, send its answers, and do what follows from it. Never raises."""
        event["at"] = time.time()
        self.tape.event(event)
        outcome = reduce(self.state, event)
        self.undo.heard(event)  # before the answers: what they allow may change a file
        if outcome.ops:
            runtime.tell(self.on_operations, outcome.ops)
            runtime.tell(self.on_told, outcome.ops)
        for answer in outcome.answers:
            if self._peer is not None:
                self._peer.answer(answer.request_id, answer.result, answer.error)
        touched = {operation[1][0] for operation in outcome.ops}
        if not touched.isdisjoint(COARSE):
            paths = [operation[1] for operation in outcome.ops if operation[1][0] == "turns"]
            self._after_change({path[1] for path in paths if len(path) > 1})

    def _heard(self, event: dict[str, Any], host: Host) -> None:
        """An event of the agent that is listened to, and of what it asked of its host."""
        self.emit(event)
        host.heard(event.get("update"))
        if event["type"] == "promptHeld":
            self._hold(event["turn"], event["error"])

    def _after_change(self, turns: set[str]) -> None:
        self.asking.look()
        for turn in turns:
            if self.undo.end(turn, lambda turn=turn: self._after_change({turn})):  # type: ignore[misc]
                self.prompts.see_end(turn)
        runtime.tell(self.on_change)
        # Not at once: the event that freed the agent may be followed by others of the same message.
        asyncio.get_running_loop().call_soon(self.settle)

    def settle(self) -> None:
        """Do what can be done now: send the next prompt, tell who waits, end an agent that nobody holds."""
        self._send_next()
        if self.idle():
            self.tape.sync()
            waiters, self._idle_waiters = self._idle_waiters, []
            for waiter in waiters:
                if waiter.set_running_or_notify_cancel():
                    waiter.set_result(None)
        elif not self.login.stuck:
            return
        if self.abandoned and (self.closed or not self.in_use()):
            if self._peer is not None and not self.closed:
                self._close_soon()
            elif not self._leaving:
                (self.end_telling if self.twin else self.leave)()

    def idle(self) -> bool:
        """True when nothing runs, is queued or is about to start; a start that nobody can log in for is not."""
        return (
            not self.prompts
            and not self.undo.busy
            and (self._starting is None or self.login.stuck)
            and not self.state.busy()
        )

    async def settled(self) -> None:
        """Wait until the agent has started or not, or waits for a login."""
        while (starting := self._starting) is not None and self.login.open is None:
            opened = asyncio.ensure_future(self.login.opened.wait())
            await asyncio.wait({starting, opened}, return_when=asyncio.FIRST_COMPLETED)
            opened.cancel()

    def when_idle(self, future: concurrent.futures.Future[None]) -> None:
        """Complete the future as soon as nothing runs and nothing is queued."""
        self._idle_waiters = [waiter for waiter in self._idle_waiters if not waiter.cancelled()]
        self._idle_waiters.append(future)
        self.settle()

    # --- start and end ---------------------------------------------------------------------------------------------

    def set_policy(self, permissions: policy.Permissions) -> None:
        """Takes effect for the next request."""
        self.asking.policy = permissions
        self.emit({"type": "policy", "policy": policy.told(permissions)})

    def start(self) -> None:
        """Start the agent without a prompt. Raises `AgentClosed` after `close()`."""
        self.check_usable()
        self._ensure_started()

    @property
    def peer(self) -> Peer | None:
        """The agent that is listened to, started or starting."""
        return self._peer

    def reconnect(self, env: Mapping[str, str]) -> None:
        """End the process and start another, with these variables too; prompts that wait go on waiting."""
        self._env.update(env)
        if self._peer is not None:
            self.sessions.go_on(self._peer.session_id)
            self._end("closed", None, keep_queued=True)
        self._ensure_started()

    async def running(self) -> Peer:
        """The agent, started. Raises why it is not."""
        self.start()
        await self.settled()
        if self.error is not None or self._peer is None:
            raise copy.copy(self.error or errors.ConnectionClosed("The agent is not running."))
        return self._peer

    def restart(self) -> None:
        """End the agent, whatever it does, and start it anew. Raises `AgentClosed` after `close()`.

        The transcript stays, the agent's own memory does not. The turn under way fails, queued prompts are not sent.
        """
        if not self.closed and (self._peer is not None or self._starting is not None):
            self._end(
                "closed", errors.AgentClosed("The agent was restarted before the turn was over.", hint="Prompt again.")
            )
        if self.started:
            self.sessions.wish = None
        self.start()

    def _ensure_started(self) -> None:
        if not self.ready and self._starting is None:
            self.started, self.error = True, None
            self._starting = asyncio.ensure_future(self._start())
            self.emit(
                {
                    "type": "starting",
                    "command": list(self._launch.command),
                    "label": self._launch.label,
                    "cwd": self._cwd,
                    "temporary": self._temporary,
                    "policy": policy.told(self.asking.policy),
                    **{name: self.sessions.place.get(name, []) for name in ("mcpServers", "additionalDirectories")},
                }
            )

    async def _start(self) -> None:
        command, environment = self._launch.command, {**os.environ, **self._env}
        try:
            self.tape.learn(self._env, self.sessions.place)
            await self._leaving.over()  # never two agents at once in one folder
            found = await registry.find(self._launch, environment, self._cwd)
            command = found.command
            self.emit({"type": "launching", "command": list(command), "note": found.note})
            transport = await StdioTransport.start(command, cwd=self._cwd, env=self._env)
            # An agent that is on its way out is not listened to any more.
            host = self._host(env=environment)
            peer = Peer(
                transport,
                lambda event: self._heard(event, host) if peer is self._peer else None,
                on_closed=lambda error: self._end("failed", error) if peer is self._peer else None,
                on_traffic=lambda way, message: self.tape.passed(way, message, late=peer is not self._peer),
                services=host,
            )
            host.emit = self.tape.shown(host.emit, lambda: peer is self._peer)
            self._peer = peer
            patience = found.patience if self._start_timeout is None else self._start_timeout
            self.patience = None if math.isinf(patience) else patience
            await peer.initialize(timeout=self.patience)
            opening = self.sessions.open
            await self.login.through(peer, lambda: opening(peer, timeout=self.patience, report=self.report))
        except errors.AcpError as error:
            await registry.advise(error, self._launch, command, environment, self._cwd)
            self._did_not_start(error)
        except Exception as error:  # an unforeseen fault must be seen too, never swallowed by a task
            log.exception("The agent could not be started")
            self._did_not_start(errors.AcpError(f"{type(error).__name__}: {error}"))
        else:
            self.ready, self._starting = True, None
        runtime.tell(self.on_change)
        self.settle()

    def _did_not_start(self, error: errors.AcpError) -> None:
        self._starting = None
        self._end("failed", error)

    def _end(self, connection: str, error: errors.AcpError | None, *, keep_queued: bool = False) -> None:
        """The connection is over. What runs fails with the error, what is queued too, and the process group ends."""
        self.ready = False
        self.login.close()
        while self._stopping:
            self._stopping.pop().cancel()
        peer, self._peer = self._peer, None
        starting, self._starting = self._starting, None
        if connection == "failed":
            self.error = error
        if error is not None:
            self.prompts.fail_all(error)
        if not keep_queued:
            self.prompts.forget()
        if starting is not None:
            starting.cancel()
            self._leaving.add(starting)
        if peer is not None:
            self._leaving.add(asyncio.ensure_future(peer.close()))
        told = error.as_dict() if error else None
        self.emit({"type": "ended", "connection": connection, "error": told, "keepQueued": keep_queued})

    def leave(self) -> None:
        """Nobody holds the Agent any more, and it has ended: nothing stays of it but what somebody still looks at."""
        last, self.at_last = self.at_last, []
        for function in last:
            runtime.tell(function)
        if last:
            self.undo.release()

    async def close(self) -> None:
        """End the agent and its process group; returns when it is gone. Can be called again."""
        # Whoever waits may be cancelled; the end goes on.
        await asyncio.shield(self._close_soon())

    def _close_soon(self) -> asyncio.Task[None]:
        if self._closing is None:
            self.closed = True
            unfinished = self.state.active_turn() is not None or bool(self.prompts)
            error = (
                errors.AgentClosed("This agent was closed before the turn was over.", hint=self.ANOTHER)
                if unfinished
                else None
            )
            self._end("closed", error)
            self.asking.stop()
            self._leaving.add(asyncio.ensure_future(self.undo.close()))
            self._closing = asyncio.ensure_future(self.tape.until(self._leaving.over()))
        return self._closing
