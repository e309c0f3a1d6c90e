"""Files below the agent's folders, for a list to choose from: a bounded look that follows no link out of them."""

from __future__ import annotations

import os
import time
import unicodedata
from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import RequestError
from ..host.roots import Roots

ENTRIES: Final = 5000
SECONDS: Final = 0.3
SKIPPED: Final = frozenset({"node_modules", "__pycache__", "site-packages"})
_UNTYPED: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})  # kinds of characters that no mention can hold
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # they show a name as another


class Found(NamedTuple):
    """A file, or a folder, whose `text` ends in `/`: as it is mentioned, and where it is."""

    text: str
    path: str


def below(roots: Roots, typed: str, *, entries: int = ENTRIES, seconds: float = SECONDS) -> tuple[list[Found], bool]:
    """What may fit what was typed, nearest first; and whether everything was looked at.

    In the first folder names are relative, in the others absolute. A folder that was typed is where the look begins.
    Hidden names and those of `SKIPPED` are left out unless their beginning was typed.
    """
    folder, slash, last = typed.rpartition("/")
    try:
        begun = _begin(roots, folder + slash)
    except RequestError:
        return [], True  # it leads out of them
    waiting = deque(begun or [(root, "" if number == 0 else f"{root}/") for number, root in enumerate(roots.folders)])
    first = {prefix for _, prefix in waiting}
    asked = last if begun or not slash else ""
    found: list[Found] = []
    until, left = time.monotonic() + seconds, entries
    while waiting:
        path, prefix = waiting.popleft()
        try:
            with os.scandir(path) as inside:
                for entry in inside:
                    left -= 1
                    if left < 0 or time.monotonic() > until:
                        return found, False
                    plain = not (entry.name.startswith(".") or entry.name in SKIPPED)
                    shown = plain or (asked != "" and prefix in first and entry.name.startswith(asked))
                    kind = _kind(entry, roots) if shown and typable(entry.name) else None
                    if kind == "file":
                        found.append(Found(prefix + entry.name, entry.path))
                    elif kind == "folder":
                        found.append(Found(f"{prefix}{entry.name}/", entry.path))
                        if plain and not entry.is_symlink():
                            waiting.append((entry.path, found[-1].text))
        except OSError:
            continue  # gone meanwhile, or not ours to read
    return found, True


def typable(name: str) -> bool:
    """Whether a mention can hold the name, and shows it as what it is."""
    if name.isascii():
        return name.isprintable() and '"' not in name
    return not any(each == '"' or each in _TURNING or unicodedata.category(each) in _UNTYPED for each in name)


def _begin(roots: Roots, folder: str) -> list[tuple[str, str]]:
    """The folder that was typed, as one to look in; none when there is no such folder."""
    if not folder:
        return []
    place = roots.find(folder, "folder")
    return [(place.path, folder)] if Path(place.path).is_dir() else []


def _kind(entry: os.DirEntry[str], roots: Roots) -> str | None:
    """`"file"` or `"folder"`; None for all else, and for a link that leads out or to nothing."""
    try:
        if entry.is_symlink():
            roots.find(entry.path)
        return "folder" if entry.is_dir() else "file" if entry.is_file() else None
    except (OSError, RequestError):
        return None
