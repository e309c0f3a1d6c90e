"""What a turn did to files, and that it can be taken back: real agents, real folders."""

from __future__ import annotations

import json
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, NotOffered
from acp_widget.protocol.git_patch import git_patch
from acp_widget.undo import reverting
from acp_widget.undo.trees import Limits

from .agents.scripted import scripted
from .keeping import Keeper

# Runs the Python of each prompt between its beginning and its end.
DOER = """
from pathlib import Path
start()
while True:
    request = until("session/prompt")
    answer(request, {})
    running()
    exec(request["params"]["prompt"][0]["text"])
    idle()
"""
CALL = 'update("tool_call_update", toolCallId="c1", title="Edit", kind="edit", {})'


def tree(folder: Path) -> dict[bytes, tuple[int, bytes | None]]:
    """Every path below with its mode and bytes; folders have none."""
    found: dict[bytes, tuple[int, bytes | None]] = {}
    for above, folders, files in os.walk(os.fsencode(folder)):
        for name in (*folders, *files):
            path = os.path.join(above, name)  # noqa: PTH118 (bytes)
            is_file = stat.S_ISREG(os.lstat(path).st_mode)
            mode = stat.S_IMODE(os.lstat(path).st_mode) if is_file else 0
            found[path] = (mode, Path(os.fsdecode(path)).read_bytes() if is_file else None)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path = tmp_path.resolve() / "work"
    tmp_path.mkdir()
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.bin").write_bytes(bytes(range(256)))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "c.py").write_text("x = 1\n")
    (tmp_path / "src" / "c.py").chmod(0o755)
    return tmp_path


@pytest.fixture
def agent(folder: Path) -> Iterator[Agent]:
    """Its folder is watched."""
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        yield agent


def do(agent: Agent, code: str) -> Any:
    return agent.run(code, show=False, timeout=60)


EVERYTHING = """
Path("a.txt").write_text("other")
Path("b.bin").unlink()
Path("src/c.py").rename("moved.py"); Path("src").rmdir()
Path("new/deep").mkdir(parents=True); Path("new/deep/d").write_bytes(b"\\xff\\x00")
"""


def test_everything_that_a_turn_did_is_told_and_taken_back(agent: Agent, folder: Path) -> None:
    before = tree(folder)
    turn = do(agent, EVERYTHING)
    changes = turn.changes()
    assert {change.shown_path: change.operation for change in changes} == {
        "a.txt": "modify",
        "b.bin": "delete",
        "moved.py": "move",
        os.path.join("new", "deep", "d"): "add",  # noqa: PTH118
    }
    assert changes["moved.py"].old_path == str(folder / "src" / "c.py")
    assert changes["b.bin"].before == bytes(range(256))
    assert (changes["a.txt"].after, changes["a.txt"].source) == (b"other", "watch")
    assert "-two" in changes["a.txt"].diff
    after = tree(folder)
    planned = turn.revert(dry_run=True)
    assert tree(folder) == after
    done = turn.revert()
    assert tree(folder) == before
    assert (planned.restored, planned.removed) == (done.restored, done.removed)
    assert done
    assert "as it was before" in repr(turn.revert())


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")
def test_a_change_of_the_mode_alone_is_a_change(agent: Agent, folder: Path) -> None:
    turn = do(agent, 'Path("a.txt").chmod(0o700)')
    [change] = turn.changes()
    assert (change.mode_after, "new mode 100700" in change.diff) == (0o700, True)
    turn.revert()
    assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == change.mode_before


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names are Unicode")
def test_names_that_are_no_text_and_read_only_files(agent: Agent, folder: Path) -> None:
    odd = os.path.join(os.fsencode(folder), b"\xff<b>\n")  # noqa: PTH118 (bytes)
    before = tree(folder)
    turn = do(
        agent, "import os; open(os.fsencode(os.getcwd()) + b'/\\xff<b>\\n', 'w').close(); os.chmod('a.txt', 0o400)"
    )
    assert "\\udcff<b>\\n" in repr(turn.changes())
    assert "<b>" not in turn.changes()._repr_html_()
    assert os.path.exists(odd)  # noqa: PTH110 (bytes)
    assert turn.revert()
    assert tree(folder) == before


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file(agent: Agent, folder: Path) -> None:
    before = tree(folder)
    turn = do(
        agent,
        'Path("a.txt").unlink(); Path("a.txt").mkdir(); Path("a.txt/x").write_text("1")\n'
        'Path("src/c.py").unlink(); Path("src").rmdir(); Path("src").write_text("2")',
    )
    report = turn.revert()
    assert report, report
    assert tree(folder) == before


