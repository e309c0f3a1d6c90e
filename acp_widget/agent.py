"""`Agent`: start a coding agent, prompt it, answer it, read what it did. The one place that knows the whole picture."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import os
import shutil
import tempfile
import uuid
import warnings
import weakref
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import driver as driving
from . import errors, policy, registry, runtime
from .driver import Driver
from .export import transcript
from .results import Entities, Message, Permission, Reader, Terminal, ToolCall, Turn
from .widget import display, waiting
from .widget.widget import SessionWidget, TurnView

_INTERRUPT_GRACE = 1.5  # seconds an interrupted wait gives the agent to confirm the cancel


class Agent:
    """A coding agent that speaks the Agent Client Protocol, driven from Python and from its widget.

    `agent`: a known name (`"demo"`), a command line or a list of arguments. It starts with the first prompt.
    `cwd`: where it works; default: the kernel's folder, and for `"demo"` a fresh temporary one.
    `env`: variables added to the kernel's own. They are never stored or shown.
    `permissions`: who answers its requests: `"ask"` (buttons), `"allow"` (the first *allow once*), `"reject"`.
    `start_timeout`: seconds it may take to start. `nobody_after`: seconds after which a request that no open view
    could show is rejected.

    Raises `ValueError` for an unknown policy, an empty command, or a `cwd` that is no folder.

    >>> from acp_widget import Agent
    >>> with Agent("demo", permissions="allow") as agent:
    ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.")
    >>> turn.stop_reason
    'end_turn'
    """

    def __init__(
        self,
        agent: str | Sequence[str] = "demo",
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        permissions: policy.Policy = "ask",
        start_timeout: float = 60.0,
        nobody_after: float = 10.0,
    ) -> None:
        launch = registry.launch(agent)
        folder, temporary = _folder(cwd, launch.own_folder)
        self._audience = _Audience()
        self._driver = Driver(
            launch,
            cwd=folder,
            temporary=temporary,
            env=env,
            permissions=policy.check(permissions),
            start_timeout=start_timeout,
            nobody_after=nobody_after,
            audience=self._audience,
        )
        self._permissions = permissions
        self._cwd = folder
        self._label = launch.label
        self._stage = _Stage(self._driver, self._audience)
        weakref.finalize(self, _abandon, self._driver).atexit = False

    # --- prompting -------------------------------------------------------------------------------------------------

    def prompt(self, text: str, *, show: bool = True) -> Turn:
        """Send a prompt and return its Turn at once; it streams below the cell that called.

        While the agent is busy the prompt waits in a queue. `show=False` draws nothing.
        Raises `ValueError` for an empty prompt and `AgentClosed` after `close()`.
        """
        if not isinstance(text, str):
            raise TypeError(f"A prompt is text, not {type(text).__name__}.")
        if not text.strip():
            raise ValueError("The prompt is empty.")
        if self._driver.closed:
            raise errors.AgentClosed("This agent was closed.", hint="Make a new one: Agent(…).")
        turn = Turn(self, self._driver.state.next_turn())
        if show:
            self._stage.show(turn._key)
        runtime.call(self._driver.prompt, turn._key, [{"type": "text", "text": text}], "python")
        return turn

    def run(self, text: str, *, timeout: float | None = None, show: bool = True) -> Turn:
        """Prompt and wait: the same as `agent.prompt(text).wait(timeout)`."""
        return self.prompt(text, show=show).wait(timeout)

    def start(self) -> Agent:
        """Start the agent now, without a prompt. Returns the Agent; how it went is seen in the widget."""
        runtime.call(self._driver.start)
        return self

    def wait(self, timeout: float | None = None) -> Agent:
        """Wait until nothing runs and nothing is queued; buttons work meanwhile.

        `timeout` in seconds; `TimeoutError` when it passes.
        """
        future: concurrent.futures.Future[None] = concurrent.futures.Future()
        runtime.call(self._driver.when_idle, future)
        self._wait(future, timeout, "the agent to be idle")
        return self

    def cancel(self) -> None:
        """Stop the work in progress. Open requests are answered `cancelled`, queued prompts are not sent."""
        runtime.call(self._driver.cancel)

    # --- permissions -----------------------------------------------------------------------------------------------

    @property
    def permissions(self) -> policy.Policy:
        """Who answers requests: `"ask"`, `"allow"` or `"reject"`. Assigning takes effect for the next request."""
        return self._permissions

    @permissions.setter
    def permissions(self, value: policy.Policy) -> None:
        self._permissions = policy.check(value)
        runtime.call(self._driver.set_policy, self._permissions)

    @property
    def pending(self) -> list[Permission]:
        """The permission requests that wait for an answer, oldest first."""
        return [Permission(self.reader, key) for key in self._driver.state.pending_permissions()]

    def answer(self, permission: Permission | str, option: str | None) -> None:
        """Answer a pending request with one of its option ids; None dismisses it (`cancelled`).

        `permission`: from `agent.pending` or `turn.permissions`, or its id. Raises `AnswerRefused` when it is not
        pending or offers no such option; nothing is sent then.
        """
        key = permission._key if isinstance(permission, Permission) else f"p:{permission}"

        async def on_the_private_thread() -> None:
            if option is None:
                self._driver.dismiss(key, by="python")
            else:
                self._driver.answer(key, option, by="python")

        runtime.submit(on_the_private_thread()).result(timeout=10)

    # --- reading ---------------------------------------------------------------------------------------------------

    @property
    def reader(self) -> Reader:
        """The session's state, for the results."""
        return self._driver.state

    @property
    def turns(self) -> list[Turn]:
        """All turns of the session, oldest first, with the ones that no prompt began."""
        return [Turn(self, key) for key in self.reader.keys("turns")]

    @property
    def messages(self) -> list[Message]:
        return [Message(self.reader, key) for key in self.reader.keys("messages")]

    @property
    def tool_calls(self) -> Entities[ToolCall]:
        """All tool calls of the session, indexed by position or the agent's id."""
        return Entities([ToolCall(self.reader, key) for key in self.reader.keys("toolCalls")])

    @property
    def terminals(self) -> Entities[Terminal]:
        return Entities([Terminal(self.reader, key) for key in self.reader.keys("terminals")])

    @property
    def cwd(self) -> str:
        """The folder the agent works in, absolute."""
        return self._cwd

    @property
    def status(self) -> str:
        """`new starting idle running waiting stopping closed` or `failed`."""
        return self._driver.state.status()

    @property
    def diagnostics(self) -> list[Mapping[str, Any]]:
        """What the agent sent that could not be used as it was, newest last."""
        return list(self._driver.state.snapshot()["diagnostics"])

    @property
    def widget(self) -> SessionWidget:
        """The session's ipywidget: `observe`, `link`, put it in a `VBox`."""
        return self._stage.widget()

    # --- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the agent with its whole process group; what it did stays readable. Can be called again."""
        runtime.submit(self._driver.close()).result(timeout=20)

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- lent to the turns -----------------------------------------------------------------------------------------

    def wait_for_turn(self, key: str, timeout: float | None) -> None:
        self._wait(self._driver.over(key), timeout, "the turn")
        self._raise_failure(key)

    def turn_awaitable(self, key: str) -> Awaitable[None]:
        return self._await_turn(key)

    async def _await_turn(self, key: str) -> None:
        try:
            with self._stage.waiting(awaiting=True):
                await waiting.wait_async(self._driver.over(key), self._stage.comm_ids)
        except (asyncio.CancelledError, KeyboardInterrupt):
            runtime.call(self._driver.cancel, "you interrupted")
            raise
        finally:
            self._warn()
        self._raise_failure(key)

    def cancel_turn(self, key: str) -> None:
        runtime.call(self._driver.cancel_turn, key)

    def display_turn(self, turn: Turn) -> None:
        if not self._stage.shown_here(turn._key):
            self._stage.show(turn._key, otherwise=repr(turn))

    def _wait(self, future: concurrent.futures.Future[None], timeout: float | None, what: str) -> None:
        if runtime.here():
            raise errors.WaitNotPossible(f"Waiting for {what} would block the thread that the agent runs on.")
        try:
            with self._stage.waiting():
                waiting.wait(future, self._stage.comm_ids, timeout, what=what)
        except KeyboardInterrupt:
            runtime.call(self._driver.cancel, "you interrupted")
            concurrent.futures.wait([future], timeout=_INTERRUPT_GRACE)
            raise
        finally:
            self._warn()

    def _raise_failure(self, key: str) -> None:
        failure = self._driver.failure(key)
        if failure is not None:
            raise failure

    def _warn(self) -> None:
        """Warnings of the private thread are given here, in the user's own."""
        while self._driver.warnings:
            warnings.warn(self._driver.warnings.popleft(), errors.NobodyWatching, stacklevel=5)

    # --- display ---------------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if not waiting.in_ipykernel():
            return {"text/plain": repr(self)}
        return self.widget._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        count = len(self.reader.keys("turns"))
        return f"<Agent {self._label!r}, {self.status}, {count} turn{'' if count == 1 else 's'}, in {self._cwd}>"


