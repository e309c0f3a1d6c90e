"""A saved notebook without its kernel: the finished turn is readable, once, and nothing in it can be pressed."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .lab import WITHOUT_KERNEL, Lab
from .session import PROMPT, START, answer, expect_end, question, turn_view

WITH_WIDGET_STATE = """jupyterapp => jupyterapp.serviceManager.settings
    .fetch("@jupyter-widgets/jupyterlab-manager:plugin")
    .then(() => jupyterapp.serviceManager.settings.save(
        "@jupyter-widgets/jupyterlab-manager:plugin", JSON.stringify({saveState: true})))"""


@pytest.mark.parametrize(
    "widget_state",
    [pytest.param(False, id="plain"), pytest.param(True, id="with-widget-state", marks=pytest.mark.slow)],
)
def test_the_finished_turn_is_read_once_without_its_kernel(
    open_notebook: OpenNotebook, lab: Lab, widget_state: bool
) -> None:
    notebook = open_notebook([START, PROMPT])
    if widget_state:
        notebook.page.evaluate(f"() => ({WITH_WIDGET_STATE})(window.jupyterapp)")
        notebook.reload()
    notebook.run(0)
    notebook.run(1)
    view = turn_view(notebook, 1)
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    notebook.page.wait_for_function(
        """() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.toJSON())
            .includes("tests pass")"""
    )
    # While the live view works, the transcript beside it is there and not seen.
    expect(notebook.output(1).get_by_text("tests pass").filter(visible=True)).to_have_count(1)
    expect(notebook.output(1).locator(".acp-transcript").filter(visible=True)).to_have_count(0)
    notebook.save()
    notebook.close()
    lab.end_kernels()
    assert ("widgets" in notebook.saved()["metadata"]) is widget_state

    again = open_notebook(name=notebook.name, harmless=WITHOUT_KERNEL)
    output = again.output(1)
    expect(output.get_by_text("tests pass").filter(visible=True)).to_have_count(1)
    expect(output.locator(".acp-transcript").filter(visible=True)).to_have_count(1)
    expect(output).to_contain_text("Allowed once")
    expect(output).to_contain_text('return float("nan")')
    expect(output).to_contain_text("6 passed")
    expect(output.get_by_role("button").filter(visible=True)).to_have_count(0)


def test_a_question_that_was_never_answered_is_no_button_later(open_notebook: OpenNotebook, lab: Lab) -> None:
    notebook = open_notebook([START, PROMPT])
    notebook.run(0)
    notebook.run(1)
    expect(question(turn_view(notebook, 1), "Edit stats.py?")).to_be_visible()
    notebook.save()
    notebook.close()
    lab.end_kernels()

    again = open_notebook(name=notebook.name, harmless=WITHOUT_KERNEL)
    output = again.output(1)
    expect(output.locator(".acp-transcript").filter(visible=True)).to_have_count(1)
    expect(output.get_by_role("button").filter(visible=True)).to_have_count(0)
    assert "Allow once" not in json.dumps(again.run(0))
