"""The page is reloaded while a cell waits for an answer: the button comes back, and ends the wait."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import PROMPT, START, answer, expect_end, question, turn_view

# JupyterLab itself gives a reloaded page four seconds for its widgets, too little on a busy machine. What the kernel
# answers is tested in tests/kernels.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("wait", ["turn.wait()", "await turn"], ids=["wait", "await"])
def test_a_question_comes_back_while_the_cell_waits(open_notebook: OpenNotebook, wait: str) -> None:
    notebook = open_notebook([START, f"{PROMPT}\n{wait}", "turn.stop_reason"])
    notebook.run(0)
    notebook.start(1)
    expect(question(turn_view(notebook, 1), "Edit stats.py?")).to_be_visible()
    notebook.save()

    notebook.page.reload()  # not notebook.reload(): the kernel is busy, and stays so
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible(timeout=60_000)
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    assert "end_turn" in str(notebook.run(2))
