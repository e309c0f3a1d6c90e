"""What may be passed to Agent(...)."""

from __future__ import annotations

import sys

import pytest

from acp_widget import registry


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


@pytest.mark.parametrize("empty", ["", "   ", [], [""]])
def test_an_empty_command_says_what_to_pass(empty: str | list[str]) -> None:
    with pytest.raises(ValueError, match="Agent"):
        registry.launch(empty)


def test_a_list_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="list of strings"):
        registry.launch(["agent", 3])  # type: ignore[list-item]
