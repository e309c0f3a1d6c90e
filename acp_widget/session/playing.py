"""The player of a replay, as it is shown. Live sessions have none."""

from __future__ import annotations

from typing import Any

from .edit import Edit


def fresh_player() -> dict[str, Any]:
    """A player that stands at the beginning of nothing."""
    return {
        "name": "",
        "position": 0,
        "count": 0,
        "limit": 0,
        "playing": False,
        "speed": 1.0,
        "at": 0.0,
        "length": 0.0,
        "clock": None,
        "beats": [],
        "marks": [],
        "note": None,
        "ask": None,
        "choices": [],
        "end": None,
        "problem": None,
    }


def player(edit: Edit, event: dict[str, Any]) -> None:
    """What of it has changed; the first such event makes it."""
    told = {name: event[name] for name in fresh_player() if name in event}
    if edit.data["player"] is None:
        edit.set(("player",), {**fresh_player(), **told})
    else:
        edit.patch(("player",), told)
