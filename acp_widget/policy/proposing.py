"""The rule that a user may make of one request: just what it is about, and nothing more."""

from __future__ import annotations

import contextlib

from .rulebook import Policy
from .rules import Edit, Read, Rule, Run
from .touched import Thing, Touched

_GLOB = frozenset("*?[]")


def proposed(asked: Touched) -> Rule | None:
    """A rule that allows this request, and the same again; None where what it is about cannot be said in one.

    >>> from .touched import touched
    >>> call = {"kind": "execute", "rawInput": {"command": "pytest -q"}}
    >>> proposed(touched({"subject": None, "problem": None, "options": []}, call, "/p"))
    Run('pytest -q')
    """
    rules = {_rule(thing) for thing in asked.things}
    rule = rules.pop() if len(rules) == 1 else None
    if rule is None or asked.problem is not None:
        return None
    return rule if Policy(allow=[rule]).explain(asked).action == "allow" else None


def _rule(thing: Thing) -> Rule | None:
    if thing.verb in ("edit", "read") and thing.place is not None:
        inside = thing.place.inside
        if inside and not _GLOB & set(inside):
            return Edit(inside) if thing.verb == "edit" else Read(inside)
    if thing.command is not None and thing.command.is_plain:
        words = thing.command.found[0]
        if all(word and not any(letter.isspace() for letter in word) and not _GLOB & set(word) for word in words):
            with contextlib.suppress(ValueError):  # of quoted words that look like operators
                return Run(" ".join(words))
    return None
