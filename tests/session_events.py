"""Random but plausible events of a session, for property tests and golden files."""

from __future__ import annotations

import copy
from base64 import b64encode
from collections.abc import Iterator
from random import Random
from typing import Any

IDS = ["1", "2", "", "__proto__", "constructor", "é"]
WORDS = ["a", " and ", "\n", "日本", "😀", "", "<b>", "```py\n"]
BLOCKS: list[Any] = [
    {"type": "text", "text": "plain"},
    {"type": "text", "text": "noted", "annotations": {"priority": 1}},
    {"type": "image", "data": "iVBORw0=", "mimeType": "image/png"},
    {"type": "_acme_latex", "source": "x^2"},
]
ITEMS: list[Any] = [
    {"type": "content", "content": {"type": "text", "text": "result"}},
    {"type": "diff", "changes": [{"operation": "add", "path": "/n"}], "patch": {"format": "git_patch", "text": "@@"}},
    {"type": "terminal", "terminalId": "1"},
    {"type": "hologram", "z": [1, {"deep": None}]},
]
BAD: list[Any] = [None, 5, "x", [], {}, True, {"type": 3}, [{"type": "text"}], -0.5]
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
STATES = ["running", "idle", "requires_action", "_acme_dreaming"]
STATUSES = ["pending", "in_progress", "completed", "failed", "cancelled", "verifying", None]
ROLES = ["user_message", "agent_message", "agent_thought"]


def events(random: Random, count: int) -> Iterator[dict[str, Any]]:
    """So many events, one after the other; about one in eight updates is malformed somewhere."""
    turns = 0
    for number in range(count):
        event = random.choice(_EVENTS)(random)
        if event["type"] == "promptSent":
            turns += 1
            event["turn"] = f"r:{1000 + turns}"
        elif event["type"] in ("promptResult", "promptError", "promptDropped"):
            event["turn"] = f"r:{1000 + max(1, turns)}"
        yield copy.deepcopy({"at": 1000.0 + number / 4, **event})  # so that no reader can spoil the lists here


def _message(random: Random) -> dict[str, Any]:
    update: dict[str, Any] = {"sessionUpdate": random.choice(ROLES), "messageId": random.choice(IDS)}
    if random.random() < 0.7:
        update["content"] = random.choice([None, [], random.sample(BLOCKS, 2)])
    if random.random() < 0.3:
        update["_meta"] = random.choice([None, {"a": 1}, {"a": None, "b": [2]}])
    return update


def _message_chunk(random: Random) -> dict[str, Any]:
    update: dict[str, Any] = {"sessionUpdate": f"{random.choice(ROLES)}_chunk", "messageId": random.choice(IDS)}
    update["content"] = (
        random.choice(BLOCKS) if random.random() < 0.2 else {"type": "text", "text": random.choice(WORDS)}
    )
    if random.random() < 0.1:
        del update["messageId"]
    return update


def _tool_call(random: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "title": random.choice(["Edit", "", None]),
        "name": random.choice(["edit_file", None]),
        "kind": random.choice(["edit", "execute", "_acme_paint", None]),
        "status": random.choice(STATUSES),
        "content": random.choice([None, [], random.sample(ITEMS, 2)]),
        "locations": random.choice([None, [{"path": "/a", "line": 3}, {"path": "/a"}]]),
        "rawInput": random.choice([None, 0, "", {"__proto__": 1}, [1, 1.5]]),
        "rawOutput": random.choice([None, False, {"x": {"y": "z"}}]),
        "capabilities": random.choice([None, {"cancel": {}}]),
        "_meta": random.choice([None, {"k": "v"}, {"k": None}]),
    }
    chosen = random.sample(sorted(fields), random.randint(0, 4))
    update = {name: fields[name] for name in chosen}
    return {"sessionUpdate": "tool_call_update", "toolCallId": random.choice(IDS), **update}


def _tool_chunk(random: Random) -> dict[str, Any]:
    return {
        "sessionUpdate": "tool_call_content_chunk",
        "toolCallId": random.choice(IDS),
        "content": random.choice(ITEMS),
    }


def _output(random: Random) -> str:
    return b64encode(random.choice([b"", b"ok\r\n", b"\x1b[31mred", b"\xe2\x9c", b"x" * 40])).decode("ascii")


def _terminal(random: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "command": random.choice(["make", None]),
        "cwd": random.choice(["/p", "p", None]),
        "output": random.choice([None, {"data": _output(random), "_meta": {"snap": 1}}, {"data": _output(random)}]),
        "exitStatus": random.choice([None, {}, {"exitCode": 0}, {"signal": "SIGTERM", "_meta": {"e": 1}}]),
        "size": random.choice([None, {"cols": 80, "rows": 24}]),
        "_meta": random.choice([None, {"t": 1}]),
    }
    chosen = random.sample(sorted(fields), random.randint(0, 3))
    update = {name: fields[name] for name in chosen}
    return {"sessionUpdate": "terminal_update", "terminalId": random.choice(IDS), **update}


