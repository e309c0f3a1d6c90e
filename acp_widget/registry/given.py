"""What a user passes to `Agent(...)`, as a `Launch`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from . import known
from .entries import Entry, read_entry, read_given, user_entry

VARIABLE = "ACP_WIDGET_AGENT"
DEMO = "demo"

Given: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any]


@dataclass(frozen=True)
class Launch:
    """How to start one agent.

    `command` is the argument list, `label` the short name shown before the agent told its own, `own_folder` whether it
    works in a fresh temporary folder when no `cwd` is given. `env` comes from a settings entry and is never shown.
    `agent` is the known agent that this is; with `to_find`, its program is looked for at each start, else `npx`.
    """

    command: tuple[str, ...]
    label: str
    own_folder: bool = False
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    agent: known.Known | None = None
    to_find: bool = False

    @property
    def missing_file_is_empty(self) -> bool:
        """Whether this agent needs a missing file to read as an empty one."""
        return self.agent is not None and self.agent.missing_file_is_empty


def launch(agent: Given | None = None) -> Launch:
    """The `Launch` for a known name, a command line, a program's path, a list of arguments, or a settings entry.

    A name is looked for in the user's own file first, then among the known agents. None: what the variable
    `ACP_WIDGET_AGENT` says, else the demo agent. Raises `ValueError` for an empty or unreadable command or entry (in
    the user's file with its line), and `TypeError` for what is none of these.

    >>> launch("my-agent --acp").command
    ('my-agent', '--acp')
    """
    if agent is None:
        said = os.environ.get(VARIABLE, "").strip()
        try:
            return launch(said or DEMO)
        except ValueError as error:
            raise ValueError(f"{VARIABLE}={said!r}: {error}") from None
    if isinstance(agent, Mapping):
        name, raw = read_given(agent)
        return of_entry(read_entry(name, raw))
    if isinstance(agent, str):
        return _named(agent) or of_command(_words(agent))
    parts = [agent] if isinstance(agent, os.PathLike) else agent
    if not isinstance(parts, Sequence) or not all(isinstance(part, (str, os.PathLike)) for part in parts):
        raise TypeError("An agent is a name, a command line, a list of strings, or a settings entry: Agent('demo').")
    return of_command(tuple(os.fspath(part) for part in parts))


def of_entry(entry: Entry) -> Launch:
    """The `Launch` of one entry of `agent_servers`."""
    if entry.command is None:
        # It names a known agent, and adds to its environment.
        found = known.called(entry.known or "")
        assert found is not None, "read_entry has seen to it"
        return replace(_of_known(found), env=entry.env)
    return replace(of_command(entry.command), label=entry.name or Path(entry.command[0]).name, env=entry.env)


def of_command(command: tuple[str, ...]) -> Launch:
    """The `Launch` of an argument list, taken as it is."""
    if not command or not command[0]:
        raise ValueError("The agent's command is empty. Pass a name, a command line or a list: Agent('demo').")
    command = (os.path.expanduser(command[0]), *command[1:])  # noqa: PTH111 (`./x` must stay what it is)
    return Launch(command, Path(command[0]).name, agent=known.running(command))


def _named(name: str) -> Launch | None:
    if name == DEMO:
        return _demo()
    entry = user_entry(name)
    if entry is not None:
        return of_entry(entry)
    found = known.AGENTS.get(name)
    return _of_known(found) if found is not None else None


def _of_known(agent: known.Known) -> Launch:
    return Launch(agent.command, agent.name, agent=agent, to_find=True)


def _words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise ValueError(f"The agent's command line {line!r} cannot be read: {error}. Pass a list.") from None


def _demo() -> Launch:
    # -P: a file of the project it works in must not shadow the standard library.
    safe_path = ("-P",) if sys.version_info >= (3, 11) else ()
    return Launch((sys.executable, *safe_path, "-m", "acp_widget.demo"), "demo agent", own_folder=True)
