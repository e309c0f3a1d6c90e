"""Paths as a write would really take them, and globs that are matched on them."""

# What agents send is text, and stays it.
# ruff: noqa: PTH112, PTH117, PTH118, PTH119

from __future__ import annotations

import functools
import os
import re
import unicodedata
from dataclasses import dataclass

_EXPANDED = re.compile(r"""~|\$|%\w+%|["']|[A-Za-z][\w+.-]*:""")
"""The begin of a path that a tool may read as something else: a home, a variable, quotes, a scheme."""
_GLOBS = frozenset("*?[]{}")


@dataclass(frozen=True)
class Place:
    """A path an agent named: as it says (`said`) and with all links resolved (`real`), both absolute.

    `inside`: relative to the session's folder, or None when it is outside. `readable` is False for what is no plain
    path: empty, with spaces around it or control characters, with `~`, a variable or a scheme, or of `/proc`.
    """

    said: str
    real: str
    inside: str | None
    said_inside: str | None
    readable: bool = True


def place(path: str, cwd: str) -> Place:
    """Where a path leads, from the folder `cwd`."""
    odd = (
        path != path.strip()  # a tool may strip it
        or not path
        or _EXPANDED.match(path) is not None
        or "\\" in path
        or (".." in path and not _GLOBS.isdisjoint(path))
        or any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in path)
    )
    if "\0" in path:
        path = path.replace("\0", "\ufffd")
    home = os.path.realpath(cwd)
    said = os.path.normpath(os.path.join(cwd, path))
    try:
        real = os.path.realpath(os.path.join(home, path))
    except (OSError, ValueError):
        return Place(said, said, None, None, False)
    # What stands there is another thing for another process.
    odd = odd or any(each.startswith(("/proc/", "/dev/fd/", "/dev/std")) for each in (said, real))
    return Place(said, real, _within(real, home), _within(said, os.path.normpath(cwd)), not odd)


def _within(path: str, folder: str) -> str | None:
    if path == folder:
        return "."
    start = folder.rstrip(os.sep) + os.sep
    return path[len(start) :].replace(os.sep, "/") if path.startswith(start) else None


@functools.lru_cache(maxsize=512)
def _pattern(glob: str, fold: bool) -> re.Pattern[str]:
    """`*` and `?` stay within a folder, `**` does not; anything else is itself."""
    text = ""
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob):
        text += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    return re.compile(text, re.DOTALL | (re.IGNORECASE if fold else 0))


def matches(glob: str, text: str, *, fold: bool = False) -> bool:
    """True when the whole text is of the glob; `fold`: capitals and composed letters do not matter.

    >>> matches("src/**", "src/a/b.py"), matches("src/*", "src/a/b.py")
    (True, False)
    """
    if fold:
        glob, text = unicodedata.normalize("NFKC", glob).casefold(), unicodedata.normalize("NFKC", text).casefold()
    return _pattern(glob, fold).fullmatch(text) is not None


def allows(glob: str, where: Place) -> bool:
    """True when what is written lies within the glob, links resolved; a relative one means the session's folder."""
    if not where.readable:
        return False
    if os.path.isabs(glob):
        return matches(glob, where.real)
    return where.inside is not None and matches(glob.removeprefix("./"), where.inside)


def rejects(glob: str, where: Place) -> bool:
    """The same for a rule that rejects: it looks at what was said too, and a bare name counts in every folder."""
    glob = glob.removeprefix("./").rstrip("/") or glob
    if re.search(r"[*?]", glob.rsplit("/", 1)[-1]):
        return _rejects(glob, where)
    return _rejects(glob, where) or _rejects(f"{glob}/**", where, bare=f"**/{glob}/**" if "/" not in glob else "")


def _rejects(glob: str, where: Place, bare: str = "") -> bool:
    """`bare`: a glob for the name of a folder, which counts in every folder."""
    # `[ab]` may be a class of letters, or brackets in a name.
    loose = re.sub(r"\[[^\]/]+\]", "?", glob)
    return _matches_place(glob, where, bare) or (loose != glob and _matches_place(loose, where, ""))


def _matches_place(glob: str, where: Place, bare: str) -> bool:
    if os.path.isabs(glob):
        return any(matches(glob, path, fold=True) for path in (where.real, where.said))
    if bare and any(matches(bare, path.lstrip("/"), fold=True) for path in (where.real, where.said)):
        return True
    if "/" not in glob and any(matches(glob, os.path.basename(path), fold=True) for path in (where.real, where.said)):
        return True
    return any(path is not None and matches(glob, path, fold=True) for path in (where.inside, where.said_inside))


def may_hold(glob: str, where: Place) -> bool:
    """Whether a path is a folder in which something of the glob may be."""
    if not os.path.isdir(where.real):
        return False
    glob = glob.removeprefix("./")
    fixed = re.split(r"[^/]*[*?]", glob)[0].rstrip("/").casefold()
    folder = where.real if os.path.isabs(glob) else where.inside
    if "/" not in glob or folder is None or folder == "." or not fixed:
        return True
    folder = folder.casefold().rstrip("/")
    return f"{fixed}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{fixed}/")


def is_in(glob: str, where: Place) -> bool:
    """Whether a path is the folder of which a glob tells, or in it; also one that is not there yet."""
    fixed = re.split(r"[^/]*[*?]", glob.removeprefix("./"))[0].rstrip("/").casefold()
    if not fixed or not re.search(r"[*?]", glob):
        return False
    folders = (where.real, where.said) if os.path.isabs(glob) else (where.inside, where.said_inside)
    return any(folder is not None and f"{folder.casefold()}/".startswith(f"{fixed}/") for folder in folders)


_ANY = "\ue000"  # stands for what a glob leaves open; twice, as it is no single letter


def cases(glob: str) -> list[str]:
    """Texts that stand for all that a glob matches."""
    texts = []
    for deep in (True, False):
        anything = f"{_ANY * 2}/{_ANY * 2}" if deep else _ANY * 2
        of = {"**/": f"{anything}/" if deep else "", "**": anything, "*": _ANY * 2, "?": _ANY}
        texts.append("".join(of.get(piece, piece) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", glob)))
    return texts


def within(glob: str, other: str) -> bool:
    """True when all that a glob matches is matched by the other one, too.

    >>> within("src/*.py", "src/**"), within("src/**.py", "src/*")
    (True, False)
    """
    return all(matches(other, text) for text in cases(glob))
