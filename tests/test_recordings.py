"""Recordings as others may make them: several sessions, odd ids and orders, ends in the middle, no record at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget import commands
from acp_widget.recording import trace
from acp_widget.recording.hearing import Hearing

Json = dict[str, Any]
V1 = {"protocolVersion": 1, "agentInfo": {"name": "a"}, "agentCapabilities": {}}
V2 = {"protocolVersion": 2, "info": {"name": "a"}, "capabilities": {}}
OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]


class Recording:
    """Made of short words; `found` is what the command prints of it."""

    def __init__(self) -> None:
        self.records: list[Json] = []
        self.ids = 100

    def record(self, direction: str, message: Any, **more: Any) -> Recording:
        self.records.append({"t": len(self.records) / 10, "dir": direction, "msg": message, **more})
        return self

    def out(self, method: str, request_id: Any = None, **params: Any) -> Any:
        """A request of ours; its id."""
        if request_id is None:
            self.ids += 1
            request_id = self.ids
        self.record("out", {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def answer(self, request_id: Any, result: Any = None, **more: Any) -> Recording:
        return self.record("in", {"jsonrpc": "2.0", "id": request_id, "result": result, **more})

    def refuse(self, request_id: Any, message: str = "No", code: int = -32603) -> Recording:
        return self.record("in", {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})

    def start(self, session: str = "s", result: Json = V1, version: int = 1) -> Recording:
        self.answer(self.out("initialize", protocolVersion=version), result)
        return self.answer(self.out("session/new", cwd="/"), {"sessionId": session})

    def update(self, variant: str, session: str = "s", **fields: Any) -> Recording:
        params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
        return self.record("in", {"method": "session/update", "params": params})

    def chunk(self, words: str, session: str = "s", role: str = "agent", **fields: Any) -> Recording:
        return self.update(f"{role}_message_chunk", session, content={"type": "text", "text": words}, **fields)

    def call(self, call_id: str, status: str = "in_progress", session: str = "s") -> Recording:
        return self.update("tool_call", session, toolCallId=call_id, title=call_id, status=status)

    def ask(self, request_id: Any, call_id: str = "c", session: str = "s") -> Recording:
        params = {"sessionId": session, "toolCall": {"toolCallId": call_id, "title": "Go?"}, "options": OPTIONS}
        return self.record("in", {"id": request_id, "method": "session/request_permission", "params": params})

    def prompt(self, words: str = "Fix it.", request_id: Any = None, session: str = "s") -> Any:
        return self.out("session/prompt", request_id, sessionId=session, prompt=[{"type": "text", "text": words}])

    @property
    def found(self) -> Json:
        state = commands.state_of(trace.play(self.records))
        assert not [each for each in state["diagnostics"] if "could not be handled" in each["message"]]
        assert not [key for key, call in state["toolCalls"].items() if call["isRunning"]]
        return state

    def said(self, role: str = "agent") -> list[str]:
        return [
            "".join(block.get("text", "") for block in message["content"])
            for message in self.found["messages"]
            if message["role"] == role
        ]

    def told(self) -> str:
        return "\n".join(each["message"] for each in self.found["diagnostics"])


@pytest.fixture
def recording() -> Recording:
    return Recording()


# --- several sessions ------------------------------------------------------------------------------------------------


def test_two_processes_make_one_transcript(recording: Recording) -> None:
    for session in ("one", "two"):
        recording.start(session)
        request = recording.prompt(session, session=session)
        recording.chunk(f"in {session}", session).call("c", "completed", session).answer(
            request, {"stopReason": "end_turn"}
        )
    assert recording.said() == ["in one", "in two"]
    assert recording.said("user") == ["one", "two"]
    assert len(recording.found["toolCalls"]) == 2
    assert recording.told() == ""


def test_two_processes_may_ask_under_the_same_id(recording: Recording) -> None:
    for session in ("one", "two", "three"):
        recording.start(session)
        request = recording.prompt(session, session=session)
        recording.ask(0, f"call {session}", session)
        recording.record("out", {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
        recording.answer(request, {"stopReason": "end_turn"})
    found = recording.found
    assert found["permissions"]["0"]["subject"]["toolCall"]["toolCallId"] == "call three"
    former = [each["subject"]["toolCall"]["toolCallId"] for each in found["formerPermissions"]]
    assert former == ["call one", "call two"]


def test_two_sessions_of_one_connection_make_one_transcript(recording: Recording) -> None:
    recording.start("one")
    first = recording.prompt("one", session="one")
    recording.chunk("in one", "one").answer(first, {"stopReason": "end_turn"})
    making = recording.out("session/new", cwd="/")
    recording.update("available_commands_update", "two", availableCommands=[{"name": "x", "description": "X"}])
    recording.answer(making, {"sessionId": "two"})
    recording.update("usage_update", "one", used=9, size=10)  # of the earlier one: it does not hold any more
    second = recording.prompt("two", session="two")
    recording.chunk("in two", "two").answer(second, {"stopReason": "refusal"})
    found = recording.found
    assert recording.said() == ["in one", "in two"]
    assert found["session"]["sessionId"] == "two"
    assert [command["name"] for command in found["commands"]] == ["x"]
    assert found["usage"]["used"] == 0
    assert found["state"]["stopReason"] == "refusal"


def test_messages_of_a_session_that_nobody_opened_are_not_mixed_in(recording: Recording) -> None:
    recording.start().chunk("mine").chunk("theirs", "child").chunk("theirs", "child")
    assert recording.said() == ["mine"]
    assert recording.told() == "Messages of another session are not shown: 'child'"


def test_what_is_not_in_the_state_is_kept_apart(recording: Recording) -> None:
    recording.start().chunk("mine").chunk("theirs", "child")
    recording.record("in", {"id": 9, "method": "elicitation/create", "params": {"message": "What now?"}})
    recording.update("agent_message_chunk", content=["odd"])
    recording.records.append({"t": 1, "dir": "in", "raw": "x" * 5000})
    unread = recording.found["unread"]
    assert unread[0]["params"]["update"]["content"]["text"] == "theirs"
    assert unread[1]["params"] == {"message": "What now?"}
    assert unread[2]["params"]["update"]["content"] == ["odd"]
    assert unread[3:] == [{"raw": "x" * 5000}]


def test_what_a_loaded_session_took_the_place_of_is_kept_apart(recording: Recording) -> None:
    recording.start("one").chunk("in one", "one").call("c", "completed", "one")
    loading = recording.out("session/load", sessionId="two", cwd="/")
    recording.chunk("in two", "two").answer(loading, {})
    assert recording.said() == ["in two"]
    (dropped,) = recording.found["dropped"]
    assert [each["content"][0]["text"] for each in dropped["messages"]] == ["in one"]
    assert list(dropped["toolCalls"]) == ["c"]


def test_a_session_that_was_forked_is_ours_from_its_first_prompt(recording: Recording) -> None:
    recording.start("one").chunk("in one", "one")
    recording.answer(recording.out("session/fork", sessionId="one"), {"sessionId": "two"})
    request = recording.prompt("go", session="two")
    recording.chunk("in two", "two").answer(request, {"stopReason": "end_turn"})
    assert recording.said() == ["in one", "in two"]
    assert recording.found["session"]["sessionId"] == "two"
    assert recording.found["unread"] == recording.found["dropped"] == []


def test_a_session_may_be_loaded_without_a_new_one(recording: Recording) -> None:
    recording.answer(recording.out("initialize", protocolVersion=1), V1)
    loading = recording.out("session/load", sessionId="old", cwd="/")
    recording.chunk("Fix it.", "old", "user").chunk("Fixed.", "old").call("c", "in_progress", "old")
    recording.answer(loading, None)  # as early versions had it
    found = recording.found
    assert (recording.said("user"), recording.said()) == (["Fix it."], ["Fixed."])
    assert (found["session"]["sessionId"], found["session"]["connection"]) == ("old", "ready")
    assert found["toolCalls"]["c"]["status"] == "in_progress"
    assert recording.told() == ""


def test_a_load_that_is_refused_leaves_what_is_shown(recording: Recording) -> None:
    recording.start().chunk("before")
    recording.refuse(recording.out("session/load", sessionId="gone", cwd="/"), "No such session")
    recording.chunk(" and after")
    assert recording.said() == ["before", " and after"]
    assert recording.told() == "The agent refused `session/load`: No such session"


def test_a_load_that_is_refused_in_the_middle_leaves_what_is_shown(recording: Recording) -> None:
    recording.start().chunk("before")
    loading = recording.out("session/load", sessionId="s", cwd="/")
    recording.chunk("Fix it.", role="user").chunk("Fixed.").refuse(loading, "Broken history")
    request = recording.prompt("Go on.")
    recording.chunk("Gone on.").answer(request, {"stopReason": "end_turn"})
    assert (recording.said("user"), recording.said()) == (["Go on."], ["before", "Gone on."])
    prompts = [
        "".join(block["text"] for block in turn["prompt"]) for turn in recording.found["turns"] if turn["prompt"]
    ]
    assert prompts == ["Go on."]
    assert recording.told() == "The agent refused `session/load`: Broken history"


def test_a_refused_version_is_no_end(recording: Recording) -> None:
    first = recording.out("initialize", protocolVersion=2)
    recording.refuse(first, "Unsupported", -32022)
    recording.start().chunk("hello")
    assert recording.said() == ["hello"]
    assert recording.found["session"]["connection"] == "ready"


# --- ids and orders --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_id", ["prompt-1", "", 0, -5, 1.5])
def test_ids_of_any_kind_are_ids(recording: Recording, request_id: Any) -> None:
    recording.start()
    recording.prompt(request_id=request_id)
    recording.ask(request_id)
    recording.record("out", {"id": request_id, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
    recording.answer(request_id, {"stopReason": "end_turn"})
    assert recording.found["state"]["stopReason"] == "end_turn"
    assert recording.found["permissions"][str(request_id)]["optionId"] == "yes"


def test_answers_may_come_in_any_order(recording: Recording) -> None:
    recording.start()
    prompt = recording.prompt()
    mode = recording.out("session/set_mode", sessionId="s", modeId="go")
    recording.ask(1).ask(2)
    recording.record("out", {"id": 2, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
    recording.record("out", {"id": 1, "result": {"outcome": {"outcome": "cancelled"}}})
    recording.answer(prompt, {"stopReason": "end_turn"}).answer(mode, {})
    asked = recording.found["permissions"]
    assert (asked["1"]["status"], asked["2"]["status"]) == ("cancelled", "selected")
    assert recording.told() == ""


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32601, "message": "no"}},
        {"result": None},
        {"result": {"outcome": {"outcome": "selected", "optionId": "never offered"}}},
        {"result": {"outcome": "selected"}},
        {},
    ],
)
def test_a_question_that_was_answered_oddly_is_over(recording: Recording, answer: Json) -> None:
    recording.start()
    prompt = recording.prompt()
    recording.ask(1).record("out", {"id": 1, **answer})
    recording.answer(prompt, {"stopReason": "end_turn"})
    assert recording.found["permissions"]["1"]["status"] == "cancelled"


def test_a_question_that_the_agent_withdrew_is_over(recording: Recording) -> None:
    recording.start()
    recording.prompt()
    recording.ask(1).record("in", {"method": "$/cancel_request", "params": {"requestId": 1}})
    recording.record("out", {"id": 1, "result": {"outcome": {"outcome": "cancelled"}}})
    assert recording.found["permissions"]["1"]["status"] == "cancelled"


def test_a_prompt_that_was_stopped_by_its_request_is_cancelled(recording: Recording) -> None:
    recording.start()
    prompt = recording.prompt()
    recording.record("out", {"method": "$/cancel_request", "params": {"requestId": prompt}})
    recording.refuse(prompt, "Request cancelled", -32800)
    (turn,) = recording.found["turns"]
    assert (turn["status"], turn["stopReason"]) == ("done", "cancelled")


def test_a_prompt_that_was_answered_with_an_error_failed(recording: Recording) -> None:
    recording.start()
    recording.refuse(recording.prompt(), "Out of quota")
    again = recording.prompt("Again.")
    recording.chunk("Fine.").answer(again, {"stopReason": "end_turn"}, error=None)
    first, second = recording.found["turns"]
    assert (first["status"], first["error"]["message"]) == ("failed", "Out of quota")
    assert (second["status"], second["stopReason"]) == ("done", "end_turn")


def test_what_else_is_refused_is_told(recording: Recording) -> None:
    recording.refuse(recording.out("initialize", protocolVersion=1), "Not now")
    recording.refuse(recording.out("authenticate", methodId="key"), "Wrong key")
    assert recording.told() == "The agent refused `initialize`: Not now\nThe agent refused `authenticate`: Wrong key"


# --- ends ------------------------------------------------------------------------------------------------------------


def test_an_agent_that_ends_in_the_turn_leaves_nothing_running(recording: Recording) -> None:
    recording.start()
    recording.prompt()
    recording.call("c").ask(1, "d").chunk("half a w")
    found = recording.found
    assert found["session"]["connection"] == "failed"
    assert found["permissions"]["1"]["status"] == "cancelled"
    assert found["turns"][0]["status"] == "failed"
    assert recording.said() == ["half a w"]
    assert "without an answer to `session/prompt`" in recording.told()


def test_one_that_was_closed_did_not_fail(recording: Recording) -> None:
    recording.start().out("session/close", sessionId="s")
    assert recording.found["session"]["connection"] == "closed"
    assert recording.told() == ""


@pytest.mark.parametrize("version", [1, 2])
def test_a_call_that_runs_after_its_turn_is_not_running_in_what_is_over(recording: Recording, version: int) -> None:
    recording.start(result=V1 if version == 1 else V2, version=version)
    word = "tool_call" if version == 1 else "tool_call_update"
    recording.update(word, toolCallId="late", status="in_progress")
    assert recording.found["toolCalls"]["late"]["status"] == "in_progress"


def test_no_record_at_all_is_told() -> None:
    assert Recording().told() == "The recording holds no message."


# --- records ---------------------------------------------------------------------------------------------------------


def test_a_batch_is_heard_as_a_message_and_as_the_line_that_it_was(recording: Recording) -> None:
    recording.start().chunk("one ").chunk("two")
    batch = [record["msg"] for record in recording.records[-2:]]
    recording.records[-2:] = [{"t": 1, "dir": "in", "msg": batch}]
    recording.records.append({"t": 1, "dir": "in", "raw": json.dumps(batch)})
    assert recording.said() == ["one twoone two"]


def test_lines_that_are_no_messages_are_told(recording: Recording) -> None:
    for odd in (
        {"dir": "in", "raw": "npm WARN deprecated"},
        {"dir": "in", "raw": 5},
        {"dir": "in", "cut": "this line was 9 MB"},
        {"dir": "in", "msg": "text"},
        {"dir": "in", "msg": []},
        {"dir": "up", "msg": {}},
        {"problem": "line 3 is no JSON"},
    ):
        recording.records.append({"t": 0.1, **odd})
    told = recording.told().split("\n")
    assert len(told) == 7
    assert "npm WARN deprecated" in told[0]
    assert "this line was 9 MB" in told[2]


def test_a_message_that_was_cut_is_read_as_far_as_it_goes(recording: Recording) -> None:
    recording.start().chunk("said")
    recording.records[-1]["cut"] = "_meta shortened; the line was 561147 bytes"
    assert recording.said() == ["said"]
    assert recording.told() == ""


@pytest.mark.parametrize("depth", [90, 300, 900])
def test_deep_nesting_is_survived(recording: Recording, depth: int) -> None:
    deep: Any = "x"
    for _ in range(depth):
        deep = [deep]
    recording.start().update("tool_call", toolCallId="c", rawInput=deep, content=deep, _meta={"a": deep})
    assert json.dumps(recording.found)


# --- anything at all -------------------------------------------------------------------------------------------------

METHODS = [
    "initialize",
    "session/new",
    "session/load",
    "session/resume",
    "session/prompt",
    "session/cancel",
    "session/update",
    "session/request_permission",
    "$/cancel_request",
    "session/set_mode",
    "session/set_config_option",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "fs/read_text_file",
    "authenticate",
    "session/close",
]
UPDATES = [
    "tool_call",
    "tool_call_update",
    "agent_message_chunk",
    "plan",
    "current_mode_update",
    "state_update",
    "terminal_update",
]
NAMES = [
    "sessionId",
    "update",
    "sessionUpdate",
    "toolCall",
    "toolCallId",
    "options",
    "optionId",
    "prompt",
    "content",
    "text",
    "type",
    "params",
    "result",
    "error",
    "message",
    "code",
    "outcome",
    "terminalId",
    "command",
    "args",
    "output",
    "exitStatus",
    "exitCode",
    "protocolVersion",
    "info",
    "agentInfo",
    "modes",
    "configOptions",
    "configId",
    "value",
    "modeId",
    "replayFrom",
    "requestId",
    "capabilities",
    "status",
    "state",
    "stopReason",
]
scalars = st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.sampled_from([*UPDATES, "s", "yes", ""])
anything = st.recursive(
    scalars | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=10,
)
message = st.fixed_dictionaries(
    {},
    optional={
        "id": scalars | anything,
        "method": st.sampled_from(METHODS) | anything,
        "params": anything
        | st.fixed_dictionaries(
            {"sessionId": st.sampled_from(["s", "t", 5])},
            optional={
                "update": st.fixed_dictionaries(
                    {"sessionUpdate": st.sampled_from(UPDATES)},
                    optional={"toolCallId": st.sampled_from(["c", 5]), "content": anything, "status": anything},
                ),
                "toolCall": anything,
                "options": st.just(OPTIONS) | anything,
                "prompt": anything,
                "args": anything,
                "terminalId": anything,
            },
        ),
        "result": anything,
        "error": anything,
    },
)
record = anything | st.fixed_dictionaries(
    {},
    optional={
        "t": anything,
        "dir": st.sampled_from(["in", "out", "in", "out", None]),
        "msg": message | st.lists(message, max_size=3) | anything,
        "raw": st.text(max_size=5) | anything,
        "cut": anything,
    },
)


@settings(max_examples=120)
@given(st.lists(record, max_size=12))
def test_no_record_makes_the_player_raise(records: list[Any]) -> None:
    hear(records)


@settings(max_examples=80)
@given(st.lists(message, max_size=12), st.lists(st.booleans(), min_size=12, max_size=12), st.sampled_from([V1, V2]))
def test_no_message_of_a_session_makes_the_player_raise(messages: list[Any], ways: list[bool], result: Json) -> None:
    whole = Recording().start(result=result, version=result["protocolVersion"])
    for each, ours in zip(messages, ways, strict=False):
        whole.record("out" if ours else "in", each)
    hear(whole.records)


def hear(records: list[Any]) -> None:
    hearing = Hearing()
    for each in records:
        hearing.hear(each)
    hearing.end()
    found = commands.state_of(hearing.listener)
    json.dumps(found, allow_nan=False)
    assert [each["message"] for each in found["diagnostics"] if "could not be handled" in each["message"]] == []
    assert [key for key, call in found["toolCalls"].items() if call["isRunning"]] == []
