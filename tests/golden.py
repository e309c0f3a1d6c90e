"""Golden files that pytest and vitest both read. `python -m tests.golden` writes them anew."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from acp_widget.session.operations import Operation, to_wire
from acp_widget.session.reducer import reduce
from acp_widget.session.screen import screen_text
from acp_widget.session.state import State

from .conformance import Session, load
from .session_events import events
from .terminal_cases import CASES
from .terminal_streams import random_stream, recordings

FOLDER = Path(__file__).parent / "golden"
VECTORS = (Path(__file__).parent / "vectors", Path(__file__).parent / "vectors_extra")


def terminal_text() -> Iterator[dict[str, Any]]:
    """`{name, chunks: [base64], text}`: what a terminal shows."""
    for name, chunks, text in CASES:
        yield {"name": name, "chunks": [_base64(chunk) for chunk in chunks], "text": text}


def terminal_streams() -> Iterator[dict[str, Any]]:
    """`{name, rows, columns, text}` of a recording, and `bytes` (base64) too of a random stream."""
    for name, rows, columns, data in recordings():
        yield {"name": name, "rows": rows, "columns": columns, "text": screen_text(data, rows, columns)}
    for seed in range(80):
        rows, columns, data = random_stream(seed)
        size = {"rows": rows, "columns": columns}
        yield {"name": f"random {seed}", **size, "bytes": _base64(data), "text": screen_text(data, rows, columns)}


def operations() -> Iterator[dict[str, Any]]:
    """`{name, before, ops, buffers: [base64], after}`: a snapshot, operations in wire form, the snapshot after."""
    for folder in VECTORS:
        for name, case in load(folder):
            # Those of reviews and of v1 are much the same operations again: they would only make the file big.
            if not name.startswith("review_") and case.get("version") != 1:
                yield _vector(name, case)
    for seed in range(8):
        yield _random(f"random events {seed}", seed, State())
    for seed in range(8, 12):
        yield _random(f"random events {seed}, little memory for terminals", seed, State(terminal_cap=48))


def _vector(name: str, case: dict[str, Any]) -> dict[str, Any]:
    ops: list[Operation] = []
    session = Session(on_outcome=lambda outcome: ops.extend(outcome.ops))
    before = session.state.snapshot()
    for step in case["steps"] if "steps" in case else [{"update": update} for update in case["updates"]]:
        session.step(step)
    return _case(name, before, ops, session.state.snapshot())


def _random(name: str, seed: int, state: State) -> dict[str, Any]:
    """Operations on a state that is no longer fresh."""
    sequence = list(events(Random(seed), 200))
    for event in sequence[:60]:
        reduce(state, event)
    before = state.snapshot()
    ops = [operation for event in sequence[60:] for operation in reduce(state, event).ops]
    return _case(name, before, ops, state.snapshot())


def _case(name: str, before: dict[str, Any], ops: list[Operation], after: dict[str, Any]) -> dict[str, Any]:
    wire, buffers = to_wire(ops)
    return {"name": name, "before": before, "ops": wire, "buffers": [_base64(b) for b in buffers], "after": after}


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")


FILES = {"terminal_text.json": terminal_text, "terminal_streams.json": terminal_streams, "operations.json": operations}


def text(items: Iterable[dict[str, Any]]) -> str:
    """The file's text: a JSON list with one item a line, so that a change shows which case changed."""
    return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / name).write_text(text(make()), encoding="utf-8")
        print("wrote", FOLDER / name)


if __name__ == "__main__":
    main()
