"""Copies of files as they were: in a private folder, one for each content, never in memory."""

from __future__ import annotations

import errno
import hashlib
import threading
import weakref
from pathlib import Path
from typing import Final

from .. import temporary

LARGEST: Final = 500_000_000
"""Bytes of all copies of one agent."""


class Store:
    """The folder is made with the first copy, for this user alone, and goes with this object or with the process.

    >>> store = Store()
    >>> store.get(store.put(b"text"))
    b'text'
    """

    def __init__(self, limit: int = LARGEST) -> None:
        self._limit = limit
        self._sizes: dict[str, int] = {}
        self._size = 0
        self._lock = threading.Lock()
        self._folder: Path | None = None
        self._end: weakref.finalize[[Path], Store] | None = None

    @property
    def folder(self) -> Path | None:
        """Where the copies are; None when there is none."""
        return self._folder

    @property
    def size(self) -> int:
        """Bytes of all copies."""
        return self._size

    def put(self, data: bytes) -> str:
        """Keep a copy; its name. Raises `OSError` where there is no room."""
        name = hashlib.sha256(data).hexdigest()
        with self._lock:
            if name in self._sizes:
                return name
            if self.size + len(data) > self._limit:
                raise OSError(errno.EDQUOT, f"the copies of this agent would take more than {self._limit:,} bytes")
            if self._folder is None:
                self._folder = temporary.make(temporary.UNDO)
                self._end = weakref.finalize(self, temporary.remove, self._folder)
            target = self._folder / name
            try:
                target.write_bytes(data)
            except OSError:
                target.unlink(missing_ok=True)
                raise
            self._sizes[name] = len(data)
            self._size += len(data)
        return name

    def get(self, name: str) -> bytes:
        """The content of a copy. Raises `OSError` when somebody removed or changed it."""
        if self._folder is None:
            raise FileNotFoundError(errno.ENOENT, "the copy is gone")
        data = (self._folder / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != name:
            raise OSError(errno.EIO, "the copy was changed")
        return data

    def keep(self, names: set[str]) -> None:
        """Only these are needed any more."""
        with self._lock:
            for name in [name for name in self._sizes if name not in names]:
                self._size -= self._sizes.pop(name)
                if self._folder is not None:
                    (self._folder / name).unlink(missing_ok=True)
            if not self._sizes and self._end is not None:
                self._end()
                self._folder = self._end = None
