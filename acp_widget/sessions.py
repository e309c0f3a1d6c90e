"""The sessions that an agent keeps: listed, loaded, resumed; and what a session works with beside its folder.

`Sessions` belongs to the private thread (`runtime.py`).
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from . import errors
from .login import Login
from .prompts import Prompts
from .protocol.peer import Peer
from .session.state import State

_PAGES = 1_000  # of a list; a hundred thousand sessions of a hundred a page
_LONG = 2_000  # characters of a text


@dataclass(frozen=True)
class SessionInfo:
    """A session that the agent keeps (ACP, Session List): `id` is for `agent.load(id)`.

    `title`, `cwd` and `updated_at` (ISO 8601) as the agent told them; None when it did not.

    >>> SessionInfo("s1", "Fix mean()", "/home/user/project", "2026-01-31T10:00:00Z").title
    'Fix mean()'
    """

    id: str
    title: str | None = None
    cwd: str | None = None
    updated_at: str | None = None


async def listed(peer: Peer, cwd: str | None, *, timeout: float | None) -> tuple[list[SessionInfo], str]:
    """All pages of `session/list`, and a sentence when it is not whole. Raises `NotOffered`."""
    if not peer.offers("list"):
        raise errors.NotOffered("The agent does not offer a list of its sessions.")
    found: dict[str, SessionInfo] = {}
    seen: set[str] = set()
    params: dict[str, Any] = {} if cwd is None else {"cwd": cwd}
    for _ in range(_PAGES):
        page = await peer.list_page(params, timeout=timeout)
        given = page.get("sessions") if isinstance(page, dict) else None
        for each in given if isinstance(given, list) else ():
            info = _info(each)
            if info is not None:
                found.setdefault(info.id, info)
        cursor = page.get("nextCursor") if isinstance(page, dict) else None
        if not isinstance(cursor, str):
            return list(found.values()), ""
        if cursor in seen:
            return list(found.values()), "The agent's list of sessions begins again and again; what came is shown."
        seen.add(cursor)
        params = {**params, "cursor": cursor}
    return list(found.values()), f"The agent's list of sessions has more than {_PAGES} pages; the rest is not shown."


def _info(given: Any) -> SessionInfo | None:
    session_id = given.get("sessionId") if isinstance(given, dict) else None
    if not isinstance(session_id, str):
        return None
    return SessionInfo(session_id, *(_text(given.get(name)) for name in ("title", "cwd", "updatedAt")))


def _text(value: Any) -> str | None:
    return value[:_LONG] if isinstance(value, str) else None


def _check_offers(peer: Peer, place: Mapping[str, Any]) -> None:
    """Raise `NotOffered` when the agent cannot work with what it was given."""
    if place.get("additionalDirectories") and not peer.takes("additionalDirectories"):
        raise errors.NotOffered(
            "The agent takes no additional directories.", hint="Start it without additional_directories=."
        )
    for server in place["mcpServers"]:
        if not peer.takes(server["type"]):
            raise errors.NotOffered(
                f"The agent takes no MCP servers over {server['type']}, as {server['name']!r} is.",
                hint="Start it without that one of mcp_servers=.",
            )


class Owner(Protocol):
    """What `Sessions.change` needs of its driver."""

    state: State
    prompts: Prompts
    login: Login
    ready: bool
    patience: float | None

    @property
    def peer(self) -> Peer | None: ...

    async def running(self) -> Peer: ...

    def settle(self) -> None: ...


class Sessions:
    """Which session an agent works in when it starts: a new one, or one that it keeps."""

    def __init__(self, place: Mapping[str, Any], session: str | None) -> None:
        self.place = dict(place)
        self.wish: tuple[str, tuple[str, ...]] | None = None if session is None else (session, _WITH_HISTORY)
        """The session to go on with and the ways to, the best first; None for a new one."""

    def go_on(self, session_id: str | None) -> None:
        """The transcript is here; the agent's next process is to go on with this session, if it can."""
        if session_id is not None:
            self.wish = (session_id, (*_WITHOUT_HISTORY, "new"))

    async def open(self, peer: Peer, *, timeout: float | None, report: Callable[[str], None]) -> None:
        """Open what is wished for, or a new one. A wish that the agent refuses stays, until a restart."""
        _check_offers(peer, self.place)
        if self.wish is None:
            await peer.new(self.place, timeout=timeout)
            return
        session_id, ways = self.wish
        way: str = next((way for way in ways if way == "new" or peer.offers(way)), ways[0])
        try:
            if way == "new":
                await peer.new(self.place, timeout=timeout)
            else:
                await peer.open(session_id, self.place, replay=way == "load", timeout=timeout)
        except (errors.SessionNotFound, errors.NotOffered) as error:
            if "new" not in ways or way == "new":
                raise  # and again at the next prompt: never in another session than was asked for
            report(f"{error.message} A new session was begun.")
            await peer.new(self.place, timeout=timeout)
        self.wish = None

    async def change(self, owner: Owner, session_id: str | None, *, replay: bool) -> None:
        """Go on with a session that the agent keeps, with what was said in it or without; None: with a new one.

        Starts the agent.
        """
        if not owner.ready and owner.peer is None:
            self.wish = None if session_id is None else (session_id, ("load",) if replay else ("resume",))
            await owner.running()
            return
        peer = await owner.running()
        if owner.prompts or owner.state.busy():
            raise errors.NotOffered(
                "The agent works, so it cannot go over to another session now.", hint="agent.wait() waits for it."
            )
        owner.ready = False
        try:
            if session_id is None:
                await peer.change(self.place, timeout=owner.patience)
            else:
                await peer.open(session_id, self.place, replay=replay, timeout=owner.patience)
        except errors.AuthRequired as error:
            if peer.auth_methods:
                owner.login.need(error)
            raise
        finally:
            if peer is owner.peer:
                owner.ready = True
                owner.settle()


