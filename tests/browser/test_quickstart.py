"""The notebook that `make demo` opens, run from top to bottom with Run All."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from .conftest import OpenNotebook
from .lab import ROOT, Lab
from .session import answer, expect_end, panel, turn_view

SOURCE = ROOT / "notebooks" / "01_quickstart.ipynb"


def test_run_all_reaches_the_end_with_two_clicks(open_notebook: OpenNotebook, lab: Lab) -> None:
    (lab.notebooks / "quickstart.ipynb").write_text(SOURCE.read_text())
    cells = json.loads(SOURCE.read_text())["cells"]
    code = {cell["id"]: number for number, cell in enumerate(cells) if cell["cell_type"] == "code"}
    notebook = open_notebook(name="quickstart.ipynb", height=3000)
    notebook.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    view = turn_view(notebook, code["prompt"])
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    notebook.finish(code["agent"])
    expect_end(panel(notebook, code["agent"]))
    assert "tests pass" in notebook.text(code["text"])
    assert '+        return float("nan")' in notebook.text(code["patch"])
    assert "passed" in notebook.text(code["terminal"])
    assert "'yes' by you" in notebook.text(code["permissions"])
    expect(notebook.page.locator(".jp-OutputArea-output[data-mime-type*=error]")).to_have_count(0)
