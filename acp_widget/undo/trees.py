"""Files as they are now: one by one, or a whole folder, within bounds. What is left out is said."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..temporary import UNDO
from .store import Store

SKIPPED: Final = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".jj",
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
        ".cache",
    ]
)
"""Folders that are never watched, by name."""
THINGS: Final = frozenset({"file", "link", "other"})
"""The kinds of what stands in a folder, without folders."""
_EXAMPLES = 3  # names of files that were not copied
_FRESH = 2_000_000_000  # ns after a change in which another one may leave the times as they are
_TICK = 20_000_000  # ns by which the time of a change may lie before it: systems count in ticks
_COARSE = 2_000_000_000  # and where only whole seconds are kept
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Limits:
    """How much is copied: bytes of a file, bytes and files of all watched folders, seconds of one look at them."""

    file: int = 5_000_000
    total: int = 100_000_000
    count: int = 20_000
    seconds: float = 5.0


@dataclass(frozen=True)
class Found:
    """What stands at a path. `kind`: `file`, `nothing`, `folder`, `link`, or `other`.

    `blob`: the copy of a file; None when there is none, `why` says why not. `stamp` changes when the file does.
    `text`: where a link leads, as it is written. `names`: how many names the file has (hard links).
    """

    kind: str
    mode: int = 0
    blob: str | None = None
    size: int = 0
    why: str = ""
    stamp: tuple[int, ...] = ()
    text: str = ""
    names: int = 1

    def same(self, other: Found) -> bool:
        """Whether bytes and mode are the same, as far as that can be told; for a link, where it leads."""
        if (self.kind, self.mode, self.text) != (other.kind, other.mode, other.text):
            return False
        if self.blob is None or other.blob is None:
            return self.kind != "file" or self.stamp == other.stamp
        return self.blob == other.blob

    def older(self, moment: int) -> bool:
        """Whether it stood there unchanged already at a moment, in ns since 1970. False where that is not sure."""
        if len(self.stamp) < 2:
            return False
        changed = max(self.stamp[:2])
        return changed < moment - (_COARSE if changed % 1_000_000_000 == 0 else _TICK)


NOTHING = Found("nothing")


@dataclass
class Tree:
    """Watched folders at one moment: what stands in them, and the folders that were looked through, with their modes.

    `files` has links, pipes and devices too, which are not followed or opened.
    """

    files: dict[str, Found] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Path → why, of what is too large or could not be read. Folders that are never watched are not told."""
    unseen: dict[str, str] = field(default_factory=dict)
    """Folder → why, of those that were not looked through, or not to the end: nothing is known of the rest."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Folder → why, of those that are never looked through."""
    bytes: int = 0
    """How much was copied."""

    def covers(self, path: str) -> bool:
        """Whether it is known what stood there, or that nothing did."""
        if path in self.files:
            return True
        above = os.path.dirname(path)
        while above not in self.folders:
            if above in self.left_out or os.path.basename(above) in SKIPPED or above == os.path.dirname(above):
                return False
            if above in self.files:  # it was a file
                return True
            above = os.path.dirname(above)
        below = os.path.relpath(path, above).split(os.sep)
        return not any(part in SKIPPED for part in below[:-1]) and path not in self.left_out


