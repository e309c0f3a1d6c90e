"""Temporary folders for this user alone: gone with the process, and if that was killed, with the next one's first.

As long as a process has such folders it holds a lock, and their names say which: so another process can tell which ones
nobody will remove any more.
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
from typing import Final, NamedTuple

try:
    import fcntl
except ImportError:  # Windows: what a killed process left stays there
    fcntl = None  # type: ignore[assignment]

DEMO: Final = "acp-demo-"
UNDO: Final = "acp-widget-undo-"
PREFIXES: Final = (DEMO, UNDO)
"""How the names of all such folders begin; the name of their lock without its ending follows."""
LOCK: Final = "acp-widget-lock-"
NEW: Final = 60.0
"""Seconds in which a lock that nobody holds may be one that is just being made."""


class _Lock(NamedTuple):
    path: Path
    held: int
    folders: set[str]


# Where temporary folders are → the lock of this process there.
_locks: dict[str, _Lock] = {}
_lock = threading.RLock()  # reentrant: a garbage collection in here may end an Agent


def make(prefix: str) -> Path:
    """A new folder; `remove()` or the end of the process removes it. `prefix` is one of `PREFIXES`."""
    with _lock:
        around = os.path.realpath(tempfile.gettempdir())
        mine = _locks.get(around)
        if mine is None:
            _sweep(around)
            held, path = tempfile.mkstemp(prefix=LOCK, dir=around)
            _take(held)
            mine = _locks[around] = _Lock(Path(path), held, set())
        try:
            made = tempfile.mkdtemp(prefix=f"{prefix}{_name(mine.path)}-", dir=around)
        except BaseException:
            _leave(around)
            raise
        mine.folders.add(made)
        return Path(made)


def remove(folder: str | os.PathLike[str]) -> None:
    """Remove one that this process made; twice, or in a forked child, nothing happens."""
    with _lock:
        around = str(Path(folder).parent)
        mine = _locks.get(around)
        if mine is None or str(folder) not in mine.folders:
            return
        shutil.rmtree(folder, ignore_errors=True)
        mine.folders.discard(str(folder))
        _leave(around)


def remove_all() -> None:
    """The process ends."""
    for folder in [folder for mine in list(_locks.values()) for folder in list(mine.folders)]:
        remove(folder)


def _leave(around: str) -> None:
    """The lock goes with the last folder."""
    mine = _locks[around]
    if not mine.folders:
        del _locks[around]
        mine.path.unlink(missing_ok=True)
        os.close(mine.held)


def _name(lock: Path) -> str:
    return lock.name.removeprefix(LOCK)


def _take(held: int) -> bool:
    """Lock an open file; False where somebody else holds it, or nobody can."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    return True


def _sweep(around: str) -> None:
    """Remove what processes left that were killed."""
    for lock in _old_locks(around):
        with contextlib.suppress(OSError):
            held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if _take(held):
                    for prefix in PREFIXES:
                        for left in Path(around).glob(f"{prefix}{_name(lock)}-*"):
                            shutil.rmtree(left, ignore_errors=True)
                    lock.unlink()
            finally:
                os.close(held)


def _old_locks(around: str) -> Iterator[Path]:
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(around) as inside:
        for entry in inside:
            if entry.name.startswith(LOCK) and entry.is_file(follow_symlinks=False):
                about = entry.stat(follow_symlinks=False)
                if about.st_uid == os.getuid() and about.st_mtime < time.time() - NEW:
                    yield Path(entry.path)


def _forget_after_fork() -> None:
    """A forked child leaves the folders of its parent alone."""
    global _lock
    _lock = threading.RLock()
    for mine in _locks.values():
        os.close(mine.held)
    _locks.clear()


# Before that of agents, which import this: so they end first.
atexit.register(remove_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
