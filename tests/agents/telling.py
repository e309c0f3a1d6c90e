"""An agent of ACP v2, for `scripted`, that says what it was prompted with: its blocks as JSON."""

from __future__ import annotations

import json

ALL = {"image": {}, "embeddedContext": {}}
_SCRIPT = """
answer(read(), {"protocolVersion": 2, "info": {"name": "s", "version": "1"},
                "capabilities": {"session": {"prompt": %s}}})
answer(read(), {"sessionId": "s"})
number = 0
while True:
    message = until("session/prompt")
    answer(message, {})
    number += 1
    running()
    if message["params"]["prompt"][0].get("text", "").startswith("ask"):
        ask(number)
        answered(number)
    say(json.dumps(message["params"]["prompt"]), str(number))
    idle()
"""


def telling(capabilities: object = ALL) -> str:
    """Its script. A prompt that begins with `ask` waits for an answer to a permission request first."""
    return _SCRIPT % json.dumps(capabilities)
