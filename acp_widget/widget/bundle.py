"""The built front end: read once a process, as plain strings."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import AcpError

STATIC = Path(__file__).parent.parent / "static"


class FrontEndMissing(AcpError):
    """The front end was not built."""

    title = "The front end is not built"


def asset(name: str) -> Any:
    """For `_esm = asset("widget.js")`: the text, read when the first widget is made, not at import.

    With ANYWIDGET_HMR=1 it is the path, and anywidget watches the file.
    """
    if os.environ.get("ANYWIDGET_HMR") == "1" and (STATIC / name).is_file():
        return STATIC / name
    return _Asset(name)


class _Asset:
    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> object:
        # On the class anywidget and traitlets only look whether it is there.
        return self if instance is None else _read(STATIC / self._name)


@cache
def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FrontEndMissing(
            f"The front end is not built: {path} is missing.",
            hint="Run `make build` in a clone of acp-widget (it needs Node), or install a released version.",
        ) from None
