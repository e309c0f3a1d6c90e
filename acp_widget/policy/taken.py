"""What a command does with the files and folders that it names. Pure, by tables of well-known programs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from .commands import Words, program

# Programs that write, move or delete what they are given.
_WRITERS = frozenset(
    """
    cp mv rm rmdir ln tee dd touch truncate shred install unlink sed patch rsync scp tar unzip zip gzip gunzip chmod
    chown chgrp sort split curl wget xxd objcopy git srm trash rename ditto robocopy xcopy move copy del 7z pax cpio
    """.split()  # noqa: SIM905
)
# Those that only tell the names of what is in a folder.
_LISTERS = frozenset({"ls", "dir", "cd", "mkdir", "pwd", "stat", "du", "test", "[", "echo", "printf", "tree", "find"})
# Those that read or copy all that is in a folder.
_DEEP = frozenset(
    """
    grep egrep fgrep zgrep rg ag ack ugrep semgrep cp mv ln tar zip 7z rsync scp diff install ditto robocopy xcopy move
    copy pax cpio rclone rm
    """.split()  # noqa: SIM905
)
_SEARCHERS = frozenset({"rg", "ag", "ack", "ugrep"})
_GIT_WRITES = frozenset({"rm", "mv", "clean", "checkout", "restore", "reset", "stash", "apply", "am"})
_GIT_READS = frozenset({"grep", "archive", "rm", "mv"})
_ACTIONS = ("-exec", "-ok", "-delete", "-fprint", "-fls")


# Programs and parts of git that only read a notebook.
_READERS = frozenset(
    """
    cat head tail less more grep egrep fgrep rg ag ls wc diff file stat du jq nbdiff pytest echo printf find test sort
    md5sum sha256sum status log show add commit blame
    """.split()  # noqa: SIM905
)
_MOST = 5_000  # entries of folders that are looked at


def notebooks(words: Words) -> list[str]:
    """The words that name a notebook, of a command that may write it."""
    name = program(words[0])
    if (_git(words) if name == "git" else name) in _READERS and not _acts(words):
        return []
    if "nbconvert" in words and not any(
        word.startswith(("--inplace", "--clear", "--output")) or "notebook" in word for word in words
    ):
        return []  # it writes another file
    return [word for word in words if ".ipynb" in word.casefold()]


def holds_notebook(folder: str) -> bool:
    """Whether a notebook is in a folder, as deep as it is; True where there is too much to look at."""
    seen = 0
    for _, folders, files in os.walk(folder):
        seen += len(files) + len(folders)
        if seen > _MOST or any(name.casefold().endswith(".ipynb") for name in files):
            return True
    return False


def writes(words: Words) -> bool:
    """Whether it writes, moves or deletes files that it names."""
    return program(words[0]) in _WRITERS or _acts(words)


def deep(words: Words, verb: str | None) -> bool:
    """Whether it edits, or reads, what is in a folder that it names."""
    name = program(words[0])
    if name == "git":
        return _git(words) in (_GIT_WRITES if verb == "edit" else _GIT_READS)
    return _acts(words) or name in (_WRITERS if verb == "edit" else _DEEP)


def listing(words: Words) -> bool:
    """Whether it tells names of files, and nothing that is in them."""
    return program(words[0]) in _LISTERS and not _acts(words)


def everywhere(words: Words, verb: str | None) -> bool:
    """Whether it works on the folder in which it runs, though it does not name it."""
    name, plain = program(words[0]), [word for word in words[1:] if not word.startswith("-")]
    if name == "git":
        sub = _git(words)
        hard = any(len(word) > 2 and "--hard".startswith(word) for word in words)
        if verb == "edit":
            return sub in ("clean", "apply", "am") or (sub == "reset" and hard) or (sub == "stash" and len(plain) < 2)
        return sub == "grep" and len(plain) < 3
    if verb == "edit" and (name in ("unzip", "patch") or (name == "tar" and _extracts(words))):
        return True
    if name in ("grep", "egrep", "fgrep"):
        return verb == "read" and len(plain) < 2 and _recursive(words)
    return (verb == "read" and name in _SEARCHERS and len(plain) < 2) or (_acts(words) and words[1][:1] == "-")


def _extracts(words: Words) -> bool:
    return any(re.fullmatch(r"-?[A-Za-z]*x[A-Za-z]*|--extract|--get", word) for word in words[1:4])


def _recursive(words: Words) -> bool:
    return any(re.match(r"-[A-Za-z]*[rR]|--(?:deref|recurs)", word) for word in words[1:])


def _acts(words: Words) -> bool:
    return program(words[0]) == "find" and any(word.startswith(_ACTIONS) for word in words)


def _git(words: Words) -> str:
    return next((word for word in words[1:] if not word.startswith("-")), "")


def named(words: Words) -> Iterator[str]:
    """What may be files in it: its words, and what stands behind `=`, `:` and a letter that is an option."""
    for word in words[1:200]:
        text = word[:4000]
        yield text
        for mark in "=:":
            if mark in text:
                yield text.partition(mark)[2] or "."
        if re.match(r"-[A-Za-z]", text):
            yield from (text[at:] for at in range(2, min(len(text), 5)))
