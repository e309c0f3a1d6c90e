"""The session itself: its start, its end, replays, and what the handshake told."""

from __future__ import annotations

from typing import Any, Final

from . import catalog, former, kept, logins, permissions, turns
from .edit import Edit
from .state import fresh_activity, fresh_reports

Event = dict[str, Any]


def starting(edit: Edit, event: Event) -> None:
    """An agent is being started: for the first time, or again after it ended."""
    if edit.data["session"]["connection"] in ("closed", "failed"):
        _begin_again(edit)
    command = event.get("command")
    changes = {
        "connection": "starting",
        "error": None,
        "command": command if type(command) is list else None,
        "note": None,
        "cwd": _text(event.get("cwd")),
        "label": _text(event.get("label")),
        "temporary": event.get("temporary") is True,
        "login": None,
        "mcpServers": _named(event.get("mcpServers")),
        "additionalDirectories": _texts(event.get("additionalDirectories")),
        "at": {"start": edit.at, "ready": None, "end": None},
    }
    if "policy" in event:
        changes["policy"] = _text(event["policy"])
    edit.patch(("session",), changes)


def launching(edit: Edit, event: Event) -> None:
    """What is run was found. `note`: a sentence for who waits, that it may be downloaded first, for instance."""
    command = event.get("command")
    if type(command) is list:
        edit.patch(("session",), {"command": command, "note": _text(event.get("note"))})


def _begin_again(edit: Edit) -> None:
    """The transcript stays; what the agent that is gone had said of itself does not hold any more."""
    former.begin_session(edit)
    memory = edit.memory
    memory.work.clear()
    memory.aside.clear()
    memory.background.clear()
    memory.unplaced.clear()
    memory.reported.clear()
    memory.config_sent.clear()
    memory.local = memory.thought = memory.ambient = memory.replay_turn = None
    memory.idle_reported = memory.replaying = memory.replay_due = False
    edit.patch(("session",), {"sessionId": None, "cancelling": False, "promptCapabilities": {}, "authMethods": []})
    edit.replace(("state",), fresh_activity())
    for name in catalog.LISTS:
        if edit.data[name]:
            edit.set((name,), [])


def initialized(edit: Edit, event: Event) -> None:
    """`initialize` was answered."""
    result = _result(edit, event)
    info = result.get("info")
    capabilities = result.get("capabilities")
    session = capabilities.get("session") if type(capabilities) is dict else None
    prompt = session.get("prompt") if type(session) is dict else None
    version = result.get("protocolVersion")
    changes = {
        "agent": {name: _text(info.get(name)) for name in ("name", "title", "version")} if type(info) is dict else None,
        "protocolVersion": version if type(version) is int else None,
        "promptCapabilities": prompt if type(prompt) is dict else {},
        "authMethods": logins.methods(result.get("authMethods"), edit.data["session"]["command"]),
    }
    edit.patch(("session",), changes)


def session_new(edit: Edit, event: Event) -> None:
    """`session/new` was answered, perhaps after updates: it only fills gaps."""
    result = _result(edit, event)
    _ready(edit, _text(result.get("sessionId")))
    catalog.fill_gaps(edit, result)


def replay_begin(edit: Edit, event: Event) -> None:
    """`session/resume` with a replay was sent: what it will tell is dropped as soon as it tells the first of it."""
    edit.memory.replay_due = True
    edit.memory.reported.clear()
    edit.memory.replay_of_other = event.get("other") is True
    edit.memory.taking = "other" if edit.memory.replay_of_other else None


def replay_failed(edit: Edit, event: Event) -> None:
    """It was refused: what is shown stays."""
    kept.bring_back(edit)
    memory = edit.memory
    memory.replay_due = memory.replaying = False
    memory.taking = None
    memory.before = {}
    turns.close_replayed(edit)
    memory.local = None
    if memory.thought is not None:
        turns.close_thought(edit)


def take(edit: Edit) -> None:
    """The session that was asked for is there: the one so far, whose ids are still good, or another."""
    same = edit.memory.taking == "same"
    edit.memory.taking = None
    if same:
        former.same_session(edit)
        return
    if not edit.memory.replay_due:
        former.begin_session(edit)
    kept.keep_reports(edit)
    # What the one so far had reported of itself does not hold for the other.
    kept.put_reports(edit, {**{name: [] for name in catalog.LISTS}, **fresh_reports()})


