"""A session's state as others would write it: ACP's names and ids, none of our own keys, times or turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..session.running import is_running
from ..session.state import State
from ..session.words import display_kind, is_final

Json = dict[str, Any]

_SESSION: Final = ("sessionId", "agent", "protocolVersion", "connection", "error")
_TURN: Final = ("prompt", "status", "stopReason", "error")


def neutral(state: State) -> Json:
    """The state in the neutral shape: entities by the agent's own ids, `timeline` of messages, calls and compactions.

    >>> neutral(State())["state"]["stopReason"] is None
    True
    """
    data = state.snapshot()
    usage = data["usage"]
    return {
        "state": _without_ours(data["state"]),
        "messages": [_without_ours(message) for message in data["messages"].values()],
        "toolCalls": {
            call["toolCallId"]: _call(call, is_running(data, key)) for key, call in data["toolCalls"].items()
        },
        "terminals": {terminal["terminalId"]: _terminal(terminal) for terminal in data["terminals"].values()},
        "plans": {entity["plan"]["planId"]: entity["plan"] for entity in data["plans"].values()},
        "commands": data["commands"],
        "configOptions": data["configOptions"],
        "sessionInfo": _without_ours(data["sessionInfo"]),
        "usage": {**_without_ours(usage), **{name: usage[name] or 0 for name in ("used", "size")}},
        "permissions": {str(asked["requestId"]): _permission(asked) for asked in data["permissions"].values()},
        "formerPermissions": _former(data["permissions"].values()),
        "notices": [_without_ours(notice) for notice in data["notices"].values()],
        "compactions": {entity["compactionId"]: _without_ours(entity) for entity in data["compactions"].values()},
        "timeline": [place for key in data["timeline"] if (place := _place(key, data)) is not None],
        "unknownUpdates": [entity["raw"] for entity in data["unknownUpdates"].values()],
        "session": {name: data["session"][name] for name in _SESSION},
        "turns": [{name: turn[name] for name in _TURN} for turn in data["turns"].values()],
    }


def _call(call: Json, running: bool) -> Json:
    derived = {"displayKind": display_kind(call["kind"]), "isFinal": is_final(call["status"]), "isRunning": running}
    return {**_without_ours(call), **derived}


def _terminal(terminal: Json) -> Json:
    output = {name: terminal["output"][name] for name in ("data", "_meta")}
    return {**_without_ours(terminal), "output": output}


def _former(requests: Iterable[Json]) -> list[Json]:
    """Those whose request id was used again later, by the next process for instance."""
    listed = list(requests)
    last = {str(asked["requestId"]): number for number, asked in enumerate(listed)}
    return [
        {"requestId": asked["requestId"], **_permission(asked)}
        for number, asked in enumerate(listed)
        if last[str(asked["requestId"])] != number
    ]


def _permission(asked: Json) -> Json:
    names = ("title", "description", "subject", "options", "status", "optionId")
    return {**{name: asked[name] for name in names}, **asked.get("more", {})}


def _without_ours(entity: Json) -> Json:
    known = {name: value for name, value in entity.items() if name not in ("turn", "at", "more")}
    return {**entity.get("more", {}), **known}


def _place(key: str, data: Json) -> str | None:
    if key in data["messages"]:
        return f"m:{data['messages'][key]['messageId']}"
    return key if key.startswith(("t:", "c:")) else None
