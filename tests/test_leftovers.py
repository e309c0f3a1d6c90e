"""What agents leave behind when nobody holds them any more: nothing."""

from __future__ import annotations

import gc
import tempfile
import threading
from pathlib import Path

import psutil
import pytest
from ipywidgets.widgets.widget import _instances

from acp_widget import Agent, AgentExited, Turn

from .agents.scripted import scripted, until

FIX = "The test for mean() fails on an empty list. Fix it."
COUNTED = {
    "processes": lambda: len(psutil.Process().children(recursive=True)),
    "threads": lambda: sorted(thread.name for thread in threading.enumerate()),
    "file descriptors": lambda: psutil.Process().num_fds(),
    "folders": lambda: [each.name for each in Path(tempfile.gettempdir()).iterdir()],
    "widgets": lambda: len(_instances),
}


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    gc.collect()


def kept() -> dict[str, object]:
    gc.collect()
    return {name: count() for name, count in COUNTED.items()}


def edited(agent: Agent) -> None:
    turn = agent.run(FIX, timeout=30, show=False)
    assert [change.shown_path for change in turn.changes()] == ["stats.py"]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "dropped"])
def test_agents_come_and_go_and_nothing_is_left(closed: bool) -> None:
    def cycle() -> None:
        agent = Agent("demo", permissions="allow")
        edited(agent)
        if closed:
            agent.close()

    cycle()
    until(lambda: kept()["folders"] == [])
    before = kept()
    for _ in range(3):
        cycle()
    until(lambda: kept() == before)


@pytest.mark.slow  # 12 s
def test_fifty_agents_leave_nothing_and_take_no_more_memory() -> None:
    def cycle() -> None:
        with Agent("demo", permissions="allow") as agent:
            edited(agent)

    for _ in range(10):  # what is loaded and cached once
        cycle()
    until(lambda: kept()["folders"] == [])
    before, memory = kept(), psutil.Process().memory_info().rss
    for _ in range(50):
        cycle()
    until(lambda: kept() == before)
    assert psutil.Process().memory_info().rss - memory < 10_000_000


def test_a_closed_agent_can_be_read_and_its_changes_taken_back() -> None:
    agent = Agent("demo", permissions="allow")
    edited(agent)
    agent.close()
    gc.collect()
    assert agent.turns[0].revert().restored == [str(Path(agent.cwd, "stats.py"))]


def test_a_change_that_somebody_holds_keeps_its_bytes() -> None:
    with Agent("demo", permissions="allow") as agent:
        edited(agent)
        change = agent.turns[0].changes()[0]
        folder = agent.cwd
    del agent
    gc.collect()
    until(lambda: not Path(folder).exists())
    assert b"def mean" in (change.before or b"")
    del change
    until(lambda: kept()["folders"] == [])


def test_a_temporary_folder_stays_while_another_agent_works_there(tmp_path: Path) -> None:
    first = Agent("demo")
    second = Agent(scripted(tmp_path, "start(); serve()"), cwd=first.cwd)
    folder = first.cwd
    del first
    gc.collect()
    second.start().wait(20)
    assert Path(folder).is_dir()
    second.close()
    del second
    until(lambda: kept() and not Path(folder).exists())


def test_an_agent_that_was_never_used_takes_its_folder_along() -> None:
    before = kept()
    agent = Agent("demo")
    folder = agent.cwd
    assert Path(folder).is_dir()
    del agent
    until(lambda: kept() == before and not Path(folder).exists())


def test_an_agent_that_died_leaves_nothing_when_it_is_dropped(tmp_path: Path) -> None:
    def use() -> str:
        first = Agent("demo")
        agent = Agent(scripted(tmp_path, "start(); sys.exit(1)"), cwd=first.cwd, watch=True)
        agent.start().wait(20)
        until(lambda: agent.status == "failed")
        return agent.cwd

    folder = use()
    until(lambda: kept() and not Path(folder).exists())


def test_what_a_function_was_told_can_be_used_after_the_agent_and_goes_with_it(tmp_path: Path) -> None:
    told: list[Turn] = []

    def use() -> None:
        agent = Agent("demo", permissions="allow")
        agent.on_turn_end(told.append)
        agent.prompt(FIX, show=False)

    use()
    gc.collect()
    until(lambda: told)
    driver = told[0]._host._agent._driver  # type: ignore[attr-defined]
    until(lambda: driver.closed)
    gc.collect()
    assert told[0].revert().restored == [told[0].changes()[0].path]
    told.clear()
    until(lambda: kept()["folders"] == [])


def test_an_agent_that_died_ends_the_thread_that_told_of_it(tmp_path: Path) -> None:
    def use() -> None:
        agent = Agent(scripted(tmp_path, "start(); prompt(); sys.exit(1)"), cwd=tmp_path)
        agent.on_turn_end(lambda turn: None)
        with pytest.raises(AgentExited):
            agent.run("go", timeout=20)

    use()
    until(lambda: "acp-widget-callbacks" not in kept()["threads"])  # type: ignore[operator]
