"""What real agents said, through dialect and reducer: all of it is there, nothing runs for ever, nothing raises.

The facts of each recording stand in `trace_facts.py`. The other checks read the lines of the files by themselves.
"""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from acp_widget import commands
from acp_widget.recording import trace

from .trace_facts import FACTS, Facts

Json = dict[str, Any]

FOLDER = Path(__file__).parent / "traces"
PATHS = sorted(FOLDER.glob("*.jsonl"))
of_each = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def inspected(path: Path, capsys: pytest.CaptureFixture[str]) -> Json:
    """What the command prints."""
    assert commands.main(["inspect", str(path), "--json"]) == 0
    found: Json = json.loads(capsys.readouterr().out)
    return found


def text_of(blocks: list[Json]) -> str:
    return "".join(block.get("text", "") for block in blocks)


# --- the facts -------------------------------------------------------------------------------------------------------


def test_there_are_facts_about_each_recording_and_no_others() -> None:
    assert {path.stem for path in PATHS} == set(FACTS)


def added(item: Json) -> tuple[str, ...]:
    """The added lines of a diff's patch."""
    lines = ((item.get("patch") or {}).get("text") or "").split("\n")
    inside, found = False, []
    for line in lines:
        if line.startswith("@@"):
            inside = True
        elif line.startswith("diff "):
            inside = False
        elif inside and line.startswith("+"):
            found.append(line[1:])
    return tuple(found)


def read_facts(found: Json) -> Facts:
    calls = list(found["toolCalls"].values())
    said = [message for message in found["messages"] if message["role"] == "agent"]
    prompts = [turn for turn in found["turns"] if turn["prompt"] is not None]
    return Facts(
        version=found["session"]["protocolVersion"],
        stop=prompts[-1]["stopReason"] if prompts else None,
        last=text_of(said[-1]["content"]) if said else "",
        calls=tuple((call["title"], call["kind"], call["status"]) for call in calls),
        decisions=tuple((asked["title"], asked["optionId"]) for asked in found["permissions"].values()),
        exits=tuple((each["exitStatus"] or {}).get("exitCode") for each in found["terminals"].values()),
        diffs=tuple(
            (change["operation"], change["path"], added(item))
            for call in calls
            for item in call["content"]
            if item["type"] == "diff"
            for change in item["changes"]
        ),
        options=tuple((option["configId"], option["currentValue"]) for option in found["configOptions"]),
        commands=len(found["commands"]),
        turns=len(prompts),
        sessions=found["session"]["connection"],
    )


