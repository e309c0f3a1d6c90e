"""`@` in the composer over the messages of real kernels: what is offered and goes along, also while a cell waits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..agents.scripted import scripted
from ..agents.telling import telling
from .client import Kernel
from .test_agent_in_kernel import Page

pytestmark = pytest.mark.kernel

WAITS = {"blocking": "agent.run('ask', show=False)", "await": "await agent.prompt('ask', show=False)"}


class Composer(Page):
    """A page, and what its composer sends."""

    def ask(self, **message: Any) -> Any:
        """Send a message, and wait for its result."""
        action = f"{message['type']}-{len(self.messages('result'))}"
        self._kernel.click(self._model, {"id": action, **message})
        self._kernel.until(lambda: action in self._results(), "the result")
        [result] = [each for each in self.messages("result") if each["id"] == action]
        return result

    def mention(self, typed: str, *names: str) -> Any:
        return self.ask(type="mention", typed=typed, names=list(names))["value"]


@pytest.fixture
def page(kernel: Kernel, tmp_path: Path) -> Iterator[Composer]:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "numbers.csv").write_text("a,b\n", encoding="utf-8")
    command = scripted(tmp_path, telling())
    kernel.run("import json, threading\nfrom acp_widget import Agent")
    made = kernel.run(
        f"agent = Agent({command!r}, cwd={str(tmp_path / 'project')!r})\nnumbers = [1, 2]\nprint(agent.widget.model_id)"
    )
    page = Composer(kernel, made.text.strip())
    page.open()
    yield page
    kernel.run("agent.close()")


def sent(kernel: Kernel, number: int) -> Any:
    """The blocks of the n-th prompt, as the agent told them."""
    return json.loads(kernel.run(f"agent.wait(20)\nprint(agent.turns[{number}].text)").text)


def test_names_of_the_notebook_and_files_are_offered_and_go_with_the_prompt(kernel: Kernel, page: Composer) -> None:
    value = page.mention("num", "numbers", "numbers.csv", "agent", "exit", "nobody")
    assert value["items"] == [
        {"text": "numbers", "kind": "variable", "detail": "list, 2 items"},
        {"text": "numbers.csv", "kind": "file", "detail": "4 B"},
    ]
    assert [name for name, what in value["found"].items() if what] == ["numbers", "numbers.csv"]
    listed = [item["text"] for item in page.mention("")["items"]]
    assert "numbers" in listed
    assert not {"In", "Out", "exit", "quit", "open", "get_ipython", "agent", "json", "Agent"} & set(listed)

    assert page.ask(type="prompt", text="@numbers", mentions={"numbers": True, "numbers.csv": False})["ok"]
    blocks = sent(kernel, 0)
    assert [block.get("resource", block)["text"] for block in blocks] == ["@numbers", "[1, 2]", "a,b\n"]
    assert page.ask(type="prompt", again="r:1")["ok"]
    assert sent(kernel, 1) == blocks
    assert kernel.run("print([each.name for each in agent.turns[1].attached])").text == "['numbers', 'numbers.csv']\n"

    refused = page.ask(type="prompt", text="@gone", mentions={"gone": True})
    assert (refused["ok"], "@gone is no variable" in refused["error"]) == (False, True)
    assert kernel.run("print(len(agent.turns))").text == "2\n"


@pytest.mark.parametrize("wait", WAITS)
def test_while_a_cell_waits_too(kernel: Kernel, page: Composer, wait: str) -> None:
    cell = kernel.start(WAITS[wait])
    kernel.until(lambda: bool(page.requests()), "the request")
    assert [item["text"] for item in page.mention("num")["items"]] == ["numbers", "numbers.csv"]
    assert page.ask(type="prompt", text="@numbers", mentions={"numbers": True})["ok"]
    assert not cell.over
    page.press("yes")
    assert cell.finish().status == "ok"
    assert sent(kernel, 1)[1]["resource"]["text"] == "[1, 2]"
    left = kernel.run("print([each.name for each in threading.enumerate() if 'mentions' in each.name])")
    assert left.text == "[]\n"


def test_an_object_that_does_not_come_back_holds_up_no_cell_and_no_button(kernel: Kernel, page: Composer) -> None:
    kernel.run(
        "go_on = threading.Event()\n"
        "class Slow:\n    def __repr__(self):\n        go_on.wait(30)\n        return 'at last'\n"
        "slow = Slow()"
    )
    before = len(page.messages("result"))
    page._kernel.click(page._model, {"type": "prompt", "id": "slow", "text": "@slow", "mentions": {"slow": True}})
    assert page.mention("slow", "slow")["found"]["slow"] == {"kind": "variable", "detail": "Slow"}
    assert len(page.messages("result")) == before + 1
    kernel.run("go_on.set()")
    kernel.until(lambda: len(page.messages("result")) == before + 2, "the result of the prompt")
    assert sent(kernel, 0)[1]["resource"]["text"] == "at last"
