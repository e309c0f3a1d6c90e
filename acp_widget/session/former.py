"""What an earlier session of the same panel left behind.

After a restart the transcript stays, and the new session may use the old ids again (`call_1`). The old entity then
gets an id of our own (`call_1@1`), wherever it is named, so that both are shown and neither changes the other.
"""

from __future__ import annotations

from typing import Any, Final

from .edit import Edit
from .operations import frozen

_ID_FIELDS: Final = {
    "messages": "messageId",
    "toolCalls": "toolCallId",
    "terminals": "terminalId",
    "plans": "planId",
    "compactions": "compactionId",
}


def find(edit: Edit, group: str, key: str) -> dict[str, Any] | None:
    """The entity of the present session, or None; one of an earlier session is put away first."""
    if edit.memory.former and key in edit.memory.former.get(group, ()):
        _put_away(edit, group, key)
    found: dict[str, Any] | None = edit.data[group].get(key)
    return found


def begin_session(edit: Edit) -> None:
    """Remember what is there now as that of an earlier session."""
    groups = {group: dict.fromkeys(edit.data[group]) for group in (*_ID_FIELDS, "permissions")}
    edit.memory.former = {group: keys for group, keys in groups.items() if keys}


def same_session(edit: Edit) -> None:
    """The earlier session goes on: its ids are still good."""
    edit.memory.former = {}


def _put_away(edit: Edit, group: str, key: str) -> None:
    old_id = key[2:]
    number = 1
    while f"{key}@{number}" in edit.data[group]:
        number += 1
    new_id, new_key = f"{old_id}@{number}", f"{key}@{number}"
    entity = _renamed(group, frozen(edit.data[group][key]), new_id)
    edit.put(group, new_key, entity)
    timeline = edit.data["timeline"]
    if key in timeline:
        edit.set(("timeline", timeline.index(key)), new_key)
    edit.delete((group, key))
    edit.state.places.move(group, key, new_key)
    keys = edit.memory.former[group]
    del keys[key]
    keys[new_key] = None
    _rename_references(edit, group, key, new_key)


def _renamed(group: str, entity: dict[str, Any], new_id: str) -> dict[str, Any]:
    field = _ID_FIELDS[group]
    if group == "plans":
        return {**entity, "plan": {**entity["plan"], field: new_id}}
    return {**entity, field: new_id}


def _rename_references(edit: Edit, group: str, key: str, new_key: str) -> None:
    old_id, new_id = key[2:], new_key[2:]
    memory = edit.memory
    if group == "messages":
        for turn, entity in edit.data["turns"].items():
            if entity["echo"] == key:
                edit.patch(("turns", turn), {"echo": new_key, "messageId": new_id})
    elif group == "toolCalls":
        for permission in memory.former.get("permissions", ()):
            if edit.data["permissions"][permission]["toolCallId"] == old_id:
                edit.set(("permissions", permission, "toolCallId"), new_id)
    elif group == "terminals":
        for call in memory.former.get("toolCalls", ()):
            for place, item in enumerate(edit.data["toolCalls"][call]["content"]):
                if item["type"] == "terminal" and item["terminalId"] == old_id:
                    edit.set(("toolCalls", call, "content", place), {**item, "terminalId": new_id})
