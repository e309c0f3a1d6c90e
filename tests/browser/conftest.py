"""One server of JupyterLab and Notebook 7, and one Chromium, for all tests; a fresh notebook, page and kernel each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from . import lab as labs

# Time for a busy machine; a test that passes never waits so long.
expect.set_options(timeout=20_000)

OpenNotebook = Callable[..., labs.NotebookPage]

_numbers = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    quick = {"ACP_WIDGET_DEMO_PACE": "0.2"}  # the demo agent pauses for readers; tests read faster
    with labs.Lab(tmp_path_factory.mktemp("lab"), environment=quick, notebook7=True) as running:
        yield running


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    """One for all tests, so that JupyterLab's own files come from its cache."""
    with labs.chromium() as browser:
        yield browser.new_context()


@pytest.fixture
def open_notebook(lab: labs.Lab, context: BrowserContext) -> Iterator[OpenNotebook]:
    """`open_notebook([source, …])` gives an open notebook with an idle kernel.

    At the end of the test no page may have logged an error, opened a dialog or asked another server for anything.
    `harmless` is how an error begins that the test expects.
    """
    opened: list[labs.NotebookPage] = []

    def open_one(
        cells: Sequence[str] | None = None,
        name: str | None = None,
        height: int = 1000,
        harmless: str | None = None,
        prepare: Callable[[Page], None] = lambda page: None,
        front_end: str = "JupyterLab",
    ) -> labs.NotebookPage:
        name = name or f"test-{next(_numbers)}.ipynb"
        if cells is not None:
            lab.write(name, cells)
        notebook = labs.NotebookPage(lab, context, name, height, harmless, front_end)
        opened.append(notebook)
        prepare(notebook.page)
        return notebook.open()

    yield open_one
    for notebook in opened:
        notebook.close()
    lab.end_kernels()
    for notebook in opened:
        notebook.assert_quiet()
