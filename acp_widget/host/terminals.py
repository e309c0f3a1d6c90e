"""`terminal/*` for agents that let the client run their commands (ACP v1, Terminals)."""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ..errors import RequestError
from ..protocol.connection import INTERNAL_ERROR, INVALID_PARAMS
from ..protocol.refusals import NOT_FOUND
from ..protocol.transport import Json
from .command import Command
from .roots import Roots

MOST: Final = 32
"""Terminals that an agent may hold at once."""
KEPT: Final = 1_048_576
"""Bytes of output kept for an agent that gives no `outputByteLimit`."""
MOST_KEPT: Final = 16 * KEPT
"""Bytes of output kept at most, whatever the agent asks for."""


class Terminals:
    """The commands of one session, by the ids of their terminals.

    `emit(event)` shows them, live. `env`: the environment they start with.
    """

    def __init__(self, roots: Roots, emit: Callable[[Json], object], *, env: Mapping[str, str]) -> None:
        self._roots, self._emit, self._env = roots, emit, env
        self._held: dict[str, Command] = {}
        self._leaving: set[Command] = set()  # released, and not ended yet
        self._numbers = itertools.count(1)
        self._closed = False

    async def create(self, params: Json) -> Json:
        """`{command, args?, env?, cwd?, outputByteLimit?}` → `{terminalId}`. The command runs from now on.

        A command without arguments that is no program is a line for the shell. Raises `RequestError`.
        """
        if self._closed:
            raise RequestError(INTERNAL_ERROR, "The session is closed.")
        if len(self._held) + len(self._leaving) >= MOST:
            raise RequestError(INTERNAL_ERROR, f"{MOST} terminals are in use. Release one first: `terminal/release`.")
        cwd = self._cwd(params.get("cwd"))
        env = {**self._env, **_variables(params.get("env"))}
        command = _command(params, cwd, env)
        terminal_id = f"terminal-{next(self._numbers)}-{secrets.token_hex(4)}"
        tell = self._teller(terminal_id)
        try:
            self._held[terminal_id] = Command.start(
                [_program(command[0], cwd, env), *command[1:]], cwd=cwd, env=env, limit=_limit(params), tell=tell
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise RequestError(INVALID_PARAMS, f"{command[0][:500]!r} could not be started: {reason}.") from None
        tell(sessionUpdate="terminal_update", command=shlex.join(command), cwd=cwd)
        return {"terminalId": terminal_id}

    async def output(self, params: Json) -> Json:
        """`{terminalId}` → `{output, truncated, exitStatus?}`: what it said so far, without waiting."""
        command = self._find(params)
        status = {} if command.status is None else {"exitStatus": command.status}
        text = command.output.text(over=command.status is not None)
        return {"output": text, "truncated": command.output.truncated, **status}

    async def wait_for_exit(self, params: Json) -> Json:
        """`{terminalId}` → `{exitCode, signal}`, when it has ended."""
        command = self._find(params)
        await command.over.wait()
        return dict(command.status or {})

    async def kill(self, params: Json) -> Json:
        """`{terminalId}` → `{}`: the command's whole group has ended; the terminal can still be read."""
        await self._find(params).end()
        return {}

    async def release(self, params: Json) -> Json:
        """`{terminalId}` → `{}`: the command's whole group has ended and the id is gone. What was shown stays."""
        command = self._find(params)
        del self._held[params["terminalId"]]
        self._leaving.add(command)
        try:
            await command.end()
        finally:
            if command.over.is_set():
                self._leaving.discard(command)
        return {}

    async def close(self) -> None:
        """End all groups."""
        self._closed = True
        commands = {*self._held.values(), *self._leaving}
        await asyncio.gather(*(command.end() for command in commands))
        self._held.clear()
        self._leaving.clear()

    # --- inside ----------------------------------------------------------------------------------------------------

    def _find(self, params: Json) -> Command:
        terminal_id = params.get("terminalId")
        command = self._held.get(terminal_id) if isinstance(terminal_id, str) else None
        if command is None:
            told = str(terminal_id)[:100]
            raise RequestError(
                NOT_FOUND, f"This session has no terminal {told!r}; was it released?", {"terminalId": told}
            )
        return command

    def _cwd(self, asked: Any) -> str:
        if asked is None:
            return self._roots.folders[0]
        place = self._roots.find(asked, "cwd")
        if not Path(place.path).is_dir():
            raise RequestError(NOT_FOUND, f"There is no folder {asked[:500]!r}.", {"cwd": asked})
        return place.path

    def _teller(self, terminal_id: str) -> Callable[..., None]:
        def tell(**fields: Any) -> None:
            self._emit({"type": "update", "update": {**fields, "terminalId": terminal_id}})

        return tell


def _command(params: Json, cwd: str, env: Mapping[str, str]) -> list[str]:
    command, args = params.get("command"), params.get("args")
    if not isinstance(command, str) or not command.strip():
        raise RequestError(INVALID_PARAMS, "`command` must be a text that is not empty.")
    if args is None:
        args = []
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise RequestError(INVALID_PARAMS, "`args` must be a list of texts.")
    several_words = len(command.split()) > 1
    if not args and several_words and os.name == "posix" and _found(command, cwd, env) is None:
        # Some agents give a whole line, as a shell would take it.
        return ["/bin/sh", "-c", command]
    return [command, *args]


def _program(name: str, cwd: str, env: Mapping[str, str]) -> str:
    found = _found(name, cwd, env)
    if found is None:
        raise RequestError(NOT_FOUND, f"There is no command {name[:500]!r}.", {"command": name})
    return found


def _found(name: str, cwd: str, env: Mapping[str, str]) -> str | None:
    try:
        if os.sep in name or (os.altsep and os.altsep in name):
            return shutil.which(str(Path(cwd, name)))
        return shutil.which(name, path=env.get("PATH", os.defpath))
    except ValueError:  # a null character
        return None


def _variables(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, list):
        raise RequestError(INVALID_PARAMS, "`env` must be a list of `{name, value}`.")
    variables = {}
    for item in given:
        name, value = (item.get("name"), item.get("value")) if isinstance(item, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str) or not name or "=" in name or "\0" in name + value:
            # Never the value: it may be a secret.
            raise RequestError(
                INVALID_PARAMS, f"`env`: {str(name)[:100]!r} is no variable with a `name` and a `value`."
            )
        variables[name] = value
    return variables


def _limit(params: Json) -> int:
    limit = params.get("outputByteLimit")
    if limit is None:
        return KEPT
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise RequestError(INVALID_PARAMS, "`outputByteLimit` must be a whole number, 0 or more.")
    return min(limit, MOST_KEPT)
