"""What is known of one turn's files while it runs."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .changes import FileChange
from .patches import Hunk, sections
from .trees import Found, Tree

_KINDS = frozenset({"edit", "delete", "move"})
_FINAL = frozenset({"completed", "failed", "cancelled"})
_INPUTS = (
    *("path", "file_path", "filePath", "abs_path", "absPath", "filename", "old_path", "oldPath", "new_path", "newPath"),
    *("source", "destination", "source_path", "destination_path"),
)


@dataclass(frozen=True)
class Named:
    """A file as it was when a tool call first named it. `late`: the call was over then."""

    found: Found
    source: str
    late: bool = False


@dataclass
class Record:
    """One turn. `before`: the watched folders when it began; None when none is watched. `began`: ns since 1970."""

    number: int
    before: Tree | None = None
    began: int = field(default_factory=time.time_ns)
    named: dict[str, Named] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    """Folders that were there before it, with their modes."""
    told: set[tuple[str, bool]] = field(default_factory=set)
    """Paths as calls named them, and whether what is in such a folder goes with it."""
    below: dict[str, Tree] = field(default_factory=dict)
    """What was in folders that a `delete` or a `move` named."""
    unseen: dict[str, str] = field(default_factory=dict)
    """Folder → why, of those that were not looked through, or not to the end."""
    by_calls: int = 0
    """How many paths calls named."""
    touched: bool = False
    """Whether a call named a file."""
    changes: list[FileChange] | None = None
    """None until it is over."""


def paths_of(call: Mapping[str, Any]) -> Iterator[str]:
    """The paths that a call names and may change."""
    for change, _ in told_by(call):
        yield from (path for path in (change.get("oldPath"), change.get("path")) if isinstance(path, str))
    if call.get("kind") in _KINDS:
        places = [place.get("path") for place in call.get("locations") or () if isinstance(place, Mapping)]
        given = call.get("rawInput")
        values = [given.get(name) for name in _INPUTS] if isinstance(given, Mapping) else []
        yield from (path for path in (*places, *values) if isinstance(path, str) and path)


def takes_folders(call: Mapping[str, Any]) -> bool:
    """Whether what is in a folder that the call names goes with it."""
    return call.get("kind") in ("delete", "move")


def is_late(call: Mapping[str, Any]) -> bool:
    """Whether the call may have changed its files already."""
    return call.get("status") in _FINAL


def told_by(call: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], list[Hunk]]]:
    """The changes of the diffs of a call, each with what its patch says of it."""
    for item in call.get("content") or ():
        if not isinstance(item, Mapping) or item.get("type") != "diff":
            continue
        changes = [change for change in item.get("changes") or () if isinstance(change, Mapping)]
        patch = item.get("patch")
        parts: list[list[Hunk]] = []
        if isinstance(patch, Mapping) and patch.get("format") == "git_patch" and isinstance(patch.get("text"), str):
            parts = list(sections(patch["text"]))
        # Sections have no reliable names; they stand in the order of the changes.
        yield from zip(changes, parts if len(parts) == len(changes) else [[] for _ in changes], strict=True)


def folders_above(path: str) -> dict[str, int]:
    """The folders above a path that are there now, with their modes."""
    found: dict[str, int] = {}
    for above in all_above([path]):
        with contextlib.suppress(OSError):
            mode = os.lstat(above).st_mode
            if stat.S_ISDIR(mode):
                found[above] = stat.S_IMODE(mode)
    return found


def all_above(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        above = os.path.dirname(path)
        while above not in found and above != os.path.dirname(above):
            found.add(above)
            above = os.path.dirname(above)
    return found