class _Audience:
    """Whether somebody can press a button: asked by the driver, told by the widget."""

    def __init__(self) -> None:
        self.widget: SessionWidget | None = None

    def possible(self) -> bool:
        return waiting.in_ipykernel()

    def seen(self) -> bool:
        return self.widget is not None and self.widget.views_seen > 0

    def readable_seconds(self) -> float:
        return waiting.readable_seconds()


class _Stage:
    """The session's widget, and the turns that were drawn into cells. Made when first needed."""

    def __init__(self, driver: Driver, audience: _Audience) -> None:
        self._driver = driver
        self._audience = audience
        self._widget: SessionWidget | None = None
        self._outputs: dict[str, display.TurnOutput] = {}

    def widget(self) -> SessionWidget:
        if self._widget is None:
            self._widget = SessionWidget(
                self._driver.state, _Actions(self._driver), transcript=_session_texts, report=self._driver.report
            )
            self._audience.widget = self._widget
            self._driver.on_operations = self._widget.push
            self._driver.on_change = self._widget.refresh
            self._driver.on_turn_over = self._turn_over
        return self._widget

    def comm_ids(self) -> set[str]:
        """The comms whose messages may be handled during a wait: the session's and its turn views'."""
        views = [output.view for output in list(self._outputs.values())]
        return {comm_id for model in [self._widget, *views] if model and (comm_id := model.model_id)}

    @contextlib.contextmanager
    def waiting(self, *, awaiting: bool = False) -> Iterator[None]:
        """Meanwhile the views say that a cell waits, and whether their buttons answer before it ends."""
        if self._widget is None:
            yield
            return
        self._widget.set_wait(True, clicks=waiting.clicks_arrive(awaiting=awaiting))
        try:
            yield
        finally:
            self._widget.set_wait(False)

    def show(self, turn: str, *, otherwise: str | None = None) -> None:
        """Draw the turn in the cell that runs now, with room for its static transcript beside it."""
        if not waiting.in_ipykernel():
            if otherwise is not None:
                print(otherwise)
            return
        uid = uuid.uuid4().hex
        view = TurnView(session=self.widget(), turn=turn, uid=uid)
        self._outputs[turn] = display.show(view, *self._transcript(turn, uid))
        if self._driver.over(turn).done():
            runtime.call(self._turn_over, turn)

    def shown_here(self, turn: str) -> bool:
        output = self._outputs.get(turn)
        return output is not None and output.cell == display.current_cell()

    def _turn_over(self, turn: str) -> None:
        output = self._outputs.get(turn)
        if output is not None:
            output.update(*self._transcript(turn, output.view.uid))

    def _transcript(self, turn: str, uid: str) -> tuple[str, str]:
        snapshot = self._driver.state.snapshot()
        return transcript.turn_html(snapshot, turn, uid), transcript.turn_markdown(snapshot, turn)