def begin_told_anew(edit: Edit) -> None:
    """The replay begins to tell."""
    edit.memory.replay_due = False
    kept.keep(edit)
    former.same_session(edit)
    for group in kept.REPLAYED:
        if edit.data[group]:
            edit.set((group,), {})
    edit.set(("timeline",), [key for key in edit.data["timeline"] if key.startswith(kept.STAYING)])
    permissions.stand_alone(edit)
    turns.begin_replay(edit)
    memory = edit.memory
    memory.local = memory.thought = None
    memory.work.clear()
    memory.aside.clear()


def replay_end(edit: Edit, event: Event) -> None:
    """The replay is complete."""
    memory = edit.memory
    if memory.taking is not None:
        take(edit)
    if memory.replay_due:
        begin_told_anew(edit)
    kept.forget(edit)
    memory.replaying = False
    memory.local = None
    if memory.thought is not None:
        turns.close_thought(edit)
    turns.adopt_replayed(edit)
    resume_end(edit, event)


def resume_begin(edit: Edit, event: Event) -> None:
    """`session/resume` without a replay was sent: everything stays, ids included, but for those of another session."""
    edit.memory.taking = "other" if event.get("other") is True else "same"
    edit.memory.reported.clear()


def resume_end(edit: Edit, event: Event) -> None:
    """It was answered."""
    if edit.memory.taking is not None:
        take(edit)
    kept.forget(edit)
    result = _result(edit, event)
    _ready(edit, _text(result.get("sessionId")) or edit.data["session"]["sessionId"])
    catalog.fill_gaps(edit, result)


def ended(edit: Edit, event: Event) -> None:
    """The connection is gone. What is shown stays; nobody can be answered any more."""
    connection = event.get("connection")
    error = _error(event.get("error"))
    kept.bring_back(edit)  # of a replay that never came to its end
    closed = connection == "closed"
    message = "The agent was closed." if closed else "The agent ended."
    permissions.settle_all(edit, by="end", why=message, answer=False)
    turns.fail_active(edit, error, message)
    said = error.get("message") if error is not None else None
    if event.get("keepQueued") is not True:
        turns.drop_queued(edit, said if type(said) is str and said else message)
    if edit.memory.thought is not None:
        turns.close_thought(edit)
    edit.memory.replaying = edit.memory.replay_due = False
    turns.close_replayed(edit)
    edit.memory.taking = None
    changes = {
        "connection": "closed" if closed else "failed",
        "login": None,
        "error": error,
        "cancelling": False,
        "note": None,
        "at": {**edit.data["session"]["at"], "end": edit.at},
    }
    edit.patch(("session",), changes)


def policy(edit: Edit, event: Event) -> None:
    """Who answers permission requests from now on."""
    edit.patch(("session",), {"policy": _text(event.get("policy"))})


def rules(edit: Edit, event: Event) -> None:
    """The rules that were added to the session, each `{"word", "text"}`; a made-up recording may tell anything."""
    given = event.get("rules")
    listed = given if type(given) is list else []
    known = [each for each in listed if type(each) is dict and _text(each.get("word")) and _text(each.get("text"))]
    edit.patch(("session",), {"rules": known})


def diagnostic(edit: Edit, event: Event) -> None:
    """Something outside the session was wrong: a line that is no JSON, for instance."""
    edit.where = _text(event.get("where"))
    edit.diagnose(_text(event.get("message")) or "Something was wrong.")


def _ready(edit: Edit, session_id: str | None) -> None:
    at = edit.data["session"]["at"]
    changes = {"connection": "ready", "sessionId": session_id, "note": None, "at": {**at, "ready": edit.at}}
    edit.patch(("session",), changes)


def _result(edit: Edit, event: Event) -> dict[str, Any]:
    result = event.get("result")
    if type(result) is dict:
        return result
    edit.diagnose("the agent's response is no object")
    return {}


def _error(error: Any) -> dict[str, Any] | None:
    """Why it ended. What is to be read of it is text, or not there."""
    if type(error) is not dict:
        return None
    return {name: value for name, value in error.items() if name not in _ERROR or type(value) is str}


_ERROR: Final = frozenset({"name", "title", "message", "hint", "stderr"})


def _named(servers: Any) -> list[dict[str, Any]]:
    """What is shown of MCP servers: never their variables or headers."""
    listed = [each for each in servers if type(each) is dict] if type(servers) is list else []
    return [{"name": _text(each.get("name")), "type": _text(each.get("type"))} for each in listed]


def _texts(values: Any) -> list[str]:
    return [each for each in values if type(each) is str] if type(values) is list else []


def _text(value: Any) -> str | None:
    return value if type(value) is str else None
