"""What a user sees and is told when an agent starts slowly, oddly or not at all. Every program here is a fake."""

from __future__ import annotations

import math
import shlex
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentExited, AgentNotFound, AuthRequired, RequestError, StartTimeout
from acp_widget.registry import entries, finding

from .agents.scripted import scripted, until
from .processes import alive

WORKS = "start()\nprompt(); running(); say('hello'); idle()\nserve()"


class Place:
    """A folder with programs, the only one on PATH, and one to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin, self.cwd = folder, folder / "bin", folder / "work"
        self.bin.mkdir()
        self.cwd.mkdir()

    def shell(self, name: str, body: str) -> Place:
        file = self.bin / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)
        return self

    def agent(self, name: str, body: str, first: str = "") -> Place:
        """A program that is a scripted agent."""
        home = self.folder / name
        home.mkdir()
        return self.shell(name, f'{first}\nexec {shlex.join(scripted(home, body))} "$@"')

    def start(self, agent: Any, **options: Any) -> Agent:
        env = {"PATH": str(self.bin), **options.pop("env", {})}
        return Agent(agent, cwd=self.cwd, env=env, **options)

    def refused(self, agent: Any, kind: type[AcpError], **options: Any) -> AcpError:
        """The error that a prompt ends with, and that the card shows."""
        with self.start(agent, **options) as started:
            with pytest.raises(kind) as caught:
                started.run("hi", timeout=30, show=False)
            shown = started._driver.state.part("session")
            assert (shown["connection"], shown["note"]) == ("failed", None)
            assert shown["error"]["hint"] == caught.value.hint
        return caught.value


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(entries, "user_file", lambda: tmp_path / "agents.json")
    monkeypatch.setattr(finding, "npx_folder", lambda: tmp_path / "npx")
    monkeypatch.delenv("ACP_WIDGET_AGENT", raising=False)
    return Place(tmp_path)


def session(agent: Agent) -> dict[str, Any]:
    shown: dict[str, Any] = agent._driver.state.part("session")
    return shown


# --- it starts --------------------------------------------------------------------------------------------------------


def test_a_known_agent_that_is_installed_starts_by_its_name(place: Place) -> None:
    with place.agent("claude-agent-acp", WORKS).start("claude") as agent:
        assert agent.run("hi", timeout=20, show=False).text == "hello"
        assert session(agent)["command"] == ["claude-agent-acp"]
        assert session(agent)["label"] == "claude"


def test_npx_is_seen_at_work_with_what_it_runs_and_that_it_may_download(place: Place) -> None:
    wait = "while not os.path.exists('go'): time.sleep(0.005)\n"
    place.shell("node", "echo v20.1.0").agent("npx", wait + WORKS, first='echo "$@" > ../arguments')
    with place.start("codex").start() as agent:
        until(lambda: session(agent)["note"])
        shown = session(agent)
        assert agent.status == "starting"
        assert shown["command"][0] == "npx"
        assert shown["command"][-2:] == ["-y", "@agentclientprotocol/codex-acp@2.6.0"]
        assert "npx downloads it first when it has not run before" in shown["note"]
        (place.cwd / "go").touch()
        assert agent.run("hi", timeout=20, show=False).text == "hello"
        assert session(agent)["note"] is None
    assert "-y @agentclientprotocol/codex-acp@2.6.0" in (place.folder / "arguments").read_text()


def test_what_was_installed_meanwhile_is_found_by_a_restart(place: Place) -> None:
    with place.start("gemini") as agent:
        with pytest.raises(AgentNotFound):
            agent.run("hi", timeout=20, show=False)
        place.agent("gemini", WORKS)
        agent.restart()
        assert agent.run("hi", timeout=20, show=False).text == "hello"
        assert session(agent)["command"] == ["gemini", "--acp"]


def test_an_entry_brings_its_own_environment_and_what_is_passed_goes_before_it(place: Place) -> None:
    place.agent("mine", "start()\nprompt(); running(); say(os.environ['A'] + os.environ['B']); idle(); serve()")
    entry = {"type": "custom", "command": "mine", "args": [], "env": {"A": "entry-a", "B": "entry-b"}}
    with place.start({"Mine": entry}, env={"B": "+passed"}) as agent:
        assert agent.run("hi", timeout=20, show=False).text == "entry-a+passed"
        assert session(agent)["label"] == "Mine"
        assert "entry-a" not in str(session(agent))


def test_a_value_of_an_entrys_environment_is_not_shown_from_what_the_agent_says(place: Place) -> None:
    place.shell("mine", 'echo "bad token: $THEIR_WORD" >&2; exit 1')
    entry = {"command": "mine", "env": {"THEIR_WORD": "hush-hush-hush"}}
    error = place.refused(entry, AgentExited)
    assert "bad token: [THEIR_WORD]" in error.stderr


def test_agent_without_a_name_starts_what_the_variable_says(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_AGENT", "opencode")
    place.agent("opencode", WORKS)
    with Agent(cwd=place.cwd, env={"PATH": str(place.bin)}) as agent:
        assert agent.run("hi", timeout=20, show=False).text == "hello"
        assert session(agent)["command"] == ["opencode", "acp"]


def test_a_name_of_the_users_own_file_starts(place: Place) -> None:
    (place.folder / "agents.json").write_text('{"agent_servers": {"My Agent": {"command": "mine"}}}')
    with place.agent("mine", WORKS).start("My Agent") as agent:
        assert agent.run("hi", timeout=20, show=False).text == "hello"


def test_a_limit_of_infinity_is_none(place: Place) -> None:
    with place.agent("mine", WORKS).start("mine", start_timeout=math.inf) as agent:
        assert agent.run("hi", timeout=20, show=False).text == "hello"


# --- it does not ------------------------------------------------------------------------------------------------------


def test_nothing_installed_says_how_to_install_it(place: Place) -> None:
    error = place.refused("qwen", AgentNotFound)
    assert "neither a command `qwen`, nor `npx`" in error.message
    assert "Install Node.js 20 or newer" in error.hint
    assert "npm install -g @qwen-code/qwen-code@0.15.10" in error.hint
    assert "Did you mean" not in error.hint


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("claud", "Did you mean 'claude'?"),
        ("claude-code", "Did you mean 'claude'?"),
        ("claude-agent-acp", "Agent('claude') runs it by npx when it is not installed"),
        ("vibe-acp", "Install it in a terminal: uv tool install"),
        ("houseagent --acp", "Did you mean 'house-agent'?"),
    ],
)
def test_a_command_that_is_not_there_leads_to_one_that_is(place: Place, typed: str, hint: str) -> None:
    error = place.shell("house-agent", "exit 0").refused(typed, AgentNotFound)
    assert error.hint.startswith(hint)
    assert "absolute path" in error.hint, "and how to search elsewhere"


def test_node_missing_is_told_by_its_name(place: Place) -> None:
    place.shell("npx", "exit 0")
    (place.bin / "npx").write_text("#!/usr/bin/env node\n")
    error = place.refused("claude", AgentNotFound)
    assert "`node` is not there" in error.message
    assert "Install Node.js" in error.hint


def test_node_too_old_is_told_before_npx_is_run(place: Place) -> None:
    place.shell("node", "echo v16.20.2").shell("npx", "touch ran")
    error = place.refused("claude", AgentNotFound)
    assert "needs Node.js 20 or newer, and here is 16.20.2" in error.message
    assert not (place.cwd / "ran").exists()


def test_an_installed_agent_that_ends_under_an_old_node_says_so(place: Place) -> None:
    place.shell("node", "echo v18.0.0").shell(
        "qwen", "echo 'SyntaxError: Invalid regular expression flags' >&2; exit 1"
    )
    error = place.refused("qwen", AgentExited)
    assert "It needs Node.js 20 or newer, and here is 18.0.0" in error.hint
    assert "SyntaxError" in error.stderr


def test_an_unknown_package_that_complains_of_node_is_told_which_it_has(place: Place) -> None:
    place.shell("node", "echo v18.0.0").shell("npx", "echo 'This tool requires Node.js >= 24' >&2; exit 1")
    error = place.refused("npx -y some-agent", AgentExited)
    assert "Node.js here is 18.0.0" in error.hint


def test_an_agent_that_ends_for_another_reason_is_not_blamed_on_node(place: Place) -> None:
    place.shell("node", "echo v22.0.0").shell("qwen", "echo 'cannot read settings.json' >&2; exit 1")
    error = place.refused("qwen", AgentExited)
    assert "Node.js" not in error.hint
    assert "cannot read settings.json" in str(error)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("ENOTFOUND", "could not reach the npm registry"),
        ("ECONNREFUSED", "could not reach the npm registry"),
        ("E404", "does not have this package or version"),
        ("E403", "refused npx"),
        ("EACCES", "cannot write to its cache"),
        ("ENOSPC", "The disk is full"),
    ],
)
def test_what_npm_says_is_told_in_words_with_a_way_out(place: Place, code: str, told: str) -> None:
    place.shell("node", "echo v22.0.0").shell("npx", f"echo 'npm error code {code}' >&2; exit 1")
    error = place.refused("codex", AgentExited)
    assert told in error.hint
    assert "npm install -g @agentclientprotocol/codex-acp@2.6.0" in error.hint


def test_a_download_that_takes_too_long_says_that_it_may_be_one(place: Place) -> None:
    place.shell("node", "echo v22.0.0").agent("npx", "mute()")
    error = place.refused("codex", StartTimeout, start_timeout=0.5)
    assert "did not answer `initialize` within 0.5 s" in error.message
    assert "may still have been downloading" in error.hint
    assert "start_timeout=" in error.hint
    assert "npm install -g" in error.hint


def test_initialize_that_is_never_answered_is_given_up(place: Place) -> None:
    error = place.agent("mine", "mute()").refused("mine", StartTimeout, start_timeout=0.5)
    assert "did not answer `initialize` within 0.5 s" in error.message
    assert "Does its command start an ACP agent" in error.hint
    assert "downloading" not in error.hint


def test_a_session_that_is_never_made_is_told_from_that(place: Place) -> None:
    place.agent("opencode", "initialize(); mute()")
    error = place.refused("opencode", StartTimeout, start_timeout=1.5)
    assert "did not answer `session/new`" in error.message
    assert "opencode may wait for a login: run `opencode auth login`" in error.hint
    assert "start_timeout=" in error.hint


def test_garbage_and_the_end_fail_at_once_with_the_agents_words(place: Place) -> None:
    line = "kimi-cli is no longer maintained. Please use the new Kimi Code CLI."
    error = place.shell("kimi", f"echo '{line}'; exit 0").refused("kimi acp", AgentExited)
    assert "exit code 0" in error.message
    assert line in error.hint


def test_a_known_agent_that_wants_a_login_says_how(place: Place) -> None:
    refusal = "{'id': read()['id'], 'error': {'code': -32000, 'message': 'Authentication required'}}"
    body = f"initialize()\nsend({refusal})\nserve()"
    error = place.agent("gemini", body).refused("gemini", AuthRequired)
    assert "run `gemini` once in a terminal, or agent.login('gemini-api-key', env={'GEMINI_API_KEY': …})" in error.hint


def test_claude_that_ends_as_root_in_silence_says_what_to_do(place: Place) -> None:
    # What 0.49.0 says as root with IS_SANDBOX=0: it allows what Claude Code itself then refuses. Nothing is on stderr.
    said = (
        "{'code': -32603, 'message': 'Internal error', 'data': {'details': 'Claude Code process exited with code 1'}}"
    )
    body = f"initialize()\nsend({{'id': read()['id'], 'error': {said}}})\nserve()"
    error = place.agent("claude-agent-acp", body).refused("claude", RequestError)
    assert "Claude Code process exited with code 1" in error.message
    assert "run `claude` in a terminal" in error.hint
    assert "env={'IS_SANDBOX': '1'}" in error.hint
    # Another agent that says the same is not Claude Code.
    assert "IS_SANDBOX" not in place.agent("other", body).refused("other", RequestError).hint


def test_advice_that_goes_wrong_never_hides_the_error(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("broken advice")

    monkeypatch.setattr("acp_widget.registry.advice._meant", broken)
    assert "There is no command" in place.refused("nothing-like-this", AgentNotFound).message


@pytest.mark.parametrize("end", [lambda agent: agent.restart(), lambda agent: agent.close()], ids=["restart", "close"])
def test_a_search_that_hangs_ends_with_the_agent(place: Place, end: Callable[[Agent], object]) -> None:
    forever = f"{shlex.quote(sys.executable)} -S -c 'import time; time.sleep(60)'"
    place.shell("node", f"echo $$ > ../node.pid; {forever}").agent("npx", WORKS)
    number = place.folder / "node.pid"
    agent = place.start("codex").start()
    until(lambda: number.exists() and number.read_text().strip())
    assert agent.status == "starting"
    pid = int(number.read_text())
    assert alive(pid)
    end(agent)
    until(lambda: not alive(pid), 5)
    agent.close()
    assert agent.status == "closed"
    until(lambda: not any(thread.name.startswith("acp-node") for thread in threading.enumerate()), 5)
