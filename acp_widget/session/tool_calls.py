"""Tool calls (ACP v2, Tool Calls): upserts by id, and content that comes in chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from . import former, turns
from .blocks import fit_list, fit_location, fit_tool_content
from .edit import Edit
from .values import clean_text, is_text, merged_meta, plain
from .words import TOOL_KINDS, is_final

Update = dict[str, Any]


class Unfit(Exception):
    """A field cannot be read: it counts as omitted."""


def update(edit: Edit, update: Update) -> None:
    """`tool_call_update`: omitted fields stay, null clears, a value replaces."""
    call_id = update.get("toolCallId")
    if type(call_id) is not str:
        edit.diagnose("toolCallId is missing or no text; dropped")
        return
    key = f"t:{call_id}"
    call = former.find(edit, "toolCalls", key)
    changes = read_patch(edit, update, FIELDS, call, _KNOWN)
    _seen(edit, key, new=call is None)
    if call is None:
        _create(edit, key, call_id, changes)
        return
    if changes.get("status", call["status"]) != call["status"]:
        changes["at"] = _times(call["at"], changes["status"], edit.at)
    if changes.get("kind", call["kind"]) != call["kind"]:
        _keep_kind(edit, key, call["kind"])
    edit.patch(("toolCalls", key), changes)


def chunk(edit: Edit, update: Update) -> None:
    """`tool_call_content_chunk`: exactly one item more."""
    call_id = update.get("toolCallId")
    if type(call_id) is not str:
        edit.diagnose("toolCallId is missing or no text; dropped")
        return
    call_id = clean_text(call_id)
    item = fit_tool_content(plain(update.get("content")), edit, f"content of {call_id}")
    if item is None:
        return
    key = f"t:{call_id}"
    call = former.find(edit, "toolCalls", key)
    _seen(edit, key, new=call is None)
    if call is None:
        _create(edit, key, call_id, {"content": [item]})
    else:
        edit.append(("toolCalls", key, "content"), item)


def withdrawn(edit: Edit, event: Update) -> None:
    """A call of ours is shown by one of the agent's: it is taken away."""
    key = f"t:{event.get('toolCallId')}"
    if key not in edit.data["toolCalls"]:
        return
    for keys in (edit.memory.work, edit.memory.aside, edit.memory.background):
        keys.discard(key)
    edit.displace(key)
    edit.delete(("toolCalls", key))


def mark_cancelled(edit: Edit, key: str) -> None:
    """Show an unfinished call as cancelled, until the agent says otherwise."""
    at = _times(edit.data["toolCalls"][key]["at"], "cancelled", edit.at)
    edit.patch(("toolCalls", key), {"status": "cancelled", "at": at})


def _seen(edit: Edit, key: str, *, new: bool) -> None:
    memory = edit.memory
    if memory.thought is not None:
        turns.close_thought(edit)
    if memory.replaying:
        return
    if memory.idle_reported and not edit.state.busy():
        if new:
            memory.aside.add(key)
    elif key not in memory.aside:
        memory.work.add(key)


def _keep_kind(edit: Edit, key: str, kind: str) -> None:
    edit.memory.kinds.setdefault(key, set()).add(kind if kind in TOOL_KINDS else "unknown")


def _create(edit: Edit, key: str, call_id: str, known: dict[str, Any]) -> None:
    edit.memory.kinds.pop(key, None)
    status = known.get("status", "pending")
    call = {
        "toolCallId": call_id,
        "title": None,
        "name": None,
        "kind": "other",
        "status": "pending",
        "content": [],
        "locations": [],
        "rawInput": None,
        "rawOutput": None,
        "capabilities": None,
        "_meta": {},
        **known,
        "turn": turns.turn_of_new(edit),
        "at": _times(edit.times(), status, edit.at),
    }
    edit.create("toolCalls", key, call)
    edit.memory.local = None
    for permission in edit.memory.unplaced.pop(call_id, ()):
        edit.displace(permission)


def _times(at: dict[str, Any], status: str, now: float | None) -> dict[str, Any]:
    start = now if status == "in_progress" and at["start"] is None else at["start"]
    return {**at, "start": start, "end": now if is_final(status) else None}


# --- patches ---------------------------------------------------------------------------------------------------------

Read = Callable[[Any, Edit], Any]
"""Takes a value that is not null, gives what to keep; raises `Unfit`."""
Fields = Mapping[str, tuple[Any, Read]]
"""Name of a field → what it is when cleared, and how a value of it is read."""


def read_patch(
    edit: Edit, update: Update, fields: Fields, old: Mapping[str, Any] | None, known: Set[str]
) -> dict[str, Any]:
    """The fields that an update sets: what each cleared one is, and what each given one becomes.

    `old` is the entity so far. Fields that are not even `known` are patched in its `more`, so that nothing is lost.
    """
    changes: dict[str, Any] = {}
    for name, (cleared, read) in fields.items():
        if name not in update:
            continue
        value = update[name]
        if value is None:
            changes[name] = list(cleared) if type(cleared) is list else cleared
            continue
        try:
            changes[name] = read(value, edit)
        except Unfit:
            edit.diagnose(f"{name} cannot be read; unchanged")
    if "_meta" in update:
        value = update["_meta"]
        if value is None or type(value) is dict:
            changes["_meta"] = merged_meta({} if old is None else old.get("_meta", {}), value)
        else:
            edit.diagnose("_meta is no object; unchanged")
    changes.update(read_further(update, known, old))
    return changes


def read_further(update: Update, known: Set[str], old: Mapping[str, Any] | None) -> dict[str, Any]:
    """`more` after an update: its fields beside the known ones, patched by name as `_meta` is; {} when there are none.

    >>> read_further({"title": "t", "speed": 3}, {"title"}, {"title": "s", "more": {"mood": "fine"}})
    {'more': {'mood': 'fine', 'speed': 3}}
    """
    if update.keys() <= known:
        return {}
    further = {name: value for name, value in update.items() if name not in known}
    return {"more": merged_meta({} if old is None else old.get("more", {}), further)}


def known_fields(fields: Fields, *others: str) -> Set[str]:
    """The names of all fields of an update that mean something here."""
    return {*fields, *others, "_meta", "sessionUpdate"}


def read_text(value: Any, edit: Edit) -> str:
    """A text."""
    if not is_text(value):
        raise Unfit
    return str(value)


def read_capabilities(value: Any, edit: Edit) -> dict[str, Any] | None:
    """Capabilities, or none when they are malformed: never keep a control that was not clearly advertised."""
    if type(value) is dict and (value.get("cancel") is None or type(value["cancel"]) is dict):
        return value
    edit.diagnose("capabilities cannot be read; taken as none")
    return None


def _read_content(value: Any, edit: Edit) -> list[Any]:
    if type(value) is not list:
        raise Unfit
    return fit_list(value, fit_tool_content, edit, "content")


def _read_locations(value: Any, edit: Edit) -> list[Any]:
    if type(value) is not list:
        raise Unfit
    return fit_list(value, fit_location, edit, "locations")


def _read_any(value: Any, edit: Edit) -> Any:
    return value


FIELDS: Fields = {
    "title": (None, read_text),
    "name": (None, read_text),
    "kind": ("other", read_text),
    "status": ("pending", read_text),
    "content": ([], _read_content),
    "locations": ([], _read_locations),
    "rawInput": (None, _read_any),
    "rawOutput": (None, _read_any),
    "capabilities": (None, read_capabilities),
}
_KNOWN = known_fields(FIELDS, "toolCallId")
