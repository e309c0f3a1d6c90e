"""Folders of processes that were killed: the next process removes them, and none that somebody works in."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from acp_widget import temporary

from .agents.scripted import until

DIES = """
import sys
from acp_widget import Agent
agent = Agent("demo", permissions="allow")
agent.run("The test for mean() fails on an empty list. Fix it.", show=False)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = (tmp_path / "t").resolve()
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def names(around: Path) -> list[str]:
    found = (re.match("acp-demo|acp-widget-undo|acp-widget-lock|acp-", each.name) for each in around.iterdir())
    return sorted(match[0] for match in found if match)


def aged(around: Path) -> None:
    for each in around.iterdir():
        os.utime(each, (1, 1), follow_symlinks=False)


def test_what_a_killed_process_left_goes_with_the_next_one_that_makes_a_folder(around: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", DIES], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as dies:
        assert dies.stdout is not None
        assert dies.stdout.readline() == b"ready\n"
        aged(around)
        assert names(around) == ["acp-demo", "acp-widget-lock", "acp-widget-undo"]
        mine = temporary.make("acp-demo-")
        assert names(around) == [*["acp-demo"] * 2, *["acp-widget-lock"] * 2, "acp-widget-undo"], (
            "the other process lives"
        )
        os.kill(dies.pid, signal.SIGKILL)
        dies.wait()
    aged(around)
    one_more = "from acp_widget import temporary; temporary.make('acp-demo-')"
    subprocess.run([sys.executable, "-c", one_more], timeout=30, check=True)
    assert names(around) == ["acp-demo", "acp-widget-lock"], "mine"
    temporary.remove(mine)
    assert names(around) == []


def test_links_and_new_and_foreign_ones_stay(around: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    (around / "acp-widget-lock-link").symlink_to(outside)
    (around / "acp-demo-link-1").mkdir()
    (around / "acp-widget-lock-gone").touch()
    (around / "acp-demo-gone-1").symlink_to(tmp_path)
    (around / "acp-demo-gone-2").mkdir()
    (around / "acp-demo-other-1").mkdir()
    aged(around)
    (around / "acp-widget-lock-new").touch()
    (around / "acp-demo-new-1").mkdir()
    temporary.remove(temporary.make("acp-demo-"))
    left = {each.name for each in around.iterdir()}
    kept = {"acp-widget-lock-link", "acp-demo-link-1", "acp-demo-other-1", "acp-widget-lock-new", "acp-demo-new-1"}
    assert left == {*kept, "acp-demo-gone-1"}, "a link is no folder of ours"
    assert outside.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_child_leaves_the_folders_of_its_parent(around: Path) -> None:
    mine = temporary.make("acp-demo-")
    child = os.fork()
    if child == 0:
        temporary.remove_all()
        temporary.remove(mine)
        os._exit(0)
    os.waitpid(child, 0)
    assert mine.is_dir()
    temporary.remove(mine)
    temporary.remove(mine)
    assert names(around) == []


def test_a_process_that_ends_leaves_nothing(around: Path) -> None:
    done = subprocess.run([sys.executable, "-c", DIES], input=b"", capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    until(lambda: names(around) == [])
