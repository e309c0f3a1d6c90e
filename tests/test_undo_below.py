"""What is in a folder that a call removes or moves, where nothing is watched; and what lies beyond the bounds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.undo.trees import Limits

from .agents.scripted import scripted
from .test_undo import DOER, do, folder, tree

__all__ = ["folder"]  # the fixture

# The question is answered when what the call names was copied.
CALL = """
import shutil
call = dict(toolCallId="c1", title="Do it", kind={kind!r}, rawInput={given!r})
update("tool_call_update", status="pending", **call)
ask(99, subject={{"type": "tool_call", "toolCall": call}})
answered(99)
{code}
update("tool_call_update", toolCallId="c1", status="completed")
"""


def done(folder: Path, kind: str, given: dict[str, str], code: str, limits: Limits | None = None) -> Any:
    with Agent(scripted(folder.parent, DOER), cwd=folder, permissions="allow") as agent:
        if limits is not None:
            agent._driver.undo._looker.limits = limits
        return do(agent, CALL.format(kind=kind, given=given, code=code))


@pytest.fixture
def full(folder: Path) -> Path:
    (folder / "src" / "deep").mkdir()
    (folder / "src" / "deep" / "d.bin").write_bytes(b"\xff")
    return folder


def test_a_folder_that_a_call_removes_comes_back_with_all_that_is_in_it(full: Path) -> None:
    before = tree(full)
    turn = done(full, "delete", {"path": "src"}, 'shutil.rmtree("src")')
    assert {(each.shown_path, each.operation, each.reversible) for each in turn.changes()} == {
        (os.path.join("src", "c.py"), "delete", True),  # noqa: PTH118
        (os.path.join("src", "deep", "d.bin"), "delete", True),  # noqa: PTH118
    }
    assert turn.revert()
    assert tree(full) == before


@pytest.mark.parametrize("to", ["lib", "there"])
def test_a_folder_that_a_call_moves_goes_back(full: Path, to: str) -> None:
    (full / "there").mkdir()
    (full / "there" / "old.txt").write_text("stays")
    before = tree(full)
    turn = done(full, "move", {"source": "src", "destination": to}, f'shutil.move("src", {to!r})')
    assert {each.operation for each in turn.changes()} == {"move"}
    assert len(turn.changes()) == 2
    assert turn.revert()
    assert tree(full) == before


def test_what_of_a_removed_folder_was_not_copied_is_named(full: Path) -> None:
    (full / "src" / "node_modules").mkdir()
    (full / "src" / "node_modules" / "m.js").write_text("1")
    (full / "src" / "large").write_bytes(b"x" * 1000)
    (full / "src" / "deep" / "e").write_text("1")
    turn = done(full, "delete", {"path": "src"}, 'shutil.rmtree("src")', Limits(file=500, count=3))
    changes = turn.changes()
    assert {each.shown_path.rpartition(os.sep)[2] for each in changes} == {"c.py", "d.bin", "large"}
    assert "larger than" in changes[os.path.join("src", "large")].why_not  # noqa: PTH118
    left = {os.path.relpath(path, full): why for path, why in changes.left_out.items()}
    assert "never looked through" in left[os.path.join("src", "node_modules")]  # noqa: PTH118
    assert "more than" in left[os.path.join("src", "deep")]  # noqa: PTH118
    assert not turn.revert(), "one file is not back"
    assert (full / "src" / "c.py").exists()


def test_a_call_that_was_not_done_leaves_no_traces(full: Path) -> None:
    (full / "src" / "node_modules").mkdir()
    turn = done(full, "delete", {"path": "src"}, "")
    assert (len(turn.changes()), turn.changes().left_out) == (0, {})


def test_a_folder_that_was_gone_before_it_was_copied_is_named(full: Path) -> None:
    with Agent(scripted(full.parent, DOER), cwd=full) as agent:
        code = 'update("tool_call_update", toolCallId="c", title="D", kind="delete", rawInput={"path": "src"}, status='
        turn = do(agent, f'import shutil; shutil.rmtree("src"); {code}"in_progress"); {code}"completed")')
    assert "gone before it could be copied" in turn.changes().left_out[str(full / "src")]
    assert "No file was changed" not in repr(turn.changes())


# --- beyond the bounds of a watched folder ---------------------------------------------------------------------------


def many(folder: Path, limits: Limits) -> Any:
    for number in range(8):
        (folder / f"many{number}").write_text("x" * 100)
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        agent._driver.undo._looker.limits = limits
        return do(agent, 'for n in range(8): Path(f"many{n}").write_text("y")')


def test_what_is_beyond_the_bytes_is_told_as_changed_and_not_copied(folder: Path) -> None:
    turn = many(folder, Limits(total=700))
    changes = turn.changes()
    assert len(changes) == 8
    lost = [each.shown_path for each in changes if not each.reversible]
    assert lost == ["many5", "many6", "many7"]
    assert "3 files ('many5', 'many6', 'many7') were not copied" in changes.left_out[str(folder)]
    report = turn.revert("many7")
    assert not report
    assert "there is no copy of it" in repr(report)
    assert not turn.revert(), "not all is as it was"
    assert (folder / "many0").read_text() == "x" * 100


def test_what_is_beyond_the_count_is_not_said_to_be_unchanged(folder: Path) -> None:
    turn = many(folder, Limits(count=6))
    assert "4 files ('many4', 'many5', 'many6', …) were not looked at" in turn.changes().left_out[str(folder)]
    with pytest.raises(ValueError, match=r"many7.*was not copied: there are more than 6 files"):
        turn.revert("many7")


def test_a_dry_run_is_told_from_the_real_one_and_a_conflict_says_what_can_be_done(folder: Path) -> None:
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        turn = do(agent, 'Path("a.txt").write_text("theirs")')
        (folder / "a.txt").write_text("mine")
        planned, real = turn.revert(dry_run=True), turn.revert()
    assert repr(planned) == f"would be {real!r}"
    assert repr(real) == (
        "left alone: a.txt: somebody changed it after the turn; "
        "what it was is .before in turn.changes(), to put it back yourself"
    )
