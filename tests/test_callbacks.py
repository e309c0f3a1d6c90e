"""What happens is told to the functions that asked for it: in order, on a thread of their own, until the end."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from acp_widget import Agent, AgentClosed, Message, Permission, Terminal, ToolCall, Turn
from acp_widget.deliveries import Deliveries

FIX = "The test for mean() fails on an empty list. Fix it."


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions="allow") as agent:
        yield agent


def until(condition: Callable[[], object], what: str) -> None:
    """Wait for something that another thread brings about."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, f"{what}: not so"
        time.sleep(0.005)


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "acp-widget-callbacks"]


def test_the_ends_of_turns_are_told_in_order_with_the_turn(agent: Agent) -> None:
    ended: list[Turn] = []
    agent.on_turn_end(ended.append)
    turns = [agent.prompt(text) for text in ("hello", "hello", FIX)]
    agent.wait()
    agent.close()
    assert ended == turns
    assert {turn.status for turn in ended} == {"done"}


def test_a_turn_that_was_never_sent_has_ended_too(agent: Agent) -> None:
    ended: list[tuple[str, str]] = []
    agent.on_turn_end(lambda turn: ended.append((turn.id, turn.status)))
    first, second = agent.prompt("/slow"), agent.prompt("hello")
    until(lambda: first.status == "running", "the first one runs")
    second.cancel()
    first.cancel()
    agent.wait()
    agent.close()
    assert ended == [(second.id, "not_sent"), (first.id, "done")]


def test_a_request_is_told_once_and_can_be_answered_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    asked: list[Permission] = []
    with Agent("demo", permissions="reject") as agent:
        agent.on_permission(asked.append)
        turn = agent.run(FIX)
    assert asked == list(turn.permissions)
    assert all(request.by == "policy" for request in asked)


def test_changes_of_one_thing_may_be_told_once_and_the_last_one_is(agent: Agent) -> None:
    seen: list[tuple[object, Any]] = []
    free = threading.Event()

    def slow(thing: Any) -> None:
        free.wait(20)
        seen.append((thing, thing.to_dict()))

    agent.on_update(slow)
    turn = agent.run(FIX)
    free.set()
    agent.close()
    things = [thing for thing, _ in seen]
    kinds = {type(thing) for thing in things}
    assert {Message, ToolCall, Terminal, Permission, Turn} <= kinds
    # The function stood still at the first one: all else came while it waited, and is told once.
    assert all(things.count(thing) <= 2 for thing in things)
    latest = dict(seen)
    assert all(latest[call] == call.to_dict() for call in turn.tool_calls)


def test_async_functions_are_awaited_one_after_the_other(agent: Agent) -> None:
    steps: list[str] = []

    @agent.on_turn_end
    async def ended(turn: Turn) -> None:
        steps.append(f"begin {turn.id}")
        await asyncio.sleep(0)
        steps.append(f"end {turn.id}")

    first, second = agent.run("hello"), agent.run("hello")
    agent.close()
    assert steps == [f"{word} {turn.id}" for turn in (first, second) for word in ("begin", "end")]


def test_what_a_function_raises_breaks_nothing_and_is_said_once(agent: Agent) -> None:
    ended: list[Turn] = []

    @agent.on_turn_end
    def broken(turn: Turn) -> None:
        raise KeyError("nothing here")

    agent.on_turn_end(ended.append)
    turns = [agent.run("hello"), agent.run("hello")]
    until(lambda: len(ended) == 2, "both ends are told")
    until(lambda: any("nothing here" in each["message"] for each in agent.diagnostics), "it is said")
    assert ended == turns
    said = [each for each in agent.diagnostics if "nothing here" in each["message"]]
    assert len(said) == 1
    assert "on_turn_end" in said[0]["message"]
    assert "broken" in said[0]["message"]


def test_the_functions_run_neither_here_nor_where_the_agent_runs(agent: Agent) -> None:
    where: list[str] = []
    agent.on_turn_end(lambda turn: where.append(threading.current_thread().name))
    agent.run("hello")
    agent.close()
    assert where == ["acp-widget-callbacks"]


def test_a_function_that_ended_its_subscription_is_not_called_again(agent: Agent) -> None:
    ended: list[Turn] = []
    others: list[Turn] = []
    subscription = agent.on_turn_end(ended.append)
    agent.on_turn_end(others.append)
    agent.run("hello")
    until(lambda: len(others) == 1, "the first end is told")
    subscription.end()
    subscription.end()
    with agent.on_turn_end(ended.append) as inside:
        assert inside.active
    agent.run("hello")
    agent.close()
    assert (len(ended), len(others)) == (1, 2)
    assert not subscription.active
    assert "ended" in repr(subscription)


def test_a_decorated_function_stays_what_it_was(agent: Agent) -> None:
    @agent.on_turn_end
    def double(number: Any) -> Any:
        return number * 2

    assert double(4) == 8


@pytest.mark.parametrize("name", ["on_turn_end", "on_permission", "on_update"])
def test_only_functions_are_called_and_none_after_the_end(name: str, agent: Agent) -> None:
    with pytest.raises(TypeError, match="wants a function, not str"):
        getattr(agent, name)("print")
    agent.close()
    with pytest.raises(AgentClosed):
        getattr(agent, name)(print)


def test_a_function_may_prompt_wait_and_close(agent: Agent) -> None:
    done = threading.Event()

    @agent.on_turn_end
    def again(turn: Turn) -> None:
        if turn.prompt == "hello":
            agent.prompt("once more").wait()
            agent.close()
            done.set()

    agent.prompt("hello")
    assert done.wait(30)
    assert [turn.status for turn in agent.turns] == ["done", "done"]


def test_the_end_leaves_no_thread_and_no_function_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    before = len(workers())
    for _ in range(3):
        with Agent("demo") as agent:
            subscriptions = [agent.on_turn_end(lambda turn: None), agent.on_update(lambda thing: None)]
            agent.run("hello")
        assert len(workers()) == before
        assert not any(subscription.active for subscription in subscriptions)


def test_an_agent_that_nobody_holds_ends_though_functions_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    before = len(workers())
    ended: list[str] = []

    def work() -> None:
        agent = Agent("demo")
        agent.on_turn_end(lambda turn: ended.append(turn.status))
        agent.prompt("hello")

    work()
    gc.collect()
    until(lambda: ended == ["done"], "the end of its turn is told")
    until(lambda: len(workers()) == before, "its thread has ended")


def test_an_end_waits_for_what_is_under_way_but_not_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    deliveries = Deliveries(lambda sentence: None)
    running, free = threading.Event(), threading.Event()

    def stuck(thing: object) -> None:
        running.set()
        free.wait(20)

    deliveries.add("update", stuck)
    deliveries.note("update", 1, lambda: 1)
    assert running.wait(10)
    deliveries.finish()
    deliveries.join(0.01)
    assert "left alone" in caplog.text
    free.set()
    deliveries.join(10)
    assert deliveries.threads == 0


def test_a_script_tells_what_happened_before_it_ends() -> None:
    code = (
        "from acp_widget import Agent; agent = Agent('demo'); agent.on_turn_end(lambda turn: print(turn.stop_reason));"
        "agent.run('hello')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("end_turn\n", 0), done.stderr
