"""Reading the state: frozen copies, snapshots that fit, one word for the whole."""

from __future__ import annotations

import base64
import json
import threading
from random import Random
from typing import Any

import pytest

from acp_widget.session.operations import apply_to_snapshot
from acp_widget.session.reducer import reduce
from acp_widget.session.snapshots import json_size
from acp_widget.session.state import State

from .session_events import events


def do(state: State, kind: str, **fields: Any) -> None:
    reduce(state, {"type": kind, "at": 1.0, **fields})


def update(state: State, word: str, /, **fields: Any) -> None:
    do(state, "update", update={"sessionUpdate": word, **fields})


def say(state: State, text: str, message: str = "m") -> None:
    update(state, "agent_message_chunk", messageId=message, content={"type": "text", "text": text})


def output(state: State, data: bytes, terminal: str = "1") -> None:
    update(state, "terminal_output_chunk", terminalId=terminal, data=base64.b64encode(data).decode())


def test_an_entity_that_was_not_touched_is_the_same_object_again() -> None:
    state = State()
    say(state, "one", "a")
    say(state, "two", "b")
    first, second = state.get("messages", "a:a"), state.get("messages", "a:b")
    say(state, " more", "b")
    assert state.get("messages", "a:a") is first
    assert state.snapshot()["messages"]["a:a"] is first
    assert state.get("messages", "a:b") is not second
    assert (second or {})["content"] == [{"type": "text", "text": "two"}]


def test_an_entity_that_is_not_there_is_none() -> None:
    assert State().get("messages", "a:none") is None
    assert State().keys("turns") == []


def test_terminal_output_is_bytes_for_python_and_base64_in_a_snapshot() -> None:
    state = State()
    output(state, b"\xff\x00ok")
    assert (state.get("terminals", "x:1") or {})["output"]["data"] == b"\xff\x00ok"
    data = state.snapshot()["terminals"]["x:1"]["output"]["data"]
    assert base64.b64decode(data) == b"\xff\x00ok"


def test_a_snapshot_survives_json() -> None:
    state = State()
    for event in events(Random(3), 200):
        reduce(state, event)
    snapshot = state.snapshot()
    assert json.loads(json.dumps(snapshot)) == snapshot


def test_a_snapshot_within_its_limit_is_whole() -> None:
    state = State()
    say(state, "word")
    assert state.snapshot(limit=1_000_000) == state.snapshot()
    assert "cutNote" not in state.snapshot(limit=1_000_000)


def test_a_big_snapshot_loses_the_front_of_the_longest_terminals_first() -> None:
    state = State()
    output(state, b"a" * 200_000, "long")
    output(state, b"b" * 100, "short")
    say(state, "word " * 1000)
    snapshot = state.snapshot(limit=50_000)
    assert 45_000 < json_size(snapshot) <= 50_000
    assert snapshot["cutNote"]
    kept = snapshot["terminals"]["x:long"]["output"]
    assert kept["cut"] + len(base64.b64decode(kept["data"])) == 200_000
    assert base64.b64decode(snapshot["terminals"]["x:short"]["output"]["data"]) == b"b" * 100
    assert snapshot["messages"] == state.snapshot()["messages"]


def test_then_long_texts_are_cut_and_say_so_and_nothing_is_missing_from_a_list() -> None:
    state = State()
    for number in range(20):
        say(state, "é" * 20_000, f"m{number}")
    raw = {"deep": ["x" * 50_000]}
    update(state, "tool_call_update", toolCallId="c" * 300, rawInput=raw, rawOutput="y" * 50_000)
    image = {"type": "image", "data": "A" * 50_000, "mimeType": "image/png"}
    update(state, "agent_message", messageId="image", content=[image, {"type": "text", "text": "short"}])
    snapshot = state.snapshot(limit=40_000)
    assert json_size(snapshot) <= 40_000
    assert snapshot["timeline"] == state.snapshot()["timeline"]
    assert snapshot["messages"]["a:m0"]["content"][0]["text"].endswith(" characters]")
    assert snapshot["messages"]["a:image"]["content"] == [{**image, "data": ""}, {"type": "text", "text": "short"}]
    call = snapshot["toolCalls"]["t:" + "c" * 300]
    assert call["toolCallId"] == "c" * 300
    assert call["rawInput"].startswith('{"deep"')


