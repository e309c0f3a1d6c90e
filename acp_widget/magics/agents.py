"""The agents that the magics started, by the names they were asked for."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Any

from IPython.core.error import UsageError

from .. import registry
from ..agent import Agent
from ..errors import AgentNotFound
from .telling import in_magics

DEMO = "demo"


class Agents:
    """One a name; the last one that was used is the current one, until it is closed."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}
        self._current: str | None = None
        self.session_ids: list[str] = []  # what the last list of sessions had, for Tab

    @property
    def current(self) -> str | None:
        """The name of the current one; None when there is none."""
        self._forget_closed()
        return self._current

    @property
    def items(self) -> list[tuple[str, Agent]]:
        """All with their names, oldest first."""
        self._forget_closed()
        return list(self._agents.items())

    def is_there(self, name: str) -> bool:
        """Whether an agent of that name was started and not closed."""
        self._forget_closed()
        return name in self._agents

    def use(self, name: str | None, **options: Any) -> Agent:
        """The agent of that name (None: the current one, at first the demo agent), made when it is not there.

        Raises `UsageError` for what is no agent, an option that cannot be, or where none of several is the current
        one, and `AgentNotFound` for what is not installed: the current one is then what it was.
        """
        name = name or self._next()
        if not self.is_there(name):
            self._agents[name] = _made(name, **options)
        self._current = name
        return self._agents[name]

    def move(self, name: str | None, folder: str, record: str = "") -> Agent:
        """The same in a folder of its own, or recorded; "" for either: as it is.

        One that has not worked yet, or failed, makes place for a new one. Raises `UsageError` for one that works in
        another folder, or is not recorded there.
        """
        name = name or self._next()
        old = self._agents.get(name) if self.is_there(name) else None
        if old is None:
            return self.use(name, cwd=folder or None, record=record or None)
        moves = folder != "" and os.path.realpath(_home(folder)) != os.path.realpath(old.cwd)
        records = record != "" and os.path.abspath(_home(record)) != str(old.recording)  # noqa: PTH100
        if not moves and not records:
            return self.use(name)
        if old.status not in ("new", "failed"):
            told = f"--cwd: {name!r} works already, in {old.cwd}" if moves else _works(name, old)
            raise UsageError(f"{told}. To end it first: %acp close {name}")
        made = _made(name, cwd=folder or old.cwd, record=record or None, permissions=old.permissions)
        self._agents[name] = made
        old.close()
        self._current = name
        return made

    def need(self) -> Agent:
        """The current agent. Raises `UsageError` when there is none."""
        name = self.current
        if name is None and self._agents:
            raise UsageError(self.undecided)
        if name is None:
            raise UsageError("There is no agent yet: `%acp use NAME` makes one, and so does a cell with %%acp.")
        return self._agents[name]

    @property
    def undecided(self) -> str:
        """What to say where there are agents, and none of them is the current one; else nothing."""
        if self.current is not None or not self._agents:
            return ""
        return f"No agent is the current one: %acp use NAME chooses. There are: {', '.join(map(repr, self._agents))}."

    def _next(self) -> str:
        if problem := self.undecided:
            raise UsageError(problem)
        return self.current or DEMO

    def close(self, name: str | None = None) -> str:
        """End one, by default the current one; its name. No other one takes the place of the current one."""
        if name is None:
            self.need()
        elif not self.is_there(name):
            raise UsageError(f"There is no agent {name!r}.{near(name, self._agents)}")
        chosen = str(name or self._current)
        self._agents.pop(chosen).close()
        self._forget_closed()
        return chosen

    def close_all(self) -> None:
        """End all."""
        while self._agents:
            self._agents.popitem()[1].close()
        self._current = None

    def _forget_closed(self) -> None:
        self._agents = {name: agent for name, agent in self._agents.items() if self._stays(name, agent)}
        if self._current not in self._agents:
            self._current = None  # no prompt goes to another agent unasked

    def _stays(self, name: str, agent: Agent) -> bool:
        # A name that was mistyped stays while it is the current one: no prompt goes to another agent unasked.
        mistyped = agent.status == "failed" and isinstance(agent.error, AgentNotFound)
        return agent.status != "closed" and not (mistyped and name != self._current)


def _made(name: str, **options: Any) -> Agent:
    try:
        missing = registry.absent(registry.launch(name), _home(options.get("cwd") or "."))
        if missing is not None:
            raise missing
        return Agent(name, **options)
    except (ValueError, TypeError, OSError) as error:
        raise UsageError(in_magics(str(error))) from None


def _works(name: str, agent: Agent) -> str:
    into = f", recorded into {agent.recording}" if agent.recording is not None else ""
    return f"--record: {name!r} works already{into}; a recording begins with its agent"


def _home(folder: str) -> str:
    return os.path.expanduser(folder)  # noqa: PTH111 (~nobody is no error here)


def near(word: str, known: Iterable[str]) -> str:
    """A question whether one of the known words was meant, or nothing."""
    found = difflib.get_close_matches(word, list(known), 3)
    return f" Did you mean {' or '.join(map(repr, found))}?" if found else ""
