"""Rules: what they match, and which of two says more."""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from . import globs, paths, taken
from .addresses import address_of, readings
from .commands import Words, program, read_line
from .fitting import meets, perhaps, same_program, word_cases, words_match
from .touched import Thing, Touched, Verb

_IN_PROGRAM = re.compile(r"&&|\|\||[;&|<>]")
_OPERATOR = re.compile(r"&&|\|\|?|\|&|&|[0-9]*>>?|[0-9]*<<?<?|&>>?|[0-9]*[<>]&[0-9-]+|>\|")


@dataclass(frozen=True)
class Rule:
    """One rule of a `Policy`. `always`: where it allows, an option that the agent remembers may be chosen.

    Raises `TypeError` for a pattern that is no text, or an `always` that is neither True nor False, and `ValueError`
    for an empty pattern.
    """

    pattern: str
    always: bool = False

    verb: ClassVar[Verb | None] = None
    example: ClassVar[str] = "**"

    def __post_init__(self) -> None:
        name = type(self).__name__
        if not isinstance(self.pattern, str):
            raise TypeError(f'{name}(…) takes a text, such as {name}("{self.example}"), not {_class(self.pattern)}.')
        if not isinstance(self.always, bool):
            raise TypeError(f"{name}(…, always=…) is True or False, not {_class(self.always)}; one rule has one text.")
        if not self.pattern.strip():
            raise ValueError(f"{type(self).__name__}(…) needs a pattern.")

    def allows(self, thing: Thing, asked: Touched) -> bool:
        """True when all of the thing is within the rule, for certain."""
        raise NotImplementedError

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        """True when anything of the thing is within the rule."""
        raise NotImplementedError

    def narrower(self, other: Rule) -> bool:
        """True when it says strictly less than the other one: every case of it is a case of the other."""
        if isinstance(other, Tool):
            return other.is_kind
        return type(self) is type(other) and self._within(other) and not other._within(self)

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
        """True when something that it rejects may be hidden in the thing."""
        return False

    def _within(self, other: Rule) -> bool:
        return paths.within(self.pattern, other.pattern)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.pattern!r}{', always=True' if self.always else ''})"


class Edit(Rule):
    """Changes of files: `Edit("src/**")`. `*` and `?` stay within a folder, `**` does not.

    A relative glob means the session's folder, links resolved. As a rule that rejects, a name without a folder
    (`Edit("*.ipynb")`) counts in every folder, and capitals do not matter.

    >>> Edit("src/**")
    Edit('src/**')
    """

    verb: ClassVar[Verb | None] = "edit"

    def __post_init__(self) -> None:
        __tracebackhide__ = True
        super().__post_init__()
        if why := globs.wrong(self.pattern):
            raise ValueError(f"{type(self).__name__}({self.pattern[:200]!r}) would never match: {why}.")

    def allows(self, thing: Thing, asked: Touched) -> bool:
        if thing.verb != self.verb or thing.place is None:
            return False
        return paths.allows(globs.written_out(self.pattern, asked.cwd), thing.place)

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        if thing.verb != self.verb or thing.place is None:
            return False
        return any(paths.rejects(glob, thing.place) for glob in self._meant(asked))

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
        """Where a folder may hold such a file, or a command takes one, or a folder that may."""
        if thing.place is not None:
            place = thing.place
            return thing.verb == self.verb and any(paths.may_hold(glob, place) for glob in self._meant(asked))
        folders = dict.fromkeys((thing.folder or asked.cwd, asked.cwd))
        return any(
            self._taken_by(words, folder, asked)
            for words in (thing.command.all if thing.command else ())[:50]
            for folder in folders
        )

    def _taken_by(self, words: Words, cwd: str, asked: Touched) -> bool:
        if self.verb == "edit" and not taken.writes(words):
            return False
        deep, listing = taken.deep(words, self.verb), taken.listing(words)
        texts = [*taken.named(words), *(["."] if taken.everywhere(words, self.verb) else [])]
        for text in texts:
            at = [paths.place(text, cwd)]
            if re.search(r"[*?\[]", text):  # a program may read globs itself
                at.append(paths.place(globs.fixed_part(text.replace("[", "*")) or ".", cwd))
            for glob in self._meant(asked):
                if any(paths.rejects(glob, place) for place in at):
                    return True
                if not listing and any(paths.is_in(glob, place) for place in at):
                    return True
                if deep and any(paths.may_hold(glob, place) for place in at):
                    return True
        return False

    def _meant(self, asked: Touched) -> tuple[str, ...]:
        """The globs of it, once for a request: links are followed."""
        if self.pattern not in asked.globs:
            asked.globs[self.pattern] = globs.rejected(self.pattern, asked.cwd)
        return asked.globs[self.pattern]

    def _within(self, other: Rule) -> bool:
        name = "/" not in other.pattern  # counts in every folder
        return all(
            paths.matches(other.pattern, text)
            or (name and paths.matches(other.pattern, text.rsplit("/", 1)[-1], fold=True))
            for text in paths.cases(self.pattern)
        )


