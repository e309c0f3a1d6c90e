"""Run All, restarts, forks and many agents in real kernels: cells wait where they should, and nothing is left."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ..processes import seconds_until_gone
from . import environments
from .client import Kernel
from .test_agent_in_kernel import FIX, Page, _agents

pytestmark = pytest.mark.kernel

BUSY = (
    "from acp_widget import Agent\nagent = Agent('demo')\nturn = agent.prompt('/slow')\nwhile not turn.tool_calls: pass"
)


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
def test_of_run_all_the_cells_after_one_that_waits_run_when_the_turn_is_over(kernel: Kernel, wait: str) -> None:
    made = kernel.run("from acp_widget import Agent\nagent = Agent('demo')\nprint(agent.widget.model_id)")
    page = Page(kernel, made.text.strip())
    page.open()
    cells = [f"turn = agent.prompt({FIX!r})", wait, "print(turn.stop_reason)", "other = agent.run('hello')"]
    first, waits, *after, last = [kernel.start(code) for code in [*cells, "print(other.stop_reason)"]]
    page.press("yes")
    kernel.until(lambda: len(page.requests()) == 2, "the second request")
    assert first.over
    assert not any(cell.kinds for cell in [*after, last]), "none of them began"
    page.press("yes")
    assert [cell.finish().text for cell in [waits, *after, last]] == ["", "end_turn\n", "", "end_turn\n"]
    kernel.run("agent.close()")


def test_run_all_goes_on_past_a_turn_that_no_cell_waits_for(kernel: Kernel) -> None:
    kernel.run("from acp_widget import Agent\nagent = Agent('demo', permissions='allow').start().wait()")
    cells = [kernel.start(code) for code in ("turn = agent.prompt('/slow')", "print(turn.done)", "agent.close()")]
    assert [cell.finish().status for cell in cells] == ["ok"] * 3
    assert cells[1].text == "False\n"


def test_a_turn_that_fails_ends_run_all(kernel: Kernel) -> None:
    """Cells behind it would work with what is not there."""
    kernel.run("from acp_widget import Agent\nagent = Agent('demo')")
    failing, behind = [kernel.start(code) for code in ("agent.run('/fail crash')", "print('went on')")]
    assert failing.finish().status == "error"
    assert behind.finish().status == "aborted"
    kernel.run("agent.close()")


def test_the_stream_goes_on_for_seconds_with_no_cell_and_a_click_stops_it(kernel: Kernel) -> None:
    made = kernel.run("from acp_widget import Agent\nagent = Agent('demo')\nprint(agent.widget.model_id)")
    page = Page(kernel, made.text.strip())
    page.open()
    kernel.run("turn = agent.prompt('/slow')")
    begun, seen = time.monotonic(), 0

    def more() -> bool:
        return len(page.messages("ops")) > seen

    for click in range(2):
        while time.monotonic() - begun < 1.5 * (click + 1):
            seen = len(page.messages("ops"))
            kernel.until(more, "the next words of the stream")
        if click == 0:  # any click: this one takes back what is not there
            kernel.click(made.text.strip(), {"type": "unqueue", "id": "click", "turn": "r:99"})
            kernel.until(lambda: bool(page.messages("result")), "the answer to the click")
    kernel.click(made.text.strip(), {"type": "cancel", "id": "stop"})
    kernel.until(page.turn_ended, "the end of the turn")
    assert kernel.run("print(turn.stop_reason)").text == "cancelled\n"
    kernel.run("agent.close()")


def test_a_restarted_kernel_leaves_no_process_and_no_folder(version: str, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    env = {"TMPDIR": str(tmp_path / "temporary")}
    with Kernel(environments.python(version), cwd=tmp_path, env=env) as kernel:
        kernel.run(BUSY)
        agents, before = _agents(kernel.pid), kernel.pid
        assert agents
        kernel.restart()
        assert seconds_until_gone([before, *agents], 5) < 5
        assert not list((tmp_path / "temporary").glob("acp-*"))
        assert (
            kernel.run("from acp_widget import Agent\nprint(Agent('demo').run('hello').stop_reason)").text
            == "end_turn\n"
        )


FORK = """
import os
read, write = os.pipe()
child = os.fork()
if child == 0:
    try:
        agent.prompt('hello')
    except Exception as error:
        os.write(write, f"{agent.status} {len(agent.turns)} {type(error).__name__}".encode())
    agent.close()
    os._exit(0)
os.waitpid(child, 0)
print(os.read(read, 100).decode())
"""


def test_a_forked_child_reads_the_agent_and_does_it_no_harm(kernel: Kernel) -> None:
    kernel.run("from acp_widget import Agent\nagent = Agent('demo')\nturn = agent.prompt('hello').wait()")
    assert kernel.run(FORK).text.splitlines()[-1] == "idle 1 AgentClosed"
    assert kernel.run("print(agent.run('hello').stop_reason)").text == "end_turn\n"
    kernel.run("agent.close()")


CYCLES = f"""
import gc, os, tempfile, threading
import comm, ipywidgets
from acp_widget import Agent

def cycle():
    with Agent("demo", permissions="allow", nobody_after=0.1) as agent:
        assert agent.run({FIX!r}).changes()

def kept():
    gc.collect()
    folders = [each for each in os.listdir(tempfile.gettempdir()) if each.startswith("acp-")]
    names = sorted(each.name for each in threading.enumerate() if each.name.startswith("acp"))
    return (len(comm.get_comm_manager().comms), len(ipywidgets.widgets.widget._instances), folders, names)
"""


@pytest.mark.parametrize("count", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_agents_come_and_go_and_leave_no_comm_thread_or_folder(version: str, tmp_path: Path, count: int) -> None:
    (tmp_path / "temporary").mkdir()
    env = {"TMPDIR": str(tmp_path / "temporary"), "ACP_WIDGET_DEMO_PACE": "0"}
    with Kernel(environments.python(version), cwd=tmp_path, env=env) as kernel:
        kernel.run(CYCLES)
        kernel.run("cycle()")

        def clean() -> bool:
            return kernel.run("print(kept())").text == "(0, 0, [], ['acp-widget'])\n"

        kernel.until(clean, "the first agent to be gone")
        descriptors = "print(len(os.listdir('/proc/self/fd')))"
        before = int(kernel.run(descriptors).text)
        kernel.run(f"for _ in range({count}): cycle()")
        kernel.until(clean, "all agents to be gone")
        assert not _agents(kernel.pid)
        assert int(kernel.run(descriptors).text) <= before + 2


def test_what_a_page_shows_of_an_agent_that_is_gone_stays_until_the_page_drops_it(kernel: Kernel) -> None:
    kernel.run(CYCLES)
    kernel.run("gc.collect()\nagent = Agent('demo', nobody_after=0.1)\nmodel = agent.widget.model_id")
    model = kernel.run("print(model)").text.strip()
    page = Page(kernel, model)
    page.open()
    kernel.run("agent.run('hello')\n0")
    kernel.run("agent.close()\ndel agent\nprint(gc.collect() >= 0)")
    time.sleep(0.5)  # longer than `nobody_after`
    there = "print(model in comm.get_comm_manager().comms)"
    assert kernel.run(there).text == "True\n"
    kernel.click(model, {"type": "view", "view": "view-1", "open": False})
    kernel.until(lambda: kernel.run(there).text == "False\n", "the comm to be closed")
