"""Links, folders, pipes and second names: restored as they were, or named; never followed, never lost in silence."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent

from .agents.scripted import scripted
from .test_undo import DOER, shown

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "work"
    (made / "src" / "deep").mkdir(parents=True)
    (made / "a.txt").write_text("one\ntwo\n")
    (made / "src" / "c.py").write_text("x = 1\n")
    (made / "src" / "deep" / "e").write_text("e")
    (made / "ln").symlink_to("a.txt")
    (made / "lost").symlink_to("nowhere")
    (made / "far").symlink_to("src")
    (made / "empty").mkdir()
    (made / "private").mkdir(mode=0o700)
    (made / "private" / "key").write_text("k")
    return made


@pytest.fixture
def agent(folder: Path) -> Iterator[Agent]:
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        yield agent


def do(agent: Agent, code: str) -> Any:
    return agent.run("import os, shutil\n" + code, show=False, timeout=60)


def everything(folder: Path) -> dict[str, tuple[str, object]]:
    """What stands there, with its mode; a link with its text."""
    found: dict[str, tuple[str, object]] = {}
    for above, folders, files in os.walk(folder):
        for path in (Path(above, name) for name in (*files, *folders)):
            mode = stat.filemode(path.lstat().st_mode)
            is_file = stat.S_ISREG(path.lstat().st_mode)
            held = str(path.readlink()) if path.is_symlink() else path.read_bytes() if is_file else None
            found[str(path.relative_to(folder))] = (mode, held)
    return found


@pytest.mark.parametrize(
    "code",
    [
        "os.unlink('ln')",
        "os.unlink('lost')",
        "os.unlink('ln'); open('ln', 'w').write('a file now')",
        "os.unlink('ln'); os.symlink('src/c.py', 'ln')",
        "os.unlink('a.txt'); os.symlink('src/c.py', 'a.txt')",
        "os.symlink('/etc', 'new')",
        "os.unlink('far'); os.mkdir('far'); open('far/c.py', 'w').write('x')",
        "os.unlink('far'); os.makedirs('far/deep/er')",
        "shutil.rmtree('src'); os.symlink('private', 'src')",
        "os.rename('ln', 'moved')",
        "shutil.rmtree('private')",
        "os.rename('private', 'public'); os.chmod('public', 0o755)",
        "os.unlink('a.txt'); os.mkdir('a.txt')",
    ],
)
def test_links_and_what_takes_their_place_are_restored(agent: Agent, folder: Path, code: str) -> None:
    before = everything(folder)
    turn = do(agent, code)
    assert everything(folder) != before
    assert len(turn.changes()) > 0
    planned = turn.revert(dry_run=True)
    done = turn.revert()
    assert done, done
    assert everything(folder) == before
    assert (planned.restored, planned.removed) == (done.restored, done.removed)


def test_what_a_link_led_to_is_told(agent: Agent) -> None:
    turn = do(agent, "os.unlink('ln'); open('ln', 'w').write('file')")
    [change] = turn.changes()
    assert (change.operation, change.link_before, change.link_after, change.before) == ("modify", "a.txt", None, None)
    assert change.diff == "ln: a link to a.txt before, a file of 4 bytes after\n"


def test_a_link_that_somebody_changed_after_the_turn_is_left_alone(agent: Agent, folder: Path) -> None:
    turn = do(agent, "os.unlink('ln')\nos.symlink('src', 'new')")
    (folder / "ln").symlink_to("mine")
    (folder / "new").unlink()
    (folder / "new").symlink_to("mine")
    assert set(turn.revert().conflicts) == {str(folder / "ln"), str(folder / "new")}
    assert {str((folder / name).readlink()) for name in ("ln", "new")} == {"mine"}


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        ("os.chmod('src', 0o700)", "src", "the mode of the folder was"),
        ("os.rmdir('empty')", "empty", "gone"),
        ("os.makedirs('new/er')", "new/er", "new"),
        ("os.rmdir('empty'); open('empty', 'w').close()", "empty", "gone"),
    ],
)
def test_what_happened_to_folders_alone_is_named(agent: Agent, folder: Path, code: str, name: str, words: str) -> None:
    changes = do(agent, code).changes()
    assert words in changes.left_out[str(folder / name)]
    assert f"left out: {name}" in repr(changes)


def test_a_pipe_is_named_and_left_alone(agent: Agent, folder: Path) -> None:
    turn = do(agent, "os.mkfifo('pipe'); os.unlink('a.txt'); os.mkfifo('a.txt')")
    assert "a pipe" in turn.changes()["pipe"].why_not
    assert "a pipe" in turn.changes()["a.txt"].why_not
    assert set(turn.revert().skipped) == {str(folder / "pipe"), str(folder / "a.txt")}


def test_a_file_with_several_names_is_restored_alone_and_that_is_said(folder: Path) -> None:
    outside = folder.parent / "second"
    os.link(folder / "a.txt", outside)
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        turn = do(agent, "open('a.txt', 'w').write('agent')")
    for report in (turn.revert(dry_run=True), turn.revert()):
        assert "2 names (hard links)" in report.notes[str(folder / "a.txt")]
        assert "note: a.txt: its bytes have 2 names" in repr(report)
    assert (folder / "a.txt").read_text() == "one\ntwo\n"
    assert outside.read_text() == "agent"


def test_a_file_that_ran_as_its_owner_comes_back_without_that_and_it_is_said(folder: Path) -> None:
    (folder / "a.txt").chmod(0o4755)
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        turn = do(agent, "os.unlink('a.txt')")
    assert "of its mode 4755 only 755 is restored" in turn.revert().notes[str(folder / "a.txt")]
    assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == 0o755


@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_that_is_written_in_the_place_of_a_link_is_seen_without_watching(folder: Path, in_place: bool) -> None:
    before = everything(folder)
    told = {"toolCallId": "c", "title": "E", "kind": "edit", **shown(folder / "ln", "one\ntwo\n", "1\n")}
    subject = {"type": "tool_call", "toolCall": told}
    write = "open('ln', 'w').write('1\\n')" if in_place else "open('t', 'w').write('1\\n'); os.replace('t', 'ln')"
    with Agent(scripted(folder.parent, DOER), cwd=folder, permissions="allow") as agent:
        turn = do(
            agent,
            f"ask(7, subject={subject!r})\nread()\n{write}\n"
            'update("tool_call_update", toolCallId="c", status="completed")',
        )
    assert [change.shown_path for change in turn.changes()] == ["a.txt" if in_place else "ln"]
    assert turn.revert()
    assert everything(folder) == before


# --- where something stands in the way ------------------------------------------------------------------------------


@pytest.mark.parametrize("link", [True, False])
def test_a_dry_run_knows_what_stands_in_the_way(agent: Agent, folder: Path, link: bool) -> None:
    turn = do(agent, "shutil.rmtree('src')")
    if link:
        (folder / "src").symlink_to("private")
    else:
        (folder / "src").write_text("mine")
    mine = everything(folder)
    planned, done = turn.revert(dry_run=True), turn.revert()
    assert planned.conflicts == done.conflicts
    assert set(done.conflicts) == {str(folder / "src" / "c.py"), str(folder / "src" / "deep" / "e")}
    assert ("a link" if link else "src is no folder any more") in done.conflicts[str(folder / "src" / "c.py")]
    assert (done.restored, done.failed) == ([], {})
    assert everything(folder) == mine


def test_a_dry_run_knows_that_others_put_files_into_a_folder_that_was_a_file(agent: Agent, folder: Path) -> None:
    turn = do(agent, "os.unlink('a.txt'); os.mkdir('a.txt'); open('a.txt/x', 'w').close()")
    (folder / "a.txt" / "mine").write_text("mine")
    planned, done = turn.revert(dry_run=True), turn.revert()
    assert planned.conflicts == done.conflicts == {str(folder / "a.txt"): "a folder with other files stands there"}
    assert (folder / "a.txt" / "mine").read_text() == "mine"


def test_what_cannot_go_keeps_what_stood_there_before_from_coming_back(agent: Agent, folder: Path) -> None:
    """The agent made a file of a folder; somebody wrote into it since."""
    turn = do(agent, "shutil.rmtree('src'); open('src', 'w').close()")
    (folder / "src").write_text("mine")
    planned, done = turn.revert(dry_run=True), turn.revert()
    assert planned.conflicts == done.conflicts
    assert set(done.conflicts) == {str(folder / name) for name in ("src", "src/c.py", "src/deep/e")}
    assert (done.restored, done.removed, done.failed) == ([], [], {})
