"""Rules: what they match, and which of two says more."""

from __future__ import annotations

import ast
import difflib
import itertools
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from . import paths
from .commands import Words, program
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

    def allows(self, thing: Thing, asked: Touched) -> bool:
        return thing.verb == self.verb and thing.place is not None and paths.allows(self.pattern, thing.place)

    def rejects(self, thing: Thing, asked: Touched) -> bool:
        return thing.verb == self.verb and thing.place is not None and paths.rejects(self.pattern, thing.place)

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
        """Where a folder may hold such a file, or a command names one that it would take."""
        if thing.place is not None:
            return thing.verb == self.verb and paths.may_hold(self.pattern, thing.place)
        return any(
            paths.rejects(self.pattern, paths.place(word, asked.cwd))
            for name, word in _words_of(thing)
            if self.verb == "read" or name in _WRITERS
        )

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
        found = thing.command.found if thing.command else ()
        return any(_holds(self.pattern, (program(words[0]), *words[1:])) for words in found)

    def hides_in(self, thing: Thing, asked: Touched) -> bool:
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
        return all(words_match(other.pattern, words) for words in _word_cases(self.pattern))


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
        wanted = list(_readings(self.pattern))[:1]
        for (host, path), (given_host, given_path) in itertools.product(wanted, _readings(text)):
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
        return any(paths.matches(self.pattern, each) for each in (*asked.kinds, *asked.names))

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


def words_match(pattern: str, words: Words, *, fold: bool = False) -> bool:
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    wanted = wanted[:-1] if open_end else wanted
    if len(words) < len(wanted) or (len(words) > len(wanted) and not open_end):
        return False
    return all(_word_matches(glob, word, fold) for glob, word in zip(wanted, words, strict=False))


def _word_matches(glob: str, word: str, fold: bool) -> bool:
    if not fold and glob != "*" and ".." in re.split(r"[/=:]", word) and ".." not in glob and "*" in glob:
        return False  # it would leave the folder that the glob tells of
    return paths.matches(glob.replace("*", "**"), word, fold=fold)


def _holds(pattern: str, words: Words) -> bool:
    """Whether such a command is in the words: other options may stand between them, and options anywhere."""
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    wanted = wanted[:-1] if open_end else wanted
    if words_match(pattern, words, fold=True) or not wanted:
        return words_match(pattern, words, fold=True)
    flags = [each for each in wanted[1:] if each.startswith("-")]
    if not _word_matches(wanted[0], words[0], True):
        return False
    if not all(any(_word_matches(flag, word, True) for word in words[1:]) for flag in flags):
        return False
    passed = [word.startswith("-") or (at > 1 and words[at - 1].startswith("-")) for at, word in enumerate(words)]
    at = 1
    for plain in (each for each in wanted[1:] if not each.startswith("-")):
        while at < len(words) and passed[at] and not _word_matches(plain, words[at], True):
            at += 1
        if at >= len(words) or not _word_matches(plain, words[at], True):
            return False
        at += 1
    return open_end or all(passed[at:])


def _word_cases(pattern: str) -> list[Words]:
    """Commands that stand for all that a pattern matches."""
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    words = tuple(paths.cases(word.replace("*", "**"))[-1] for word in (wanted[:-1] if open_end else wanted))
    return [words, words + tuple(paths.cases("*")[-1] for _ in range(9))] if open_end else [words]


# Programs that write, move or delete what they are given.
_WRITERS = frozenset(
    """
    cp mv rm rmdir ln tee dd touch truncate shred install unlink sed patch rsync scp tar unzip zip gzip gunzip chmod
    chown sort split curl wget xxd objcopy git
    """.split()  # noqa: SIM905
)


def _words_of(thing: Thing) -> Iterator[tuple[str, str]]:
    """The words after each program in a command, and what stands behind `=` in them."""
    for words in (thing.command.found if thing.command else ())[:50]:
        for word in words[1:200]:
            yield program(words[0]), word[:4000]
            if "=" in word:
                yield program(words[0]), word[:4000].partition("=")[2]


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """Host and path of an address, in each way that a program may read it."""
    text = re.sub(r"[\s\x00-\x1f]", "", text)
    for way in (text.replace("\\", "/"), text):
        way = way if "://" in way else f"https://{way.lstrip('/')}"
        for _ in range(3):
            way = unquote(way)
        try:
            parts = urlsplit(way)
            host = parts.hostname or ""
        except ValueError:
            continue
        path = posixpath.normpath("/" + parts.path.lstrip("/")) if parts.path else ""
        yield host.rstrip("."), path + (f"?{parts.query}" if parts.query else "")


def address_of(text: str) -> tuple[str, str, str] | None:
    """Scheme, host with port, and path; None for what can be read in two ways."""
    if re.search(r"[\s\\@\x00-\x1f]|%2e|%2f|/\.\.?(/|$)|[^\x20-\x7e]", text, re.IGNORECASE):
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port  # of a host that ends in no number, it raises
    except ValueError:
        return None
    if "%" in parts.netloc:
        return None
    return parts.scheme.lower(), parts.netloc.lower(), (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
