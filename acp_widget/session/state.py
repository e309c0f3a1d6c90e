"""The state of a session: its shape, fresh and as a snapshot. Only `reducer.py` changes it.

The shape is described in `docs/internals.md`. Reading is safe from any thread and gives frozen plain data: copies that
no later event changes, made anew only for entities that were touched since the last reading. Do not change them.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from typing import Any, Final

from . import operations
from .memory import Memory
from .places import Place, Places
from .snapshots import limited, with_base64
from .words import TURN_OVER

GROUPS: Final = (
    "messages",
    "toolCalls",
    "terminals",
    "permissions",
    "plans",
    "notices",
    "compactions",
    "unknownUpdates",
    "turns",
)
"""The parts of the state that hold entities under keys of our own."""

TERMINAL_CAP: Final = 4 * 1024 * 1024
"""Bytes that are kept of one terminal's output; the front is dropped and counted in `output.cut`."""


def fresh_activity() -> dict[str, Any]:
    """The foreground activity of a session that has reported none."""
    return {"state": "idle", "busy": False, "stopReason": None, "background": None, "error": None, "usage": None}


def fresh_reports() -> dict[str, Any]:
    """What the agent has told of a session beside what it did: nothing."""
    return {
        "sessionInfo": {"title": None, "updatedAt": None, "_meta": {}},
        "usage": {"used": None, "size": None, "cost": None},
    }


def fresh() -> dict[str, Any]:
    """The state before anything happened.

    >>> fresh()["session"]["connection"]
    'new'
    """
    return {
        "version": 1,
        "session": {
            "sessionId": None,
            "label": None,
            "agent": None,
            "command": None,
            "note": None,
            "cwd": None,
            "temporary": False,
            "protocolVersion": None,
            "connection": "new",
            "error": None,
            "cancelling": False,
            "promptCapabilities": {},
            "policy": None,
            "rules": [],
            "authMethods": [],
            "login": None,
            "mcpServers": [],
            "additionalDirectories": [],
            "at": {"start": None, "ready": None, "end": None},
        },
        "state": fresh_activity(),
        "commands": [],
        "configOptions": [],
        **fresh_reports(),
        "diagnostics": [],
        "player": None,
        "timeline": [],
        **{group: {} for group in GROUPS},
    }


