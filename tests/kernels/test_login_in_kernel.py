"""A login that an agent wants, in the cells of real kernels. The agent is a fake, and so is the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..keeping import Keeper
from .client import Cell, Kernel

pytestmark = pytest.mark.kernel

KEY = {"methodId": "key", "type": "env_var", "name": "A key", "vars": [{"name": "KEEPER_KEY"}]}
Made = Callable[..., str]


@pytest.fixture
def made(kernel: Kernel, tmp_path: Path) -> Iterator[Made]:
    """Makes `agent` in the kernel, of which `Keeper.wants` tells, and gives the id of its widget's model."""

    def make(keeper: Keeper, **options: object) -> str:
        with keeper.agent() as there:
            command = list(there._driver._launch.command)
        code = f"from acp_widget import Agent\nagent = Agent({command!r}, cwd={str(keeper.cwd)!r}, **{options!r})\n"
        return kernel.run(f"{code}print(agent.widget.model_id)").text.strip()

    yield make
    kernel.run("agent.close()")


def opened(kernel: Kernel, model: str) -> None:
    """A view of it was drawn."""
    kernel.click(model, {"type": "hello", "seq": -1, "reason": "initialize"})
    kernel.click(model, {"type": "view", "view": "view-1", "open": True})


def waits_for_login(kernel: Kernel, model: str) -> None:
    def told() -> bool:
        sent = [message for message in kernel.sent_to_front_end(model) if message.get("type") == "ops"]
        return any(op[1][:2] == ["session", "login"] and op[-1] for message in sent for op in message["ops"])

    kernel.until(told, "the login card")


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
def test_a_cell_that_waits_goes_on_after_the_button(kernel: Kernel, made: Made, tmp_path: Path, wait: str) -> None:
    keeper = Keeper(tmp_path, 2)
    model = made(keeper.wants("prompt", keeper.method("web")))
    opened(kernel, model)
    cell = kernel.start(f"turn = agent.prompt('hi')\n{wait}\nprint(turn.text)")
    waits_for_login(kernel, model)
    kernel.click(model, {"type": "login", "id": "action-1", "methodId": "web"})
    assert cell.finish().text == "You said hi\n"


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["blocking", "await"])
@pytest.mark.parametrize("why", ["nobody sees it", "only a key helps"])
def test_a_cell_does_not_wait_in_vain_and_the_next_one_logs_in(
    kernel: Kernel, made: Made, tmp_path: Path, wait: str, why: str
) -> None:
    keeper = Keeper(tmp_path, 2, key="KEEPER_KEY", secret="hush-4711")
    by_key = why == "only a key helps"
    model = made(keeper.wants("prompt", KEY if by_key else keeper.method("web")), nobody_after=600 if by_key else 0.5)
    if by_key:
        opened(kernel, model)
    cell: Cell = kernel.start(f"turn = agent.prompt('hi')\n{wait}").finish()
    assert cell.status == "error"
    assert "AuthRequired" in cell.text
    assert "agent.login('" in cell.text
    login = "agent.login('key', env={'KEEPER_KEY': 'hush-4711'})" if by_key else "agent.login()"
    assert kernel.run(f"{login}\nprint(turn.wait().text)").text == "You said hi\n"
