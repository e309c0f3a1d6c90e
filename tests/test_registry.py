"""What may be passed to Agent(...), and what is run for it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AgentNotFound, registry
from acp_widget.registry import advice, entries, finding, known


@pytest.fixture(autouse=True)
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file, which is not there yet, and nothing of the user who runs the tests."""
    file = tmp_path / "settings" / "agents.json"
    file.parent.mkdir()
    monkeypatch.setattr(entries, "user_file", lambda: file)
    monkeypatch.setattr(finding, "npx_folder", lambda: tmp_path / "npx home")
    monkeypatch.delenv("ACP_WIDGET_AGENT", raising=False)
    return file


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def put(folder: Path, name: str, body: str = "") -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


def node(folder: Path, version: str) -> None:
    put(folder, "npx")
    put(folder, "node", f"echo {version}")


def found(agent: Any, folder: Path) -> registry.Found:
    return asyncio.run(registry.find(registry.launch(agent), {"PATH": str(folder)}, str(folder)))


# --- commands ---------------------------------------------------------------------------------------------------------


def test_demo_is_this_python_and_works_in_a_folder_of_its_own() -> None:
    launch = registry.launch("demo")
    assert launch.command[0] == sys.executable
    assert launch.command[-2:] == ("-m", "acp_widget.demo")
    assert launch.own_folder


def test_a_command_line_is_split_like_a_shell_would() -> None:
    launch = registry.launch("/opt/my agent --acp")
    assert launch.command == ("/opt/my", "agent", "--acp")
    assert registry.launch("'/opt/my agent' --acp").command == ("/opt/my agent", "--acp")


def test_a_list_is_taken_as_it_is_and_named_by_its_program() -> None:
    launch = registry.launch(["/usr/bin/my-agent", "two words"])
    assert launch.command == ("/usr/bin/my-agent", "two words")
    assert launch.label == "my-agent"
    assert not launch.own_folder


def test_a_program_in_the_home_folder_may_be_written_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert registry.launch("~/bin/agent --x=~/y").command == ("/home/me/bin/agent", "--x=~/y")


@pytest.mark.parametrize("empty", ["", "   ", [], [""]])
def test_an_empty_command_says_what_to_pass(empty: str | list[str]) -> None:
    with pytest.raises(ValueError, match="Agent"):
        registry.launch(empty)


@pytest.mark.parametrize("wrong", [["agent", 3], 3, {"agent"}])
def test_anything_else_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="list of strings"):
        registry.launch(wrong)


def test_a_line_that_cannot_be_split_says_so() -> None:
    with pytest.raises(ValueError, match="Pass a list"):
        registry.launch("agent 'half")


# --- without one ------------------------------------------------------------------------------------------------------


def test_without_an_agent_the_variable_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry.launch().label == "demo agent"
    monkeypatch.setenv("ACP_WIDGET_AGENT", "gemini")
    assert registry.launch().label == "gemini"
    monkeypatch.setenv("ACP_WIDGET_AGENT", "my-agent --acp")
    assert registry.launch().command == ("my-agent", "--acp")
    monkeypatch.setenv("ACP_WIDGET_AGENT", " ")
    assert registry.launch().label == "demo agent"
    monkeypatch.setenv("ACP_WIDGET_AGENT", "'half")
    with pytest.raises(ValueError, match="ACP_WIDGET_AGENT="):
        registry.launch()


# --- known agents -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(known.AGENTS))
def test_every_known_agent_says_how_it_is_started_had_and_logged_in_to(name: str) -> None:
    agent = known.AGENTS[name]
    assert agent.install()
    assert agent.login
    assert bool(agent.releases) == (agent.package is not None) == (not agent.otherwise)
    assert [release.node for release in agent.releases] == sorted((r.node for r in agent.releases), reverse=True)
    assert all(release.version.replace(".", "").isdigit() for release in agent.releases), "exact versions only"
    assert all(variable.isupper() for variable in agent.variables)
    assert known.running(agent.command) is agent


