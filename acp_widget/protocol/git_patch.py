"""A git patch from the old and the new text of a file, for agents that send the texts (ACP v1, Tool Calls, Diffs)."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

_LINES, _PAIRS = 10_000_000, 1_000_000
"""Lines before times lines after, and equal pairs among them, up to which small changes are looked for (under 1 s)."""
_AROUND: Final = 3  # unchanged lines around a change

# Behind a last line without a line feed. `js/src/lib/line_ends.ts` has the second one too.
END_OF_FILE: Final = "\\ No newline at end of file"
END_OF_TEXT: Final = "\\ No newline at end of text"

_Op = tuple[str, int, int, int, int]


def git_patch(path: str, old: str | None, new: str, *, whole: bool = True) -> str:
    r"""One ``diff --git`` section, paths as given, without ``a/`` and ``b/``; "" when the texts are equal.

    `old` None: the file is new. `whole` False: the texts may be parts of a file, so that their end is not called the
    file's; git reads that mark as it does its own. Lines end at ``\n`` only. The cost is bounded: of huge texts whose
    ends are equal, all that lies between is one replacement.

    >>> print(git_patch("/p/a", "one\ntwo\n", "one\n2\n"), end="")
    diff --git /p/a /p/a
    --- /p/a
    +++ /p/a
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    """
    if old == new:
        return ""
    name = _quoted(path)
    # Git ends a name that holds a blank with a tab, so that readers know where it ends.
    label = f"{name}\t" if " " in name and not name.startswith('"') else name
    head = [f"diff --git {name} {name}"]
    if old is None:
        head.append("new file mode 100644")
        if not new:
            return f"{head[0]}\n{head[1]}\n"
    head += ["--- /dev/null" if old is None else f"--- {label}", f"+++ {label}"]
    before, after = _lines(old or ""), _lines(new)
    end = END_OF_FILE if whole or old is None else END_OF_TEXT
    return "\n".join([*head, *_hunks(before, after, end)]) + "\n"


def _hunks(before: list[str], after: list[str], end: str) -> Iterator[str]:
    for group in _groups(_opcodes(before, after)):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from _marked(" ", before[i1:i2], end)
                continue
            yield from _marked("-", before[i1:i2], end)
            yield from _marked("+", after[j1:j2], end)


def _opcodes(before: list[str], after: list[str]) -> list[_Op]:
    """What became of which lines: equal ends are set aside first, so that a small change in a large file is cheap."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    middle_before, middle_after = before[start : len(before) - end], after[start : len(after) - end]
    if _is_cheap(middle_before, middle_after):
        matcher = difflib.SequenceMatcher(None, middle_before, middle_after, autojunk=False)
        inner: list[_Op] = [
            (tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    else:
        inner = [("replace", start, len(before) - end, start, len(after) - end)]
    head: list[_Op] = [("equal", 0, start, 0, start)] if start else []
    tail: list[_Op] = [("equal", len(before) - end, len(before), len(after) - end, len(after))] if end else []
    return [*head, *inner, *tail]


def _is_cheap(before: list[str], after: list[str]) -> bool:
    if len(before) * len(after) > _LINES:
        return False
    there = Counter(before)
    return sum(count * there[line] for line, count in Counter(after).items()) <= _PAIRS


def _common(one: list[str], other: list[str]) -> int:
    """How many lines are equal from the start."""
    pairs = enumerate(zip(one, other))  # noqa: B905 (the shorter one ends it)
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _groups(ops: list[_Op]) -> Iterator[list[_Op]]:
    """Changes with the equal lines around them; far ones apart."""
    group: list[_Op] = []
    for tag, i1, i2, j1, j2 in ops:
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        if group:
            if i2 - i1 <= 2 * _AROUND:
                group.append((tag, i1, i2, j1, j2))
                continue
            group.append((tag, i1, i1 + _AROUND, j1, j1 + _AROUND))
            yield group
        group = [(tag, max(i1, i2 - _AROUND), i2, max(j1, j2 - _AROUND), j2)]
    if any(op[0] != "equal" for op in group):
        tag, i1, i2, j1, j2 = group[-1]
        if tag == "equal":
            group[-1] = (tag, i1, min(i2, i1 + _AROUND), j1, min(j2, j1 + _AROUND))
        yield group


def _range(start: int, end: int) -> str:
    """A hunk's place as git writes it: lines count from 1, and an empty one stands after a line."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _marked(mark: str, lines: list[str], end: str) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield end


def _lines(text: str) -> list[str]:
    # Not splitlines: a form feed or U+2028 does not end a line for git.
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_SPECIAL: Final = re.compile(r'[\x00-\x1f\x7f"\\]')


def _quoted(path: str) -> str:
    """Git's quoting of a path, where it needs one."""
    if not _SPECIAL.search(path):
        return path
    return '"' + _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or f"\\{ord(found[0]):03o}", path) + '"'
