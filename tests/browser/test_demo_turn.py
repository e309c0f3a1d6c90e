"""The main job: a prompt, two questions answered with buttons, and the results in Python."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import PROMPT, REPORT, START, answer, expect_end, question, report, turn_answered_while_it_runs, turn_view

WAITS = [
    pytest.param("turn.wait()", id="wait"),
    pytest.param("await turn", id="await", marks=pytest.mark.slow),
    pytest.param("", id="neither", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("wait", WAITS)
def test_a_turn_is_seen_answered_and_read(open_notebook: OpenNotebook, wait: str) -> None:
    notebook = open_notebook([START, f"{PROMPT}\n{wait}", REPORT])
    result = turn_answered_while_it_runs(notebook, waits=bool(wait))
    assert [call for call, _ in result["calls"]] == ["call_1", "call_2", "call_3"]
    assert {status for _, status in result["calls"]} == {"completed"}
    assert 'float("nan")' in result["file"]
    assert "tests pass" in result["text"]


def test_a_rejected_edit_changes_nothing(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, f"{PROMPT}\nturn.wait()", REPORT])
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    answer(view, "Edit stats.py?", "Reject")
    expect_end(view)
    expect(view).to_contain_text("Rejected by you")
    notebook.finish(1)
    result = report(notebook, 2)
    assert result["answers"] == [["Edit stats.py?", "selected", "no", "you"]]
    assert "nan" not in result["file"]
    assert "I did not change" in result["text"]


def test_stop_ends_the_work_and_the_wait(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, 'turn = agent.prompt("/slow")\nturn.wait().stop_reason'])
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    expect(view).to_contain_text("Counting slowly")
    view.get_by_role("button", name="Stop").click()
    expect_end(view, "Stopped by you")
    assert "'cancelled'" in notebook.finish(1)
    expect(view.get_by_role("button", name="Stop")).to_have_count(0)


@pytest.mark.slow
def test_stop_settles_an_open_question(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT, REPORT])
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible()
    view.get_by_role("button", name="Stop").click()
    expect_end(view, "Stopped by you")
    expect(question(view, "Edit stats.py?")).to_have_count(0)
    result = report(notebook, 2)
    assert result["answers"] == [["Edit stats.py?", "cancelled", None, "stop"]]
    assert "nan" not in result["file"]


def test_an_agent_that_is_not_there_says_so_in_the_cell(open_notebook: OpenNotebook) -> None:
    cells = ["from acp_widget import Agent", 'agent = Agent("no-such-agent --acp")\nagent.prompt("hello").wait()']
    notebook = open_notebook(cells)
    notebook.run(0)
    assert "AgentNotFound" in notebook.run(1)
    view = turn_view(notebook, 1)
    expect(view).to_contain_text("The agent did not start")
    expect(view).to_contain_text("no-such-agent")


def test_an_agent_that_dies_leaves_its_last_words(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, 'turn = agent.prompt("/fail crash")\nturn.wait()'])
    notebook.run(0)
    assert "AgentExited" in notebook.run(1)
    view = turn_view(notebook, 1)
    expect(view).to_contain_text("I am about to crash")
    expect(view).to_contain_text("this is the end of stderr")
