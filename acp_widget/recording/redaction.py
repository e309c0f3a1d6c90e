"""What of a connection is written down: messages without secrets, home folders and the user's name."""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from . import secrets
from .homes import Homes
from .secret_names import is_secret
from .secrets import HIDDEN
from .words import WORDS

Json = dict[str, Any]

_SHORT: Final = 8  # characters; what is shorter is no secret, but may stand anywhere
_NAMED: Final = re.compile(r"key|token|secret|passw|credential", re.IGNORECASE)  # as in protocol/stdio.py
_IDS: Final = re.compile(r"(?:^i|I)ds?$|^cursor$|Cursor$")
_BINARY: Final = re.compile(r"[A-Za-z0-9+/=_\s-]*")
_MANY: Final = 10_000  # ids that are told apart


class Redactor:
    """Takes out of messages what is nobody's business. It changes none: who has nothing to hide is given back itself.

    `home`, `user`: whose home folder and name are hidden; by default those of this process.

    >>> Redactor(home="/home/ada", user="ada").message({"cwd": "/home/ada/p", "apiKey": "12345"})
    {'cwd': '~/p', 'apiKey': '[redacted]'}
    """

    def __init__(self, *, home: str | None = None, user: str | None = None) -> None:
        self._homes = Homes(home, user)
        self._home = home
        self._literals: list[str] = []
        self._known: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._names: dict[str, str] = {}
        """Names of fields that were seen, as they are written."""

    def learn(
        self, environment: Mapping[str, str], given: Mapping[str, str], servers: Iterable[Any] = (), folder: str = ""
    ) -> None:
        """Values that must not be written: those of variables named like secrets, and all that were given to an agent.

        `given`: variables over the environment. `servers`: MCP servers as ACP has them. `folder`: where it works.
        """
        named = {**{name: value for name, value in environment.items() if _NAMED.search(name)}}
        values = [*named.values(), *(value for name, value in given.items() if name != "PATH")]
        for server in servers:
            for pairs in (server.get("env"), server.get("headers")) if isinstance(server, Mapping) else ():
                values += [pair["value"] for pair in pairs or () if isinstance(pair, Mapping) and "value" in pair]
        for value in values:
            if isinstance(value, str) and len(value) >= _SHORT and not self._is_place(value, folder):
                self._known |= {value, *_SCHEMED.findall(value)}
        forms = {form for value in self._known for form in _forms(value)} - WORDS
        self._literals = sorted(forms, key=lambda form: (-len(form), form))
        self._names = {}

    @staticmethod
    def _is_place(value: str, folder: str) -> bool:
        """A folder that the agent's own is in says nothing more than that one does."""
        inside = os.path.join(os.path.normpath(folder), "")  # noqa: PTH118
        return bool(folder) and os.path.isabs(value) and inside.startswith(os.path.join(os.path.normpath(value), ""))  # noqa: PTH117, PTH118

    def text(self, text: str) -> str:
        """A text without them."""
        if text in WORDS:
            return text
        for literal in self._literals:
            if literal in text:
                text = text.replace(literal, HIDDEN)
        return self._homes.hide(secrets.hide(text))

    def message(self, value: Any) -> Any:
        """A message without them. Raises `RecursionError` for one that is nested too deeply."""
        return self._value(value, "")

    # --- inside ----------------------------------------------------------------------------------------------------

    def _value(self, value: Any, name: str) -> Any:
        if isinstance(value, str):
            return self._id(value) if _IDS.search(name) else self.text(value)
        if isinstance(value, Mapping):
            return self._object(value)
        if isinstance(value, (list, tuple)):
            return self._list(value, name)
        return value

    def _id(self, text: str) -> str:
        """Two ids never become one."""
        hidden = self.text(text)
        if hidden == text or HIDDEN not in hidden:
            return hidden
        if text not in self._numbers and len(self._numbers) < _MANY:
            self._numbers[text] = len(self._numbers) + 1
        return hidden.replace(HIDDEN, f"[redacted {self._numbers.get(text, 0)}]", 1)

    def _object(self, value: Mapping[Any, Any]) -> Json:
        made: Json = {}
        about = value.get("name")
        speaks_of_secret = isinstance(about, str) and is_secret(about)
        update = value.get("sessionUpdate")
        is_terminal = isinstance(update, str) and update.startswith("terminal_")
        is_media = value.get("type") in ("image", "audio")
        for key, item in value.items():
            name = key if isinstance(key, str) else str(key)
            told: Any
            if isinstance(item, str):
                if (is_secret(name) and secrets.is_value(name, item)) or (speaks_of_secret and name == "value"):
                    told = HIDDEN if item else item
                elif (is_media and name == "data") or name == "blob":
                    told = self._media(item)
                elif is_terminal and name == "data":
                    told = self._encoded(item)
                else:
                    told = self._value(item, name)
            elif is_terminal and name == "output" and isinstance(item, Mapping):
                told = self._object({"sessionUpdate": update, **item})
                if "sessionUpdate" not in item:
                    del told["sessionUpdate"]
            elif name in _CARRIERS or is_secret(name):
                told = self._carried(item, is_secret(name))
            else:
                told = self._value(item, name)
            made[self._free(self._name(name), made)] = told
        return made

    def _name(self, name: str) -> str:
        told = self._names.get(name)
        if told is None:
            told = self.text(name)
            if len(self._names) < _MANY and len(name) < 100:
                self._names[name] = told
        return told

    def _free(self, name: str, made: Json) -> str:
        """Two fields never become one."""
        number, free = 1, name
        while free in made:
            number += 1
            free = f"{name} {number}"
        return free

    def _list(self, value: list[Any] | tuple[Any, ...], name: str) -> list[Any]:
        made: list[Any] = []
        flag = False
        for item in value:
            hidden = flag and isinstance(item, str) and not item.startswith("-")
            made.append(HIDDEN if hidden else self._value(item, name))
            flag = isinstance(item, str) and item.startswith("-") and "=" not in item and is_secret(item.lstrip("-"))
        return made

    def _carried(self, item: Any, is_named: bool) -> Any:
        """What is given to programs and servers: no value of it is written."""
        if isinstance(item, Mapping):
            return {
                self.text(str(key)): HIDDEN if isinstance(value, str) and value else self._value(value, str(key))
                for key, value in item.items()
            }
        if isinstance(item, (list, tuple)):
            return [self._pair(each, is_named) for each in item]
        if is_named and isinstance(item, (int, float)) and not isinstance(item, bool):
            return item
        return self._value(item, "")

    def _pair(self, item: Any, is_named: bool) -> Any:
        if isinstance(item, str):
            return HIDDEN if is_named and item else self._value(item, "")
        if not isinstance(item, Mapping):
            return self._value(item, "")
        told = self._object(item)
        return {**told, "value": HIDDEN} if isinstance(item.get("value"), str) and "name" in item else told

    def _media(self, data: str) -> str:
        """Pictures and sound are not looked into; but a text that only claims to be one is."""
        if not _BINARY.fullmatch(data):
            return self.text(data)
        for literal in self._literals:
            data = data.replace(literal, HIDDEN) if literal in data else data
        return data

    def _encoded(self, data: str) -> str:
        """Bytes of a terminal, in base64."""
        try:
            told = base64.b64decode(data, validate=True).decode("utf-8", "surrogateescape")
        except (binascii.Error, ValueError):
            return self.text(data)
        hidden = self.text(told)
        return data if hidden == told else base64.b64encode(hidden.encode("utf-8", "surrogateescape")).decode()


_CARRIERS: Final = frozenset({"env", "environment", "headers", "httpHeaders", "http_headers"})
_SCHEMED: Final = re.compile(r"(?:Bearer|Basic|Token)\s+(\S{8,})", re.IGNORECASE)
"""`Bearer abc…` as the value of a header: the token alone is one, too."""


def _forms(value: str) -> set[str]:
    """A value as it may stand in a text: itself, in JSON (in a string of JSON, too), in a URL."""
    once = json.dumps(value)[1:-1]
    whole = json.dumps(value, ensure_ascii=False)[1:-1]
    return {value, once, whole, json.dumps(once)[1:-1], quote(value, safe=""), quote(value)}
