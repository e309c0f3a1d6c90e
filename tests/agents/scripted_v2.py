"""Agents that misbehave on purpose, over real pipes: `python scripted_v2.py BEHAVIOUR`. Standard library only."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

INITIALIZED = {"protocolVersion": 2, "info": {"name": "scripted", "version": "1"}, "capabilities": {"session": {}}}


def read() -> Any:
    """The next message; ends when there is none."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def start_up() -> None:
    for result in (INITIALIZED, {"sessionId": "s1"}):
        say({"id": read()["id"], "result": result})


def serve() -> None:
    """Answers every request with {}."""
    while message := read():
        if "id" in message and "method" in message:
            say({"id": message["id"], "result": {}})


def live_on() -> None:
    while True:
        time.sleep(60)


def never_answers() -> None:
    """Reads, complains on stderr, and answers nothing."""
    log("Waiting for you to log in …")
    live_on()


def no_session() -> None:
    """Answers `initialize` only."""
    say({"id": read()["id"], "result": INITIALIZED})
    live_on()


def garbage() -> None:
    """A sentence on stdout instead of a protocol, then the end."""
    read()
    print("kimi-cli is no longer maintained. Please use the new one.", flush=True)


def crashes_at_start() -> None:
    read()
    log("ModuleNotFoundError: No module named 'model'")
    sys.exit(1)


def dies_in_the_turn() -> None:
    start_up()
    prompt = read()
    say({"id": prompt["id"], "result": {}})
    update = {"sessionUpdate": "state_update", "state": "running"}
    say({"method": "session/update", "params": {"sessionId": "s1", "update": update}})
    log("Segmentation fault in the model")
    sys.exit(139)


def dies_before_accepting() -> None:
    start_up()
    read()
    sys.exit(9)


def behaves() -> None:
    start_up()
    serve()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
