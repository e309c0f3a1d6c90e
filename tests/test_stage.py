"""The session's widget as its Agent holds it, outside of any notebook."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, runtime

from .agents.scripted import scripted, until

ONE_TURN = "start()\nwhile True:\n    text = prompt(); running(); say(text, text); idle()"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    with Agent(scripted(tmp_path, ONE_TURN), cwd=tmp_path) as agent:
        yield agent


def test_a_widget_that_was_closed_is_made_anew(agent: Agent) -> None:
    first = agent.widget
    assert agent.widget is first
    agent.run("one", timeout=20)
    first.close()
    second = agent.widget
    assert second is not first
    agent.run("two", timeout=20)
    until(lambda: (second.turn_count, second.status) == (2, "idle"))


def test_a_listener_that_fails_stops_no_agent(agent: Agent) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    driver = agent._driver
    driver.on_operations = driver.on_change = driver.on_turn_over = fail
    assert agent.run("one", timeout=20).text == "one"


def test_the_views_say_that_a_cell_waits_as_long_as_any_does(agent: Agent) -> None:
    sent: list[Any] = []
    stage, widget = agent._stage, agent.widget
    widget.send = lambda content, buffers=None: sent.append(content)

    def waits() -> list[tuple[bool, bool]]:
        runtime.run(lambda: None)
        return [(content["waiting"], content["clicks"]) for content in sent if content["type"] == "wait"]

    with contextlib.ExitStack() as outer:
        outer.enter_context(stage.waiting())
        with stage.waiting(awaiting=True):
            pass
        assert waits()[-1] == (True, True)
    assert waits()[-1] == (False, True)


def test_time_counts_as_readable_where_nothing_was_ever_drawn(agent: Agent) -> None:
    audience = agent._stage._audience
    before = audience.readable_seconds()
    until(lambda: audience.readable_seconds() > before)
    agent.widget  # noqa: B018 - from now on a page must be able to say hello, and outside a kernel none can
    assert audience.readable_seconds() == 0
    assert not audience.seen()
