"""Permission requests: shown as they are, answered exactly once, never approved by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from acp_widget.session.reducer import Answer, Outcome, reduce
from acp_widget.session.state import State

ALLOW = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
REJECT = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def ask(state: State, request_id: Any = 1, **params: Any) -> Outcome:
    given = {"title": "May I?", "options": [ALLOW, REJECT], **params}
    return reduce(state, {"type": "request", "at": 1.0, "id": request_id, "params": given})


def respond(state: State, permission: str, option_id: Any, **more: Any) -> Outcome:
    return reduce(state, {"type": "respond", "at": 2.0, "permission": permission, "optionId": option_id, **more})


def update(state: State, /, **fields: Any) -> Outcome:
    return reduce(state, {"type": "update", "at": 1.0, "update": fields})


def row(state: State, key: str = "p:1") -> Any:
    return state.get("permissions", key)


def complaints(state: State) -> int:
    return len(state.snapshot()["diagnostics"])


def test_the_answer_carries_the_requests_own_id() -> None:
    for request_id in (0, "", 5, "5"):
        state = State()
        ask(state, request_id)
        answers = respond(state, "p:1", "yes", by="python", why="I said so").answers
        chosen = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        assert answers == [Answer(request_id, chosen)]
        assert type(answers[0].request_id) is type(request_id)
        settled = row(state)
        assert (settled["status"], settled["optionId"], settled["by"]) == ("selected", "yes", "python")
        assert (settled["why"], settled["at"]["end"]) == ("I said so", 2.0)


def test_a_number_and_the_same_number_as_text_are_two_requests() -> None:
    state = State()
    ask(state, 5)
    ask(state, "5")
    assert state.pending_permissions() == ["p:1", "p:2"]
    assert respond(state, "p:2", "no").answers[0].request_id == "5"
    assert state.pending_permissions() == ["p:1"]


def test_a_second_request_with_a_pending_id_is_refused_and_the_first_stays() -> None:
    state = State()
    ask(state, 1, title="first")
    (answer,) = ask(state, 1, title="second").answers
    assert (answer.request_id, answer.result) == (1, None)
    assert (answer.error or {})["code"] == -32600
    assert row(state)["title"] == "first"
    assert state.keys("permissions") == ["p:1"]
    respond(state, "p:1", "no")
    ask(state, 1, title="third")
    assert row(state, "p:2")["title"] == "third"


@pytest.mark.parametrize("options", [[], None, "x", [5], [{"name": "No id", "kind": "allow_once"}]])
def test_a_request_without_a_usable_option_is_refused_and_only_told_of(options: Any) -> None:
    state = State()
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "1"}}
    (answer,) = ask(state, 1, title="Delete all?", description="It is big.", options=options, subject=subject).answers
    assert (answer.error or {})["code"] == -32602
    assert state.keys("permissions") == state.keys("toolCalls") == []
    assert complaints(state) >= 1
    (key,) = state.part("timeline")
    notice = state.get("notices", key) or {}
    assert (notice["severity"], notice["title"]) == ("warning", "Delete all?")
    assert "offered no answer" in notice["description"]
    assert "It is big." in notice["description"]
    assert (notice["request"]["subject"], notice["request"]["options"]) == (subject, options)


@pytest.mark.parametrize("params", [None, 5, [], "x"])
def test_a_request_without_parameters_is_refused(params: Any) -> None:
    state = State()
    (answer,) = reduce(state, {"type": "request", "id": 1, "params": params}).answers
    assert (answer.error or {})["code"] == -32602
    assert [state.get("notices", key)["title"] for key in state.keys("notices")] == ["The agent asks for permission"]


@pytest.mark.parametrize("request_id", [None, True, [], {}])
def test_a_request_that_cannot_be_answered_is_not_shown(request_id: Any) -> None:
    state = State()
    assert ask(state, request_id).answers == []
    assert state.keys("permissions") == []
    assert complaints(state) == 1


def test_broken_options_are_left_out_and_the_others_keep_their_order() -> None:
    state = State()
    odd = {"optionId": "", "name": "Ask the boss", "kind": "_acme_escalate", "extra": 1}
    ask(state, options=[REJECT, 5, odd, {"optionId": 3, "name": "x", "kind": "y"}, ALLOW])
    assert row(state)["options"] == [REJECT, odd, ALLOW]
    assert respond(state, "p:1", "").answers[0].result == {"outcome": {"outcome": "selected", "optionId": ""}}


def test_two_options_with_one_id_are_both_shown_and_reported() -> None:
    state = State()
    twin = {**REJECT, "optionId": "yes"}
    ask(state, options=[ALLOW, twin])
    assert row(state)["options"] == [ALLOW, twin]
    assert complaints(state) == 1


@pytest.mark.parametrize("option_id", ["sudo", None, 0, True, [], "YES", "yes "])
def test_an_option_that_was_not_offered_is_never_sent(option_id: Any) -> None:
    state = State()
    ask(state)
    assert respond(state, "p:1", option_id).answers == []
    assert row(state)["status"] == "pending"
    assert complaints(state) == 1


@pytest.mark.parametrize("permission", ["p:2", "", None, 1, [], "__proto__"])
def test_an_answer_to_no_request_is_never_sent(permission: Any) -> None:
    state = State()
    ask(state)
    assert respond(state, permission, "yes").answers == []
    assert reduce(state, {"type": "dismiss", "permission": permission}).answers == []
    assert row(state)["status"] == "pending"


def test_only_the_first_answer_counts() -> None:
    state = State()
    ask(state)
    respond(state, "p:1", "no")
    assert respond(state, "p:1", "yes").answers == []
    assert reduce(state, {"type": "dismiss", "permission": "p:1"}).answers == []
    assert reduce(state, {"type": "cancelRequest", "requestId": 1}).answers == []
    assert reduce(state, {"type": "cancel"}).answers == []
    assert row(state)["optionId"] == "no"


def test_a_withdrawn_request_is_answered_and_says_who_ended_it() -> None:
    state = State()
    ask(state, "a")
    assert reduce(state, {"type": "cancelRequest", "requestId": "b"}).answers == []
    assert reduce(state, {"type": "cancelRequest", "requestId": "a"}).answers == [Answer("a", CANCELLED)]
    assert (row(state)["status"], row(state)["by"]) == ("cancelled", "agent")
    assert complaints(state) == 0


def test_a_request_that_comes_after_the_stop_is_answered_at_once_until_the_next_idle() -> None:
    state = State()
    update(state, sessionUpdate="state_update", state="running")
    reduce(state, {"type": "cancel"})
    assert ask(state, 1).answers == [Answer(1, CANCELLED)]
    assert row(state)["by"] == "stop"
    update(state, sessionUpdate="state_update", state="idle", stopReason="cancelled")
    assert ask(state, 2).answers == []
    assert state.pending_permissions() == ["p:2"]


def test_a_new_prompt_ends_the_time_of_the_stop() -> None:
    state = State()
    reduce(state, {"type": "cancel"})
    reduce(state, {"type": "promptSent", "turn": state.next_turn(), "prompt": []})
    assert ask(state).answers == []


# --- subjects --------------------------------------------------------------------------------------------------------


def problem_of(subject: Any) -> tuple[State, Any]:
    state = State()
    ask(state, subject=subject)
    assert row(state)["status"] == "pending"
    return state, row(state)


def test_a_readable_subject_is_no_problem() -> None:
    for subject in (
        None,
        {"type": "tool_call", "toolCall": {"toolCallId": "1", "title": "Edit"}},
        {"type": "command", "command": "ls", "cwd": "/"},
        {"type": "command", "command": "dir", "cwd": "C:\\Users", "toolCallId": None},
    ):
        state, permission = problem_of(subject)
        assert permission["problem"] is None
        assert permission["subject"] == subject
        assert complaints(state) == 0


@pytest.mark.parametrize(
    "subject",
    [
        {"type": "_acme_deploy", "target": "prod"},
        {"type": "command", "cwd": "/"},
        {"type": "command", "command": "ls"},
        {"type": "command", "command": ["rm"], "cwd": "/"},
        {"type": "tool_call"},
        {"type": "tool_call", "toolCall": {"title": "Edit"}},
        {"type": "tool_call", "toolCall": {"toolCallId": 5}},
        {"type": "tool_call", "toolCall": {"toolCallId": "1", "content": "hidden"}},
        {"type": "tool_call", "toolCall": {"toolCallId": "1", "content": [{"type": "diff"}]}},
    ],
)
def test_a_subject_that_cannot_be_read_in_full_is_flagged_and_kept_verbatim(subject: Any) -> None:
    state, permission = problem_of(subject)
    assert permission["problem"]
    assert permission["subject"] == subject
    assert complaints(state) >= (0 if subject["type"].startswith("_") else 1)


@pytest.mark.parametrize("subject", [5, "x", [], {}, {"type": 3}])
def test_a_subject_without_a_type_is_left_out_and_flagged(subject: Any) -> None:
    state, permission = problem_of(subject)
    assert permission["subject"] is None
    assert permission["problem"]
    assert complaints(state) == 1


def test_a_request_without_a_title_gets_a_generic_one() -> None:
    state = State()
    ask(state, title=None, description=5)
    assert row(state)["title"]
    assert row(state)["description"] is None
    assert complaints(state) == 2


def test_a_request_stands_at_its_call_when_that_is_known_and_in_the_timeline_until_then() -> None:
    state = State()
    update(state, sessionUpdate="tool_call_update", toolCallId="known")
    ask(state, 1, subject={"type": "tool_call", "toolCall": {"toolCallId": "known"}})
    ask(state, 2, subject={"type": "command", "command": "ls", "cwd": "/", "toolCallId": "later"})
    ask(state, 3)
    assert [row(state, key)["toolCallId"] for key in ("p:1", "p:2", "p:3")] == ["known", "later", None]
    assert state.part("timeline") == ["t:known", "p:2", "p:3"]
    update(state, sessionUpdate="tool_call_update", toolCallId="later")
    assert state.part("timeline") == ["t:known", "p:3", "t:later"]


def test_what_is_asked_about_is_applied_before_the_question_stands() -> None:
    state = State()
    outcome = ask(state, subject={"type": "tool_call", "toolCall": {"toolCallId": "1", "kind": "edit"}})
    paths = [operation[1] for operation in outcome.ops if operation[0] == "set"]
    assert paths.index(("toolCalls", "t:1")) < paths.index(("permissions", "p:1"))


def test_answering_does_not_change_the_state_of_the_session() -> None:
    state = State()
    update(state, sessionUpdate="state_update", state="requires_action")
    ask(state)
    respond(state, "p:1", "yes")
    assert state.part("state")["state"] == "requires_action"
