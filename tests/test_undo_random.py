"""Whatever is done to a folder, a revert restores its bytes and modes; patches are only taken back without doubt."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_widget.protocol.git_patch import git_patch
from acp_widget.undo.changes import Changes
from acp_widget.undo.conclusion import Conclusion
from acp_widget.undo.patches import sections, taken_back
from acp_widget.undo.records import Record
from acp_widget.undo.reverting import Revert
from acp_widget.undo.store import Store
from acp_widget.undo.trees import Limits, Looker

NAMES = st.sampled_from(["a", "b", "c", "a/x", "a/y", "b/x", "b/x/z", "d/e/f"])
CONTENTS = st.sampled_from([b"", b"1", b"2\n", b"\xff\x00"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, CONTENTS),
        st.tuples(st.just("chmod"), NAMES, st.sampled_from([0o600, 0o755])),
        st.tuples(st.just("remove"), NAMES, st.none()),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("link"), NAMES, st.sampled_from(["a", "b", "d/e", "nowhere", "."])),
    ),
    max_size=8,
)


def apply(folder: Path, steps: list[tuple[str, str, object]]) -> None:
    for what, name, value in steps:
        path = folder / name
        with contextlib.suppress(OSError):
            if what == "write" and isinstance(value, bytes):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(value)
            elif what == "chmod" and isinstance(value, int) and path.is_file():
                path.chmod(value)
            elif what == "remove":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            elif what == "move":
                target = folder / str(value)
                target.parent.mkdir(parents=True, exist_ok=True)
                path.rename(target)
            elif what == "link":
                path.symlink_to(str(value))


def files(folder: Path) -> dict[str, object]:
    """Files and links; no link is followed."""
    found: dict[str, object] = {}
    for above, folders, names in os.walk(folder):
        for path in (Path(above, name) for name in (*names, *folders)):
            if path.is_symlink():
                found[str(path)] = str(path.readlink())
            elif path.is_file():
                found[str(path)] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return found


@settings(max_examples=200)
@given(STEPS, STEPS)
@example([("write", "a", b"1")], [("remove", "a", None), ("write", "a/x", b"1")])
@example([("write", "b/x", b"1"), ("write", "a", b"1")], [("remove", "b", None), ("write", "b", b"1")])
@example([("write", "a/x", b"1"), ("link", "b", "a")], [("remove", "a", None), ("link", "a", "nowhere")])
@example(
    [("write", "d/e/f", b"1"), ("link", "a", "d")], [("move", "d/e", "b"), ("link", "d/e", "."), ("remove", "a", None)]
)
def test_a_revert_restores_every_tree(
    before: list[tuple[str, str, object]], turn: list[tuple[str, str, object]]
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        apply(folder, before)
        looker = Looker(Store(), Limits())
        tree = looker.scan([str(folder)])
        record = Record(1, tree, folders=tree.folders)
        as_it_was = files(folder)
        apply(folder, turn)
        conclusion = Conclusion(record, looker, str(folder), looker.scan([str(folder)]))
        changes = Changes(conclusion.draw([], [str(folder)]), cwd=str(folder), left_out={})
        revert = Revert(record, looker, [str(folder)], str(folder), lambda path, found: None)
        planned = revert.run(list(changes), dry_run=True)
        report = revert.run(list(changes), dry_run=False)
        assert files(folder) == as_it_was, (changes, report)
        assert report
        assert sorted(planned.restored + planned.removed) == sorted(report.restored + report.removed)
        assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]  # noqa: PTH208


TEXTS = st.lists(st.sampled_from(["a", "b", "é", ""]), max_size=12).map("\n".join)


@given(TEXTS, TEXTS)
@example("one\n", "one")
def test_a_patch_that_is_taken_back_gives_the_text_before_or_nothing(old: str, new: str) -> None:
    patch = git_patch("/p/a", old, new)
    found = [taken_back(new.encode(), hunks) for hunks in sections(patch)]
    assert all(each in (None, old.encode()) for each in found)


def test_a_patch_with_two_places_for_it_is_not_taken_back() -> None:
    [hunks] = sections(git_patch("/p/a", "x\n", "y\n"))
    assert taken_back(b"y\n", hunks) == b"x\n"
    assert taken_back(b"y\ny\n", hunks) is None
