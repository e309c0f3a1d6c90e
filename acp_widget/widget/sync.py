"""Operations → numbered, coalesced messages, and the repair of what gets lost on the way.

Everything here runs on the private thread, in callbacks of its loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from .pending import Operation, Pending, fit

INTERVAL = 1 / 30
"""Seconds between two messages, at least."""
BYTES_PER_SECOND = 4_000_000
"""What may go out under load; a bigger message makes the next one wait longer."""
MESSAGE_BYTES = 1_000_000
"""About the biggest message of operations: what a page can take in without a stutter."""
SNAPSHOT_BYTES = 4_000_000
"""The biggest snapshot, in bytes of JSON."""
PENDING_BYTES = 8_000_000
PENDING_OPERATIONS = 20_000
"""More than either does not wait: a snapshot goes out instead."""
TERMINAL_BYTES = 4_194_304
"""More pending bytes of one terminal do not wait: its output as it then is goes out instead."""
REPEAT = 1.0
"""Seconds between two reminders of `seq` while a permission is pending and unacknowledged."""
WORK_SHARE = 4
"""A message that took t seconds to make and send is followed by at least this many times t of pause."""


class StateSource(Protocol):
    """What is needed of the session's state; `session.state` has it."""

    def snapshot(self, limit: int | None = None) -> dict[str, Any]:
        """The whole state as JSON data of at most `limit` bytes."""

    def get(self, group: str, key: str) -> Mapping[str, Any] | None:
        """One entity, frozen; `output.data` of a terminal as bytes."""

    def keys(self, group: str) -> list[str]:
        """The keys of a group."""

    def part(self, name: str) -> Any:
        """One of the parts beside the groups, frozen: `session`, `state`, `usage` …"""

    def status(self) -> str:
        """One word for the whole session."""

    def busy(self) -> bool:
        """True while a turn is under way."""

    def pending_permissions(self) -> list[str]:
        """The keys of the requests that wait for an answer."""


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Do not call."""


class Scheduler(Protocol):
    """The part of an event loop that is used."""

    def time(self) -> float:
        """Seconds on a clock that never goes back."""

    def call_later(self, delay: float, callback: Callable[[], object], /) -> Timer:
        """Call after `delay` seconds."""


Send = Callable[[dict[str, Any], list[bytes]], None]


class Sync:
    """Sends what happens to one model: coalesced, numbered, at a pace that browser and server can follow.

    `push(ops)` takes the operations of the reducer, right after it applied them and in the same callback of the loop:
    messages are made in later callbacks, when state and operations agree. A snapshot swallows what is pending and
    takes the next number, so the snapshot of number n contains exactly the operations of the messages up to n.

    An idle Sync sends nothing and has no timer. `send(content, buffers)` must not raise.
    """

    def __init__(self, source: StateSource, send: Send, *, scheduler: Scheduler) -> None:
        self._source: StateSource | None = source
        self._send = send
        self._scheduler = scheduler
        self._pending = Pending(self._output_of, TERMINAL_BYTES)
        self._snapshot_due = False
        self._not_before = 0.0
        self._tick_timer: Timer | None = None
        self._repeat_timer: Timer | None = None
        self._waiting = False
        self.seq = 0
        """The number of the newest message sent."""
        self.acked = 0
        """The newest number that a browser is known to have."""

    @property
    def closed(self) -> bool:
        """True after `close()`."""
        return self._source is None

    @property
    def idle(self) -> bool:
        """True when nothing is pending and no timer runs."""
        timers = (self._tick_timer, self._repeat_timer)
        return not self._pending and not self._snapshot_due and timers == (None, None)

    def push(self, ops: Iterable[Operation]) -> None:
        """Take operations that were just applied to the state. The first after a quiet time goes out at once."""
        if self.closed:
            return
        for operation in ops:
            if self._snapshot_due:
                break
            self._pending.add(operation)
            if self._pending.size > PENDING_BYTES or len(self._pending) > PENDING_OPERATIONS:
                self._want_snapshot()
        self._schedule()

    def anew(self) -> None:
        """The state is another one, which no operations tell: a snapshot follows."""
        if not self.closed:
            self._want_snapshot()
            self._schedule()

    def hello(self, seq: int) -> None:
        """A browser has the state as of `seq`; when that is not the newest, a snapshot follows."""
        if self.closed:
            return
        # Number 0 is the state at open, before anybody was sure that every operation comes here: send it once more.
        if seq == self.seq > 0 and not self._snapshot_due:
            self._send({"type": "seq", "seq": self.seq}, [])
            return
        self._want_snapshot()
        self._schedule()

    def ack(self, seq: int) -> None:
        """A browser has everything up to `seq`."""
        if self.acked < seq <= self.seq:
            self.acked = seq
            self._watch()

    def set_waiting(self, waiting: bool) -> None:
        """Say whether a permission is pending: then `seq` is repeated until a browser acknowledged it."""
        self._waiting = waiting and not self.closed
        self._watch()

    def flush(self) -> None:
        """Send all that is pending now, whatever the pace."""
        while not self.closed and (self._snapshot_due or self._pending):
            self._send_next()

    def snapshot(self) -> tuple[int, dict[str, Any]]:
        """The number and the state that belong together, for a reader that is not one of the browsers.

        Pending operations are sent first, so that no live view sees a gap.
        """
        self.flush()
        return self.seq, self._read_state()[0]

    def close(self) -> None:
        """End all timers and drop what is pending; later calls do nothing."""
        self._waiting = self._snapshot_due = False
        self._pending.clear()
        for timer in (self._tick_timer, self._repeat_timer):
            if timer is not None:
                timer.cancel()
        self._tick_timer = self._repeat_timer = self._source = None

    # sending

    def _want_snapshot(self) -> None:
        self._pending.clear()
        self._snapshot_due = True

    def _schedule(self) -> None:
        if self._tick_timer is None and (self._snapshot_due or self._pending):
            delay = max(0.0, self._not_before - self._scheduler.time())
            self._tick_timer = self._scheduler.call_later(delay, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        if self.closed:
            return
        begin = self._scheduler.time()
        size = self._send_next()
        now = self._scheduler.time()
        self._not_before = now + max(INTERVAL, size / BYTES_PER_SECOND, WORK_SHARE * (now - begin))
        self._schedule()

    def _send_next(self) -> int:
        """Send one message; returns about how many bytes it is."""
        content: dict[str, Any]
        buffers: list[bytes] = []
        if self._snapshot_due:
            self._snapshot_due = False
            state, size = self._read_state()
            content = {"type": "snapshot", "state": state}
        else:
            ops, buffers, size = self._pending.take(MESSAGE_BYTES)
            if not ops:  # all of it was output of a terminal that is gone
                return 0
            content = {"type": "ops", "ops": ops}
        self.seq += 1
        self._send({**content, "seq": self.seq}, buffers)
        self._watch()
        return size

    def _read_state(self) -> tuple[dict[str, Any], int]:
        if self._source is None:
            return {}, 0
        state, size = fit(self._source.snapshot(limit=SNAPSHOT_BYTES))
        return state, size

    def _output_of(self, key: str) -> Mapping[str, Any] | None:
        terminal = self._source.get("terminals", key) if self._source is not None else None
        return terminal["output"] if terminal is not None else None

    # the reminder

    def _watch(self) -> None:
        """Keep the reminder's timer exactly while it is needed: the lost message may be the last one."""
        needed = self._waiting and self.acked < self.seq
        if needed and self._repeat_timer is None:
            self._repeat_timer = self._scheduler.call_later(REPEAT, self._repeat)
        elif not needed and self._repeat_timer is not None:
            self._repeat_timer.cancel()
            self._repeat_timer = None

    def _repeat(self) -> None:
        self._repeat_timer = None
        if self._waiting and self.acked < self.seq:
            self._send({"type": "seq", "seq": self.seq}, [])
            self._watch()
