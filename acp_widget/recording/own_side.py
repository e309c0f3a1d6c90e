"""What a cassette tells of our side beside the messages: events, and what they say about the messages."""

from __future__ import annotations

from typing import Any, Final

from ..protocol.refusals import AUTH_REQUIRED
from ..session.state import State
from . import shapes

Json = dict[str, Any]

EVENTS: Final = frozenset(
    {
        *("promptQueued", "promptDropped", "starting", "launching", "respond", "dismiss", "ended", "policy", "rules"),
        *("permissionTold", "callWithdrawn", "diagnostic", "update"),
    }
)
"""What may be told; anything else is no part of a session."""


class OwnSide:
    """Of one recording. A plain trace has no header and no events: then all is told by the messages."""

    def __init__(self) -> None:
        self.header: Json | None = None
        self.began_at = 0.0
        """What its times count from, in seconds since the epoch."""
        self.started = False
        """`starting` was told by an event."""
        self.ended = False
        """The end of the connection was told: what still comes on it is said to nobody."""
        self.held: set[str | None] = set()
        """Turns whose prompts the agent refused until a login: they are sent again."""
        self._turns: dict[str, str] = {}  # keys of turns in events that another turn has already

    def begin(self, header: Json) -> None:
        """The first line was heard."""
        self.header, self.began_at = header, shapes.began(header)

    def connect(self) -> None:
        """What comes now is a new connection's."""
        self.started = self.ended = False

    def event(self, event: Any, state: State) -> Json | None:
        """The event that is to be told; None for what is none of them."""
        word = event.get("type") if isinstance(event, dict) else None
        if not isinstance(word, str) or word not in EVENTS:
            return None
        told = {name: value for name, value in event.items() if name != "at"}
        turn = told.get("turn")
        if word == "promptQueued" and isinstance(turn, str) and state.get("turns", turn) is not None:
            # Work that no prompt began has taken the key before the prompt was heard of.
            self._turns[turn] = _new_turn(state)
        if isinstance(turn, str) and turn in self._turns:
            told["turn"] = self._turns[turn]
        self.started = word == "starting" or (self.started and word != "ended")
        self.ended = word == "ended" or self.ended
        return told

    def wants_login(self, error: Any, state: State) -> bool:
        """Whether the agent refused something until a login, and told how: in a session that is no failure."""
        told = isinstance(error, dict) and error.get("code") == AUTH_REQUIRED
        return self.header is not None and told and bool(state.part("session")["authMethods"])

    def turn_of(self, prompt: Any, state: State) -> str:
        """The turn that was queued with a prompt, else a new one. What was sent may differ from what was queued."""
        queued = state.queued_turns()
        same = [key for key in queued if (state.get("turns", key) or {}).get("prompt") == prompt]
        return next(iter(same or queued), None) or _new_turn(state)


def _new_turn(state: State) -> str:
    """A key for a turn; events may have brought some that the state did not give."""
    key = state.next_turn()
    while state.get("turns", key) is not None:
        key = state.next_turn()
    return key
