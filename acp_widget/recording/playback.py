"""A recording that is played: how far it has come, forwards one record after the other, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..session.reducer import Outcome
from ..session.state import State
from .hearing import Hearing
from .listener import Listener

Json = dict[str, Any]
Step = Sequence[Json]
"""A record that counts, behind those before it that do not."""


class Playback:
    """The state after the first `position` of the steps, whichever way one came there.

    `on_outcome`: called with what each event did to `state`.

    >>> said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
    >>> record = {"dir": "in", "msg": {"method": "session/update", "params": {"update": said}}}
    >>> playback = Playback([[record]])
    >>> playback.hear()
    >>> playback.position, playback.state.keys("messages")
    (1, ['a:local-1'])
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        state: State | None = None,
        on_outcome: Callable[[Outcome], object] | None = None,
    ) -> None:
        self.state = State() if state is None else state
        self.position = 0
        self._steps, self._on_outcome = steps, on_outcome
        self._listen(self.state)

    def _listen(self, state: State) -> None:
        self._hearing = Hearing(Listener(state=state, on_outcome=self._on_outcome))

    @property
    def over(self) -> bool:
        """Whether all was heard, and the end of it."""
        return self.position >= len(self._steps)

    @property
    def ending(self) -> str:
        """How much of a session it was: known at the end."""
        return self._hearing.ending

    @property
    def now(self) -> float | None:
        """What time it is in the recording; None while it has told none."""
        return self._hearing.listener.at

    def hear(self) -> None:
        """The next record; with the last one the end, too."""
        for record in self._steps[self.position]:
            self._hearing.hear(record)
        self.position += 1
        if self.over:
            self._hearing.end()

    def hear_nothing(self) -> None:
        """The end of a recording without a single record."""
        if not self._steps:
            self._hearing.end()

    def anew(self, position: int) -> Iterator[None]:
        """Go to an earlier position: pauses after each record, and changes the state with the last one, at once."""
        other = Playback(self._steps)
        while other.position < position:
            other.hear()
            yield
        self.state.become(other.state)
        self.position, self._hearing = other.position, other._hearing
        self._hearing.listener.go_on(self.state, self._on_outcome)
