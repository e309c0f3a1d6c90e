"""An agent that says what stands in the corpus: `python agent.py`. A prompt is `mixed 0`, with a shift, or `crowd`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.hostile.corpus import Json, Mixed, crowd, opening, payloads, turn


def write(line: str) -> None:
    sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def say(records: Iterable[Json], ids: dict[int, Any]) -> None:
    """The agent's side of the records, its answers under the ids of the requests that came."""
    for record in records:
        if "raw" in record:
            write(" ".join(record["raw"].splitlines()))
        elif record.get("dir") == "in":
            message = record["msg"]
            answer = {} if "method" in message else {"id": ids.get(message["id"], message["id"])}
            write(json.dumps({"jsonrpc": "2.0", **message, **answer}))


def wanted(text: str) -> Iterable[Json]:
    word, _, number = text.partition(" ")
    return crowd(payloads(), 10) if word == "crowd" else turn(Mixed(int(number)), 10)


def main() -> None:
    starting = list(opening(Mixed(0)))
    for line in sys.stdin:
        message = json.loads(line)
        method, identity = message.get("method"), message.get("id")
        if method == "initialize":
            say((each for each in starting if each.get("msg", {}).get("id") == 1), {1: identity})
        elif method == "session/new":
            say((each for each in starting if each.get("msg", {}).get("id") == 2), {2: identity})
        elif method == "session/prompt":
            say(wanted(message["params"]["prompt"][0]["text"]), {10: identity})
        elif method is not None and identity is not None:
            write(json.dumps({"jsonrpc": "2.0", "id": identity, "result": {}}))


if __name__ == "__main__":
    main()
