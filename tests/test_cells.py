"""Code of an agent becomes a cell that is proposed: never run, never written into a file."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.code_blocks import CodeBlock


def block(language: str | None, code: str) -> Any:
    return CodeBlock(language, code, message=None)  # type: ignore[arg-type]


def proposed(what: str) -> str:
    """What the next prompt of an IPython would hold."""
    script = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "from acp_widget import Agent\nfrom acp_widget.code_blocks import CodeBlock\n"
        f"Agent('demo').insert({what})\nprint(repr(shell.rl_next_input), 'x' in shell.user_ns)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("what", "source"),
    [
        ("'x = 1'", "x = 1"),
        ("CodeBlock('python', 'x = 1\\n', None)", "x = 1"),
        ("CodeBlock('Bash', 'ls\\n', None)", "%%bash\nls"),
    ],
)
def test_the_next_input_holds_the_code_and_nothing_has_run(what: str, source: str) -> None:
    assert proposed(what) == f"{source!r} False\n"


def test_without_ipython_and_for_what_no_cell_runs_it_says_so() -> None:
    agent = Agent("demo")
    with pytest.raises(ValueError, match="No cell runs 'rust'"):
        agent.insert(block("rust", "fn main() {}\n"))
    for empty in ("", " \n", block("python", "\n")):
        with pytest.raises(ValueError, match="There is nothing to insert: the code is empty"):
            agent.insert(empty)
    with pytest.raises(TypeError, match="not of int"):
        agent.insert(1)  # type: ignore[arg-type]
    script = "from acp_widget import Agent\nAgent('demo').insert('x = 1')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "There is no next cell here" in done.stderr
