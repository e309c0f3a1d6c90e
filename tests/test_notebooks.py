"""The notebooks run from top to bottom where nobody watches, and what they show is readable where nothing runs."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from acp_widget import AcpError, Agent
from scripts import lessons, notebooks

NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
ASKING = ("01_quickstart", "03_permissions", "04_teaching")
"""Those in which a request waits for a person."""


LESSON = notebooks.FOLDER / "04_teaching.ipynb"


def printed(cell: Any) -> list[str]:
    """What a cell shows as text."""
    shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
    return [text for text in shown if text]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_anybody_to_answer(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    if path.stem == LESSON.stem:
        monkeypatch.setenv("PATH", "")  # nothing is there that could be run
    run = notebooks.readable(notebooks.run(path, tmp_path))
    told = any("NobodyWatching" in text for cell in run.cells for text in printed(cell))
    assert told == (path.stem in ASKING), "a request was answered by nobody, and it says so"
    if path.stem in notebooks.KEPT and path.stem not in notebooks.PRESSES:
        kept = {cell.id: printed(cell) for cell in nbformat.read(path, as_version=4).cells}
        assert {cell.id: printed(cell) for cell in run.cells} == kept, "renew them: python -m scripts.notebooks"


@pytest.mark.slow
@pytest.mark.parametrize("name", notebooks.PRESSES)
def test_what_is_kept_where_somebody_answers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    path = notebooks.FOLDER / f"{name}.ipynb"
    run = notebooks.readable(notebooks.run(path, tmp_path, pressed=True))
    kept = {cell.id: printed(cell) for cell in nbformat.read(path, as_version=4).cells}
    assert {cell.id: printed(cell) for cell in run.cells} == kept, "renew it: python -m scripts.notebooks"


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
        "Agent.replay(",
        "agent.player.choices",
    ],
)
def test_each_thing_has_a_cell_that_ran(code: str) -> None:
    cells = [cell for name in notebooks.KEPT for cell in nbformat.read(notebooks.FOLDER / f"{name}.ipynb", 4).cells]
    assert any(cell.cell_type == "code" and code in cell.source and cell.execution_count for cell in cells)


def test_the_exercises_of_the_lesson_can_be_solved_and_nothing_else_counts(capsys: pytest.CaptureFixture[str]) -> None:
    cells = {cell.id: cell for cell in nbformat.read(LESSON, as_version=4).cells}
    agent = Agent.replay(notebooks.LESSONS / "fix.jsonl", speed=float("inf")).wait()
    names: dict[str, Any] = {"agent": agent, "turn": agent.turns[1]}
    exec(cells["check"].source, names)
    exercises = [cell for cell in cells.values() if "solution" in cell.metadata]
    assert len(exercises) == 6
    for cell in exercises:
        assert " = ...\n" in cell.source
        said = []
        for answer in ("...", cell.metadata["solution"], "-1"):
            exec(cell.source.replace(" = ...\n", f" = {answer}\n", 1), names)
            said.append(capsys.readouterr().out)
        assert [text.split()[0] for text in said] == ["Replace", "Right.", "Not"], cell.id


def test_the_lesson_asks_before_it_tells() -> None:
    agent = Agent.replay(notebooks.LESSONS / "fix.jsonl", speed=float("inf"), predict=True, paused=True)
    player = agent.player
    assert player is not None
    player.next("permission")
    assert player.question is not None
    assert "Would you allow this edit?" in player.question["question"]
    with pytest.raises(AcpError):
        player.seek(player.count)
    for chosen in ("Reject", "Allow once", "Allow once"):
        if player.question is None:
            player.next("permission")
        player.choose(chosen)
    agent.close()
    assert [choice["right"] for choice in player.choices] == [None, None, True]
    assert [choice["recorded"] for choice in player.choices] == ["Reject", "Allow once", "Allow once"]


def test_a_lesson_tells_nothing_of_a_machine_and_its_notes_fit() -> None:
    text = (notebooks.LESSONS / "fix.jsonl").read_text(encoding="utf-8")
    encoded = " ".join(base64.b64decode(data).decode() for data in re.findall(r'"data": "([A-Za-z0-9+/=]+)"', text))
    assert "6 passed" in encoded
    assert not re.search(r"/(tmp|home|root|Users|usr|private|var|opt)/|python3\.\d", text + encoded)
    kept = json.loads((notebooks.LESSONS / "fix.notes.json").read_text(encoding="utf-8"))
    assert kept == lessons.notes(notebooks.LESSONS / "fix.jsonl"), "renew it: python -m scripts.lessons"


@pytest.mark.slow
def test_a_lesson_can_be_recorded_anew(tmp_path: Path) -> None:
    lessons.main(tmp_path)
    ends = [Agent.replay(folder / "fix.jsonl", speed=float("inf")).wait() for folder in (tmp_path, notebooks.LESSONS)]
    told = [[(turn.text, [call.status for call in turn.tool_calls]) for turn in agent.turns] for agent in ends]
    assert told[0] == told[1]
    assert (tmp_path / "fix.notes.json").exists()
