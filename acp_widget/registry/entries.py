"""Agents as editors write them down: entries of `agent_servers`, as in Zed's settings, and the user's file of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import known

_SERVERS = "agent_servers"
_LARGEST = 1_000_000  # bytes of the user's file
_EXAMPLE = '{"agent_servers": {"mine": {"command": "my-agent", "args": ["--acp"], "env": {}}}}'
_KINDS = {
    "custom": "a command of its own",
    "registry": "one of the known agents",
}


@dataclass(frozen=True)
class Entry:
    """One entry: a command of its own, or (`known`) the name of a known agent. `env` is never shown."""

    name: str
    command: tuple[str, ...] | None
    known: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


class EntryError(ValueError):
    """An entry that cannot be used. `field` is what in it is wrong, to find its line."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def read_entry(name: str, raw: object) -> Entry:
    """One entry, checked. Fields that are not about starting are left alone. Raises `EntryError`.

    >>> read_entry("mine", {"type": "custom", "command": "my-agent", "args": ["--acp"]}).command
    ('my-agent', '--acp')
    """
    if not isinstance(raw, Mapping):
        raise EntryError(f"{_entry(name)} must be an object with a `command`, not {_kind(raw)}.")
    env = _env(name, raw.get("env"))
    kind = raw.get("type", "custom")
    if not isinstance(kind, str) or kind not in _KINDS:
        told = " or ".join(f'"{word}" ({what})' for word, what in _KINDS.items())
        raise EntryError(f"{_entry(name)} has the type {kind!r}; it can be {told}.", "type")
    if kind == "registry" or (raw.get("command") is None and known.called(name) is not None):
        if known.called(name) is None:
            raise EntryError(f"{name!r} is not known here. Known are {', '.join(known.AGENTS)}; or give a `command`.")
        return Entry(name, None, known=name, env=env)
    program = raw.get("command")
    if not isinstance(program, str) or not program:
        told = f"{_entry(name)}: `command` must be a program's name or path, not {_kind(program)}."
        raise EntryError(told, "command")
    arguments = () if raw.get("args") is None else raw["args"]
    if not isinstance(arguments, (list, tuple)) or not all(isinstance(each, str) for each in arguments):
        raise EntryError(f"{_entry(name)}: `args` must be a list of strings.", "args")
    if any("\0" in word for word in (program, *arguments)):
        raise EntryError(f"{_entry(name)}: a NUL character cannot be part of a command.", "command")
    return Entry(name, (_home(program), *map(_home, arguments)), env=env)


def read_given(given: Mapping[str, Any]) -> tuple[str, object]:
    """Name and content of the one entry in what was passed: the entry, `{name: entry}`, or whole settings.

    >>> read_given({"agent_servers": {"mine": {"command": "x"}}})
    ('mine', {'command': 'x'})
    """
    servers = given.get(_SERVERS, given)
    if servers is given and ("command" in given or "type" in given):
        return "", given
    if not isinstance(servers, Mapping) or len(servers) != 1 or not all(isinstance(name, str) for name in servers):
        raise ValueError('An entry has a command, {"command": "my-agent", "args": []}; of several, pass one.')
    return next(iter(servers.items()))


# --- the user's file --------------------------------------------------------------------------------------------------


def user_file() -> Path:
    """Where the user's own agents are written down: `acp-widget/agents.json` in the platform's folder for settings."""
    import platformdirs

    return platformdirs.user_config_path("acp-widget", appauthor=False) / "agents.json"


def user_entry(name: str) -> Entry | None:
    """The entry of that name in the user's file. Raises `ValueError` that names file and line."""
    text, servers = _read(user_file())
    if name not in servers:
        return None
    return _checked(name, servers[name], text)


def user_entries() -> dict[str, Entry | ValueError]:
    """All of the user's file; what cannot be used as the error that it is. Raises `ValueError` for the file itself."""
    text, servers = _read(user_file())
    found: dict[str, Entry | ValueError] = {}
    for name, raw in servers.items():
        try:
            found[name] = _checked(name, raw, text)
        except ValueError as error:
            found[name] = error
    return found


def _read(file: Path) -> tuple[str, Mapping[str, object]]:
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ValueError(f"{file}: too large, more than {_LARGEST:,} bytes.")
        text = data.decode("utf-8-sig")
        settings = json.loads(text)
    except FileNotFoundError:
        return "", {}
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ValueError(f"{file}, line {line}: this is no UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{file}, line {error.lineno}: this is no JSON: {error.msg} (column {error.colno}). "
            "Comments and commas before a closing bracket are none either."
        ) from None
    except RecursionError:
        raise ValueError(f"{file}: nested too deeply.") from None
    servers = settings.get(_SERVERS) if isinstance(settings, dict) else None
    if not isinstance(servers, dict):
        raise ValueError(
            f"{file}, line {_line(text, _SERVERS) or 1}: it must have an object `{_SERVERS}`, like {_EXAMPLE}"
        )
    return text, servers


def _checked(name: str, raw: object, text: str) -> Entry:
    try:
        return read_entry(name, raw)
    except EntryError as error:
        line = _line(text, _SERVERS, name, *([error.field] if error.field else []))
        where = f"{user_file()}, line {line}" if line else str(user_file())
        raise ValueError(f"{where}: {error}") from None


def _line(text: str, *keys: str) -> int | None:
    """The line of a key, each one looked for behind the one before it: right unless somebody writes very oddly."""
    at, seen = 0, False
    for key in keys:
        found = re.compile(rf"{re.escape(json.dumps(key, ensure_ascii=False))}\s*:").search(text, at)
        if found is not None:
            at, seen = found.start(), True
    return text.count("\n", 0, at) + 1 if seen else None


# --- checks -----------------------------------------------------------------------------------------------------------


def _env(name: str, raw: object) -> dict[str, str]:
    if raw is None:
        return {}
    if not isinstance(raw, Mapping):
        raise EntryError(f"{_entry(name)}: `env` must be an object of names and values.", "env")
    for variable, value in raw.items():
        # Never the value: it may be a secret.
        if not isinstance(variable, str) or not isinstance(value, str):
            raise EntryError(f"{_entry(name)}: the value of {variable!r} in `env` must be a string.", "env")
        if not variable or "=" in variable or "\0" in variable + value:
            raise EntryError(f"{_entry(name)}: {variable!r} in `env` cannot be a variable.", "env")
    return dict(raw)


def _home(word: str) -> str:
    return os.path.expanduser(word) if word.startswith("~/") else word  # noqa: PTH111 (not every word is a path)


def _entry(name: str) -> str:
    return f"The entry {name!r}" if name else "The entry"


def _kind(value: object) -> str:
    if value == "":
        return "an empty text"
    kinds = {type(None): "nothing", bool: "true or false", int: "a number", float: "a number", str: "text"}
    return kinds.get(type(value), "a list" if isinstance(value, (list, tuple)) else "an object")
