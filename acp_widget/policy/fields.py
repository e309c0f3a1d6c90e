"""What a field of a tool's input holds, by its name alone: agents name them as they like, in snake or camel case."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Literal

Role = Literal[
    "path", "paths", "address", "changes", "command", "commands", "folder", "arguments", "input", "content", "harmless"
]

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LAST: Mapping[Role, str] = {
    "path": "path file filepath filename pathname source src destination dest dst target directory dir folder notebook "
    "output outfile out document doc saveas saveto",
    "paths": "paths files filepaths filenames sources destinations targets directories dirs folders notebooks outputs "
    "filelist pathlist",
    "address": "url urls uri uris resource resources location",
    "command": "command cmd script argv cmdline commandline",
    "commands": "commands cmds scripts",
    "content": "content contents text string str body",
    "input": "input inputs params parameters payload",
}
"""The last part of a name decides: `target_file` and `targetFile` are files."""
_WHOLE: Mapping[Role, str] = {
    "path": "from to",
    "changes": "changes",
    "folder": "cwd workdir working_directory workingdirectory working_dir workingdir",
    "arguments": "args arguments",
    "harmless": "description timeout timeout_ms timeoutms justification call_id seconds",
}
_ENDS: tuple[tuple[str, Role], ...] = (
    *((end, "path") for end in ("path", "file", "filename", "folder", "directory")),
    *((end, "paths") for end in ("paths", "files", "filenames", "folders", "directories")),
)
"""Words that were written as one: `outputpath`."""
_WRITTEN = frozenset({"output", "outputs", "out", "outfile", "dest", "dst", "destination", "destinations", "save"})
_NO_FILES = frozenset({"profile", "profiles"})
_BY_LAST: Mapping[str, Role] = {word: role for role, words in _LAST.items() for word in words.split()}
_BY_WHOLE: Mapping[str, Role] = {word: role for role, words in _WHOLE.items() for word in words.split()}


def role_of(name: str) -> Role | None:
    """What a field of that name holds; None when that is not known.

    >>> role_of("target_file"), role_of("oldPath"), role_of("fileName"), role_of("amount")
    ('path', 'path', 'path', None)
    """
    return _role(name[-200:])  # a name may be of any length, and is kept


def is_written(name: str) -> bool:
    """Whether what a field of that name holds is written, also by a call that reads or fetches."""
    name = name[-200:]
    return name.casefold() == "to" or not _WRITTEN.isdisjoint(part.casefold() for part in _PART.findall(name))


@functools.lru_cache(maxsize=2048)
def _role(name: str) -> Role | None:
    whole = _BY_WHOLE.get(name.casefold())
    parts = [part.casefold() for part in _PART.findall(name)]
    if whole is not None or not parts:
        return whole
    last = parts[-1]
    for word in (last, "".join(parts[-2:])):
        if word in _BY_LAST:
            return _BY_LAST[word]
    return None if last in _NO_FILES else next((role for end, role in _ENDS if last.endswith(end)), None)
