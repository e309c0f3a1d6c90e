"""What the reducer must remember between events beside the state that is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

RequestKey = tuple[str, Any]
"""A JSON-RPC id with the name of its type, because 5 and "5" are two ids."""


@dataclass(slots=True)
class Memory:
    """One a session; changed by the reducer only."""

    active: str | None = None
    """The turn that was sent and is not over."""
    began: bool = False
    """Since it was sent, the agent reported that it works, or echoed the prompt."""
    answered: bool = False
    """The result of its prompt request came."""
    ambient: str | None = None
    """The turn that what comes while the session is idle belongs to; None when a new one must be made for it."""
    latest: str | None = None
    """The turn that was begun last."""

    pending: dict[RequestKey, str] = field(default_factory=dict)
    """Permission requests that wait for an answer: id → key."""
    unplaced: dict[str, list[str]] = field(default_factory=dict)
    """Permissions in the timeline that name a tool call nobody has seen yet: tool call id → keys."""
    numbers: dict[str, int] = field(default_factory=dict)
    """The last number given, for each letter of our own keys."""

    local: tuple[str, str] | None = None
    """Role and key of the message that chunks without an id go to."""
    thought: str | None = None
    """The thought that is being streamed."""

    work: set[str] = field(default_factory=set)
    """Tool calls touched by the current work, which a stop marks as cancelled."""
    aside: set[str] = field(default_factory=set)
    """Tool calls first seen while idle: they never become part of the work, whatever comes to them later."""
    background: set[str] = field(default_factory=set)
    """Tool calls of the last list of background work: a report without a list does not say that they ended."""
    kinds: dict[str, set[str]] = field(default_factory=dict)
    """Kinds that a tool call had before its present one: rules go by the strictest."""
    idle_reported: bool = False
    """The agent has said `idle` in this session."""

    reported: set[str] = field(default_factory=set)
    """`commands`, `configOptions`: lists that an update brought, so that a late response does not overwrite them."""
    config_updates: int = 0
    """How often the agent reported its config options by itself."""
    config_sent: dict[str, int] = field(default_factory=dict)
    """That number when an option was set last, by configId: tells what is newer than the answer."""
    replay_due: bool = False
    """A replay was asked for, and nothing of it came yet: what it will tell anew is still there."""
    replay_of_other: bool = False
    """It is of another session than the one so far, whose ids mean nothing in it."""
    taking: str | None = None
    """`same` or `other`: a session was asked for that the agent keeps, and nothing of it came yet."""
    kept: dict[str, Any] | None = None
    """What a replay dropped, until it is over: it comes back when that fails."""
    kept_reports: dict[str, Any] | None = None
    """What the session reported of itself, until another one has taken its place."""
    replaying: bool = False
    replay_turn: str | None = None
    """The turn of the user message that was replayed last."""
    told: dict[str, str] = field(default_factory=dict)
    """User messages that a replay may bring again: key → the turn it has already."""
    before: dict[str, None] = field(default_factory=dict)
    """Turns that were over before the replay and that it has not told of yet, in order."""
    former: dict[str, dict[str, None]] = field(default_factory=dict)
    """Entities of an earlier session, whose ids the new one may use again: group → keys, in order."""

    def number(self, letter: str) -> int:
        """The next number for keys with this letter."""
        self.numbers[letter] = self.numbers.get(letter, 0) + 1
        return self.numbers[letter]