class Read(Edit):
    """Reads of files and folders, and searches in them: `Read("**")`. Globs as in `Edit`."""

    verb: ClassVar[Verb | None] = "read"


class Run(Rule):
    """Commands, by the words that really run: `Run("pytest *")`. `*` as the last word stands for any further words.

    What holds a shell's operators, substitutions, redirections, globs or assignments is never allowed by it. What
    runs code or other programs is allowed only by a rule that spells out what does so: `Run("python *")` allows any
    code, `Run("*")` none. Raises `ValueError` for what a shell would read as more than one command.
    """

    verb = "run"
    example: ClassVar[str] = "pytest *"

    def __post_init__(self) -> None:
        __tracebackhide__ = True
        super().__post_init__()
        if (mark := _operator(self.pattern)) is not None:
            raise ValueError(
                f"Run({self.pattern[:200]!r}) would never match: a rule is about one command, and {mark!r} parts or "
                "redirects commands. Write a rule for each; what holds operators is asked all the same."
            )

    def allows(self, thing: Thing, asked: Touched) -> bool:
        command = thing.command
        if command is None or not command.certain or not words_match(self.pattern, command.found[0]):
            return False
        return self._spells(command.found[0], command.unseen.spelled)

    def _spells(self, words: Words, places: Iterable[int]) -> bool:
        wanted = self.pattern.split()
        return all(at < len(wanted) and wanted[at] == words[at] for at in places)

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        return thing.command is not None and any(meets(self.pattern, words) for words in thing.command.all)

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
        """True when it may be such a command, or its words stand somewhere within: it is not known whether they run."""
        return thing.command is not None and any(self._may_be(words) for words in thing.command.all)

    def _may_be(self, words: Words) -> bool:
        if perhaps(self.pattern, words) and not meets(self.pattern, words):  # else it rejects, or a narrower one allows
            return True
        if self.pattern.split()[0] == "*":
            return False
        later = [words[at:] for at in range(1, min(len(words), 200))]
        if any(words_match(*same_program(self.pattern, rest), fold=True) for rest in later):
            return True
        if program(words[0]) in _TEXTS:
            return False
        # A line for another shell: adb shell "rm x", gcloud --command="rm x".
        lines = (text for word in words[1:200] for text in (word, word.partition("=")[2]) if len(text) <= _LINE)
        return any(
            meets(self.pattern, inner) or perhaps(self.pattern, inner)
            for line in lines
            if any(mark in line for mark in " ;|&\n\t")
            for inner in read_line(line).all
        )

    def _within(self, other: Rule) -> bool:
        return all(words_match(other.pattern, words) for words in word_cases(self.pattern))


def _operator(pattern: str) -> str | None:
    """What in a pattern parts commands, or redirects one. Within a word it may be text that was quoted."""
    words = pattern.split()
    if len(pattern.strip().splitlines()) > 1:
        return "\n"
    found = _IN_PROGRAM.search(words[0])
    if found is not None:
        return found[0]
    for at, word in enumerate(words):
        if _OPERATOR.fullmatch(word) or (len(word) > 1 and word.endswith(";")):
            return ";" if word.endswith(";") else word
        if word == ";" and not any(each.startswith(("-exec", "-ok")) for each in words[:at]):  # as find has it
            return word
    return None


class Fetch(Rule):
    """Addresses: `Fetch("https://docs.python.org/**")`. Scheme, host and path are matched one by one."""

    verb = "fetch"
    example: ClassVar[str] = "https://docs.python.org/**"

    def allows(self, thing: Thing, asked: Touched) -> bool:
        given, wanted = address_of(thing.text), address_of(self.pattern)
        if thing.verb != "fetch" or given is None or wanted is None:
            return False
        return all(paths.matches(glob, text) for glob, text in zip(wanted, given, strict=True))

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        return thing.verb == "fetch" and self._meets(thing.text)

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
        """Where a command names such an address."""
        return any(self._meets(word) for _, word in _words_of(thing) if "." in word or "://" in word)

    def _meets(self, text: str) -> bool:
        """Whether the text may be read as such an address: without its scheme and escapes, and dots resolved."""
        wanted = list(readings(self.pattern))[:1]
        for (host, path), (given_host, given_path) in itertools.product(wanted, readings(text)):
            if paths.matches(host, given_host, fold=True) and (
                path in ("", "/", "/*", "/**") or paths.matches(path, given_path, fold=True)
            ):
                return True
        return paths.matches(self.pattern, text, fold=True)


