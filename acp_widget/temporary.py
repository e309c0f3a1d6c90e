"""Temporary folders for this user alone: gone with the process, and if that was killed, with the next one's first.

A folder is locked as long as its process lives: so another process can tell which ones nobody will remove any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # Windows: what a killed process left stays there
    fcntl = None  # type: ignore[assignment]

PREFIXES: Final = ("acp-demo-", "acp-widget-undo-")
"""How the names of all such folders begin."""
NEW: Final = 60.0
"""Seconds in which a folder without a lock may be one that is just being made."""

# Folder → what holds its lock.
_made: dict[str, int | None] = {}
_swept: set[str] = set()
_lock = threading.RLock()  # reentrant: a garbage collection in here may end an Agent


def make(prefix: str) -> Path:
    """A new folder; `remove()` or the end of the process removes it."""
    with _lock:
        if (around := tempfile.gettempdir()) not in _swept:
            _swept.add(around)
            _sweep(around)
        made = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
        _made[str(made)] = _locked(made)
        return made


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove one that this process made; twice, or in a forked child, nothing happens."""
    with _lock:
        if str(folder) not in _made:
            return
        held = _made.pop(str(folder))
    shutil.rmtree(folder, ignore_errors=True)
    if held is not None:
        os.close(held)


def remove_all() -> None:
    """The process ends."""
    for folder in list(_made):
        remove(folder)


def _locked(folder: str | os.PathLike[str]) -> int | None:
    """Lock a folder: a descriptor that holds the lock, None where somebody else does or nobody can."""
    if fcntl is None:
        return None
    held = None
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if held is not None:
            os.close(held)
        return None
    return held


def _sweep(around: str) -> None:
    """Remove what processes left that were killed."""
    for left in _left(around):
        held = _locked(left)
        if held is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def _left(around: str) -> Iterator[str]:
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(around) as inside:
        for entry in inside:
            if entry.name.startswith(PREFIXES) and entry.is_dir(follow_symlinks=False):
                about = entry.stat(follow_symlinks=False)
                if about.st_uid == os.getuid() and about.st_mtime < time.time() - NEW:
                    yield entry.path


def _forget_after_fork() -> None:
    """A forked child leaves the folders of its parent alone."""
    global _lock
    _lock = threading.RLock()
    for held in _made.values():
        if held is not None:
            os.close(held)
    _made.clear()


# Before that of agents, which import this: so they end first.
atexit.register(remove_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
