"""An agent of ACP v1 without oddities: `python plain_v1.py LOG OFFERS`. Standard library only.

`LOG`: each line that it reads goes there as it came. `OFFERS`: JSON of what it offers: `promptCapabilities`, and
`modes`, `models` and `configOptions` of its session.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def say(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(variant: str, **fields: Any) -> None:
    params = {"sessionId": "s", "update": {"sessionUpdate": variant, **fields}}
    say({"method": "session/update", "params": params})


class Plain:
    def __init__(self, offers: Json) -> None:
        self._prompts = offers.get("promptCapabilities", {})
        self._session = {name: offers[name] for name in ("modes", "models", "configOptions") if name in offers}

    def initialize(self, params: Json) -> Json:
        about = {"name": "plain", "version": "1"}
        return {
            "protocolVersion": 1,
            "agentInfo": about,
            "agentCapabilities": {"promptCapabilities": self._prompts},
            "authMethods": [],
        }

    def new(self, params: Json) -> Json:
        return {"sessionId": "s", **self._session}

    def prompt(self, params: Json) -> Json:
        blocks = params["prompt"]
        update("agent_message_chunk", content={"type": "text", "text": f"I got {len(blocks)} blocks."})
        return {"stopReason": "end_turn"}

    def mode(self, params: Json) -> Json:
        self._session["modes"]["currentModeId"] = params["modeId"]
        return {}

    def model(self, params: Json) -> Json:
        self._session["models"]["currentModelId"] = params["modelId"]
        return {}

    def option(self, params: Json) -> Json:
        for option in self._session["configOptions"]:
            if option["id"] == params["configId"]:
                option["currentValue"] = params["value"]
        return {"configOptions": self._session["configOptions"]}


METHODS = {
    "initialize": Plain.initialize,
    "session/new": Plain.new,
    "session/prompt": Plain.prompt,
    "session/set_mode": Plain.mode,
    "session/set_model": Plain.model,
    "session/set_config_option": Plain.option,
}


def main(log: str, offers: str) -> None:
    agent = Plain(json.loads(offers))
    with Path(log).open("a", encoding="utf-8") as kept:
        for line in sys.stdin:
            kept.write(line)
            kept.flush()
            message = json.loads(line)
            if "id" in message and message.get("method") in METHODS:
                say({"id": message["id"], "result": METHODS[message["method"]](agent, message["params"])})
            elif "id" in message and "method" in message:
                say({"id": message["id"], "error": {"code": -32601, "message": f"No method {message['method']}"}})


if __name__ == "__main__":
    main(*sys.argv[1:])