class Tool(Rule):
    """Whole calls, by their kind (`"read"`, `"edit"`, `"execute"`, …) or by the name of the tool: `Tool("mcp__db__*")`.

    The agent tells both. It says less than any other rule, except that a name which is rejected stays rejected.
    """

    example: ClassVar[str] = "read"

    @property
    def is_kind(self) -> bool:
        """Whether it is about a kind of calls, not about the name of a tool."""
        return any(paths.matches(self.pattern, kind) for kind in _CALL_KINDS)

    def fits(self, asked: Touched) -> bool:
        """Whether it is about such a call, for certain: a kind by the strictest that it had, a name by all of them."""
        if self.is_kind:  # also where a tool is called as a kind
            return paths.matches(self.pattern, asked.kind)
        return bool(asked.names) and all(paths.matches(self.pattern, name) for name in asked.names)

    def allows(self, thing: Thing, asked: Touched) -> bool:
        if not self.fits(asked) or (thing.command is not None and not thing.command.is_plain):
            return False
        done = {"edit": {"edit", "delete", "move"}, "read": {"read", "search"}, "run": {"execute"}, "fetch": {"fetch"}}
        return not self.is_kind or asked.kind in done[thing.verb]

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        return any(paths.matches(self.pattern, each, fold=True) for each in (*asked.kinds, *asked.names))

    def narrower(self, other: Rule) -> bool:
        return type(other) is Tool and self._within(other) and not other._within(self)


_CALL_KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
_KINDS = {kind.__name__: kind for kind in (Edit, Read, Run, Fetch, Tool)}


def _kind_like(word: str) -> str | None:
    """The kind of calls that was perhaps meant; a name that is longer or shorter is that of a tool."""
    found = difflib.get_close_matches(word.lower(), _CALL_KINDS, 1, 0.75)
    return found[0] if found and abs(len(found[0]) - len(word)) <= 1 else None


def rule_of(text: str) -> Rule:
    """A rule from how it is written: `rule_of("Run('pytest *')")`; a plain word is a `Tool`. Raises `ValueError`."""
    __tracebackhide__ = True
    if re.fullmatch(r"\w+", text):
        if text not in _CALL_KINDS and (kind := _KINDS.get(text.capitalize())):
            raise ValueError(
                f"{text!r}: a text names a tool, or a kind of calls: {', '.join(_CALL_KINDS)}. For the rule, write "
                f'{kind.__name__}("{kind.example}"); for a tool of that name, Tool({text!r}).'
            )
        if text not in _CALL_KINDS and (near := _kind_like(text)):
            raise ValueError(
                f"{text!r} is no kind of calls. Did you mean {near!r}? There are: {', '.join(_CALL_KINDS)}. "
                f"For a tool of that name, write Tool({text!r})."
            )
        return Tool(text)
    try:
        match ast.parse(text.strip(), mode="eval").body:
            case ast.Call(ast.Name(name), [ast.Constant(str(pattern))], []) if name in _KINDS:
                return _KINDS[name](pattern)
            case ast.Call(
                ast.Name(name), [ast.Constant(str(pattern))], [ast.keyword("always", ast.Constant(bool(always)))]
            ) if name in _KINDS:
                return _KINDS[name](pattern, always)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # said below
    raise ValueError(f"{text[:200]!r} is no rule. Write, for instance, Edit('src/**') or Run('pytest *').")


def _class(value: object) -> str:
    return type(value).__name__


_LINE = 4_000  # characters of a word that may be a line

# Programs whose arguments with spaces are texts, and run nowhere.
_TEXTS = frozenset(
    """
    git gh glab hub echo printf grep egrep fgrep rg ag ack pytest jq yq ls cat head tail wc cp mv rm mkdir touch diff
    sort uniq cut tr find sed curl ruff mypy black
    """.split()  # noqa: SIM905
)


def _words_of(thing: Thing) -> Iterator[tuple[str, str]]:
    """The words after each program in a command, and what stands behind `=` in them."""
    for words in (thing.command.found if thing.command else ())[:50]:
        for word in words[1:200]:
            yield program(words[0]), word[:4000]
            if "=" in word:
                yield program(words[0]), word[:4000].partition("=")[2]
