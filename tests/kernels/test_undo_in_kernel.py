"""What a turn did to files, taken back in the cells of a real kernel."""

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
