"""An agent of ACP v1 that answers each prompt with three code blocks, two of them Python. Standard library only."""

from __future__ import annotations

import json
import sys
from typing import Any

TEXT = "Two cells:\n\n```python\nx = 1\nprint(x)\n```\n\n```py\ny = 2\n```\n\nAnd in a shell:\n\n```sh\nls\n```\n"

RESULTS: dict[str, dict[str, Any]] = {
    "initialize": {"protocolVersion": 1, "agentInfo": {"name": "coder", "version": "1"}, "agentCapabilities": {}},
    "session/new": {"sessionId": "s"},
    "session/prompt": {"stopReason": "end_turn"},
}


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "session/prompt":
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": TEXT}}
        say({"method": "session/update", "params": {"sessionId": "s", "update": update}})
    if "id" in message and "method" in message:
        say({"id": message["id"], "result": RESULTS.get(message["method"], {})})
