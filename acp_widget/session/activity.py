"""What the agent says it is doing (ACP v2, Prompt Lifecycle), and our stop."""

from __future__ import annotations

from typing import Any

from . import permissions, tool_calls, turns
from .blocks import fit_background
from .edit import Edit
from .words import is_final

Update = dict[str, Any]

_KNOWN = frozenset({"sessionUpdate", "state", "stopReason", "background", "error", "usage", "_meta"})


def update(edit: Edit, update: Update) -> None:
    """`state_update`: the only thing that changes the state. Anything but `idle` is busy, known or not."""
    word = update.get("state")
    if type(word) is not str:
        edit.diagnose("state is missing or no text; dropped")
        return
    idle = word == "idle"
    background = fit_background(update["background"]) if update.get("background") is not None else None
    if background is None and update.get("background") is not None:
        edit.diagnose("background is malformed; taken as not reported")
    if background is not None:
        edit.memory.background = {f"t:{item['toolCallId']}" for item in background if item["type"] == "tool_call"}
    stop_reason = _optional(edit, update, "stopReason", str) if idle else None
    error = _optional(edit, update, "error", dict) if idle else None
    activity = {
        "state": word,
        "busy": not idle,
        "stopReason": stop_reason,
        "background": background,
        "error": error,
        "usage": _optional(edit, update, "usage", dict) if idle else None,
        # A report tells all there is to tell, so what the one before had beside it is over.
        **tool_calls.read_further(update, _KNOWN, None),
    }
    meta = _optional(edit, update, "_meta", dict)
    if meta:
        activity["_meta"] = meta
    edit.replace(("state",), activity)
    if not idle:
        turns.works(edit)
        return
    cancelling = edit.data["session"]["cancelling"]
    edit.patch(("session",), {"cancelling": False})
    active = edit.memory.active
    turns.is_idle(edit, stop_reason, error, cancelling=cancelling)
    if active is not None and edit.memory.active is None and activity["usage"] is not None:
        edit.patch(("turns", active), {"usage": activity["usage"]})


def cancel(edit: Edit, event: dict[str, Any]) -> None:
    """We sent `session/cancel`: settle what waits, mark what runs, and keep listening."""
    if edit.state.busy():
        # While nothing is under way no idle will come to end the stop: requests that come later are asked as ever.
        edit.patch(("session",), {"cancelling": True})
    permissions.settle_all(edit, by="stop")
    turns.drop_queued(edit, "the turn before it was stopped")
    if not edit.data["state"]["busy"]:
        return
    memory = edit.memory
    for key, call in edit.data["toolCalls"].items():
        if key in memory.work and key not in memory.background and not is_final(call["status"]):
            tool_calls.mark_cancelled(edit, key)


def _optional(edit: Edit, update: Update, name: str, kind: type) -> Any:
    value = update.get(name)
    if value is None or type(value) is kind:
        return value
    edit.diagnose(f"{name} is of the wrong type; taken as not reported")
    return None