@of_each
def test_the_end_is_as_the_file_says(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, wanted = read_facts(inspected(path, capsys)), FACTS[path.stem]
    assert found.last.strip().endswith(wanted.last)
    names = ["version", "stop", "calls", "decisions", "exits", "options", "commands", "turns", "sessions"]
    assert {name: getattr(found, name) for name in names} == {name: getattr(wanted, name) for name in names}
    if not path.stem.startswith("sdk-v2-agent-main"):  # patches with `a/` and `b/`, and changes without one
        assert found.diffs == wanted.diffs


@of_each
def test_the_session_is_idle_and_no_question_is_open(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    assert (found["state"]["state"], found["state"]["busy"]) == ("idle", False)
    assert all(asked["status"] != "pending" for asked in found["permissions"].values())


# What is wrong in a recording, and told; of all others nothing is.
WRONG = {
    "kimi-cli-1.52-stdout-garbage": ["no longer maintained", "without an answer to `initialize`"],
    "gemini-cli-0.61-load-error": ["refused `session/load`: Internal error"],
    "sdk-v2-agent-asked-v1": ["refused `initialize`: Unsupported protocol version", "refused `session/new`"],
}


@of_each
def test_what_is_wrong_is_told_and_nothing_else(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = [each["message"] for each in inspected(path, capsys)["diagnostics"]]
    wanted = WRONG.get(path.stem, [])
    assert len(told) == len(wanted), told
    assert all(words in message for words, message in zip(wanted, told, strict=True)), told


# --- what the lines say, read by themselves --------------------------------------------------------------------------


def shown_lines(path: Path) -> list[Json]:
    """The messages of the recording that still count: after a replay only what it tells again."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = [(record["dir"], record["msg"]) for record in records if "msg" in record]
    begin = 0
    for at, (direction, message) in enumerate(messages):
        replays = message.get("method") == "session/load" or "replayFrom" in (message.get("params") or {})
        if direction == "out" and replays:
            answer = next(later for way, later in messages[at:] if way == "in" and later.get("id") == message["id"])
            begin = at if "result" in answer else begin
    return [message for direction, message in messages[begin:] if direction == "in"]


def updates(path: Path) -> Iterator[Json]:
    for message in shown_lines(path):
        if message.get("method") == "session/update":
            yield message["params"]["update"]


ROLES = {"agent_message": "agent", "agent_thought": "thought"}


@of_each
def test_no_text_is_lost(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    whole: dict[tuple[str, Any], list[str]] = {}
    for update in updates(path):
        word = update["sessionUpdate"]
        for role in ROLES:
            pieces = whole.setdefault((role, update.get("messageId")), [])
            if word == role and "content" in update:
                pieces[:] = [block.get("text", "") for block in update["content"] or []]
            elif word == f"{role}_chunk":
                pieces.append(update["content"].get("text", ""))
    for (role, message_id), pieces in whole.items():
        shown = [message for message in found["messages"] if message["role"] == ROLES[role]]
        if message_id is not None and pieces:
            (message,) = [each for each in shown if each["messageId"] == message_id]
            assert text_of(message["content"]) == "".join(pieces)
            continue
        text, at = "".join(text_of(message["content"]) for message in shown), 0
        for piece in pieces:  # each after the one before it
            at = text.index(piece, at) + len(piece)


@of_each
def test_no_prompt_is_lost_or_shown_twice(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sent = [
        each["msg"]["params"]["prompt"] for each in records if each.get("msg", {}).get("method") == "session/prompt"
    ]
    shown = [message["content"] for message in found["messages"] if message["role"] == "user"]
    assert [text_of(content) for content in shown] == [text_of(prompt) for prompt in sent]


def subjects(path: Path) -> Iterator[Json]:
    for message in shown_lines(path):
        if message.get("method") == "session/request_permission":
            params = message["params"]
            yield params["toolCall"] if "toolCall" in params else params["subject"].get("toolCall") or {}


@of_each
def test_no_call_is_lost_and_none_runs_on(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls = inspected(path, capsys)["toolCalls"]
    told = {update["toolCallId"] for update in updates(path) if update["sessionUpdate"].startswith("tool_call")}
    asked = {call["toolCallId"] for call in subjects(path) if call}
    assert told | asked == set(calls)
    assert [key for key, call in calls.items() if call["isRunning"]] == []


@of_each
def test_no_content_of_a_call_is_lost(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    last: dict[str, list[Json]] = {}
    for message in shown_lines(path):
        params = message.get("params") or {}
        patch = params.get("update") or params.get("toolCall") or (params.get("subject") or {}).get("toolCall") or {}
        if "toolCallId" not in patch:
            continue
        if patch.get("sessionUpdate") == "tool_call_content_chunk":
            last.setdefault(patch["toolCallId"], []).append(patch["content"])
        elif patch.get("content") is not None or ("content" in patch and found["session"]["protocolVersion"] == 2):
            last[patch["toolCallId"]] = patch["content"] or []
    for call_id, items in last.items():
        shown = found["toolCalls"][call_id]["content"]
        assert len(shown) >= len(items)
        for item, drawn in zip(items, shown, strict=False):
            assert drawn["type"] == item["type"]
            if item["type"] == "content":
                assert drawn["content"] == item["content"]
            elif item["type"] == "diff" and "newText" in item:
                old = (item.get("oldText") or "").split("\n")
                new = [line for line in item["newText"].split("\n") if line not in old]
                assert [line for line in new if line] == [line for line in added(drawn) if line in new]
                assert drawn["changes"][0]["path"] == item["path"]
            else:
                assert drawn == item


@of_each
def test_no_question_is_lost(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    for message in shown_lines(path):
        if message.get("method") == "session/request_permission":
            params, asked = message["params"], found["permissions"][str(message["id"])]
            assert asked["title"] == (params.get("title") or params["toolCall"]["title"])
            assert asked["options"] == params["options"]


@of_each
def test_no_terminal_output_is_lost(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = inspected(path, capsys)
    shown = {key: base64.b64decode(each["output"]["data"]) for key, each in found["terminals"].items()}
    said: dict[str, bytes] = {}
    for update in updates(path):
        if update["sessionUpdate"] == "terminal_update" and update.get("output"):
            said[update["terminalId"]] = base64.b64decode(update["output"]["data"])
        elif update["sessionUpdate"] == "terminal_output_chunk":
            said[update["terminalId"]] = said.get(update["terminalId"], b"") + base64.b64decode(update["data"])
        told = (update.get("_meta") or {}).get("terminal_output_delta")
        if told:
            said[told["terminal_id"]] = said.get(told["terminal_id"], b"") + told["data"].encode()
    assert {key: shown[key] for key in said} == said
    anchored = {
        item["terminalId"]
        for call in found["toolCalls"].values()
        for item in call["content"]
        if item["type"] == "terminal"
    }
    assert set(said) - {"term-5"} <= anchored  # what no call shows nobody sees; one of the SDK's has none


# --- the command, as a process ---------------------------------------------------------------------------------------


def inspect_in_a_process(path: Path) -> tuple[str, int, str]:
    command = [sys.executable, "-m", "acp_widget", "inspect", str(path)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return path.stem, done.returncode, done.stderr


@pytest.mark.parametrize("paths", [PATHS[::9], pytest.param(PATHS, marks=pytest.mark.slow)], ids=["some", "all"])
def test_the_command_ends_well_with_each(tmp_path: Path, paths: list[Path]) -> None:
    damaged = [tmp_path / name for name in ("half.jsonl", "empty.jsonl", "binary.jsonl")]
    damaged[0].write_bytes(PATHS[0].read_bytes()[:20_000])
    damaged[1].write_bytes(b"")
    damaged[2].write_bytes(bytes(range(256)) * 40)
    with ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(inspect_in_a_process, [*paths, *damaged]))
    assert [end for end in ends if end[1:] != (0, "")] == []


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["inspect", str(tmp_path / "none.jsonl")]) == 2
    assert commands.main(["inspect", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err


# --- damaged recordings ----------------------------------------------------------------------------------------------


def damage(data: bytes, chance: random.Random) -> Iterator[bytes]:
    lines = data.splitlines(keepends=True)
    yield data[: chance.randrange(len(data))]
    yield data[chance.randrange(len(data)) :]
    yield b"".join(line for line in lines if chance.random() < 0.7)
    yield b"".join(chance.sample(lines, len(lines)))
    yield b"".join(lines + lines)
    for _ in range(2):
        at = chance.randrange(len(data))
        yield data[:at] + chance.randbytes(chance.randrange(1, 40)) + data[at + chance.randrange(40) :]
    records = [json.loads(line) for line in lines]
    yield batched(records)
    yield b"".join(
        json.dumps({**each, "cut": "the rest"}).encode() + b"\n" for each in records if chance.random() < 0.8
    )


def batched(records: list[Json]) -> bytes:
    """What the agent said in batches, both as messages and as the raw lines that they are."""
    lines: list[Json] = []
    for record in records:
        last = lines[-1] if lines else {}
        if record["dir"] == "in" and "msg" in record and last.get("dir") == "in" and "msg" in last:
            last["msg"].append(record["msg"])
        else:
            lines.append({**record, **({"msg": [record["msg"]]} if "msg" in record else {})})
    for line in lines[::2]:
        if "msg" in line:
            line["raw"] = json.dumps(line.pop("msg"))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


FAULTS = ("could not be handled",)
"""How a fault of ours is told that was caught."""


@of_each
def test_damaged_copies_are_read_as_far_as_they_can_be(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(path.stem)
    for number, data in enumerate(damage(path.read_bytes(), chance)):
        copy = tmp_path / f"{number}.jsonl"
        copy.write_bytes(data)
        found = inspected(copy, capsys)
        assert [each for each in found["diagnostics"] if any(word in each["message"] for word in FAULTS)] == []
        busy = found["session"]["connection"] == "ready" and found["state"]["busy"]
        assert not busy
        assert not [key for key, call in found["toolCalls"].items() if call["isRunning"]]


@of_each
def test_in_batches_it_is_the_same(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "batched.jsonl"
    copy.write_bytes(batched([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]))
    assert read_facts(inspected(copy, capsys)) == read_facts(inspected(path, capsys))


def test_a_recording_without_its_beginning_is_understood_by_its_shapes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("claude-agent-acp-0.49-full", "claude-agent-acp-0.101-v2-ask", "fast-agent-0.10-full"):
        lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        copy = tmp_path / f"{name}.jsonl"
        copy.write_text(
            "".join(line for line in lines if '"initialize"' not in line and '"protocolVersion"' not in line)
        )
        found, wanted = read_facts(inspected(copy, capsys)), FACTS[name]
        assert (found.calls, found.decisions, found.stop) == (wanted.calls, wanted.decisions, wanted.stop)
        assert found.diffs == wanted.diffs


def test_reading_a_recording_is_told_of_lines_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_bytes(b'\n{"t": 1}\n[1]\nnonsense\n\xff\xfe\n"text"\n' + b"[" * 100_000 + b"\n")
    told = [record.get("problem", "") for record in trace.read(file)]
    assert [bool(problem) for problem in told] == [False, True, True, True, True, True]
