"""What a permission request would touch, as far as it can be read: never by its title or what it says in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .commands import Command, read_line, read_words
from .paths import Place, place

Verb = Literal["edit", "read", "run", "fetch"]

_VERBS: Mapping[str, Verb] = {"read": "read", "search": "read", "execute": "run", "fetch": "fetch"}
_NEED = frozenset({"read", "edit", "delete", "move", "execute", "fetch"})
_PATHS = frozenset(
    """
    path paths file files file_path filepath filename old_path new_path oldpath newpath source destination src dst
    target directory dir notebook_path absolute_path abs_path from to
    """.split()  # noqa: SIM905
)
_COMMANDS = frozenset({"command", "cmd", "script", "argv", "commands"})
_FOLDERS = frozenset({"cwd", "workdir", "working_directory", "workingdirectory"})
_HARMLESS = frozenset({"description", "timeout", "timeout_ms", "timeoutms", "justification", "call_id", "seconds"})
_NAMED = re.compile(r"^(?:\+\+\+|---|rename (?:from|to)|copy (?:from|to)) (?:[ab]/)?(.+?)(?:\t.*)?$", re.MULTILINE)
_MOST = 2_000  # things of one request; more are not read


@dataclass(frozen=True)
class Thing:
    """One thing that a request touches; `text` is how it is said."""

    verb: Verb
    text: str
    place: Place | None = None
    command: Command | None = None


@dataclass
class Touched:
    """All of it. `problem`: why it cannot be known in full; then no rule allows it."""

    kind: str = "other"
    name: str | None = None
    things: list[Thing] = field(default_factory=list)
    problem: str | None = None


def touched(permission: Mapping[str, Any], call: Mapping[str, Any] | None, cwd: str) -> Touched:
    """What a request (an entity of the state) and the call that it is about would touch."""
    subject = permission.get("subject")
    subject = subject if isinstance(subject, Mapping) else {}
    patch = subject.get("toolCall")
    calls = [each for each in (call, patch) if isinstance(each, Mapping)]
    found = Touched(problem=permission.get("problem"))
    for each in calls:
        found.kind = each["kind"] if isinstance(each.get("kind"), str) else found.kind
        found.name = each["name"] if isinstance(each.get("name"), str) else found.name
    things: dict[Thing, None] = {}
    if subject.get("type") == "command":
        found.kind = "execute"
        _run({name: value for name, value in subject.items() if name not in _IDS}, cwd, things)
    for each in calls:
        for thing in _of_call(each, found.kind, cwd):
            things[thing] = None
    found.things = list(things)[:_MOST]
    if len(things) > _MOST:
        found.problem = found.problem or "It touches too many things."
    verbs = {thing.verb for thing in found.things}
    if not found.problem and not calls and not verbs:
        found.problem = "It does not say what it is about."
    if not found.problem and found.kind in _NEED and _VERBS.get(found.kind, "edit") not in verbs:
        found.problem = f"It does not say what it would {_VERBS.get(found.kind, found.kind)}."
    return found


_IDS = frozenset({"type", "toolCallId", "terminalId", "_meta"})


def _of_call(call: Mapping[str, Any], kind: str, cwd: str) -> Iterator[Thing]:
    verb: Verb = _VERBS.get(kind, "edit")
    path_verb: Verb = "read" if verb in ("run", "fetch") else verb
    for item in _list(call.get("content")):
        if isinstance(item, Mapping) and item.get("type") == "diff":
            yield from _of_diff(item, cwd)
    for item in _list(call.get("locations")):
        path = item.get("path") if isinstance(item, Mapping) else None
        if isinstance(path, str) and not (verb == "run" and path == cwd):
            yield _path(path_verb, path, cwd)
    raw = call.get("rawInput")
    if isinstance(raw, str) and verb == "run":
        raw = {"command": raw}
    if isinstance(raw, Mapping):
        things: dict[Thing, None] = {}
        if any(str(name).casefold() in _COMMANDS for name in raw):
            _run(raw, cwd, things)
        yield from things
        yield from _named(raw, path_verb, cwd, 0)


def _of_diff(diff: Mapping[str, Any], cwd: str) -> Iterator[Thing]:
    known: list[str] = []
    for change in [diff, *_list(diff.get("changes"))]:
        if isinstance(change, Mapping):
            for name in ("path", "oldPath"):
                if isinstance(change.get(name), str):
                    known.append(change[name])
                    yield _path("edit", change[name], cwd)
    patch = diff.get("patch")
    text = patch.get("diff", patch.get("text")) if isinstance(patch, Mapping) else patch
    for path in _NAMED.findall(text) if isinstance(text, str) else ():
        # A header in a patch is relative to a root nobody tells: it counts unless it is the end of a path named above.
        if path != "/dev/null" and not any(f"/{each}".endswith(f"/{path.lstrip('/')}") for each in known):
            yield _path("edit", path, cwd)


def _named(raw: Any, verb: Verb, cwd: str, depth: int) -> Iterator[Thing]:
    """Paths and addresses in an input, by the names of its fields."""
    if depth > 4:
        return
    if isinstance(raw, (list, tuple)):
        for item in raw:
            yield from _named(item, verb, cwd, depth + 1)
        return
    if not isinstance(raw, Mapping):
        return
    for name, value in raw.items():
        known = str(name).casefold()
        for text in [value] if isinstance(value, str) else _list(value):
            if not isinstance(text, str):
                yield from _named(text, verb, cwd, depth + 1)
            elif known in ("url", "uri", "urls") and "://" in text and not text.startswith("file:"):
                yield Thing("fetch", text)
            elif known in _PATHS or known in ("uri", "url"):
                yield _path(verb, text, cwd)
        if isinstance(value, Mapping):
            if known == "changes":  # keyed by path
                for path in value:
                    yield _path("edit", str(path), cwd)
            yield from _named(value, verb, cwd, depth + 1)


def _run(raw: Mapping[str, Any], cwd: str, things: dict[Thing, None]) -> None:
    doubt = ""
    arguments: Any = None
    for name, value in raw.items():
        known = str(name).casefold()
        if known in _FOLDERS:
            where = place(value, cwd) if isinstance(value, str) else None
            if value is not None and (where is None or where.inside is None or not where.readable):
                doubt = "it runs outside of the session's folder"
        elif known == "args":
            arguments = value
        elif known not in _COMMANDS and known not in _HARMLESS and value not in (None, "", [], {}, False):
            doubt = f"its field {str(name)[:40]!r} is not known here"
    for name, value in raw.items():
        if str(name).casefold() not in _COMMANDS:
            continue
        if isinstance(value, str) and not arguments:
            command, text = read_line(value), value
        else:
            words = [*([value] if isinstance(value, str) else _list(value)), *_list(arguments)]
            if not all(isinstance(word, str) for word in words):
                command, text = Command((), False, "its words are no texts"), "?"
            else:
                command, text = read_words(words), " ".join(words)
        if doubt:
            command = Command(command.found, False, doubt)
        things[Thing("run", text, command=command)] = None


def _path(verb: Verb, path: str, cwd: str) -> Thing:
    return Thing(verb, path, place=place(path, cwd))


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
