"""Docstrings as Markdown for the reference: examples become code, and lines that begin with a parameter a list."""

from __future__ import annotations

import re
from typing import Any

import griffe

_PARAMETER = re.compile(r"^`[^`]+`(, `[^`]+`)*( \([^)]*\))?:(?=\s)")


def markdown(text: str) -> str:
    """The docstring `text` as Markdown."""
    lines: list[str] = []
    example = listing = False
    for line in text.split("\n"):
        starts = line.startswith(">>>")
        if example and not line.strip():
            lines.append("```")
            example = False
        elif starts and not example:
            lines += ["", "```pycon"]
            example = True
        if not example and _PARAMETER.match(line):
            lines += [f"* {line}"] if listing else ["", f"* {line}"]
            listing = True
        elif listing and line.strip() and not example:
            lines.append(f"  {line}")
        else:
            listing = False
            lines.append(line)
    if example:
        lines.append("```")
    return "\n".join(lines)


class Examples(griffe.Extension):
    """Does it for every object that is loaded."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)
