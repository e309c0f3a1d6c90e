"""What a session keeps of its updates, so that a resume can replay it (ACP v2, Session Setup)."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_KEPT_BYTES = 1_000_000  # of each terminal, from the end

# Live only: state, usage and the like are reported anew on resume, and a notice is not history.
_NOT_HISTORY = {
    "state_update",
    "notice",
    "usage_update",
    "session_info_update",
    "available_commands_update",
    "config_option_update",
}


class _Terminal:
    def __init__(self) -> None:
        self.fields: Json = {}
        self.output = bytearray()

    def add(self, update: Json) -> None:
        fields = dict(update)
        data = fields.pop("data", None) if fields["sessionUpdate"] == "terminal_output_chunk" else None
        if data is not None:
            self.output += base64.b64decode(data)
        else:
            if "output" in fields:
                snapshot = fields.pop("output") or {}
                self.output = bytearray(base64.b64decode(snapshot.get("data", "")))
            self.fields.update(fields)
        del self.output[:-_KEPT_BYTES]

    def update(self) -> Json:
        data = base64.b64encode(self.output).decode()
        return {"sessionUpdate": "terminal_update", **self.fields, "output": {"data": data}}


class History:
    """The updates of one session in order. Streamed text is joined and a terminal is kept once, at its first place."""

    def __init__(self) -> None:
        self._entries: list[Json | _Terminal] = []
        self._terminals: dict[str, _Terminal] = {}

    def add(self, update: Json) -> None:
        """Keep one update, if it is history."""
        kind = update.get("sessionUpdate")
        if kind in _NOT_HISTORY:
            return
        if kind in ("terminal_update", "terminal_output_chunk"):
            self._terminal(update)
        elif not (isinstance(kind, str) and kind.endswith("_chunk") and self._joined(update)):
            self._entries.append(update)

    def replay(self) -> Iterator[Json]:
        """The updates that build the same session again."""
        for entry in self._entries:
            yield entry.update() if isinstance(entry, _Terminal) else entry

    def _terminal(self, update: Json) -> None:
        terminal = self._terminals.get(update["terminalId"])
        if terminal is None:
            terminal = self._terminals[update["terminalId"]] = _Terminal()
            terminal.fields = {"terminalId": update["terminalId"]}
            self._entries.append(terminal)
        terminal.add(update)

    def _joined(self, update: Json) -> bool:
        last = self._entries[-1] if self._entries else None
        if not isinstance(last, dict):
            return False
        if any(last.get(key) != update.get(key) for key in ("sessionUpdate", "messageId")) or "messageId" not in update:
            return False
        before, after = last.get("content"), update.get("content")
        if not isinstance(before, dict) or not isinstance(after, dict):
            return False
        if set(before) != {"type", "text"} or set(after) != {"type", "text"}:
            return False
        self._entries[-1] = {**last, "content": {"type": "text", "text": before["text"] + after["text"]}}
        return True
