"""Cells that ran go with a prompt by their numbers: their code, what they printed, gave and raised."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import IPython
import pytest

from acp_widget import Agent

SCRIPT = """
import json
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for code in ("x = 20\\nprint('some', x)\\nx + 1", "1/0", "# nothing", "print('z' * 100_000)"):
    shell.run_cell(code, store_history=True)
from acp_widget.content.attached import attached
def told(cells):
    try:
        return attached("x", [], None, {}, cells).blocks()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
print("TOLD" + json.dumps([told(each) for each in ([1, 2, 1], 3, 4, 9, [-1], 0, "1", [True])]))
"""


@pytest.fixture(scope="module")
def told() -> list[Any]:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    listed: list[Any] = json.loads(done.stdout.rpartition("TOLD")[2])
    return listed


def test_code_and_output_of_several_cells_go_in_their_order(told: list[Any]) -> None:
    _, first, second = told[0]
    assert first["_meta"]["acp-widget"]["name"] == "In[1]"
    text = first["resource"]["text"]
    assert "x = 20\nprint('some', x)\nx + 1" in text
    assert text.endswith("Out[1]:\n21")
    assert "1/0" in second["resource"]["text"]
    if IPython.version_info >= (9, 1):
        assert "Printed:\nsome 20" in text
        assert "Raised:\n" in second["resource"]["text"]
        assert "ZeroDivisionError: division by zero" in second["resource"]["text"]
        assert "\x1b" not in second["resource"]["text"]
    else:
        assert "What it printed is not known" in first["_meta"]["acp-widget"]["note"]


def test_a_cell_without_output_goes_as_its_code_and_of_much_output_the_end(told: list[Any]) -> None:
    assert told[1][1]["resource"]["text"].endswith("# nothing")
    if IPython.version_info >= (9, 1):
        assert told[2][1]["_meta"]["acp-widget"]["note"].startswith("Its output: Shown: the last 32,768 of ")


def test_what_did_not_run_and_what_is_no_number_is_refused(told: list[Any]) -> None:
    assert told[3] == "ValueError: There is no In[9]: the last one is In[4]."
    assert told[4].startswith("ValueError: There is no In[-1]")
    assert told[5].startswith("ValueError: There is no In[0]")
    for wrong in told[6:]:
        assert wrong.startswith("TypeError: cells= takes the number of a cell's run, or a list of them")


def test_outside_of_ipython_it_says_so() -> None:
    script = "from acp_widget import Agent\nAgent('demo').run('x', cells=3)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "There are no cells here: cells= works in a notebook, and in IPython." in done.stderr


def test_what_is_called_cells_goes_with_attach() -> None:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        with pytest.raises(TypeError, match=r"attach=\{'cells': …\}"):
            agent.prompt("hello", cells=["a"])  # type: ignore[list-item]
        assert agent.run("hello", attach={"cells": ["a"]}, show=False).attached[0].name == "cells"
