"""The globs of rules about files, as they are meant: with the home, variables, `..` and links written out."""

# They are matched on paths that agents send, which are text and stay it.
# ruff: noqa: PTH111, PTH118

from __future__ import annotations

import itertools
import os
import posixpath
import re

_GLOB = re.compile(r"[*?\[{]")
_VARIABLE = re.compile(r"\$(?:\{\w+\}|\w+)(?=/)")
_BRACES = re.compile(r"\{([^{}/]*,[^{}/]*)\}")
_MOST = 64  # alternatives of one glob


def wrong(pattern: str) -> str:
    """Why a glob can never match a path, and what to write; empty for one that can."""
    if pattern != pattern.strip(" "):
        return f"it begins or ends with a space. Write {pattern.strip()!r}"
    if pattern.casefold().startswith("file:"):
        return f"it takes a path, not an address. Write {re.sub('^file:/*', '/', pattern, flags=re.IGNORECASE)!r}"
    if re.match(r"[A-Za-z][\w+.-]+://", pattern):
        return f"it takes a path. For an address write Fetch({pattern!r})"
    if pattern.startswith("!"):
        return f"there is no 'not'. Write a rule that rejects or allows {pattern[1:]!r}, or './{pattern}' for that name"
    if re.match(r"%\w+%", pattern) and os.name != "nt":
        return "such a variable is not known here. Write the whole path"
    if (found := _VARIABLE.match(pattern)) and os.path.expandvars(found[0]) == found[0]:
        return f"{found[0]} is not set. Write the whole path, or './{pattern}' for a folder of that name"
    if re.match(r"~[\w.-]*/", pattern) and os.path.expanduser(pattern) == pattern:
        return f"there is no such home. Write the whole path, or './{pattern}' for a folder of that name"
    parts = pattern.replace("\\", "/").split("/")
    if any(part == ".." and any(_GLOB.search(each) for each in parts[:at]) for at, part in enumerate(parts)):
        return "'..' stands behind a '*'. Write where it leads"
    return ""


def written_out(pattern: str, cwd: str) -> str:
    """The same glob without `~`, variables, `//`, `.` and `..`; relative as long as it stays in the folder `cwd`."""
    text = pattern
    if text == "~" or re.match(r"~[\w.-]*/", text):
        text = os.path.expanduser(text)
    elif _VARIABLE.match(text) or text in ("$HOME", "${HOME}"):
        text = os.path.expandvars(text)
    if not re.search(r"//|(?:^|/)\.{1,2}(?:/|$)", text):
        return text
    ends = "/" if text.endswith("/") else ""
    text = posixpath.normpath(re.sub("/{2,}", "/", text)) + ends
    return posixpath.normpath(f"{os.path.realpath(cwd)}/{text}") if re.match(r"\.\.(?:/|$)", text) else text


def rejected(pattern: str, cwd: str) -> tuple[str, ...]:
    """All globs that a rule which rejects stands for: each with the links before its first `*` followed, too."""
    texts = [pattern]
    if "\\" in pattern and pattern.strip("\\/"):
        texts.append(pattern.replace("\\", "/"))
    found: dict[str, None] = {}
    for text in itertools.islice((each for given in texts for each in _alternatives(given)), _MOST):
        plain = written_out(text, cwd)
        if plain in (".", "./"):
            plain = os.path.realpath(cwd).rstrip("/") + "/**"
        plain = "/**" if plain == "/" else plain
        found[plain] = None
        fixed, rest = _parted(plain)
        if fixed:
            real = os.path.realpath(os.path.join(cwd, fixed))
            found["/".join(each for each in (real.rstrip("/"), rest) if each) or "/**"] = None
    return tuple(found)


def fixed_part(glob: str) -> str:
    """The folders before its first `*`; all of it where there is none."""
    return _parted(glob)[0]


def _parted(glob: str) -> tuple[str, str]:
    parts = glob.split("/")
    at = next((at for at, part in enumerate(parts) if re.search(r"[*?]", part)), len(parts))
    return "/".join(parts[:at]) or ("/" if glob.startswith("/") else ""), "/".join(parts[at:])


def _alternatives(glob: str) -> list[str]:
    """`*.{key,pem}` as each of its cases, and as it is written."""
    found, at = [glob], 0
    while at < len(found) < _MOST:
        braces = _BRACES.search(found[at])
        if braces:
            found.extend(
                found[at][: braces.start()] + each + found[at][braces.end() :] for each in braces[1].split(",")
            )
        at += 1
    return found
