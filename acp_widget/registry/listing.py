"""What `python -m acp_widget agents` tells: every agent that a name starts, and how to get the missing ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import entries, finding, known, node
from .given import DEMO, VARIABLE, Launch, launch, of_entry


def listed(environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """All agents by name, the default, and the user's file, as JSON data. Starts none of them.

    Of each: `found` ("program", "npx" or null), `command`, `install`, `environment` (names only), `login`, `node` (the
    oldest major version), `quirks`, `source` ("built in" or "user file") and `error` (why it cannot start, or null).
    """
    environment = os.environ if environment is None else environment
    agents = {DEMO: _row(launch(DEMO), found="program", title="Demo agent")}
    present = _node_if_needed(environment)
    for agent in known.AGENTS.values():
        agents[agent.name] = _known(agent, environment, present)
    broken = None
    try:
        for name, entry in entries.user_entries().items():
            agents[name] = _own(name, entry, environment, agents)
    except ValueError as error:
        broken = str(error)
    return {
        "agents": agents,
        "default": os.environ.get(VARIABLE, "").strip() or DEMO,
        "node": str(present) if present is not None else None,
        "file": {"path": str(entries.user_file()), "error": broken},
    }


def _known(agent: known.Known, environment: Mapping[str, str], present: node.Node | None) -> dict[str, Any]:
    base = Launch(agent.command, agent.name, agent=agent, to_find=True)
    if finding.on_path(agent.program, environment):
        return _row(base, found="program", node=present)
    if agent.package is None or not finding.on_path("npx", environment):
        return _row(base, found=None, error="not installed", node=present)
    release = agent.release_for(present.major if present is not None else None)
    if release is None:
        assert present is not None
        return _row(base, found=None, error=finding.too_old(agent, present).message, node=present)
    return _row(base, found="npx", command=finding.by_npx(agent, release, finding.npx_folder(), present), node=present)


def _own(
    name: str, entry: entries.Entry | ValueError, environment: Mapping[str, str], agents: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    if isinstance(entry, ValueError):
        row = {**_row(Launch((), name), found=None, error=str(entry))}
    else:
        own = of_entry(entry)
        if own.to_find and own.agent is not None:
            row = {**agents[own.agent.name]}
        else:
            there = finding.on_path(own.command[0], environment)
            row = _row(own, found="program" if there else None, error=None if there else "not found")
        row["environment"] = list(dict.fromkeys([*row["environment"], *own.env]))
    return {**row, "source": "user file"}


def _row(
    own: Launch,
    *,
    found: str | None,
    title: str | None = None,
    command: tuple[str, ...] | None = None,
    error: str | None = None,
    node: node.Node | None = None,
) -> dict[str, Any]:
    agent = own.agent
    return {
        "title": title or (agent.title if agent is not None else own.label),
        "found": found,
        "command": list(command or own.command),
        "install": agent.install(node.major if node is not None else None) if agent is not None else None,
        "environment": list(agent.variables) if agent is not None else [],
        "login": agent.login or None if agent is not None else None,
        "node": agent.oldest_node if agent is not None else None,
        "quirks": ["missing_file_is_empty"] if own.missing_file_is_empty else [],
        "source": "built in",
        "error": error,
    }


def _node_if_needed(environment: Mapping[str, str]) -> node.Node | None:
    """Node.js, asked for its version only when some agent would be run by npx."""
    absent = any(
        agent.package is not None and not finding.on_path(agent.program, environment) for agent in known.AGENTS.values()
    )
    return node.find(environment) if absent else None
