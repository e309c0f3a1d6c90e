"""An agent that nobody here wrote the protocol of: the official SDK's, in version 2, driven by the Agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_widget import Agent, RequestError

from .agents.scripted import until
from .agents.sdk import sdk_v2_command

pytestmark = pytest.mark.slow  # it needs Node and installs the SDK once


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    with Agent(sdk_v2_command(), cwd=tmp_path, permissions="allow") as agent:
        yield agent


def test_its_main_script(agent: Agent) -> None:
    turn = agent.run("do it", timeout=30)
    assert turn.stop_reason == "end_turn"
    assert turn.text.startswith("I will run a command")
    assert turn.text.rstrip().endswith("All done: **3** tool calls finished.")
    assert [(call.kind, call.status) for call in turn.tool_calls] == [
        ("execute", "completed"),
        ("edit", "completed"),
        ("move", "completed"),
    ]
    assert (turn.terminals[0].text, turn.terminals[0].exit_code) == ("a\nb", 0)
    edit, moved = turn.diffs
    assert "+SECOND line, edited" in (edit.patch or "")
    assert moved.patch is None
    assert [change.operation for change in moved.changes] == ["add", "move", "delete"]
    assert turn.plan is not None
    assert {entry.status for entry in turn.plan.entries} == {"completed"}
    assert [permission.option_id for permission in turn.permissions] == ["once", "yes"]
    assert agent.diagnostics == []


def test_rejections(agent: Agent) -> None:
    agent.permissions = "reject"
    turn = agent.run("do it", timeout=30)
    assert turn.stop_reason == "end_turn"
    assert [call.status for call in turn.tool_calls] == ["failed", "failed", "completed"]
    assert [permission.allowed for permission in turn.permissions] == [False, False]


def test_a_stop(agent: Agent) -> None:
    turn = agent.prompt("#slow")
    until(lambda: "word3" in turn.text)
    turn.cancel()
    assert turn.wait(timeout=10).stop_reason == "cancelled"
    assert agent.run("#text", timeout=30).text.startswith("# Final text")


def test_a_stop_while_it_asks(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    agent.permissions = "ask"
    turn = agent.prompt("do it")
    until(lambda: agent.pending)
    turn.cancel()
    assert turn.wait(timeout=10).stop_reason == "cancelled"
    assert [(permission.status, permission.by) for permission in turn.permissions] == [("cancelled", "stop")]
    assert turn.tool_calls[0].status == "cancelled"


def test_its_odd_updates(agent: Agent) -> None:
    turn = agent.run("#odd", timeout=30)
    assert (turn.done, turn.stop_reason) == (True, "_vendor_reason")
    [call] = turn.tool_calls
    assert (call.kind, call.status, call.title, call.content) == ("teleport", "completed", None, [])
    assert turn.terminals[0].text == "authoritative snapshot\nred"
    assert turn.terminals[0].signal == "SIGKILL"
    assert agent.run("#text", timeout=30).stop_reason == "end_turn"


def test_its_error_and_its_work_in_the_background(agent: Agent) -> None:
    with pytest.raises(RequestError, match="The scripted model failed"):
        agent.run("#error", timeout=30)
    turn = agent.run("#background", timeout=30)
    assert turn.stop_reason == "end_turn"
    until(lambda: turn.terminals[-1].exited)
    assert turn.terminals[-1].text == "late"
