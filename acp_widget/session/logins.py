"""Logging in: what the agent offers, and the login that it waits for. No value of a variable is ever kept."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .edit import Edit
from .values import clean_text

Event = dict[str, Any]

KNOWN: Final = ("agent", "terminal", "env_var")
"""Types of methods that we can help with; others are listed only."""
_MOST = 50  # methods, arguments and variables that are kept
_LONG = 2_000  # characters of a text


def methods(given: Any, command: Any) -> list[dict[str, Any]]:
    """`authMethods` of `initialize` as they are shown. `command`: the agent's own, for methods in a terminal.

    >>> methods([{"methodId": "x", "type": "terminal", "name": "x", "args": ["login"]}], ["my-agent"])[0]["command"]
    'my-agent login'
    """
    listed = [each for each in given if type(each) is dict] if type(given) is list else []
    shown = {method["methodId"]: method for each in listed[:_MOST] if (method := _method(each, command)) is not None}
    return list(shown.values())


def _method(given: Mapping[str, Any], command: Any) -> dict[str, Any] | None:
    method_id, kind = given.get("methodId"), given.get("type")
    if type(method_id) is not str:
        return None
    meta = given.get("_meta")
    custom: Mapping[str, Any] = meta if type(meta) is dict else {}
    wanted = list(dict.fromkeys(name for source in (given, custom) for name in _vars(source)))[:_MOST]
    method = {
        "methodId": _text(method_id),
        "type": _text(kind) if type(kind) is str else "agent",
        "name": _text(given.get("name")) or _text(method_id),
        "description": _text(given.get("description")) or None,
        "link": link if (link := _text(given.get("link"))).startswith("https://") else None,
        "vars": wanted,
        "python": None,
        "command": None,
        "env": [],
    }
    if kind == "env_var":
        # Quoted as JSON: a line that is copied into a cell must hold no code of the agent's.
        values = ", ".join(f'{json.dumps(name)}: "…"' for name in wanted) or '"NAME": "…"'
        method["python"] = f"agent.login({method['methodId']!r}, env={{{values}}})"
    # Some agents tell of a terminal only in `_meta`, and take the login on the connection too.
    told = given if kind == "terminal" else custom if custom.get("type") == "terminal" else None
    if told is not None and type(command) is list:
        args = told.get("args")
        more = [_text(each) for each in args if type(each) is str][:_MOST] if type(args) is list else []
        method["command"] = shlex.join([*(_text(each) for each in command), *more])
        method["env"] = list(_names(told.get("env")))[:_MOST]
    return method


def _vars(given: Mapping[str, Any]) -> Iterator[str]:
    """Names of the variables that a method wants, in the spellings that were seen."""
    yield from _names(given.get("vars"))
    for field in ("varName", "var_name"):
        if type(given.get(field)) is str:
            yield _text(given[field])


def _names(given: Any) -> Iterator[str]:
    """Names out of `[{"name": …}]`, of a list of names, or of an object by name."""
    for each in given if type(given) in (list, dict) else ():
        name = each.get("name") if type(each) is dict else each
        if type(name) is str and name:
            yield _text(name)


def _text(value: Any) -> str:
    return clean_text(value[:_LONG]) if type(value) is str else ""


# --- events ----------------------------------------------------------------------------------------------------------


def needed(edit: Edit, event: Event) -> None:
    """The agent wants a login before it goes on."""
    error = event.get("error")
    said = error if type(error) is dict else {}
    login = {"message": _text(said.get("message")), "hint": _text(said.get("hint")), "methodId": None, "error": None}
    edit.patch(("session",), {"connection": "login", "login": login})


def begun(edit: Edit, event: Event) -> None:
    """One of its methods is under way."""
    if edit.data["session"]["login"] is not None:
        edit.patch(("session", "login"), {"methodId": _text(event.get("methodId")), "error": None})


def failed(edit: Edit, event: Event) -> None:
    """It did not work; the methods stay."""
    if edit.data["session"]["login"] is not None:
        edit.patch(("session", "login"), {"methodId": None, "error": _text(event.get("message"))})


def done(edit: Edit, event: Event) -> None:
    """The agent goes on: with its session, or with the start that the login held up."""
    session = edit.data["session"]
    if session["connection"] == "login":
        edit.patch(("session",), {"connection": "ready" if session["sessionId"] else "starting"})
    if session["login"] is not None:
        edit.set(("session", "login"), None)