def test_a_program_that_is_installed_is_run_itself(programs: Path) -> None:
    put(programs, "claude-agent-acp")
    put(programs, "opencode")
    node(programs, "v22.0.0")
    assert found("claude", programs).command == ("claude-agent-acp",)
    assert found("opencode", programs) == registry.Found(("opencode", "acp"), None, 60.0)


@pytest.mark.parametrize(
    ("version", "package"),
    [
        ("v20.20.2", "@agentclientprotocol/claude-agent-acp@0.49.0"),
        ("v22.1.0", "@agentclientprotocol/claude-agent-acp@0.101.0"),
        ("v30.0.0-nightly", "@agentclientprotocol/claude-agent-acp@0.101.0"),
        ("what?", "@agentclientprotocol/claude-agent-acp@0.49.0"),
    ],
)
def test_else_npx_runs_the_newest_tried_version_that_this_node_can(
    programs: Path, tmp_path: Path, version: str, package: str
) -> None:
    node(programs, version)
    run = found("claude", programs)
    assert run.command == ("npx", f"--prefix={tmp_path / 'npx home'}", "-y", package)
    assert run.patience == 300
    assert run.note is not None
    assert "npx downloads it first" in run.note


def test_npx_gets_the_agents_own_arguments_behind_its_package(programs: Path) -> None:
    node(programs, "v20.0.0")
    assert found("gemini", programs).command[-2:] == ("@google/gemini-cli@0.61.0", "--acp")


def test_npx_reads_no_settings_of_the_folder_that_the_agent_works_in(programs: Path, tmp_path: Path) -> None:
    """A project's `.npmrc` could name another registry, and its `node_modules` hold another package of that name."""
    node(programs, "v20.0.0")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "npmrc").write_text("registry=https://npm.example.org\n")
    run = found("codex", programs)
    assert f"--prefix={tmp_path / 'npx home'}" in run.command
    assert list((tmp_path / "npx home").iterdir()) == []
    assert f"--globalconfig={tmp_path / 'etc' / 'npmrc'}" in run.command, "the machine's own settings still hold"


def test_npx_without_a_folder_of_its_own_is_not_run(programs: Path, tmp_path: Path) -> None:
    node(programs, "v20.0.0")
    (tmp_path / "npx home").write_text("a file")
    with pytest.raises(AgentNotFound, match="folder of its own"):
        found("codex", programs)


def test_node_that_is_too_old_is_said_before_anything_is_downloaded(programs: Path) -> None:
    node(programs, "v18.19.1")
    with pytest.raises(AgentNotFound, match=r"needs Node\.js 20 or newer, and here is 18\.19\.1") as caught:
        found("claude", programs)
    assert "env={'PATH': …}" in caught.value.hint


def test_neither_program_nor_npx_says_how_to_get_either(programs: Path) -> None:
    with pytest.raises(AgentNotFound, match="neither a command `codex-acp`, nor `npx`") as caught:
        found("codex", programs)
    assert str(programs) in caught.value.message
    assert "Install Node.js 20 or newer" in caught.value.hint
    assert "npm install -g @agentclientprotocol/codex-acp@2.6.0" in caught.value.hint


def test_an_agent_that_is_no_npm_package_says_how_to_install_it(programs: Path) -> None:
    node(programs, "v22.0.0")
    with pytest.raises(AgentNotFound, match="Mistral Vibe is not installed") as caught:
        found("vibe", programs)
    assert "uv tool install" in caught.value.hint


@pytest.mark.parametrize("command", [["npx", "-y", "x"], ["/usr/bin/uvx", "x"], "npm exec -y x", "pipx run x"])
def test_a_command_of_ones_own_that_may_download_is_given_time(programs: Path, command: Any) -> None:
    run = found(command, programs)
    assert run.command == registry.launch(command).command, "it is run as it was given"
    assert run.patience == 300
    assert run.note is not None
    assert found(["npm", "start"], programs) == registry.Found(("npm", "start"), None, 60.0)


