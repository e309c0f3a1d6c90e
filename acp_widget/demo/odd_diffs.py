"""Diffs, none of which happened: every operation and file type, and patches that fit, fit badly, or are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .files import git_patch
from .turn import Turn

Json = dict[str, Any]

_BEFORE = b"def mean(xs):\n    return sum(xs) / len(xs)\n\n\ndef total(xs):\n    return sum(xs)\n"
_AFTER = _BEFORE.replace(b":\n", b":\n    if not xs:\n        return 0.0\n", 1)
_HUNK = "@@ -1,2 +1,2 @@\n a line that stays\n-an old line\n+a new line\n"


def _change(operation: str, path: str, **fields: Any) -> Json:
    return {"operation": operation, "path": path, **fields}


def _diff(*changes: Json, patch: str | None = None, form: str = "git_patch") -> Json:
    diff: Json = {"type": "diff", "changes": list(changes)}
    return diff if patch is None else {**diff, "patch": {"format": form, "text": patch}}


def _section(old: str, new: str, *head: str, hunk: str = _HUNK, after: str | None = None) -> str:
    """A section of a patch, with the names as they are given; `after` is where the new side has another."""
    names = [f"--- {old}", f"+++ {after or new}"] if hunk else []
    return "\n".join([f"diff --git {old} {new}", *head, *names, hunk])


def _operations(at: Path) -> dict[str, list[Json]]:
    a, b, c, d = (str(at / name) for name in ("a.py", "b.py", "docs/c.py", "docs/d.py"))
    gone, moved = str(at / "gone.py"), str(at / "c.py")
    parts = (
        git_patch(at / "b.py", None, b"a new file\nof two lines"),
        _section(gone, gone, "deleted file mode 100644", after="/dev/null", hunk="@@ -1 +0,0 @@\n-gone\n"),
        git_patch(at / "a.py", _BEFORE, _AFTER),
        _section(moved, c, "similarity index 90%", f"rename from {moved}", f"rename to {c}"),
        _section(c, d, "similarity index 100%", f"copy from {c}", f"copy to {d}", hunk=""),
    )
    return {
        "Five operations in one patch: add, delete, modify, move, copy": [
            _diff(
                _change("add", b, fileType="text", mimeType="text/x-python"),
                _change("delete", gone, fileType="text"),
                _change("modify", a, fileType="text"),
                _change("move", c, oldPath=moved, fileType="text"),
                _change("copy", d, oldPath=c, fileType="text"),
                patch="".join(parts),
            )
        ],
        "Each file type without a patch: text, binary, directory, symlink, unknown": [
            _diff(
                _change("modify", str(at / "notes.txt"), fileType="text", mimeType="text/plain"),
                _change("add", str(at / "assets/logo.png"), fileType="binary", mimeType="image/png"),
                _change("delete", str(at / "old"), fileType="directory"),
                _change("modify", str(at / "link"), fileType="symlink"),
                _change("modify", str(at / "thing"), fileType="_hologram"),
                _change("move", "\\\\server\\share\\new.txt", oldPath="C:\\old.txt"),
                _change("copy", str(at / "docs/b\u202etxt.exe"), oldPath=str(at / "docs/a.txt"), fileType=None),
            )
        ],
        "Two diffs of one call, of the same file": [
            _diff(_change("modify", a), patch=git_patch(at / "a.py", _BEFORE, _AFTER)),
            _diff(_change("modify", a), patch=git_patch(at / "a.py", _AFTER, _AFTER + b"# the end\n")),
        ],
    }


def _misfits(at: Path) -> dict[str, list[Json]]:
    a, b = str(at / "a.py"), str(at / "b.py")
    stray = str(at / "not-among-the-changes.txt")
    odd = at / 'with "quotes"\tand tab é.py'
    plain = "--- a removed line\n+++ an added line\n"  # in a hunk: text that looks like a head
    return {
        "A patch for one of two files": [
            _diff(_change("modify", a), _change("modify", b), patch=git_patch(at / "a.py", _BEFORE, _AFTER))
        ],
        "A patch for a file that is not among the changes": [
            _diff(_change("delete", a), patch=_section(stray, stray, hunk="@@ -1 +1 @@\n" + plain))
        ],
        "A patch that says modify where the change says delete": [_diff(_change("delete", a), patch=_section(a, a))],
        "A patch that cannot be read, and one that ends too early": [
            _diff(_change("modify", a), patch="no patch at all\n@@ nonsense @@\n"),
            _diff(_change("modify", b), patch=_section(b, b, hunk="@@ -1,9 +1,9 @@\n a hunk that ends too early\n")),
        ],
        "A patch and no changes": [_diff(patch=_section(a, a))],
        "Neither a patch nor changes": [_diff()],
        "Quoted names, names with a/ and b/, and names with blanks": [
            _diff(_change("modify", str(odd)), patch=git_patch(odd, b"one\n", b"two\n")),
            _diff(_change("modify", a), patch=_section(f"a{a}", f"b{a}")),
            _diff(_change("modify", str(at / "two words.py")), patch=git_patch(at / "two words.py", b"1\n", b"2\n")),
        ],
        "A binary patch": [
            _diff(
                _change("modify", str(at / "logo.png"), fileType="binary"),
                patch=f"diff --git {at}/logo.png {at}/logo.png\nindex 1111111..2222222 100644\n"
                f"Binary files {at}/logo.png and {at}/logo.png differ\n",
            )
        ],
        "An unknown operation, and an unknown format: shown as text": [
            _diff(_change("_transmogrify", str(at / "tiger.txt"), into="cardboard box"), {"operation": "_implode"}),
            _diff(_change("modify", a), patch="replaced <b>a</b> by docs", form="_semantic_patch"),
        ],
    }


async def operations(turn: Turn) -> None:
    """What diffs are for."""
    await _show(turn, _operations(turn.cwd))


async def misfits(turn: Turn) -> None:
    """Patches and changes that do not fit, or are of an unknown kind."""
    await _show(turn, _misfits(turn.cwd))


async def _show(turn: Turn, calls: dict[str, list[Json]]) -> None:
    for title, content in calls.items():
        await turn.call(title=title, kind="edit", status="completed", content=content)
