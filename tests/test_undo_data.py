"""Changes and reports of reverts as data: dicts, tables, pickles, HTML."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

from acp_widget import Agent
from acp_widget.undo.changes import COLUMNS

from .agents.scripted import scripted
from .test_undo import DOER


@pytest.fixture
def turn(tmp_path: Path) -> Iterator[Any]:
    """It made a file with an odd name, changed one, and made a notebook."""
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    with Agent(scripted(tmp_path, DOER), cwd=folder, watch=True) as agent:
        code = "Path('a.txt').write_text('two\\n'); Path('&b').write_text(''); Path('n.ipynb').write_text('{}')"
        yield agent.run(code, show=False, timeout=60)


def test_changes_are_plain_data(turn: Any) -> None:
    told = json.loads(json.dumps(turn.changes().to_dict()))
    assert (told["leftOut"], told["note"]) == ({}, "")
    assert [each["operation"] for each in told["changes"]] == ["add", "modify", "add"]
    first = told["changes"][1]
    assert (first["sizeBefore"], first["sizeAfter"], first["reversible"]) == (4, 4, True)
    assert "-one" in first["diff"]
    assert "notebook" in told["changes"][2]["whyNot"]


def test_changes_are_a_table_of_the_same_columns_for_any_number(turn: Any) -> None:
    table = turn.changes().to_frame()
    assert list(table["operation"]) == ["add", "modify", "add"]
    assert list(table["reversible"]) == [True, True, False]
    turn._host.undo._records[turn._key].changes = []
    none = turn.changes().to_frame()
    assert list(none.columns) == list(table.columns) == [name for name, _ in COLUMNS]
    pandas.testing.assert_series_equal(none.dtypes, table.dtypes)


def test_a_pickle_has_no_bytes_and_says_so(turn: Any) -> None:
    changes = turn.changes()
    kept = pickle.loads(pickle.dumps(changes))
    assert [each.operation for each in kept] == ["add", "modify", "add"]
    one = kept["a.txt"]
    assert (one.before, one.after, one.reversible) == (None, None, False)
    assert "from a pickle" in one.why_not
    assert one.diff == changes["a.txt"].diff
    assert one.size_before == 4
    assert "notebook" in kept["n.ipynb"].why_not
    assert turn.revert(one).restored == [one.path], "the live turn still has them"


def test_a_copy_is_the_change_itself(turn: Any) -> None:
    change = turn.changes()["a.txt"]
    assert copy.copy(change) is copy.deepcopy(change) is change
    assert copy.deepcopy(turn.changes())["a.txt"].before == b"one\n"


def test_a_report_is_data_and_shows_itself(turn: Any) -> None:
    planned = turn.revert(dry_run=True)
    told = json.loads(json.dumps(planned.to_dict()))
    assert told["dryRun"] is True
    names = [Path(path).name for path in (*told["restored"], *told["removed"], *told["skipped"])]
    assert names == ["a.txt", "&b", "n.ipynb"]
    assert pickle.loads(pickle.dumps(planned)) == planned
    assert "<td>would be removed</td><td>&amp;b</td>" in planned._repr_html_()
    turn.revert()
    assert "as it was before" in turn.revert()._repr_html_()
    turn._host.undo._records[turn._key].changes = []
    assert "There was nothing to revert." in turn.revert()._repr_html_()
    assert all("mathjax_ignore" in each._repr_html_() for each in (planned, turn.revert(), turn.changes()))
