"""The main job in Notebook 7: a prompt, two questions answered with buttons while the cell waits, and the results."""

from __future__ import annotations

from .conftest import OpenNotebook
from .session import PROMPT, REPORT, START, turn_answered_while_it_runs


def test_a_turn_is_seen_answered_and_read_in_notebook_7(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, f"{PROMPT}\nturn.wait()", REPORT], front_end="Notebook 7")
    assert notebook.page.evaluate("() => window.jupyterapp.name") == "Jupyter Notebook"
    turn_answered_while_it_runs(notebook, waits=True)
