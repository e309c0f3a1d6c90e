"""The first words of a connection: what we say of ourselves, and which version the agent speaks by its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import __version__, errors
from .transport import Json

PROTOCOL_VERSION = 2


def initialize_params() -> Json:
    """What we say first. No optional ability is advertised that nobody renders (R5)."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "info": {"name": "acp-widget", "title": "acp-widget", "version": __version__},
        "capabilities": {},
    }


def speaks_v2(result: Json) -> bool:
    """Told by the shape: some agents echo our number and speak v1."""
    return result.get("info") is not None or result.get("capabilities") is not None


def check_version(result: Any) -> None:
    if not isinstance(result, dict):
        raise errors.ProtocolVersionError(
            "The agent answered `initialize` with something that is no object.",
            hint="Does its command start an ACP agent?",
        )
    version = result.get("protocolVersion")
    if not speaks_v2(result):
        raise other_version([1])
    if isinstance(version, int) and version > PROTOCOL_VERSION:
        raise other_version([version])


def other_version(versions: Sequence[int]) -> errors.ProtocolVersionError:
    spoken = " and ".join(str(version) for version in versions) or "another version"
    hint = "Is there a newer version of the agent, or an option that makes it speak version 2?"
    if 1 in versions:
        hint += " Agents that speak version 1 will be supported by a later version of acp-widget."
    return errors.ProtocolVersionError(
        f"The agent speaks version {spoken} of the Agent Client Protocol, and acp-widget speaks version 2."
        if versions
        else "The agent speaks another version of the Agent Client Protocol than acp-widget, which speaks version 2.",
        hint=hint,
    )


def versions(data: Any) -> list[int]:
    supported = data.get("supported") if isinstance(data, dict) else None
    return [version for version in supported if isinstance(version, int)] if isinstance(supported, list) else []


def login_hint(methods: Sequence[Any]) -> str:
    names = [str(method.get("name") or method.get("methodId")) for method in methods if isinstance(method, dict)]
    offered = f" It offers: {', '.join(names)}." if names else ""
    return f"Log in with the agent's own command in a terminal, or give its key with env=, then start again.{offered}"