def test_later_operations_fit_a_snapshot_that_was_cut() -> None:
    state = State()
    say(state, "x" * 100_000)
    output(state, b"y" * 100_000)
    cut = state.snapshot(limit=20_000)
    outcome = reduce(
        state,
        {
            "type": "update",
            "update": {
                "sessionUpdate": "agent_message_chunk",
                "messageId": "m",
                "content": {"type": "text", "text": "end"},
            },
        },
    )
    after = apply_to_snapshot(cut, outcome.ops)
    assert after["messages"]["a:m"]["content"][0]["text"].endswith("end")


def test_fields_that_nobody_here_knows_are_kept_as_long_as_they_hold() -> None:
    state = State()
    update(state, "state_update", state="running", mood="fine", _meta={"depth": 1})
    update(state, "usage_update", used=1, size=2, cached=3, _meta={"a": 1, "b": 2})
    update(state, "usage_update", used=2, size=2, price="high", _meta={"a": None})
    assert (state.part("state")["more"], state.part("state")["_meta"]) == ({"mood": "fine"}, {"depth": 1})
    assert (state.part("usage")["more"], state.part("usage")["_meta"]) == ({"cached": 3, "price": "high"}, {"b": 2})
    update(state, "state_update", state="running", mood="tired")  # a report is the whole of it
    assert (state.part("state")["more"], "_meta" in state.part("state")) == ({"mood": "tired"}, False)
    do(state, "ended", connection="failed", error=None)
    do(state, "starting", command=["x"])
    assert state.part("state") == State().part("state")


def test_one_word_for_the_whole() -> None:
    state = State()
    words = [state.status()]
    do(state, "starting", command=["x"], cwd="/", label="x", temporary=True, policy="ask")
    words.append(state.status())
    do(state, "initialized", result={"protocolVersion": 2, "info": {"name": "n", "version": "1"}})
    do(state, "sessionNew", result={"sessionId": "s"})
    words.append(state.status())
    do(state, "promptSent", turn=state.next_turn(), prompt=[])
    words.append(state.status())
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    do(state, "request", id=1, params={"title": "?", "options": options})
    words.append(state.status())
    update(state, "state_update", state="running")
    do(state, "cancel")
    words.append(state.status())
    update(state, "state_update", state="idle", stopReason="cancelled")
    words.append(state.status())
    do(state, "ended", connection="closed", error=None)
    words.append(state.status())
    do(state, "starting", command=["x"], cwd="/", label="x", temporary=True)
    do(state, "ended", connection="failed", error={"message": "no such command"})
    words.append(state.status())
    assert words == ["new", "starting", "idle", "running", "waiting", "stopping", "idle", "closed", "failed"]


def test_the_session_says_who_the_agent_is() -> None:
    state = State()
    info = {"name": "n", "title": "Agent", "version": "1"}
    capabilities = {"session": {"prompt": {"image": {}}}}
    do(state, "starting", command=["agent", "--acp"], cwd="/p", label="agent", temporary=False, policy="ask")
    do(state, "initialized", result={"protocolVersion": 2, "info": info, "capabilities": capabilities})
    do(state, "sessionNew", result={"sessionId": "s"})
    session = state.part("session")
    assert (session["agent"], session["protocolVersion"], session["promptCapabilities"]) == (info, 2, {"image": {}})
    assert (session["command"], session["cwd"], session["policy"]) == (["agent", "--acp"], "/p", "ask")
    assert (session["sessionId"], session["connection"]) == ("s", "ready")


@pytest.mark.parametrize("result", [None, 5, [], {"info": 5, "capabilities": [], "protocolVersion": "2"}])
def test_a_senseless_handshake_is_no_exception(result: Any) -> None:
    state = State()
    do(state, "initialized", result=result)
    do(state, "sessionNew", result=result)
    assert state.part("session")["agent"] is None
    assert state.status() == "idle"


def test_readers_of_other_threads_see_whole_states() -> None:
    state = State()
    seen: list[int] = []
    wrong: list[Any] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            snapshot = state.snapshot()
            pairs = zip(snapshot["messages"].values(), snapshot["terminals"].values(), strict=False)
            for message, terminal in pairs:
                text = message["content"][0]["text"]
                behind = len(text) - len(base64.b64decode(terminal["output"]["data"]))
                if behind not in (0, 1):
                    wrong.append(behind)
            seen.append(len(snapshot["timeline"]))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    while len(seen) < 20:
        say(state, "x")
        output(state, b"x")
    done.set()
    for reader in readers:
        reader.join(timeout=10)
    assert wrong == []
