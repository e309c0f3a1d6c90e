"""A command that cannot be started: what the user is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_widget import errors
from acp_widget.protocol.launch import environment, resolve
from acp_widget.protocol.stdio import StdioTransport
from tests.processes import run


def program(path: Path, text: str, mode: int = 0o755) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def problem(command: list[str], cwd: Path, path: str) -> errors.AgentNotFound:
    with pytest.raises(errors.AgentNotFound) as caught:
        resolve(command, cwd=str(cwd), env={"PATH": path})
    return caught.value


def test_an_unknown_command_is_named_with_the_folders_searched_and_what_to_do(tmp_path: Path) -> None:
    folders = [str(tmp_path / f"bin{n}") for n in range(8)]
    error = problem(["no-such-agent", "--acp"], tmp_path, os.pathsep.join(folders))
    assert "`no-such-agent`" in error.message
    assert "8 folders of PATH" in error.message
    assert folders[0] in error.message
    assert folders[7] not in error.message
    assert "absolute path" in error.hint
    assert "env=" in error.hint


def test_an_empty_path_is_said(tmp_path: Path) -> None:
    assert "PATH is empty" in problem(["agent"], tmp_path, "").message


@pytest.mark.parametrize("command", [["agent"], ["./agent"]], ids=["by PATH", "by its path"])
def test_a_file_that_is_not_executable_is_told_from_one_that_is_missing(tmp_path: Path, command: list[str]) -> None:
    program(tmp_path / "agent", "#!/bin/sh\n", 0o644)
    error = problem(command, tmp_path, str(tmp_path))
    assert "is not executable" in error.message
    assert "chmod +x" in error.hint


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    assert "is a folder" in problem([str(tmp_path)], tmp_path, "").message


def test_a_missing_folder_to_start_in_is_not_blamed_on_the_command(tmp_path: Path) -> None:
    error = problem(["sh"], tmp_path / "gone", os.defpath)
    assert str(tmp_path / "gone") in error.message
    assert "cwd=" in error.hint


def test_an_empty_command_is_said(tmp_path: Path) -> None:
    assert "empty" in problem([], tmp_path, "").message


@pytest.mark.parametrize(
    "first_line",
    ["#!/usr/bin/env node", "#!/usr/bin/env -S node --no-warnings", "#!/usr/bin/env NODE_ENV=production node"],
)
def test_a_node_script_without_node_says_that_node_is_missing(tmp_path: Path, first_line: str) -> None:
    program(tmp_path / "claude-agent-acp", f"{first_line}\nconsole.log(1)\n")
    error = problem(["claude-agent-acp"], tmp_path, str(tmp_path))
    assert "`node` is not there" in error.message
    assert "Install Node.js" in error.hint


def test_a_script_whose_interpreter_is_a_missing_file_names_that_file(tmp_path: Path) -> None:
    program(tmp_path / "agent", "#!/opt/no/such/python\n")
    assert "/opt/no/such/python" in problem(["agent"], tmp_path, str(tmp_path)).message


def test_a_relative_program_is_looked_for_in_the_folder_it_starts_in(tmp_path: Path) -> None:
    agent = program(tmp_path / "agent", "#!/bin/sh\n")
    assert resolve(["./agent", "x"], cwd=str(tmp_path), env={}) == [str(agent), "x"]


def test_the_given_environment_lies_over_the_whole_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "1")
    monkeypatch.setenv("BOTH", "1")
    both = environment({"BOTH": "2", "GIVEN": "2"})
    assert (both["OURS"], both["BOTH"], both["GIVEN"]) == ("1", "2", "2")


@pytest.mark.parametrize("command", [["./broken"], ["sh", "a\0b"]], ids=["no program format", "NUL in an argument"])
def test_what_the_system_refuses_is_told_with_its_reason(tmp_path: Path, command: list[str]) -> None:
    program(tmp_path / "broken", "\x00\x01\x02")

    with pytest.raises(errors.AgentNotFound, match="could not be started"):
        run(StdioTransport.start(command, cwd=str(tmp_path)))