def _session_texts(snapshot: Mapping[str, Any]) -> dict[str, str]:
    """The whole session for readers that draw no widgets."""
    return {
        "text/html": transcript.session_html(snapshot, uuid.uuid4().hex),
        "text/markdown": transcript.session_markdown(snapshot),
    }


class _Actions:
    """What the widget's buttons do. Called on the private thread."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def answer(self, permission: str, option_id: str) -> None:
        self._driver.answer(permission, option_id, by="you")

    def dismiss(self, permission: str) -> None:
        self._driver.dismiss(permission, by="you")

    def prompt(self, text: str) -> None:
        self._driver.prompt(self._driver.state.next_turn(), [{"type": "text", "text": text}], "composer")

    def cancel(self) -> None:
        self._driver.cancel("you stopped the turn")

    def restart(self) -> None:
        self._driver.restart()

    def unqueue(self, turn: str) -> None:
        self._driver.unqueue(turn)


def _folder(cwd: str | Path | None, own_folder: bool) -> tuple[str, bool]:
    if cwd is None and own_folder:
        made = str(Path(tempfile.mkdtemp(prefix="acp-demo-")).resolve())
        _own_folders.append((os.getpid(), made))
        return made, True
    folder = Path(cwd or Path.cwd()).expanduser().resolve()
    if not folder.is_dir():
        raise ValueError(f"cwd={str(cwd)!r} is no folder. Make it first, or pass another one.")
    return str(folder), False


def _abandon(driver: Driver) -> None:
    if not driver.closed:
        runtime.call(driver.abandon)


_own_folders: list[tuple[int, str]] = []


def _at_exit() -> None:
    """Agents end first, then the folders they worked in go; a forked child touches neither of its parent's."""
    driving.close_all()
    for pid, folder in _own_folders:
        if pid == os.getpid():
            shutil.rmtree(folder, ignore_errors=True)


# Registered after the runtime's own hook, so it runs before it.
atexit.register(_at_exit)
