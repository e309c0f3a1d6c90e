"""Undo of calls that name a folder: what was in it is copied before, and comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acp_widget import Agent

from .agents.scripted import scripted

CHANGE = """
import shutil
start()
prompt()
running()
places = [{{"path": os.path.join(os.getcwd(), name)}} for name in ("sub", "moved")]
call = {{"toolCallId": "c", "title": "Take sub away", "kind": "{kind}", "locations": places}}
update("tool_call_update", status="in_progress", **call)
ask(9, subject={{"type": "tool_call", "toolCall": call}})
answered(9)
{change}
update("tool_call_update", toolCallId="c", status="completed")
idle()
serve()
"""


def tree(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("kind", "change"),
    [("delete", 'shutil.rmtree("sub")'), ("move", 'shutil.move("sub", "moved")')],
)
def test_what_was_in_the_folder_comes_back(tmp_path: Path, kind: str, change: str) -> None:
    work = tmp_path / "work"
    (work / "sub" / "deep").mkdir(parents=True)
    for name in ("sub/a.txt", "sub/deep/b.txt", "keep.txt"):
        (work / name).write_text(name)
    before = tree(work)
    command = scripted(tmp_path, CHANGE.format(kind=kind, change=change))
    with Agent(command, cwd=work, permissions=lambda asked: True) as agent:
        turn = agent.run("go", show=False)
        assert tree(work) != before
        assert len(turn.changes()) == 2
        assert turn.revert()
        assert tree(work) == before
    shutil.rmtree(work)
