"""The rig itself: a plain widget of anywidget in JupyterLab, without anything of ours."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import OpenNotebook

WIDGET = """
import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = '''
    function render({ model, el }) {
      const button = document.createElement("button");
      const draw = () => { button.textContent = "count is " + model.get("count"); };
      button.onclick = () => { model.set("count", model.get("count") + 1); model.save_changes(); };
      model.on("change:count", draw); draw(); el.append(button);
    }
    export default { render };
    '''
    count = traitlets.Int(0).tag(sync=True)
counter = Counter()
counter
"""


def test_a_click_in_the_page_reaches_the_kernel(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([WIDGET, "counter.count"])
    notebook.run(0)
    button = notebook.output(0).get_by_role("button")
    button.click()
    expect(button).to_have_text("count is 1")
    assert notebook.run(1) == "1"


def test_a_page_that_leaves_the_machine_or_opens_a_dialog_is_noticed(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(["1"])
    with notebook.page.expect_console_message(lambda message: "ERR_NAME_NOT_RESOLVED" in message.text):
        notebook.page.evaluate("() => { fetch('http://example.com/x').catch(() => {}); alert('hello'); }")
    assert notebook.left_this_machine == ["http://example.com/x"]
    assert "dialog: hello" in notebook.complaints
    notebook.left_this_machine.clear()
    notebook.complaints.clear()
