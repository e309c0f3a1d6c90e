"""Keys that are pressed in the widget never reach the notebook around it, wherever in the widget the focus is."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import OpenNotebook
from .lab import NotebookPage
from .session import FIX, START, panel, question

# A turn with a terminal, then one that waits for an answer.
ALLOWED = f"""agent.permissions = "allow"
agent.prompt({FIX!r}).wait()
agent.permissions = "ask"
agent.prompt({FIX!r})
agent"""

# In the notebook these insert, delete, cut, change, leave, choose and run cells.
NOTEBOOK_KEYS = ["a", "b", "d", "d", "x", "m", "y", "j", "Escape", "a", "b", "k", "d", "d"]
DIGITS = [*"1234567890"]
RUN = ["Shift+Enter", "Enter", "Escape", "a", "d", "d"]
# The question takes digits for its options: four of them, and one of those is tried last.
NO_OPTION = [*"567890"]

CELLS = """() => {
    const { content } = window.jupyterapp.shell.currentWidget;
    return {
        cells: content.widgets.map(cell => [
            cell.model.type, cell.model.sharedModel.getSource(), cell.model.executionCount, cell.model.executionState,
        ]),
        mode: content.mode,
        active: content.activeCellIndex,
        selected: content.selectedCells.map(cell => content.widgets.indexOf(cell)),
        dialogs: document.querySelectorAll(".jp-Dialog").length,
    };
}"""


def places(view: Locator) -> dict[str, Locator]:
    call = view.locator(".acp-call").filter(has=view.page.get_by_role("button", name="Raw input")).first
    return {
        "composer": view.get_by_role("textbox", name="Prompt"),
        "JSON tree": view.locator(".acp-json-toggle").first,  # before the fold, which forgets what was open in it
        "fold": call.locator(".acp-call-toggle"),
        "copy button": view.get_by_role("button", name="Copy as Python").first,
        "log": view.get_by_role("log"),
        "terminal": view.get_by_role("group", name="Terminal output").first,
        "patch": view.get_by_role("group", name="Patch of").first,
        "question": question(view, "Run the tests?"),
        "its button": question(view, "Run the tests?").get_by_role("button", name="Allow once", exact=True),
    }


def what_changed(notebook: NotebookPage, place: Locator, keys: list[str]) -> dict[str, Any]:
    """Press keys with the focus in one place, and say what is different in the notebook then."""
    place.focus()
    expect(place).to_be_focused()
    before = notebook.page.evaluate(CELLS)
    for key in keys:
        notebook.page.keyboard.press(key)
    after = notebook.page.evaluate(CELLS)
    return {name: [before[name], after[name]] for name in before if before[name] != after[name]}


@pytest.mark.parametrize("front_end", ["JupyterLab", pytest.param("Notebook 7", marks=pytest.mark.slow)])
def test_keys_pressed_in_the_widget_never_change_the_notebook(open_notebook: OpenNotebook, front_end: str) -> None:
    notebook = open_notebook(["1", START, ALLOWED, "'never run'"], height=2000, front_end=front_end)
    notebook.run(1)
    notebook.run(2)
    view = panel(notebook, 2)
    ask = question(view, "Run the tests?")
    expect(ask.get_by_role("button", name="Allow once", exact=True)).to_have_attribute("aria-disabled", "false")
    for toggle in view.locator(".acp-call-toggle").all():
        if toggle.get_attribute("aria-expanded") == "false":
            toggle.click()
    view.get_by_role("button", name="Raw input").first.click()

    untouched = notebook.page.evaluate(CELLS)["cells"]
    changes: dict[str, dict[str, Any]] = {}
    for name, place in places(view).items():
        asks = "question" in name or name == "its button"
        # Enter on the button would answer; on a fold, a patch or in the tree it opens and closes, which is its job.
        keys = [*NOTEBOOK_KEYS, *(NO_OPTION if asks else [*DIGITS, *RUN])]
        if name == "question":
            keys += RUN
        if found := what_changed(notebook, place, keys):
            changes[name] = found
        if name == "fold" or name == "JSON tree":
            expect(place).to_have_attribute("aria-expanded", "true")
    assert changes == {}
    expect(ask).to_have_count(1)

    # The digit of an option answers, and does nothing else: no cell has changed or run since, late ones included.
    assert what_changed(notebook, ask, ["3"]) == {}
    expect(ask).to_have_count(0)
    expect(view.locator(".acp-done")).to_have_count(3)  # the two, and what was typed into the composer and sent
    assert notebook.page.evaluate(CELLS)["cells"] == untouched
