"""How long an agent lives: with whoever holds it, until its work is done, never longer than its process."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, AgentExited, RequestError

from .agents.scripted import scripted, until
from .processes import alive

# Goes on with a prompt's work when there is a file of the prompt's name.
PATIENT = """
start()
while True:
    text = prompt(); running(); say(text, text)
    while not os.path.exists(text): time.sleep(0.005)
    idle()
"""
BUSY = "start(); say(prompt()); running(); serve()"


def pid_of(driver: Any) -> int:
    return int(driver._peer._transport.pid)


def dropped(reference: weakref.ref[Any]) -> bool:
    gc.collect()
    return reference() is None


# --- nobody holds it any more -----------------------------------------------------------------------------------------


def test_a_dropped_agent_finishes_what_it_was_given(tmp_path: Path) -> None:
    agent = Agent(scripted(tmp_path, PATIENT), cwd=tmp_path)
    driver, gone = agent._driver, weakref.ref(agent)
    agent.prompt("one")
    agent.prompt("two")
    until(lambda: driver.state.keys("messages"))
    pid = pid_of(driver)
    del agent
    assert dropped(gone)
    (tmp_path / "one").touch()
    until(lambda: len(driver.state.keys("messages")) == 2)
    (tmp_path / "two").touch()
    until(lambda: driver.closed and not alive(pid))
    assert [driver.state.get("turns", key)["stopReason"] for key in driver.state.keys("turns")] == ["end_turn"] * 2  # type: ignore[index]


def test_a_turn_keeps_its_agent(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    turn = Agent(scripted(tmp_path, PATIENT), cwd=tmp_path).prompt("one")
    gc.collect()
    assert turn.wait(20).text == "one"
    gc.collect()
    pid = pid_of(turn._host._agent._driver)  # type: ignore[attr-defined]
    assert alive(pid)
    del turn
    gc.collect()
    until(lambda: not alive(pid))


def test_an_agent_that_is_dropped_while_it_starts_ends_when_it_has_started(tmp_path: Path) -> None:
    body = "while not os.path.exists('go'): time.sleep(0.005)\nstart(); serve()"
    driver = Agent(scripted(tmp_path, body), cwd=tmp_path).start()._driver
    gc.collect()
    until(lambda: driver._peer)
    pid = pid_of(driver)
    (tmp_path / "go").touch()
    until(lambda: driver.closed and not alive(pid))


def test_an_error_that_was_raised_keeps_nobody_alive(tmp_path: Path) -> None:
    body = "start(); send({'id': read()['id'], 'error': {'code': 1, 'message': 'no'}}); serve()"
    agent = Agent(scripted(tmp_path, body), cwd=tmp_path)
    with pytest.raises(RequestError):
        agent.run("one", timeout=20)
    pid, gone = pid_of(agent._driver), weakref.ref(agent)
    del agent
    assert dropped(gone)
    until(lambda: not alive(pid))


def test_a_dead_agent_leaves_nothing_in_memory(tmp_path: Path) -> None:
    agent = Agent(scripted(tmp_path, "start(); prompt(); running(); sys.exit(1)"), cwd=tmp_path)
    with pytest.raises(AgentExited):
        agent.run("one", timeout=20)
    driver = weakref.ref(agent._driver)
    del agent
    until(lambda: dropped(driver))


def test_a_panel_in_use_keeps_its_agent(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    agent = Agent(scripted(tmp_path, PATIENT), cwd=tmp_path)
    widget, driver = agent.widget, agent._driver
    del agent
    gc.collect()

    def browser(**message: Any) -> None:
        widget._on_message(widget, message, [])

    browser(type="view", view="panel", open=True)
    browser(type="prompt", id="action-1", text="one")
    until(lambda: driver.state.turns_over())
    browser(type="prompt", id="action-2", text="one")
    until(lambda: len(driver.state.turns_over()) == 2)
    assert not driver.closed
    pid = pid_of(driver)
    browser(type="view", view="panel", open=False)
    until(lambda: driver.closed and not alive(pid))
    widget.close()


# --- the interpreter ends ---------------------------------------------------------------------------------------------

UNTIL_IT_SPEAKS = "while not turn.text: time.sleep(0.01)\nprint(agent._driver._peer._transport.pid, flush=True)\n"
ENDS = {
    "never used": "print(0)",
    "dropped": "del agent\nprint(0)",
    "in a turn": "turn = agent.prompt('go')\n" + UNTIL_IT_SPEAKS,
    "while it starts": "agent.start()\nwhile not agent._driver._peer: time.sleep(0.01)\n"
    "print(agent._driver._peer._transport.pid)",
    "in a turn, with a thread that ends": "turn = agent.prompt('go')\n"
    + UNTIL_IT_SPEAKS
    + "threading.Thread(target=sys.exit).start()",
}
HARD_ENDS = {
    "by an exception": ("raise SystemExit(3)", 3),
    "by a signal": ("os.kill(os.getpid(), 15)", -15),
    "at once": ("os._exit(3)", 3),
}


def ran(tmp_path: Path, body: str, script: str) -> subprocess.CompletedProcess[str]:
    make = f"agent = Agent({scripted(tmp_path, body)!r}, cwd={str(tmp_path)!r})\n"
    code = "import os, sys, threading, time\nfrom acp_widget import Agent\n" + make + script
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("script", ENDS.values(), ids=ENDS.keys())
def test_a_script_ends_quietly_with_its_agent(tmp_path: Path, script: str) -> None:
    done = ran(tmp_path, BUSY, script)
    assert (done.returncode, done.stderr) == (0, "")
    pid = int(done.stdout)
    assert pid == 0 or not alive(pid)


@pytest.mark.parametrize(("end", "code"), HARD_ENDS.values(), ids=HARD_ENDS.keys())
def test_a_script_that_ends_badly_takes_its_agent_along(tmp_path: Path, end: str, code: int) -> None:
    done = ran(tmp_path, BUSY, "turn = agent.prompt('go')\n" + UNTIL_IT_SPEAKS + end)
    assert done.returncode == code
    until(lambda: not alive(int(done.stdout)), 5)


def test_a_thread_may_wait_while_the_main_thread_ends(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    script = "threading.Thread(target=lambda: print(agent.run('go').stop_reason)).start()"
    done = ran(tmp_path, PATIENT, script)
    assert (done.stdout, done.stderr) == ("end_turn\n", "")
