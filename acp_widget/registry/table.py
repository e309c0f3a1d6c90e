"""The list of agents as text for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

_FOUND = {"program": "installed", "npx": "by npx", None: "missing"}


def table(listed: Mapping[str, Any]) -> str:
    """What `listed()` told, an agent a line: its name, whether it can start, its command or how to get it."""
    rows = [("NAME", "", "STARTS WITH")]
    for name, agent in listed["agents"].items():
        rows.append((name, _FOUND[agent["found"]], _command(agent)))
        if agent["found"] == "npx":
            rows.append(("", "", f"to install it: {agent['install']}"))
        if agent["login"] and agent["found"]:
            rows.append(("", "", f"login: {agent['login']}"))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"{name:<{widths[0]}}  {found:<{widths[1]}}  {rest}".rstrip() for name, found, rest in rows]
    return "\n".join([*lines, "", *_around(listed)])


def _command(agent: Mapping[str, Any]) -> str:
    if agent["found"]:
        return shlex.join(agent["command"])
    missing = agent["error"] or "not found"
    if agent["install"] and missing == "not installed":
        return f"not installed; to install it: {agent['install']}"
    return missing if not agent["command"] else f"{missing}: {shlex.join(agent['command'])}"


def _around(listed: Mapping[str, Any]) -> list[str]:
    file = listed["file"]
    lines = [
        f"Agent() without a name starts {listed['default']!r}; the variable ACP_WIDGET_AGENT says which.",
        "npx downloads an agent into its own cache when it runs for the first time; nothing else is installed.",
        f"Your own agents: {file['path']}",
    ]
    return [*lines, file["error"]] if file["error"] else lines
