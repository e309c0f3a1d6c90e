"""The folders that an agent may reach through us: paths are resolved, checked, and opened without following a link."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from ..errors import RequestError
from ..protocol.connection import INVALID_PARAMS

# Where folders can be held open, what was checked is what is used: a link swapped in later is not followed.
_HELD = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER: int = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_FILE: int = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LONGEST = 4096  # characters of a path
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Place:
    """A path inside a root. `asked` as the agent wrote it; `root` real and absolute; `parts` below it, links resolved.

    >>> Place("a/../b", "/p", ("b",)).path
    '/p/b'
    """

    asked: str
    root: str
    parts: tuple[str, ...]

    @property
    def path(self) -> str:
        """Absolute, all links resolved."""
        return str(Path(self.root, *self.parts))

    @property
    def names(self) -> tuple[str, str]:
        """What the file is called, and what it was called by the agent: another name when that is a link."""
        return self.parts[-1] if self.parts else "", PurePath(self.asked).name


class Roots:
    """The session's folders: what the agent works in first, then additional ones.

    >>> Roots(["/p"]).find("../q")
    Traceback (most recent call last):
    acp_widget.errors.RequestError: '../q' leads outside of the folders of this session.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders]

    def find(self, asked: Any, name: str = "path") -> Place:
        """The place of a path, absolute or relative to the first folder.

        Raises `RequestError` for what is no path or leads outside; `name` is the parameter's.
        """
        if not isinstance(asked, str) or not asked:
            raise RequestError(INVALID_PARAMS, f"`{name}` must be a path: a text that is not empty.")
        if _URI.match(asked):
            raise RequestError(INVALID_PARAMS, f"`{name}` must be a path, not a URI: {asked[:200]!r}.", {name: asked})
        if asked == "~" or asked.startswith(("~/", "~\\")):
            raise RequestError(INVALID_PARAMS, f"`{name}` must be absolute; `~` means nothing here: {asked[:200]!r}.")
        if len(asked) > _LONGEST:  # as systems have it; folders would be made one by one up to where it breaks
            raise RequestError(INVALID_PARAMS, f"`{name}` is longer than {_LONGEST} characters: {asked[:200]!r}…")
        try:
            real = PurePath(os.path.realpath(Path(self.folders[0], asked)))
        except (OSError, ValueError, RuntimeError) as error:  # a null character, lone surrogates, a circle of links
            raise RequestError(INVALID_PARAMS, f"`{name}` is no usable path: {error}.") from None
        for root in self.folders:
            if real.is_relative_to(root):
                return Place(asked, root, real.relative_to(root).parts)
        raise RequestError(
            INVALID_PARAMS,
            f"{asked[:500]!r} leads outside of the folders of this session.",
            {name: asked, "roots": self.folders},
        )

    def shown(self, place: Place) -> str:
        """The path as a user knows it: relative in the folder that the agent works in, else absolute."""
        return str(PurePath(*place.parts)) if place.root == self.folders[0] else place.path

    def same(self, path: Any, place: Place) -> bool:
        """Whether a path as an agent writes it is this place."""
        try:
            return isinstance(path, str) and os.path.realpath(Path(self.folders[0], path)) == place.path
        except (OSError, ValueError, RuntimeError):
            return False


class Folder:
    """An open folder. Names in it are never followed when they are links. All methods raise `OSError`."""

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path = path
        self._descriptor = descriptor

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A file descriptor; of what is no regular file too, without waiting for its other end."""
        return os.open(self._at(name), flags | _FILE, mode, dir_fd=self._descriptor)

    def stat(self, name: str) -> os.stat_result | None:
        """What stands there, a link as a link; None for nothing."""
        try:
            return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def writable(self, name: str) -> bool:
        """Whether we may write to what is there."""
        return os.access(self._at(name), os.W_OK, dir_fd=self._descriptor)

    def replace(self, source: str, target: str, *, into: Folder | None = None) -> None:
        """Give a file another's name, in one step; `into` another folder."""
        to = into or self
        os.replace(self._at(source), to._at(target), src_dir_fd=self._descriptor, dst_dir_fd=to._descriptor)

    def link(self, name: str, text: str) -> None:
        """Make a link; where it leads is not looked at."""
        os.symlink(text, self._at(name), dir_fd=self._descriptor)

    def set_mode(self, mode: int) -> None:
        """Give the folder itself these permission bits, where it can be held open."""
        if self._descriptor is not None:
            os.fchmod(self._descriptor, mode)

    def remove(self, name: str) -> None:
        """Remove a file, or nothing."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._at(name), dir_fd=self._descriptor)

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else str(Path(self._path, name))


@contextlib.contextmanager
def folder_of(place: Place, *, make: bool = False) -> Iterator[Folder]:
    """The folder that a place stands in, open. `make`: missing ones are made. Raises `OSError`."""
    above = place.parts[:-1]
    path = str(Path(place.root, *above))
    if not _HELD:
        if make:
            Path(path).mkdir(parents=True, exist_ok=True)
        yield Folder(path, None)
        return
    descriptor = os.open(place.root, _FOLDER)
    try:
        for part in above:
            deeper = _enter(descriptor, part, make=make)
            os.close(descriptor)
            descriptor = deeper
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _enter(descriptor: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=descriptor)
    return os.open(name, _FOLDER, dir_fd=descriptor)


def is_file(status: os.stat_result) -> bool:
    """A regular file: no folder, link, pipe or device."""
    return stat.S_ISREG(status.st_mode)
