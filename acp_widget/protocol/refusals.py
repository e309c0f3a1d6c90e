"""What an agent's refusal of a request outside of prompts means, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .. import errors
from . import handshake
from .connection import INVALID_PARAMS, METHOD_NOT_FOUND

AUTH_REQUIRED: Final = -32000
NOT_FOUND: Final = -32002
_INTERNAL: Final = -32603

OTHER_WAY: Final[Mapping[str, str]] = {
    "load": "agent.resume(id) goes on without what was said, where that is offered.",
    "resume": "agent.load(id) brings what was said back, where that is offered.",
}


def refused(
    method: str, error: errors.RequestError, *, session_id: str | None = None, hint: str = "", stderr: str = ""
) -> errors.AcpError:
    """Our error for a request that the agent answered with one. `session_id`: of the session that was to be opened."""
    if error.code == handshake.UNSUPPORTED_VERSION and not handshake.common(error.data):
        return handshake.other_version(handshake.versions(error.data))
    if error.code == AUTH_REQUIRED:
        return errors.AuthRequired(f"The agent wants you to log in first: {with_data(error)}", hint=hint, stderr=stderr)
    if session_id is not None and error.code in (NOT_FOUND, INVALID_PARAMS, _INTERNAL):
        return _session_gone(session_id, error)
    if error.code == METHOD_NOT_FOUND and method != "initialize" and method != "session/new":
        return errors.NotOffered(f"The agent does not know the request `{method}`, so it does not offer that.")
    start = "Does its command start an ACP agent?" if error.code == METHOD_NOT_FOUND else ""
    told = f"The agent refused `{method}`: {with_data(error)} (code {error.code})."
    return errors.RequestError(error.code, told, error.data, hint=" ".join(filter(None, [start, hint])))


def _session_gone(session_id: str, error: errors.RequestError) -> errors.SessionNotFound:
    shown = repr(session_id[:100])
    if error.code == NOT_FOUND:
        said = f"The agent no longer knows the session {shown}: {with_data(error)}"
    else:
        said = (
            f"The agent could not open the session {shown}: {with_data(error)} (code {error.code}). Perhaps it is gone."
        )
    return errors.SessionNotFound(said, hint="What is shown stays. agent.restart() begins a new session.")


def with_data(error: errors.RequestError) -> str:
    """What the agent said, with what its error's `data` adds in words."""
    data = error.data
    if isinstance(data, dict):
        data = next((data[name] for name in ("message", "details", "reason") if isinstance(data.get(name), str)), None)
    more = data if isinstance(data, str) and data and data not in error.message else ""
    return " ".join(filter(None, [error.message, more[:2_000]]))


def hidden(given: Any, hide: Callable[[str], str]) -> Any:
    """JSON with every text through `hide`."""
    if isinstance(given, str):
        return hide(given)
    if isinstance(given, dict):
        return {hide(name): hidden(value, hide) for name, value in given.items()}
    return [hidden(value, hide) for value in given] if isinstance(given, list) else given
