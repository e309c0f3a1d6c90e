"""Which command starts an agent here and now: its own program, or `npx` and its package."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import errors
from . import known, node
from .given import Launch

PATIENCE = 60.0  # seconds that a start may take
PATIENCE_DOWNLOAD = 300.0  # seconds, when something may be downloaded first

# The beginnings of commands that download what they then run.
_DOWNLOADERS = (
    *(("npx",), ("bunx",), ("pnpx",), ("uvx",)),
    *(("npm", "exec"), ("npm", "x"), ("pnpm", "dlx"), ("yarn", "dlx"), ("pipx", "run"), ("uv", "tool", "run")),
)


@dataclass(frozen=True)
class Found:
    """The command to run, a sentence for who waits (or None), and the seconds that the start may take."""

    command: tuple[str, ...]
    note: str | None = None
    patience: float = PATIENCE


async def find(launch: Launch, environment: Mapping[str, str], cwd: str) -> Found:
    """What to run for a `Launch`, with the whole `environment` and the folder that it will have.

    For a known agent its own program if that is on PATH, else `npx` with the newest release that fits the Node.js here.
    Raises `AgentNotFound` when there is neither, or Node.js is too old. A given command is taken as it is.
    """
    agent = launch.agent
    if not launch.to_find or agent is None or on_path(agent.program, environment):
        return downloading(launch.command)
    if agent.package is None or not on_path("npx", environment):
        raise missing(agent, environment)
    present = await node.ask(environment, cwd)
    release = agent.release_for(present.major if present else None)
    if release is None:
        assert present is not None
        raise too_old(agent, present)
    return downloading(by_npx(agent, release, _own_folder(), present))


def by_npx(
    agent: known.Known, release: known.Release, prefix: Path, present: node.Node | None = None
) -> tuple[str, ...]:
    """The `npx` line of one release.

    Its `prefix` is an empty folder of ours: `npx` reads settings (which registry, which shell) and takes packages from
    the folder it starts in, and that may be a project which somebody else wrote.
    """
    settings = _global_settings(present)
    return (
        "npx",
        f"--prefix={prefix}",
        *((f"--globalconfig={settings}",) if settings else ()),
        "-y",
        f"{agent.package}@{release.version}",
        *agent.arguments,
    )


def npx_folder() -> Path:
    """The empty folder that `npx` takes for its own."""
    import platformdirs

    return platformdirs.user_cache_path("acp-widget", appauthor=False) / "npx"


def downloading(command: Sequence[str]) -> Found:
    """What is to be said of a command, and how long to wait: some download first.

    >>> downloading(["npx", "-y", "some-agent"]).patience
    300.0
    """
    words = (Path(command[0]).name, *command[1:])
    if not any(words[: len(start)] == start for start in _DOWNLOADERS):
        return Found(tuple(command))
    note = f"{words[0]} downloads it first when it has not run before; that may take minutes."
    return Found(tuple(command), note, PATIENCE_DOWNLOAD)


def missing(agent: known.Known, environment: Mapping[str, str]) -> errors.AgentNotFound:
    """The error of an agent that is not here, with how to get it."""
    path = environment.get("PATH", "")
    searched = f"It was searched in PATH: {path}" if path else "PATH is empty."
    if agent.package is None:
        return errors.AgentNotFound(
            f"{agent.title} is not installed: there is no command `{agent.program}`. {searched}",
            hint=f"Install it in a terminal: {agent.install()}{_ELSEWHERE}",
        )
    return errors.AgentNotFound(
        f"{agent.title} is not installed: there is neither a command `{agent.program}`, nor `npx` that could run it. "
        f"{searched}",
        hint=f"Install Node.js {agent.oldest_node} or newer (https://nodejs.org), which brings npx; "
        f"or install the agent in a terminal: {agent.install()}{_ELSEWHERE}",
    )


def too_old(agent: known.Known, present: node.Node) -> errors.AgentNotFound:
    """The error of a Node.js that no release of the agent is known to run with."""
    return errors.AgentNotFound(
        f"{agent.title} needs Node.js {agent.oldest_node} or newer, and here is {present}.",
        hint="Install a newer Node.js, or put the folder of one first on PATH: env={'PATH': …}.",
    )


def on_path(program: str, environment: Mapping[str, str]) -> str | None:
    """The path of a program that could be started."""
    return shutil.which(program, path=environment.get("PATH", os.defpath))


_ELSEWHERE = ". When it is there but not on the kernel's PATH: env={'PATH': …}."


def _own_folder() -> Path:
    folder = npx_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise errors.AgentNotFound(
            f"npx needs a folder of its own, and {folder} cannot be made: {error.strerror or error}.",
            hint="Make room for it, or install the agent so that npx is not needed.",
        ) from None
    return folder


def _global_settings(present: node.Node | None) -> Path | None:
    """npm's settings for the whole machine, which another prefix would hide."""
    if present is None:
        return None
    file = Path(present.path).resolve().parent.parent / "etc" / "npmrc"
    return file if file.is_file() else None
