"""Rules: what they match, and which of two says more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from . import paths
from .commands import Words, program
from .touched import Thing, Touched, Verb


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

    def _within(self, other: Rule) -> bool:
        return paths.matches(other.pattern, self.pattern)

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

    def allows(self, thing: Thing, asked: Touched) -> bool:
        return thing.verb == self.verb and thing.place is not None and paths.allows(self.pattern, thing.place)

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        return thing.verb == self.verb and thing.place is not None and paths.rejects(self.pattern, thing.place)

    def _within(self, other: Rule) -> bool:
        if "/" not in other.pattern and paths.matches(other.pattern, self.pattern.rsplit("/", 1)[-1], fold=True):
            return True
        return paths.matches(other.pattern, self.pattern)


class Read(Edit):
    """Reads of files and folders, and searches in them: `Read("**")`. Globs as in `Edit`."""

    verb: ClassVar[Verb | None] = "read"


class Run(Rule):
    """Commands, by the words that really run: `Run("pytest *")`. `*` as the last word stands for any further words.

    What holds a shell's operators, substitutions, redirections, globs or assignments is never allowed by it. What
    runs code or other programs is allowed only by a rule that spells out what does so: `Run("python *")` allows any
    code, `Run("*")` none.
    """

    verb = "run"
    example: ClassVar[str] = "pytest *"

    def allows(self, thing: Thing, asked: Touched) -> bool:
        command = thing.command
        if command is None or not command.certain or not words_match(self.pattern, command.found[0]):
            return False
        return self._spells(command.found[0], command.unseen.spelled)

    def _spells(self, words: Words, places: Iterable[int]) -> bool:
        wanted = self.pattern.split()
        return all(at < len(wanted) and wanted[at] == words[at] for at in places)

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        found = thing.command.found if thing.command else ()
        return any(words_match(self.pattern, (program(words[0]), *words[1:]), fold=True) for words in found)

    def hides_in(self, thing: Thing) -> bool:
        """True when its words stand somewhere within a command: it is then not known whether they run."""
        found = thing.command.found if thing.command else ()
        if self.pattern.split()[0] == "*":
            return False
        return any(
            words_match(self.pattern, (program(words[at]), *words[at + 1 :]), fold=True)
            for words in found
            for at in range(1, min(len(words), 200))
        )

    def _within(self, other: Rule) -> bool:
        return words_match(other.pattern, tuple(self.pattern.split()))


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
        if thing.verb != "fetch":
            return False
        wanted, given = urlsplit(self.pattern), _host(thing.text)
        if wanted.path in ("", "/", "/*", "/**") and wanted.netloc:
            return paths.matches(wanted.netloc, given, fold=True)
        return paths.matches(self.pattern, thing.text, fold=True)


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
        return any(paths.matches(self.pattern, each) for each in (*asked.kinds, *asked.names))

    def narrower(self, other: Rule) -> bool:
        return type(other) is Tool and self._within(other) and not other._within(self)


_CALL_KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
_KINDS = {kind.__name__: kind for kind in (Edit, Read, Run, Fetch, Tool)}


def rule_of(text: str) -> Rule:
    """A rule from how it is written: `rule_of("Run('pytest *')")`; a plain word is a `Tool`. Raises `ValueError`."""
    __tracebackhide__ = True
    if re.fullmatch(r"\w+", text):
        if text not in _CALL_KINDS and (kind := _KINDS.get(text.capitalize())):
            raise ValueError(
                f"{text!r}: a text names a tool, or a kind of calls: {', '.join(_CALL_KINDS)}. For the rule, write "
                f'{kind.__name__}("{kind.example}"); for a tool of that name, Tool({text!r}).'
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


def words_match(pattern: str, words: Words, *, fold: bool = False) -> bool:
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    wanted = wanted[:-1] if open_end else wanted
    if len(words) < len(wanted) or (len(words) > len(wanted) and not open_end):
        return False
    return all(_word_matches(glob, word, fold) for glob, word in zip(wanted, words, strict=False))


def _word_matches(glob: str, word: str, fold: bool) -> bool:
    return paths.matches(glob.replace("*", "**"), word, fold=fold)


def _host(text: str) -> str:
    try:
        return urlsplit(text).hostname or ""
    except ValueError:
        return ""


def address_of(text: str) -> tuple[str, str, str] | None:
    """Scheme, host with port, and path; None for what can be read in two ways."""
    if re.search(r"[\s\\@\x00-\x1f]|%2e|%2f|/\.\.?(/|$)|[^\x20-\x7e]", text, re.IGNORECASE):
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return parts.scheme.lower(), parts.netloc.lower(), (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
