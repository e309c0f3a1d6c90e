"""What a turn did to files, taken back in the cells of a real kernel; and code that becomes the next cell."""

from __future__ import annotations

import pytest

from .client import Kernel

pytestmark = pytest.mark.kernel

FIX = "The test for mean() fails on an empty list. Fix it."


def test_an_edit_is_allowed_read_and_taken_back(kernel: Kernel) -> None:
    kernel.run("from acp_widget import Agent\nfrom pathlib import Path\nagent = Agent('demo', permissions='allow')")
    kernel.run("before = None\nagent.start().wait()\nbefore = Path(agent.cwd, 'stats.py').read_bytes()")
    kernel.run(f"turn = agent.prompt({FIX!r}).wait()")
    assert "FileChange modify stats.py" in kernel.run("print(turn.changes())").text
    assert kernel.run("print(turn.revert())").text == "restored: stats.py\n"
    assert kernel.run("print(Path(agent.cwd, 'stats.py').read_bytes() == before)").text == "True\n"
    kernel.run("agent.close()")


def test_a_code_block_becomes_the_next_cell_and_is_not_run(kernel: Kernel) -> None:
    kernel.run("from acp_widget import Agent\nagent = Agent('demo')")
    reply = kernel.run("agent.insert('x = 1')").reply
    assert reply is not None
    [proposed] = [each for each in reply["content"]["payload"] if each["source"] == "set_next_input"]
    assert (proposed["text"], proposed["replace"]) == ("x = 1", False)
    assert kernel.run("print('x' in globals())").text == "False\n"
