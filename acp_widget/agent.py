"""`Agent`: start a coding agent, prompt it, answer it, read what it did. The one place that knows the whole picture."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from . import ending, errors, folders, registry, runtime
from .arguments import check_agent, check_seconds, check_switch
from .asking import Asking
from .content import mentions
from .content.attached import Attach, attached
from .content.cells import Cells
from .driver import Driver
from .editing import Editing
from .exporting import Exported
from .lent import Lent
from .policy import Permissions, Verdict
from .policy import check as check_policy
from .recorded import Recorded
from .replaying import Replaying
from .results import Entities, Permission, Turn, quoted
from .ruling import Asked, Ruling, key_of, on_its_thread
from .sessions import Servers, place
from .stage import Audience, Stage
from .tape import Tape
from .undo.undo import Watch, watched
from .widget import marimo, waiting
from .widget.widget import SessionWidget

_CLOSE_TIMEOUT = 20.0  # seconds; the steps of an end take less together
_NOT_USERS = (__package__, "IPython")  # packages whose lines are not the user's own
_RESTART_HINT = "agent.restart() ends its process and starts it again."


class Agent(Editing, Replaying, Recorded, Exported):
    """A coding agent that speaks the Agent Client Protocol, driven from Python and from its widget.

    `agent`: a known name (`"claude"`; `python -m acp_widget agents` lists them), a command line, a list of arguments,
    or an entry of `agent_servers` as in Zed's settings. Without one: what the variable `ACP_WIDGET_AGENT` says, else
    `"demo"`. It starts with the first prompt.
    `cwd`: where it works; default: the kernel's folder, and for `"demo"` a fresh temporary one.
    `env`: variables added to the kernel's own. They are never stored or shown.
    `permissions`: who answers its requests: `"ask"` (buttons), `"allow"` (the first *allow once*), `"reject"`,
    rules: `Policy(…)`, or a function (docs/permissions.md).
    `start_timeout`: seconds it may take to start; by default 60, and 300 where `npx` may download it first
    (`math.inf`: no limit). `nobody_after`: seconds after which a request that no open view
    could show is rejected; by default 10, and 1 where a program runs the cells that answers no `input()` (nbclient).
    `session`: the id of one that the agent keeps, to begin with it instead of a new one. `additional_directories`:
    folders that it may use beside `cwd`. `mcp_servers`: tools that it gets, by name: `{"command": …, "args": […],
    "env": {…}}` or `{"url": …, "headers": {…}}`; or a list of them as ACP has them. Values of `env` and `headers` are
    never stored or shown.
    `client_files`, `client_terminals`: offer an agent of ACP v1 to read and write files, and to run its commands, here
    in the kernel: shown, and within `cwd` and the additional directories (docs/client-services.md).
    `watch`: True, or folders, whose files are copied before each turn, so that `turn.revert()` can restore whatever
    was changed in them; default: the temporary folder of `"demo"` (docs/undo.md).
    `queue`: whether a prompt waits while the agent is busy; with False, `AgentBusy` is raised.
    `record`: a file that gets every message, without secrets (docs/recording.md).

    Raises `ValueError` for an unknown policy, an empty command, or a `cwd` that is no folder, `FileExistsError` for a
    `record` that is there, `OSError` for one that cannot be written. May be used from any
    thread. An Agent that nobody holds any more ends when its work is done.

    >>> from acp_widget import Agent
    >>> with Agent("demo", permissions="allow") as agent:
    ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.")
    >>> turn.stop_reason
    'end_turn'
    """

    def __init__(
        self,
        agent: registry.Given | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        permissions: Permissions = "ask",
        start_timeout: float | None = None,
        nobody_after: float | None = None,
        session: str | None = None,
        additional_directories: Sequence[str | os.PathLike[str]] = (),
        mcp_servers: Servers = (),
        client_files: bool = False,
        client_terminals: bool = False,
        watch: Watch = None,
        queue: bool = True,
        record: str | os.PathLike[str] | None = None,
    ) -> None:
        launch = registry.launch(agent)
        self._permissions = check_policy(permissions)
        self._label = launch.label
        check_agent(
            **{"cwd": cwd, "env": env, "start_timeout": start_timeout, "nobody_after": nobody_after},
            **{"session": session, "additional_directories": additional_directories, "mcp_servers": mcp_servers},
            **{"client_files": client_files, "client_terminals": client_terminals, "watch": watch, "queue": queue},
            record=record,
        )
        tape = Tape(record)
        self._cwd, temporary = folders.choose(cwd, own=launch.own_folder)
        audience = Audience()
        self._driver = Driver(
            launch,
            cwd=self._cwd,
            temporary=temporary,
            env=env,
            permissions=self._permissions,
            start_timeout=start_timeout,
            nobody_after=nobody_after,
            audience=audience,
            place=place(self._cwd, additional_directories, mcp_servers, path=(env or {}).get("PATH")),
            session=session,
            client_files=client_files,
            client_terminals=client_terminals,
            watch=watched(watch, self._cwd, own=temporary),
            queue=queue,
            tape=tape,
        )
        self._stage = Stage(self._driver, audience, nobody_after=nobody_after)
        self._driver.at_last.append(partial(folders.release, self._cwd))
        reader = self._reader
        self._driver.asking.view = lambda key: Permission(reader, key)
        self._end_when_dropped()

    def _end_when_dropped(self) -> None:
        weakref.finalize(self, _abandon, self._driver).atexit = False

    # --- prompting -------------------------------------------------------------------------------------------------

    def prompt(
        self,
        text: str,
        *parts: object,
        show: bool = True,
        attach: Attach = None,
        cells: Cells = None,
        **named: object,
    ) -> Turn:
        """Send a prompt and return its Turn at once; it streams below the cell that called.

        `parts`, `named` and `attach` (a mapping from names to objects, or a list) go with it, as they are now:
        texts, a `Path`, bytes, frames, arrays, figures, exceptions, results (docs/attaching.md). `{df}` in the text
        becomes a mention of what is attached as `df`. `cells=[3, 4]`: code and output of the runs In[3] and In[4].
        While the agent is busy the prompt waits in a queue. `show=False` draws nothing. Raises `ValueError` for an
        empty prompt; it, `TypeError` or `OSError` for what cannot be attached; `AgentClosed` after `close()`; and
        `AgentBusy` where prompts do not wait.

        >>> from acp_widget import Agent
        >>> with Agent("demo") as agent:
        ...     turn = agent.prompt("What is {primes} about?", primes=[2, 3, 5]).wait()
        >>> turn.prompt
        'What is `primes` about?'
        """
        __tracebackhide__ = True
        return self._prompt(
            text, parts, show, attach, cells, named, lambda doubt: _warn(doubt, UserWarning, quietly=False)
        )

    def _prompt(
        self,
        text: str,
        parts: Sequence[object],
        show: bool,
        attach: Attach,
        cells: Cells,
        named: Mapping[str, object],
        tell: Callable[[str], None],
    ) -> Turn:
        """`tell` gets a sentence about names for which nothing is attached, before anything is sent."""
        __tracebackhide__ = True
        if not isinstance(text, str):
            name = mentions.name_of(text) or "it"
            raise TypeError(
                f"A prompt is text, not {type(text).__name__}. To attach one to a prompt: "
                f'agent.prompt("… {{{name}}} …", {name}={name if name != "it" else "…"})'
            )
        if not text.strip():
            raise ValueError("The prompt is empty.")
        check_switch(show, "show", attach=True)
        self._check_live()
        given = attached(text, parts, attach, named, cells, known=mentions.names)
        if given.doubt:
            tell(given.doubt)
        if not self._driver.queue:
            on_its_thread(self._driver.check_free)
        turn = Turn(Lent(self), self._driver.state.next_turn(), prompt=given.text)
        if show:
            self._stage.show(turn._key)
        runtime.call(self._driver.prompt, turn._key, given.blocks, "python")
        return turn

    def run(
        self,
        text: str,
        *parts: object,
        timeout: float | None = None,
        show: bool = True,
        attach: Attach = None,
        cells: Cells = None,
        **named: object,
    ) -> Turn:
        """Prompt and wait: the same as `agent.prompt(text, …).wait(timeout)`."""
        check_seconds(timeout, attach=True)
        return self.prompt(text, *parts, show=show, attach=attach, cells=cells, **named).wait(timeout)

    def wait(self, timeout: float | None = None) -> Agent:
        """Wait until nothing runs and nothing is queued; buttons work meanwhile.

        `timeout` in seconds; `TimeoutError` when it passes, and the work goes on. How the work ended is told by its
        turns, and by `agent.error`.
        """
        self._check_process()
        idle: concurrent.futures.Future[None] = concurrent.futures.Future()
        try:
            over = self._driver.login.watched(idle, clicks=waiting.clicks_arrive())
            over = self._driver.asking.watched(over) if marimo.here() else over
            self._wait(over, timeout, "the agent to be idle", lambda: runtime.run(self._driver.when_idle, idle))
        finally:
            idle.cancel()
        return self

    def cancel(self) -> None:
        """Stop the work in progress. Open requests are answered `cancelled`, queued prompts are not sent.

        Until the agent confirms, `agent.status` is `stopping`. One that never does is ended by `agent.restart()`.
        """
        self._check_process()
        runtime.call(self._driver.cancel)

    # --- permissions -----------------------------------------------------------------------------------------------

    @property
    def permissions(self) -> Permissions:
        """Who answers requests: `"ask"`, `"allow"`, `"reject"`, a `Policy` or a function; assign it at any time."""
        return self._permissions

    @permissions.setter
    def permissions(self, value: Permissions) -> None:
        self._check_process()
        self._permissions = self._driver.check_policy(value)
        runtime.call(self._driver.set_policy, self._permissions)

    @property
    def policy(self) -> Ruling:
        """The rules in force: `rules`, `add`, `revoke`, every one of its `decisions`, and `explain(request)`."""
        return Ruling(self)

    @property
    def _asking(self) -> Asking:
        return self._driver.asking

    def explain(self, permission: Asked) -> Verdict:
        """What `permissions` says about a request of the session (or its id): which rule, and why. Answers nothing.

        Raises `AnswerRefused` for a request that this session does not have.
        """
        __tracebackhide__ = True
        key = key_of(self._reader, permission, "agent.policy.explain(turn.permissions[0])")
        return on_its_thread(lambda: self._driver.asking.explain(key))

    def answer(self, permission: Asked, option: str | None) -> None:
        """Answer a pending request with one of its option ids; None dismisses it (`cancelled`).

        `permission`: from `agent.pending` or `turn.permissions`, or its id. Raises `AnswerRefused` when it is not
        pending, belongs to another agent, or offers no such option; nothing is sent then.
        """
        __tracebackhide__ = True
        self._check_process()
        key = key_of(self._reader, permission, 'agent.answer(agent.pending[0], "yes")')
        if option is None:
            on_its_thread(lambda: self._driver.asking.dismiss(key, by="python"))
        else:
            on_its_thread(lambda: self._driver.asking.answer(key, option, by="python"))

    async def set_config(self, config_id: str, value: str | bool) -> None:
        """The same as `agent.config[config_id] = value`, without blocking the loop that runs it."""
        __tracebackhide__ = True
        accepted = self._driver.remote.configuring(config_id, value)
        with self._stage.waiting(awaiting=True):
            await waiting.wait_async(accepted, self._stage.comm_ids)

    # --- reading, beside what `Reading` has ------------------------------------------------------------------------

    @property
    def turns(self) -> Entities[Turn]:
        """All turns of the session, oldest first, with the ones that no prompt began; `to_frame()` is a table."""
        return Entities([self._turn(key) for key in self._reader.keys("turns")], Turn)

    @property
    def cwd(self) -> str:
        """The folder the agent works in, absolute."""
        return self._cwd

    @property
    def widget(self) -> SessionWidget:
        """The session's ipywidget: `observe`, `link`, put it in a `VBox`."""
        return self._stage.panel()

    # --- start and end ---------------------------------------------------------------------------------------------

    def start(self) -> Agent:
        """Start the agent now, without a prompt, and return the Agent at once. `agent.wait().error` tells how it went.

        Raises `AgentClosed` after `close()`.
        """
        self._check_live()
        runtime.run(self._driver.start)
        return self

    def restart(self) -> Agent:
        """End the agent, whatever it does, and start it anew; returns the Agent at once.

        The way out when it does not stop. The transcript stays, the agent's own memory does not; the turn under way
        fails, queued prompts are not sent. Raises `AgentClosed` after `close()`.
        """
        self._check_live()
        runtime.run(self._driver.restart)
        return self

    def close(self) -> None:
        """End the agent with its whole process group; what it did stays readable. Can be called again.

        Returns when it is gone; at once when called on the thread that the agent runs on.
        """
        self._end()
        self._warn()

    def _end(self) -> None:
        if self._driver.foreign:
            return
        closing = runtime.submit(self._driver.close())
        if not runtime.here():
            closing.result(timeout=_CLOSE_TIMEOUT)
        self._finish_telling()

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._end()
        self._warn(quietly=kind is not None)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _turn(self, key: str) -> Turn:
        return Turn(Lent(self), key)

    def _check_live(self) -> None:
        self._driver.check_live()

    def _check_process(self) -> None:
        self._driver.check_process()

    def _wait(
        self,
        future: concurrent.futures.Future[None],
        timeout: float | None,
        what: str,
        ask: Callable[[], object] = lambda: None,
    ) -> None:
        """Wait for a future that `ask` sees to. An interrupt meanwhile stops the agent, not the session."""
        __tracebackhide__ = True
        check_seconds(timeout)
        if runtime.here():
            raise errors.WaitNotPossible(f"Waiting for {what} would block the thread that the agent runs on.")
        try:
            ask()
            with self._stage.waiting():
                waiting.wait(future, self._stage.comm_ids, timeout, what=what)
        except TimeoutError as late:
            self._warn(quietly=True)
            if self.status == "stopping":
                raise TimeoutError(f"{late} The agent has not confirmed the stop: {_RESTART_HINT}") from None
            raise
        except (KeyboardInterrupt, asyncio.CancelledError):
            runtime.call(self._driver.cancel, "you interrupted")
            concurrent.futures.wait([future], timeout=self._driver.grace)
            self._warn(quietly=True)
            if self.status == "stopping":
                _warn(f"The agent has not confirmed the stop yet. {_RESTART_HINT}", UserWarning, quietly=True)
            raise
        self._warn()

    def _warn(self, *, quietly: bool = False) -> None:
        """Warnings of the private thread are given here, in the user's own."""
        __tracebackhide__ = True
        said: dict[Any, Any] = {}
        with contextlib.suppress(IndexError):
            while True:
                _warn(*self._driver.asking.warnings.popleft(), quietly=quietly, said=said)

    # --- display ---------------------------------------------------------------------------------------------------

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if not waiting.in_ipykernel():
            return {"text/plain": repr(self)}
        return self.widget._repr_mimebundle_(**options)

    def _display_(self) -> SessionWidget:
        """marimo's way: what is drawn in the place of the Agent."""
        return self.widget

    def __reduce__(self) -> Any:
        raise TypeError(
            "An Agent belongs to the process that made it and cannot be copied or pickled. Its turns can be pickled; "
            "in another process make a new one: Agent(…)."
        )

    def __repr__(self) -> str:
        count = len(self._reader.keys("turns"))
        turns = f"{count} turn{'' if count == 1 else 's'}"
        place = f", in {self._cwd!r}" if self._cwd else ""  # a recording may not tell
        return f"<Agent {quoted(self._label)}, {self.status}, {turns}{place}>"


def _warn(text: str, category: type[Warning], *, quietly: bool, said: dict[Any, Any] | None = None) -> None:
    """Warn the first caller who is neither of this package nor IPython. `quietly`: never raise, worse is on its way.

    `said`: what this wait has warned of so far. Python's own memory would keep silent about another turn's.
    """
    __tracebackhide__ = True
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_USERS:
        frame = frame.f_back
    where = frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<unknown>")
    with contextlib.suppress(category) if quietly else contextlib.nullcontext():
        warnings.warn_explicit(text, category, *where, registry=said if said is not None else {})


def _abandon(driver: Driver) -> None:
    driver.abandoned = True
    if not driver.foreign:
        if runtime.running():
            runtime.call(driver.settle)
        else:  # no thread is started to end nothing
            driver.leave()


# Registered after the runtime's own hook and that of temporary folders, so it runs before them.
ending.at_exit()
