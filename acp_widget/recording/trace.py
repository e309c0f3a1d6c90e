"""Recordings of both sides of a connection, one JSON object a line: `{"t", "dir", "msg"}`, or `raw` for no JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .hearing import Hearing
from .listener import Listener

Json = dict[str, Any]


def read(path: str | Path) -> Iterator[Json]:
    """The records of a file, one by one. What is no record becomes one with `problem`: nothing is dropped quietly.

    Raises `OSError` when the file cannot be read.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield {"problem": f"line {number} is no JSON: {error}"}
                continue
            if isinstance(record, dict):
                yield record
            else:
                yield {"problem": f"line {number} is no object"}


def play(records: Iterable[Json]) -> Listener:
    """Hear a whole recording, and what was made of it.

    >>> update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
    >>> said = {"method": "session/update", "params": {"sessionId": "s", "update": update}}
    >>> listener = play([{"t": 0.1, "dir": "in", "msg": said}])
    >>> [message["content"][0]["text"] for message in listener.state.snapshot()["messages"].values()]
    ['Hi']
    """
    hearing = Hearing()
    for record in records:
        hearing.hear(record)
    hearing.end()
    return hearing.listener
