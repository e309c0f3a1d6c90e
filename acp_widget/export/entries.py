"""What a transcript shows, read from a snapshot: plain entries that the HTML and the markdown form both draw."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """Running text: `role` is `user`, `agent`, `thought` or, inside a tool call, `tool`."""

    role: str
    text: str
    seconds: float | None = None


@dataclass(frozen=True)
class Line:
    """One line of our own with words of the agent in it; `bad` for what failed."""

    label: str
    text: str = ""
    bad: bool = False


@dataclass(frozen=True)
class Literal:
    """Text that is shown as it is, under a label."""

    label: str
    text: str
    language: str = ""


@dataclass(frozen=True)
class Picture:
    """A raster image: its name, its type and size in words, and its bytes as a data address."""

    name: str
    about: str
    source: str


@dataclass(frozen=True)
class Diff:
    """Changes as `(operation, path, note)`, and the patch where there is one."""

    changes: tuple[tuple[str, str, str], ...]
    patch: str | None
    is_git: bool


@dataclass(frozen=True)
class Screen:
    """A terminal: its last lines, and what was left out above them.

    `lines`, where they are wanted, is the text again: runs of CSS declarations of ours and text.
    """

    command: str
    cwd: str
    state: str
    text: str
    left_out: str
    lines: tuple[tuple[tuple[str, str], ...], ...] = ()


@dataclass(frozen=True)
class Decision:
    """A permission request: what was asked, what would run, and what became of it."""

    title: str
    subject: str
    outcome: str
    option: str
    why: str


@dataclass(frozen=True)
class Call:
    """A tool call and what stands in it."""

    title: str
    state: str
    places: tuple[str, ...]
    parts: tuple[Entry, ...]
    bad: bool


Entry = Said | Line | Literal | Picture | Diff | Screen | Decision | Call
