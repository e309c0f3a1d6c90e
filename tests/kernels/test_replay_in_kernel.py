"""A replay in the cells of real kernels: it plays while a cell waits, and a click chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from .client import Kernel
from .test_agent_in_kernel import Page

pytestmark = pytest.mark.kernel

ASKED = Path(__file__).parent.parent / "traces" / "sdk-v2-agent-main.jsonl"


@pytest.mark.parametrize("wait", ["agent.wait(20)", "await agent.turns[0]"])
def test_it_plays_while_a_cell_waits_and_clicks_choose(kernel: Kernel, wait: str) -> None:
    kernel.run("from acp_widget import Agent")
    made = kernel.run(
        f"agent = Agent.replay({str(ASKED)!r}, speed=1000, permissions='ask', paused=True)\nagent.player.seek(10)\n"
        "print(agent.widget.model_id)"
    )
    model = made.text.strip()
    page = Page(kernel, model)
    page.open()

    def pending(permission: str) -> None:
        kernel.until(lambda: permission in [key for key, _ in page.requests()], f"the request {permission}")

    cell = kernel.start(f"agent.player.play()\n{wait}\nprint([each['chosen'] for each in agent.player.choices])")
    pending("p:1")
    assert not cell.over
    kernel.click(model, {"type": "answer", "id": "a1", "permission": "p:1", "optionId": "no"})
    pending("p:2")
    kernel.click(model, {"type": "player", "id": "a2", "do": "choose", "value": "yes"})
    cell.finish()
    assert cell.status == "ok", cell.text
    assert cell.text == "['Reject', 'Apply']\n"
    said = kernel.run("print(agent.turns[0].permissions[0].option_id, agent.wait(20).player.end)\nagent.close()")
    assert said.text == "once complete\n"
