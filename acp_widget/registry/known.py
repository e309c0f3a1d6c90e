"""The agents that are known by name: how each is started, had, and logged in to. One table; docs/agents.md shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True)
class Release:
    """One version of an npm package that was tried, and the oldest major version of Node.js that it ran with."""

    version: str
    node: int


@dataclass(frozen=True)
class Known:
    """One agent that `Agent("name")` knows.

    `program` and `arguments` start it when it is installed; else `npx` runs one of `releases` (newest first) of
    `package`. `variables` are names only: what it reads its keys and addresses from.
    """

    name: str
    title: str
    program: str
    arguments: tuple[str, ...] = ()
    package: str | None = None
    releases: tuple[Release, ...] = ()
    otherwise: str = ""
    """How to install it when it is no npm package."""
    variables: tuple[str, ...] = ()
    login: str = ""
    aliases: tuple[str, ...] = ()
    """What else people and editors call it. Never started by these, only recognised."""
    refusals: tuple[tuple[str, str], ...] = ()
    """Words of its refusals to start that say nothing to a user, each with what to do."""
    missing_file_is_empty: bool = False
    """It can only make a new file when a missing one reads as empty (`fs/read_text_file`)."""

    @property
    def command(self) -> tuple[str, ...]:
        """The command when its program is installed."""
        return (self.program, *self.arguments)

    @property
    def oldest_node(self) -> int | None:
        """The oldest major version of Node.js that any known release ran with; None when it needs no Node.js."""
        return min((release.node for release in self.releases), default=None)

    def release_for(self, node: int | None) -> Release | None:
        """The newest release for a major version of Node.js, the least demanding when that is unknown; None: too old.

        >>> AGENTS["claude"].release_for(20).version
        '0.49.0'
        """
        if node is None:
            return min(self.releases, key=lambda release: release.node, default=None)
        return next((release for release in self.releases if release.node <= node), None)

    def install(self, node: int | None = None) -> str:
        """The command that installs it for good.

        >>> AGENTS["gemini"].install()
        'npm install -g @google/gemini-cli@0.61.0'
        """
        release = self.release_for(node) or self.release_for(None)
        return self.otherwise if release is None else f"npm install -g {self.package}@{release.version}"


# Versions are exact: what runs is what was tried, the same bytes each time, and npx asks nobody when it has them.
_ALL: Final = (
    Known(
        name="claude",
        title="Claude Code",
        program="claude-agent-acp",
        package="@agentclientprotocol/claude-agent-acp",
        releases=(Release("0.101.0", node=22), Release("0.49.0", node=20)),
        variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
        login="run `claude` in a terminal and type /login, or give ANTHROPIC_API_KEY",
        aliases=("claude-code", "claude-acp", "claude-code-acp"),
        refusals=(
            (
                "Claude Code process exited",
                "Claude Code itself ended, and nothing more is passed on: run `claude` in a terminal to see why. "
                "As root it does not start when the variable IS_SANDBOX has another value than 1. In a container that "
                "it may do anything in, pass env={'IS_SANDBOX': '1'}, else env={'IS_SANDBOX': ''}.",
            ),
        ),
    ),
    Known(
        name="codex",
        title="Codex",
        program="codex-acp",
        package="@agentclientprotocol/codex-acp",
        releases=(Release("2.6.0", node=20),),
        variables=("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
        login="run `codex login` in a terminal, or agent.login('api-key', env={'OPENAI_API_KEY': …})",
        aliases=("codex-acp", "codex-cli", "openai-codex"),
    ),
    Known(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        arguments=("--acp",),
        package="@google/gemini-cli",
        releases=(Release("0.61.0", node=20),),
        variables=("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL"),
        login="run `gemini` once in a terminal, or agent.login('gemini-api-key', env={'GEMINI_API_KEY': …})",
        aliases=("gemini-cli", "google-gemini"),
        missing_file_is_empty=True,
    ),
    Known(
        name="opencode",
        title="opencode",
        program="opencode",
        arguments=("acp",),
        package="opencode-ai",
        releases=(Release("1.18.33", node=20),),
        variables=("OPENCODE_CONFIG", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
        login="run `opencode auth login` in a terminal, or give the key of the provider that its settings name",
        aliases=("opencode-ai", "open-code"),
    ),
    Known(
        name="qwen",
        title="Qwen Code",
        program="qwen",
        arguments=("--acp",),
        package="@qwen-code/qwen-code",
        releases=(Release("0.24.4", node=22), Release("0.15.10", node=20)),
        variables=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"),
        login="run `qwen` in a terminal and type /auth, or give OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
        aliases=("qwen-code", "qwen-cli"),
    ),
    Known(
        name="fast-agent",
        title="fast-agent",
        program="fast-agent",
        arguments=("acp",),
        otherwise="uv tool install --python 3.13 fast-agent-mcp==0.10.48",
        variables=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GENERIC_API_KEY", "GENERIC_BASE_URL"),
        login="give the key of your model's provider",
        aliases=("fast-agent-mcp", "fastagent"),
    ),
    Known(
        name="vibe",
        title="Mistral Vibe",
        program="vibe-acp",
        otherwise="uv tool install --python 3.12 mistral-vibe==3.0.2",
        variables=("MISTRAL_API_KEY",),
        login="run `vibe --setup` in a terminal, or give MISTRAL_API_KEY",
        aliases=("mistral-vibe", "mistral", "vibe-acp"),
    ),
)

AGENTS: Final[Mapping[str, Known]] = {agent.name: agent for agent in _ALL}
"""By name. The demo agent is no program that could be installed and not among them."""


def called(name: str) -> Known | None:
    """The agent of that name, or that others call so.

    >>> called("claude-acp").name
    'claude'
    """
    return AGENTS.get(name) or next((agent for agent in _ALL if name in agent.aliases), None)


def running(command: Sequence[str]) -> Known | None:
    """The known agent that a command starts: by its program, or by its package in an `npx` line.

    >>> running(["npx", "-y", "@google/gemini-cli@latest", "--acp"]).name
    'gemini'
    """
    if not command:
        return None
    program = Path(command[0]).name
    for agent in _ALL:
        if program == agent.program:
            return agent
        package = agent.package
        if package and any(word == package or word.startswith(f"{package}@") for word in command[1:]):
            return agent
    return None
