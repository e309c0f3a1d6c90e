"""A session's state without an agent, fed with updates: what an Agent lends its turns."""

from __future__ import annotations

import base64
import itertools
from typing import Any

from acp_widget import Turn
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

PATCH = "diff --git /p/a.py /p/a.py\n--- /p/a.py\n+++ /p/a.py\n@@ -1 +1 @@\n-old\n+new\n"


class Host:
    """What an Agent lends its turns, without an agent."""

    def __init__(self) -> None:
        self.reader = State()
        self.remote = self
        self.asked: list[tuple[str, str]] = []
        self._clock = itertools.count(100)

    def was_over(self, key: str) -> bool:
        return False

    def cancel_call(self, key: str) -> None:
        self.asked.append(("call", key))

    def cancel_terminal(self, key: str) -> None:
        self.asked.append(("terminal", key))

    def feed(self, *updates: dict[str, Any]) -> None:
        for update in updates:
            self.event("update", update=update)

    def event(self, kind: str, **fields: Any) -> None:
        reduce(self.reader, {"type": kind, "at": float(next(self._clock)), **fields})

    def turn(self) -> Turn:
        key = self.reader.next_turn()
        self.event("promptSent", turn=key, prompt=[{"type": "text", "text": "do it"}], source="python")
        return Turn(self, key)  # type: ignore[arg-type]


def chunk(data: bytes) -> dict[str, Any]:
    data64 = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": data64}


def snapshot(data: bytes) -> dict[str, Any]:
    data64 = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_update", "terminalId": "t", "output": {"data": data64}}


def said(message_id: str, text: str, kind: str = "agent_message_chunk") -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": message_id, "content": {"type": "text", "text": text}}
