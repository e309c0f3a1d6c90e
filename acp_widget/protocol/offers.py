"""What an agent offers beside prompts, and which request asks for it: where the two versions differ (N15, N16).

Capabilities have the shape of v2 here, as the dialect gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .transport import Json
from .v1_shapes import supports

OPENING: Final[Mapping[int, Mapping[str, tuple[str, Json]]]] = {
    1: {"load": ("session/load", {}), "resume": ("session/resume", {})},
    2: {"load": ("session/resume", {"replayFrom": {"type": "start"}}), "resume": ("session/resume", {})},
}
"""By version: the request that opens a session again, with (`load`) or without (`resume`) all that was said in it."""

LOGIN: Final[Mapping[int, str]] = {1: "authenticate", 2: "auth/login"}


def offers(version: int, capabilities: Any, what: str) -> bool:
    """Whether the agent has `list`, `load` or `resume`: a v2 agent with sessions has all, a v1 agent by its markers.

    >>> offers(2, {"session": {}}, "load"), offers(1, {"session": {}}, "load")
    (True, False)
    """
    session = _part(capabilities, "session")
    if session is None:
        return False
    return version == 2 or supports(session.get(what))


def takes(version: int, capabilities: Any, what: str) -> bool:
    """Whether a session of it takes `stdio` or `http` servers, or `additionalDirectories`: by marker."""
    session = _part(capabilities, "session")
    if what == "additionalDirectories":
        return session is not None and supports(session.get(what))
    mcp = _part(session, "mcp")
    # Every v1 agent starts stdio servers, one that tells of no capabilities too.
    return (version == 1 and what == "stdio") or (mcp is not None and supports(mcp.get(what)))


def logout(version: int, capabilities: Any, methods: Sequence[Any]) -> str | None:
    """The request that logs out, or None where none is offered."""
    if version == 2:
        return "auth/logout" if methods else None
    auth = _part(capabilities, "auth")
    return "logout" if auth is not None and supports(auth.get("logout")) else None


def server(version: int, given: Json) -> Json:
    """An MCP server as the version has it: v1 knows stdio servers by their missing type, and wants every list."""
    if version == 2:
        return given
    lists: Json = {"args": [], "env": []} if given["type"] == "stdio" else {"headers": []}
    shaped = {**lists, **given}
    if given["type"] == "stdio":
        del shaped["type"]
    return shaped


def _part(given: Any, name: str) -> Json | None:
    part = given.get(name) if isinstance(given, dict) else None
    return part if isinstance(part, dict) else None
