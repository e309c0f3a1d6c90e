"""Known agents and how each is started. What a user passes to `Agent(...)` becomes a `Launch` here."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Launch:
    """How to start one agent.

    `command` is the argument list, `label` the short name shown before the agent told its own,
    `own_folder` whether it works in a fresh temporary folder when no `cwd` is given.
    """

    command: tuple[str, ...]
    label: str
    own_folder: bool = False


def _demo() -> Launch:
    # -P: a file of the project it works in must not shadow the standard library.
    safe_path = ("-P",) if sys.version_info >= (3, 11) else ()
    return Launch((sys.executable, *safe_path, "-m", "acp_widget.demo"), "demo agent", own_folder=True)


_KNOWN = {"demo": _demo}


def guess(command: Sequence[str]) -> str | None:
    """The known name that a command which was not found was perhaps meant to be.

    >>> guess(["dmeo"])
    'demo'
    """
    meant = difflib.get_close_matches(command[0], _KNOWN, n=1) if len(command) == 1 else []
    return meant[0] if meant else None


def launch(agent: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Launch:
    """The `Launch` for a known name, a command line, a program's path, or a list of arguments.

    Raises `ValueError` for an empty or unreadable command and `TypeError` for anything that is no text.

    >>> launch("my-agent --acp").command
    ('my-agent', '--acp')
    """
    if isinstance(agent, str):
        if agent in _KNOWN:
            return _KNOWN[agent]()
        try:
            command = tuple(shlex.split(agent))
        except ValueError as error:
            raise ValueError(f"The agent's command line {agent!r} cannot be read: {error}. Pass a list.") from None
    else:
        parts = agent if isinstance(agent, Sequence) else [agent]
        if not all(isinstance(part, (str, os.PathLike)) for part in parts):
            raise TypeError("An agent's command is a list of strings, for example Agent(['my-agent', '--acp']).")
        command = tuple(os.fspath(part) for part in parts)
    if not command or not command[0]:
        raise ValueError("The agent's command is empty. Pass a name, a command line or a list: Agent('demo').")
    return Launch(command, Path(command[0]).name)
