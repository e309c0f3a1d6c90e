"""The small parts of what an agent did: messages, diffs and their changes, plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import shown
from .code_blocks import CodeBlock, fenced
from .entities import Entities, Entity, Result, quoted, text_of, word
from .export.entries import Entry, Literal, Said
from .export.patches import marked_lines, to_apply
from .frozen import own_copy


class Message(Entity):
    """A message or a thought (ACP v2, Prompt Turn): `role` is `"user"`, `"agent"` or `"thought"`."""

    _group = "messages"
    _columns = (
        *(("id", "text"), ("turn", "count"), ("role", "text"), ("text", "text"), ("code_blocks", "count")),
        *(("first", "time"), ("ended", "time")),
    )

    @property
    def role(self) -> str:
        return str(self._data.get("role", ""))

    @property
    def content(self) -> list[Mapping[str, Any]]:
        """Its content blocks, verbatim. A copy at each access."""
        return list(self.raw.get("content", ()))

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return text_of(self._data.get("content", ()))

    @property
    def code_blocks(self) -> Entities[CodeBlock]:
        """The fenced code blocks in its text, in order."""
        return Entities([CodeBlock(language, code, self) for language, code in fenced(self.text)], CodeBlock)

    def _row(self) -> Mapping[str, Any]:
        return {
            **{"id": self.id, "turn": self.turn_number, "role": self.role, "text": self.text},
            **{"code_blocks": len(self.code_blocks), "first": self._time("first"), "ended": self._time("end")},
        }

    def _drawn(self) -> Sequence[Entry]:
        drawn = super()._drawn()
        # In a transcript a thought is folded away; who shows it alone wants to read it.
        return [
            Literal("Thought", each.text) if isinstance(each, Said) and each.role == "thought" else each
            for each in drawn
        ]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Message {self.role}: {quoted(self.text)}>"


@dataclass(frozen=True)
class Change(Result):
    """One file operation of a diff: `operation` is `add delete modify move copy`, or what the agent sent.

    `path` is the path afterwards, `old_path` the one before a move or copy. Paths are as the agent sent them.
    """

    operation: str
    path: str | None
    old_path: str | None = None
    file_type: str | None = None
    mime_type: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    _columns = tuple((name, "text") for name in ("operation", "path", "old_path", "file_type", "mime_type"))

    def to_dict(self) -> dict[str, Any]:
        told = {
            **{"operation": self.operation, "path": self.path, "oldPath": self.old_path},
            **{"fileType": self.file_type, "mimeType": self.mime_type},
        }
        return {**own_copy(self.raw), **{name: value for name, value in told.items() if value is not None}}

    def _drawn(self) -> Sequence[Entry]:
        return shown.change(self.to_dict())


class Diff(Result):
    """A diff item of a tool call (ACP v2, Tool Calls, Diffs). `changes` is authoritative; `patch` is text or None."""

    _columns = (
        *(("paths", "list"), ("operations", "list"), ("added", "count"), ("removed", "count")),
        *(("patch_format", "text"), ("patch", "text")),
    )

    def __init__(self, item: Mapping[str, Any], cwd: str | None = None) -> None:
        self._item = item
        self._cwd = cwd

    @property
    def raw(self) -> dict[str, Any]:
        """The item as the agent sent it. A copy at each access."""
        copy: dict[str, Any] = own_copy(self._item)
        return copy

    def to_dict(self) -> dict[str, Any]:
        return self.raw

    @property
    def changes(self) -> list[Change]:
        return [
            Change(
                operation=change["operation"],
                path=change.get("path"),
                old_path=change.get("oldPath"),
                file_type=change.get("fileType"),
                mime_type=change.get("mimeType"),
                raw=own_copy(change),
            )
            for change in self._item["changes"]
        ]

    @property
    def paths(self) -> list[str]:
        """The paths it changes, in order."""
        return [change.path for change in self.changes if change.path is not None]

    @property
    def patch(self) -> str | None:
        """The patch text, in the format `patch_format` names; None when the agent sent none.

        One of git's format names files in the session's folder as git does, `a/src/x.py`, so that `git apply` takes it
        there; ACP has full paths. `raw["patch"]["text"]` is what the agent sent.
        """
        patch = self._item.get("patch")
        if patch is None:
            return None
        text = str(patch["text"])
        return to_apply(text, self._cwd) if self._cwd and self.patch_format == "git_patch" else text

    @property
    def patch_format(self) -> str | None:
        patch = self._item.get("patch")
        return None if patch is None else str(patch["format"])

    @property
    def operations(self) -> list[str]:
        """What it does to each of its files, in order."""
        return [change.operation for change in self.changes]

    @property
    def added(self) -> int | None:
        """How many lines the patch adds; None without a patch of git's format."""
        return self._counted("+")

    @property
    def removed(self) -> int | None:
        """How many lines the patch removes; None without a patch of git's format."""
        return self._counted("-")

    def _counted(self, sign: str) -> int | None:
        if self.patch is None or self.patch_format != "git_patch":
            return None
        return sum(mark == sign for mark, _ in marked_lines(self.patch))

    def _drawn(self) -> Sequence[Entry]:
        return shown.diff(self._item, self._cwd)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diff) and other._item == self._item

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.patch or "\n".join(f"{change.operation} {change.path}" for change in self.changes)

    def __repr__(self) -> str:
        changes = self.changes
        what = ", ".join(f"{word(change.operation)} {word(str(change.path))}" for change in changes[:3])
        more = f" and {len(changes) - 3:,} more" if len(changes) > 3 else ""
        return f"<Diff {what or 'no changes'}{more}{'' if self.patch else ', no patch'}>"


@dataclass(frozen=True)
class PlanEntry(Result):
    """One step of a plan: `status` is `pending in_progress completed cancelled`, `priority` `high medium low`."""

    content: str
    status: str
    priority: str

    _columns = (("content", "text"), ("status", "text"), ("priority", "text"))

    def to_dict(self) -> dict[str, Any]:
        return {"content": self.content, "status": self.status, "priority": self.priority}

    def _drawn(self) -> Sequence[Entry]:
        words = [self.status, f"{self.priority} priority" if self.priority else ""]
        return [Literal(f"Step: {', '.join(word(each) for each in words if each)}", self.content)]


class Plan(Entity):
    """A plan of the agent (ACP v2, Agent Plan)."""

    _group = "plans"
    _columns = (("id", "text"), ("turn", "count"), ("type", "text"), ("steps", "count"), ("completed", "count"))

    @property
    def type(self) -> str:
        return str(self._data.get("plan", {}).get("type", ""))

    def _row(self) -> Mapping[str, Any]:
        done = sum(entry.status == "completed" for entry in self.entries)
        of_plan = {"steps": len(self.entries), "completed": done}
        return {"id": self.id, "turn": self.turn_number, "type": self.type, **of_plan}

    @property
    def entries(self) -> list[PlanEntry]:
        """Its steps; empty for a plan that is no list."""
        entries = self._data.get("plan", {}).get("entries", ())
        return [
            PlanEntry(str(entry["content"]), str(entry.get("status", "")), str(entry.get("priority", "")))
            for entry in entries
        ]

    def __repr__(self) -> str:
        done = sum(entry.status == "completed" for entry in self.entries)
        return f"<Plan {quoted(self.id)}: {done} of {len(self.entries)} done>"
