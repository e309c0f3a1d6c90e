"""What a permission request would touch, as far as it can be read: never by its title or what it says in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .inputs import MOST, Input
from .patches import files_of
from .things import Thing, Verb, at_path

__all__ = ["Thing", "Touched", "Verb", "touched"]

_VERBS: Mapping[str, Verb] = {"read": "read", "search": "read", "execute": "run", "fetch": "fetch"}
_NEED = frozenset({"read", "edit", "delete", "move", "execute", "fetch"})
_STRICTNESS = {"execute": 5, "delete": 4, "move": 4, "edit": 3, "fetch": 1, "read": 0, "search": 0}  # others: 2
_IDS = frozenset({"type", "toolCallId", "terminalId", "_meta"})


@dataclass
class Touched:
    """All that it touches. `problem`: why it cannot be known in full; then no rule allows it.

    `kind` is the strictest of `kinds`, those that the call has and had; `names` are those of its tool.
    """

    kind: str = "other"
    kinds: tuple[str, ...] = ("other",)
    names: tuple[str, ...] = ()
    cwd: str = "/"
    things: list[Thing] = field(default_factory=list)
    problem: str | None = None
    globs: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    """What the globs of rules stand for, once for the request."""


def touched(permission: Mapping[str, Any], call: Mapping[str, Any] | None, cwd: str) -> Touched:
    """What a request (an entity of the state) and the call that it is about would touch.

    `call` may have `kindsBefore`, a list of the kinds that it had; the strictest of all counts.
    """
    subject = permission.get("subject")
    subject = subject if isinstance(subject, Mapping) else {}
    patch = subject.get("toolCall")
    calls = [each for each in (call, patch) if isinstance(each, Mapping)]
    found = Touched(problem=permission.get("problem"), cwd=cwd)
    found.names = tuple(dict.fromkeys(each["name"] for each in calls if isinstance(each.get("name"), str)))
    kinds = _kinds(_list((call or {}).get("kindsBefore")), calls)
    read = Input(cwd)
    if subject.get("type") == "command":
        kinds = ["execute"]
        read.run({name: value for name, value in subject.items() if name not in _IDS})
    found.kinds = tuple(dict.fromkeys(kinds))
    found.kind = max(kinds, key=lambda kind: _STRICTNESS.get(kind, 2))
    verb: Verb = "edit" if any(_VERBS.get(kind, "edit") == "edit" for kind in kinds) else "read"
    for each in calls:
        _read_call(each, found.kind, verb, cwd, read)
    if "search" in kinds and not any(thing.place or thing.verb != "read" for thing in read.things):
        read.add(at_path("read", ".", cwd))  # where no folder is said, it is the session's
    found.things = list(read.things)[:MOST]
    found.problem = found.problem or read.problem
    verbs = {thing.verb for thing in found.things}
    if not found.problem and not calls and not verbs:
        found.problem = "It does not say what it is about."
    if not found.problem and found.kind in _NEED and _VERBS.get(found.kind, "edit") not in verbs:
        found.problem = f"It does not say what it would {_VERBS.get(found.kind, found.kind)}."
    return found


def _kinds(before: list[Any], calls: list[Mapping[str, Any]]) -> list[str]:
    """The kind that it has, and those that it had; an earlier `other` says only that it was not known yet."""
    kinds = [kind for kind in (*before, *(each.get("kind") for each in calls)) if isinstance(kind, str)]
    return [kind for kind in kinds[:-1] if kind != "other"] + (kinds[-1:] or ["other"])


def _read_call(call: Mapping[str, Any], kind: str, verb: Verb, cwd: str, read: Input) -> None:
    """`verb`: what is done with its paths."""
    for item in _list(call.get("content")):
        if isinstance(item, Mapping) and item.get("type") == "diff":
            things = list(_of_diff(item, cwd))
            for thing in things:
                read.add(thing)
            if not things:
                read.problem = read.problem or "A change in it names no file."
    for item in _list(call.get("locations")):
        path = item.get("path") if isinstance(item, Mapping) else None
        if isinstance(path, str) and not (kind == "execute" and path == cwd):
            read.add(at_path(verb, path, cwd))
    raw = call.get("rawInput")
    if isinstance(raw, str) and kind == "execute" and not _is_json(raw):
        raw = {"command": raw}
    read.read(raw, verb, "input")


def _of_diff(diff: Mapping[str, Any], cwd: str) -> Iterator[Thing]:
    known: list[str] = []
    for change in [diff, *_list(diff.get("changes"))]:
        if isinstance(change, Mapping):
            for name in ("path", "oldPath"):
                if isinstance(change.get(name), str):
                    known.append(change[name])
                    yield at_path("edit", change[name], cwd)
    patch = diff.get("patch")
    text = patch.get("diff", patch.get("text")) if isinstance(patch, Mapping) else patch
    for path in files_of(text)[0] if isinstance(text, str) else ():
        # A header in a patch is relative to a root nobody tells: it counts unless it is the end of a path named above.
        if not any(f"/{each}".endswith(f"/{path.lstrip('/')}") for each in known):
            yield at_path("edit", path, cwd)


def _is_json(text: str) -> bool:
    """Whether a text is an object in JSON, and no command."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
