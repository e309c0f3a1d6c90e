"""The command line: `python -m acp_widget agents`, `inspect TRACE.jsonl` and `export FILE`."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from . import commands_export, registry
from .recording import trace
from .recording.listener import Listener
from .recording.neutral import neutral


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m acp_widget", description="Coding agents: which there are, and what a recording of one holds."
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="verb")
    agents = verbs.add_parser("agents", help="which agents a name starts here, and how to get the others")
    agents.add_argument("--json", action="store_true", help="the same and more as JSON")
    agents.set_defaults(run=_agents)
    inspect = verbs.add_parser("inspect", help="what became of a recorded connection")
    inspect.add_argument("trace", help="a file with one message a line")
    inspect.add_argument("--json", action="store_true", help="the whole final state as JSON")
    inspect.set_defaults(run=_inspect)
    commands_export.add_to(verbs)
    chosen = parser.parse_args(arguments)
    return int(chosen.run(chosen))


def _agents(chosen: argparse.Namespace) -> int:
    found = registry.listed()
    _print(_as_json(found) if chosen.json else registry.table(found))
    return 1 if found["file"]["error"] else 0


def _inspect(chosen: argparse.Namespace) -> int:
    try:
        listener = trace.play(trace.read(chosen.trace))
    except OSError as error:
        print(f"{chosen.trace} cannot be read: {error.strerror or error}", file=sys.stderr)
        return 2
    found = state_of(listener)
    _print(_as_json(found) if chosen.json else _summary(found))
    return 0


def _as_json(found: dict[str, Any]) -> str:
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    return json.dumps(found, indent=2, ensure_ascii=not is_unicode)


def _print(text: str) -> None:
    """What an agent said, on any terminal and into any pipe."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def state_of(listener: Listener) -> dict[str, Any]:
    """The neutral state, what would have been sent, what was wrong, and what is not in the state (any more)."""
    apart = {"unread": listener.unread, "dropped": listener.dropped}
    return {**neutral(listener.state), "sent": listener.sent, "diagnostics": listener.diagnostics, **apart}


def _summary(found: dict[str, Any]) -> str:
    state = found["state"]
    lines = [f"state: {state['state']}" + (f", {state['stopReason']}" if state["stopReason"] else "")]
    lines += [f"{message['role']}: {_line(message['content'])}" for message in found["messages"]]
    lines += [
        f"call: {call['title'] or key} ({call['kind']}, {call['status']})" for key, call in found["toolCalls"].items()
    ]
    lines += [
        f"asked: {asked['title']} → {asked['optionId'] or asked['status']}" for asked in found["permissions"].values()
    ]
    lines += [f"wrong: {each['message']}" for each in found["diagnostics"]]
    return "\n".join(lines)


def _line(blocks: list[Any]) -> str:
    words = " ".join(str(block.get("text", f"[{block.get('type')}]")) for block in blocks if isinstance(block, dict))
    short = " ".join(words.split())
    return short if len(short) <= 100 else f"{short[:99]}…"
