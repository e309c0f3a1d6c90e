"""`python -m acp_widget agents`: which agents there are, and how to get the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_widget import commands
from acp_widget.registry import entries, finding


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH: gemini is installed, npx and an old enough Node.js are there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, body in {"gemini": "", "npx": "", "node": "echo v20.3.0"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("ACP_WIDGET_AGENT", raising=False)
    monkeypatch.setattr(entries, "user_file", lambda: tmp_path / "agents.json")
    monkeypatch.setattr(finding, "npx_folder", lambda: tmp_path / "npx")
    return folder


def test_the_table_says_what_starts_and_how_to_get_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["agents"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line[:1].strip()}
    assert lines["gemini"].split() == ["gemini", "installed", "gemini", "--acp"]
    assert "by npx" in lines["claude"]
    assert "-y @agentclientprotocol/claude-agent-acp@0.49.0" in lines["claude"]
    assert "not installed; to install it: uv tool install" in lines["vibe"]


def test_json_has_names_of_variables_only_and_entries_of_the_users_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = {"mine": {"command": "gemini", "env": {"MY_KEY": "hush-hush"}}, "bad": {"command": 3}}
    (tmp_path / "agents.json").write_text(json.dumps({"agent_servers": own}))
    assert commands.main(["agents", "--json"]) == 0
    text = capsys.readouterr().out
    found = json.loads(text)["agents"]
    assert "hush-hush" not in text
    assert (found["mine"]["found"], found["mine"]["source"]) == ("program", "user file")
    assert "MY_KEY" in found["mine"]["environment"]
    assert "line 1: The entry 'bad'" in found["bad"]["error"]
    assert found["gemini"]["quirks"] == ["missing_file_is_empty"]


def test_a_broken_file_is_told_and_the_rest_still_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "agents.json").write_text("{")
    assert commands.main(["agents"]) == 1
    told = capsys.readouterr().out
    assert "line 1: this is no JSON" in told
    assert "gemini" in told
