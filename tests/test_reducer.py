"""The reducer as a whole: it never raises, its operations tell all, and nothing it gave away changes later."""

from __future__ import annotations

import base64
import copy
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget.session.operations import apply_to_snapshot, from_wire, to_wire
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

from .session_events import events

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**400), max_value=10**400)
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.text(st.characters(categories=("Cs",)), max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def one_of(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split())


FIELDS = one_of(
    "messageId toolCallId terminalId planId compactionId content data state stopReason background plan entries type "
    "output exitStatus status kind locations _meta used size cost severity title availableCommands configOptions "
    "options subject toolCall id params permission optionId turn prompt result error connection requestId at"
)
UPDATE_TYPES = one_of(
    "user_message agent_message agent_thought user_message_chunk agent_message_chunk agent_thought_chunk "
    "tool_call_update tool_call_content_chunk terminal_update terminal_output_chunk state_update plan_update "
    "plan_removed available_commands_update config_option_update session_info_update usage_update notice "
    "compaction_update compaction_summary_chunk subagent_update"
)
EVENT_TYPES = one_of(
    "starting initialized sessionNew update request cancelRequest respond dismiss policy promptQueued promptSent "
    "promptResult promptError promptDropped cancel replayBegin replayEnd resumeBegin resumeEnd ended diagnostic"
)
UPDATES = st.builds(
    lambda word, fields: {**fields, "sessionUpdate": word},
    UPDATE_TYPES,
    st.dictionaries(FIELDS, ANY_JSON | st.sampled_from(["", "a", "r:1", "p:1", "idle", "text"]), max_size=6),
)
ANY_EVENTS = (
    ANY_JSON
    | st.builds(lambda update: {"type": "update", "at": 1.0, "update": update}, UPDATES | ANY_JSON)
    | st.builds(
        lambda word, fields: {**fields, "type": word},
        EVENT_TYPES,
        st.dictionaries(FIELDS, ANY_JSON | st.sampled_from(["a", "r:1", "p:1"]), max_size=6),
    )
)


def say(text: str, message: str = "m", role: str = "agent_message") -> dict[str, Any]:
    block = {"type": "text", "text": text}
    return {
        "type": "update",
        "at": 1.0,
        "update": {"sessionUpdate": f"{role}_chunk", "messageId": message, "content": block},
    }


def update(**fields: Any) -> dict[str, Any]:
    return {"type": "update", "at": 1.0, "update": fields}


@given(st.lists(ANY_EVENTS, max_size=12))
@settings(deadline=None, max_examples=80)
def test_no_input_raises_and_the_state_stays_writable(sequence: list[Any]) -> None:
    state = State()
    before = state.snapshot()
    operations: list[Any] = []
    for event in sequence:
        outcome = reduce(state, event)
        assert not any("could not be handled" in str(op) for op in outcome.ops)
        operations += outcome.ops
    after = state.snapshot()
    json.dumps(after, ensure_ascii=False, allow_nan=False).encode("utf-8")
    assert apply_to_snapshot(before, operations) == after
    reduce(state, say("still alive", "fresh one"))
    assert state.snapshot()["messages"]["a:fresh one"]["content"][-1]["text"].endswith("still alive")


@given(st.randoms(use_true_random=False), st.integers(0, 60), st.sampled_from([8, 100, 1 << 22]))
@settings(deadline=None, max_examples=40)
def test_operations_lead_from_the_old_snapshot_to_the_new_one(random: Random, looks_at: int, cap: int) -> None:
    state = State(terminal_cap=cap)
    before = state.snapshot()
    operations: list[Any] = []
    for number, event in enumerate(events(random, 60)):
        operations += reduce(state, event).ops
        if number == looks_at:  # a reader in between must make no difference
            middle = state.snapshot()
            assert apply_to_snapshot(before, operations) == middle
            before, operations = middle, []
    after = state.snapshot()
    wire, buffers = to_wire(operations)
    assert apply_to_snapshot(before, from_wire(json.loads(json.dumps(wire)), buffers)) == after
    for group, entities in after.items():
        if isinstance(entities, dict) and group in ("messages", "toolCalls", "turns", "permissions"):
            assert list(entities) == state.keys(group)
            for key in entities:
                assert state.get(group, key) == entities[key]


def test_what_a_snapshot_has_in_two_places_changes_in_one() -> None:
    block = {"type": "text", "text": "a"}
    before = {"messages": {"u:1": {"content": [block]}}, "turns": {"r:1": {"prompt": [block]}}}
    after = apply_to_snapshot(before, [("text", ("messages", "u:1", "content", 0, "text"), "b")])
    assert after["messages"]["u:1"]["content"][0]["text"] == "ab"
    assert after["turns"]["r:1"]["prompt"][0]["text"] == "a"


@given(st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_events_operations_and_snapshots_are_never_changed_afterwards(random: Random) -> None:
    state = State()
    given_away: list[tuple[Any, Any]] = []
    for event in events(random, 40):
        original = copy.deepcopy(event)
        outcome = reduce(state, event)
        assert event == original
        for value in (event, outcome.ops, outcome.answers, state.snapshot()):
            given_away.append((value, copy.deepcopy(value)))
    for value, was in given_away:
        assert value == was


@given(st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_the_state_keeps_nothing_of_an_event_that_its_sender_could_change(random: Random) -> None:
    state = State()
    for event in events(random, 30):
        outcome = reduce(state, event)
        snapshot = copy.deepcopy(state.snapshot())
        ops = copy.deepcopy(outcome.ops)
        _spoil(event)
        assert state.snapshot() == snapshot
        assert outcome.ops == ops


def _spoil(value: Any) -> None:
    for part in list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []:
        _spoil(part)
    if isinstance(value, (dict, list)):
        value.clear()


def test_deep_nesting_and_huge_values_are_kept_as_far_as_anybody_can_write_them() -> None:
    deep: Any = "core"
    for _ in range(5000):
        deep = [deep]
    state = State()
    reduce(state, update(sessionUpdate="tool_call_update", toolCallId="1", rawInput=deep, rawOutput=10**5000))
    reduce(state, update(sessionUpdate="_acme", deep=deep))
    reduce(state, {"type": "request", "id": 1, "params": deep})
    json.dumps(state.snapshot())
    assert state.snapshot()["toolCalls"]["t:1"]["status"] == "pending"


@pytest.mark.parametrize("event", [None, 5, [], {}, {"type": []}, {"type": "nonsense"}, {"type": "update"}])
def test_a_senseless_event_is_a_diagnostic(event: Any) -> None:
    state = State()
    reduce(state, event)
    assert len(state.snapshot()["diagnostics"]) == 1


def test_only_the_newest_diagnostics_are_kept() -> None:
    state = State()
    for number in range(250):
        reduce(state, {"type": "diagnostic", "at": 1.0, "message": f"line {number}", "where": "stdout"})
    kept = state.snapshot()["diagnostics"]
    assert len(kept) == 200
    assert kept[-1] == {"message": "line 249", "where": "stdout", "at": 1.0}


def test_one_update_with_a_thousand_faults_does_not_flood_the_list() -> None:
    state = State()
    reduce(state, {"type": "diagnostic", "message": "the first"})
    reduce(state, update(sessionUpdate="agent_message", messageId="m", content=[5] * 1000))
    kept = state.snapshot()["diagnostics"]
    assert kept[0]["message"] == "the first"
    assert len(kept) < 50


def test_a_text_chunk_is_one_small_operation_however_long_the_message_is() -> None:
    state = State()
    for _ in range(2000):
        reduce(state, say("word "))
    outcome = reduce(state, say("last"))
    assert outcome.ops == [("text", ("messages", "a:m", "content", 0, "text"), "last")]
    assert state.snapshot()["messages"]["a:m"]["content"] == [{"type": "text", "text": "word " * 2000 + "last"}]


def test_terminal_output_beyond_the_cap_drops_its_front_and_says_so() -> None:
    state = State(terminal_cap=1000)
    line = base64.b64encode(b"0123456789012345678\n").decode()
    for _ in range(500):
        reduce(state, update(sessionUpdate="terminal_output_chunk", terminalId="1", data=line))
    output = (state.get("terminals", "x:1") or {})["output"]
    assert 1000 - 20 <= len(output["data"]) <= 1250
    assert output["cut"] + len(output["data"]) == 500 * 20
    assert output["data"].startswith(b"0123")


def test_an_output_snapshot_beyond_the_cap_keeps_its_end() -> None:
    state = State(terminal_cap=10)
    data = base64.b64encode(b"0123456789abcdef").decode()
    reduce(state, update(sessionUpdate="terminal_update", terminalId="1", output={"data": data}))
    assert (state.get("terminals", "x:1") or {})["output"] == {"data": b"6789abcdef", "_meta": None, "cut": 6}


def test_an_id_that_the_agent_uses_for_a_thought_and_its_answer_is_two_messages() -> None:
    state = State()
    reduce(state, say("hm", "x", "agent_thought"))
    reduce(state, say("so", "x"))
    assert state.keys("messages") == ["h:x", "a:x"]


def test_a_thought_ends_when_something_else_comes() -> None:
    state = State()
    reduce(state, {**say("hm", "x", "agent_thought"), "at": 1.0})
    reduce(state, {**say("so", "y"), "at": 3.0})
    reduce(state, {**say(" it is", "y"), "at": 4.0})
    assert (state.get("messages", "h:x") or {})["at"] == {"first": 1.0, "start": None, "end": 3.0}


def test_times_of_a_tool_call() -> None:
    state = State()
    for at, status in ((1.0, "pending"), (2.0, "in_progress"), (5.0, "completed")):
        event = update(sessionUpdate="tool_call_update", toolCallId="1", status=status)
        reduce(state, {**event, "at": at})
    assert (state.get("toolCalls", "t:1") or {})["at"] == {"first": 1.0, "start": 2.0, "end": 5.0}
    reduce(state, {**update(sessionUpdate="tool_call_update", toolCallId="1", status="in_progress"), "at": 6.0})
    assert (state.get("toolCalls", "t:1") or {})["at"] == {"first": 1.0, "start": 2.0, "end": None}


def test_chunks_without_an_id_make_a_new_message_after_a_new_tool_call() -> None:
    state = State()

    def lost(text: str) -> dict[str, Any]:
        return update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})

    reduce(state, lost("one "))
    reduce(state, lost("two"))
    reduce(state, update(sessionUpdate="tool_call_update", toolCallId="1"))
    reduce(state, lost("three "))
    reduce(state, update(sessionUpdate="tool_call_update", toolCallId="1", status="completed"))
    reduce(state, lost("four"))
    texts = [message["content"][0]["text"] for message in state.snapshot()["messages"].values()]
    assert texts == ["one two", "three four"]


def test_lone_surrogates_become_replacement_characters_in_text_and_ids() -> None:
    state = State()
    reduce(state, say("a\ud800b", "\udfff"))
    reduce(state, say("c\ud800", "\udfff"))
    assert state.snapshot()["messages"]["a:\ufffd"]["content"] == [{"type": "text", "text": "a\ufffdbc\ufffd"}]
