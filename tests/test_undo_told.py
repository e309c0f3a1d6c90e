"""What an agent tells is no proof: what it did not write is not touched, what is not known is not guessed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.undo.store import Store
from acp_widget.undo.trees import NOTHING, Found, Limits, Looker

from .agents.scripted import scripted
from .test_undo import DOER, shown, tree

TEXT = "one\ntwo\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "work"
    made.mkdir()
    (made / "a.txt").write_text(TEXT)
    (made / "b.txt").write_text("b")
    return made


def do(folder: Path, code: str, *, permissions: str = "allow") -> Any:
    """A turn in a folder that nobody watches."""
    with Agent(scripted(folder.parent, DOER), cwd=folder, permissions=permissions) as agent:
        return agent.run(code, show=False, timeout=60)


def call(status: str, path: Path, old: str | None, new: str, call_id: str = "c") -> str:
    fields = {"toolCallId": call_id, "title": "Edit", "kind": "edit", "status": status, **shown(path, old, new)}
    return f'update("tool_call_update", **{fields!r})\n'


def asked(path: Path, old: str | None, new: str) -> str:
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "c", "kind": "edit", **shown(path, old, new)}}
    return f"ask(7, subject={subject!r})\nread()\n"


COMPLETED = 'update("tool_call_update", toolCallId="c", status="completed")\n'


@pytest.mark.parametrize(
    ("old", "new", "rewritten"),
    [(None, TEXT, False), (None, TEXT, True), ("zero\n", "one\n", False)],
    ids=["announced only", "written as it was", "an edit whose text is there"],
)
@pytest.mark.parametrize("permissions", ["allow", "reject"])
def test_a_file_that_the_turn_did_not_change_is_left_alone(
    folder: Path, old: str | None, new: str, rewritten: bool, permissions: str
) -> None:
    path = folder / "a.txt"
    before = tree(folder)
    written = f"Path({str(path)!r}).write_text({TEXT!r})\n" if rewritten else ""
    steps = call("pending", path, old, new) + asked(path, old, new) + written + COMPLETED
    turn = do(folder, steps, permissions=permissions)
    assert list(turn.changes()) == []
    turn.revert()
    assert tree(folder) == before


@pytest.mark.parametrize("status", ["pending", "completed"])
@pytest.mark.parametrize(("old", "new"), [(None, TEXT), ("zero\n", "one\n")])
def test_a_call_that_was_told_and_never_done_changes_nothing(
    folder: Path, status: str, old: str | None, new: str
) -> None:
    turn = do(folder, call(status, folder / "a.txt", old, new))
    assert list(turn.changes()) == []
    assert ("was not written during the turn" in repr(turn.changes())) == (status == "completed")
    turn.revert()
    assert (folder / "a.txt").read_text() == TEXT


def test_what_was_rejected_is_not_believed_though_you_wrote_it_meanwhile(folder: Path) -> None:
    path = folder / "a.txt"
    steps = f"Path({str(path)!r}).write_text('one\\n')\n" + asked(path, "zero\n", "one\n") + COMPLETED
    turn = do(folder, steps, permissions="reject")
    turn.revert()
    assert path.read_text() == "one\n"


@pytest.mark.parametrize("status", ["completed", "in_progress"])
@pytest.mark.parametrize("name", ["a.txt", "new.txt"])
def test_a_new_file_that_is_told_afterwards_may_have_been_another_one(folder: Path, status: str, name: str) -> None:
    """The file is never removed: its earlier text would be lost for good."""
    path = folder / name
    turn = do(folder, f"Path({str(path)!r}).write_text('agent')\n" + call(status, path, None, "agent"))
    [change] = turn.changes()
    assert not change.reversible
    assert "what stood there before is not known" in turn.revert().skipped[str(path)]
    assert path.read_text() == "agent"


def test_a_file_that_was_gone_when_it_was_copied_but_is_told_to_have_been_there_is_not_removed(folder: Path) -> None:
    path = folder / "a.txt"
    steps = "Path('a.txt').unlink()\n" + call("pending", path, "other\n", "agent") + asked(path, "other\n", "agent")
    turn = do(folder, steps + f"Path({str(path)!r}).write_text('agent')\n" + COMPLETED)
    assert not turn.changes()["a.txt"].reversible
    turn.revert()
    assert path.read_text() == "agent"


def test_a_new_file_that_was_announced_is_removed(folder: Path) -> None:
    path = folder / "new.txt"
    steps = call("pending", path, None, "agent") + asked(path, None, "agent")
    turn = do(folder, steps + f"Path({str(path)!r}).write_text('agent')\n" + COMPLETED)
    assert turn.changes()["new.txt"].operation == "add"
    assert turn.revert().removed == [str(path)]
    assert not path.exists()


def test_what_is_named_only_afterwards_is_not_passed_over_in_silence(folder: Path) -> None:
    late = 'update("tool_call_update", toolCallId="c", title="D", kind="delete", status="completed", locations={})'
    turn = do(folder, "Path('a.txt').unlink()\n" + late.format("[{'path': 'a.txt'}]"))
    assert "how it was before is not known" in turn.changes().left_out[str(folder / "a.txt")]
    assert "a.txt" in repr(turn.changes())


def test_two_edits_of_a_file_that_are_told_afterwards_are_both_taken_back(folder: Path) -> None:
    path = folder / "a.txt"
    write = f"Path({str(path)!r}).write_text({{!r}})\n"
    first = write.format("1\ntwo\n") + call("completed", path, TEXT, "1\ntwo\n", "c1")
    second = write.format("1\n2\n") + call("completed", path, "1\ntwo\n", "1\n2\n", "c2")
    turn = do(folder, first + second)
    if turn.changes()["a.txt"].reversible:  # a copy that was made while the file changed is none
        turn.revert()
        assert path.read_text() == TEXT


def test_times_tell_what_was_there_before(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("1")
    found = Looker(Store(), Limits()).look(str(tmp_path / "f"))
    assert found.older(time.time_ns() + 60_000_000_000)
    assert not found.older(found.stamp[0])
    assert not NOTHING.older(time.time_ns())
    whole = Found("file", stamp=(5_000_000_000, 5_000_000_000))
    assert (whole.older(6_000_000_000), whole.older(7_000_000_001)) == (False, True)
