"""Which files a turn touched, as far as the agent told."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .entities import Result, word
from .export import entries
from .export.entries import Entry
from .parts import Change, Diff
from .tool_calls import ToolCall
from .undo.changes import FileChange

_CHANGING = frozenset({"edit", "delete", "move"})
_NOT_DONE = frozenset({"pending", "failed", "cancelled"})


@dataclass(frozen=True, repr=False)
class TouchedFile(Result):
    """A file that tool calls changed: `path` as the agent wrote it, and the `operations` on it in order.

    An operation is one of a diff's (`add modify delete move copy`, or the agent's own word), `move away` for the old
    path of a move, or the kind of a call (`edit delete move`) that names the file as its location without a diff of it.

    >>> from acp_widget import Agent
    >>> with Agent("demo", permissions="allow") as agent:
    ...     turn = agent.run("The test for mean() fails on an empty list. Fix it.")
    >>> [file.operations for file in turn.files]
    [('modify',)]
    """

    path: str
    operations: tuple[str, ...]
    tool_call_ids: tuple[str, ...]

    _columns = (("path", "text"), ("operations", "list"), ("tool_call_ids", "list"))

    @property
    def _name(self) -> str:
        return self.path

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "operations": list(self.operations),
            "toolCallIds": list(self.tool_call_ids),
        }

    def _row(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "operations": list(self.operations),
            "tool_call_ids": list(self.tool_call_ids),
        }

    def _drawn(self) -> Sequence[Entry]:
        return [entries.Diff(((", ".join(self.operations), self.path, ""),), "", False)]

    def __str__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<TouchedFile {word(self.path)}: {', '.join(map(word, self.operations))}>"


def touched(calls: Iterable[ToolCall]) -> list[TouchedFile]:
    """The files of these calls in order of first sight. What did not begin, failed or was cancelled does not count."""
    operations: dict[str, list[str]] = {}
    ids: dict[str, dict[str, None]] = {}
    for call in calls:
        if call.status in _NOT_DONE or any(asked.pending for asked in call.permissions):
            continue
        for path, operation in _told(call):
            operations.setdefault(path, []).append(operation)
            ids.setdefault(path, {})[call.id] = None
    return [TouchedFile(path, tuple(done), tuple(ids[path])) for path, done in operations.items()]


def _told(call: ToolCall) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    for diff in call.diffs:
        for change in diff.changes:
            if change.path is not None:
                told.append((change.path, change.operation))
            if change.operation == "move" and change.old_path is not None:
                told.append((change.old_path, "move away"))
    known = {path for path, _ in told}
    if call.kind in _CHANGING:
        told += [(path, call.kind) for path in dict.fromkeys(path for path, _ in call.locations) if path not in known]
    return told


def meant(given: Iterable[object]) -> Iterator[str | os.PathLike[str]]:
    """The paths of what names files, each or in lists. Raises `TypeError` for what names none."""
    __tracebackhide__ = True
    for each in given:
        if isinstance(each, (str, os.PathLike)):
            yield each
        elif isinstance(each, (TouchedFile, FileChange)):
            yield each.path
        elif isinstance(each, Change):
            yield from filter(None, [each.path or each.old_path])
        elif isinstance(each, Diff):
            yield from meant(each.changes)
        elif isinstance(each, (Sequence, set, frozenset)) and not isinstance(each, (bytes, bytearray, memoryview)):
            yield from meant(each)
        else:
            hint = f" Did you mean dry_run={each}?" if isinstance(each, bool) else ""
            raise TypeError(
                "It takes paths, files, changes or diffs of the turn, or lists of them, "
                f"not {type(each).__name__}.{hint}"
            )
