"""An agent that keeps sessions and wants a login: `python keeper.py FOLDER`. Standard library only.

`FOLDER` holds what outlives its process: `sessions.json`, `login` (there: logged in), `log.jsonl` (what it was asked),
and `how.json`: {"version": 1 | 2, "auth": "new" | "prompt", "methods": […], "session": {…}, …}; see the code.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
HOW = json.loads((FOLDER / "how.json").read_text())
V1 = HOW.get("version", 2) == 1
LOGIN = FOLDER / "login"
SESSIONS = FOLDER / "sessions.json"

Json = dict[str, Any]


class Refused(Exception):
    pass


def send(message: Json) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(session_id: str, word: str, **fields: Any) -> None:
    send({"method": "session/update", "params": {"sessionId": session_id, "update": {"sessionUpdate": word, **fields}}})


def stored() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = json.loads(SESSIONS.read_text()) if SESSIONS.exists() else {}
    return found


def store(sessions: dict[str, list[list[str]]]) -> None:
    SESSIONS.write_text(json.dumps(sessions))


def logged_in() -> bool:
    return LOGIN.exists() or bool(
        HOW.get("key") and os.environ.get(HOW["key"]) == HOW["secret"] and not HOW.get("name_it")
    )


def check_login(where: str) -> None:
    if HOW.get("auth") == where and not logged_in():
        raise Refused(-32000, "Authentication required", HOW.get("data"))


def initialize(params: Json) -> Json:
    methods = HOW.get("methods", [])
    if V1:
        given = {"loadSession": True, "sessionCapabilities": {"list": {}, "resume": {}}, **HOW.get("capabilities", {})}
        info = {"name": "keeper", "version": "1"}
        return {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": given, "authMethods": methods}
    capabilities = HOW.get("capabilities", {"session": {"mcp": {"stdio": {}, "http": {}}, "additionalDirectories": {}}})
    info = {"name": "keeper", "version": "1"}
    return {"protocolVersion": 2, "info": info, "capabilities": capabilities, "authMethods": methods}


def settings() -> Json:
    if HOW.get("models"):
        models = [{"modelId": "small", "name": "Small"}, {"modelId": "large", "name": "Large"}]
        return {"models": {"currentModelId": "small", "availableModels": models}}
    choices = [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]
    named = {"id": "model"} if V1 else {"configId": "model"}
    option = {**named, "name": "Model", "category": "model", "type": "select", "currentValue": "small"}
    return {"configOptions": [{**option, "options": choices}]}


def new(params: Json) -> Json:
    check_login("new")
    sessions = stored()
    session_id = f"s{len(sessions) + 1}"
    store({**sessions, session_id: []})
    return {"sessionId": session_id, **settings()}


def listed(params: Json) -> Json:
    ids = list(stored())
    at = int(params.get("cursor") or 0)
    page = [
        {"sessionId": each, "cwd": "/p", "title": f"About {each}", "updatedAt": "2026-01-01T00:00:00Z"} for each in ids
    ]
    more = {"nextCursor": HOW.get("cursor") or str(at + 2)} if at + 2 < len(ids) or "cursor" in HOW else {}
    return {"sessions": page[at : at + 2], **more}


def opened(params: Json, *, replay: bool) -> Json:
    check_login("open")
    told = stored().get(params["sessionId"])
    if told is None:
        raise Refused(HOW.get("gone", -32002), "Session not found", {"sessionId": params["sessionId"]})
    if replay:
        for number, (role, text) in enumerate(told):
            word = "user_message_chunk" if role == "user" else "agent_message_chunk"
            named = {} if V1 else {"messageId": f"{role}-{number}"}
            update(params["sessionId"], word, content={"type": "text", "text": text}, **named)
    if replay and HOW.get("breaks") == "refuses":
        raise Refused(-32603, "The history is damaged")
    if replay and HOW.get("breaks") == "dies":
        sys.exit(3)
    for word in HOW.get("late", ()):  # of every session that it has, as some agents send them when a timer fires
        for each in stored():
            update(each, word, availableCommands=[], content={"type": "text", "text": "late"})
    return settings()


def prompt(params: Json) -> Json:
    check_login("prompt")
    session_id, text = params["sessionId"], params["prompt"][0]["text"]
    sessions = stored()
    told = sessions[session_id]
    number, answer = len(told), f"You said {text}"
    store({**sessions, session_id: [*told, ["user", text], ["agent", answer]]})
    if V1:
        update(session_id, "agent_message_chunk", content={"type": "text", "text": answer})
        return {"stopReason": "end_turn"}
    update(session_id, "user_message", messageId=f"user-{number}", content=[{"type": "text", "text": text}])
    update(session_id, "state_update", state="running")
    chunk = {"type": "text", "text": answer}
    update(session_id, "agent_message_chunk", messageId=f"agent-{number + 1}", content=chunk)
    update(session_id, "state_update", state="idle", stopReason="end_turn")
    return {"messageId": f"user-{number}"}


def login(params: Json) -> Json:
    method = params["methodId"]
    if HOW.get("name_it") and os.environ.get(HOW["key"]) != HOW["secret"]:
        raise Refused(-32602, f"The key {os.environ.get(HOW['key'])} is wrong")
    if method == "broken":
        raise Refused(-32603, "The browser did not open")
    LOGIN.touch()
    return {}


def logout(params: Json) -> Json:
    LOGIN.unlink(missing_ok=True)
    return {}


def configure(params: Json) -> Json:
    value = params.get("value") or params.get("modelId")
    given = settings()
    if "configOptions" not in given:
        return {}
    given["configOptions"][0]["currentValue"] = value
    return given


METHODS = {
    "initialize": initialize,
    "session/new": new,
    "session/list": listed,
    "session/prompt": prompt,
    "session/set_config_option": configure,
    "session/close": lambda params: {},
}
METHODS |= (
    {
        "authenticate": login,
        "logout": logout,
        "session/set_model": configure,
        "session/load": lambda params: opened(params, replay=True),
        "session/resume": lambda params: opened(params, replay=False),
    }
    if V1
    else {
        "auth/login": login,
        "auth/logout": logout,
        "session/resume": lambda params: opened(params, replay=params.get("replayFrom") == {"type": "start"}),
    }
)

for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message or "id" not in message:
        continue
    with (FOLDER / "log.jsonl").open("a") as log:
        log.write(json.dumps({"pid": os.getpid(), "method": message["method"], "params": message.get("params")}) + "\n")
    if message["method"] in HOW.get("dies", ()):
        sys.exit(3)
    try:
        make = METHODS.get(message["method"])
        if make is None:
            raise Refused(-32601, "Method not found")
        send({"id": message["id"], "result": make(message.get("params") or {})})
    except Refused as refused:
        code, text, *data = refused.args
        error = {"code": code, "message": text, **({"data": data[0]} if data and data[0] is not None else {})}
        send({"id": message["id"], "error": error})
