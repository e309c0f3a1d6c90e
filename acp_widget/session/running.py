"""Whether a tool call still runs, for everything that shows one: `js/src/views/call_state.ts` has the same rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .words import is_final

Json = Mapping[str, Any]


def is_running(snapshot: Json, key: str) -> bool:
    """False for a call that is over, waits for an answer or was rejected, and for one that its turn left unfinished.

    Many agents never finish the last calls of a turn: what would spin for ever is told apart by the turn, by the list
    of background work, and by the connection. Total: of what cannot be read it says False.

    >>> is_running({"toolCalls": {"t:1": {"status": "completed"}}}, "t:1")
    False
    """
    call = _map(_map(snapshot.get("toolCalls")).get(key))
    if not call or is_final(call.get("status")):
        return False
    asked = [each for each in map(_map, _map(snapshot.get("permissions")).values()) if _is_about(each, call)]
    if any(each.get("status") == "pending" for each in asked) or is_rejected(call, asked):
        return False
    return not _is_left_over(snapshot, call)


def _is_left_over(snapshot: Json, call: Json) -> bool:
    session = _map(snapshot.get("session"))
    if session.get("connection") in ("closed", "failed"):
        return True
    end = _time(_map(snapshot.get("turns")).get(str(call.get("turn"))), "end")
    if end is None:
        return False
    background = _map(snapshot.get("state")).get("background")
    if isinstance(background, list):
        return not any(_map(work).get("toolCallId") == call.get("toolCallId") for work in background)
    first, ready = _time(call, "first"), _time(session, "ready")
    # Begun after its turn it is work of its own, unless a replay told of it, which comes before the session is ready.
    began_later = first is not None and first > end and (ready is None or first > ready)
    return not began_later or _time(call, "start") is None


def _is_about(asked: Json, call: Json) -> bool:
    return asked.get("toolCallId") == call.get("toolCallId") and asked.get("toolCallId") is not None


def is_rejected(call: Json, asked: Sequence[Json]) -> bool:
    """Whether the last answer to the requests about a call was a no, and it has not begun since."""
    last = asked[-1] if asked else {}
    if last.get("status") != "selected":
        return False
    options = last.get("options")
    chosen = [
        option
        for option in map(_map, options if isinstance(options, list) else [])
        if option.get("optionId") == last.get("optionId")
    ]
    if not chosen or not all(option.get("kind") in ("reject_once", "reject_always") for option in chosen):
        return False
    start, end = _time(call, "start"), _time(last, "end")
    return start is None or end is None or start <= end


def _time(entity: Any, name: str) -> float | None:
    value = _map(_map(entity).get("at")).get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _map(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}
