"""Writes a recording: one JSON object a line, each with one write at the end of the file."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import stat
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from .. import __version__
from ..protocol.wire import encode

try:
    import fcntl
except ImportError:  # Windows: two agents may then be given one empty file
    fcntl = None  # type: ignore[assignment]

Json = dict[str, Any]

VERSION: Final = 1
_DIGITS: Final = 4  # of seconds


class Cassette:
    """One file. It is claimed at once, and gets its header with the first record.

    `on_trouble(sentence)`: once, when it cannot be written any more; nothing is raised then, and nothing written.
    Raises `FileExistsError` for a file that holds something or that another agent writes, and `OSError` for one that
    cannot be written. All but the making belongs to one thread.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111 (links stay, ~nobody is a name)
        self.on_trouble: Callable[[str], object] = lambda sentence: None
        self.header: Json = {}
        """What the first line is to tell beside versions and time."""
        self._began: float | None = None
        self._unsynced = False
        self._file: int | None
        self._file, self._made = _claimed(self.path)
        self._end = weakref.finalize(self, _let_go, self._file, None)
        self._end.atexit = False
        _all.add(self)

    @property
    def recording(self) -> bool:
        """Whether records are written."""
        return self._file is not None

    @property
    def begun(self) -> bool:
        """Whether anything was written."""
        return self._began is not None

    def write(self, record: Mapping[str, Any]) -> None:
        """Put a record at the end, with its time `t` in front. Raises `ValueError` for what is no JSON."""
        if self._file is None:
            return
        if self._began is None:
            at = time.time()
            line = encode({"cassette": VERSION, "at": at, **_versions(), **self.header, "redacted": True})
            self._began = time.monotonic()
            self._put(line)
        self._put(encode({"t": round(time.monotonic() - self._began, _DIGITS), **record}))

    def _put(self, line: bytes) -> None:
        left = memoryview(line)
        try:
            while left and self._file is not None:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            self._give_up(error)
        self._unsynced = True

    def _give_up(self, error: OSError) -> None:
        self._unsynced = False
        self.close()
        self.on_trouble(
            f"The recording ends here: {self.path} cannot be written any more ({error.strerror or error}). "
            "The agent goes on. What was written before can be read."
        )

    def sync(self) -> None:
        """See to it that what was written survives a loss of power; soon, and without waiting for the disk."""
        if self._file is None or not self._unsynced:
            return
        self._unsynced = False
        if os.fstat(self._file).st_nlink == 0:
            self._give_up(OSError(errno.ENOENT, "the file was removed"))
            return
        with contextlib.suppress(OSError, RuntimeError):  # no handle, or no thread, to spare
            copy = os.dup(self._file)
            threading.Thread(target=_sync, args=(copy,), name="acp-recording-sync", daemon=True).start()

    def close(self) -> None:
        """Nothing is written any more. A file that holds nothing, and was made here, goes. Can be called again."""
        file, self._file = self._file, None
        if file is None:
            return
        self._end.detach()
        if self._unsynced:
            with contextlib.suppress(OSError):
                os.fsync(file)
        _let_go(file, self.path if self._made and self._began is None else None)

    def forget(self) -> None:
        """In a forked child: the file is its parent's."""
        file, self._file = self._file, None
        if file is not None:
            self._end.detach()
            with contextlib.suppress(OSError):
                os.close(file)


def _claimed(path: Path) -> tuple[int, bool]:
    """The opened file, and whether it was made here."""
    made = not os.path.exists(path)  # noqa: PTH110 (never raises)
    # Its own user's alone: no rule finds every secret. NONBLOCK: a pipe that nobody reads is refused, not waited for.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags, 0o600)
    except OSError as error:
        raise type(error)(
            f"record={str(path)!r} cannot be written: {error.strerror or error}. "
            "Name a file in a folder that is there and that you may write to."
        ) from None
    try:
        about = os.fstat(file)
        if about.st_size:
            raise FileExistsError(
                f"record={str(path)!r}: the file is there already, and a recording is never written over or into "
                "another one. Take another name, or remove the file first."
            )
        if stat.S_ISREG(about.st_mode) and not _locked(file):
            raise FileExistsError(
                f"record={str(path)!r}: another agent records into this file. Take another name, or close that agent."
            )
    except BaseException:
        os.close(file)
        raise
    return file, made


def _locked(file: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _let_go(file: int, unused: Path | None) -> None:
    with contextlib.suppress(OSError):
        if unused is not None and os.fstat(file).st_size == 0:
            unused.unlink()
    with contextlib.suppress(OSError):
        os.close(file)


def _sync(file: int) -> None:
    with contextlib.suppress(OSError):
        os.fsync(file)
    with contextlib.suppress(OSError):
        os.close(file)


def _versions() -> Json:
    return {"acpWidget": __version__, "python": platform.python_version()}


_all: weakref.WeakSet[Cassette] = weakref.WeakSet()


def _forget_after_fork() -> None:
    for cassette in list(_all):
        cassette.forget()
    _all.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
