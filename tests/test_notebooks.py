"""The notebooks run from top to bottom where nobody watches, and nothing of a run is left in their files."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_anybody_to_answer(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    printed = [str(output) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("NobodyWatching" in text for text in printed), "a request was answered by nobody, and it says so"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_without_outputs(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
