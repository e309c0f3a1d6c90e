"""Agents of a few lines for tests: real processes, whatever odd things they do."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

_PRELUDE = """
import json, os, sys, threading, time

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else None

def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
    sys.stdout.flush()

def answer(request, result):
    send({"id": request["id"], "result": result})

def update(variant, /, **fields):
    send({"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": variant, **fields}}})

def running():
    update("state_update", state="running")

def idle(stop_reason="end_turn", **fields):
    update("state_update", state="idle", **({"stopReason": stop_reason} if stop_reason else {}), **fields)

def say(text, message_id="m"):
    update("agent_message_chunk", messageId=message_id, content={"type": "text", "text": text})

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]

def ask(number, title="Go on?", **fields):
    params = {"sessionId": "s", "title": title, "options": OPTIONS, **fields}
    send({"id": number, "method": "session/request_permission", "params": params})

def initialize():
    answer(read(), {"protocolVersion": 2, "info": {"name": "scripted", "version": "1"},
                    "capabilities": {"session": {}}})

def start():
    initialize()
    answer(read(), {"sessionId": "s"})

def until(method):
    while (message := read()) is not None:
        if message.get("method") == method:
            return message
        if "id" in message and "method" in message:
            answer(message, {})
    sys.exit(0)

def prompt():
    message = until("session/prompt")
    answer(message, {})
    return message["params"]["prompt"][0]["text"]

def answered(*numbers):
    'Reads until these requests have their answers; returns them by id.'
    found = {}
    while set(numbers) - set(found) and (message := read()) is not None:
        if "method" not in message:
            found[message["id"]] = message
        elif "id" in message:
            answer(message, {})
    return found

def serve():
    until("nothing that is ever sent")

def mute():
    'Reads to the end and answers nothing.'
    while read() is not None:
        pass
    sys.exit(0)

def live_on():
    'Does not even see that its input ends.'
    while True:
        time.sleep(60)
"""


def scripted(folder: Path, body: str) -> list[str]:
    """The command of an agent that runs `body` after the functions above."""
    file = folder / "scripted_agent.py"
    file.write_text(_PRELUDE + textwrap.dedent(body), encoding="utf-8")
    return [sys.executable, "-S", "-E", str(file)]


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Return as soon as the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
