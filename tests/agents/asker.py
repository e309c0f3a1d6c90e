"""An agent of ACP v1 that does what its prompt says: a list of steps as JSON. Standard library only.

A step is `{"ask": METHOD, "params": {…}}`, `{"send": METHOD, "params": {…}}` (asked, not waited for), `{"hear": N}`
(wait for the answer to the request of step N), or `{"update": {…}}`. Text like `$2.terminalId` in params stands for
what step 2 was answered. The session's id is added where none is given. At the end it says all answers, as JSON.
"""

from __future__ import annotations

import json
import sys
from typing import Any

SESSION = "asker-1"
INITIALIZED = {
    "protocolVersion": 1,
    "agentCapabilities": {"sessionCapabilities": {"additionalDirectories": {}}},
    "agentInfo": {"name": "asker", "version": "1"},
}


class Asker:
    def __init__(self) -> None:
        self.answers: dict[int, Any] = {}
        self.offered: Any = None
        self.number = 0  # ids start at 0, and never begin anew

    def read(self) -> Any:
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        return json.loads(line)

    def write(self, message: dict[str, Any]) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def update(self, update: dict[str, Any]) -> None:
        self.write({"method": "session/update", "params": {"sessionId": SESSION, "update": update}})

    def filled(self, value: Any, ids: dict[int, int]) -> Any:
        if isinstance(value, dict):
            return {name: self.filled(each, ids) for name, each in value.items()}
        if isinstance(value, str) and value.startswith("$"):
            step, _, name = value[1:].partition(".")
            return self.answers[ids[int(step)]]["result"][name]
        return value

    def hear(self, request: int) -> None:
        while request not in self.answers:
            message = self.read()
            if "method" not in message:
                self.answers[message["id"]] = message

    def do(self, steps: list[dict[str, Any]]) -> list[Any]:
        ids: dict[int, int] = {}
        for index, step in enumerate(steps):
            if "update" in step:
                self.update(step["update"])
            elif "hear" in step:
                self.hear(ids[step["hear"]])
            else:
                ids[index] = self.number
                self.number += 1
                params = {"sessionId": SESSION, **self.filled(step.get("params", {}), ids)}
                self.write({"id": ids[index], "method": step.get("ask") or step["send"], "params": params})
                if "ask" in step:
                    self.hear(ids[index])
        found = [self.answers.get(ids[index], {}) if index in ids else {} for index in range(len(steps))]
        return [{name: answer[name] for name in ("result", "error") if name in answer} for answer in found]

    def serve(self) -> None:
        while True:
            message = self.read()
            method = message.get("method")
            if method == "initialize":
                offered = message["params"]["clientCapabilities"]
                self.offered = {name: value for name, value in offered.items() if name != "auth"}
                self.write({"id": message["id"], "result": INITIALIZED})
            elif method == "session/new":
                self.write({"id": message["id"], "result": {"sessionId": SESSION}})
            elif method == "session/prompt":
                steps = json.loads(message["params"]["prompt"][0]["text"])
                said = json.dumps({"offered": self.offered, "answers": self.do(steps)})
                self.update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}})
                self.write({"id": message["id"], "result": {"stopReason": "end_turn"}})
            elif method is None:
                self.answers[message["id"]] = message


if __name__ == "__main__":
    Asker().serve()
