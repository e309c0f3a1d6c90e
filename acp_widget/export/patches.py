"""The lines of a patch, and what each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
