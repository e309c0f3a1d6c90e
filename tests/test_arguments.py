"""Wrong arguments are told in words, and nothing was started, sent or left behind for them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from acp_widget import Agent


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"cwd": 3}, TypeError, "cwd= takes a folder, a text or a Path, not int."),
        ({"cwd": ""}, ValueError, "cwd= is empty."),
        ({"env": ["A=1"]}, TypeError, "env= takes a mapping from names to values, not list."),
        ({"env": {"A": 1}}, TypeError, "the value of 'A' must be text, not int."),
        ({"start_timeout": "soon"}, TypeError, "start_timeout= takes seconds, a number or None, not str."),
        ({"start_timeout": float("nan")}, ValueError, "nan is no number of them"),
        ({"nobody_after": True}, TypeError, "nobody_after= takes seconds, a number or None, not bool."),
        ({"nobody_after": -1}, ValueError, "nobody_after= takes seconds from 0 on, not -1."),
        (
            {"session": 3},
            TypeError,
            "session= takes the id of a session, a text, not int: agent.sessions() lists them.",
        ),
        ({"session": ""}, TypeError, "session= takes the id of a session, a text, not an empty text"),
        ({"additional_directories": "src"}, TypeError, "additional_directories is a list of folders, not one."),
        ({"additional_directories": 3}, TypeError, "additional_directories= takes a list of folders, not int."),
        ({"additional_directories": [3]}, TypeError, "each a text or a Path; int is none."),
        ({"mcp_servers": 3}, TypeError, "mcp_servers= takes servers by name, or a list of them, not int."),
        ({"client_files": "yes"}, TypeError, "client_files= takes True or False, not str."),
        ({"client_terminals": None}, TypeError, "client_terminals= takes True or False, not NoneType."),
        ({"watch": 3}, TypeError, "watch= takes True, False, a folder or a list of folders, not int."),
        ({"watch": [3]}, TypeError, "watch= takes folders, each a text or a Path; int is none."),
    ],
)
def test_an_agent_that_cannot_be_is_refused_in_words(wrong: dict[str, Any], kind: type[Exception], words: str) -> None:
    before = set(Path(tempfile.gettempdir()).glob("acp-demo-*"))
    with pytest.raises(kind) as told:
        Agent("demo", **wrong)
    assert words in str(told.value)
    assert set(Path(tempfile.gettempdir()).glob("acp-demo-*")) <= before


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"timeout": "soon"}, "timeout= takes seconds, a number or None, not str. To attach something of that name: "),
        ({"timeout": [1]}, "attach={'timeout': …}"),
        ({"show": [1]}, "show= takes True or False, not list. To attach something of that name: attach={'show': …}."),
    ],
)
def test_nothing_is_sent_for_a_wrong_argument(wrong: dict[str, Any], words: str) -> None:
    with Agent("demo") as agent:
        with pytest.raises(TypeError) as told:
            agent.run("hello", **wrong)
        assert words in str(told.value)
        assert (agent.turns, agent.status) == ([], "new")


def test_waits_say_what_a_timeout_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo") as agent:
        turn = agent.run("hello", show=False)
        for wait in (turn.wait, agent.wait):
            with pytest.raises(TypeError, match="timeout= takes seconds, a number or None, not str"):
                wait("soon")  # type: ignore[operator]
        with pytest.raises(TypeError, match="cwd= takes a folder, a text or a Path, not int"):
            agent.sessions(3)  # type: ignore[arg-type]
        assert turn.wait(0) is turn


def test_no_process_is_there_for_an_agent_that_was_refused() -> None:
    before = psutil.Process().children()
    with pytest.raises(TypeError):
        Agent("demo", watch=3)  # type: ignore[arg-type]
    assert psutil.Process().children() == before


def test_a_wrong_call_is_told_without_the_way_through_the_package() -> None:
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.run_cell(
        "from acp_widget import Agent\nagent = Agent('demo', permissions='allow')\nturn = agent.run('hello')"
    )
    try:
        for code in ("agent.prompt([])", "turn.revert(True)", "turn.revert(dry_run='yes')", "turn.revert(['x'])"):
            with capture_output() as told:
                shell.run_cell(code)
            assert "Error" in told.stdout + told.stderr
            frames = (told.stdout + told.stderr).replace(os.sep, "/").count("/acp_widget/")
            assert frames <= 1, "IPython always shows the last one"
    finally:
        shell.run_cell("agent.close()")
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()
