"""What a turn did to files, as people read it: `turn.changes()`."""

from __future__ import annotations

import difflib
import html
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, overload

from ..frames import Columns, frame
from ..protocol.git_patch import git_patch
from .store import Store
from .trees import Found

_LONGEST = 100_000  # characters of one diff that is shown
_LISTED = 10  # paths in a sentence
_LONG_PATH = 300  # characters of a wrong path
_MOST_COMPARED = 1_000  # paths that may be meant by a wrong one
NO_FORMULAS: Final = "mathjax_ignore tex2jax_ignore"
_PICKLED = "it comes from a pickle, which has no copies of files: ask the live turn"
COLUMNS: Final[Columns] = (
    *(("path", "text"), ("old_path", "text"), ("operation", "text"), ("source", "text"), ("reversible", "flag")),
    *(("why_not", "text"), ("mode_before", "count"), ("mode_after", "count")),
    *(("size_before", "count"), ("size_after", "count"), ("link_before", "text"), ("link_after", "text")),
)
"""The columns of `turn.changes().to_frame()`."""


@dataclass(frozen=True, repr=False)
class FileChange:
    """A file as it was before a turn and after it. `operation`: `add`, `modify`, `delete` or `move`.

    `path` is absolute; `old_path` where a moved file was. `source` says how the earlier bytes are known: `watch` (the
    folder was watched), `tool call` (copied when a call named it), `write` (written by the kernel), `diff` (taken back
    from what the agent showed). `reversible`: whether `turn.revert()` can restore it; if not, `why_not`.

    It can be pickled, without the bytes: what comes back shows the same, and is not reversible.
    """

    path: str
    operation: str
    source: str
    old_path: str | None = None
    why_not: str = ""
    _was: Found = field(default_factory=lambda: Found("nothing"))
    _now: Found = field(default_factory=lambda: Found("nothing"))
    _left: Found = field(default_factory=lambda: Found("nothing"))  # what stands at `old_path` after it
    _store: Store = field(default_factory=Store, compare=False)
    _cwd: str = ""
    _diff: str | None = field(default=None, compare=False)  # of one that comes from a pickle

    @property
    def reversible(self) -> bool:
        return not self.why_not

    @property
    def before(self) -> bytes | None:
        """The bytes before the turn; None when there was no file, or no copy of it."""
        return None if self._was.blob is None else self._store.get(self._was.blob)

    @property
    def after(self) -> bytes | None:
        """The bytes when the turn was over; None when there was no file, or no copy of it."""
        return None if self._now.blob is None else self._store.get(self._now.blob)

    @property
    def mode_before(self) -> int | None:
        """Its permission bits before, `0o644` for instance; None when there was no file."""
        return stat.S_IMODE(self._was.mode) if self._was.kind == "file" else None

    @property
    def mode_after(self) -> int | None:
        return stat.S_IMODE(self._now.mode) if self._now.kind == "file" else None

    @property
    def size_before(self) -> int | None:
        """Its bytes before; None when there was no file."""
        return self._was.size if self._was.kind == "file" else None

    @property
    def size_after(self) -> int | None:
        return self._now.size if self._now.kind == "file" else None

    @property
    def link_before(self) -> str | None:
        """Where it led before, as it was written; None when it was no link."""
        return self._was.text if self._was.kind == "link" else None

    @property
    def link_after(self) -> str | None:
        return self._now.text if self._now.kind == "link" else None

    @property
    def shown_path(self) -> str:
        """The path relative to the agent's folder, where it lies in it; every byte of it readable."""
        return shown(self.path, self._cwd)

    @property
    def diff(self) -> str:
        """The change as a git patch; a line that says so where the content is no text, or unknown."""
        if self._diff is not None:
            return self._diff
        lines = []
        if self.mode_before != self.mode_after and None not in (self.mode_before, self.mode_after):
            lines.append(f"old mode {self._was.mode | 0o100000:o}\nnew mode {self._now.mode | 0o100000:o}\n")
        if self.old_path is not None:
            lines.append(f"rename from {shown(self.old_path, self._cwd)}\nrename to {self.shown_path}\n")
        return "".join(lines) + self._text()

    def _text(self) -> str:
        if self._was.same(self._now) or (self._was.blob is not None and self._was.blob == self._now.blob):
            return ""
        if not {self._was.kind, self._now.kind} <= {"file", "nothing"}:
            return f"{self.shown_path}: {_words(self._was)} before, {_words(self._now)} after\n"
        sides = [(found.size if found.kind == "file" else 0) for found in (self._was, self._now)]
        unknown = f"{self.shown_path}: {sides[0]:,} bytes before, {sides[1]:,} after\n"
        if any(found.kind == "file" and found.blob is None for found in (self._was, self._now)):
            return unknown
        try:
            old, new = (None if data is None else data.decode() for data in (self.before, self.after))
        except (UnicodeDecodeError, OSError):
            return unknown
        if "\0" in (old or "") or "\0" in (new or ""):
            return unknown
        patch = git_patch(self.shown_path, old, new or "")
        return patch if len(patch) <= _LONGEST else f"{patch[:_LONGEST]}\n… cut here\n"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `json.dumps`, with the diff and without the bytes."""
        return {**{_camel(name): value for name, value in self._row().items()}, "diff": self.diff}

    def _row(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name, _ in COLUMNS}

    def __reduce__(self) -> tuple[Any, ...]:
        known = {"path": self.path, "operation": self.operation, "source": self.source, "old_path": self.old_path}
        found = {name: replace(getattr(self, name), blob=None) for name in ("_was", "_now", "_left")}
        return _revived, (
            {**known, **found, "why_not": self.why_not or _PICKLED, "_cwd": self._cwd, "_diff": self.diff},
        )

    def __copy__(self) -> FileChange:
        return self

    def __deepcopy__(self, memo: object) -> FileChange:
        return self

    def __str__(self) -> str:
        return self.diff

    def __repr__(self) -> str:
        old = f" from {shown(self.old_path, self._cwd)}" if self.old_path is not None else ""
        why = "" if self.reversible else f", cannot be reverted: {self.why_not}"
        return f"<FileChange {self.operation} {self.shown_path}{old}{why}>"

    def _repr_html_(self) -> str:
        return preformatted(f"{repr(self)[1:-1]}\n{self.diff}")


class Changes(Sequence[FileChange]):
    """The changes of a turn by position or by path: `turn.changes()["stats.py"]`.

    `left_out` says what could not be seen or is not reverted, path → why; `note` is a sentence when nothing was
    recorded at all.

    >>> from acp_widget import Agent
    >>> with Agent("demo", permissions="allow") as agent:
    ...     changes = agent.run("The test for mean() fails on an empty list. Fix it.").changes()
    >>> [(each["operation"], each["source"]) for each in changes.to_dict()["changes"]]
    [('modify', 'watch')]
    """

    def __init__(self, changes: Iterable[FileChange], *, cwd: str, left_out: Mapping[str, str], note: str = "") -> None:
        self._changes = list(changes)
        self._cwd = cwd
        self.left_out = dict(left_out)
        self.note = note

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[FileChange]:
        return iter(self._changes)

    @overload
    def __getitem__(self, index: int | str) -> FileChange: ...

    @overload
    def __getitem__(self, index: slice) -> list[FileChange]: ...

    def __getitem__(self, index: int | str | slice) -> FileChange | list[FileChange]:
        __tracebackhide__ = True
        if not isinstance(index, str):
            return self._changes[index]
        found = self.named(index)
        if found is None:
            raise KeyError(f"No {index[:_LONG_PATH]!r} here.{self.near(index)} Known paths: {self._known()}.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data for `json.dumps`: `changes`, a list, with what was left out and the note."""
        return {"changes": [each.to_dict() for each in self], "leftOut": dict(self.left_out), "note": self.note}

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each file; modes are numbers, sizes bytes.

        Raises `ImportError` where pandas is not installed. The columns stand in docs/results.md.
        """
        return frame((each._row() for each in self), COLUMNS)

    def named(self, path: str | os.PathLike[str]) -> FileChange | None:
        """The change of a path, absolute or relative to the agent's folder; also by where a moved file was."""
        wanted = self.place(path)
        return next((each for each in self._changes if wanted in (each.path, each.old_path)), None)

    def place(self, path: str | os.PathLike[str]) -> str:
        """The absolute path that is meant; links above it are followed, one that it names is not."""
        wanted = os.path.normpath(os.path.join(self._cwd, os.path.expanduser(os.fspath(path))))
        return os.path.join(os.path.realpath(os.path.dirname(wanted)), os.path.basename(wanted))

    def near(self, path: str | os.PathLike[str]) -> str:
        """A question whether one of these was meant, or nothing."""
        told = {each.shown_path: each.shown_path for each in self._changes[:_MOST_COMPARED]}
        told = {**{name.rpartition("/")[2]: name for name in told}, **told}
        found = difflib.get_close_matches(os.fspath(path)[-_LONG_PATH:], told, 1)
        return f" Did you mean {told[found[0]]!r}?" if found else ""

    def _known(self) -> str:
        names = [repr(each.shown_path) for each in self._changes[:_LISTED]]
        return (", ".join(names) or "none") + (", …" if len(self) > _LISTED else "")

    def __repr__(self) -> str:
        lines = [repr(each) for each in self._changes[:100]]
        if len(self) > 100:
            lines.append(f"… and {len(self) - 100:,} more")
        if self.note:
            lines.append(self.note)
        for path, why in list(self.left_out.items())[:10]:
            lines.append(f"left out: {shown(path, self._cwd)}: {why}")
        if len(self.left_out) > 10:
            lines.append(f"left out: {len(self.left_out) - 10:,} more, in .left_out")
        return "\n".join(lines) or "No file was changed, as far as is known."

    def _repr_html_(self) -> str:
        head = "" if self._changes and not (self.note or self.left_out) else preformatted(repr(self))
        return head + "".join(each._repr_html_() for each in self._changes[:100])


def preformatted(text: str) -> str:
    """Text as HTML, as it is; nothing in it is a formula."""
    return f'<pre class="{NO_FORMULAS}">{html.escape(text)}</pre>'


def _revived(known: dict[str, Any]) -> FileChange:
    return FileChange(**known)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _words(found: Found) -> str:
    known = {
        "nothing": "nothing",
        "file": f"a file of {found.size:,} bytes",
        "link": f"a link to {shown(found.text, '')}",
    }
    return known.get(found.kind) or found.why or f"a {found.kind}"


def shown(path: str, cwd: str) -> str:
    """A path for people: relative in `cwd`, bytes that are no text as `\\udcff`."""
    told = os.path.relpath(path, cwd) if cwd and path.startswith(cwd.rstrip(os.sep) + os.sep) else path
    safe = told.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in safe)
