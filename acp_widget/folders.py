"""Where an agent works: the folder it is given, or a temporary one of its own that goes when no agent works there."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from . import temporary

# Temporary folder → how many agents of this process work in it or below it.
_own: dict[str, int] = {}
_lock = threading.RLock()  # reentrant: a garbage collection in here may end an Agent


def choose(cwd: str | os.PathLike[str] | None, *, own: bool) -> tuple[str, bool]:
    """The folder's absolute path, and whether it is temporary. Without `cwd`: a new one if `own`, else this process's.

    Raises `ValueError` for what is no folder. Who takes a folder calls `release()` at its end.
    """
    if cwd is None and own:
        made = str(temporary.make(temporary.DEMO))
        with _lock:
            _own[made] = 1
        return made, True
    try:
        folder = (Path.cwd() if cwd is None else Path(cwd).expanduser()).resolve()
    except FileNotFoundError:
        raise ValueError("The folder that this process works in is gone. Pass cwd=.") from None
    except RuntimeError:  # ~somebody, who is not there
        folder = Path(cwd or "")
    if not folder.is_dir():
        raise ValueError(f"cwd={str(cwd)!r} is no folder. Make it first, or pass another one.")
    with _lock:
        if (shared := _temporary(str(folder))) is not None:
            _own[shared] += 1
    return str(folder), False


def release(folder: str) -> None:
    """An agent that worked here is gone. A temporary folder that nobody works in is removed."""
    with _lock:
        shared = _temporary(folder)
        if shared is None:
            return
        _own[shared] -= 1
        if _own[shared] > 0:
            return
        del _own[shared]
    temporary.remove(shared)


def _temporary(folder: str) -> str | None:
    return next((own for own in _own if folder == own or folder.startswith(own + os.sep)), None)


def _forget_after_fork() -> None:
    """A forked child leaves the folders of its parent alone."""
    global _lock
    _lock = threading.RLock()
    _own.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
