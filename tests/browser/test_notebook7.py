"""The main job in Notebook 7: a prompt, two questions answered with buttons while the cell waits, and the results."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import PROMPT, REPORT, START, answer, expect_end, question, report, turn_view


def test_a_turn_is_seen_answered_and_read_in_notebook_7(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, f"{PROMPT}\nturn.wait()", REPORT], front_end="Notebook 7")
    assert notebook.page.evaluate("() => window.jupyterapp.name") == "Jupyter Notebook"
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible()
    assert notebook.is_running(1), "the cell waits while the button is pressed"
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    notebook.finish(1)
    expect(view).to_have_count(1)

    result = report(notebook, 2)
    assert result["stop_reason"] == "end_turn"
    assert result["answers"] == [
        ["Edit stats.py?", "selected", "yes", "you"],
        ["Run the tests?", "selected", "yes", "you"],
    ]
    assert '+        return float("nan")' in result["patch"]
    assert "passed" in result["terminal"]
