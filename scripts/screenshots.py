"""Makes the pictures in docs/images: the quickstart's demo turn in a real JupyterLab, light, dark and narrow; a lesson.

The turn really runs, and both questions are answered with the buttons, as a reader would.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Locator, expect  # noqa: E402

from tests.browser.lab import Lab, NotebookPage, chromium  # noqa: E402
from tests.browser.session import answer, expect_end, question, turn_view  # noqa: E402

IMAGES = ROOT / "docs" / "images"
THEMES = "@jupyterlab/apputils-extension/themes"


@dataclass(frozen=True)
class Picture:
    """One run of the demo turn. `asking` and `finished` name the pictures of its two moments."""

    theme: str
    width: int
    asking: str
    finished: str


PICTURES = (
    Picture("JupyterLab Light", 900, "demo-light-asking", "demo-light"),
    Picture("JupyterLab Dark", 900, "demo-dark-asking", "demo-dark"),
    Picture("JupyterLab Light", 400, "demo-narrow-asking", "demo-narrow"),
)


LESSONS = (Picture("JupyterLab Light", 900, "lesson-light", ""), Picture("JupyterLab Dark", 900, "lesson-dark", ""))


def quickstart() -> tuple[list[str], int]:
    """The code cells of the quickstart up to its prompt, and the prompt's number among them."""
    notebook = json.loads((ROOT / "notebooks" / "01_quickstart.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    prompt = next(number for number, source in enumerate(cells) if "agent.prompt(" in source)
    return cells[: prompt + 1], prompt


def take(browser: Browser, picture: Picture, home: Path) -> None:
    cells, prompt = quickstart()
    home.mkdir()
    # The command in the picture names the kernel's Python: by a path that says nothing about this machine.
    (home / ".venv").symlink_to(sys.prefix)
    with Lab(home, {THEMES: {"theme": picture.theme}}, python=str(home / ".venv" / "bin" / "python")) as lab:
        lab.write("quickstart.ipynb", [*cells, ""])
        context = browser.new_context(device_scale_factor=1.5)
        notebook = NotebookPage(lab, context, "quickstart.ipynb", height=2000).open()
        for number in range(prompt):
            notebook.run(number)
        notebook.start(prompt)
        view = turn_view(notebook, prompt)
        expect(view).to_be_visible()
        fit(notebook, view, picture.width)
        answer(view, "Edit stats.py?", "Allow once")
        ask = question(view, "Run the tests?")
        expect(ask.get_by_role("button", name="Allow once", exact=True)).to_be_enabled()
        shoot(notebook, prompt, picture.asking)
        answer(view, "Run the tests?", "Allow once")
        expect_end(view)
        notebook.finish(prompt)
        view.locator(".acp-call-toggle").filter(has_text="Run the tests").click()
        shoot(notebook, prompt, picture.finished)
        lab.end_kernels()
        context.close()


def take_lesson(browser: Browser, picture: Picture, home: Path) -> None:
    """The lesson where it asks for the first time, with what its author says, and nothing of what comes."""
    home.mkdir()
    with Lab(home, {THEMES: {"theme": picture.theme}}) as lab:
        shutil.copytree(ROOT / "notebooks" / "lessons", lab.notebooks / "lessons")
        source = json.loads((ROOT / "notebooks" / "04_teaching.ipynb").read_text())
        start = next("".join(cell["source"]) for cell in source["cells"] if cell["id"] == "start")
        lab.write("lesson.ipynb", [start, ""])
        context = browser.new_context(device_scale_factor=1.5)
        notebook = NotebookPage(lab, context, "lesson.ipynb", height=1400).open()
        notebook.run(0)
        view = notebook.output(0).get_by_role("region", name="Agent session")
        fit(notebook, view, picture.width)
        about = view.locator(".acp-player-about")
        for _ in range(2):  # to the prompt, to the question
            before = about.inner_text()
            view.get_by_role("button", name=re.compile("^Next mark")).click()
            expect(about).not_to_have_text(before)
        expect(view.get_by_text("Would you allow this edit?")).to_be_visible()
        shoot(notebook, 0, picture.asking)
        lab.end_kernels()
        context.close()


def fit(notebook: NotebookPage, view: Locator, width: int) -> None:
    """Close the side bars, and make the window so wide that the view is as wide as asked."""
    page = notebook.page
    page.evaluate("""() => {
        const shell = window.jupyterapp.shell;
        shell.collapseLeft();
        shell.collapseRight();
    }""")
    size: Any = page.viewport_size
    window = size["width"]
    for _ in range(20):  # below a width of its own, JupyterLab lays cells out in another way
        have = view.evaluate("view => view.getBoundingClientRect().width")
        if abs(have - width) < 1:
            return
        window += round(width - have)
        page.set_viewport_size({"width": window, "height": size["height"]})
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    raise RuntimeError(f"The view is {have:g} pixels wide and should be {width}.")


def shoot(notebook: NotebookPage, cell: int, name: str) -> None:
    """The cell with its output. Whatever moves is still, another cell is active, and nothing is under the pointer."""
    page = notebook.page
    page.evaluate("""() => {
        const cells = window.jupyterapp.shell.currentWidget.content;
        cells.activeCellIndex = cells.widgets.length - 1;
    }""")
    page.mouse.move(1, 1)
    file = IMAGES / f"{name}.png"
    notebook.cell(cell).screenshot(path=file, animations="disabled")
    print(file.relative_to(ROOT), flush=True)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, tempfile.TemporaryDirectory(prefix="acp-widget-") as scratch:
        for number, picture in enumerate(PICTURES):
            take(browser, picture, Path(scratch) / str(number))
        for picture in LESSONS:
            take_lesson(browser, picture, Path(scratch) / picture.asking)


if __name__ == "__main__":
    main()
