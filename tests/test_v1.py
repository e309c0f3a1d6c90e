"""The v1 dialect by itself: what it derives for agents that do not report it, and that no shape makes it raise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget.protocol import handshake, v1_shapes
from acp_widget.protocol.peer import Peer
from acp_widget.protocol.transport import MemoryTransport
from acp_widget.protocol.v1 import V1
from acp_widget.recording.listener import Listener

from .processes import run

Json = dict[str, Any]
PROMPT = [{"type": "text", "text": "Fix it, please."}]
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class Session(Listener):
    """A v1 session that is told in short words."""

    def __init__(self) -> None:
        super().__init__(1)
        self.turn = ""
        self.states: list[str] = []

    def _reduce(self, event: Json) -> Any:
        outcome = super()._reduce(event)
        state = self.state.part("state")["state"]
        if not self.states or self.states[-1] != state:
            self.states.append(state)
        return outcome

    def prompt(self, blocks: Any = PROMPT) -> str:
        self.turn = self.state.next_turn()
        self.tell({"type": "promptSent", "turn": self.turn, "prompt": blocks})
        return self.turn

    def result(self, turn: str | None = None, **result: Any) -> None:
        given = result or {"stopReason": "end_turn"}
        self.tell({"type": "promptResult", "turn": turn or self.turn, "result": given})

    def update(self, variant: str, **fields: Any) -> None:
        self.tell({"type": "update", "update": {"sessionUpdate": variant, **fields}})

    def chunk(self, words: str, role: str = "agent", **fields: Any) -> None:
        word = {"user": "user_message_chunk", "agent": "agent_message_chunk", "thought": "agent_thought_chunk"}[role]
        self.update(word, content={"type": "text", "text": words}, **fields)

    def ask(self, request_id: Any, call: Any = None, **params: Any) -> None:
        asked = {"toolCall": {"toolCallId": "c"} if call is None else call, "options": OPTIONS, **params}
        self.tell({"type": "request", "id": request_id, "params": asked})

    def answer(self, request_id: Any, option: str = "yes") -> None:
        self.tell({"type": "respond", "permission": self.permission(request_id), "optionId": option})

    def said(self, role: str | None = None) -> list[str]:
        messages = self.state.snapshot()["messages"].values()
        return [
            "".join(block.get("text", "") for block in each["content"])
            for each in messages
            if role in (None, each["role"])
        ]

    @property
    def now(self) -> Json:
        state: Json = self.state.part("state")
        return state

    def options(self) -> dict[str, Any]:
        listed = self.state.snapshot()["configOptions"]
        return {option["configId"]: option["currentValue"] for option in listed}


@pytest.fixture
def session() -> Session:
    return Session()


# --- N9: the prompt, its echo, and the end of its turn ---------------------------------------------------------------


def test_a_prompt_is_a_message_of_the_user_and_the_agent_works(session: Session) -> None:
    session.prompt()
    assert session.said("user") == ["Fix it, please."]
    assert session.now["state"] == "running"
    session.result(stopReason="max_tokens", usage={"totalTokens": 3})
    assert (session.now["state"], session.now["stopReason"]) == ("idle", "max_tokens")
    assert session.now["usage"] == {"totalTokens": 3}


@pytest.mark.parametrize(
    "pieces",
    [["Fix it, please."], ["Fix ", "it, ", "please."], ["", "Fix it, please."], list("Fix it, please.")],
)
def test_an_echo_in_any_pieces_is_not_shown_again(session: Session, pieces: list[str]) -> None:
    session.prompt()
    for piece in pieces:
        session.chunk(piece, "user")
    session.chunk("Fixed.")
    session.result()
    assert session.said() == ["Fix it, please.", "Fixed."]


@given(st.lists(st.text("ab c", min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_an_echo_of_several_blocks_is_heard_however_it_is_cut(texts: list[str], data: st.DataObject) -> None:
    session = Session()
    session.prompt([{"type": "text", "text": text} for text in texts])
    whole = "".join(texts)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(whole)), max_size=5)) | {len(whole)})
    for begin, end in zip([0, *cuts], cuts, strict=False):
        session.chunk(whole[begin:end], "user")
    session.chunk("Fixed.")
    assert session.said() == [whole, "Fixed."]


def test_what_only_begins_like_the_prompt_is_shown_whole(session: Session) -> None:
    session.prompt()
    session.chunk("Fix it", "user")
    session.chunk(" later", "user")
    assert session.said("user") == ["Fix it, please.", "Fix it later"]


def test_another_message_of_the_user_is_shown(session: Session) -> None:
    session.prompt()
    session.chunk("Something else", "user")
    assert session.said("user") == ["Fix it, please.", "Something else"]


def test_the_same_words_later_are_no_echo(session: Session) -> None:
    session.prompt()
    session.chunk("Hm.")
    session.chunk("Fix it, please.", "user")
    assert session.said("user") == ["Fix it, please.", "Fix it, please."]


def test_a_second_repetition_is_shown(session: Session) -> None:
    session.prompt()
    session.chunk("Fix it, please.", "user")
    session.chunk("Fix it, please.", "user")
    assert session.said("user") == ["Fix it, please.", "Fix it, please."]


def test_a_link_in_the_prompt_is_echoed_too(session: Session) -> None:
    link = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    session.prompt([*PROMPT, link])
    session.chunk("Fix it, please.", "user")
    session.update("user_message_chunk", content=link)
    assert len(session.said("user")) == 1


def test_an_error_ends_the_turn_without_a_reason(session: Session) -> None:
    turn = session.prompt()
    session.tell({"type": "promptError", "turn": turn, "error": {"code": -32603, "message": "no"}})
    assert (session.now["state"], session.now["stopReason"]) == ("idle", None)
    assert session.state.snapshot()["turns"][turn]["status"] == "failed"


@pytest.mark.parametrize("result", [None, [], 5, {}, {"stopReason": None}, {"stopReason": 5}])
def test_an_odd_result_ends_the_turn_as_well(session: Session, result: Any) -> None:
    turn = session.prompt()
    session.tell({"type": "promptResult", "turn": turn, "result": result})
    assert (session.now["state"], session.now["stopReason"]) == ("idle", None)
    assert session.state.snapshot()["turns"][turn]["at"]["end"] is not None


def test_the_answer_to_an_earlier_prompt_does_not_end_the_one_under_way(session: Session) -> None:
    first = session.prompt()
    session.prompt([{"type": "text", "text": "And that."}])
    session.result(first)
    assert session.now["state"] == "running"
    session.result()
    assert session.now["state"] == "idle"


# --- N7: which chunks are one message --------------------------------------------------------------------------------


def test_chunks_of_one_role_are_one_message_until_something_new_comes(session: Session) -> None:
    session.prompt()
    session.chunk("thinking", "thought")
    session.chunk("one ")
    session.chunk("two ")
    session.update("plan", entries=[])
    session.update("usage_update", used=1, size=2)
    session.update("available_commands_update", availableCommands=[])
    session.chunk("three")
    session.update("tool_call", toolCallId="c", title="A")
    session.chunk("four ")
    session.update("tool_call_update", toolCallId="c", status="completed")
    session.update("tool_call", toolCallId="c", title="B")
    session.chunk("five")
    session.result()
    session.chunk("six")
    assert session.said("agent") == ["one two three", "four five", "six"]


def test_a_question_about_a_new_call_splits_and_one_about_a_known_call_does_not(session: Session) -> None:
    session.prompt()
    session.chunk("one ")
    session.ask(1, {"toolCallId": "c"})
    session.chunk("two ")
    session.ask(2, {"toolCallId": "c"})
    session.chunk("three")
    assert session.said("agent") == ["one ", "two three"]


def test_chunks_with_an_id_are_grouped_by_it(session: Session) -> None:
    session.prompt()
    for message_id, words in (("a", "1"), ("b", "2"), ("a", "3"), (None, "4"), (7, "5"), ("a", "6")):
        session.chunk(words, messageId=message_id)
    session.chunk("7", "thought", messageId="a")
    assert session.said("agent") == ["136", "2", "45"]
    assert session.said("thought") == ["7"]


def test_ids_of_ours_are_not_used_again_by_another_connection(session: Session) -> None:
    session.prompt()
    session.chunk("before")
    session.result()
    session.speak(1)
    session.tell({"type": "resumeBegin"})
    session.tell({"type": "resumeEnd", "result": {}})
    session.prompt([{"type": "text", "text": "again"}])
    session.chunk("after")
    assert session.said() == ["Fix it, please.", "before", "again", "after"]


words_and_splits = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["agent", "thought"]), st.text("xyz ", min_size=1, max_size=3)),
        st.tuples(st.sampled_from(["call", "plan", "ask", "end"]), st.just("")),
    ),
    max_size=25,
)


@given(words_and_splits)
def test_no_word_is_lost_however_messages_are_split(steps: list[tuple[str, str]]) -> None:
    session = Session()
    session.prompt()
    for number, (what, words) in enumerate(steps):
        if what in ("agent", "thought"):
            session.chunk(words, what)
        elif what == "call":
            session.update("tool_call", toolCallId=str(number), title="t")
        elif what == "plan":
            session.update("plan", entries=[])
        elif what == "ask":
            session.ask(number)
        else:
            session.result()
            session.prompt()
    for role in ("agent", "thought"):
        assert "".join(session.said(role)) == "".join(words for what, words in steps if what == role)


# --- N10, N11: questions and the state -------------------------------------------------------------------------------


def test_with_several_questions_the_last_answer_lets_the_work_go_on(session: Session) -> None:
    session.prompt()
    for request_id in (0, "", "7", 7):
        session.ask(request_id)
        assert session.now["state"] == "requires_action"
    for request_id in (7, "", 0):
        session.answer(request_id)
        assert session.now["state"] == "requires_action"
    session.answer("7")
    assert session.now["state"] == "running"
    assert [each["id"] for each in session.sent] == [7, "", 0, "7"]
    session.result()
    assert session.states == ["idle", "running", "requires_action", "running", "idle"]


def test_a_stop_answers_all_questions_and_stays_busy_until_the_result(session: Session) -> None:
    session.prompt()
    session.update("tool_call", toolCallId="c", title="A", status="in_progress")
    session.ask(1)
    session.ask(2)
    session.tell({"type": "cancel"})
    outcomes = [each["result"]["outcome"] for each in session.sent]
    assert outcomes == [{"outcome": "cancelled"}] * 2
    assert session.now["busy"]
    assert session.state.snapshot()["toolCalls"]["t:c"]["status"] == "cancelled"
    session.ask(3)  # on its way when it was stopped
    assert session.sent[-1] == {"id": 3, "result": {"outcome": {"outcome": "cancelled"}}}
    assert session.now["state"] == "running"
    session.chunk("late")
    session.result(stopReason="cancelled")
    assert (session.now["state"], session.now["stopReason"]) == ("idle", "cancelled")
    assert session.said("agent") == ["late"]


def test_a_question_that_is_withdrawn_or_dismissed_lets_the_work_go_on(session: Session) -> None:
    session.prompt()
    session.ask(1)
    session.tell({"type": "cancelRequest", "requestId": 1})
    assert session.now["state"] == "running"
    session.ask(2)
    session.tell({"type": "dismiss", "permission": session.permission(2)})
    assert session.now["state"] == "running"


def test_a_question_without_an_option_is_refused_and_changes_nothing(session: Session) -> None:
    session.prompt()
    session.ask(1, options=[])
    assert session.now["state"] == "running"
    assert session.sent[0]["error"]["code"] == -32602


def test_a_question_while_nothing_is_under_way_leaves_it_idle(session: Session) -> None:
    session.ask(1)
    assert session.now["state"] == "idle"
    session.answer(1)
    assert session.now["state"] == "idle"


@pytest.mark.parametrize(
    ("call", "title"),
    [
        ({"toolCallId": "c", "title": "Mine"}, "Mine"),
        ({"toolCallId": "c"}, "Known"),
        ({"toolCallId": "c", "title": None}, "Known"),
        ({"toolCallId": "c", "title": ""}, "Known"),
        ({"toolCallId": "other"}, "The agent asks for permission"),
    ],
)
def test_the_title_of_a_question(session: Session, call: Json, title: str) -> None:
    session.update("tool_call", toolCallId="c", title="Known")
    session.ask(1, call)
    assert session.state.snapshot()["permissions"]["p:1"]["title"] == title


actions = st.lists(
    st.tuples(st.sampled_from(["ask", "answer", "stop", "end", "prompt"]), st.integers(0, 3)), max_size=30
)


@given(actions)
def test_the_state_follows_from_prompts_and_open_questions(steps: list[tuple[str, int]]) -> None:
    session = Session()
    working, open_ids, stopped = False, set[int](), False
    for what, number in steps:
        if what == "ask" and number not in open_ids:
            session.ask(number)
            if not stopped:
                open_ids.add(number)
        elif what == "answer" and number in open_ids:
            session.answer(number)
            open_ids.discard(number)
        elif what == "stop":
            session.tell({"type": "cancel"})
            open_ids.clear()
            stopped = stopped or working
        elif what == "end" and working and not open_ids:
            session.result()
            working = stopped = False
        elif what == "prompt" and not working and not open_ids:
            session.prompt()
            working = True
        wanted = "idle" if not working else "requires_action" if open_ids else "running"
        assert session.now["state"] == wanted


# --- N12, N13: modes, models and options -----------------------------------------------------------------------------

MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Go"}]}
MODELS = {
    "currentModelId": "m1",
    "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2", "name": "Two"}],
}
EFFORT = {"id": "effort", "name": "Effort", "type": "select", "currentValue": "low", "options": []}


def new(session: Session, **result: Any) -> None:
    session.tell({"type": "sessionNew", "result": {"sessionId": "s", **result}})


def test_modes_and_models_are_options_at_the_front(session: Session) -> None:
    new(session, modes=MODES, models=MODELS, configOptions=[EFFORT])
    assert session.options() == {"mode": "ask", "model": "m1", "effort": "low"}
    assert list(session.options()) == ["mode", "model", "effort"]
    first = session.state.snapshot()["configOptions"][0]
    assert (first["category"], first["type"]) == ("mode", "select")
    assert [choice["value"] for choice in first["options"]] == ["ask", "go"]


@pytest.mark.parametrize("real", [{"id": "mode"}, {"id": "x", "category": "mode"}])
def test_a_real_option_for_the_mode_takes_its_place(session: Session, real: Json) -> None:
    new(session, modes=MODES, configOptions=[{**EFFORT, **real}])
    assert list(session.options()) == [real["id"]]
    assert not session.dialect.setting(real["id"], "go")[0].endswith("set_mode")


def test_a_mode_survives_a_report_of_the_other_options(session: Session) -> None:
    new(session, modes=MODES)
    session.update("config_option_update", configOptions=[EFFORT])
    session.update("current_mode_update", currentModeId="go")
    assert session.options() == {"mode": "go", "effort": "low"}


def test_what_is_reported_before_the_session_is_known_wins(session: Session) -> None:
    session.update("current_mode_update", currentModeId="go")
    session.update("config_option_update", configOptions=[{**EFFORT, "currentValue": "high"}])
    new(session, modes=MODES, configOptions=[EFFORT])
    assert session.options() == {"mode": "go", "effort": "high"}


def test_a_session_that_is_loaded_tells_its_options_anew(session: Session) -> None:
    new(session, modes=MODES, configOptions=[EFFORT])
    session.update("current_mode_update", currentModeId="go")
    session.tell({"type": "replayBegin"})
    session.tell(
        {"type": "replayEnd", "result": {"modes": MODES, "configOptions": [{**EFFORT, "currentValue": "high"}]}}
    )
    assert session.options() == {"mode": "ask", "effort": "high"}


def test_groups_have_their_ids(session: Session) -> None:
    group = {"group": "g", "name": "G", "options": [{"value": "a", "name": "A"}]}
    new(session, configOptions=[{**EFFORT, "options": [group]}])
    (option,) = session.state.snapshot()["configOptions"]
    assert (option["configId"], option["options"][0]["groupId"]) == ("effort", "g")


def test_an_unreadable_mode_is_told(session: Session) -> None:
    new(session, modes=MODES)
    session.update("current_mode_update", currentModeId=None)
    assert "currentModeId" in session.diagnostics[-1]["message"]
    assert session.options() == {"mode": "ask"}


@pytest.mark.parametrize(
    ("config_id", "value", "method", "params", "shown"),
    [
        ("mode", "go", "session/set_mode", {"modeId": "go"}, "go"),
        ("model", "m2", "session/set_model", {"modelId": "m2"}, "m2"),
        ("effort", "high", "session/set_config_option", {"configId": "effort", "value": "high"}, "high"),
        ("flag", True, "session/set_config_option", {"configId": "flag", "value": True, "type": "boolean"}, True),
    ],
)
def test_each_kind_of_option_is_set_by_its_method(
    config_id: str, value: str | bool, method: str, params: Json, shown: Any
) -> None:
    async def story() -> None:
        listener = Listener()
        ours, wire = MemoryTransport.pair()
        peer = Peer(ours, listener.tell)
        flag = {"id": "flag", "name": "Flag", "type": "boolean", "currentValue": False}
        made = {"sessionId": "s", "modes": MODES, "models": MODELS, "configOptions": [EFFORT, flag]}
        starting = asyncio.ensure_future(peer.start(cwd="/"))
        for result in ({"protocolVersion": 1, "agentCapabilities": {}}, made):
            await wire.send({"jsonrpc": "2.0", "id": (await wire.receive())["id"], "result": result})
        await starting
        setting = peer.configure(config_id, value)
        request = await wire.receive()
        assert (request["method"], request["params"]) == (method, {"sessionId": "s", **params})
        await wire.send({"jsonrpc": "2.0", "id": request["id"], "result": None})
        await setting
        options = {each["configId"]: each["currentValue"] for each in listener.state.snapshot()["configOptions"]}
        assert options == {"mode": "ask", "model": "m1", "effort": "low", "flag": False, config_id: shown}
        await wire.close()
        await peer.close()

    run(story())


# --- shapes ----------------------------------------------------------------------------------------------------------


def test_the_handshake_in_the_shape_of_v2() -> None:
    given_ = {
        "protocolVersion": 2,
        "agentInfo": {"name": "a"},
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False},
            "mcpCapabilities": {"http": True, "sse": False},
            "sessionCapabilities": {"list": {}, "close": None},
        },
        "authMethods": [{"id": "key", "name": "Key"}, "nonsense"],
    }
    shaped = v1_shapes.initialize_result(given_)
    assert (shaped["protocolVersion"], shaped["info"]) == (1, {"name": "a"})
    session = shaped["capabilities"]["session"]
    assert session["prompt"] == {"image": {}}
    assert session["mcp"] == {"stdio": {}, "http": {}}
    assert (session["list"], session["load"], session["close"]) == ({}, {}, None)
    assert shaped["authMethods"][0] == {"type": "agent", "methodId": "key", "name": "Key"}


@pytest.mark.parametrize(
    ("result", "is_v2"),
    [
        ({"protocolVersion": 2, "info": {}}, True),
        ({"protocolVersion": 2, "capabilities": {}}, True),
        ({"protocolVersion": 2, "agentInfo": {}}, False),
        ({"protocolVersion": 2}, False),
        ({"protocolVersion": 2, "info": {}, "agentInfo": {}}, True),
        ({"protocolVersion": 1, "info": {}, "agentInfo": {}}, False),
        ({}, False),
    ],
)
def test_the_version_is_told_by_the_shape(result: Json, is_v2: bool) -> None:
    assert handshake.speaks_v2(result) is is_v2


@pytest.mark.parametrize(
    ("old", "new_text", "operation", "lines"),
    [
        (None, "a\n", "add", ["+a"]),
        ("", "a\n", "modify", ["+a"]),
        ("a\n", "", "modify", ["-a"]),
        ("a", "a\n", "modify", ["-a", "\\ No newline at end of text", "+a"]),
        # A part of a file, as Claude Code and opencode send: its end is not the file's.
        ("a", "b", "modify", ["-a", "\\ No newline at end of text", "+b", "\\ No newline at end of text"]),
        (None, "a", "add", ["+a", "\\ No newline at end of file"]),
        ("a\u2028b\n", "a\u2028c\n", "modify", ["-a\u2028b", "+a\u2028c"]),
        ("same", "same", "modify", []),
        (5, "a\n", "add", ["+a"]),
    ],
)
def test_a_diff_of_two_texts_is_a_change_with_a_patch(
    old: Any, new_text: str, operation: str, lines: list[str]
) -> None:
    item = v1_shapes.diff({"type": "diff", "path": "/p/a", "oldText": old, "newText": new_text, "_meta": {"k": 1}})
    assert item["changes"] == [{"operation": operation, "path": "/p/a"}]
    assert item["_meta"] == {"k": 1}
    text = item.get("patch", {}).get("text", "")
    assert [line for line in text.split("\n")[4 if operation == "modify" else 5 :] if line] == lines


@pytest.mark.parametrize("broken", [{"path": "/a"}, {"newText": "a"}, {"path": 5, "newText": "a"}])
def test_a_diff_without_path_or_text_is_skipped_and_told(session: Session, broken: Json) -> None:
    good = {"type": "content", "content": {"type": "text", "text": "x"}}
    session.update("tool_call", toolCallId="c", content=[{"type": "diff", **broken}, good])
    assert session.state.snapshot()["toolCalls"]["t:c"]["content"] == [good]
    assert session.diagnostics


# --- anything at all -------------------------------------------------------------------------------------------------

WORDS = [
    "sessionUpdate",
    "toolCallId",
    "title",
    "kind",
    "status",
    "content",
    "type",
    "text",
    "messageId",
    "_meta",
    "locations",
    "options",
    "optionId",
    "toolCall",
    "entries",
    "availableCommands",
    "input",
    "configOptions",
    "id",
    "currentModeId",
    "modes",
    "availableModes",
    "currentValue",
    "stopReason",
    "usage",
    "path",
    "oldText",
    "newText",
    "terminalId",
    "terminal_info",
    "terminal_output",
    "terminal_exit",
    "terminal_id",
    "data",
    "agentCapabilities",
    "sessionCapabilities",
    "authMethods",
    "result",
    "params",
    "error",
    "message",
    "code",
]
VALUES = [
    "tool_call",
    "tool_call_update",
    "plan",
    "agent_message_chunk",
    "user_message_chunk",
    "agent_thought_chunk",
    "current_mode_update",
    "config_option_update",
    "available_commands_update",
    "text",
    "diff",
    "terminal",
    "content",
    "mode",
    "select",
    "end_turn",
    "c",
    "s",
]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(VALUES) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=12,
)
KINDS = [
    "initialized",
    "sessionNew",
    "replayBegin",
    "replayEnd",
    "resumeBegin",
    "resumeEnd",
    "replayFailed",
    "configResult",
    "promptSent",
    "promptResult",
    "promptError",
    "request",
    "update",
    "cancel",
    "cancelRequest",
    "ended",
    "starting",
]
FIELDS = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={
        "update": anything,
        "result": anything,
        "params": anything,
        "prompt": anything,
        "error": anything,
        "id": anything,
        "turn": st.sampled_from(["r:1", "r:2", None]),
        "requestId": anything,
        "configId": anything,
        "other": st.booleans(),
    },
)


@settings(max_examples=80)
@given(st.lists(FIELDS, max_size=8))
def test_no_event_makes_the_dialect_raise(events: list[Json]) -> None:
    listener = Listener(1)
    for event in events:
        listener.tell(event)
    json.dumps(listener.state.snapshot(), allow_nan=False)
    faults = [each["message"] for each in listener.diagnostics if "could not be handled" in each["message"]]
    assert faults == []


@given(anything)
def test_no_shape_makes_the_shaping_raise(value: Any) -> None:
    shapers = (v1_shapes.auth_methods, v1_shapes.config_options, v1_shapes.terminal_updates, v1_shapes.supports)
    for shape in shapers:
        shape(value)
    for category in v1_shapes.SELECTIONS:
        v1_shapes.selection(category, value)
    if isinstance(value, dict):
        for shape_object in (v1_shapes.initialize_result, v1_shapes.tool_call, v1_shapes.diff, v1_shapes.command):
            shape_object(value)


def test_the_dialect_does_not_change_what_it_is_told(session: Session) -> None:
    def told() -> Iterator[Json]:
        diff = {"type": "diff", "path": "/a", "oldText": None, "newText": "a"}
        yield {"type": "sessionNew", "result": {"sessionId": "s", "modes": MODES, "configOptions": [EFFORT]}}
        yield {"type": "update", "update": {"sessionUpdate": "tool_call", "toolCallId": "c", "content": [diff]}}
        yield {"type": "update", "update": {"sessionUpdate": "current_mode_update", "currentModeId": "go"}}

    dialect = V1()
    for event in told():
        before = json.dumps(event)
        list(dialect.events(event))
        dialect.took("effort", "high")
        assert json.dumps(event) == before