def test_an_agent_is_recognised_by_its_command_so_that_its_quirks_are_kept() -> None:
    for given in ("gemini", "gemini --acp", "npx -y @google/gemini-cli@latest --acp", ["/opt/bin/gemini", "--acp"]):
        assert registry.launch(given).missing_file_is_empty
    for given in ("claude", "demo", "my-agent gemini", "npx -y @google/gemini-cli-core"):
        assert not registry.launch(given).missing_file_is_empty


# --- entries of agent_servers -----------------------------------------------------------------------------------------

ENTRY = {"command": "my-agent", "args": ["--acp", "two words"], "env": {"MY_KEY": "secret-value"}}


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (ENTRY, "my-agent"),
        ({"type": "custom", **ENTRY, "default_mode": "plan", "favorite_models": []}, "my-agent"),
        ({"Mine": ENTRY}, "Mine"),
        ({"agent_servers": {"Mine": {"type": "custom", **ENTRY}}}, "Mine"),
    ],
)
def test_an_editors_entry_is_taken_as_it_stands_there(given: dict[str, Any], label: str) -> None:
    launch = registry.launch(given)
    assert launch.command == ("my-agent", "--acp", "two words")
    assert launch.label == label
    assert launch.env == {"MY_KEY": "secret-value"}
    assert "secret-value" not in repr(launch)


@pytest.mark.parametrize("name", ["claude", "claude-acp", "claude-code"])
def test_an_entry_of_a_registry_is_the_known_agent_with_its_environment(name: str) -> None:
    launch = registry.launch({name: {"type": "registry", "env": {"A": "b"}}})
    assert launch.to_find
    assert launch.command == ("claude-agent-acp",)
    assert launch.env == {"A": "b"}
    assert registry.launch({name: {"env": {"A": "b"}}}) == launch, "older settings have no type"


