"""The input of a tool: the paths, addresses and commands in it, however deep they stand.

What cannot be read to its end is a doubt, and never nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .commands import Command, read_line, read_words
from .fields import Role, is_written, role_of
from .patches import files_of, is_patch
from .paths import place
from .things import Thing, Verb, at_path

MOST = 2_000  # things of one request; more are not read
_DEEPEST = 30  # levels
_LARGEST = 20_000  # texts, lists and objects
_TOO_MUCH = "Its input is too large, or nested too deep, to be read in full."
_SEVERAL = re.compile(r"[,;|\s\"']")
_ABSOLUTE = re.compile(r"""["']?(?:/(?!/?\*?\s|\*\*)|~[\w.-]*/|\.\.[/\\]|file:|[A-Za-z]:[/\\]|\\\\|\$\{?\w+\}?/)""")
"""Leads out of the folder, whatever the field is called. A comment of a program begins with a slash, too."""
_LONGEST_PATH = 4_096
_SAME = frozenset({"name", "value"})  # fields that only say what the object is
_OF_ITEMS: Mapping[Role | None, Role | None] = {"paths": "path", "changes": None}
_EMPTY: tuple[Any, ...] = (None, "", [], {}, False)


class Input:
    """Reads inputs of one request into `things`. `problem`: why that is not all of them."""

    def __init__(self, cwd: str) -> None:
        self.things: dict[Thing, None] = {}
        self.problem: str | None = None
        self._cwd = cwd
        self._left = _LARGEST

    def read(self, value: Any, verb: Verb, role: Role | None = None, depth: int = 0) -> None:
        """A value that stands in a field of that role; `verb` is what is done with its paths."""
        if not isinstance(value, (str, Mapping, list, tuple)):
            return
        self._left -= 1
        if depth > _DEEPEST or self._left < 0 or len(self.things) > MOST:
            self.problem = _TOO_MUCH
        elif isinstance(value, str):
            self._text(value, verb, role, depth)
        elif isinstance(value, Mapping):
            self._fields(value, verb, role, depth)
        else:
            for item in value:  # its objects have fields for names, no paths
                self.read(item, verb, _OF_ITEMS.get(role, role), depth + 1)
                if self._left < 0:
                    return

    def _text(self, text: str, verb: Verb, role: Role | None, depth: int) -> None:
        if role in ("path", "paths", "address") and text.lstrip()[:1] in ("[", "{"):  # as models write their lists
            try:
                self.read(json.loads(text), verb, role, depth + 1)
            except (ValueError, RecursionError):
                self.add(at_path(verb, text, self._cwd))  # some folders are called so
        elif (role == "paths" and _SEVERAL.search(text)) or (role == "address" and "://" not in text and "%" in text):
            self.problem = self.problem or "A text in its input may name several files, or others than it seems."
        elif role == "address" and "://" in text and not text.casefold().startswith("file:"):
            self.add(Thing("fetch", text))
        elif role in ("path", "paths", "address") or (role in (None, "input") and _leads_out(text)):
            self.add(at_path(verb, text, self._cwd))
        elif role in ("input", "arguments") and text.lstrip()[:1] in ("{", "["):  # as models write their calls
            try:
                self.read(json.loads(text), verb, None, depth + 1)
            except (ValueError, RecursionError):
                self.problem = self.problem or "A text in its input looks like JSON and cannot be read."
        if is_patch(text, whole=role == "content"):  # what is written into a file may tell of patches
            self._patch(text)

    def _patch(self, text: str) -> None:
        """Whatever a call is said to do: a patch is there to be applied."""
        files, certain = files_of(text)
        for path in files:
            self.add(at_path("edit", path, self._cwd))
        if not certain:
            self.problem = self.problem or "A patch in its input names files that cannot be read for certain."

    def _fields(self, raw: Mapping[str, Any], verb: Verb, role: Role | None, depth: int) -> None:
        roles = {name: role_of(str(name)) for name in raw}
        if not {"command", "commands"}.isdisjoint(roles.values()):
            self.run(raw)
        elif any(roles[name] == "folder" and not self._is_ours(value) for name, value in raw.items()):
            self.problem = self.problem or "Its paths may be meant from another folder than the session's."
        for name, value in raw.items():
            if role in ("paths", "changes") or (role in (None, "input") and _leads_out(str(name))):  # keyed by path
                self.add(at_path("edit" if role == "changes" else verb, str(name), self._cwd))
            done: Verb = "edit" if is_written(str(name)) else verb
            self.read(value, done, role if str(name).casefold() in _SAME else roles[name], depth + 1)
            if self._left < 0:
                return

    def _is_ours(self, folder: Any) -> bool:
        return folder in _EMPTY or (isinstance(folder, str) and place(folder, self._cwd).inside == ".")

    def run(self, raw: Mapping[str, Any]) -> None:
        """An object with one or more commands in it, and the fields that say how they run."""
        doubt, arguments, folder = "", None, ""
        for name, value in raw.items():
            role = role_of(str(name))
            if role == "folder":
                where = place(value, self._cwd) if isinstance(value, str) else None
                folder = where.real if where is not None else folder
                if value is not None and (where is None or where.inside is None or not where.readable):
                    doubt = "it runs outside of the session's folder"
            elif role == "arguments":
                arguments = value
            elif role not in ("command", "commands", "harmless") and value not in _EMPTY:
                doubt = f"its field {str(name)[:40]!r} is not known here"
        for name, value in raw.items():
            role = role_of(str(name))
            listed = list(value) if role == "commands" and isinstance(value, (list, tuple)) else [value]
            if role not in ("command", "commands") or value is None:
                continue
            for item in listed or [[]]:
                command, text = _command(item, arguments)
                if is_patch(text):
                    self._patch(text)
                if doubt:
                    command = replace(command, certain=False, doubt=doubt)
                self.add(Thing("run", text, command=command, folder=folder))
                if len(self.things) > MOST:
                    return

    def add(self, thing: Thing) -> None:
        if len(self.things) <= MOST:
            self.things[thing] = None
        else:
            self.problem = self.problem or "It touches too many things."


def _leads_out(text: str) -> bool:
    """Whether a text is a path that does not begin in the session's folder."""
    path = text.strip()
    return len(path) <= _LONGEST_PATH and _ABSOLUTE.match(path) is not None and "\n" not in path


def _command(value: Any, arguments: Any) -> tuple[Command, str]:
    """One command, as a line or as a list of words, with further arguments; and how it is said."""
    if isinstance(value, str) and (arguments in _EMPTY or isinstance(arguments, str)):
        line = f"{value} {arguments}" if isinstance(arguments, str) else value
        return read_line(line), line
    words = [value] if isinstance(value, str) else value
    further = [] if arguments in _EMPTY else arguments
    if not all(isinstance(part, (list, tuple)) for part in (words, further)):
        return Command((), False, "it is neither a line nor a list of words"), "?"
    words = [*words, *further]
    if not all(isinstance(word, str) for word in words):
        return Command((), False, "its words are no texts"), "?"
    return read_words(words), " ".join(words)
