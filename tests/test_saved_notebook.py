"""A saved notebook from which all widgets were taken still tells what happened, in HTML and in markdown."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import nbclient
import nbconvert
import nbformat
import pytest

from acp_widget import commands

CELLS = [
    "from acp_widget import Agent, Edit, Policy\n"
    'agent = Agent("demo", permissions=Policy(allow=[Edit("stats.py")], otherwise="reject"))',
    'turn = agent.prompt("The test for mean() fails on an empty list. Fix it.").wait()',
    'agent.permissions = "allow"\nturn = agent.run(turn.prompt)\nagent.close()',
]
# A message, a line of the diff, the terminal's output, two decisions.
TOLD = ["without checking for an empty list", '+        return float("nan")', "6 passed", "Allowed once by the policy"]
TOLD += ["Rejected by the policy", "Edit stats.py?"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Executed, saved, and without anything of widgets."""
    folder = tmp_path_factory.mktemp("saved")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACP_WIDGET_DEMO_PACE", "0")
        nbclient.NotebookClient(made, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    made.metadata.pop("widgets", None)
    for cell in made.cells:
        for output in cell.outputs:
            for mime in [each for each in output.get("data", {}) if "widget" in each]:
                del output.data[mime]
    nbformat.write(made, folder / "saved.ipynb")
    return folder / "saved.ipynb"


def plain(text: str) -> str:
    return re.sub(r"[\s`*\\]", "", html.unescape(re.sub(r"<[^>]*>", "", text)))


@pytest.mark.parametrize("exporter", [nbconvert.HTMLExporter, nbconvert.MarkdownExporter])
def test_it_tells_of_messages_diffs_terminals_and_decisions(saved: Path, exporter: Any) -> None:
    text = plain(exporter().from_filename(str(saved))[0])
    assert [words for words in TOLD if plain(words) not in text] == []


def test_nothing_of_it_is_for_machines_alone(saved: Path) -> None:
    text = nbconvert.MarkdownExporter().from_filename(str(saved))[0]
    assert "SessionWidget" not in text
    assert "TurnView" not in text
    assert "its live view is a widget. The same as text stands below." in text


def test_each_turn_is_there_once(saved: Path) -> None:
    text = plain(nbconvert.HTMLExporter().from_filename(str(saved))[0])
    assert text.count(plain("The function divides by")) == 1


def test_its_turns_can_be_exported(saved: Path) -> None:
    assert commands.main(["export", str(saved)]) == 0
    text = plain(saved.with_suffix(".html").read_text(encoding="utf-8"))
    assert [words for words in TOLD if plain(words) not in text] == []
