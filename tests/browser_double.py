"""Stand-ins for tests: a state that operations change, a clock, and the browser's side of the message contract."""

from __future__ import annotations

import base64
import copy
import heapq
import itertools
import json
from collections.abc import Callable
from typing import Any


def apply(state: dict[str, Any], op: Any, buffers: list[bytes] | None = None) -> None:
    """Apply one operation, in the reducer's form or (with `buffers`) the wire's, to a snapshot in place."""
    name, *rest = op
    if name in ("bytes", "trim"):
        output = state["terminals"][rest[0]]["output"]
        data = base64.b64decode(output["data"])
        if name == "bytes":
            data += buffers[rest[1]] if buffers is not None else rest[1]
        else:
            assert rest[1] <= len(data), "a trim of more than there is"
            data = data[rest[1] :]
            output["cut"] += rest[1]
        output["data"] = base64.b64encode(data).decode()
        return
    *parents, last = rest[0]
    place = state
    for step in parents:
        place = place[step]
    if name == "set":
        place[last] = copy.deepcopy(rest[1])
    elif name == "append":
        place[last].append(copy.deepcopy(rest[1]))
    elif name == "text":
        place[last] += rest[1]
    elif name == "delete":
        del place[last]
    else:
        raise AssertionError(f"no such operation: {name}")


class ToyState:
    """The least that has the reading side of the session's state."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {
            "state": {"busy": False},
            "timeline": [],
            "messages": {},
            "terminals": {},
            "permissions": {},
        }
        self.snapshots = 0

    def snapshot(self, limit: int | None = None) -> dict[str, Any]:
        self.snapshots += 1
        return copy.deepcopy(self.data)

    def get(self, group: str, key: str) -> dict[str, Any] | None:
        entity = copy.deepcopy(self.data[group].get(key))
        if entity is not None and group == "terminals":
            entity["output"]["data"] = base64.b64decode(entity["output"]["data"])
        return entity

    def do(self, *ops: Any) -> list[Any]:
        """Apply operations; returns them, to be pushed."""
        for op in ops:
            apply(self.data, op)
        return list(ops)


class Clock:
    """A loop's clock and timers, moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0
        self._queue: list[Any] = []
        self._order = itertools.count()

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], object]) -> _Timer:
        timer = _Timer(callback)
        heapq.heappush(self._queue, (self.now + delay, next(self._order), timer))
        return timer

    @property
    def timers(self) -> int:
        return sum(not timer.cancelled for _, _, timer in self._queue)

    def advance(self, seconds: float) -> None:
        end = self.now + seconds
        while self._queue and self._queue[0][0] <= end:
            due, _, timer = heapq.heappop(self._queue)
            self.now = max(self.now, due)
            if not timer.cancelled:
                timer.callback()
        self.now = end


class _Timer:
    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Browser:
    """The browser's side: one store for a model, fed with messages, saying hello and acknowledging."""

    def __init__(self, state: dict[str, Any], say: Callable[[dict[str, Any]], None]) -> None:
        """`state` is the trait `state`: a snapshot with its `seq`."""
        self.state = copy.deepcopy(state)
        self.seq: int = self.state.pop("seq", 0)
        self.say = say
        self.held: dict[int, tuple[Any, list[bytes]]] = {}

    def initialize(self) -> None:
        self.say({"type": "hello", "seq": self.seq, "reason": "initialize"})

    def receive(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        content = json.loads(json.dumps(content))  # what is not JSON does not arrive
        getattr(self, "_on_" + content["type"])(content, buffers or [])

    def _on_ops(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        if content["seq"] <= self.seq:
            return
        self.held[content["seq"]] = (content["ops"], buffers)
        self._catch_up()
        if self.held:
            self.say({"type": "hello", "seq": self.seq, "reason": "gap"})

    def _on_snapshot(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        if content["seq"] >= self.seq:
            self.state, self.seq = content["state"], content["seq"]
            self._catch_up()

    def _on_seq(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        if content["seq"] > self.seq:
            self.say({"type": "hello", "seq": self.seq, "reason": "gap"})
        else:
            self.say({"type": "ack", "seq": content["seq"]})

    def _on_result(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        pass

    def _catch_up(self) -> None:
        self.held = {seq: held for seq, held in self.held.items() if seq > self.seq}
        while self.seq + 1 in self.held:
            ops, buffers = self.held.pop(self.seq + 1)
            for op in ops:
                apply(self.state, op, buffers)
            self.seq += 1
        if any(permission["status"] == "pending" for permission in self.state["permissions"].values()):
            self.say({"type": "ack", "seq": self.seq})
