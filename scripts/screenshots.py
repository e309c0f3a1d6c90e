"""Makes the pictures in docs/images: the quickstart's demo turn in a real JupyterLab, light, dark and narrow.

The turn really runs, and both questions are answered with the buttons, as a reader would.
"""

from __future__ import annotations

import json
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


def quickstart() -> tuple[list[str], int]:
    """The code cells of the quickstart up to its prompt, and the prompt's number among them."""
    notebook = json.loads((ROOT / "notebooks" / "01_quickstart.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    prompt = next(number for number, source in enumerate(cells) if "agent.prompt(" in source)
    return cells[: prompt + 1], prompt


def take(browser: Browser, picture: Picture, home: Path) -> None:
    cells, prompt = quickstart()
    with Lab(home, {THEMES: {"theme": picture.theme}}) as lab:
        lab.write("quickstart.ipynb", cells)
        context = browser.new_context(device_scale_factor=2)
        notebook = NotebookPage(lab, context, "quickstart.ipynb", height=1900).open()
        fit(notebook, picture.width)
        for number in range(prompt):
            notebook.run(number)
        notebook.start(prompt)
        view = turn_view(notebook, prompt)
        answer(view, "Edit stats.py?", "Allow once")
        expect(question(view, "Run the tests?").get_by_role("button", name="Allow once", exact=True)).to_be_enabled()
        shoot(notebook, notebook.cell(prompt), picture.asking)
        answer(view, "Run the tests?", "Allow once")
        expect_end(view)
        notebook.finish(prompt)
        shoot(notebook, notebook.cell(prompt), picture.finished)
        lab.end_kernels()
        context.close()


def fit(notebook: NotebookPage, width: int) -> None:
    """Close the side bar, and make the output as wide as asked."""
    page = notebook.page
    page.evaluate("""() => {
        const shell = window.jupyterapp.shell;
        shell.collapseLeft();
        shell.collapseRight();
    }""")
    measured = page.locator(
        ".jp-Notebook .jp-Cell-outputArea, .jp-Notebook .jp-CodeMirrorEditor, .jp-Notebook .jp-Editor"
    )
    have = measured.first.bounding_box()
    if have is not None:
        size: Any = page.viewport_size
        page.set_viewport_size({"width": round(size["width"] + width - have["width"]), "height": size["height"]})


def shoot(notebook: NotebookPage, cell: Locator, name: str) -> None:
    """The cell with its output. Whatever moves is still, and nothing is under the pointer."""
    notebook.page.mouse.move(1, 1)
    cell.scroll_into_view_if_needed()
    file = IMAGES / f"{name}.png"
    cell.screenshot(path=file, animations="disabled")
    print(file.relative_to(ROOT), flush=True)


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, tempfile.TemporaryDirectory() as scratch:
        for number, picture in enumerate(PICTURES):
            take(browser, picture, Path(scratch) / str(number))


if __name__ == "__main__":
    main()
