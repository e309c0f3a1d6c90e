"""Rules that nearly allow a thing: what it lacks, in a line each. Says, decides nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence

from . import paths
from .addresses import address_of
from .commands import program
from .fitting import words_match
from .rules import Edit, Fetch, Rule, Run, Tool
from .touched import Thing, Touched

_MOST = 5  # lines
_SHOWN = 120  # characters of a word or path
_VERSION = re.compile(r"[\d.]+$")


def nearly(rules: Sequence[Rule], asked: Touched) -> list[str]:
    """Lines of the form `nearly: Run('python3 *') would fit if …`, for what no rule of these allows."""
    lines: dict[str, None] = {}
    for thing in asked.things:
        if any(rule.allows(thing, asked) for rule in rules):
            continue
        for rule in rules:
            lacks = (each for kind, of_kind in _LACKS if isinstance(rule, kind) for each in of_kind(rule, thing, asked))
            if lack := next(lacks, ""):
                lines[f"nearly: {rule!r} {lack}"] = None
            if len(lines) >= _MOST:
                return list(lines)
    return list(lines)


def _of_path(rule: Rule, thing: Thing, asked: Touched) -> Iterator[str]:
    where, glob, kind = thing.place, rule.pattern.removeprefix("./"), type(rule).__name__
    if where is None:
        return
    if thing.verb != rule.verb:
        if paths.allows(glob, where):
            other = "Edit" if thing.verb == "edit" else "Read"
            yield f"would fit if it were to {rule.verb} it; to {thing.verb} it is {other}({glob!r})"
        return
    if os.path.isabs(glob):  # noqa: PTH117
        if paths.matches(glob, where.said):
            yield f"would fit if it were no link: it leads to {_cut(where.real)}"
        return
    inside = where.inside
    if inside is None:
        if where.said_inside is not None and paths.matches(glob, where.said_inside):
            yield f"would fit if it were no link: it leads to {_cut(where.real)}, outside of the session's folder"
        elif paths.matches(f"**/{glob}", where.real.lstrip("/")):
            yield f"would fit if the path were in the session's folder, {_cut(asked.cwd)}; it is {_cut(where.real)}"
        return
    wider = re.sub(r"(?<!\*)\*(?!\*)", "**", glob)
    for other in (f"**/{glob}", wider, f"{glob.rstrip('/')}/**"):
        if other != glob and paths.matches(other, inside):
            yield f"would fit as {kind}({other!r})"
            return
    if not where.readable and paths.matches(glob, inside):
        yield "would fit if it were a plain path"
    elif paths.matches(glob, inside, fold=True):
        yield f"would fit if capitals were the same: the path is {_cut(inside)}"


def _of_command(rule: Rule, thing: Thing, asked: Touched) -> Iterator[str]:
    command = thing.command
    if command is None or not command.found:
        return
    pattern, words = rule.pattern, command.found[0]
    if not command.certain:
        for found in command.found:
            if words_match(pattern, found):
                yield f"would fit if {_cut(' '.join(found))!r} were all of the command, plainly: {command.doubt}"
                return
    wanted = pattern.split()
    named = (program(words[0]), *words[1:])
    if words_match(pattern, words):
        hidden = [words[at] for at in command.unseen.spelled if not (at < len(wanted) and wanted[at] == words[at])]
        if hidden:
            yield f"would fit if it spelled out {', '.join(repr(_cut(each)) for each in hidden)}: {command.unseen.why}"
        return
    bare = " ".join([_bare(wanted[0]), *wanted[1:]])
    if words_match(pattern, named) or words_match(bare, (_bare(words[0]), *words[1:])):
        full = " ".join([words[0], *wanted[1:]])
        yield f"would fit if the program were {wanted[0]!r}; it is {_cut(words[0])!r}, which is Run({full!r})"
    elif words_match(f"{pattern} *", words):
        yield f"would fit if nothing came after it, or as {type(rule).__name__}({pattern + ' *'!r})"
    elif words_match(pattern, words, fold=True):
        yield "would fit if capitals were the same"
    elif len(words) > 2 and words[1] == "-m" and words_match(pattern, words[2:]):
        full = " ".join([*words[:2], pattern])
        yield f"would fit if it ran {words[2]!r} itself; run by {_cut(words[0])!r} it is Run({full!r})"
    elif wanted[1:2] == ["-m"] and wanted[2:] and words_match(" ".join(wanted[2:]), named):
        yield f"would fit if it ran by {' '.join(wanted[:2])!r}; by itself that is Run({' '.join(wanted[2:])!r})"


def _bare(word: str) -> str:
    return _VERSION.sub("", program(word))


def _of_address(rule: Rule, thing: Thing, asked: Touched) -> Iterator[str]:
    if thing.verb != "fetch":
        return
    given, wanted = address_of(thing.text), address_of(rule.pattern)
    if wanted is not None and not wanted[0] and paths.matches(f"**{rule.pattern.lstrip('*')}**", thing.text):
        yield f"would fit with a scheme and a path: Fetch({'https://' + rule.pattern.rstrip('/*') + '/**'!r})"
        return
    if given is None or wanted is None:
        return
    odd = [at for at in range(3) if not paths.matches(wanted[at], given[at])]
    if len(odd) == 1:
        part = ("scheme", "host", "path")[odd[0]]
        if odd != [1]:  # another host is no near miss
            yield f"would fit if the {part} were {_cut(wanted[odd[0]])!r}; it is {_cut(given[odd[0]])!r}"


def _of_tool(rule: Rule, thing: Thing, asked: Touched) -> Iterator[str]:
    if not isinstance(rule, Tool):
        return
    if rule.fits(asked) and thing.command is not None:
        why = thing.command.doubt or thing.command.unseen.why
        yield f"would fit if its command were plain: {why}"
    elif not rule.fits(asked) and (
        same := [each for each in (asked.kind, *asked.names) if paths.matches(rule.pattern, each, fold=True)]
    ):
        yield f"would fit if it were written as the agent tells it: {_cut(same[0])!r}"


_LACKS: tuple[tuple[type[Rule], Callable[[Rule, Thing, Touched], Iterator[str]]], ...] = (
    (Edit, _of_path),
    (Run, _of_command),
    (Fetch, _of_address),
    (Tool, _of_tool),
)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
