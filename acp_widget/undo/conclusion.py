"""What follows from the records of a turn when it is over: its changes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .below import new_below, say_below
from .changes import FileChange
from .patches import Hunk, fits, taken_back
from .records import Named, Record, all_above, told_by
from .trees import NOTHING, THINGS, Found, Looker, Tree, inside

_NOT_DONE = frozenset({"pending", "failed", "cancelled"})
_NOTEBOOK = "it is a notebook, and what is open in Jupyter is never written; `.before` has its bytes"
_TOO_LATE = "the agent had changed it before it could be copied, and its diff does not tell how it was"
_NEW_TOO_LATE = "the agent calls it new, but only said so afterwards: what stood there before is not known"
_NAMED_LATE = "a tool call named it only when it was over: how it was before is not known"
_NOT_WRITTEN = "the agent told of a change, but the file was not written during the turn"


class Conclusion:
    """Compares before and after, for one turn that is over. Runs in the thread of the files."""

    def __init__(self, record: Record, looker: Looker, cwd: str, after: Tree | None) -> None:
        self._record, self._looker, self._cwd, self._after = record, looker, cwd, after
        self._changes: dict[str, FileChange] = {}

    def draw(self, calls: Sequence[Mapping[str, Any]], roots: Sequence[str]) -> list[FileChange]:
        """The changes, by path. `calls`: the tool calls of the turn."""
        before = self._record.before
        if before is not None and self._after is not None:
            for path in sorted({*before.files, *self._after.files}):
                if before.covers(path):
                    was = before.files.get(path, NOTHING)
                    self._note(path, was, self._after.files.get(path) or self._stands(path), "watch")
            self._name_folders(before, self._after)
        done = [told for call in calls if call.get("status") not in _NOT_DONE for told in told_by(call)]
        for path, named in self._record.named.items():
            if before is None or not before.covers(path):
                self._judge(path, named, [told for told in done if self._is(told[0].get("path"), path)])
        for path, now in new_below(self._record, self._looker):
            self._note(path, NOTHING, now, "tool call")
        self._pair(told for told, _ in done)
        say_below(self._record, self._looker, self._touched())
        return [self._checked(change, roots) for _, change in sorted(self._changes.items())]

    def _touched(self) -> set[str]:
        return {path for each in self._changes.values() for path in (each.path, each.old_path) if path is not None}

    def _stands(self, path: str) -> Found:
        """What stands there now, and not behind a link that took the place of a folder."""
        above = os.path.dirname(path)
        return self._looker.look(path) if os.path.realpath(above) == above else NOTHING

    def _name_folders(self, before: Tree, after: Tree) -> None:
        """What happened to folders without files, and to the modes of folders: told, since no revert restores it."""
        had = all_above(path for path, change in self._changes.items() if change._was.kind in THINGS)
        filled = all_above(after.files)
        for folder, mode in before.folders.items():
            now = after.folders.get(folder, mode)
            if now != mode:
                self._record.left_out[folder] = (
                    f"the mode of the folder was {mode:o} and is {now:o}; a revert leaves it"
                )
            elif folder not in after.folders and folder not in had and self._stands(folder).kind != "folder":
                self._record.left_out[folder] = (
                    "the folder is gone, and had no watched files; a revert does not make it"
                )
        for folder in after.folders.keys() - before.folders.keys() - filled:
            if before.covers(folder):
                self._record.left_out[folder] = "the folder is new, and has no watched files; a revert leaves it"

    def _judge(self, path: str, named: Named, told: Sequence[tuple[Mapping[str, Any], list[Hunk]]]) -> None:
        """What was there before a call, with what its diff says where we may have looked too late."""
        was, now = named.found, self._looker.look(path)
        if was.older(self._record.began):  # nothing in the turn had changed it when it was copied, whatever is told
            self._note(path, was, now, named.source)
            if told and now.older(self._record.began):
                self._record.left_out[path] = _NOT_WRITTEN
            return
        if named.source == "write" or not told:
            if not named.late:
                self._note(path, was, now, named.source)
            else:
                self._record.left_out[path] = _NAMED_LATE
            return
        change, hunks = told[0]
        data = self._bytes(was)
        in_time = not named.late and not was.same(now)
        if in_time and _agrees(change, hunks, was, data):
            self._note(path, was, now, named.source)
            return
        # Where there are several, nobody knows which of them the copy has: all are taken back from the end.
        last = (was, data) if len(told) == 1 else (now, self._bytes(now))
        earlier = self._taken_back(told, *last)
        if earlier is not None:
            self._note(path, earlier, now, "diff")
        elif in_time and was.kind != "nothing":
            self._note(path, was, now, named.source)
        elif change.get("operation") in ("add", "modify", "delete", "move"):
            why = _NEW_TOO_LATE if change["operation"] == "add" else _TOO_LATE
            told_too_late = self._change(path, str(change["operation"]), "diff", was, now, why)
            old = self._real(change.get("oldPath")) if change["operation"] == "move" else None
            self._changes[path] = replace(told_too_late, old_path=old)

    def _taken_back(
        self, told: Sequence[tuple[Mapping[str, Any], list[Hunk]]], was: Found, old: bytes | None
    ) -> Found | None:
        for change, hunks in reversed(told):
            operation = change.get("operation")
            if operation == "add":  # or it was overwritten: the diff of a whole file looks the same
                return None
            if operation == "delete" and was.kind == "nothing" and old is None and len(hunks) == 1 and not hunks[0].new:
                old = hunks[0].old
            else:
                old = None if old is None else taken_back(old, hunks)
            if old is None:
                return None
        if old is None:
            return None
        try:
            mode = was.mode if was.kind == "file" else 0o644
            return Found("file", mode, self._looker.store.put(old), len(old))
        except OSError:
            return None

    def _bytes(self, found: Found) -> bytes | None:
        try:
            return None if found.blob is None else self._looker.store.get(found.blob)
        except OSError:
            return None

    def _is(self, told: object, path: str) -> bool:
        return self._real(told) == path

    def _real(self, told: object) -> str | None:
        try:
            return os.path.realpath(os.path.join(self._cwd, told)) if isinstance(told, str) else None
        except (OSError, ValueError):
            return None

    def _note(self, path: str, was: Found, now: Found, source: str) -> None:
        if was.same(now) or not THINGS & {was.kind, now.kind}:
            return
        operation = "add" if was.kind not in THINGS else "modify" if now.kind in THINGS else "delete"
        self._changes[path] = self._change(path, operation, source, was, now)

    def _change(self, path: str, operation: str, source: str, was: Found, now: Found, why: str = "") -> FileChange:
        return FileChange(path, operation, source, None, why, was, now, _store=self._looker.store, _cwd=self._cwd)

    def _pair(self, told: Iterable[Mapping[str, Any]]) -> None:
        """A file that went and one that came are a move: when the agent says so, or the bytes are the same."""
        pairs: list[tuple[str, str]] = []
        gone = {path: change for path, change in self._changes.items() if change.operation == "delete"}
        came = {path: change for path, change in self._changes.items() if change.operation == "add"}
        for each in told:
            if each.get("operation") == "move":
                old = next((path for path in gone if self._is(each.get("oldPath"), path)), None)
                new = next((path for path in came if self._is(each.get("path"), path)), None)
                if old is not None and new is not None:
                    pairs.append((old, new))
                    del gone[old], came[new]
        for new, change in came.items():
            same = [old for old, lost in gone.items() if lost._was.blob and lost._was.blob == change._now.blob]
            rivals = [other for other in came.values() if other._now.blob == change._now.blob]
            if len(same) == len(rivals) == 1 and change._now.size:
                pairs.append((same[0], new))
        for old, new in pairs:
            was = self._changes.pop(old)
            moved = self._changes[new]
            self._changes[new] = replace(moved, operation="move", old_path=old, _was=was._was, _left=was._now)

    def _checked(self, change: FileChange, roots: Sequence[str]) -> FileChange:
        """The change, and whether it can be reverted."""
        why = change.why_not
        paths = [path for path in (change.path, change.old_path) if path is not None]
        if any(path.lower().endswith(".ipynb") for path in paths):
            why = _NOTEBOOK
        elif not all(inside(path, roots) for path in paths):
            why = "it lies outside of the folders of this session"
        elif change._was.kind not in ("file", "link", "nothing"):
            why = f"before, it was no file: {change._was.why or change._was.kind}"
        elif change._was.kind == "link" and not change._was.text:
            why = why or f"it was a link that could not be read: {change._was.why}"
        elif change._was.kind == "file" and change._was.blob is None:
            why = why or f"there is no copy of it: {change._was.why}"
        elif change._now.kind == "file" and change._now.blob is None:
            why = why or f"a later change of it could not be told: {change._now.why}"
        elif change._now.kind == "other":
            why = why or f"it is no file now: {change._now.why or change._now.kind}"
        return replace(change, why_not=why)


def _agrees(change: Mapping[str, Any], hunks: Sequence[Hunk], was: Found, data: bytes | None) -> bool:
    """Whether what was copied can be what the diff began with."""
    if was.kind == "nothing":
        told_earlier = any(hunk.old for hunk in hunks) or not hunks
        return change.get("operation") not in ("modify", "delete") or not told_earlier
    return was.kind != "file" or not hunks or fits(data or b"", hunks)
