"""What stood there before a replay began to tell: it comes back when the replay fails half-way."""

from __future__ import annotations

import copy
from typing import Any, Final

from . import catalog
from .edit import Edit
from .operations import frozen
from .state import fresh_reports

REPLAYED: Final = ("messages", "toolCalls", "terminals", "plans", "compactions", "unknownUpdates")
"""What a replay tells anew, so that it is dropped before."""
STAYING: Final = ("n:", "p:")
"""Timeline places that a replay does not bring back."""


def keep(edit: Edit) -> None:
    """Remember all that a replay drops or changes."""
    memory = edit.memory
    memory.kept = {
        "groups": {
            group: {key: frozen(each) for key, each in edit.data[group].items()} for group in ("turns", *REPLAYED)
        },
        "timeline": list(edit.data["timeline"]),
        "former": memory.former,
        "latest": memory.latest,
    }


def keep_reports(edit: Edit) -> None:
    """Remember what the session reported of itself, before another one takes its place."""
    edit.memory.kept_reports = {name: copy.copy(edit.data[name]) for name in (*catalog.LISTS, *fresh_reports())}


def put_reports(edit: Edit, reports: dict[str, Any]) -> None:
    """Let this be what the session has reported of itself."""
    for name, value in reports.items():
        if edit.data[name] != value:
            edit.replace((name,), value) if type(value) is dict else edit.set((name,), value)


def forget(edit: Edit) -> None:
    """The replay was told to its end."""
    edit.memory.kept = edit.memory.kept_reports = None


def bring_back(edit: Edit) -> None:
    """The replay failed: what stood there stands there again, and what it told is gone."""
    memory, kept, reports = edit.memory, edit.memory.kept, edit.memory.kept_reports
    forget(edit)
    put_reports(edit, reports or {})
    if kept is None:
        return
    for group, entities in kept["groups"].items():
        if edit.data[group]:
            edit.set((group,), {})
        for key, entity in entities.items():
            edit.put(group, key, entity)
    # Questions and notices came all the same; those that had a place within their calls have it again.
    placed, asked = kept["timeline"], edit.data["permissions"]
    new = [key for key in edit.data["timeline"] if key not in placed and key.startswith(STAYING)]
    calls = edit.data["toolCalls"]
    new = [key for key in new if key not in asked or f"t:{asked[key]['toolCallId']}" not in calls]
    edit.set(("timeline",), [*placed, *new])
    memory.unplaced = {call: keys for call, keys in memory.unplaced.items() if f"t:{call}" not in calls}
    memory.former, memory.latest = kept["former"], kept["latest"]
    memory.told, memory.before, memory.local = {}, {}, None
    memory.replay_turn = None
