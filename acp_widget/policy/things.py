"""One thing that a request touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .commands import Command
from .paths import Place, place

Verb = Literal["edit", "read", "run", "fetch"]


@dataclass(frozen=True)
class Thing:
    """`verb` is what would be done with it; `text` is how it is said."""

    verb: Verb
    text: str
    place: Place | None = None
    command: Command | None = None
    folder: str = ""
    """In which a command runs, where that is told."""


def at_path(verb: Verb, path: str, cwd: str) -> Thing:
    return Thing(verb, path, place=place(path, cwd))
