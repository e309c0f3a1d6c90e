"""Going back to an earlier prompt: a new session that is told what was said before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_widget import Agent, NotOffered, RequestError

from .agents.scripted import scripted, until

SESSIONS = """
initialize()
number = 0
told = []
while (message := read()) is not None:
    method = message.get("method")
    if method == "session/new":
        number += 1
        {refuse}
        answer(message, {{"sessionId": f"s{{number}}"}})
    elif method == "session/prompt":
        answer(message, {{}})
        params = message["params"]
        def update(**fields):
            send({{"method": "session/update", "params": {{"sessionId": params["sessionId"], "update": fields}}}})
        update(sessionUpdate="state_update", state="running")
        said = json.dumps([params["sessionId"], params["prompt"]])
        update(sessionUpdate="agent_message", messageId=f"m{{len(told)}}", content=[{{"type": "text", "text": said}}])
        told.append(said)
        update(sessionUpdate="state_update", state="idle", stopReason="end_turn")
    elif "id" in message:
        answer(message, {{}})
"""


def sessions(folder: Path, refuse: str = "") -> list[str]:
    return scripted(folder, SESSIONS.format(refuse=refuse))


def test_an_earlier_prompt_is_sent_anew_in_a_session_that_knows_only_what_was_before(tmp_path: Path) -> None:
    with Agent(sessions(tmp_path), cwd=tmp_path) as agent:
        _, second, _ = [agent.run(text) for text in ("One", "Two", "Three")]
        again = agent.edit(second, "Two, but better").wait()
        session, blocks = json.loads(again.text)
        assert session == "s2"
        assert blocks[0]["text"] == "Two, but better"
        assert "The user said:\nOne" in blocks[1]["text"]
        assert "Three" not in blocks[1]["text"]
        assert [each.name for each in again.attached] == ["what was said before"]
        assert [turn.prompt for turn in agent.turns] == ["One", "Two", "Three", "Two, but better"]
        assert json.loads(agent.run("On").text)[0] == "s2"


def test_the_first_prompt_goes_as_it_was_and_with_nothing(tmp_path: Path) -> None:
    with Agent(sessions(tmp_path), cwd=tmp_path) as agent:
        turn = agent.run("One")
        again = agent.edit(turn).wait()
        assert json.loads(again.text) == ["s2", [{"type": "text", "text": "One"}]]


def test_an_agent_that_refuses_a_new_session_stays_in_the_old_one(tmp_path: Path) -> None:
    refuse = 'if number > 1: send({"id": message["id"], "error": {"code": -32603, "message": "full"}}); continue'
    with Agent(sessions(tmp_path, refuse), cwd=tmp_path) as agent:
        turn = agent.run("One")
        with pytest.raises(RequestError, match="full"):
            agent.edit(turn, "Two")
        assert [each.prompt for each in agent.turns] == ["One"]
        assert json.loads(agent.run("On").text)[0] == "s1"


def test_an_agent_at_work_cannot_go_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0.2")
    with Agent("demo") as agent:
        turn = agent.run("Hello")
        slow = agent.prompt("/slow")
        until(lambda: slow.text)
        with pytest.raises(NotOffered, match=r"agent\.wait\(\) waits"):
            agent.edit(turn)
        slow.cancel()
        slow.wait()


def test_what_is_no_prompt_of_this_agent_is_refused(tmp_path: Path) -> None:
    with Agent(sessions(tmp_path), cwd=tmp_path) as one, Agent(sessions(tmp_path), cwd=tmp_path) as other:
        turn = one.run("One")
        with pytest.raises(ValueError, match="another agent"):
            other.edit(turn)
        with pytest.raises(TypeError, match="takes one of agent"):
            one.edit(1)  # type: ignore[arg-type]
