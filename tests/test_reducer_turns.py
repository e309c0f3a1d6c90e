"""Turns: when they begin, what they own, how they end."""

from __future__ import annotations

from typing import Any

import pytest

from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

ASK = [{"type": "text", "text": "Fix it"}]


class Play:
    """A state and short words for what happens to it; a second passes between two events."""

    def __init__(self) -> None:
        self.state = State()
        self.clock = 0.0
        self.answers: list[Any] = []

    def event(self, kind: str, **fields: Any) -> Any:
        self.clock += 1
        outcome = reduce(self.state, {"type": kind, "at": self.clock, **fields})
        self.answers += outcome.answers
        return outcome

    def update(self, word: str, **fields: Any) -> Any:
        return self.event("update", update={"sessionUpdate": word, **fields})

    def say(self, text: str, message: str = "a1") -> Any:
        return self.update("agent_message_chunk", messageId=message, content={"type": "text", "text": text})

    def echo(self, message: str = "u1", text: str = "Fix it") -> Any:
        return self.update("user_message", messageId=message, content=[{"type": "text", "text": text}])

    def running(self) -> Any:
        return self.update("state_update", state="running")

    def idle(self, stop_reason: str | None = None, **fields: Any) -> Any:
        return self.update("state_update", state="idle", stopReason=stop_reason, **fields)

    def prompt(self) -> str:
        turn = self.state.next_turn()
        self.event("promptSent", turn=turn, prompt=ASK, source="python")
        return turn

    def result(self, turn: str, **result: Any) -> Any:
        return self.event("promptResult", turn=turn, result=result)

    def turn(self, key: str) -> Any:
        return self.state.get("turns", key)

    def of(self, group: str, key: str) -> Any:
        return (self.state.get(group, key) or {}).get("turn")


@pytest.fixture
def play() -> Play:
    return Play()


def test_a_prompt_from_sending_to_the_end(play: Play) -> None:
    turn = play.prompt()
    assert play.turn(turn)["status"] == "sent"
    play.running()
    play.echo()
    play.result(turn, messageId="u1")
    play.say("Done.")
    play.update("tool_call_update", toolCallId="1")
    assert play.turn(turn)["status"] == "running"
    play.idle("end_turn")
    assert play.turn(turn) == {
        "number": 1,
        "prompt": ASK,
        "source": "python",
        "status": "done",
        "echo": "u:u1",
        "messageId": "u1",
        "stopReason": "end_turn",
        "error": None,
        "at": {"queued": None, "sent": 1.0, "end": 7.0},
    }
    assert {play.of("messages", "u:u1"), play.of("messages", "a:a1"), play.of("toolCalls", "t:1")} == {turn}
    assert play.state.active_turn() is None
    assert play.state.turns_over() == [turn]


def test_an_idle_that_repeats_before_the_work_began_ends_nothing(play: Play) -> None:
    play.idle("end_turn")
    turn = play.prompt()
    play.idle("end_turn")
    play.result(turn)
    play.idle()
    assert play.turn(turn)["status"] == "sent"
    play.running()
    play.idle("end_turn")
    assert play.turn(turn)["status"] == "done"


def test_an_idle_with_a_reason_after_the_result_ends_a_turn_that_never_reported_running(play: Play) -> None:
    turn = play.prompt()
    play.result(turn)
    play.idle("refusal")
    assert (play.turn(turn)["status"], play.turn(turn)["stopReason"]) == ("done", "refusal")


def test_an_idle_after_the_echo_ends_the_turn(play: Play) -> None:
    turn = play.prompt()
    play.echo()
    play.idle()
    assert play.turn(turn)["status"] == "done"


@pytest.mark.parametrize("state", ["requires_action", "unknown", "_acme_dreaming"])
def test_every_busy_state_counts_as_work(play: Play, state: str) -> None:
    turn = play.prompt()
    play.update("state_update", state=state)
    play.idle()
    assert play.turn(turn)["status"] == "done"


