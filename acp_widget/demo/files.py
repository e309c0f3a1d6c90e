"""Reading, comparing and writing files: what the agent's edits are made of."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """The file is not as it was, or not where it should be; nothing was written."""


def read(path: Path) -> bytes | None:
    """The content of a file, or None where there is none. Raises `OSError`."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(path: Path, expected: bytes | None, new: bytes) -> None:
    """Replace a file whose content is still `expected` (None: there is no such file) by `new`, whole or not at all.

    Raises `Refused` when somebody else changed the file, and `OSError`.
    """
    if read(path) != expected:
        raise Refused(f"{path.name} has changed since I read it. I left it as it is.")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(new)
        if expected is None:
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            _place_new(temporary, path)
        else:
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _place_new(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)  # unlike a rename, it never replaces what came in the meantime
    except FileExistsError:
        raise Refused(f"{path.name} is there now, and it was not when I looked. I left it as it is.") from None
    except OSError:  # a file system without hard links
        with path.open("xb") as file:
            file.write(temporary.read_bytes())


def inside(folder: Path, path: Path) -> Path:
    """The real path of a file, which must lie in `folder`. Raises `Refused` for a link that leads out of it."""
    real = path.resolve()
    if not real.is_relative_to(folder.resolve()):
        raise Refused(f"{path.name} is a link that leads out of the folder. I leave it alone.")
    return real


def diff(path: Path, old: bytes | None, new: bytes) -> Json:
    """The tool call content that shows the change (ACP v2, Tool Calls, Diffs): changes and a git patch."""
    change = {"operation": "add" if old is None else "modify", "path": str(path), "fileType": "text"}
    return {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": git_patch(path, old, new)}}


def git_patch(path: Path, old: bytes | None, new: bytes) -> str:
    """A ``diff --git`` section with absolute paths and without ``a/`` and ``b/``, as ACP wants it."""
    mode = "100644"
    if old is not None and os.access(path, os.X_OK):
        mode = "100755"
    name = _quoted(str(path))
    # Git ends a name that holds a blank with a tab, so that readers know where it ends.
    label = name + "\t" if " " in name and not name.startswith('"') else name
    lines = [f"diff --git {name} {name}"]
    if old is None:
        lines += [f"new file mode {mode}", f"index 0000000..{_blob(new)}", "--- /dev/null", f"+++ {label}"]
    else:
        lines += [f"index {_blob(old)}..{_blob(new)} {mode}", f"--- {label}", f"+++ {label}"]
    before, after = _lines((old or b"").decode()), _lines(new.decode())
    hunks = list(difflib.unified_diff(before, after))[2:]  # without its own two header lines
    body = "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in hunks)
    return "\n".join(lines) + "\n" + body


def counts(old: bytes | None, new: bytes) -> tuple[int, int]:
    """How many lines a change adds and removes."""
    hunks = list(difflib.unified_diff(_lines((old or b"").decode()), _lines(new.decode())))[2:]
    return sum(line.startswith("+") for line in hunks), sum(line.startswith("-") for line in hunks)


def _lines(text: str) -> list[str]:
    # Not splitlines: a form feed or U+2028 does not end a line for git.
    *whole, rest = text.split("\n")
    return [line + "\n" for line in whole] + ([rest] if rest else [])


def _blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:7]


def _quoted(path: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    if not any(char in escapes or ord(char) < 32 or ord(char) == 127 for char in path):
        return path
    escaped = (escapes.get(c) or (f"\\{ord(c):03o}" if ord(c) < 32 or ord(c) == 127 else c) for c in path)
    return '"' + "".join(escaped) + '"'
