"""Where nobody can press a button: programs that run notebooks, scripts, other processes. Nothing hangs or stays."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from nbformat import v4

from acp_widget import Agent, AgentClosed, AgentExited, AnswerRefused, Turn

from .agents.scripted import scripted, until
from .processes import alive

FIX = "The test for mean() fails on an empty list. Fix it."
WHO = "print([(each.by, each.option_id) for each in turn.permissions], turn.stop_reason)"
NOBODY = "[('nobody', 'no')] end_turn"
POLICY = "[('policy', 'yes'), ('policy', 'yes')] end_turn"


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for what the processes of a test keep while they run. It must be empty afterwards."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    yield folder
    ours = [each.name for each in folder.iterdir() if each.name.startswith("acp-")]
    assert ours == []


# --- programs that run notebooks --------------------------------------------------------------------------------------


def notebook(*cells: str) -> Any:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells], metadata=kernel)
    made.cells[0].metadata["tags"] = ["parameters"]
    return made


def asking(tmp_path: Path, permissions: str = "ask") -> Path:
    """A notebook whose agent asks. It is left open at the end."""
    file = tmp_path / "asking.ipynb"
    begin = "from acp_widget import Agent\nagent = Agent('demo', permissions=permissions)"
    cells = [f"permissions = {permissions!r}", begin, f"turn = agent.prompt({FIX!r})\nturn.wait()", WHO]
    nbformat.write(notebook(*cells), file)
    return file


def printed(executed: Any) -> str:
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]
    return "".join(output.get("text", "") for output in outputs)


def told(output: str, outcome: str) -> None:
    assert outcome in output
    assert ("NobodyWatching: The agent asked 'Edit stats.py?' and nobody could answer" in output) == (outcome == NOBODY)


@pytest.mark.parametrize("wait", ["turn.wait()", pytest.param("await turn", marks=pytest.mark.slow)])
def test_nbclient_gets_the_fallback_soon_and_sees_a_warning(tmp_path: Path, wait: str) -> None:
    made = nbformat.read(asking(tmp_path), 4)
    made.cells[2].source = made.cells[2].source.replace("turn.wait()", wait)
    nbclient.NotebookClient(made, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    told(printed(made), NOBODY)
    assert "no view of the session was open for 1 s" in printed(made)


def test_a_notebook_may_stop_at_a_request_that_nobody_answered(tmp_path: Path) -> None:
    made = nbformat.read(asking(tmp_path), 4)
    strict = "import warnings\nfrom acp_widget import NobodyWatching\nwarnings.simplefilter('error', NobodyWatching)"
    made.cells[0].source += "\n" + strict
    with pytest.raises(nbclient.exceptions.CellExecutionError, match=r"NobodyWatching\S*: The agent asked"):
        nbclient.NotebookClient(made, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_papermill_says_who_answers_by_a_parameter(tmp_path: Path) -> None:
    out = tmp_path / "out.ipynb"
    command = [sys.executable, "-m", "papermill", str(asking(tmp_path)), str(out), "-p", "permissions", "allow"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    told(printed(nbformat.read(out, 4)), POLICY)


def test_a_notebook_that_ends_while_an_agent_works_ends_in_silence(tmp_path: Path) -> None:
    """What is told of a long session at the end is a large message: zmq frees it on a thread of its own."""
    agent = scripted(tmp_path, "start(); prompt(); running()\nfor _ in range(40): say('words ' * 2000)\nserve()")
    cell = f"turn = acp_widget.Agent({agent!r}).prompt('go')\nwhile len(turn.text) < 480_000: time.sleep(0.1)"
    nbformat.write(notebook("import acp_widget, time", cell), tmp_path / "works.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", str(tmp_path / "works.ipynb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "zmq" not in done.stderr


class _Words(HTMLParser):
    """What one reads in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self._hidden = "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


@pytest.mark.parametrize(
    ("permissions", "decision", "line"),
    [
        pytest.param("ask", "Rejected because nobody was watching", "I did not change", marks=pytest.mark.slow),
        ("allow", "Allowed once by the policy", '+        return float("nan")'),
    ],
)
def test_nbconvert_makes_a_page_that_tells_what_happened(
    tmp_path: Path, permissions: str, decision: str, line: str
) -> None:
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", str(asking(tmp_path, permissions))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    read = _Words((tmp_path / "asking.html").read_text(encoding="utf-8")).text
    told(read, NOBODY if permissions == "ask" else POLICY)
    for word in ("Edit stats.py?", "The function divides by", decision, line):
        assert word in read


# --- scripts ----------------------------------------------------------------------------------------------------------

RUN = f"agent.run({FIX!r})"
AWAIT = f"await agent.prompt({FIX!r})"
MAIN = "import asyncio\nasync def main():\n    return {}\nturn = asyncio.run(main())"
SCRIPTS = {
    "waits": f"turn = {RUN}",
    "asyncio": MAIN.format(AWAIT),
    "blocks in asyncio": MAIN.format(RUN),
    "in a thread": "import concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor() as pool:\n"
    f"    turn = pool.submit(lambda: {RUN}).result()",
}
PID = "print(agent._driver._peer._transport.pid)"


