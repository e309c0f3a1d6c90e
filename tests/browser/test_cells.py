"""Code of an agent proposed as a cell, by a button and by `agent.insert`: in place, not run, and in no file unasked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import expect_end, turn_view

CODER = Path(__file__).resolve().parents[1] / "agents" / "coder.py"
START = f"from acp_widget import Agent\nagent = Agent([{sys.executable!r}, {str(CODER)!r}])"
PROMPT = "turn = agent.run('go')"

SOURCES = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(each => each.model.sharedModel.getSource())"
COUNTS = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(each => each.model.executionCount ?? null)"
UNDO = "() => window.jupyterapp.commands.execute('notebook:undo-cell-action')"


@pytest.mark.parametrize("front_end", ["JupyterLab", pytest.param("Notebook 7", marks=pytest.mark.slow)])
def test_a_block_is_inserted_below_its_cell_and_not_run(open_notebook: OpenNotebook, front_end: str) -> None:
    cells = [START, PROMPT, "'last'"]
    notebook = open_notebook(cells, front_end=front_end)
    before = (notebook.lab.notebooks / notebook.name).read_bytes()
    notebook.run(0)
    notebook.run(1)
    notebook.run(2)  # the active cell is another one
    view = turn_view(notebook, 1)
    expect_end(view)
    insert = view.get_by_role("button", name="Insert below")
    expect(insert).to_have_count(2)  # not for the shell's
    insert.nth(0).focus()
    notebook.page.keyboard.press("Enter")
    expect(view.get_by_role("button", name="Inserted below")).to_be_focused()
    view.get_by_role("button", name="Insert below").click()  # the other one

    wanted = [START, PROMPT, "x = 1\nprint(x)", "y = 2", "'last'"]
    assert notebook.page.evaluate(SOURCES) == wanted
    assert notebook.page.evaluate(COUNTS) == [1, 2, None, None, 3]
    assert (notebook.lab.notebooks / notebook.name).read_bytes() == before, "only the notebook itself saves"
    assert notebook.run(2) == "1\n"

    notebook.save()
    notebook.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert ["".join(cell["source"]) for cell in notebook.saved()["cells"]] == wanted


@pytest.mark.slow
def test_it_is_undone_as_any_other_new_cell(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT])
    notebook.run(0)
    notebook.run(1)
    turn_view(notebook, 1).get_by_role("button", name="Insert below").first.click()
    assert notebook.count_cells() == 3
    notebook.page.evaluate(UNDO)
    assert notebook.page.evaluate(SOURCES) == [START, PROMPT]


BESIDE = """async name => {
    const app = window.jupyterapp;
    const panel = await app.commands.execute("docmanager:open", {
        path: name, factory: "Notebook", options: { mode: "split-right" } });
    await panel.context.ready;
    app.shell.activateById(panel.id);
}"""


def test_a_notebook_beside_it_stays_as_it_is_though_it_is_the_active_one(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT])
    notebook.run(0)
    notebook.run(1)
    view = turn_view(notebook, 1)
    beside = notebook.lab.write(f"beside-{notebook.name}", ["'a'", "'b'", "'c'"])
    notebook.page.evaluate(BESIDE, beside.name)
    notebook.page.wait_for_function(f"() => ({SOURCES})().length === 3")
    button = view.get_by_role("button", name="Insert below").first
    button.evaluate("button => button.click()")  # without the press that would make its notebook the active one
    expect(view.get_by_role("button", name="Inserted below")).to_be_attached()
    assert notebook.page.evaluate(SOURCES) == ["'a'", "'b'", "'c'"]
    sources = """name => [...window.jupyterapp.shell.widgets("main")].find(each => each.context?.path === name)
        .content.widgets.map(each => each.model.sharedModel.getSource())"""
    assert notebook.page.evaluate(sources, notebook.name) == [START, PROMPT, "x = 1\nprint(x)"]


@pytest.mark.slow
def test_a_view_of_the_output_alone_only_copies(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT])
    notebook.run(0)
    notebook.run(1)
    expect(turn_view(notebook, 1).get_by_role("button", name="Insert below")).to_have_count(2)
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('notebook:create-output-view')")
    alone = notebook.page.locator(".jp-LinkedOutputView")
    expect(alone.get_by_role("button", name="Copy").first).to_be_attached()
    expect(alone.get_by_role("button", name="Insert below")).to_have_count(0)


def test_insert_from_python_proposes_the_last_block_of_a_cell_below_it(open_notebook: OpenNotebook) -> None:
    insert = "for block in turn.code_blocks[:2]:\n    agent.insert(block)"
    notebook = open_notebook([START, "turn = agent.run('go', show=False)", insert, "'last'"])
    for index in range(3):
        notebook.run(index)
    notebook.page.wait_for_function(f"() => ({SOURCES})().length === 5")
    assert notebook.page.evaluate(SOURCES)[2:] == [insert, "y = 2", "'last'"]
    assert notebook.page.evaluate(COUNTS)[3] is None
