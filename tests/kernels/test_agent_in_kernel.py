"""An Agent in the cells of real kernels, with the demo agent. A page's messages answer its requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from ..agents.scripted import scripted
from ..processes import seconds_until_gone
from . import environments
from .client import Json, Kernel

FIX = "The test for mean() fails on an empty list. Fix it."

pytestmark = pytest.mark.kernel


class Page:
    """The front end of one session, as far as its messages go."""

    def __init__(self, kernel: Kernel, model: str) -> None:
        self._kernel = kernel
        self._model = model
        self._start = len(kernel.sent_to_front_end(model))
        self._answered = 0

    def open(self) -> None:
        """A view was drawn."""
        self._kernel.click(self._model, {"type": "hello", "seq": -1, "reason": "initialize"})
        self._kernel.click(self._model, {"type": "view", "view": "view-1", "open": True})

    def requests(self) -> list[tuple[str, Json]]:
        """Key and content of the permission requests that were sent as operations, oldest first."""
        operations = (operation for message in self.messages("ops") for operation in message["ops"])
        return [(path[1], value) for name, path, *rest in operations if name == "set" for value in rest if _new(path)]

    def press(self, option: str) -> str:
        """Press a button of the next request, as soon as it is there; the title of the request."""
        self._kernel.until(lambda: len(self.requests()) > self._answered, "a permission request")
        key, request = self.requests()[self._answered]
        self._answered += 1
        action = f"action-{key}"
        self._kernel.click(self._model, {"type": "answer", "id": action, "permission": key, "optionId": option})
        self._kernel.until(lambda: action in self._results(), "the result of the click")
        assert self._results()[action]
        return str(request["title"])

    def _results(self) -> dict[str, bool]:
        return {message["id"]: message["ok"] for message in self.messages("result")}

    def settled(self) -> bool:
        """The first request was settled, whoever did it."""
        self._answered = max(self._answered, 1)
        return any(path[:2] == ["permissions", "p:1"] and "status" in path for path in self._paths())

    def turn_ended(self) -> bool:
        return any(path[0] == "turns" and path[-1] == "stopReason" for path in self._paths())

    def _paths(self) -> list[list[Any]]:
        return [
            operation[1] for message in self.messages("ops") for operation in message["ops"] if operation[0] == "set"
        ]

    def messages(self, kind: str) -> list[Any]:
        sent = self._kernel.sent_to_front_end(self._model)[self._start :]
        return [message for message in sent if message.get("type") == kind]


def _new(path: list[Any]) -> bool:
    return len(path) == 2 and path[0] == "permissions"


@pytest.fixture
def page(kernel: Kernel) -> Iterator[Page]:
    """An agent named `agent` in the kernel, and the page that shows it."""
    model = kernel.run("import time\nfrom acp_widget import Agent\nagent = Agent('demo')\nprint(agent.widget.model_id)")
    yield Page(kernel, model.text.strip())
    kernel.run("agent.close()")


def answer_both(page: Page) -> None:
    page.open()
    assert page.press("yes") == "Edit stats.py?"
    page.press("yes")


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
def test_both_requests_are_answered_while_the_cell_waits(kernel: Kernel, page: Page, wait: str) -> None:
    cell = kernel.start(f"turn = agent.prompt({FIX!r})\n{wait}\nprint(turn.stop_reason, turn.permissions[0].by)")
    queued = kernel.start("print('queued')")
    answer_both(page)
    assert cell.finish().text == "end_turn you\n"
    assert queued.finish().text == "queued\n"
    assert "nan" in kernel.run("print(turn.diffs[0].patch)").text


def test_both_requests_are_answered_after_the_cell(kernel: Kernel, page: Page) -> None:
    """With the kernel idle: no cell runs from the prompt to the end of the turn."""
    kernel.run(f"turn = agent.prompt({FIX!r})")
    answer_both(page)
    kernel.until(page.turn_ended, "the end of the turn")
    assert kernel.run("print(turn.done, turn.stop_reason)").text == "True end_turn\n"


ASKS_BEFORE_IT_SETS = """
OPTION = {'configId': 'm', 'name': 'M', 'type': 'select', 'currentValue': 'a',
          'options': [{'value': v, 'name': v.upper()} for v in 'ab']}
