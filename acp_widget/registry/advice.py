"""What to do about a start that failed: what is known of the agent, of `npx` and of Node.js, added to the error."""

from __future__ import annotations

import difflib
import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from .. import errors
from . import entries, finding, known, node
from .given import DEMO, Launch

log = logging.getLogger(__name__)

_MOST_NAMES = 20_000  # programs on PATH that are compared

# What npm says when it cannot bring a package, and what that means.
_NPM: Final = tuple(
    (re.compile(rf"npm (?:error|ERR!) code (?:{codes})\b"), told)
    for codes, told in (
        (
            "ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR",
            "npx could not reach the npm registry: is there a network, and does npm know the proxy? ",
        ),
        ("E401|E403", "The npm registry refused npx: does npm's configuration name the right one? "),
        ("E404|ETARGET", "The npm registry that npx asked does not have this package or version. "),
        ("EACCES|EPERM|EROFS", "npx cannot write to its cache: may you write to ~/.npm? "),
        ("ENOSPC", "The disk is full. "),
        ("EBADENGINE", "This package wants another version of Node.js. "),
    )
)
_WANTS_NODE: Final = re.compile(
    r"EBADENGINE|unsupported engine|(?:requires?|needs?|unsupported|minimum|upgrade)[^\n]{0,40}\bnode(?:\.?js)?\b"
    r"|SyntaxError:|ERR_UNKNOWN_BUILTIN_MODULE|ERR_REQUIRE_ESM|is not a function",
    re.IGNORECASE,
)


async def advise(
    error: errors.AcpError, launch: Launch, command: Sequence[str], environment: Mapping[str, str], cwd: str
) -> None:
    """Add to a start's error what can be done about it. `command`: what was run. Never raises."""
    try:
        told = await _advice(error, launch, command, environment, cwd)
    except Exception:  # the error itself says more than what goes wrong here
        log.exception("No advice could be given")
    else:
        error.hint = " ".join(filter(None, [told.strip(), error.hint]))


async def _advice(
    error: errors.AcpError, launch: Launch, command: Sequence[str], environment: Mapping[str, str], cwd: str
) -> str:
    agent = launch.agent
    if isinstance(error, errors.AgentNotFound):
        # An agent that was looked for by its name has its own error.
        return "" if launch.to_find else _meant(command, environment)
    if isinstance(error, errors.AgentExited):
        return await _why_it_ended(error, agent, command, environment, cwd)
    if isinstance(error, errors.StartTimeout):
        return _why_so_slow(error, agent, command)
    if isinstance(error, errors.AuthRequired):
        return about_login(launch)
    if isinstance(error, errors.RequestError) and agent is not None:
        return " ".join(told for words, told in agent.refusals if words in error.message)
    return ""


def absent(launch: Launch, cwd: str) -> errors.AgentNotFound | None:
    """The error of an agent that is not here, as far as a look at PATH tells without a start; else None.

    >>> absent(Launch(("gemni",), "gemni"), "/").hint
    "Did you mean 'gemini'?"
    """
    environment = {**os.environ, **launch.env}
    agent, name = launch.agent, launch.command[0]
    if launch.to_find and agent is not None:
        runs = finding.on_path(agent.program, environment) or (agent.package and finding.on_path("npx", environment))
        return None if runs else finding.missing(agent, environment)
    if finding.on_path(os.path.join(cwd, name) if os.sep in name else name, environment):  # noqa: PTH118 (`./x`)
        return None
    if len(launch.command) > 1 and name in (*_user_names(), *known.AGENTS, DEMO):
        hint = f"{name!r} is the name of an agent: it stands alone, without more words."
    else:
        hint = _meant(launch.command, environment) or "Install it, or give its absolute path."
    return errors.AgentNotFound(f"There is no command `{name}`.", hint=hint)


def about_login(launch: Launch) -> str:
    """How people log in to this agent, where that is known; else nothing."""
    agent = launch.agent
    return f"For {agent.title}: {agent.login}." if agent is not None and agent.login else ""