class State:
    """One session as the reducer keeps it. `terminal_cap`: bytes kept of each terminal, 4 MiB unless told.

    >>> State().status()
    'new'
    """

    def __init__(self, *, label: str | None = None, terminal_cap: int = TERMINAL_CAP) -> None:
        self.lock = threading.RLock()
        self.data = fresh()
        self.data["session"]["label"] = label
        """The builder's data: for the reducer, under the lock. Everybody else reads by the methods."""
        self.memory = Memory()
        """What the reducer knows beside the data: for the reducer, under the lock."""
        self.terminal_cap = terminal_cap
        self.places = Places()
        """Of entities that somebody holds on to."""
        self._frozen: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
        self._stale: dict[str, dict[str, None]] = {group: {} for group in GROUPS}
        self._turn_numbers = itertools.count(1)

    # --- reading, from any thread ------------------------------------------------------------------------------------

    def snapshot(self, limit: int | None = None) -> dict[str, Any]:
        """The whole state as JSON data, terminal bytes as base64; with `limit`, at most about that many bytes of JSON.

        What is cut is marked: terminals lose their front (`output.cut` grows), long strings end in
        `… [cut: N characters]`, and the top level has a `cutNote`. Items are never removed.
        """
        with self.lock:
            parts = {}
            for name, part in self.data.items():
                if name in self._frozen:
                    self._freeze(name)
                    parts[name] = dict(self._frozen[name])
                else:
                    parts[name] = operations.frozen(part)
        whole = with_base64(parts)
        return whole if limit is None else limited(whole, limit)

    def get(self, group: str, key: str) -> Mapping[str, Any] | None:
        """One entity, or None. A terminal's `output.data` is `bytes` here."""
        with self.lock:
            if self._stale[group]:
                self._freeze(group)
            return self._frozen[group].get(key)

    def keys(self, group: str, turn: str | None = None) -> list[str]:
        """The keys of a group, or of what is one turn's in it, in order of first sight."""
        with self.lock:
            if turn is None:
                return list(self.data[group])
            return [key for key, entity in self.data[group].items() if entity["turn"] == turn]

    def place(self, group: str, key: str) -> Place:
        """Where the entity with this key stands, now and after a restarted agent used its id again."""
        return self.places.at(group, key)

    def part(self, name: str) -> Any:
        """One of the parts beside the groups: `session`, `state`, `usage`, `timeline` …

        >>> State().part("usage")["used"] is None
        True
        """
        with self.lock:
            return operations.frozen(self.data[name])

    def status(self) -> str:
        """One word for the whole: `new starting login idle running waiting stopping closed failed`."""
        with self.lock:
            connection: str = self.data["session"]["connection"]
            if connection in ("closed", "failed", "starting", "login"):
                return connection
            if self.busy() and self.data["session"]["cancelling"]:
                return "stopping"
            if self.memory.pending or (self.busy() and self.data["state"]["state"] == "requires_action"):
                return "waiting"
            return "running" if self.busy() else "new" if connection == "new" else "idle"

    def busy(self) -> bool:
        """True while a turn is under way or the agent reports anything but `idle`; False without an agent."""
        with self.lock:
            gone = self.data["session"]["connection"] in ("closed", "failed")
            return not gone and (self.memory.active is not None or self.data["state"]["busy"])

    def pending_permissions(self) -> list[str]:
        """Keys of the permission requests that wait for an answer, oldest first."""
        with self.lock:
            return list(self.memory.pending.values())

    def kinds_before(self, key: str) -> list[str]:
        """The kinds that a tool call had before its present one, in the session that is under way."""
        with self.lock:
            return sorted(self.memory.kinds.get(key, ()))

    def active_turn(self) -> str | None:
        """The key of the turn that was sent and is not over, or None."""
        return self.memory.active

    def calls_under_way(self) -> list[Mapping[str, Any]]:
        """The tool calls of the turn that was sent and is not over, oldest first."""
        with self.lock:
            keys = self.keys("toolCalls", self.memory.active) if self.memory.active is not None else []
            return [call for call in (self.get("toolCalls", key) for key in keys) if call is not None]

    def queued_turns(self) -> list[str]:
        """Keys of the turns whose prompt was not sent yet, in order."""
        with self.lock:
            return [key for key, turn in self.data["turns"].items() if turn["status"] == "queued"]

    def turns_over(self) -> list[str]:
        """Keys of the turns that are done, failed or were never sent, in order."""
        with self.lock:
            return [key for key, turn in self.data["turns"].items() if turn["status"] in TURN_OVER]

    def left_behind(self, group: str, key: str) -> bool:
        """True for an entity of an agent that has ended, whether another one was started since or not."""
        with self.lock:
            gone = self.data["session"]["connection"] in ("closed", "failed")
            return gone or key in self.memory.former.get(group, ())

    def next_turn(self) -> str:
        """A new key for a turn; every call gives another one.

        >>> state = State()
        >>> state.next_turn(), state.next_turn()
        ('r:1', 'r:2')
        """
        return f"r:{next(self._turn_numbers)}"

    def become(self, other: State) -> None:
        """Be what the other one is, but for the player; the other one must not be used any more.

        For a replay that goes back. What somebody holds of entities goes along, also where a restart renamed them.
        """
        with self.lock:
            other.data["player"] = self.data["player"]
            self.data, self.memory, self._turn_numbers = other.data, other.memory, other._turn_numbers
            self.places.become(other.places)
            for group in GROUPS:
                self.touch(group)

    # --- for the reducer, under the lock -----------------------------------------------------------------------------

    def touch(self, group: str, key: str | None = None) -> None:
        """The entity changed, or all of the group: its frozen copy is out of date."""
        if key is None:
            self._frozen[group] = {}
            self._stale[group] = dict.fromkeys(self.data[group])
        else:
            self._stale[group][key] = None

    def forget(self, group: str, key: str) -> None:
        """The entity is gone."""
        self._frozen[group].pop(key, None)
        self._stale[group].pop(key, None)

    def _freeze(self, group: str) -> None:
        stale, entities, copies = self._stale[group], self.data[group], self._frozen[group]
        for key in stale:
            copies[key] = operations.frozen(entities[key])
        stale.clear()
