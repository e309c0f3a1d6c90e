"""The reducer behind a connection's dialect, without a connection: for recordings and test vectors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ..protocol.v1 import V1
from ..protocol.v2 import V2
from ..session.reducer import Outcome, reduce
from ..session.state import State
from ..session.values import plain

Json = dict[str, Any]


class Listener:
    """One session that is told what happened; keeps what would have been sent, and what was wrong.

    `state`: a fresh one unless told. `on_outcome`: called with what each event did to it.

    >>> listener = Listener()
    >>> listener.tell({"type": "update", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "1"}})
    >>> list(listener.state.snapshot()["toolCalls"])
    ['t:1']
    """

    def __init__(
        self,
        version: int = 2,
        *,
        state: State | None = None,
        on_outcome: Callable[[Outcome], object] | None = None,
    ) -> None:
        self.state = State() if state is None else state
        self._on_outcome = on_outcome
        self.sent: list[Json] = []
        self.diagnostics: list[Json] = []
        self.unread: list[Json] = []
        """Messages of the agent, verbatim, that are not in the state, or not in whole."""
        self.dropped: list[Json] = []
        """What stood in the state before a session was loaded in its place, in the neutral shape."""
        self.at: float | None = None
        """Seconds; None counts the events instead."""
        self._count = 0
        self._numbers = itertools.count(1)
        self.speak(version)

    def speak(self, version: int) -> None:
        """A new connection whose messages have the shapes of this version."""
        self.dialect: V1 | V2 = V1(self._numbers) if version == 1 else V2()

    def go_on(self, state: State, on_outcome: Callable[[Outcome], object] | None) -> None:
        """Tell another state from now on, that is the same."""
        self.state, self._on_outcome = state, on_outcome

    def tell(self, event: Json) -> None:
        """One event, with the shapes of the connection's version."""
        self._apply(self.dialect.events(event))

    def _apply(self, events: Iterable[Json]) -> None:
        for event in events:
            outcome = self._reduce(event)
            for answer in outcome.answers:
                told = {"result": answer.result} if answer.error is None else {"error": answer.error}
                self.sent.append(plain({"id": answer.request_id, **told}))
                self._apply(self.dialect.answered(answer.request_id))

    def _reduce(self, event: Json) -> Outcome:
        self._count += 1
        outcome = reduce(self.state, {"at": float(self._count) if self.at is None else self.at, **event})
        if self._on_outcome is not None:
            self._on_outcome(outcome)
        for name, path, *values in outcome.ops:
            if path[0] == "diagnostics" and name == "append":
                self.diagnostics += values
            elif path[0] == "diagnostics" and name == "set":  # the count of one that was raised again
                self.diagnostics.append(self.diagnostics[-1] if self.diagnostics else values[0])
        return outcome

    def permission(self, request_id: Any) -> str | None:
        """The key of the newest request with this id, a pending one first."""
        asked = self.state.snapshot()["permissions"]
        same = [key for key, entity in asked.items() if _same(entity["requestId"], request_id)]
        pending = [key for key in same if asked[key]["status"] == "pending"]
        return next(reversed(pending or same), None)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
