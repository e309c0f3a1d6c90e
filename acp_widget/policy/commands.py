"""What a command would really run: its words, and every simple command that can be found in it.

Pure. When in doubt it says so: what is not `certain` is never allowed by a rule, and rules that reject still look at
all that was found.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .unseen import NOTHING, Unseen, unseen

Words = tuple[str, ...]

_OPERATORS = frozenset(";&|<>()\n\r")
_SPECIAL = frozenset("$`*?[]{}~#!\\^%")  # expand, comment, escape: what a shell makes of them is not known here
_ODD_IN_PROGRAM = frozenset("=$`*?{}")  # a list has them as they are; no program is called so
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
_WRAPPERS = frozenset(
    """
    env sudo doas su xargs nohup nice ionice time timeout command exec eval builtin setsid stdbuf watch parallel
    ssh chroot unshare busybox script strace flock then do else elif if while until coproc source .
    noglob nocorrect toybox nsenter ltrace chrt csh tcsh mksh yash rbash nu xonsh elvish
    ssh-agent run-parts xvfb-run hyperfine watchexec direnv
    """.split()  # noqa: SIM905
)
_HAND_ON = _WRAPPERS | _SHELLS | {"find", "fd", "fdfind"}
_JOINED = (";", "&", "|", "<", ">", "\n", "\r", "`", "$(")  # in a list of arguments: does a shell read it after all?
_DEPTH = 5
_LONGEST = 20_000  # characters and words of a command that are looked at


@dataclass(frozen=True)
class Command:
    """`certain`: it is exactly one simple command, `found[0]`, and nothing else runs. Else why that is not known.

    `found`: every simple command seen in it, those behind wrappers too. `unseen`: what `found[0]` may hide.
    """

    found: tuple[Words, ...]
    certain: bool
    doubt: str = ""
    unseen: Unseen = NOTHING
    outer: tuple[Words, ...] = ()
    """The shells that were told to run the line: `bash -c …` itself."""

    @property
    def all(self) -> tuple[Words, ...]:
        """All that a rule which rejects looks at."""
        return (*self.found, *self.outer)

    @property
    def is_plain(self) -> bool:
        """Whether it is known what runs: what the words say."""
        return self.certain and not self.unseen.why


def read_line(line: str, depth: int = 0) -> Command:
    """A line for a shell.

    >>> read_line("pytest -q 'my tests'").found
    (('pytest', '-q', 'my tests'),)
    >>> read_line("pytest; rm -rf /").certain
    False
    """
    if len(line) > _LONGEST:
        return Command((), False, "it is too long")
    pieces, doubt = _split(line)
    found = [words for piece in pieces for words in _unfold(piece, depth)]
    if not doubt and (len(pieces) != 1 or not pieces[0]):
        doubt = "it holds no command, or more than one"
    if not doubt:
        return _simple(pieces[0], depth)
    return Command(tuple(found), False, doubt)


def read_words(words: Sequence[str], depth: int = 0) -> Command:
    """A command as a list of arguments, which no shell reads."""
    if not words or len(words) > _LONGEST or sum(map(len, words)) > _LONGEST:
        return Command((), False, "it is empty or too long")
    given = tuple(words)
    read = _simple(given, depth)
    if any(_hidden(word) for word in words):
        read = Command(tuple(_unfold(given, depth)), False, "it holds invisible characters")
    if read.found[:1] == (given,) and any(mark in word for word in words for mark in _JOINED):
        both = (*read.found, *read_line(" ".join(words), depth + 1).all)
        return Command(both, False, read.doubt or "a shell would read its words in another way")
    return read


def _simple(words: Words, depth: int) -> Command:
    name = program(words[0])
    if name in _SHELLS:
        # What `bash -lc "…"` runs is the line alone.
        if len(words) == 3 and words[1] in ("-c", "-lc") and words[0] == name and depth < _DEPTH:
            inner = read_line(words[2], depth + 1)
            return replace(inner, outer=(words, *inner.outer))
        return Command(tuple(_unfold(words, depth)), False, f"{name} runs something else")
    if name in _WRAPPERS:
        return Command(tuple(_unfold(words, depth)), False, f"{name} runs something else")
    if not words[0] or words[0].startswith("-") or not _ODD_IN_PROGRAM.isdisjoint(words[0]):
        return Command(tuple(_unfold(words, depth)), False, "its first word is no plain program")
    return Command(tuple(_unfold(words, depth)), True, unseen=unseen(words))


def program(word: str) -> str:
    """The name of a program, without its folder and in small letters."""
    return word.replace("\\", "/").rsplit("/", 1)[-1].casefold().removesuffix(".exe")


def _unfold(words: Words, depth: int) -> Iterator[Words]:
    """The command, and what it hands on: each rest of the words behind a wrapper, each line for a shell."""
    while words and "=" in words[0]:
        words = words[1:]
    if not words:
        return
    yield words
    name = program(words[0])
    if depth >= _DEPTH or name not in _HAND_ON:
        return
    for start in range(1, min(len(words), 50)):
        rest = words[start:]
        yield rest
        if any(mark in rest[0] for mark in " ;|&\n\t"):
            yield from read_line(rest[0], depth + 1).all
        elif program(rest[0]) in _HAND_ON:
            yield from _unfold(rest, depth + 1)
            return


def _hidden(text: str) -> bool:
    return any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs") for letter in text)


def _split(line: str) -> tuple[list[Words], str]:
    """The words between operators, unquoted as far as this reads quotes; and why they may not be what runs."""
    pieces: list[Words] = []
    words: list[str] = []
    word: list[str] | None = None
    quote, doubt = "", ""
    if _hidden(line.replace("\t", " ").replace("\n", " ").replace("\r", " ")):
        doubt = "it holds invisible characters"

    def end_word() -> None:
        nonlocal word
        if word is not None:
            words.append("".join(word))
        word = None

    def end_piece() -> None:
        end_word()
        if words:
            pieces.append(tuple(words))
        words.clear()

    letters = iter(line)
    for letter in letters:
        if quote:
            if letter == quote:
                quote = ""
                continue
            if quote == '"' and letter in "$`\\!":
                doubt = doubt or f"it holds {letter!r}"
                if letter in "$`":
                    end_piece()
                    continue
                letter = next(letters, "") if letter == "\\" else letter
            elif quote == '"' and doubt and letter in "();|&\n":  # what stands in $(…) is commands, too
                end_piece()
                continue
            elif quote == '"' and doubt and letter in " \t":
                end_word()
                continue
            word = [] if word is None else word
            word.append(letter)
            continue
        if letter in "'\"":
            quote = letter
            word = [] if word is None else word
        elif letter in " \t":
            end_word()
        elif letter in _OPERATORS or letter == "`":
            doubt = doubt or f"it holds {letter!r}"
            end_piece()
        else:
            if letter in _SPECIAL:
                doubt = doubt or f"it holds {letter!r}"
            if letter == "\\":
                letter = next(letters, "")
                if letter == "\n":  # the line goes on
                    continue
            if letter in "${}":
                end_piece()
                continue
            word = [] if word is None else word
            word.append(letter)
    if quote:
        doubt = doubt or "a quote is not closed"
    end_piece()
    return pieces, doubt