def _terminal_chunk(random: Random) -> dict[str, Any]:
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": random.choice(IDS), "data": _output(random)}


def _state(random: Random) -> dict[str, Any]:
    update: dict[str, Any] = {"sessionUpdate": "state_update", "state": random.choice(STATES)}
    if random.random() < 0.5:
        update["stopReason"] = random.choice(["end_turn", "cancelled", "error", "_acme_budget"])
    if random.random() < 0.2:
        update["background"] = random.choice([[], [{"type": "tool_call", "toolCallId": "1"}], [{"type": "tool_call"}]])
    return update


def _other(random: Random) -> dict[str, Any]:
    entries = [{"content": "do", "priority": "high", "status": "pending"}]
    return dict(
        random.choice(
            [
                {
                    "sessionUpdate": "plan_update",
                    "plan": {"type": "items", "planId": random.choice(IDS), "entries": entries},
                },
                {"sessionUpdate": "plan_update", "plan": {"type": "_acme_gantt", "planId": "g", "bars": [1]}},
                {"sessionUpdate": "plan_removed", "planId": random.choice(IDS)},
                {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "x", "description": ""}]},
                {"sessionUpdate": "config_option_update", "configOptions": []},
                {"sessionUpdate": "session_info_update", "title": random.choice(["T", None])},
                {"sessionUpdate": "usage_update", "used": random.randint(0, 9), "size": 9},
                {"sessionUpdate": "notice", "severity": "info", "title": "n", "extra": {"kept": 1}},
                {"sessionUpdate": "compaction_update", "compactionId": random.choice(IDS), "status": "completed"},
                {"sessionUpdate": "compaction_summary_chunk", "compactionId": "1", "content": random.choice(BLOCKS)},
                {"sessionUpdate": "_acme_widget", "x": {"y": [None, 1]}},
            ]
        )
    )


def _update(random: Random) -> dict[str, Any]:
    kinds = [_message, _message_chunk, _message_chunk, _tool_call, _tool_call, _tool_chunk]
    update = random.choice([*kinds, _terminal, _terminal_chunk, _terminal_chunk, _state, _other])(random)
    if random.random() < 0.12:
        name = random.choice(sorted(update))
        update = {**update, name: random.choice(BAD)}
    return {"type": "update", "update": update}


def _request(random: Random) -> dict[str, Any]:
    subject = random.choice(
        [
            None,
            {"type": "tool_call", "toolCall": {**_tool_call(random), "toolCallId": random.choice(IDS)}},
            {"type": "command", "command": "ls", "cwd": "/", "toolCallId": random.choice([None, "2", "unseen"])},
            {"type": "command", "cwd": "/"},
            {"type": "_acme_deploy"},
            5,
        ]
    )
    params = {"title": "May I?", "subject": subject, "options": random.choice([OPTIONS, OPTIONS, [], None])}
    return {"type": "request", "id": random.choice([0, 1, "1", ""]), "params": params}


def _answer(random: Random) -> dict[str, Any]:
    permission = f"p:{random.randint(1, 6)}"
    if random.random() < 0.3:
        return {"type": "dismiss", "permission": permission, "by": "python"}
    option = random.choice(["yes", "no", "sudo"])
    return {"type": "respond", "permission": permission, "optionId": option, "by": "you", "why": None}


def _prompt(random: Random) -> dict[str, Any]:
    return dict(
        random.choice(
            [
                {"type": "promptSent", "prompt": [{"type": "text", "text": "do it"}], "source": "python"},
                {"type": "promptResult", "result": {"messageId": random.choice(IDS)}},
                {"type": "promptError", "error": {"code": -32603, "message": "no"}},
                {"type": "cancel"},
                {"type": "promptDropped", "why": "stopped"},
            ]
        )
    )


def _life(random: Random) -> dict[str, Any]:
    return dict(
        random.choice(
            [
                {"type": "starting", "command": ["agent"], "cwd": "/p", "label": "a", "temporary": False},
                {"type": "initialized", "result": {"info": {"name": "n"}, "protocolVersion": 2}},
                {"type": "sessionNew", "result": {"sessionId": "s", "configOptions": []}},
                {"type": "replayBegin"},
                {"type": "replayEnd", "result": {}},
                {"type": "resumeBegin"},
                {"type": "resumeEnd", "result": {}},
                {"type": "ended", "connection": "failed", "error": {"message": "gone"}},
                {"type": "policy", "policy": "reject"},
                {"type": "cancelRequest", "requestId": random.choice([0, 1, "1"])},
                {"type": "diagnostic", "message": "no JSON", "where": "stdout"},
            ]
        )
    )


_EVENTS = [_update] * 14 + [_request, _answer, _prompt, _prompt, _life]
