"""Where an agent works: the folder it is given, or a temporary one of its own that goes with the process."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_own: list[tuple[int, str]] = []


def choose(cwd: str | os.PathLike[str] | None, *, own: bool) -> tuple[str, bool]:
    """The folder's absolute path, and whether it is temporary. Without `cwd`: a new one if `own`, else this process's.

    Raises `ValueError` for what is no folder.
    """
    if cwd is None and own:
        made = str(Path(tempfile.mkdtemp(prefix="acp-demo-")).resolve())
        _own.append((os.getpid(), made))
        return made, True
    try:
        folder = (Path.cwd() if cwd is None else Path(cwd).expanduser()).resolve()
    except FileNotFoundError:
        raise ValueError("The folder that this process works in is gone. Pass cwd=.") from None
    except RuntimeError:  # ~somebody, who is not there
        folder = Path(cwd or "")
    if not folder.is_dir():
        raise ValueError(f"cwd={str(cwd)!r} is no folder. Make it first, or pass another one.")
    return str(folder), False


def remove() -> None:
    """Remove the temporary ones. A forked child leaves those of its parent alone."""
    for pid, folder in _own:
        if pid == os.getpid():
            shutil.rmtree(folder, ignore_errors=True)
