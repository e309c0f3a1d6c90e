"""The real agents: how each is started against the scripted model, and which steps of the script it can do."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .installing import installed, program

HERE = Path(__file__).resolve().parent
STEPS = ("text", "read", "edit", "command", "reject", "cancel", "load")

Files = Callable[[str], Mapping[str, str]]
Variables = Callable[[str], Mapping[str, str]]


def _nothing(url: str) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class RealAgent:
    """One agent.

    `version` is the version of the protocol that it speaks with us. `variables` and `files` (in its own HOME) get the
    scripted model's address. `config`: settings that make it ask, set when it has started. `services`: it uses the
    client's files and terminals. `unasked`: steps that it does without asking. `tells_output`: what its commands print;
    else only that they ended. `writes_late`: files in its HOME that keep a session, when it still writes them after the
    turn. `cannot`: steps that it cannot do, and why; it can do all others.
    """

    name: str
    version: int
    command: Callable[[], list[str]]
    variables: Variables = _nothing
    files: Files = _nothing
    config: Mapping[str, str] = field(default_factory=dict)
    services: bool = False
    unasked: frozenset[str] = frozenset()
    tells_output: bool = True
    writes_late: str | None = None
    cannot: Mapping[str, str] = field(default_factory=dict)
    python: tuple[int, int] = (3, 10)

    @property
    def can(self) -> list[str]:
        return [step for step in STEPS if step not in self.cannot]


def _program(package: str, *command: str) -> Callable[[], list[str]]:
    return lambda: [program(package, command[0]), *command[1:]]


def _codex_in_version_1() -> list[str]:
    return [sys.executable, str(HERE / "offer_version_1.py"), *_program("codex", "codex-acp")()]


def _pydantic() -> list[str]:
    return [program("pydantic", "python"), str(HERE / "pydantic_agent.py")]


def _sdk() -> list[str]:
    return ["node", str(installed("sdk") / "v2_agent.mjs")]


def _openai(url: str) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted-1"}


def _gemini(url: str) -> Mapping[str, str]:
    return {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def _claude(url: str) -> Mapping[str, str]:
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "IS_SANDBOX")
    return {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": url, **dict.fromkeys(quiet, "1")}


def _opencode(url: str) -> Mapping[str, str]:
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}


def _codex_files(url: str) -> Mapping[str, str]:
    return {
        ".codex/config.toml": f"""\
model = "gpt-5.1-codex"
model_provider = "loop"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.loop]
name = "loop"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
"""
    }


def _opencode_files(url: str) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "loop",
        "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
        "models": {"scripted-1": {"name": "Scripted"}},
    }
    config = {
        "provider": {"loop": provider},
        "permission": {"edit": "ask", "bash": "ask"},
        "model": "loop/scripted-1",
        "small_model": "loop/scripted-1",
    }
    return {".config/opencode/opencode.json": json.dumps(config)}


READ_ONLY = {"mode": "read-only"}
READS_UNASKED = frozenset({"read"})

CHEAP = (
    RealAgent(
        "pydantic-acp",
        1,
        _pydantic,
        services=True,
        unasked=READS_UNASKED,
        python=(3, 11),
    ),
    RealAgent("sdk-v2", 2, _sdk, unasked=READS_UNASKED),
    RealAgent(
        "qwen",
        1,
        _program("qwen", "qwen", "--acp", "--auth-type", "openai"),
        variables=_openai,
        unasked=READS_UNASKED,
        writes_late=".qwen/**/*{session_id}*.jsonl",
    ),
)

OTHERS = (
    RealAgent(
        "codex",
        2,
        _program("codex", "codex-acp"),
        variables=_openai,
        files=_codex_files,
        config=READ_ONLY,
        unasked=READS_UNASKED,
    ),
    RealAgent(
        "codex-v1",
        1,
        _codex_in_version_1,
        variables=_openai,
        files=_codex_files,
        config=READ_ONLY,
        unasked=READS_UNASKED,
    ),
    RealAgent(
        "gemini",
        1,
        _program("gemini", "gemini", "--acp"),
        variables=_gemini,
        unasked=READS_UNASKED,
        tells_output=False,
        cannot={
            "load": "offers it, and refuses in a new process: -32603, No previous sessions found for this project."
        },
    ),
    RealAgent(
        "opencode",
        1,
        _program("opencode", "opencode", "acp"),
        variables=_opencode,
        files=_opencode_files,
        unasked=READS_UNASKED,
    ),
    RealAgent("claude", 1, _program("claude", "claude-agent-acp"), variables=_claude, unasked=READS_UNASKED),
)

KNOWN = {agent.name: agent for agent in (*CHEAP, *OTHERS)}


def chosen() -> list[RealAgent]:
    """Those named in `$ACP_WIDGET_REAL_AGENTS`, or the cheap ones."""
    names = os.environ.get("ACP_WIDGET_REAL_AGENTS", "").split() or [agent.name for agent in CHEAP]
    return [KNOWN[name] for name in names]