def test_what_somebody_changed_after_the_turn_is_never_overwritten(agent: Agent, folder: Path) -> None:
    turn = do(agent, 'Path("a.txt").write_text("agent"); Path("n").write_text("n"); Path("b.bin").unlink()')
    (folder / "a.txt").write_text("mine")
    (folder / "n").write_text("mine too")
    report = turn.revert()
    assert not report
    assert set(report.conflicts) == {str(folder / "a.txt"), str(folder / "n")}
    assert "somebody changed it" in repr(report)
    assert (folder / "a.txt").read_text() == "mine"
    assert (folder / "n").read_text() == "mine too"
    assert (folder / "b.bin").read_bytes() == bytes(range(256))


def test_a_later_turn_is_named_and_the_newest_is_reverted_first(agent: Agent, folder: Path) -> None:
    first = do(agent, 'Path("a.txt").write_text("1")')
    second = do(agent, 'Path("a.txt").write_text("2")')
    assert "turn 2 changed it" in first.revert().conflicts[str(folder / "a.txt")]
    assert second.revert()
    assert first.revert("a.txt")
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


def test_single_files_and_wrong_use(agent: Agent, folder: Path) -> None:
    turn = do(agent, 'Path("a.txt").write_text("1"); Path("b.bin").write_text("1")')
    assert turn.revert(folder / "a.txt").restored == [str(folder / "a.txt")]
    assert (folder / "b.bin").read_text() == "1"
    with pytest.raises(ValueError, match=r"changed no file 'src/c\.py'"):
        turn.revert("src/c.py")
    running = agent.prompt("import time; time.sleep(60)", show=False)
    with pytest.raises(ValueError, match="not over"):
        running.revert()
    agent.restart()
    assert turn.revert("b.bin").restored == [str(folder / "b.bin")]


def test_a_name_that_is_no_change_is_told_with_the_one_that_was_meant(agent: Agent, folder: Path) -> None:
    turn = do(agent, 'Path("a.txt").write_text("1"); Path("src/c.py").write_text("1")')
    for wrong, meant in (("b.txt", "a.txt"), ("d.py", "src/c.py"), ("src/d.py", "src/c.py")):
        with pytest.raises(ValueError, match=rf"changed no file '{wrong}'.* Did you mean '{meant}'\?"):
            turn.revert(wrong)
    with pytest.raises(ValueError, match=r"turn\.changes\(\)\.$"):
        turn.revert("nothing like it")
    with pytest.raises(
        KeyError, match=r"No 'b\.txt' here\. Did you mean 'a\.txt'\? Known paths: 'a\.txt', 'src/c\.py'"
    ):
        turn.changes()["b.txt"]
    assert (folder / "a.txt").read_text() == "1"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"dry_run": "yes"}, "dry_run= takes True or False, not str"),
        (True, r"not bool\. Did you mean dry_run=True\?"),
        (3, "It takes paths, files, changes or diffs of the turn, or lists of them, not int"),
        (b"a.txt", "not bytes"),
        (["a.txt", None], "not NoneType"),
    ],
)
def test_what_names_no_file_reverts_nothing(agent: Agent, folder: Path, wrong: Any, words: str) -> None:
    turn = do(agent, 'Path("a.txt").write_text("1")')
    with pytest.raises(TypeError, match=words):
        turn.revert(**wrong) if isinstance(wrong, dict) else turn.revert(wrong)
    assert (folder / "a.txt").read_text() == "1"


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links that are not followed are POSIX's")
def test_a_link_that_took_the_place_of_a_folder_is_not_followed(
    agent: Agent, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "c.py").write_text("agent")
    turn = do(agent, 'Path("src/c.py").write_text("agent")')
    (folder / "src" / "c.py").unlink()
    (folder / "src").rmdir()
    (folder / "src").symlink_to(elsewhere)
    assert "link" in turn.revert().conflicts[str(folder / "src" / "c.py")]
    assert (elsewhere / "c.py").read_text() == "agent"


def test_notebooks_are_told_and_never_written(agent: Agent, folder: Path) -> None:
    (folder / "n.ipynb").write_text("{}")
    turn = do(agent, 'Path("n.ipynb").write_text("[]")')
    [change] = turn.changes()
    assert (change.reversible, change.before) == (False, b"{}")
    assert "notebook" in turn.revert().skipped[str(folder / "n.ipynb")]
    assert (folder / "n.ipynb").read_text() == "[]"


