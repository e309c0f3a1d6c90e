"""The shapes of ACP v1 as those of v2: responses, config options, commands, tool calls (docs/internals.md).

All functions take any JSON and give what they do not understand back as it is: the reducer says what is wrong with it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from .git_patch import git_patch
from .transport import Json


def initialize_result(result: Json) -> Json:
    """`initialize`: `agentInfo`, `agentCapabilities` and `authMethods` under their v2 names, booleans as markers."""
    given = result.get("agentCapabilities")
    capabilities = given if isinstance(given, dict) else {}
    return {
        **result,
        "protocolVersion": 1,
        "info": result.get("agentInfo"),
        "capabilities": _capabilities(capabilities),
        "authMethods": auth_methods(result.get("authMethods")),
    }


def _capabilities(given: Json) -> Json:
    sessions = given.get("sessionCapabilities")
    session = dict(sessions) if isinstance(sessions, dict) else {}
    session["prompt"] = _markers(given.get("promptCapabilities"))
    session["mcp"] = {"stdio": {}, **_markers(given.get("mcpCapabilities"))}  # every v1 agent starts stdio servers
    if supports(given.get("loadSession")):
        session["load"] = {}
    return {"session": session, "auth": given.get("auth") or {}}


def supports(marker: Any) -> bool:
    """Whether a support marker says yes: v1 writes booleans, and objects where it came later (R4)."""
    return marker is not None and marker is not False


def _markers(given: Any) -> Json:
    if not isinstance(given, dict):
        return {}
    return {name: value if isinstance(value, dict) else {} for name, value in given.items() if supports(value)}


def auth_methods(given: Any) -> Any:
    """`authMethods`: `id` is `methodId`, and the type is `agent` when none is told."""
    return _each(given, lambda method: {"type": "agent", **_renamed(method, "id", "methodId")})


def without_nulls(given: Json) -> Json:
    """v1 says "unchanged" by null too (N2)."""
    return {name: value for name, value in given.items() if value is not None}


def tool_call(given: Json) -> Json:
    """A `tool_call`, a `tool_call_update`, or the `toolCall` of a permission request (N1 to N5)."""
    call = without_nulls(given)
    if "content" in call:
        call["content"] = _each(call["content"], _call_content)
    return call


def _call_content(item: Json) -> Json:
    return diff(item) if item.get("type") == "diff" and "changes" not in item else item


def diff(item: Json) -> Json:
    """A diff of two texts as a change with its patch (N5). Without path or new text it is given back as it is."""
    path, new = item.get("path"), item.get("newText")
    if not isinstance(path, str) or not isinstance(new, str):
        return item
    old = item.get("oldText")
    if not isinstance(old, str):
        old = None
    rest = {name: value for name, value in item.items() if name not in ("path", "oldText", "newText")}
    change = {"operation": "add" if old is None else "modify", "path": path}
    text = git_patch(path, old, new, whole=False)
    patch = {"patch": {"format": "git_patch", "text": text}} if text else {}
    return {**rest, "changes": [change], **patch}


def command(given: Json) -> Json:
    """An available command: its input has a type in v2 (N14)."""
    wanted = given.get("input")
    if isinstance(wanted, dict) and "type" not in wanted:
        return {**given, "input": {"type": "text", **wanted}}
    return given


def config_options(given: Any) -> Any:
    """`configOptions`: `id` is `configId`, and a group's `group` is `groupId` (N13)."""
    return _each(given, _config_option)


def _config_option(given: Json) -> Json:
    option = _renamed(given, "id", "configId")
    if "options" in option:
        option["options"] = _each(option["options"], lambda choice: _renamed(choice, "group", "groupId"))
    return option


def terminal_updates(meta: Any) -> list[Json]:
    """What agents that run their commands themselves tell of them in a call's `_meta`, as terminal updates.

    A custom of several v1 agents, not of the protocol: `terminal_info`, `terminal_output` or `terminal_output_delta`,
    `terminal_exit`.
    """
    told: list[Json] = []
    for name, fields in _TERMINALS.items():
        given = meta.get(name) if isinstance(meta, dict) else None
        if isinstance(given, dict) and isinstance(given.get("terminal_id"), str):
            told.append({"terminalId": given["terminal_id"], **fields(given)})
    return told


def _output(given: Json) -> Json:
    data = given.get("data")
    text = data if isinstance(data, str) else ""
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return {"sessionUpdate": "terminal_output_chunk", "data": encoded}


def _exit(given: Json) -> Json:
    status = {"exitCode": given.get("exit_code"), "signal": given.get("signal")}
    return {"sessionUpdate": "terminal_update", "exitStatus": status}


_TERMINALS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "terminal_info": lambda given: {"sessionUpdate": "terminal_update", "cwd": given.get("cwd")},
    "terminal_output": _output,
    "terminal_output_delta": _output,
    "terminal_exit": _exit,
}

SELECTIONS: Final[Mapping[str, tuple[str, str, str, str]]] = {
    "mode": ("modes", "availableModes", "currentModeId", "id"),
    "model": ("models", "availableModels", "currentModelId", "modelId"),
}
"""What v1 tells beside the config options: by category, its field, its list, what is chosen, and the id of an item."""

_NAMES: Final = {"mode": "Mode", "model": "Model"}


def selection(category: str, told: Any) -> Json | None:
    """`modes` or `models` of a session's response as a config option (N12); None when it cannot be read."""
    _, listed, current, item_id = SELECTIONS[category]
    items = told.get(listed) if isinstance(told, dict) else None
    if not isinstance(items, list):
        return None
    choices = [
        {"value": item[item_id], "name": item.get("name", item[item_id]), **_description(item)}
        for item in items
        if isinstance(item, dict) and isinstance(item.get(item_id), str)
    ]
    chosen = told.get(current)
    if not choices or not isinstance(chosen, str):
        return None
    return {
        "configId": category,
        "name": _NAMES[category],
        "category": category,
        "type": "select",
        "currentValue": chosen,
        "options": choices,
    }


def _description(item: Json) -> Json:
    described = item.get("description")
    return {"description": described} if isinstance(described, str) else {}


def _each(given: Any, shape: Callable[[Json], Json]) -> Any:
    if not isinstance(given, list):
        return given
    return [shape(item) if isinstance(item, dict) else item for item in given]


def _renamed(given: Json, old: str, new: str) -> Json:
    """With one key renamed, in its place; nothing when the new name is there already."""
    if old not in given or new in given:
        return dict(given)
    return {new if name == old else name: value for name, value in given.items()}
