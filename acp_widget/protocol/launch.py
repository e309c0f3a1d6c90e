"""Why a command cannot be started, told before or after trying, in words that help."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import errors

_SHOWN_FOLDERS = 5

# What brings an interpreter that scripts ask for by name.
_BRINGS = {
    "node": "Install Node.js, or put the folder of `node` on PATH",
    "bun": "Install Bun, or put the folder of `bun` on PATH",
    "deno": "Install Deno, or put the folder of `deno` on PATH",
}


def environment(env: Mapping[str, str] | None) -> dict[str, str]:
    """The child's environment: all of ours, with `env` over it."""
    return {**os.environ, **(env or {})}


def resolve(command: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> list[str]:
    """The command with its program as a path. Raises `AgentNotFound` when it cannot work."""
    if not command or not command[0]:
        raise errors.AgentNotFound("The agent's command is empty.", hint="Give its program and arguments.")
    if not Path(cwd).is_dir():
        raise errors.AgentNotFound(f"The folder to start in does not exist: {cwd}", hint="Make it, or pass cwd=.")
    name = command[0]
    path = env.get("PATH", os.defpath)
    if os.sep in name or (os.altsep and os.altsep in name):
        # A relative path is meant from the folder that the agent starts in.
        found = shutil.which(str(Path(cwd, name)))
    else:
        found = shutil.which(name, path=path)
    if found is None:
        raise _not_found(name, Path(cwd, name), path)
    needed = _wanted_interpreter(Path(found))
    if needed is not None and shutil.which(needed, path=path) is None:
        raise errors.AgentNotFound(
            f"`{name}` is a script for `{needed}`, and `{needed}` is not there. {_searched(needed, path)}",
            hint=f"{_BRINGS.get(needed, f'Install `{needed}`, or put its folder on PATH')}: env={{'PATH': …}}.",
        )
    return [found, *command[1:]]


def refused(command: Sequence[str], error: Exception) -> errors.AgentNotFound:
    """The system would not start a command that is there."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return errors.AgentNotFound(
        f"`{command[0]}` could not be started: {reason}.",
        hint=f"Try it in a terminal: {shlex.join(command)}",
    )


def _not_found(name: str, file: Path, path: str) -> errors.AgentNotFound:
    if os.sep not in name:
        there = next((Path(folder, name) for folder in _folders(path) if Path(folder, name).is_file()), None)
        if there is None:
            return errors.AgentNotFound(
                f"There is no command `{name}`. {_searched(name, path)}",
                hint="Install it, give its absolute path, or extend the search: env={'PATH': …}.",
            )
        file = there
    if file.is_dir():
        return errors.AgentNotFound(f"{file} is a folder, not a program.", hint="Name the program in it.")
    if file.exists():
        return errors.AgentNotFound(f"{file} is not executable.", hint=f"Make it so: chmod +x {shlex.quote(str(file))}")
    return errors.AgentNotFound(f"There is no file {file}.", hint="Check the path, or give an absolute one.")


def _searched(name: str, path: str) -> str:
    folders = _folders(path)
    if not folders:
        return "PATH is empty."
    shown = ", ".join(folders[:_SHOWN_FOLDERS]) + (", …" if len(folders) > _SHOWN_FOLDERS else "")
    return f"`{name}` was searched in the {len(folders)} folder{'s' if len(folders) > 1 else ''} of PATH: {shown}"


def _folders(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if folder]


def _wanted_interpreter(program: Path) -> str | None:
    """What a script's first line asks for: `node` in `#!/usr/bin/env node`, a path in `#!/opt/node`."""
    if os.name != "posix":
        return None
    try:
        with program.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        # `env -S name args`, `env NAME=value name`: the first word that is neither option nor setting.
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words else None