def test_more_idles_change_nothing(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.idle("end_turn")
    assert play.idle("end_turn").ops == []
    assert play.turn(turn)["at"]["end"] == 3.0


def test_a_late_result_of_a_turn_that_is_over_only_tells_the_message_id(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.idle("end_turn")
    play.result(turn, messageId="u1")
    assert (play.turn(turn)["status"], play.turn(turn)["messageId"]) == ("done", "u1")


def test_a_stop_reason_error_is_shown_as_failure(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.idle("error", error={"code": -32603, "message": "The model is down", "data": [1]})
    ended = play.turn(turn)
    assert (ended["status"], ended["stopReason"]) == ("failed", "error")
    assert ended["error"] == {"message": "The model is down", "code": -32603, "data": [1]}


def test_a_refused_prompt_fails_its_turn_and_the_next_prompt_can_be_sent(play: Play) -> None:
    turn = play.prompt()
    play.event("promptError", turn=turn, error={"code": -32603, "message": "No model", "data": None})
    assert play.turn(turn)["status"] == "failed"
    assert play.turn(turn)["error"] == {"message": "No model", "code": -32603, "data": None}
    assert not play.state.busy()


@pytest.mark.parametrize("stop_reason", [None, "cancelled"])
def test_a_stop_before_the_work_began_ends_with_any_idle(play: Play, stop_reason: str | None) -> None:
    turn = play.prompt()
    play.event("cancel")
    play.idle(stop_reason)
    assert (play.turn(turn)["status"], play.turn(turn)["stopReason"]) == ("done", "cancelled")


def test_a_prompt_that_was_cancelled_before_it_was_taken_is_no_error(play: Play) -> None:
    turn = play.prompt()
    play.event("cancel")
    play.event("promptError", turn=turn, error={"code": -32800, "message": "cancelled"})
    ended = play.turn(turn)
    assert (ended["status"], ended["stopReason"], ended["error"]) == ("done", "cancelled", None)


# --- echoes ----------------------------------------------------------------------------------------------------------


def test_the_next_user_message_is_the_echo_until_the_result_names_another(play: Play) -> None:
    turn = play.prompt()
    play.echo("someone else's")
    assert play.turn(turn)["echo"] == "u:someone else's"
    play.result(turn, messageId="mine")
    assert play.turn(turn)["echo"] is None
    play.echo("third")
    assert play.turn(turn)["echo"] is None
    play.echo("mine")
    assert play.turn(turn)["echo"] == "u:mine"


def test_the_echo_may_come_before_the_result(play: Play) -> None:
    turn = play.prompt()
    play.echo("other")
    play.echo("mine")
    play.result(turn, messageId="mine")
    assert play.turn(turn)["echo"] == "u:mine"


def test_an_update_of_an_old_user_message_is_no_echo(play: Play) -> None:
    play.echo("old")
    turn = play.prompt()
    play.echo("old", "edited")
    assert play.turn(turn)["echo"] is None


# --- work that no prompt began ---------------------------------------------------------------------------------------


def test_work_that_the_agent_begins_is_a_turn_without_a_prompt(play: Play) -> None:
    play.running()
    turn = play.state.active_turn()
    play.say("I noticed something")
    play.idle("end_turn")
    assert turn is not None
    assert play.of("messages", "a:a1") == turn
    ended = play.turn(turn)
    assert (ended["prompt"], ended["status"], ended["stopReason"]) == (None, "done", "end_turn")


def test_what_comes_while_idle_belongs_to_one_turn_that_is_over(play: Play) -> None:
    first = play.prompt()
    play.running()
    play.idle("end_turn")
    play.update("tool_call_update", toolCallId="bg1")
    play.say("by the way")
    turn = play.of("toolCalls", "t:bg1")
    assert turn not in (None, first)
    assert play.of("messages", "a:a1") == turn
    assert play.turn(turn)["status"] == "done"
    assert not play.state.busy()
    second = play.prompt()
    play.running()
    play.idle()
    play.say("again", "a2")
    assert play.of("messages", "a:a2") not in (first, second, turn)


def test_late_updates_stay_with_the_turn_of_their_entity(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.update("tool_call_update", toolCallId="1")
    play.idle("end_turn")
    play.update("tool_call_update", toolCallId="1", status="completed")
    play.update("usage_update", used=1, size=2)
    play.update("notice", severity="info", title="Saved")
    assert play.state.keys("turns") == [turn]
    assert play.of("toolCalls", "t:1") == turn


def test_what_comes_after_a_refused_prompt_while_the_agent_still_works_has_a_turn(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.event("promptError", turn=turn, error={"code": 1, "message": "no"})
    play.say("still here")
    other = play.of("messages", "a:a1")
    assert other != turn
    assert play.turn(other)["status"] == "running"


def test_a_permission_for_background_work_stays_with_its_call(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.update("tool_call_update", toolCallId="1")
    play.idle("end_turn")
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "1"}}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    play.event("request", id=1, params={"title": "?", "subject": subject, "options": options})
    assert play.of("permissions", "p:1") == turn
    assert play.state.status() == "waiting"


# --- queues, stops, ends ---------------------------------------------------------------------------------------------


def test_queued_prompts_are_sent_in_order_or_dropped_with_their_text(play: Play) -> None:
    first, second, third = (play.state.next_turn() for _ in range(3))
    for turn in (first, second, third):
        play.event("promptQueued", turn=turn, prompt=ASK, source="composer")
    assert play.state.queued_turns() == [first, second, third]
    play.event("promptSent", turn=first, prompt=ASK, source="composer")
    play.event("promptDropped", turn=second, why="you removed it")
    dropped = play.turn(second)
    assert (dropped["status"], dropped["prompt"], dropped["error"]["message"]) == ("not_sent", ASK, "you removed it")
    assert play.state.queued_turns() == [third]
    assert play.turn(first)["at"] == {"queued": 1.0, "sent": 4.0, "end": None}


def test_a_stop_drops_what_is_queued_and_ends_with_the_next_idle(play: Play) -> None:
    turn = play.prompt()
    play.running()
    queued = play.state.next_turn()
    play.event("promptQueued", turn=queued, prompt=ASK, source="python")
    play.event("cancel")
    assert play.state.status() == "stopping"
    assert play.turn(queued)["status"] == "not_sent"
    play.event("promptDropped", turn=queued, why="stopped")
    play.idle()
    assert (play.turn(turn)["status"], play.turn(turn)["stopReason"]) == ("done", "cancelled")
    assert play.state.part("state")["stopReason"] is None
    assert play.state.status() == "new"
    assert play.state.snapshot()["diagnostics"] == []


def test_a_stop_leaves_calls_of_earlier_and_background_work_alone(play: Play) -> None:
    play.prompt()
    play.running()
    play.update("tool_call_update", toolCallId="left over", status="in_progress")
    play.idle("end_turn")
    play.update("tool_call_update", toolCallId="while idle", status="in_progress")
    play.prompt()
    play.running()
    play.update("tool_call_update", toolCallId="now", status="in_progress")
    play.event("cancel")
    statuses = {call["toolCallId"]: call["status"] for call in play.state.snapshot()["toolCalls"].values()}
    assert statuses == {"left over": "in_progress", "while idle": "in_progress", "now": "cancelled"}


def test_a_stop_while_idle_changes_no_call(play: Play) -> None:
    play.update("tool_call_update", toolCallId="1", status="in_progress")
    play.event("cancel")
    assert (play.state.get("toolCalls", "t:1") or {})["status"] == "in_progress"


def test_the_agents_death_fails_the_turn_and_settles_everything(play: Play) -> None:
    play.event("sessionNew", result={"sessionId": "s"})
    turn = play.prompt()
    play.running()
    queued = play.state.next_turn()
    play.event("promptQueued", turn=queued, prompt=ASK, source="python")
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    play.event("request", id=1, params={"title": "?", "options": options})
    error = {"name": "AgentExited", "title": "The agent ended", "message": "Exit code 1", "hint": "", "stderr": ""}
    play.event("ended", connection="failed", error=error)
    assert (play.turn(turn)["status"], play.turn(turn)["error"]["message"]) == ("failed", "Exit code 1")
    assert play.turn(queued)["status"] == "not_sent"
    permission = play.state.get("permissions", "p:1") or {}
    assert (permission["status"], permission["by"]) == ("cancelled", "end")
    assert play.answers == []
    assert play.state.part("state")["state"] == "running"  # nobody reported an idle
    assert (play.state.status(), play.state.busy()) == ("failed", False)
    assert play.state.part("session")["error"] == error


# --- replays and restarts --------------------------------------------------------------------------------------------


def test_each_replayed_user_message_opens_a_turn_that_is_over(play: Play) -> None:
    play.event("replayBegin")
    play.update("user_message", messageId="u1", content=[])
    play.update("user_message_chunk", messageId="u1", content={"type": "text", "text": "Fix it"})
    play.say("Done.")
    play.echo("u2", "More")
    play.say("Done again.", "a2")
    play.idle()
    play.event("replayEnd", result={})
    turns = play.state.snapshot()["turns"]
    assert [(turn["prompt"], turn["status"], turn["echo"]) for turn in turns.values()] == [
        (ASK, "done", "u:u1"),
        ([{"type": "text", "text": "More"}], "done", "u:u2"),
    ]
    assert [play.of("messages", key) for key in ("u:u1", "a:a1", "u:u2", "a:a2")] == ["r:1", "r:1", "r:2", "r:2"]
    assert play.state.status() == "idle"


def test_a_replay_finds_the_turns_that_are_still_there(play: Play) -> None:
    turn = play.prompt()
    play.running()
    play.echo()
    play.say("Done.")
    play.idle("end_turn")
    play.event("ended", connection="failed", error=None)
    play.event("starting", command=["x"], cwd="/", label="x", temporary=False)
    play.event("replayBegin")
    play.echo()
    play.say("Done.")
    play.event("replayEnd", result={})
    assert play.state.keys("turns") == [turn]
    assert play.of("messages", "a:a1") == turn
    assert play.state.part("timeline") == ["u:u1", "a:a1"]


def test_a_session_that_still_works_after_its_replay_goes_on_in_the_last_turn(play: Play) -> None:
    play.event("replayBegin")
    play.echo()
    play.running()
    play.event("replayEnd", result={})
    assert play.state.active_turn() == "r:1"
    play.say("more")
    play.idle("end_turn")
    assert play.of("messages", "a:a1") == "r:1"
    assert (play.turn("r:1")["status"], play.turn("r:1")["stopReason"]) == ("done", "end_turn")


def test_notices_and_decisions_outlive_a_replay(play: Play) -> None:
    play.update("notice", severity="info", title="n")
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    play.event("request", id=1, params={"title": "?", "options": options})
    play.event("respond", permission="p:1", optionId="y", by="you", why=None)
    play.say("x")
    play.event("replayBegin")
    play.event("replayEnd", result={})
    assert play.state.part("timeline") == ["n:1", "p:1"]
    assert play.state.snapshot()["messages"] == {}


def test_a_request_that_waits_is_in_sight_when_a_replay_drops_its_call(play: Play) -> None:
    call = {"type": "tool_call", "toolCall": {"toolCallId": "1"}}
    option = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
    play.event("request", id=1, params={"title": "?", "subject": call, "options": [option]})
    assert play.state.part("timeline") == ["t:1"]
    play.event("replayBegin")
    play.update("agent_message_chunk", messageId="a", content={"type": "text", "text": "so far"})
    assert play.state.part("timeline") == ["p:1", "a:a"]
    play.update("tool_call_update", toolCallId="1")
    assert play.state.part("timeline") == ["a:a", "t:1"]


def test_after_a_restart_the_same_ids_are_other_things(play: Play) -> None:
    def work(text: str) -> str:
        play.event("starting", command=["x"], cwd="/", label="x", temporary=False)
        play.event("sessionNew", result={"sessionId": text})
        turn = play.prompt()
        play.running()
        play.echo("u1", text)
        anchor = {"type": "terminal", "terminalId": "term_1"}
        play.update("tool_call_update", toolCallId="call_1", title=text, content=[anchor])
        play.update("terminal_output_chunk", terminalId="term_1", data="YQ==")
        play.update("plan_update", plan={"type": "items", "planId": "p", "entries": []})
        subject = {"type": "tool_call", "toolCall": {"toolCallId": "call_1"}}
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        play.event("request", id=1, params={"title": text, "subject": subject, "options": options})
        play.say(text)
        return turn

    first = work("old")
    play.event("ended", connection="failed", error=None)
    second = work("new")
    state = play.state.snapshot()
    old = state["toolCalls"]["t:call_1@1"]
    assert (old["title"], old["turn"], old["toolCallId"]) == ("old", first, "call_1@1")
    assert old["content"] == [{"type": "terminal", "terminalId": "term_1@1"}]
    assert state["terminals"]["x:term_1@1"]["output"]["data"] == "YQ=="
    assert state["permissions"]["p:1"]["toolCallId"] == "call_1@1"
    assert state["turns"][first]["echo"] == "u:u1@1"
    assert state["messages"]["a:a1@1"]["content"] == [{"type": "text", "text": "old"}]
    assert state["plans"]["l:p@1"]["plan"]["planId"] == "p@1"
    new = state["toolCalls"]["t:call_1"]
    assert (new["title"], new["turn"]) == ("new", second)
    assert state["permissions"]["p:2"]["toolCallId"] == "call_1"
    assert state["messages"]["a:a1"]["content"] == [{"type": "text", "text": "new"}]
    half = len(state["timeline"]) // 2
    assert [key.replace("@1", "") for key in state["timeline"][:half]] == state["timeline"][half:]


def test_a_resumed_session_keeps_its_ids(play: Play) -> None:
    play.update("tool_call_update", toolCallId="1", title="T")
    play.event("ended", connection="failed", error=None)
    play.event("starting", command=["x"], cwd="/", label="x", temporary=False)
    play.event("resumeBegin")
    play.event("resumeEnd", result={})
    play.update("tool_call_update", toolCallId="1", status="completed")
    assert play.state.keys("toolCalls") == ["t:1"]
