"""Results in the cells of real kernels: shown by IPython, carried to a kernel without an agent, told to functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import environments
from .client import Cell, Kernel

FIX = "The test for mean() fails on an empty list. Fix it."

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def python() -> str:
    return environments.python("7.4.0")


@pytest.fixture(scope="module")
def kernel(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel in which a turn has been run."""
    with Kernel(python, cwd=tmp_path_factory.mktemp("kernel"), env={"ACP_WIDGET_DEMO_PACE": "0"}) as running:
        running.run("import pickle\nfrom acp_widget import Agent\nagent = Agent('demo', permissions='allow')")
        running.run(f"turn = agent.run({FIX!r}, show=False)")
        yield running
        running.run("agent.close()")


def shown(cell: Cell) -> dict[str, Any]:
    """What the cell's last line was shown as, by type."""
    (result,) = [each for each in cell.messages if each["msg_type"] == "execute_result"]
    data: dict[str, Any] = result["content"]["data"]
    return data


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("turn.diffs[0]", "stats.py"),
        ("turn.terminals[0]", "6 passed"),
        ("turn.tool_calls", "Edit stats.py"),
        ("turn.permissions[0]", "Allowed once by the policy"),
        ("turn.plan", "Plan, 3 of 3 done"),
        ("turn.messages[-1]", "All 6 tests pass"),
        ("turn.files", "modify"),
        ("agent.usage", "context"),
    ],
)
def test_ipython_shows_each_result_as_page_and_as_text(kernel: Kernel, code: str, words: str) -> None:
    data = shown(kernel.run(code))
    assert {"text/plain", "text/html", "text/markdown"} <= set(data)
    assert words in data["text/html"]
    assert words in data["text/markdown"]
    assert "<script" not in data["text/html"]


def test_another_kernel_reads_a_pickled_turn_without_an_agent(kernel: Kernel, python: str, tmp_path: Path) -> None:
    file = tmp_path / "turn.pickle"
    kernel.run(f"open({str(file)!r}, 'wb').write(pickle.dumps(turn))")
    texts = "print(turn.text, turn.diffs[0].patch, turn.terminals[0].text, [call.kind for call in turn.tool_calls])"
    before = kernel.run(texts).text
    with Kernel(python, cwd=tmp_path) as other:
        other.run(f"import pickle, threading\nturn = pickle.load(open({str(file)!r}, 'rb'))")
        assert other.run(texts).text == before
        assert "['read', 'edit', 'execute']" in before
        data = shown(other.run("turn"))
        assert "All 6 tests pass" in data["text/html"]
        assert shown(other.run("turn.diffs[0]"))["text/html"] == shown(kernel.run("turn.diffs[0]"))["text/html"]
        assert "acp-widget" not in other.run("print([thread.name for thread in threading.enumerate()])").text


def test_what_a_function_prints_and_raises_is_seen_and_the_kernel_goes_on(kernel: Kernel) -> None:
    kernel.run(
        "seen = []\n"
        "@agent.on_turn_end\n"
        "def ended(turn):\n    seen.append(turn.stop_reason)\n    raise ValueError('by the function')"
    )
    printed = ""
    for count in (1, 2):
        printed += kernel.run("again = agent.run('hello', show=False)\nprint(again.stop_reason)").text
        printed += kernel.run(f"import time\nwhile len(seen) < {count}: time.sleep(0.01)").text
    said = "[each for each in agent.diagnostics if 'by the function' in each['message']]"
    printed += kernel.run(f"while not {said}: time.sleep(0.01)\nprint(seen, len({said}))\nended.end()").text
    assert printed.count("end_turn\n") == 2
    assert "['end_turn', 'end_turn'] 1\n" in printed
    assert printed.count("RuntimeWarning: <Subscription on_turn_end ended, active> failed") == 1
