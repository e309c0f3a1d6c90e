"""The files that a patch in a text would change: unified and context diffs, git's, and `*** Update File:`.

Pure. Where a name cannot be read for certain, it says so.
"""

from __future__ import annotations

import re

_HEADER = re.compile(r"(?:\+\+\+|---|rename (?:from|to)|copy (?:from|to)|Index:) (?:[ab]/)?(.+?)(?:\t.*)?")
_FILE = re.compile(r"[ \t]*\*\*\* *[A-Za-z]+(?: [A-Za-z]+)*:[ \t]*(.+?)[ \t]*")
_CONTEXT = re.compile(r"\*\*\* (?!.*\*\*\*\*$)(?:[ab]/)?(.+?)(?:\t.*)?")
_GIT = "diff --git "
_SAME = re.compile(r"(?:a/(?P<name>.+) b/(?P=name)|(?P<plain>.+) (?P=plain))")
_MARKS = re.compile(
    r"^(?:[ \t]*\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File:|Move to:)|diff --git |Index: \S"
    r"|--- .+\n\+\+\+ .|\*\*\* .+\n--- .|(?:rename|copy) from .+\n(?:rename|copy) to .)",
    re.MULTILINE,
)


def is_patch(text: str, *, whole: bool = False) -> bool:
    """Whether a text holds a patch; `whole`: whether it begins with one.

    >>> is_patch("*** Update File: a.py"), is_patch("Two lines\\n--- a/x\\n+++ b/x"), is_patch("no *** patch")
    (True, True, False)
    """
    text = text.replace("\r\n", "\n")
    return (_MARKS.match(text.lstrip()) if whole else _MARKS.search(text)) is not None


def files_of(text: str) -> tuple[list[str], bool]:
    """The paths in the headers of a patch, without `a/` and `b/`; and whether those are all, for certain.

    >>> files_of("--- a/src/x.py\\n+++ b/src/x.py\\n@@ -1 +1 @@\\n-a\\n+b")
    (['src/x.py'], True)
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found: dict[str, None] = {}
    pairs = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(_GIT):
            pairs.append(line.removeprefix(_GIT))
        named = _HEADER.fullmatch(line) or _FILE.fullmatch(line)
        named = named or (_CONTEXT.fullmatch(line) if following.startswith("--- ") else None)
        if named is not None and named[1] != "/dev/null":
            found[named[1]] = None
    certain = True
    for pair in pairs:  # a change of the mode alone, or of bytes, has no other line with the name
        if same := _SAME.fullmatch(pair):
            found[same["name"] or same["plain"]] = None
        elif not any(pair in (f"a/{old} b/{new}", f"{old} {new}") for old in found for new in found):
            certain = False
    # Names in quotes have escapes in them.
    return list(found), certain and bool(found) and not any(name.startswith('"') for name in found)
