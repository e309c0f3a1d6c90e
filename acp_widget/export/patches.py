"""The lines of a patch, what each of them is, and paths as they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

_ONE_PATH = re.compile(r"(--- |\+\+\+ |(?:rename|copy) (?:from|to) )(.+)")
_TWO_PATHS = re.compile(
    r'diff --git (?:(?P<one>[^" ]+|"(?:[^"\\]|\\.)*") (?P<two>[^" ]+|"(?:[^"\\]|\\.)*")|(?P<same>.+) (?P=same))'
)
_SIDES: Final = MappingProxyType({"--- ": ("a/",), "+++ ": ("b/",), "diff": ("a/", "b/")})
"""What git writes before a path; paths of moves stand alone."""
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def marked_lines(patch: str) -> Iterator[tuple[str, str]]:
    """Each line with `+`, `-`, `@` (a hunk begins) or nothing. Hunk lines are counted: a removed line `-- x` looks
    like a header.

    >>> list(marked_lines("--- a\\n@@ -1 +1 @@\\n--- x\\n+y"))
    [('', '--- a'), ('@', '@@ -1 +1 @@'), ('-', '--- x'), ('+', '+y')]
    """
    old = new = 0
    for line in patch.split("\n"):
        mark = ""
        if old > 0 or new > 0:
            if line.startswith("+"):
                mark, new = "+", new - 1
            elif line.startswith("-"):
                mark, old = "-", old - 1
            elif not line.startswith("\\"):
                old, new = old - 1, new - 1
        elif hunk := _HUNK.match(line):
            old, new = int(hunk[1] or 1), int(hunk[2] or 1)
            mark = "@"
        yield mark, line


def relative(path: str, cwd: str) -> str:
    """The path as it is shown: relative to `cwd` where it stands in it; dots are not resolved.

    >>> relative("/home/me/a.py", "/home/me"), relative("/home/me/../you", "/home/me")
    ('a.py', '/home/me/../you')
    """
    full = path.replace("\\", "/")
    inside = cwd and full.startswith(cwd + "/") and ".." not in full.split("/")
    return path[len(cwd) + 1 :] or path if inside else path


def relative_patch(patch: str, cwd: str) -> str:
    """A git patch whose headers name files in `cwd` relative to it; what its hunks say stays as it is.

    >>> relative_patch("--- /me/a\\n+++ /me/a\\n@@ -1 +1 @@\\n--- /me/a\\n+x", "/me").split("\\n")
    ['--- a', '+++ a', '@@ -1 +1 @@', '--- /me/a', '+x']
    """
    if not cwd or cwd + "/" not in patch.replace("\\", "/"):
        return patch
    return "\n".join(line if mark else _relative_header(line, cwd) for mark, line in marked_lines(patch))


def to_apply(patch: str, cwd: str) -> str:
    """A git patch that `git apply` takes in `cwd`: files that its headers name in full become `a/…` and `b/…`.

    >>> to_apply("--- /dev/null\\n+++ /me/a\\n@@ -0,0 +1 @@\\n+x", "/me").split("\\n")
    ['--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+x']
    """
    if not cwd or cwd + "/" not in patch.replace("\\", "/"):
        return patch
    return "\n".join(line if mark else _relative_header(line, cwd, _SIDES) for mark, line in marked_lines(patch))


def _relative_header(line: str, cwd: str, sides: Mapping[str, tuple[str, ...]] = MappingProxyType({})) -> str:
    one, two = _ONE_PATH.fullmatch(line), _TWO_PATHS.fullmatch(line)
    if one:
        return one[1] + _relative_name(one[2], cwd, *sides.get(one[1], ()))
    if two:  # which blank parts them is certain
        names = (two["same"], two["same"]) if two["same"] else (two["one"], two["two"])
        prefixes = sides.get("diff", ("", ""))
        told = (_relative_name(name, cwd, side) for name, side in zip(names, prefixes, strict=True))
        return f"diff --git {' '.join(told)}"
    return line


def _relative_name(name: str, cwd: str, side: str = "") -> str:
    quote = name[:1] if name.startswith('"') else ""
    told = relative(name[len(quote) :], cwd)
    return name if quote + told == name else f"{quote}{side}{told}"
