"""Whether the words of a command are those of a rule's pattern: for certain, or only perhaps."""

from __future__ import annotations

import re

from . import paths
from .commands import Words, program

_BUNDLE = re.compile(r"-[A-Za-z0-9]{1,6}")
_OPTION = re.compile(r"--?[A-Za-z]")


def same_program(pattern: str, words: Words) -> tuple[str, Words]:
    """A pattern and words with the names of their programs alone: without folder, `.exe` and capitals."""
    first, *rest = pattern.split()
    return " ".join([program(first) or first, *rest]), (program(words[0]) or words[0], *words[1:])


def meets(pattern: str, words: Words) -> bool:
    """Whether a rule that rejects such commands is about this one. A program with a folder is that one alone."""
    first = pattern.split()[0]
    if holds(pattern, words):
        return True
    plain, named = same_program(pattern, words)
    if not re.search(r"[/\\]", first):
        return holds(plain, named)
    # `./tool`, `tool` and `/work/tool` may be the same; `bin/tool` may not.
    ours, theirs = (re.sub(r"^(?:\./+)+", "", each.replace("\\", "/")) for each in (first, words[0]))
    same = ours.casefold() == theirs.casefold() or (
        theirs.startswith("/") and theirs.casefold().endswith(f"/{ours}".casefold())
    )
    return (same or paths.matches(ours.replace("*", "**"), theirs, fold=True)) and holds(plain, named)


def perhaps(pattern: str, words: Words) -> bool:
    """Whether it may be such a command: a program of that name elsewhere, or its options in another form or order."""
    plain, named = same_program(pattern, words)
    if holds(plain, named):
        return True
    first, *rest = plain.split()
    wanted = [word for word in rest if _OPTION.match(word) and "*" not in word]
    if not wanted or not _word_matches(first, named[0], True):
        return False
    options = [word.partition("=")[0] for word in named[1:] if _OPTION.match(word)]
    letters = {letter for word in options if _BUNDLE.fullmatch(word) for letter in word[1:].casefold()}
    long = [word for word in options if word.startswith("--")]
    if not all(_given(word.partition("=")[0], options, letters, long) for word in wanted):
        return False
    others = iter(named[1:])  # the other words of the pattern, in its order, whatever stands between them
    return all(
        any(_word_matches(plain_word, word, True) for word in others)
        for plain_word in rest
        if not plain_word.startswith("-") and plain_word != "*"
    )


def _given(option: str, options: list[str], letters: set[str], long: list[str]) -> bool:
    if any(option.casefold() == word.casefold() for word in options):
        return True
    if option.startswith("--"):  # shortened, or as a letter
        return option[2:3].casefold() in letters or any(len(word) > 2 and option.startswith(word) for word in long)
    if not _BUNDLE.fullmatch(option):
        return False
    return all(
        letter in letters or any(word[2:3].casefold() == letter for word in long) for letter in option[1:].casefold()
    )


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


def holds(pattern: str, words: Words) -> bool:
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


def word_cases(pattern: str) -> list[Words]:
    """Commands that stand for all that a pattern matches."""
    wanted = pattern.split()
    open_end = wanted[-1] == "*"
    words = tuple(paths.cases(word.replace("*", "**"))[-1] for word in (wanted[:-1] if open_end else wanted))
    return [words, words + tuple(paths.cases("*")[-1] for _ in range(9))] if open_end else [words]