_WITH_HISTORY = ("load", "resume")
_WITHOUT_HISTORY = ("resume", "load")


# --- what the user gives ---------------------------------------------------------------------------------------------

Servers = Sequence[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]]
"""MCP servers as ACP has them, or by name as in the settings of other clients."""


def place(
    cwd: str, directories: Sequence[str | os.PathLike[str]], servers: Servers, *, path: str | None = None
) -> dict[str, Any]:
    """Where a session works and with what, as ACP has it. `path`: where the servers' commands are looked for.

    Raises `ValueError` and `TypeError`, never with a value of a variable or a header.

    >>> place("/", [], {"web": {"url": "https://example.org/mcp"}})["mcpServers"]
    [{'type': 'http', 'name': 'web', 'url': 'https://example.org/mcp'}]
    """
    if isinstance(servers, Mapping):
        for name, given in servers.items():
            if not isinstance(given, Mapping):
                raise TypeError(f"mcp_servers: {name!r} must be an object with a command or a url.")
        servers = [{**given, "name": name} for name, given in servers.items()]
    found = [_server(given, cwd, path) for given in servers]
    names = [server["name"] for server in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"mcp_servers: two servers are called {twice!r}.")
    folders = [_directory(each, cwd) for each in _each(directories, "additional_directories")]
    return {"cwd": cwd, "mcpServers": found, **({"additionalDirectories": folders} if folders else {})}


def _each(values: Any, what: str) -> list[Any]:
    if isinstance(values, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} is a list of folders, not one.")
    return list(values)


def _directory(given: str | os.PathLike[str], cwd: str) -> str:
    folder = Path(cwd, Path(given).expanduser())
    if not folder.is_dir():
        raise ValueError(f"additional_directories: {str(folder)!r} is no folder.")
    return str(folder)


def _server(given: Any, cwd: str, path: str | None) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise TypeError("mcp_servers: each is an object with a name, and a command or a url.")
    name = given.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError("mcp_servers: a server has no name.")
    kind = given.get("type", "http" if "url" in given else "stdio")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise ValueError(f"mcp_servers: {name!r} is of type {kind!r}; known are 'stdio' and 'http'.")
    return {"type": kind, "name": name, **make(name, given, cwd, path)}


def _stdio(name: str, given: Mapping[str, Any], cwd: str, path: str | None) -> dict[str, Any]:
    command, args = given.get("command"), given.get("args", [])
    if not isinstance(command, (str, os.PathLike)) or not str(command):
        raise ValueError(f"mcp_servers: {name!r} has no command.")
    if not isinstance(args, Sequence) or isinstance(args, str) or not all(isinstance(each, str) for each in args):
        raise TypeError(f"mcp_servers: the args of {name!r} must be a list of texts.")
    resolved = _program(str(command), cwd, path)
    if resolved is None:
        raise ValueError(f"mcp_servers: the command {str(command)!r} of {name!r} was not found.")
    env = _pairs(name, "env", given.get("env"))
    return {"command": resolved, "args": list(args), **({"env": env} if env else {})}


def _program(command: str, cwd: str, path: str | None) -> str | None:
    if os.sep in command or (os.altsep and os.altsep in command):
        command = str(Path(cwd, Path(command).expanduser()))
    return shutil.which(command, path=path)


def _http(name: str, given: Mapping[str, Any], cwd: str, path: str | None) -> dict[str, Any]:
    url = given.get("url")
    if not isinstance(url, str) or not re.match(r"https?://", url) or not urlsplit(url).hostname:
        raise ValueError(f"mcp_servers: the url of {name!r} must begin with http:// or https://.")
    headers = _pairs(name, "headers", given.get("headers"))
    return {"url": url, **({"headers": headers} if headers else {})}


_KINDS = {"stdio": _stdio, "http": _http}


def _pairs(name: str, what: str, given: Any) -> list[dict[str, str]]:
    """`{name: value}` or `[{"name", "value"}]`. Errors never show a value: it may be a secret."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        given = [{"name": key, "value": value} for key, value in given.items()]
    pairs: list[Any] = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [None]
    for each in pairs:
        if not isinstance(each, Mapping) or not all(isinstance(each.get(key), str) for key in ("name", "value")):
            raise TypeError(f"mcp_servers: the {what} of {name!r} must be texts by name.")
    return [{"name": each["name"], "value": each["value"]} for each in pairs]
