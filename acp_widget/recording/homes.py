"""Home folders and the user's name in paths, in all the forms in which a path may stand in a message."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

_SEPARATOR: Final = r"(?:\\{0,8}/|\\{1,8}|%2[Ff]|%5[Cc])"
_OVER: Final = r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9_])"  # no other folder whose name begins alike
_WINDOWS: Final = re.compile(
    rf"(?:[A-Za-z]:|/mnt/[a-z]){_SEPARATOR}[Uu]sers{_SEPARATOR}(?!(?:Public|Default|All Users|Shared)\b)"
    r"(?:[^\\/:*?\"'<>|\r\n%${}]{1,64}(?=[\\/]|%5[Cc]|%2[Ff])|[^\\/:*?\"'<>|\s%${},;)]{1,64})"
)
_ANYBODY: Final = frozenset(
    {
        *("root", "user", "users", "admin", "administrator", "jovyan", "ubuntu", "debian", "runner", "vscode", "home"),
        *("node", "app", "dev", "test", "tests", "work", "data", "src", "lib", "bin", "tmp", "var", "code", "project"),
        *("build", "docs", "main", "python", "codespace", "gitpod", "docker", "jupyter", "student", "guest", "nobody"),
    }
)
"""Names that say nothing about anybody, and are ordinary names of folders."""


class Homes:
    """Writes `~` for the home folder, and `[user]` for the user's name where it is a whole part of a path.

    >>> Homes("/home/ada", "ada").hide("file:///home/ada/x.py, %2Fhome%2Fada%2Fy, /data/ada/z, /home/adam")
    'file://~/x.py, ~%2Fy, /data/[user]/z, /home/adam'
    """

    def __init__(self, home: str | None = None, user: str | None = None) -> None:
        homes = {home} if home is not None else set(_own_homes())
        name = user if user is not None else _own_name()
        self._words = {word for each in homes if (word := _last(each))}
        self._home = re.compile("|".join(pattern for each in sorted(homes) if (pattern := _pattern(each))) or r"(?!)")
        named = {name, *(_parts(each)[-1] for each in homes if _parts(each))}
        names = {each for each in named if len(each) > 2 and each.lower() not in _ANYBODY}
        self._words |= names
        listed = "|".join(map(re.escape, sorted(names)))
        self._name = re.compile(rf"({_SEPARATOR})(?:{listed}){_OVER}") if names else None

    def hide(self, text: str) -> str:
        """The text without them."""
        if any(word in text for word in self._words):
            text = self._home.sub("~", text)
            if self._name is not None:
                text = self._name.sub(r"\1[user]", text)
        return _WINDOWS.sub("~", text) if "sers" in text else text


def _own_homes() -> Iterator[str]:
    for home in (os.path.expanduser("~"), os.environ.get("HOME"), os.environ.get("USERPROFILE")):  # noqa: PTH111
        if home and home != "~":
            yield home
            yield os.path.realpath(home)


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _parts(home: str) -> list[str]:
    return [part for part in re.split(r"[\\/]+", home) if part]


def _last(home: str) -> str:
    """What of its last part stands in every form of it."""
    parts = _parts(home)
    return re.sub(r"[^A-Za-z0-9].*", "", parts[-1]) or parts[-1] if parts else ""


def _in_any_form(part: str) -> str:
    encoded = quote(part)
    return re.escape(part) if encoded == part else f"(?:{re.escape(part)}|{re.escape(encoded)})"


def _pattern(home: str) -> str:
    """For one folder; nothing for one that is no home, as `/` is none."""
    parts = _parts(home)
    if not parts or len("".join(parts)) < 3 or Path(home) == Path(home).parent:
        return ""
    path = _SEPARATOR.join(_in_any_form(part) for part in parts)
    if not re.match(r"[A-Za-z]:", home):
        path = _SEPARATOR + path
    dashed = re.escape(re.sub(r"[^A-Za-z0-9]", "-", home))  # as Claude Code names the folders of projects
    if len(parts) == 1:  # `/root` may be the end of any path
        return rf"(?<![A-Za-z0-9_.~-]){path}{_OVER}|(?<![A-Za-z0-9_.-]){dashed}-(?=[A-Za-z0-9])"
    return rf"{path}{_OVER}|{dashed}(?![A-Za-z0-9])"
