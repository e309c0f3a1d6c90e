"""The state of a session as a few plain values, for `observe`, `link` and `jslink`."""

from __future__ import annotations

from typing import Any

from .sync import StateSource


def scalars(source: StateSource) -> dict[str, Any]:
    """The values of the traits of `SessionWidget` that say how the session is, by name. No text is ever None."""
    session, activity = source.part("session"), source.part("state")
    agent = session["agent"] or {}
    return {
        "status": source.status(),
        "busy": source.busy(),
        "stop_reason": _text(activity["stopReason"]),
        "agent_name": _text(agent.get("title")) or _text(agent.get("name")) or _text(session["label"]),
        "title": _text(source.part("sessionInfo")["title"]),
        "usage": source.part("usage"),
        "pending_count": len(source.pending_permissions()),
        "turn_count": len(source.keys("turns")),
        "error": _text((session["error"] or {}).get("message")),
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
