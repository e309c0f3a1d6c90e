"""What the tests of replays share: recordings, a clock that stands still, and the state that is meant."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from acp_widget import Agent, runtime
from acp_widget.recording import script as scripts
from acp_widget.recording import trace
from acp_widget.recording.hearing import Hearing

Json = dict[str, Any]
INF = float("inf")
FIX = "The test for mean() fails on an empty list. Fix it."
TRACES = sorted((Path(__file__).parent / "traces").glob("*.jsonl"))
ASKED = next(path for path in TRACES if path.name == "sdk-v2-agent-main.jsonl")
"""A trace with two permission requests: at 24 and at 37 of 51."""


def state_of(agent: Agent) -> Json:
    """The whole state, but for the player."""
    return without_player(agent._driver.state.snapshot())


def without_player(snapshot: Json) -> Json:
    return {name: part for name, part in snapshot.items() if name != "player"}


def player_of(agent: Agent) -> Json:
    """The player's part of the state."""
    part: Json = agent._driver.state.part("player")
    return part


def hash_of(state: Any) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def untimed(value: Any) -> Any:
    """Without the times: who hears of an event stamps it."""
    if isinstance(value, dict):
        return {name: untimed(part) for name, part in value.items() if name != "at"}
    return [untimed(part) for part in value] if isinstance(value, list) else value


def records_of(path: Path) -> list[Json]:
    """The records that count."""
    return [step[-1] for step in scripts.read(path, max_pause=3).steps]


def played(path: Path) -> Json:
    """What `trace.play` makes of a whole recording."""
    return without_player(trace.play(trace.read(path)).state.snapshot())


def reduced(path: Path) -> list[Json]:
    """The state after each number of records, by nothing but hearing them one after the other."""
    hearing = Hearing()
    states = [without_player(hearing.listener.state.snapshot())]
    steps = scripts.read(path, max_pause=3).steps
    for number, step in enumerate(steps, 1):
        for record in step:
            hearing.hear(record)
        if number == len(steps):
            hearing.end()
        states.append(without_player(hearing.listener.state.snapshot()))
    return states


def write(path: Path, records: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


class Clock:
    """Stands still until it is moved on; calls what is due then, in order."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._count = 0

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, function: Callable[[], object], /) -> _Timer:
        self._count += 1
        entry = (self.now + delay, self._count, function)
        self._due.append(entry)
        return _Timer(lambda: self._due.remove(entry) if entry in self._due else None)

    def advance(self, seconds: float) -> None:
        """From any thread."""
        runtime.run(self._advance, seconds)

    def _advance(self, seconds: float) -> None:
        until = self.now + seconds
        while self._due and min(self._due)[0] <= until:
            first = min(self._due)
            self._due.remove(first)
            self.now = max(self.now, first[0])
            first[2]()
        self.now = until

    @property
    def waiting(self) -> int:
        """How many calls are due some time."""
        return len(self._due)


class _Timer:
    def __init__(self, cancel: Callable[[], object]) -> None:
        self.cancel = cancel


def clocked(path: Path, **options: Any) -> tuple[Agent, Clock]:
    """A replay that begins when it is told to, with a clock of the test's."""
    agent = Agent.replay(path, paused=True, **options)
    clock = Clock()
    agent._driver.playing._clock = clock  # type: ignore[attr-defined]
    return agent, clock


def positions(marks: Sequence[Json], kind: str) -> list[int]:
    return [mark["position"] for mark in marks if mark["kind"] == kind]