def guess(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str | None:
    """The name of an agent or program that a command which was not found was perhaps meant to be.

    >>> guess(["gemni"])
    'gemini'
    """
    if not command:
        return None
    own = _user_names()
    aliases = [alias for agent in known.AGENTS.values() for alias in agent.aliases]
    meant = _nearest(command[0], [*own, *known.AGENTS, *aliases, DEMO]) if len(command) == 1 else None
    if meant is not None:
        agent = known.called(meant)
        return agent.name if agent is not None and meant not in own else meant
    return _nearest(command[0], _programs(environment or {}), cutoff=0.8)


def _meant(command: Sequence[str], environment: Mapping[str, str]) -> str:
    if not command or os.sep in command[0] or finding.on_path(command[0], environment):
        return ""
    agent = known.running(command)
    if agent is not None and len(command) == 1 + len(agent.arguments):
        return f"Install it in a terminal: {agent.install()}" if agent.package is None else _known_instead(agent)
    meant = guess(command, environment)
    return f"Did you mean {meant!r}?" if meant is not None and meant != command[0] else ""


def _known_instead(agent: known.Known) -> str:
    return f"Agent({agent.name!r}) runs it by npx when it is not installed; to install it: {agent.install()}"


async def _why_it_ended(
    error: errors.AgentExited,
    agent: known.Known | None,
    command: Sequence[str],
    environment: Mapping[str, str],
    cwd: str,
) -> str:
    told = next((told for pattern, told in _NPM if pattern.search(error.stderr)), "")
    if _needs_node(command, agent, environment) and (agent is not None or _WANTS_NODE.search(error.stderr)):
        present = await node.ask(environment, cwd)
        told += _about_node(present, agent, bool(_WANTS_NODE.search(error.stderr)))
    if told and agent is not None and agent.package is not None and _by_npx(command):
        told += f"To install it for good, in a terminal: {agent.install()}"
    return told


def _about_node(present: node.Node | None, agent: known.Known | None, complained: bool) -> str:
    if present is None or present.major is None:
        return ""
    oldest = agent.oldest_node if agent is not None else None
    if oldest is not None and present.major < oldest:
        return f"It needs Node.js {oldest} or newer, and here is {present}: install one, or put it first on PATH. "
    return f"Node.js here is {present}; perhaps it is too old. " if complained else ""


def _why_so_slow(error: errors.StartTimeout, agent: known.Known | None, command: Sequence[str]) -> str:
    note = finding.downloading(command).note
    told = ""
    if note is not None and "`initialize`" in error.message:
        told = "It may still have been downloading; start it again to go on, or give it more time with start_timeout=. "
        if agent is not None and agent.package is not None:
            told += f"To install it for good, in a terminal: {agent.install()} "
    elif agent is not None and agent.login:
        told = f"{agent.title} may wait for a login: {agent.login}. "
    return told


def _by_npx(command: Sequence[str]) -> bool:
    return bool(command) and Path(command[0]).name in ("npx", "npm")


def _needs_node(command: Sequence[str], agent: known.Known | None, environment: Mapping[str, str]) -> bool:
    """Whether the command runs on Node.js, as far as can be seen."""
    if not command:
        return False
    if Path(command[0]).name in ("npx", "npm", "node") or (agent is not None and agent.releases):
        return True
    program = finding.on_path(command[0], environment)
    try:
        with Path(program or command[0]).open("rb") as file:
            first = file.readline(256)
    except OSError:
        return False
    return first.startswith(b"#!") and b"node" in first


def _user_names() -> list[str]:
    try:
        return list(entries.user_entries())
    except ValueError:
        return []


def _programs(environment: Mapping[str, str]) -> Iterable[str]:
    found: set[str] = set()
    for folder in environment.get("PATH", "").split(os.pathsep):
        try:
            found.update(os.listdir(folder) if folder else ())  # noqa: PTH208 (names only)
        except OSError:
            continue
        if len(found) > _MOST_NAMES:
            break
    return sorted(found)[:_MOST_NAMES]


def _nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    near = difflib.get_close_matches(word, names, n=1, cutoff=cutoff)
    return near[0] if near else None
