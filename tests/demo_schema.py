"""Whether messages are as the schema of ACP v2 has them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

Json = dict[str, Any]

_SCHEMA: Json = json.loads((Path(__file__).parent / "schema" / "acp-v2.schema.json").read_text(encoding="utf-8"))

_RESULTS = {
    "initialize": "InitializeResponse",
    "session/new": "NewSessionResponse",
    "session/list": "ListSessionsResponse",
    "session/resume": "ResumeSessionResponse",
    "session/close": "CloseSessionResponse",
    "session/prompt": "PromptResponse",
    "session/set_config_option": "SetSessionConfigOptionResponse",
    "tool_call/cancel": "CancelToolCallResponse",
    "terminal/cancel": "CancelTerminalResponse",
}
_CALLS = {
    "session/update": "UpdateSessionNotification",
    "session/request_permission": "RequestPermissionRequest",
    "$/cancel_request": "CancelRequestNotification",
}


_DOORS = ("other", "unknown")  # titles of the variants that take any word


def _known_only(schema: Any) -> Any:
    """The schema without its doors for custom and future variants, so that a misspelt word is an error."""
    if isinstance(schema, dict):
        schema = {key: _known_only(value) for key, value in schema.items()}
        if isinstance(variants := schema.get("anyOf"), list):
            schema["anyOf"] = [
                v for v in variants if isinstance(v, dict) and v.get("title") not in _DOORS and "not" not in v
            ]
        return schema
    return [_known_only(item) for item in schema] if isinstance(schema, list) else schema


def _strict() -> Json:
    schema: Json = _known_only(copy.deepcopy(_SCHEMA))
    for name in (
        "SessionUpdate",
        "ToolCallContent",
        "RequestPermissionRequest",
        "PermissionOption",
        "NewSessionResponse",
    ):
        schema["$defs"][name]["unevaluatedProperties"] = False
    return schema


_STRICT = _strict()
_GOOD: set[str] = set()


@cache
def _validators(name: str) -> list[Draft202012Validator]:
    head = {"$ref": f"#/$defs/{name}"}
    return [Draft202012Validator({"$schema": s["$schema"], "$defs": s["$defs"], **head}) for s in (_SCHEMA, _STRICT)]


def check(messages: Iterable[Json], methods: Mapping[int, str]) -> int:
    """Raise `jsonschema.ValidationError` for the first bad message; gives how many were good.

    `methods` tells what our request ids asked for. Words are checked against those of the schema alone: no custom ones.
    """
    count = 0
    for message in messages:
        if "method" in message:
            parts = [(_CALLS[message["method"]], message["params"])]
        elif "error" in message:
            parts = [("Error", message["error"])]
        else:
            parts = [(_RESULTS[methods[message["id"]]], message["result"])]
        for name, value in parts:
            # The agents of many tests say the same; one look at each sentence will do.
            sentence = name + json.dumps({**value, "sessionId": str(type(value.get("sessionId")))})
            if sentence not in _GOOD:
                for validator in _validators(name):
                    validator.validate(value)
                _GOOD.add(sentence)
            count += 1
    return count


def is_open_to(message: Json) -> bool:
    """Whether the schema takes a call of the agent, custom and future words included."""
    return _validators(_CALLS[message["method"]])[0].is_valid(message["params"])


def is_request(definition: str, params: Json) -> bool:
    """Whether the params of a request of the client are as the schema defines them, with known words only."""
    return all(validator.is_valid(params) for validator in _validators(definition))
