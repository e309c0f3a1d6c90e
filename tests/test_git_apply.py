"""`diff.patch` is what `git apply` takes in the session's folder, from agents of both versions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.demo.files import git_patch
from acp_widget.export.patches import to_apply
from acp_widget.results import Diff

from .agents.scripted import scripted

OLD, NEW = "one\ntwo\n--- x\n", "one\n2\n--- y\n"

# Tells of two texts, as ACP v1 has them.
V1 = """
request = read()
answer(request, {"protocolVersion": 1, "agentCapabilities": {}})
begin = read()
answer(begin, {"sessionId": "s"})
ask = until("session/prompt")
content = [{"type": "diff", **each} for each in json.loads(ask["params"]["prompt"][0]["text"])]
update("tool_call", toolCallId="c", title="Edit", kind="edit", status="completed", content=content)
answer(ask, {"stopReason": "end_turn"})
until("session/none")
"""


def applied(folder: Path, patch: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    assert patch is not None
    git = shutil.which("git")
    assert git is not None, "the tests need git"
    told = [git, "apply", *options, "-"]
    return subprocess.run(told, cwd=folder, input=patch, capture_output=True, text=True, timeout=30)


def test_the_patch_of_the_demo_agent_can_be_taken_back_and_applied_again() -> None:
    with Agent("demo", permissions="allow", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False)
        diff, source = turn.diffs[0], Path(agent.cwd, "stats.py")
        fixed = source.read_text()
        assert diff.patch is not None
        assert "--- a/stats.py\n+++ b/stats.py\n" in diff.patch
        assert str(source) in diff.raw["patch"]["text"], "what the agent sent is there, too"
        assert applied(Path(agent.cwd), diff.patch, "-R").stderr == ""
        assert source.read_text() != fixed
        assert applied(Path(agent.cwd), diff.patch).stderr == ""
        assert source.read_text() == fixed


@pytest.mark.parametrize("name", ["a.txt", "src/a.txt", "two words.txt", 'say "hi".txt'])
@pytest.mark.parametrize("old", [OLD, None], ids=["changed", "new"])
def test_two_texts_are_a_patch_that_git_applies(tmp_path: Path, name: str, old: str | None) -> None:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    file = folder / name
    if old is not None:
        file.write_text(old)
    with Agent(scripted(tmp_path, V1), cwd=folder) as agent:
        turn = agent.run(json.dumps([{"path": str(file), "oldText": old, "newText": NEW}]), show=False, timeout=60)
        assert applied(folder, turn.diffs[0].patch).stderr == ""
    assert file.read_text() == NEW


SECTIONS = """diff --git /w/gone.txt /w/gone.txt
deleted file mode 100644
--- /w/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git /w/old.txt /w/new name.txt
similarity index 100%
rename from /w/old.txt
rename to /w/new.txt
"""


def test_deleted_and_moved_files_are_applied(tmp_path: Path) -> None:
    for name in ("gone.txt", "old.txt"):
        (tmp_path / name).write_text("x\n")
    patch = SECTIONS.replace("new name.txt", "new.txt").replace("/w/", f"{tmp_path}/")
    assert applied(tmp_path, to_apply(patch, str(tmp_path))).stderr == ""
    assert [each.name for each in tmp_path.iterdir()] == ["new.txt"]


def test_other_words_of_the_agent_stay_as_they_are() -> None:
    for text, form in (
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-/w/x\n+y\n", "git_patch"),
        (git_patch(Path("/else/x"), b"1\n", b"2\n"), "git_patch"),
        ("--- /w/x\n+++ /w/x\n", "another"),
    ):
        item: dict[str, Any] = {"type": "diff", "changes": [], "patch": {"format": form, "text": text}}
        assert Diff(item, "/w").patch == text
