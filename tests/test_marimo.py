"""In marimo, as its notebooks call us: what is drawn, and waits during which no click could arrive."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from acp_widget import Agent, WaitNotPossible
from acp_widget.widget.widget import TurnView

FIX = "The test for mean() fails on an empty list. Fix it."
TRACE = "tests/traces/sdk-v2-agent-main.jsonl"
QUICK = {"ACP_WIDGET_DEMO_PACE": "0"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was put into the cell that runs."""
    shown: list[Any] = []
    output = SimpleNamespace(append=shown.append)
    monkeypatch.setitem(sys.modules, "marimo", SimpleNamespace(running_in_notebook=lambda: True, output=output))
    return shown


@pytest.fixture
def agent(drawn: list[Any]) -> Iterator[Agent]:
    with Agent("demo", env=QUICK) as made:
        yield made


def test_a_turn_and_an_agent_are_drawn(agent: Agent, drawn: list[Any]) -> None:
    turn = agent.prompt("hello")
    assert [isinstance(view, TurnView) for view in drawn] == [True]
    assert drawn[0].turn == turn._key
    assert "acp-widget" in drawn[0]._css, "a view has only the CSS of its own there"
    turn.wait()
    assert isinstance(turn._display_(), TurnView)
    assert agent._display_() is agent.widget
    assert "hello" in pickle.loads(pickle.dumps(turn))._display_()._repr_html_()


def test_a_wait_ends_when_somebody_is_asked_and_is_done_after_the_answer(agent: Agent) -> None:
    turn = agent.prompt(FIX)
    with pytest.raises(WaitNotPossible, match=r"asks 'Edit stats.py\?', and no button answers while this cell runs"):
        turn.wait()
    with pytest.raises(WaitNotPossible, match="run this cell again"):
        asyncio.run(_awaiting(turn))
    with pytest.raises(WaitNotPossible, match="Edit stats"):
        agent.wait()
    assert [request.status for request in agent.pending] == ["pending"], "nobody has answered in its place"
    agent.answer(agent.pending[0], "yes")
    with pytest.raises(WaitNotPossible, match=r"Run the tests\?"):
        turn.wait()
    agent.answer(agent.pending[0], "yes")
    assert turn.wait().stop_reason == "end_turn"


def test_a_wait_in_its_loop_does_not_nest_it(agent: Agent) -> None:
    async def cell() -> str | None:
        return agent.prompt("hello").wait().stop_reason

    assert asyncio.run(cell()) == "end_turn"
    assert not hasattr(asyncio, "_nest_patched")


def test_who_says_who_answers_can_wait(drawn: list[Any]) -> None:
    with Agent("demo", env=QUICK, permissions="allow") as agent:
        assert agent.run(FIX).stop_reason == "end_turn"


def test_a_widget_whose_cell_ran_again_is_made_anew(agent: Agent) -> None:
    before = agent.widget
    before.comm._closed = True  # as marimo does with what a cell opened
    assert agent.widget is not before
    assert agent.widget.alive


def test_a_script_of_marimo_draws_nothing(drawn: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["marimo"], "running_in_notebook", lambda: False)
    with Agent("demo", env=QUICK) as agent:
        turn = agent.run("hello")
        assert drawn == []
        assert "hello" in turn._display_()._repr_html_()


async def _awaiting(turn: Any) -> None:
    await turn


def test_a_replay_that_asks_ends_the_wait_too(drawn: list[Any]) -> None:
    agent = Agent.replay(TRACE, speed=float("inf"), permissions="ask")
    with pytest.raises(WaitNotPossible, match=r"The replay asks '.*', and no button answers"):
        agent.wait()
    assert agent.player is not None
    agent.player.choose(agent.player.question["options"][0]["optionId"])  # type: ignore[index]
    assert agent.player.choices[0]["question"] == "Run this command?"
    paused = Agent.replay(TRACE, speed=float("inf"), paused=True)
    with pytest.raises(WaitNotPossible, match="The replay is paused"):
        paused.wait()
    assert paused.player is not None
    assert paused.player.seek(paused.player.count).end == "complete"
    paused.wait()
    agent.close()
    paused.close()