def test_home_is_expanded_in_an_entry_where_a_path_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    given = {"command": "~/bin/agent", "args": ["~/agent.js", "a~/b"]}
    assert registry.launch(given).command == ("/home/me/bin/agent", "/home/me/agent.js", "a~/b")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": ""}, "`command` must be a program's name or path, not an empty text"),
        ({"x": {"args": []}}, "The entry 'x': `command` must be a program's name or path, not nothing"),
        ({"command": ["a"]}, "not a list"),
        ({"command": "a", "args": "--acp"}, "`args` must be a list of strings"),
        ({"command": "a", "args": ["b", 3]}, "`args` must be a list of strings"),
        ({"command": "a", "args": 0}, "`args` must be a list of strings"),
        ({"command": "a\0"}, "NUL"),
        ({"command": "a", "env": ["A=b"]}, "`env` must be an object"),
        ({"command": "a", "env": {"A": None}}, "the value of 'A' in `env` must be a string"),
        ({"command": "a", "env": {"A=": "b"}}, "cannot be a variable"),
        ({"type": "extension", "command": "a"}, "the type 'extension'"),
        ({"type": ["custom"], "command": "a"}, "the type"),
        ({"nobody": {"type": "registry"}}, "'nobody' is not known here. Known are claude"),
        ({"a": 3}, "must be an object with a `command`, not a number"),
        ({"a": ENTRY, "b": ENTRY}, "of several, pass one"),
        ({}, "of several, pass one"),
        ({"agent_servers": []}, "of several, pass one"),
        ({3: ENTRY}, "of several, pass one"),
    ],
)
def test_an_entry_that_cannot_be_used_says_why(given: dict[Any, Any], told: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (told below)
        registry.launch(given)
    assert told in str(caught.value)


def test_no_value_of_an_environment_is_told() -> None:
    with pytest.raises(ValueError, match="'KEY'") as caught:
        registry.launch({"command": "a", "env": {"KEY": 123456789}})
    assert "123456789" not in str(caught.value)


# --- the user's file --------------------------------------------------------------------------------------------------

FILE = """{
  "theme": "One Dark",
  "agent_servers": {
    "My Agent": {
      "command": "my-agent",
      "args": ["--acp"]
    },
    "claude": {
      "command": "/opt/claude/agent",
      "env": {"ANTHROPIC_API_KEY": "sk-secret"}
    },
    "broken": {
      "command": "x",
      "args": "--acp"
    }
  }
}
"""


def test_no_settings_of_whoever_runs_the_tests_take_part() -> None:
    assert not entries.user_file().exists()
    assert Path.home() / ".config" not in entries.user_file().parents
    assert "ACP_WIDGET_AGENT" not in os.environ
    assert registry.launch(None).label == registry.launch("demo").label


def test_the_users_file_adds_names_and_goes_before_the_known(own_file: Path) -> None:
    own_file.write_text(FILE)
    assert registry.launch("My Agent").command == ("my-agent", "--acp")
    assert registry.launch("claude").command == ("/opt/claude/agent",)
    assert registry.launch("claude").env == {"ANTHROPIC_API_KEY": "sk-secret"}
    assert registry.launch("gemini").to_find
    assert registry.launch("other --acp").command == ("other", "--acp")


def test_what_is_wrong_in_it_is_told_with_file_and_line(own_file: Path) -> None:
    own_file.write_text(FILE)
    with pytest.raises(ValueError, match="line 14: The entry 'broken': `args` must be") as caught:
        registry.launch("broken")
    assert str(own_file) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FILE.replace('"my-agent",', '"my-agent"'), "line 6: this is no JSON: Expecting ',' delimiter (column 7)"),
        (FILE.replace('  "theme"', '  // mine\n  "theme"'), "line 2: this is no JSON"),
        ("", "line 1: this is no JSON"),
        ("[]", "line 1: it must have an object `agent_servers`"),
        ('{\n"x": 1,\n"agent_servers": []}', "line 3: it must have an object `agent_servers`"),
        ("[" * 200_000, "nested too deeply"),
        ("\n\n\udcff", "line 3: this is no UTF-8"),
        ('"' + "x" * 1_000_001 + '"', "too large"),
    ],
    ids=["a comma is missing", "a comment", "empty", "a list", "no object", "deep", "no text", "large"],
)
def test_a_file_that_cannot_be_read_is_told_for_every_name_but_the_demo(own_file: Path, text: str, told: str) -> None:
    own_file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (told below)
        registry.launch("claude")
    assert str(caught.value).startswith(str(own_file))
    assert told in str(caught.value)
    assert registry.launch("demo").own_folder
    assert registry.launch(["claude"]).command == ("claude",)


def test_a_folder_in_place_of_the_file_is_said(own_file: Path) -> None:
    own_file.mkdir()
    with pytest.raises(ValueError, match="cannot be read"):
        registry.launch("claude")


# --- near misses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("claud", "claude"), ("claude-code", "claude"), ("gemni", "gemini"), ("qwen-coder", "qwen"), ("dmeo", "demo")],
)
def test_a_name_that_is_nearly_right_is_guessed(typed: str, meant: str) -> None:
    assert advice.guess([typed]) == meant


def test_programs_and_names_of_the_users_own_are_guessed_too(programs: Path, own_file: Path) -> None:
    put(programs, "house-agent")
    own_file.write_text('{"agent_servers": {"zebra": {"command": "z"}}}')
    path = {"PATH": f"{programs}:/no/such/folder:"}
    assert advice.guess(["zerba"], path) == "zebra"
    assert advice.guess(["house-agnet", "--acp"], path) == "house-agent"
    assert advice.guess(["something-else-altogether"], path) is None
    assert advice.guess([], path) is None