def script(code: str, tmp_path: Path, *, by: str = "file") -> subprocess.CompletedProcess[str]:
    """Run it in a process of its own, to the end."""
    file = tmp_path / "script.py"
    file.write_text(code, encoding="utf-8")
    command = [sys.executable, *([str(file)] if by == "file" else ["-c", code])]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)


@pytest.mark.parametrize("by", ["file", pytest.param("-c", marks=pytest.mark.slow)])
@pytest.mark.parametrize("body", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_a_script_gets_the_fallback_at_once_and_ends_with_its_agent_open(tmp_path: Path, body: str, by: str) -> None:
    done = script(f"from acp_widget import Agent\nagent = Agent()\n{body}\n{WHO}\n{PID}", tmp_path, by=by)
    assert done.returncode == 0, done.stderr
    outcome, pid = done.stdout.splitlines()
    assert outcome == NOBODY
    assert "NobodyWatching" in done.stderr
    assert "Traceback" not in done.stderr
    assert not alive(int(pid))


LOOP = f"""
import warnings
from acp_widget import Agent, NobodyWatching
with Agent('demo') as agent:
    for number in range(3):
        agent.run({FIX!r})
    warnings.simplefilter('ignore', NobodyWatching)
    agent.run({FIX!r})
    warnings.simplefilter('error', NobodyWatching)
    try:
        agent.run({FIX!r})
    except NobodyWatching:
        print('raised')
"""


def test_each_turn_of_a_loop_warns_as_the_users_filters_say(tmp_path: Path) -> None:
    done = script(LOOP, tmp_path)
    assert done.stdout == "raised\n", done.stderr
    assert done.stderr.count("script.py:6: NobodyWatching: ") == 3
    assert done.stderr.count("NobodyWatching") == 3


# --- other processes --------------------------------------------------------------------------------------------------

FORKS = """
import os, sys
from acp_widget import Agent
agent = Agent('demo', permissions='allow')
agent.run('hello')
child = os.fork()
if child == 0:
    print('child', agent.status, len(agent.turns), os.path.isdir(agent.cwd), flush=True)
    sys.exit(0)  # with all that is done at exit
os.waitpid(child, 0)
print('parent', os.path.isdir(agent.cwd), agent.run('hello').stop_reason)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_the_exit_of_a_forked_child_takes_nothing_from_its_parent(tmp_path: Path) -> None:
    done = script(FORKS, tmp_path)
    assert done.stdout.splitlines() == ["child idle 1 True", "parent True end_turn"], done.stderr


def _elsewhere(turn: Turn, folder: Path) -> tuple[str, str, str]:
    with Agent(scripted(folder, "start()\nwhile True: say(prompt()); running(); idle()"), cwd=folder) as own:
        return turn.text, turn.status, own.run("mine", timeout=30).text


@pytest.mark.parametrize("method", [each for each in multiprocessing.get_all_start_methods() if each != "fork"])
def test_a_worker_reads_turns_and_runs_an_agent_of_its_own(tmp_path: Path, method: str) -> None:
    """With `fork`: in test_agent_threads.py."""
    with Agent("demo", permissions="allow") as agent:
        turn = agent.run("hello")
        (tmp_path / "there").mkdir()
        with multiprocessing.get_context(method).Pool(1) as pool:
            text, status, own = pool.apply(_elsewhere, (turn, tmp_path / "there"))
            pool.close()
            pool.join()
        assert (text, status, own) == (turn.text, "done", "mine")
        assert agent.run("hello").stop_reason == "end_turn"


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_agent_cannot_be_sent_to_another_process(way: Any) -> None:
    with Agent("demo") as agent, pytest.raises(TypeError, match="belongs to the process that made it"):
        way(agent)


# --- many threads -----------------------------------------------------------------------------------------------------

ASKS = """
start()
number = 0
while True:
    text = prompt(); number += 1; running(); ask(number); answered(number); idle()
"""


def test_threads_that_prompt_wait_answer_and_close_at_once_all_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    monkeypatch.setattr("acp_widget.stage.Audience.seen", lambda self: True)
    agent = Agent(scripted(tmp_path, ASKS), cwd=tmp_path)
    done = threading.Event()
    raised: list[BaseException] = []

    def again(work: Any) -> None:
        while not done.is_set():
            try:
                work()
            except (AgentClosed, AgentExited, AnswerRefused):
                pass
            except BaseException as error:
                raised.append(error)

    def answer() -> None:
        for permission in agent.pending:
            agent.answer(permission, "yes")

    works = [
        answer,
        answer,
        lambda: agent.run("x", timeout=30),
        lambda: agent.run("y", timeout=30),
        lambda: agent.wait(30),
    ]
    threads = [threading.Thread(target=again, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    until(lambda: len([turn for turn in agent.turns if turn.done]) > 20)
    closers = [threading.Thread(target=agent.close) for _ in range(4)]
    for thread in closers:
        thread.start()
    for thread in closers:
        thread.join(30)
    done.set()
    for thread in threads:
        thread.join(30)
    assert raised == []
    assert not any(thread.is_alive() for thread in [*threads, *closers])
    assert all(turn.done for turn in agent.turns)
    assert agent.pending == []