class Looker:
    """Looks at files and copies what is new. What has not changed since the last look is not read again."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self.store, self.limits = store, limits
        self._known: dict[str, Found] = {}

    def look(self, path: str, no_copy: str = "") -> Found:
        """What stands there now; a file is copied, unless `no_copy` says why it is not. Never raises."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING
        except (OSError, ValueError) as error:
            return Found("other", why=reason(error))
        if stat.S_ISLNK(status.st_mode):
            return _link(path, status)
        if stat.S_ISDIR(status.st_mode):
            return Found("folder", stat.S_IMODE(status.st_mode))
        if not stat.S_ISREG(status.st_mode):
            return Found("other", stat.S_IMODE(status.st_mode), why=_what(status.st_mode), stamp=_stamp(status))
        known = self._known.get(path)
        if known is not None and known.stamp == _stamp(status):
            return known
        if no_copy:
            size = status.st_size
            return Found("file", stat.S_IMODE(status.st_mode), None, size, no_copy, _stamp(status))
        found = self._copied(path, status)
        changed = max(status.st_mtime_ns, status.st_ctime_ns)
        if found.blob is not None and time.time_ns() - changed > _FRESH and changed <= time.time_ns():
            self._known[path] = found
        else:
            self._known.pop(path, None)
        return found

    def _copied(self, path: str, status: os.stat_result) -> Found:
        mode, size, stamp = stat.S_IMODE(status.st_mode), status.st_size, _stamp(status)
        if size > self.limits.file:
            return Found("file", mode, None, size, f"it is larger than {self.limits.file / 1e6:g} MB", stamp)
        try:
            descriptor = os.open(path, os.O_RDONLY | _NO_LINK | _BINARY)
            with open(descriptor, "rb") as file:
                data = file.read(self.limits.file + 1)
                after = os.fstat(descriptor)
            if len(data) > self.limits.file or _stamp(after) != stamp:
                return Found("file", mode, None, size, "it changed while it was read", _stamp(after))
            return Found("file", mode, self.store.put(data), len(data), "", stamp, names=status.st_nlink)
        except OSError as error:
            return Found("file", mode, None, size, reason(error), stamp)

    def scan(self, roots: Iterable[str], limits: Limits | None = None) -> Tree:
        """All that stands in these folders. Links are not followed. Never raises.

        What is beyond the bytes of `limits` is listed without a copy, what is beyond the files or the time is not.
        """
        limits = limits or self.limits
        tree, until = Tree(), time.monotonic() + limits.seconds
        slow = f"looking through the folders took longer than {limits.seconds:g} s"
        waiting = deque(roots)
        while waiting:
            folder = waiting.popleft()
            if time.monotonic() > until:
                tree.left_out[folder] = tree.unseen[folder] = slow
                continue
            try:
                mode = stat.S_IMODE(os.lstat(folder).st_mode)
                with os.scandir(folder) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError as error:
                tree.left_out[folder] = tree.unseen[folder] = reason(error)
                continue
            full, unseen, uncopied = "", [], []
            large = f"the files are larger than {limits.total / 1e6:g} MB together"
            for entry in entries:
                if _is_folder(entry):
                    if entry.name in SKIPPED:
                        tree.skipped[entry.path] = "folders of this name are never looked through"
                    elif not entry.name.startswith(UNDO):
                        waiting.append(entry.path)
                    continue
                if len(tree.files) >= limits.count:
                    full = f"there are more than {limits.count:,} files"
                elif time.monotonic() > until:
                    full = slow
                if full:
                    unseen.append(entry.name)
                    continue
                found = self.look(entry.path, "" if tree.bytes <= limits.total else large)
                if found.kind in THINGS:
                    tree.files[entry.path] = found
                    tree.bytes += found.size if found.blob is not None else 0
                    if found.blob is None and found.why == large:
                        uncopied.append(entry.name)
                    elif found.blob is None and found.why and (found.kind != "other" or not found.stamp):
                        tree.left_out[entry.path] = found.why
            said = []
            if uncopied:
                said.append(f"{_files(uncopied)} not copied: {large}")
            if unseen:
                said.append(f"{_files(unseen)} not looked at, and changes of them are not known: {full}")
                tree.unseen[folder] = full
            else:
                tree.folders[folder] = mode
            if said:
                tree.left_out[folder] = "; ".join(said)
        return tree


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _files(names: list[str]) -> str:
    """How many, and some of them, as the beginning of a sentence."""
    some = ", ".join(repr(name) for name in names[:_EXAMPLES]) + (", …" if len(names) > _EXAMPLES else "")
    return f"{len(names):,} file{'s' if len(names) > 1 else ''} ({some}) {'were' if len(names) > 1 else 'was'}"


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)


def _link(path: str, status: os.stat_result) -> Found:
    """Its mode means nothing where there are links."""
    try:
        return Found("link", text=os.readlink(path), stamp=_stamp(status))
    except OSError as error:
        return Found("link", why=reason(error), stamp=_stamp(status))


def _what(mode: int) -> str:
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def reason(error: Exception) -> str:
    """Why something did not work, in the system's words."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")


def inside(path: str, roots: Iterable[str]) -> str | None:
    """The root that holds a path, or None."""
    return next((root for root in roots if path != root and Path(path).is_relative_to(root)), None)
