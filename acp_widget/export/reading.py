"""Snapshot → entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..session.attachments import attachments, own_words
from ..session.coloured import Run, coloured_lines
from ..session.running import is_running
from ..session.screen import screen_text, size_of
from ..session.words import is_final
from .entries import Call, Decision, Diff, Entry, Line, Literal, Said, Screen
from .patches import relative, relative_patch
from .pictures import Album
from .words import Json, as_bytes, as_json, as_list, as_map, as_title, as_word, clock, cut_end, duration, size

TEXT_LENGTH = 20_000
"""Characters of one message, patch or result that are shown."""
TOOL_LENGTH = 4_000
"""The same of one text of a tool call: often it is a whole file."""
SCREEN_LINES = 200
SCREEN_LENGTH = 40_000
LINE_LENGTH = 1_000
TAIL_BYTES = 400_000
"""Bytes at the end of a terminal's output that are read for its last lines."""
RUNS = 4_000
"""Stretches of one colour in a terminal."""
CHANGES = 200
PARTS = 60
"""Items of one tool call that are shown."""


class Reader:
    """Reads entries out of one snapshot, turn by turn.

    `colours`: terminals with theirs. `pictures`: characters of base64 that all pictures together may have.
    """

    def __init__(self, snapshot: Json, *, colours: bool = False, pictures: int = 0) -> None:
        self._colours, self._album = colours, Album(pictures)
        session = as_map(snapshot.get("session"))
        self._snapshot = snapshot
        self._cwd = as_word(session.get("cwd")).replace("\\", "/").rstrip("/")
        self._turns = as_map(snapshot.get("turns"))
        self._terminals = as_map(snapshot.get("terminals"))
        self._timeline: dict[str | None, list[tuple[str, Json]]] = {}
        self._at_call: dict[str, list[Json]] = {}
        places = dict.fromkeys(key for key in as_list(snapshot.get("timeline")) if isinstance(key, str))
        for key in places:
            entity = as_map(as_map(snapshot.get(_GROUPS.get(key[:2], ""))).get(key))
            if entity:
                self._timeline.setdefault(entity.get("turn"), []).append((key, entity))
        calls = as_map(snapshot.get("toolCalls"))
        for key, permission in as_map(snapshot.get("permissions")).items():
            if key in places:
                continue
            call = as_map(calls.get(f"t:{permission.get('toolCallId')}"))
            if call:
                self._at_call.setdefault(str(call.get("toolCallId")), []).append(permission)
            if call.get("turn") != permission.get("turn"):  # about an earlier turn's call: it belongs here too
                self._timeline.setdefault(permission.get("turn"), []).append((key, permission))

    def turn_keys(self) -> list[str]:
        """The keys of the turns, oldest first."""
        return list(self._turns)

    def entries(self, turn_key: str | None) -> list[Entry]:
        """All entries of one turn in the order a reader saw them; of None: what came before the first turn."""
        turn = as_map(self._turns.get(turn_key)) if turn_key is not None else {}
        entries: list[Entry] = []
        if turn.get("prompt") is not None:
            entries += self._said("user", own_words(turn)) or [Said("user", "")]
            entries += [
                Line(
                    f"Attached: {as_title(each.name)}",
                    as_title(", ".join(filter(None, [each.kind, size(each.size), each.note]))),
                )
                for each in attachments(turn)
            ]
        for key, entity in self._timeline.get(turn_key, []):
            if key != turn.get("echo"):
                entries.extend(_DRAW[key[:2]](self, entity))
        entries.extend(_end(turn))
        return entries

    def of(self, group: str, key: str) -> list[Entry]:
        """What one entity shows, wherever it stands."""
        entity = as_map(as_map(self._snapshot.get(group)).get(key))
        if group == "terminals":
            return [self._screen(entity)]
        if group == "toolCalls":
            asked = as_map(self._snapshot.get("permissions")).values()
            self._at_call[str(entity.get("toolCallId"))] = [
                each for each in asked if each.get("toolCallId") == entity.get("toolCallId")
            ]
        return list(_DRAW[key[:2]](self, entity))

    def item(self, item: Json) -> Entry:
        """What one content item of a tool call shows."""
        draw = _ITEMS.get(str(item.get("type")))
        return draw(self, item) if draw else Literal(f"Unknown item {as_title(item.get('type'))}", as_json(item))

    def _message(self, message: Json) -> Iterator[Entry]:
        seconds = _seconds(message.get("at"), "first")
        yield from self._said(str(message.get("role")), as_list(message.get("content")), seconds)

    def _said(self, role: str, blocks: Sequence[Any], seconds: float | None = None) -> list[Entry]:
        """The texts of the blocks, and their pictures where they stand."""
        entries: list[Entry] = []
        run: list[Any] = []
        for block in [*blocks, None]:
            drawn = self._album.picture(as_map(block))
            if drawn is None and block is not None:
                run.append(block)
                continue
            if text := _blocks_text(run):
                entries.append(Said(role, text, seconds))
            entries += [drawn] if drawn is not None else []
            run = []
        return entries

    def _call(self, call: Json) -> Iterator[Entry]:
        key = f"t:{call.get('toolCallId')}"
        parts: list[Entry] = []
        for item in as_list(call.get("content")):
            parts.append(self.item(as_map(item)))
        parts += [self._decision(permission) for permission in self._at_call.get(str(call.get("toolCallId")), [])]
        if len(parts) > PARTS:
            missing = Line(f"{len(parts) - PARTS} items are not shown")
            parts[PARTS // 2 : -PARTS // 2] = [missing]
        status = str(call.get("status"))
        seconds = _seconds(call.get("at"), "start")
        left_over = not is_final(status) and status != "pending" and not is_running(self._snapshot, key)
        state = "not finished" if left_over else _STATUS_WORDS.get(status, status)
        yield Call(
            title=as_title(call.get("title") or call.get("name") or f"{call.get('kind', 'other')} call"),
            state=f"{state}, {duration(seconds)}" if seconds is not None else state,
            places=tuple(self._place(as_map(place)) for place in as_list(call.get("locations"))[:CHANGES]),
            parts=tuple(parts),
            bad=status == "failed",
        )

    def _place(self, place: Json) -> str:
        path = self._relative(place.get("path"))
        line = place.get("line")
        return f"{path}:{line}" if line else path

    def _item_content(self, item: Json) -> Entry:
        drawn = self._album.picture(as_map(item.get("content")))
        return drawn or Said("tool", cut_end(_blocks_text([item.get("content")]), TOOL_LENGTH))

    def _item_diff(self, item: Json) -> Entry:
        changes = [self._change(as_map(change)) for change in as_list(item.get("changes"))]
        if len(changes) > CHANGES:
            changes[CHANGES:] = [("…", f"{len(changes) - CHANGES} more changes", "")]
        patch = as_map(item.get("patch"))
        text = patch.get("text")
        is_git = patch.get("format") == "git_patch"
        shown = cut_end(str(text), TEXT_LENGTH) if text is not None else None
        return Diff(tuple(changes), relative_patch(shown, self._cwd) if shown and is_git else shown, is_git)

    def _change(self, change: Json) -> tuple[str, str, str]:
        path = self._relative(change.get("path"))
        if change.get("oldPath") is not None:
            path = f"{self._relative(change['oldPath'])} → {path}"
        note = " · ".join(str(value) for name in ("fileType", "mimeType") if (value := change.get(name)))
        return as_title(change.get("operation")), path, note

    def _item_terminal(self, item: Json) -> Entry:
        return self._screen(as_map(self._terminals.get(f"x:{item.get('terminalId')}")))

    def _screen(self, terminal: Json) -> Screen:
        output = as_map(terminal.get("output"))
        data = as_bytes(output.get("data"))
        lines = screen_text(data[-TAIL_BYTES:], *size_of(terminal)).split("\n")
        shown = [line if len(line) <= LINE_LENGTH else line[:LINE_LENGTH] + "…" for line in lines[-SCREEN_LINES:]]
        while len(shown) > 1 and sum(map(len, shown)) > SCREEN_LENGTH:
            del shown[: len(shown) // 4 + 1]
        missing = []
        if output.get("cut"):
            missing.append(f"{size(int(output['cut']))} at the beginning were not kept")
        if len(lines) > len(shown) or len(data) > TAIL_BYTES:
            missing.append(f"only the last {len(shown)} lines are shown")
        return Screen(
            command=cut_end(as_word(terminal.get("command")), TEXT_LENGTH),
            cwd=as_word(terminal.get("cwd")),
            state=_exit(terminal.get("exitStatus")) if terminal else "no output",
            text="\n".join(shown),
            left_out="; ".join(missing),
            lines=_coloured(data, terminal, len(shown)) if self._colours and b"\x1b[" in data else (),
        )

    def _decision(self, permission: Json) -> Entry:
        subject = as_map(permission.get("subject"))
        option_id = permission.get("optionId")
        chosen = [
            as_map(option)
            for option in as_list(permission.get("options"))
            if as_map(option).get("optionId") == option_id
        ]
        kinds = {str(option.get("kind")) for option in chosen}
        # Two options of one id: nobody can say which of them was meant.
        kind = kinds.pop() if len(kinds) == 1 else ""
        status = permission.get("status")
        by = _BY_WORDS.get(str(permission.get("by")), "")
        end = as_map(permission.get("at")).get("end")
        if status == "selected":
            words = [_DECISION_WORDS.get(kind, "Answered"), by]
        elif status == "pending":
            words = ["Not answered when this was written"]
        else:
            words = ["Answered “cancelled”", by]
        if status != "pending" and isinstance(end, (int, float)):
            words.append(f"at {clock(end)}")
        return Decision(
            title=as_title(permission.get("title")),
            subject=cut_end(_subject(subject), TEXT_LENGTH) if subject else "",
            outcome=" ".join(word for word in words if word),
            option=" / ".join(dict.fromkeys(as_title(option.get("name")) for option in chosen))
            if status == "selected"
            else "",
            why=cut_end(as_word(permission.get("why")), TEXT_LENGTH),
        )

    def _plan(self, entity: Json) -> Iterator[Entry]:
        plan = as_map(entity.get("plan"))
        if plan.get("type") == "items":
            steps = [as_map(step) for step in as_list(plan.get("entries"))]
            marks = {"completed": "✓", "in_progress": "▸", "cancelled": "✗"}
            lines = [f"{marks.get(str(step.get('status')), '○')} {as_word(step.get('content'))}" for step in steps]
            done = sum(step.get("status") == "completed" for step in steps)
            yield Literal(f"Plan, {done} of {len(steps)} done", cut_end("\n".join(lines), TEXT_LENGTH))
        elif isinstance(plan.get("content"), str):
            yield Literal("Plan", cut_end(plan["content"], TEXT_LENGTH))
        else:
            yield Literal("Plan", as_json(plan))

    def _notice(self, notice: Json) -> Iterator[Entry]:
        words = [as_title(notice.get("title")), cut_end(as_word(notice.get("description")), TEXT_LENGTH)]
        severity = as_title(notice.get("severity") or "info")
        yield Line(severity.capitalize(), ": ".join(word for word in words if word), bad=severity == "error")

    def _compaction(self, compaction: Json) -> Iterator[Entry]:
        status = str(compaction.get("status"))
        words = [as_title(status), _blocks_text(compaction.get("summary")), as_word(compaction.get("error"))]
        yield Line("Context made shorter", ": ".join(word for word in words if word), bad=status == "failed")

    def _permission(self, permission: Json) -> Iterator[Entry]:
        yield self._decision(permission)

    def _unknown(self, unknown: Json) -> Iterator[Entry]:
        raw = unknown.get("raw")
        yield Literal(f"Unknown update {as_title(as_map(raw).get('sessionUpdate'))}", as_json(raw))

    def _relative(self, path: Any) -> str:
        return relative(as_title(path), self._cwd)


_GROUPS = {
    "u:": "messages",
    "a:": "messages",
    "h:": "messages",
    "t:": "toolCalls",
    "p:": "permissions",
    "l:": "plans",
    "n:": "notices",
    "c:": "compactions",
    "k:": "unknownUpdates",
}
_DRAW: dict[str, Callable[[Reader, Json], Iterator[Entry]]] = {
    "u:": Reader._message,
    "a:": Reader._message,
    "h:": Reader._message,
    "t:": Reader._call,
    "p:": Reader._permission,
    "l:": Reader._plan,
    "n:": Reader._notice,
    "c:": Reader._compaction,
    "k:": Reader._unknown,
}
_ITEMS = {"content": Reader._item_content, "diff": Reader._item_diff, "terminal": Reader._item_terminal}
_STATUS_WORDS = {"pending": "not started", "in_progress": "running", "completed": "done"}
_DECISION_WORDS = {
    "allow_once": "Allowed once",
    "allow_always": "Always allowed",
    "reject_once": "Rejected",
    "reject_always": "Always rejected",
}
_BY_WORDS = {
    "you": "by you",
    "python": "from Python",
    "policy": "by the policy",
    "nobody": "because nobody was watching",
    "agent": "because the agent withdrew it",
    "stop": "because the turn was stopped",
    "end": "because the agent ended",
}
_STOP_WORDS = {
    "": "Done",
    "end_turn": "Done",
    "cancelled": "Stopped",
    "refusal": "The agent refused",
    "max_tokens": "Ended: the limit of tokens was reached",
    "max_turn_requests": "Ended: the limit of requests was reached",
}


def _end(turn: Json) -> Iterator[Entry]:
    """How a turn ended, in one line."""
    if not turn:
        return
    status, error, reason = turn.get("status"), as_map(turn.get("error")), as_title(turn.get("stopReason"))
    at = as_map(turn.get("at"))
    seconds = _seconds(at, "sent")
    after = f" after {duration(seconds)}" if seconds is not None else ""
    if status == "failed":
        yield Line(f"Failed{after}", cut_end(as_word(error.get("message")), TEXT_LENGTH), bad=True)
    elif status == "not_sent":
        yield Line("Not sent", cut_end(as_word(error.get("message")), TEXT_LENGTH))
    elif status != "done":
        yield Line("Not finished when this was written")
    elif reason in _STOP_WORDS:
        yield Line(_STOP_WORDS[reason] + after, bad=reason == "refusal")
    else:
        yield Line(f"Ended{after}", reason, bad=True)


def _seconds(at: Any, start: str) -> float | None:
    begin, end = as_map(at).get(start), as_map(at).get("end")
    return end - begin if isinstance(begin, (int, float)) and isinstance(end, (int, float)) else None


def _exit(status: Any) -> str:
    if status is None:
        return "running"
    code, signal = as_map(status).get("exitCode"), as_map(status).get("signal")
    return f"exit {code}" if code is not None else f"ended by {as_title(signal)}" if signal else "ended"


def _coloured(data: bytes, terminal: Json, count: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The last lines in their colours, cut as those without are; none where nearly each letter has its own."""
    lines = coloured_lines(data[-TAIL_BYTES:], *size_of(terminal))[-count:]
    return tuple(tuple(_shortened(line)) for line in lines) if sum(map(len, lines)) <= RUNS else ()


def _shortened(line: list[Run]) -> Iterator[Run]:
    room = LINE_LENGTH
    for style, text in line:
        if len(text) > room:
            yield style, text[:room] + "…"
            return
        room -= len(text)
        yield style, text


def _subject(subject: Json) -> str:
    if subject.get("type") == "command" and isinstance(subject.get("command"), str):
        cwd = subject.get("cwd")
        return f"$ {subject['command']}" + (f"   in {cwd}" if isinstance(cwd, str) else "")
    if subject.get("type") == "tool_call":
        return ""  # it stands at its tool call
    return as_json(subject)


def _blocks_text(blocks: Any) -> str:
    text = "".join(_block_text(as_map(block)) for block in as_list(blocks))
    return cut_end(text.strip("\n"), TEXT_LENGTH)


def _block_text(block: Json) -> str:
    draw = _BLOCKS.get(str(block.get("type")))
    return draw(block) if draw else f"\n[{as_title(block.get('type'))}] {as_json(block)}\n"


def _media(block: Json) -> str:
    data = block.get("data")
    length = len(data) * 3 // 4 if isinstance(data, str) else 0
    return f"\n[{block.get('type')}: {as_title(block.get('mimeType'))}, {size(length)}]\n"


def _link(block: Json) -> str:
    return f"\n[{as_title(block.get('title') or block.get('name'))}: {as_title(block.get('uri'))}]\n"


def _resource(block: Json) -> str:
    resource = as_map(block.get("resource"))
    text = resource.get("text")
    head = f"\n[{as_title(resource.get('uri'))}]\n"
    return f"{head}{text}\n" if isinstance(text, str) else head


_BLOCKS = {
    "text": lambda block: as_word(block.get("text")),
    "image": _media,
    "audio": _media,
    "resource_link": _link,
    "resource": _resource,
}
