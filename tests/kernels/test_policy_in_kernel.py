"""Rules in the cells of real kernels: made and taken back by clicks, functions, budgets, changes while it asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..agents.scripted import scripted
from .client import Cell, Kernel
from .test_agent_in_kernel import Page

pytestmark = pytest.mark.kernel

# Edits each file that a prompt names, after asking.
EDITS = """
initialize()
begin = read()
answer(begin, {'sessionId': 's'})
number = 0
while True:
    files = prompt().split()
    running()
    for name in files:
        number += 1
        change = {'operation': 'modify', 'path': os.path.join(begin['params']['cwd'], name)}
        call = {'toolCallId': f'c{number}', 'title': name, 'kind': 'edit',
                'content': [{'type': 'diff', 'changes': [change]}]}
        ask(number, f'Edit {name}?', subject={'type': 'tool_call', 'toolCall': call})
        answered(number)
    idle()
"""
RULE = "Edit('src/a.py')"
WHO = "print(*[(each.by, each.option_id) for each in turn.permissions])"


class Panel(Page):
    """A page, and what its buttons for rules send."""

    def told(self, permission: str, field: str) -> str:
        """A field of a request, as soon as it is sent."""
        path = ["permissions", permission, field]
        self._kernel.until(lambda: bool(self._values(path)), f"the {field} of {permission}")
        return str(self._values(path)[-1])

    def _values(self, path: list[str]) -> list[object]:
        values = [op[2] for ops in self.messages("ops") for op in ops["ops"] if op[0] == "set" and op[1] == path]
        return [value for value in values if value is not None]

    def pending(self, permission: str) -> None:
        self._kernel.until(lambda: permission in [key for key, _ in self.requests()], f"the request {permission}")

    def send(self, kind: str, **fields: str) -> None:
        """Press a button, and wait for what became of it."""
        action = f"{kind}-{len(self._results())}"
        self._kernel.click(self._model, {"type": kind, "id": action, **fields})
        self._kernel.until(lambda: action in self._results(), "the result of the click")
        assert self._results()[action]


@pytest.fixture
def panel(kernel: Kernel, tmp_path: Path) -> Iterator[Panel]:
    """An agent named `agent` that edits files, and the page that shows it."""
    command = scripted(tmp_path, EDITS)
    kernel.run("from acp_widget import Agent, Budget, Edit, Policy")
    made = kernel.run(f"agent = Agent({command!r})\nprint(agent.widget.model_id)")
    page = Panel(kernel, made.text.strip())
    page.open()
    yield page
    kernel.run("agent.close()")


def started(kernel: Kernel, files: str) -> Cell:
    return kernel.start(f"turn = agent.run({files!r}, show=False)\n{WHO}")


def test_a_click_makes_a_rule_that_decides_the_next_one_and_another_takes_it_back(kernel: Kernel, panel: Panel) -> None:
    cell = started(kernel, "src/a.py")
    assert panel.told("p:1", "rule") == RULE
    panel.send("remember", permission="p:1", optionId="yes", rule=RULE)
    assert cell.finish().text == "('you', 'yes')\n"
    assert kernel.run("print(agent.policy.rules)").text == f"[('allow', {RULE})]\n"

    assert started(kernel, "src/a.py").finish().text == "('policy', 'yes')\n"
    assert kernel.run("print(turn.permissions[0].why)").text == f"allowed by {RULE}\n"

    panel.send("revoke", rule=RULE)
    assert kernel.run("print(agent.policy.rules)").text == "[]\n"
    cell = started(kernel, "src/a.py")
    panel.pending("p:3")
    panel.send("answer", permission="p:3", optionId="no")
    assert cell.finish().text == "('you', 'no')\n"


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
def test_an_async_function_decides_while_a_cell_waits(kernel: Kernel, panel: Panel, wait: str) -> None:
    kernel.run(
        "import asyncio\nasync def judge(request):\n    await asyncio.sleep(0)\n"
        "    return request.title.startswith('Edit src/')\nagent.permissions = judge"
    )
    cell = kernel.run(f"turn = agent.prompt('src/a.py setup.py')\n{wait}\n{WHO}")
    assert cell.text == "('policy', 'yes') ('policy', 'no')\n"


def test_a_budget_runs_out_and_the_question_says_so(kernel: Kernel, panel: Panel) -> None:
    kernel.run("agent.permissions = Policy(allow=[Edit('src/**')], budget=Budget(calls=2))")
    cell = started(kernel, "src/a.py src/b.py src/c.py")
    assert panel.told("p:3", "why") == "The budget of 2 calls is used up."
    panel.send("answer", permission="p:3", optionId="yes")
    assert cell.finish().text == "('policy', 'yes') ('policy', 'yes') ('you', 'yes')\n"


def test_rules_assigned_while_it_asks_hold_from_the_next_request_on(kernel: Kernel, panel: Panel) -> None:
    kernel.run("turn = agent.prompt('src/a.py src/b.py')")
    panel.pending("p:1")
    kernel.run("agent.permissions = Policy(allow=[Edit('src/**')])")
    told = kernel.run("print(agent.pending[0].title, agent.policy.explain(agent.pending[0]).action)")
    assert told.text == "Edit src/a.py? allow\n"
    panel.send("answer", permission="p:1", optionId="no")
    assert kernel.run(f"turn.wait()\n{WHO}").text == "('you', 'no') ('policy', 'yes')\n"


def test_without_pandas_a_table_of_decisions_says_what_to_install(kernel: Kernel, panel: Panel) -> None:
    kernel.run("import sys\nsys.modules['pandas'] = None  # as where it is not installed")
    kernel.run("agent.permissions = 'reject'\nagent.run('src/a.py', show=False)")
    cell = kernel.start("agent.policy.decisions.to_frame()").finish()
    assert cell.text == (
        "ImportError: to_frame() makes a pandas DataFrame, and pandas is not installed: pip install pandas"
    )
    kernel.run("del sys.modules['pandas']")
