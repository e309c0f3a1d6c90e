"""A place in a file, opened from the widget: in JupyterLab's editor, at its line."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import turn_view

START = """from pathlib import Path
from acp_widget import Agent
folder = Path("a project")
folder.mkdir(exist_ok=True)
agent = Agent("demo", cwd=folder, permissions="allow")
turn = agent.prompt("The test for mean() fails on an empty list. Fix it.")"""

POSITION = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    const editor = panel.content.editor;
    return editor ? [panel.context.path, editor.getCursorPosition().line + 1, editor.hasFocus()] : null;
}"""


def test_a_place_opens_in_the_editor_at_its_line(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, "turn.wait()\nagent.close()"])
    notebook.run(0)
    notebook.run(1)
    chip = turn_view(notebook, 0).get_by_title("Opens").first
    expect(chip).to_have_text("tests/test_stats.py:12")
    chip.focus()
    notebook.page.keyboard.press("Enter")
    notebook.page.wait_for_function(f"() => ({POSITION})()?.[1] === 12")
    assert notebook.page.evaluate(POSITION)[0] == "a project/tests/test_stats.py"


@pytest.mark.slow
def test_a_place_that_the_server_does_not_show_is_only_copied(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START.replace(", cwd=folder", ""), "turn.wait()\nagent.close()"])
    notebook.run(0)
    notebook.run(1)
    view = turn_view(notebook, 0)
    expect(view.get_by_title("Copies").first).to_have_text("tests/test_stats.py:12")
    expect(view.get_by_title("Opens")).to_have_count(0)


# What the widget has for a folder and for a file that would be drawn (js/src/lib/jupyter_files.ts).
CLICK = """([command, args]) => {
    const button = document.createElement("button");
    button.dataset.commandlinkerCommand = command;
    button.dataset.commandlinkerArgs = JSON.stringify(args);
    document.querySelector(".jp-Notebook").append(button);
    button.click();
    button.remove();
}"""


@pytest.mark.slow
def test_folders_open_in_the_file_browser_and_drawn_files_in_the_editor(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook(["import pathlib\npathlib.Path('a dir').mkdir()\npathlib.Path('r.md').write_text('# r')"])
    notebook.run(0)
    page = notebook.page
    page.evaluate(CLICK, ["filebrowser:open-path", {"path": "a dir"}])
    expect(page.locator(".jp-FileBrowser-crumbs")).to_contain_text("a dir")
    page.evaluate(CLICK, ["docmanager:open", {"path": "r.md", "factory": "Editor"}])
    page.wait_for_function(f"() => ({POSITION})()?.[0] === 'r.md'")
