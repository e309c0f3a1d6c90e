"""One Agent in several threads, event loops and processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, AgentClosed, AnswerRefused, Permission, Turn, WaitNotPossible

from .agents.scripted import scripted, until

PARROT = """
start()
while True:
    text = prompt(); running(); say(text, text); idle()
"""
# Takes a prompt's time: it goes on when there is a file of the prompt's name.
PATIENT = """
start()
while True:
    text = prompt(); running(); say(text, text)
    while not os.path.exists(text): time.sleep(0.005)
    idle()
"""
ASKING = """
start()
while True:
    number = prompt(); running(); ask(number)
    say(json.dumps(answered(number)[number]['result']['outcome']), number); idle()
"""

Make = Callable[..., Agent]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Agent] = []

    def make(body: str, **options: Any) -> Agent:
        made.append(Agent(scripted(tmp_path, body), cwd=tmp_path, **options))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


@pytest.fixture
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook whose page is open."""
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    monkeypatch.setattr("acp_widget.stage.Audience.seen", lambda self: True)


def at_once(count: int, work: Callable[[int], object]) -> list[BaseException]:
    """Run it in so many threads, and give what was raised."""
    raised: list[BaseException] = []
    together = threading.Barrier(count)

    def run(number: int) -> None:
        together.wait()
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


# --- threads ----------------------------------------------------------------------------------------------------------


def test_prompts_from_many_threads_are_sent_one_after_the_other(make: Make) -> None:
    agent = make(PARROT)
    said: dict[str, str] = {}

    def prompt(number: int) -> None:
        for round_ in range(5):
            text = f"{number}.{round_}"
            said[text] = agent.run(text, timeout=30).text

    assert at_once(4, prompt) == []
    assert len(said) == 20
    assert all(text == answer for text, answer in said.items())
    assert [turn.stop_reason for turn in agent.turns] == ["end_turn"] * 20


@pytest.mark.usefixtures("_watched")
def test_of_many_answers_at_once_exactly_one_counts(make: Make) -> None:
    agent = make(ASKING)
    turn = agent.prompt("1")
    until(lambda: agent.pending)
    permission = agent.pending[0]
    raised = at_once(8, lambda number: agent.answer(permission, "yes" if number % 2 else "no"))
    assert len(raised) == 7
    assert all(isinstance(error, AnswerRefused) for error in raised)
    turn.wait(20)
    assert turn.text == f'{{"outcome": "selected", "optionId": "{permission.option_id}"}}'


@pytest.mark.usefixtures("_watched")
def test_a_thousand_requests_at_once_are_all_answered(make: Make) -> None:
    body = """
    start(); prompt(); running()
    for number in range(1000): ask(number)
    answers = answered(*range(1000)).values()
    say(str(sum(each['result']['outcome'].get('optionId') == 'yes' for each in answers))); idle(); serve()
    """
    agent = make(body)
    turn = agent.prompt("go")
    until(lambda: len(agent.pending) == 1000)
    for permission in agent.pending:
        agent.answer(permission, "yes")
    assert turn.wait(30).text == "1000"


def test_threads_that_ask_for_the_widget_get_one_and_the_same(make: Make) -> None:
    agent = make(PARROT)
    widgets = set()
    assert at_once(4, lambda number: widgets.add(agent.widget.model_id)) == []
    assert len(widgets) == 1


@pytest.mark.usefixtures("_watched")
def test_a_handler_of_observe_may_answer_prompt_and_close_but_not_wait(make: Make) -> None:
    agent = make(ASKING)
    turns: list[Turn] = []
    refused: list[BaseException] = []

    def on_request(change: Any) -> None:
        if change["new"] == 1:
            agent.answer(agent.pending[0], "yes")
            turns.append(agent.prompt("2"))
            for wait in (turns[0].wait, agent.wait):
                try:
                    wait(1)
                except WaitNotPossible as error:
                    refused.append(error)
            agent.close()

    agent.widget.observe(on_request, "pending_count")
    first = agent.prompt("1")
    with pytest.raises(AgentClosed):
        first.wait(20)
    until(lambda: agent.status == "closed")
    assert len(refused) == 2
    assert (first.permissions[0].option_id, turns[0].status) == ("yes", "not_sent")


