"""The kernel ends while a question waits: nothing dead is left to press, and what was done so far stays readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .lab import Lab
from .session import PROMPT, START, question, turn_view

END = {
    "restarted": """() => {
        const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
        window.hasNewKernel = false;
        void kernel.restart().then(() => { window.hasNewKernel = true; });
    }""",
    "killed": """() => {
        const session = window.jupyterapp.shell.currentWidget.sessionContext;
        window.hasNewKernel = false;
        session.statusChanged.connect((_, status) => { window.hasNewKernel ||= status === "autorestarting"; });
        void session.session.kernel.requestExecute({code: "import os; os.kill(os.getpid(), 9)"});
    }""",
}


@pytest.mark.parametrize("how", ["killed", pytest.param("restarted", marks=pytest.mark.slow)])
def test_a_question_of_a_kernel_that_ended_has_no_buttons(open_notebook: OpenNotebook, lab: Lab, how: str) -> None:
    notebook = open_notebook([START, PROMPT])
    notebook.run(0)
    notebook.run(1)
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible()
    # The static transcript follows a running turn from question to question.
    notebook.page.wait_for_function(
        """() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.toJSON())
            .includes("Not answered when this was written")"""
    )
    notebook.page.evaluate(END[how])
    expect(view).to_contain_text("Never answered: the kernel was disconnected")
    expect(question(view, "Edit stats.py?").get_by_role("button")).to_have_count(0)
    expect(view.get_by_role("button", name="Stop")).to_have_count(0)
    expect(view).to_contain_text("kernel disconnected")
    # The server brings a new kernel; only then it can be told to end it.
    notebook.page.wait_for_function(
        """() => window.hasNewKernel
            && window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"""
    )
    notebook.save()
    notebook.complaints.clear()  # JupyterLab's own, about a kernel that died
    notebook.close()
    lab.end_kernels()

    again = open_notebook(name=notebook.name)
    static = again.output(1).locator(".acp-transcript")
    expect(static).to_be_visible()
    expect(static).to_contain_text("Read tests/test_stats.py")
    expect(static).to_contain_text("Not finished when this was written")
    again.complaints[:] = [text for text in again.complaints if "widget model not found" not in text.lower()]
