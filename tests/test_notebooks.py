"""The notebooks run from top to bottom where nobody watches, and what they show is readable where nothing runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from scripts import notebooks

NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
ASKING = ("01_quickstart", "03_permissions")
"""Those in which a request waits for a person."""


def printed(cell: Any) -> list[str]:
    """What a cell shows as text."""
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
    return [text for text in shown if text]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_anybody_to_answer(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    run = notebooks.readable(notebooks.run(path, tmp_path))
    told = any("NobodyWatching" in text for cell in run.cells for text in printed(cell))
    assert told == (path.stem in ASKING), "a request was answered by nobody, and it says so"
    if path.stem in notebooks.KEPT:
        kept = {cell.id: printed(cell) for cell in nbformat.read(path, as_version=4).cells}
        assert {cell.id: printed(cell) for cell in run.cells} == kept, "renew them: python -m scripts.notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_committed_needs_no_kernel_and_tells_nothing_of_a_machine(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert "widgets" not in notebook.metadata
    for cell in notebook.cells:
        assert "execution" not in cell.metadata
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert set(output.get("data", ())) <= {"text/html", "text/plain"}
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(tmp|home|root|Users|usr|private|var|opt)/|ipykernel_|python3\.\d", text)
    assert len(text) < 100_000


@pytest.mark.parametrize(
    "code",
    [
        "agent.insert(",
        "@agent.on_turn_end",
        "@agent.on_permission",
        'agent.run("Why is {prices} skewed?", prices=prices)',
        "def __acp_content__(self)",
        "%%acp --agent demo",
        ".to_frame()",
        ".to_dict()",
        "pickle.dumps(turn)",
        ".where(",
        'permissions="allow"',
        'agent.permissions = "reject"',
        "agent.answer(request,",
        "Policy(",
        "agent.policy.explain(",
        "agent.policy.decisions",
        "agent.permissions = only_edits",
        "fixed.changes()",
        "fixed.revert(dry_run=True)",
        "fixed.revert()",
    ],
)
def test_each_thing_has_a_cell_that_ran(code: str) -> None:
    cells = [cell for name in notebooks.KEPT for cell in nbformat.read(notebooks.FOLDER / f"{name}.ipynb", 4).cells]
    assert any(cell.cell_type == "code" and code in cell.source and cell.execution_count for cell in cells)
