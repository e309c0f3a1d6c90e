"""`turn.revert()`: files as they were before a turn, unless somebody changed them since."""

from __future__ import annotations

import contextlib
import copy
import errno
import html
import os
import secrets
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final

from ..host.roots import Place, folder_of
from .changes import NO_FORMULAS, FileChange, preformatted, shown
from .records import Record
from .trees import NOTHING, Found, Looker, inside, reason

_FULL: Final = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_SHOWN: Final = 1000  # rows in HTML
_NOTHING_TO_DO: Final = "There was nothing to revert."
_BY_HAND: Final = "what it was is .before in turn.changes(), to put it back yourself"
_AS_BEFORE: Final = "it is as it was before"
_HEADS: Final = {
    "restored": "restored",
    "removed": "removed",
    "conflicts": "left alone",
    "failed": "could not be restored",
    "skipped": "skipped",
    "notes": "note",
}
_WOULD: Final = frozenset({"restored", "removed", "conflicts", "skipped"})


@dataclass(frozen=True, repr=False)
class Reverted:
    """What a revert did, or with `dry_run` what it would do. Paths are absolute.

    `restored` and `removed` list paths; `conflicts`, `failed` and `skipped` say why, by path. True when all
    that was asked for is as it was before: no conflict, no failure, and nothing skipped that has no copy. `notes` says
    what is not quite as it was, by path.
    """

    dry_run: bool
    cwd: str
    restored: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    conflicts: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return not self.conflicts and not self.failed and all(why == _AS_BEFORE for why in self.skipped.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `json.dumps`: `dryRun`, and each list and dict under its name."""
        return {"dryRun": self.dry_run, **{name: copy.copy(getattr(self, name)) for name in _HEADS}}

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        for name, head in _HEADS.items():
            told: list[str] | dict[str, str] = getattr(self, name)
            would = "would be " if self.dry_run and name in _WOULD else ""
            for path in told:
                yield would + head, shown(path, self.cwd), told[path] if isinstance(told, dict) else ""

    def __repr__(self) -> str:
        lines = [f"{head}: {path}{why and f': {why}'}" for head, path, why in self._rows()]
        return "\n".join(lines) or _NOTHING_TO_DO

    def _repr_html_(self) -> str:
        rows = list(self._rows())
        if not rows:
            return preformatted(_NOTHING_TO_DO)
        lines = [f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:_SHOWN]]
        more = f"<p>… and {len(rows) - _SHOWN:,} more</p>" if len(rows) > _SHOWN else ""
        return f'<div class="{NO_FORMULAS}"><table>{"".join(lines)}</table>{more}</div>'


@dataclass
class _Step:
    """One path that is put back. `staged`: the folder and name of what is new, beside where it belongs."""

    path: str
    target: Found
    expected: Found
    staged: tuple[Place, str] | None = None
    names: int = 1


class Revert:
    """One call of `revert`. `blame(path, found)`: the number of a later turn that left the file like this, or None."""

    def __init__(
        self, record: Record, looker: Looker, roots: Sequence[str], cwd: str, blame: Callable[[str, Found], int | None]
    ) -> None:
        self._record, self._looker, self._roots, self._cwd, self._blame = record, looker, roots, cwd, blame
        self._made: set[str] = set()  # folders that were gone

    def run(self, changes: Sequence[FileChange], *, dry_run: bool) -> Reverted:
        report = Reverted(dry_run, self._cwd)
        steps = self._planned(changes, report)
        removals = [step for step in steps if step.target.kind == "nothing"]
        restores = [step for step in steps if step.target.kind != "nothing"]
        if dry_run:
            report.removed.extend(step.path for step in removals)
            report.restored.extend(step.path for step in restores)
            return report
        try:
            if not self._stage(restores, report):
                return report
            for step in removals:
                self._remove(step, report)
            self._tidy(removals)
            for step in restores:
                self._restore(step, report)
            self._mend_folders(report)
        finally:
            for step in restores:
                self._unstage(step)
        return report

    def _planned(self, changes: Sequence[FileChange], report: Reverted) -> list[_Step]:
        """All steps; without those that another one, which cannot be done, makes impossible."""
        planned = {change.path: self._steps(change, report) for change in changes}
        while True:
            going = {step.path for steps in planned.values() for step in steps if step.target.kind == "nothing"}
            blocked = {
                path: why for path, steps in planned.items() for step in steps if (why := self._blocked(step, going))
            }
            if not blocked:
                break
            report.conflicts.update(blocked)
            planned = {path: steps for path, steps in planned.items() if path not in blocked}
        steps = [step for steps in planned.values() for step in steps]
        report.notes.update({step.path: why for step in steps if (why := _not_quite(step))})
        return steps

    def _blocked(self, step: _Step, going: Set[str]) -> str:
        """Why it cannot stand where it stood; "" when it can. `going`: what is removed first."""
        if step.target.kind == "nothing":
            return ""
        _, in_the_way = self._above(step.path)
        if in_the_way is not None and in_the_way not in going:
            if os.path.islink(in_the_way):
                return "a folder above it is a link now, which is not followed"
            return f"{shown(in_the_way, self._cwd)} is no folder any more: somebody changed it after the turn"
        for above, folders, files in os.walk(step.path) if in_the_way is None and _is_folder(step.path) else ():
            for name in (*files, *(folder for folder in folders if os.path.islink(os.path.join(above, folder)))):
                if os.path.join(above, name) not in going:
                    return "a folder with other files stands there"
        return ""

    def _above(self, path: str) -> tuple[str, str | None]:
        """The deepest folder above a path, no link followed; and what stands where the next one should."""
        at = inside(path, self._roots)
        assert at is not None
        for part in os.path.relpath(path, at).split(os.sep)[:-1]:
            below = os.path.join(at, part)
            if not os.path.lexists(below):
                break
            if not _is_folder(below):
                return at, below
            at = below
        return at, None

    def _steps(self, change: FileChange, report: Reverted) -> list[_Step]:
        """What is to be done for a change: all of it, or nothing."""
        if change.why_not:
            report.skipped[change.path] = change.why_not
            return []
        steps = [_Step(change.path, change._was, change._now)]
        if change.operation == "move" and change.old_path is not None:
            steps = [_Step(change.old_path, change._was, change._left), _Step(change.path, NOTHING, change._now)]
        current = {step.path: self._look(step.path) for step in steps}
        if all(current[step.path].same(step.target) for step in steps):
            report.skipped[change.path] = _AS_BEFORE
            return []
        for step in steps:
            why = self._conflict(step, current[step.path])
            if why:
                report.conflicts[change.path] = why
                return []
            step.names = current[step.path].names
        return [step for step in steps if not current[step.path].same(step.target)]

    def _look(self, path: str) -> Found:
        """Behind a link above it there is nothing of ours."""
        return self._looker.look(path) if self._own_place(path) else NOTHING

    def _conflict(self, step: _Step, current: Found) -> str:
        if not self._own_place(step.path) and step.expected.kind != "nothing":
            return "a folder above it is a link now, which is not followed"
        if current.same(step.target) or current.same(step.expected):
            return ""
        later = self._blame(step.path, current)
        if later is not None:
            return f"turn {later} changed it after this one: revert that first"
        what = {"nothing": "somebody removed it after the turn", "file": "somebody changed it after the turn"}.get(
            current.kind, f"{current.why or f'a {current.kind}'} stands there since the turn"
        )
        return f"{what}; {_BY_HAND}"

    def _own_place(self, path: str) -> bool:
        """Whether the folder is where it says, whatever became of links."""
        above = os.path.dirname(path)
        return os.path.realpath(above) == above and inside(path, self._roots) is not None

    # --- effects ---------------------------------------------------------------------------------------------------

    def _stage(self, steps: Sequence[_Step], report: Reverted) -> bool:
        """Write all bytes beside their places first. False when the disk is full: nothing was changed then."""
        for step in steps:
            try:
                step.staged = self._written(step)
            except OSError as error:
                report.failed[step.path] = reason(error)
                if error.errno in _FULL:
                    for other in steps:
                        report.failed.setdefault(other.path, f"{reason(error)}; nothing was changed")
                        self._unstage(other)
                    return False
        return True

    def _written(self, step: _Step) -> tuple[Place, str]:
        name = f".acp-widget-{secrets.token_hex(8)}.tmp"
        place = self._place(os.path.join(self._above(step.path)[0], name))
        if step.target.kind == "link":
            with folder_of(place) as folder:
                folder.link(name, step.target.text)
            return place, name
        assert step.target.blob is not None
        data = self._looker.store.get(step.target.blob)
        with folder_of(place) as folder:
            descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with open(descriptor, "wb") as file:
                    file.write(data)
                    if hasattr(os, "fchmod"):
                        os.fchmod(descriptor, step.target.mode & 0o777)
            except BaseException:
                folder.remove(name)
                raise
        return place, name

    def _unstage(self, step: _Step) -> None:
        if step.staged is not None:
            place, name = step.staged
            step.staged = None
            with contextlib.suppress(OSError), folder_of(place) as folder:
                folder.remove(name)

    def _remove(self, step: _Step, report: Reverted) -> None:
        try:
            with folder_of(self._place(step.path)) as folder:
                if self._still(step, report):
                    folder.remove(os.path.basename(step.path))
                    report.removed.append(step.path)
        except OSError as error:
            report.failed[step.path] = reason(error)

    def _restore(self, step: _Step, report: Reverted) -> None:
        if step.staged is None:
            return
        place, name = step.staged
        target = self._place(step.path)
        try:
            missing = _between(self._above(step.path)[0], step.path)
            with folder_of(place) as staged, folder_of(target, make=True) as folder:
                self._made |= missing
                if self._still(step, report):
                    if step.expected.kind == "folder":
                        _clear(step.path)
                    staged.replace(name, target.parts[-1], into=folder)
                    step.staged = None
                    report.restored.append(step.path)
        except OSError as error:
            report.failed[step.path] = reason(error)

    def _mend_folders(self, report: Reverted) -> None:
        """Folders that were gone get their modes back, when all is in them."""
        for path in sorted(self._made & self._record.folders.keys(), key=len, reverse=True):
            mode = self._record.folders[path]
            try:
                with folder_of(self._place(os.path.join(path, "x"))) as folder:
                    folder.set_mode(mode)
            except OSError as error:
                report.notes[path] = f"its mode was {mode:o}: {reason(error)}"

    def _still(self, step: _Step, report: Reverted) -> bool:
        """Whether nobody was faster: looked at again just before."""
        now = self._looker.look(step.path)
        if now.same(step.expected) or (step.expected.kind == "folder" and now.kind == "nothing"):
            return True
        report.conflicts[step.path] = "somebody changed it just now"
        return False

    def _tidy(self, removed: Sequence[_Step]) -> None:
        """Folders that the turn made go when nothing is left in them."""
        for step in removed:
            above = os.path.dirname(step.path)
            while inside(above, self._roots) and above not in self._record.folders:
                if os.path.realpath(above) != above:
                    break
                try:
                    os.rmdir(above)
                except OSError:
                    break
                above = os.path.dirname(above)

    def _place(self, path: str) -> Place:
        root = inside(path, self._roots)
        if root is None:
            raise PermissionError(errno.EACCES, "it lies outside of the folders of this session")
        return Place(path, root, tuple(os.path.relpath(path, root).split(os.sep)))


def _not_quite(step: _Step) -> str:
    """What a restored file will not have as it had."""
    found = []
    if step.target.kind == "file" and step.names > 1:
        found.append(f"its bytes have {step.names} names (hard links): only this one is restored, as a file of its own")
    if step.target.kind == "file" and step.target.mode & ~0o777:
        found.append(f"of its mode {step.target.mode:o} only {step.target.mode & 0o777:o} is restored")
    return "; ".join(found)


def _is_folder(path: str) -> bool:
    """No link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def _between(above: str, path: str) -> set[str]:
    """The folders of a path below one that is above it."""
    found = set()
    while (path := os.path.dirname(path)) != above and path != os.path.dirname(path):
        found.add(path)
    return found


def _clear(path: str) -> None:
    """Remove a folder in which there is nothing but folders."""
    for folder, _, _ in os.walk(path, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
