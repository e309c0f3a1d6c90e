"""The first words of a connection: what we say of ourselves, and which version the agent speaks by its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import __version__, errors
from .transport import Json

PROTOCOL_VERSION = 2
SPOKEN = (1, 2)
UNSUPPORTED_VERSION = -32022


def initialize_params(version: int = PROTOCOL_VERSION, services: Mapping[str, Any] | None = None) -> Json:
    """What we say first, for both versions (A7). No optional ability is advertised that nobody renders (R5).

    Logins in a terminal are: the command is shown, and the agent started again when the user has run it.

    `services`: what we do for an agent of version 1, as the `clientCapabilities` have it.
    """
    info = {"name": "acp-widget", "title": "acp-widget", "version": __version__}
    return {
        "protocolVersion": version,
        "info": info,
        "capabilities": {"auth": {"terminal": {}}},
        "clientInfo": info,
        "clientCapabilities": {"auth": {"terminal": True}, **(services or {})},
    }


def speaks_v2(result: Json) -> bool:
    """Told by the shape, since some agents echo our number and speak v1; by the number only for who has both shapes."""
    shaped_2, shaped_1 = (any(result.get(name) is not None for name in names) for names in _SHAPES)
    return shaped_2 and not (shaped_1 and result.get("protocolVersion") == 1)


_SHAPES = (("info", "capabilities"), ("agentInfo", "agentCapabilities"))  # of v2, of v1


def is_spoken(result: Any) -> bool:
    """Whether the answer to `initialize` is one of an agent that we can talk to."""
    if not isinstance(result, dict):
        return False
    version = result.get("protocolVersion")
    return not isinstance(version, int) or (version <= PROTOCOL_VERSION if speaks_v2(result) else version >= 1)


def check_version(result: Any) -> None:
    if not isinstance(result, dict):
        raise errors.ProtocolVersionError(
            "The agent answered `initialize` with something that is no object.",
            hint="Does its command start an ACP agent?",
        )
    if not is_spoken(result):
        raise other_version([result["protocolVersion"]])


def version_to_try(error: errors.RequestError) -> int | None:
    """The version to ask for instead, when the agent refused ours and names one that we speak."""
    if error.code != UNSUPPORTED_VERSION:
        return None
    return max((version for version in common(error.data) if version != PROTOCOL_VERSION), default=None)


def other_version(versions: Sequence[int]) -> errors.ProtocolVersionError:
    spoken = " and ".join(str(version) for version in versions)
    speaks = f"version {spoken}" if versions else "another version"
    return errors.ProtocolVersionError(
        f"The agent speaks {speaks} of the Agent Client Protocol; acp-widget speaks versions 1 and 2.",
        hint="Is there a newer version of acp-widget, or an option that makes the agent speak one of these?",
    )


def common(data: Any) -> list[int]:
    """The versions that the agent names in a refusal and that we speak."""
    return [version for version in versions(data) if version in SPOKEN]


def versions(data: Any) -> list[int]:
    supported = data.get("supported") if isinstance(data, dict) else None
    return [version for version in supported if isinstance(version, int)] if isinstance(supported, list) else []


def login_hint(methods: Sequence[Any]) -> str:
    names = [str(method.get("name") or method.get("methodId")) for method in methods if isinstance(method, dict)]
    offered = f" It offers: {', '.join(names)}." if names else ""
    return f"Log in with the agent's own command in a terminal, or give its key with env=, then start again.{offered}"