def test_a_full_disk_leaves_all_as_it_was(agent: Agent, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = do(agent, 'Path("a.txt").write_text("1"); Path("b.bin").write_text("1"); Path("n").write_text("1")')
    after = tree(folder)
    written = reverting.Revert._written

    def full(self: Any, step: Any) -> Any:
        if step.path.endswith("b.bin"):
            raise OSError(28, "No space left on device")
        return written(self, step)

    monkeypatch.setattr(reverting.Revert, "_written", full)
    report = turn.revert()
    assert set(report.failed) == {str(folder / "a.txt"), str(folder / "b.bin")}
    assert "No space left" in repr(report)
    assert tree(folder) == after


# --- bounds ---------------------------------------------------------------------------------------------------------


def test_large_folders_are_bounded_and_what_is_left_out_is_said(folder: Path) -> None:
    for number in range(30):
        (folder / f"many{number:02}").write_text("x")
    (folder / "large").write_bytes(b"x" * 1000)
    with Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as agent:
        agent._driver.undo._looker.limits = Limits(file=500, count=20)
        turn = do(agent, 'Path("large").write_text("y"); Path("zzz").write_text("new"); Path("a.txt").write_text("1")')
        assert any("cannot be reverted" not in each["message"] for each in agent.diagnostics)
    changes = turn.changes()
    assert [change.shown_path for change in changes if change.reversible] == ["a.txt"]
    assert "larger than" in changes["large"].why_not
    assert "more than 20 files" in changes.left_out[str(folder)]
    assert "left out" in repr(changes)
    assert (folder / "zzz").exists()


def test_copies_are_private_and_go_with_the_agent(folder: Path) -> None:
    agent = Agent(scripted(folder.parent, DOER), cwd=folder, watch=True)
    turn = do(agent, 'Path("a.txt").write_text("1")')
    copies = agent._driver.undo._looker.store.folder
    assert copies is not None
    if os.name == "posix":
        assert stat.S_IMODE(copies.stat().st_mode) == 0o700
    agent.close()
    assert len(list(copies.iterdir())) == 2, "what nothing needs any more is gone"
    assert turn.revert()
    again = Agent(scripted(folder.parent, DOER), cwd=folder, watch=True)
    do(again, "pass")
    kept = again._driver.undo._looker.store.folder
    assert kept is not None
    again.close()
    assert not kept.exists(), "nothing was changed: nothing is kept"


def test_no_copy_is_left_when_the_process_ends(folder: Path) -> None:
    script = (
        "from acp_widget import Agent\n"
        "turn = Agent('demo', permissions='allow').run('The test for mean() fails on an empty list. Fix it.')\n"
        "print(len(turn.changes()), turn._host.undo._looker.store.folder)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    count, copies = done.stdout.split()
    assert (count, done.stderr) == ("1", "")
    assert not Path(copies).exists()


# --- without a watched folder ---------------------------------------------------------------------------------------


def unwatched(folder: Path, code: str) -> Any:
    with Agent(scripted(folder.parent, DOER), cwd=folder, permissions="allow") as agent:
        return do(agent, code)


def shown(path: Path, old: str | None, new: str) -> dict[str, Any]:
    change = {"operation": "add" if old is None else "modify", "path": str(path)}
    patch = {"format": "git_patch", "text": git_patch(str(path), old, new)}
    return {"content": [{"type": "diff", "changes": [change], "patch": patch}]}


def test_a_file_that_a_pending_call_names_is_copied_in_time(folder: Path) -> None:
    asked = {"type": "tool_call", "toolCall": {"toolCallId": "c1", "kind": "edit", "locations": [{"path": "a.txt"}]}}
    turn = unwatched(
        folder,
        'update("tool_call_update", toolCallId="c1", title="E", kind="edit", status="pending")\n'
        f"ask(7, subject={asked!r})\nread()\nPath('a.txt').write_text('agent')\n"
        'update("tool_call_update", toolCallId="c1", status="completed")',
    )
    assert turn.changes()["a.txt"].source == "tool call"
    assert turn.revert()
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


def test_a_diff_that_comes_afterwards_is_taken_back(folder: Path) -> None:
    content = shown(folder / "a.txt", "one\ntwo\n", "one\n2\n")
    turn = unwatched(
        folder,
        "Path('a.txt').write_text('one\\n2\\n')\n"
        f'update("tool_call_update", toolCallId="c", title="E", kind="edit", status="completed", **{content!r})',
    )
    assert turn.changes()[0].source == "diff"
    assert turn.revert()
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


def test_what_is_not_known_is_said_and_not_guessed(folder: Path) -> None:
    content = shown(folder / "a.txt", "other\n", "thing\n")
    turn = unwatched(
        folder,
        "Path('a.txt').write_text('agent')\n"
        f'update("tool_call_update", toolCallId="c", title="E", kind="edit", status="completed", **{content!r})',
    )
    assert "before it could be copied" in turn.changes()["a.txt"].why_not
    assert turn.revert().restored == []
    assert (folder / "a.txt").read_text() == "agent"


def test_files_outside_are_neither_read_nor_written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "f"
    outside.write_text("1")
    turn = unwatched(
        folder,
        f'update("tool_call_update", toolCallId="c", title="E", kind="edit", status="pending", '
        f"locations=[{{'path': {str(outside)!r}}}])\nPath({str(outside)!r}).write_text('2')",
    )
    assert len(turn.changes()) == 0
    assert "outside" in turn.changes().left_out[str(outside)]
    turn.revert()
    assert outside.read_text() == "2"


def test_what_the_kernel_writes_for_an_agent_is_taken_back(folder: Path) -> None:
    asker = [sys.executable, "-S", "-E", str(Path(__file__).with_name("agents") / "asker.py")]
    (folder / "latin").write_bytes(b"caf\xe9")
    steps = [
        {"ask": "fs/write_text_file", "params": {"path": str(folder / name), "content": "agent"}}
        for name in ("latin", "new/n", "a.txt")
    ]
    before = tree(folder)
    with Agent(asker, cwd=folder, client_files=True) as agent:
        turn = do(agent, json.dumps(steps))
    assert [(change.operation, change.source) for change in turn.changes()] == [
        ("modify", "write"),
        ("modify", "write"),
        ("add", "write"),
    ]
    assert turn.revert()
    assert tree(folder) == before


def test_two_agents_in_one_folder_do_not_undo_each_other(folder: Path) -> None:
    with (
        Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as one,
        Agent(scripted(folder.parent, DOER), cwd=folder, watch=True) as other,
    ):
        first = do(one, 'Path("a.txt").write_text("1")')
        second = do(other, 'Path("a.txt").write_text("2")')
    assert "somebody changed it" in first.revert().conflicts[str(folder / "a.txt")]
    assert second.revert()
    assert first.revert()
    assert (folder / "a.txt").read_text() == "one\ntwo\n"


def test_a_turn_that_was_replayed_says_that_nothing_is_known_of_it(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, 2).keeps("old", told=(("user", "what is it?"), ("agent", "a lamp")))
    with keeper.agent() as agent:
        agent.load("old")
        [replayed] = [turn for turn in agent.turns if turn.prompt == "what is it?"]
        assert "Nothing was recorded" in replayed.changes().note
        with pytest.raises(ValueError, match="Nothing was recorded"):
            replayed.revert()


@pytest.mark.parametrize(
    "named",
    [
        lambda turn: turn.files[0],
        lambda turn: turn.files,
        lambda turn: turn.diffs[0],
        lambda turn: turn.diffs,
        lambda turn: turn.diffs[0].changes[0],
        lambda turn: turn.changes()[0],
        lambda turn: turn.changes(),
        lambda turn: ["stats.py"],
        lambda turn: {Path("stats.py")},
    ],
    ids=["file", "files", "diff", "diffs", "change", "FileChange", "changes", "list", "set"],
)
def test_whatever_names_the_file_reverts_it(named: Any) -> None:
    with Agent("demo", permissions="allow", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False, timeout=60)
        assert not turn.revert([]).restored, "nothing was named"
        assert turn.revert(named(turn)).restored == [str(Path(agent.cwd, "stats.py").resolve())]


def test_the_edit_of_the_demo_agent_is_taken_back() -> None:
    with Agent("demo", permissions="allow") as agent:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False, timeout=60)
        source = Path(agent.cwd, "stats.py")
        fixed = source.read_bytes()
        assert [change.shown_path for change in turn.changes()] == ["stats.py"]
        assert turn.changes()["stats.py"].after == fixed
        kept = pickle.loads(pickle.dumps(turn))
        for ask in (kept.changes, kept.revert):
            with pytest.raises(NotOffered, match=r"(?s)snapshot of a turn, without the bytes.*turn\.diffs"):
                ask()
        assert kept.diffs[0].patch
        assert turn.revert("stats.py")
        assert source.read_bytes() == turn.changes()["stats.py"].before != fixed