@pytest.mark.usefixtures("_watched")
def test_a_permission_of_another_agent_is_refused(make: Make) -> None:
    one, other = make(ASKING), make(ASKING)
    one.prompt("1")
    other.prompt("1")
    until(lambda: one.pending and other.pending)
    with pytest.raises(AnswerRefused, match="another agent"):
        one.answer(other.pending[0], "yes")
    assert isinstance(one.pending[0], Permission)
    assert other.pending[0].pending


def test_a_wait_of_no_time_tells_whether_it_is_over(make: Make, tmp_path: Path) -> None:
    agent = make(PATIENT)
    turn = agent.prompt("go")
    for wait in (turn.wait, agent.wait):
        with pytest.raises(TimeoutError):
            wait(0)
    (tmp_path / "go").touch()
    assert turn.wait(20).wait(0) is turn
    assert agent.wait(0) is agent


# --- event loops ------------------------------------------------------------------------------------------------------


def test_turns_can_be_gathered_and_awaited_in_several_loops(make: Make) -> None:
    agent = make(PARROT)

    async def both(number: int) -> list[str]:
        return [turn.text for turn in await asyncio.gather(agent.prompt(f"{number}a"), agent.prompt(f"{number}b"))]

    assert asyncio.run(both(9)) == ["9a", "9b"]
    said: list[str] = []
    assert at_once(2, lambda number: said.extend(asyncio.run(both(number)))) == []
    assert sorted(said) == ["0a", "0b", "1a", "1b"]


def test_a_turn_can_be_awaited_twice(make: Make) -> None:
    turn = make(PARROT).prompt("one")

    async def twice() -> bool:
        return (await turn) is (await turn)

    assert asyncio.run(twice())


def test_a_task_that_ends_takes_only_its_own_turn_along(make: Make, tmp_path: Path) -> None:
    agent = make(PATIENT)
    running, queued = agent.prompt("first"), agent.prompt("second")
    until(lambda: running.text)

    async def impatient() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(queued, 0.05)
        until(lambda: queued.done)
        assert agent.status == "running", "not asked to stop"
        (tmp_path / "first").touch()
        await running

    asyncio.run(impatient())
    assert (running.stop_reason, queued.status) == ("end_turn", "not_sent")


def test_a_cancelled_task_stops_its_turn(make: Make) -> None:
    agent = make("start(); prompt(); running(); say('on it'); until('session/cancel'); idle('cancelled'); serve()")
    turn = agent.prompt("go")

    async def cancelled() -> None:
        task = asyncio.ensure_future(turn)
        until(lambda: turn.text)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert turn.wait(20).stop_reason == "cancelled"


# --- processes --------------------------------------------------------------------------------------------------------


def _in_a_child(agent: Agent, turn: Turn, folder: Path, told: Any) -> None:
    refused = []
    uses = (lambda: agent.prompt("x"), lambda: agent.wait(1), lambda: turn.wait(1), agent.cancel, agent.restart)
    for use in (*uses, lambda: agent.policy.add("Read('**')")):
        try:
            use()
        except AgentClosed as error:
            refused.append("forked from" in str(error))
    agent.close()
    with Agent(scripted(folder, PARROT), cwd=folder) as own:
        told.put((turn.text, agent.status, refused, own.run("mine", timeout=20).text))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # forking with threads is what is tried here
def test_a_forked_child_can_read_and_do_no_harm(make: Make, tmp_path: Path) -> None:
    agent = make(PATIENT)
    turn = agent.prompt("go")
    until(lambda: turn.text)
    (tmp_path / "child").mkdir()
    context = multiprocessing.get_context("fork")
    told = context.SimpleQueue()
    child = context.Process(target=_in_a_child, args=(agent, turn, tmp_path / "child", told))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert told.get() == ("go", "running", [True] * 6, "mine")
    (tmp_path / "go").touch()
    assert turn.wait(20).stop_reason == "end_turn"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # forking with threads is what is tried here
def test_a_child_that_was_forked_in_the_middle_of_a_change_can_still_read(make: Make) -> None:
    agent = make(PARROT)
    locked, forked = threading.Event(), threading.Event()

    def change() -> None:
        with agent._driver.state.lock:
            locked.set()
            forked.wait(20)

    thread = threading.Thread(target=change)
    thread.start()
    assert locked.wait(20)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a hang ends the child
        os._exit(0 if agent.status == "new" else 1)
    forked.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