initialize()
answer(read(), {'sessionId': 's', 'configOptions': [OPTION]})
request = until('session/set_config_option')
ask(1, 'Really?')
chosen = answered(1)[1]['result']['outcome']['optionId']
answer(request, {'configOptions': [{**OPTION, 'currentValue': 'b' if chosen == 'yes' else 'a'}]})
serve()
"""


@pytest.mark.parametrize("setting", ["agent.config['m'] = 'b'", "await agent.set_config('m', 'b')"])
def test_a_request_is_answered_while_a_cell_sets_a_config_option(kernel: Kernel, tmp_path: Path, setting: str) -> None:
    command = scripted(tmp_path, ASKS_BEFORE_IT_SETS)
    made = kernel.run(f"from acp_widget import Agent\nagent = Agent({command!r})\nprint(agent.widget.model_id)")
    page = Page(kernel, made.text.strip())
    page.open()
    kernel.run("agent.start().wait()")
    cell = kernel.start(f"{setting}\nprint(agent.config['m'])")
    assert page.press("yes") == "Really?"
    assert cell.finish().text == "b\n"
    kernel.run("agent.close()")


def test_a_rejection_pressed_during_a_wait_changes_nothing(kernel: Kernel, page: Page) -> None:
    cell = kernel.start(f"turn = agent.prompt({FIX!r})\nturn.wait()\nprint('over')")
    page.open()
    page.press("no")
    assert cell.finish().text == "over\n"
    source = kernel.run("print(open(agent.cwd + '/stats.py').read())").text
    assert "def mean(xs):" in source
    assert "nan" not in source


@pytest.mark.parametrize(
    ("wait", "raised"),
    [("turn.wait()", "KeyboardInterrupt"), ("await turn", "CancelledError")],
    ids=["blocking", "await"],
)
def test_an_interrupt_stops_the_turn_and_the_agent_stays(kernel: Kernel, page: Page, wait: str, raised: str) -> None:
    cell = kernel.start(f"turn = agent.prompt({FIX!r})\n{wait}")
    page.open()
    kernel.until(lambda: bool(page.requests()), "a permission request")
    pressed = time.monotonic()
    kernel.interrupt()
    assert raised in cell.finish().text
    assert time.monotonic() - pressed < 2
    assert "cancelled" in kernel.run("agent.wait(20)\nprint(turn.stop_reason, turn.permissions[0].status)").text
    again = kernel.start("print(agent.run('/run').stop_reason)")
    assert page.settled()
    page.press("yes")
    assert again.finish().text.strip().endswith("end_turn")


def test_nobody_counts_as_watching_only_while_messages_could_be_read(kernel: Kernel) -> None:
    kernel.run("agent = Agent('demo', nobody_after=1.0)")
    cell = kernel.run(f"turn = agent.prompt({FIX!r})\ntime.sleep(2.5)\nprint([p.status for p in turn.permissions])")
    assert cell.text == "['pending']\n"
    kernel.until(lambda: "nobody" in kernel.run("print([p.by for p in turn.permissions])").text, "the fallback")
    kernel.run("agent.close()")


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
def test_nobody_watching_a_wait_ends_in_a_rejection_and_a_warning(kernel: Kernel, wait: str) -> None:
    kernel.run("agent = Agent('demo', nobody_after=0.5)")
    cell = kernel.run(f"turn = agent.prompt({FIX!r})\n{wait}\nprint(turn.permissions[0].by)")
    assert "nobody" in cell.text
    assert "NobodyWatching" in cell.text
    kernel.run("agent.close()")


def test_a_killed_kernel_leaves_no_process(version: str, tmp_path: Path) -> None:
    with Kernel(environments.python(version), cwd=tmp_path) as kernel:
        kernel.run("from acp_widget import Agent\nagent = Agent('demo')\nturn = agent.prompt('/slow')")
        kernel.until(lambda: bool(_agents(kernel.pid)), "the agent to start")
        kernel.run("while not turn.text and not turn.tool_calls: pass")
        agents = _agents(kernel.pid)
        kernel.kill()
        assert seconds_until_gone([kernel.pid, *agents], 5) < 5


def _agents(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]
