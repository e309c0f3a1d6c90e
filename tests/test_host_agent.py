"""An agent of ACP v1 that leaves files and commands to us, as a user meets it: a real process, a real Agent."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, Turn

from .agents.scripted import until
from .processes import alive, seconds_until_gone

ASKER = [sys.executable, "-S", "-E", str(Path(__file__).with_name("agents") / "asker.py")]
Json = dict[str, Any]


def ask(method: str, **params: Any) -> Json:
    return {"ask": method, "params": params}


def send(method: str, **params: Any) -> Json:
    return {"send": method, "params": params}


def write(path: object, content: str = "new\n") -> Json:
    return ask("fs/write_text_file", path=str(path), content=content)


def call(**fields: Any) -> Json:
    return {"update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit", "kind": "edit", **fields}}


def diff(path: object, new: str, old: str | None = None) -> Json:
    return {"type": "diff", "path": str(path), "oldText": old, "newText": new}


def run(agent: Agent, *steps: Json) -> tuple[Turn, list[Any]]:
    turn = agent.run(json.dumps(steps), show=False, timeout=60)
    return turn, json.loads(turn.text)["answers"]


def serving(folder: Path, **options: Any) -> Agent:
    return Agent(ASKER, cwd=folder, **{"client_files": True, "client_terminals": True, **options})


def running(marker: Path) -> Callable[[], bool]:
    return lambda: marker.exists() and marker.read_text().endswith("\n")


# --- what is offered -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "offered"),
    [
        ({}, {}),
        ({"client_files": True}, {"fs": {"readTextFile": True, "writeTextFile": True}}),
        ({"client_terminals": True}, {"terminal": True}),
    ],
)
def test_only_what_was_turned_on_is_offered_and_done(tmp_path: Path, options: Any, offered: Json) -> None:
    (tmp_path / "a").write_text("text")
    with Agent(ASKER, cwd=tmp_path, **options) as agent:
        steps = [write("b"), ask("fs/read_text_file", path="a"), ask("terminal/create", command="true")]
        turn, answers = run(agent, *steps)
    assert json.loads(turn.text)["offered"] == offered
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes[:2] == ([None, None] if "fs" in offered else [-32601, -32601])
    assert codes[2] == (None if "terminal" in offered else -32601)
    assert (tmp_path / "b").exists() == ("fs" in offered)


# --- files ---------------------------------------------------------------------------------------------------------


def test_a_write_is_done_and_shown_as_a_diff_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    with serving(tmp_path) as agent:
        turn, answers = run(
            agent, write(tmp_path / "notes.txt", "one\n2\n"), ask("fs/read_text_file", path="notes.txt")
        )
    assert answers == [{"result": {}}, {"result": {"content": "one\n2\n"}}]
    assert (tmp_path / "notes.txt").read_text() == "one\n2\n"
    (shown,) = turn.tool_calls
    assert (shown.title, shown.kind, shown.status) == ("Write notes.txt", "edit", "completed")
    (change,) = shown.diffs[0].changes
    assert (change.operation, change.path) == ("modify", str(tmp_path / "notes.txt"))
    assert "-two\n+2\n" in (shown.diffs[0].patch or "")


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
def test_a_write_that_the_agent_shows_is_not_shown_twice(tmp_path: Path, status: str) -> None:
    with serving(tmp_path) as agent:
        edit = call(status=status, content=[diff("notes.txt", "new\n")])  # one real agent gives relative paths
        turn, answers = run(agent, edit, write(tmp_path / "notes.txt"))
    assert answers[1] == {"result": {}}
    assert [each.title for each in turn.tool_calls] == ["Edit"]


@pytest.mark.parametrize(
    "before",
    [
        [call(status="completed", content=[diff("other.txt", "new\n")])],
        [call(status="failed", content=[diff("notes.txt", "new\n")])],
        [call(status="completed", content=[diff("notes.txt", "new\n")]), write("notes.txt", "first\n")],
    ],
    ids=["another file", "a call that failed", "a finished call that showed an earlier write"],
)
def test_no_write_goes_unseen(tmp_path: Path, before: list[Json]) -> None:
    with serving(tmp_path) as agent:
        turn, _ = run(agent, *before, write("notes.txt"))
    assert [each.title for each in turn.tool_calls] == ["Edit", "Write notes.txt"]


@pytest.mark.parametrize("ends", ["new\nlast\n", "new\nlast"])
@pytest.mark.parametrize("before", [None, "", "old\nlast\n"])
def test_a_write_that_the_agent_shows_afterwards_is_not_shown_twice(
    tmp_path: Path, before: str | None, ends: str
) -> None:
    if before is not None:
        (tmp_path / "notes.txt").write_text(before)
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}
    shows = {"update": {**done, "content": [diff("notes.txt", ends, before)]}}
    with serving(tmp_path) as agent:
        turn, _ = run(agent, call(status="in_progress"), write("notes.txt", ends), shows)
        assert [each.title for each in turn.tool_calls] == ["Edit"]
        assert [key for key in agent._driver.state.part("timeline") if key.startswith("t:")] == ["t:c1"]
        # It accounts for one write: the next one is seen.
        again, _ = run(agent, write("notes.txt", "more\n"))
        assert [each.title for each in again.tool_calls] == ["Write notes.txt"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ([("other.txt", "new\n", "old\n")], "completed"),
        ([("notes.txt", "others\n", "old\n")], "completed"),
        ([("notes.txt", "new", "old")], "completed"),
        ([("notes.txt", "new\n", "old\n")], "failed"),
        ([("notes.txt", "new\n", "old\n"), ("notes.txt", "newer\n", "new\n")], "completed"),
    ],
    ids=["another file", "another text", "without the last line feed", "a call that failed", "two changes"],
)
def test_a_write_that_is_perhaps_not_what_the_agent_shows_stays(
    tmp_path: Path, content: list[tuple[str, str, str]], status: str
) -> None:
    (tmp_path / "notes.txt").write_text("old\n")
    with serving(tmp_path) as agent:
        turn, _ = run(agent, write("notes.txt"), call(status=status, content=[diff(*each) for each in content]))
    assert [each.title for each in turn.tool_calls] == ["Write notes.txt", "Edit"]


def test_what_was_shown_in_an_earlier_turn_does_not_hide_a_write(tmp_path: Path) -> None:
    with serving(tmp_path) as agent:
        run(agent, call(status="in_progress", content=[diff("notes.txt", "new\n")]))
        turn, _ = run(agent, write("notes.txt"))
    assert [each.title for each in turn.tool_calls] == ["Write notes.txt"]


def test_a_refused_write_changes_nothing_and_the_user_is_told(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "work.ipynb").write_text("{}")
    with serving(inside) as agent:
        turn, answers = run(agent, write("../out.txt"), write("work.ipynb"), write(tmp_path / "out.txt"))
        told = " ".join(each["message"] for each in agent._driver.state.part("diagnostics"))
    assert [answer["error"]["code"] for answer in answers] == [-32602] * 3
    assert "outside" in answers[0]["error"]["message"]
    assert "notebook" in answers[1]["error"]["message"]
    assert "outside" in told
    assert "notebook" in told
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["project", "work.ipynb"]
    assert (inside / "work.ipynb").read_text() == "{}"
    assert turn.tool_calls == []


def test_additional_directories_are_reached_too(tmp_path: Path) -> None:
    cwd, other = tmp_path / "cwd", tmp_path / "other"
    cwd.mkdir()
    other.mkdir()
    (other / "a.txt").write_text("hello")
    with serving(cwd, additional_directories=[other]) as agent:
        turn, answers = run(agent, ask("fs/read_text_file", path=str(other / "a.txt")), write(other / "b.txt"))
    assert answers == [{"result": {"content": "hello"}}, {"result": {}}]
    assert [each.title for each in turn.tool_calls] == [f"Write {other / 'b.txt'}"]


def test_another_session_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    with serving(tmp_path) as agent:
        _, answers = run(agent, ask("fs/read_text_file", sessionId="another", path="a"))
    assert answers[0]["error"]["code"] == -32002


# --- terminals -----------------------------------------------------------------------------------------------------


def test_a_command_runs_here_and_is_seen(tmp_path: Path) -> None:
    script = "echo out; echo err >&2; exit 3"
    with serving(tmp_path, env={"GIVEN": "yes"}) as agent:
        turn, answers = run(
            agent,
            ask("terminal/create", command="/bin/sh", args=["-c", script], cwd=str(tmp_path), outputByteLimit=100),
            ask("terminal/wait_for_exit", terminalId="$0.terminalId"),
            ask("terminal/output", terminalId="$0.terminalId"),
            ask("terminal/release", terminalId="$0.terminalId"),
            ask("terminal/output", terminalId="$0.terminalId"),
        )
    status = {"exitCode": 3, "signal": None}
    assert [answer.get("result") for answer in answers[1:4]] == [
        status,
        {"output": "out\nerr\n", "truncated": False, "exitStatus": status},
        {},
    ]
    assert answers[4]["error"]["code"] == -32002
    (terminal,) = turn.terminals
    assert terminal.command == f"/bin/sh -c '{script}'"
    assert (terminal.cwd, terminal.exit_code) == (str(tmp_path), 3)
    assert terminal.text == "out\nerr"


def test_output_is_seen_while_the_command_runs(tmp_path: Path) -> None:
    script = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second"
    with serving(tmp_path) as agent:
        steps = [
            ask("terminal/create", command="sh", args=["-c", script]),
            ask("terminal/wait_for_exit", terminalId="$0.terminalId"),
        ]
        turn = agent.prompt(json.dumps(steps), show=False)
        until(lambda: turn.terminals and turn.terminals[0].text == "first")
        assert turn.terminals[0].exit_code is None
        (tmp_path / "go").touch()
        assert turn.wait(30).terminals[0].text == "first\nsecond"


def test_waiting_for_one_command_holds_up_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as agent:
        _, answers = run(
            agent,
            ask("terminal/create", command="sh", args=["-c", "while [ ! -e go ]; do sleep 0.01; done"]),
            send("terminal/wait_for_exit", terminalId="$0.terminalId"),
            ask("terminal/create", command="echo", args=["second"]),
            ask("terminal/wait_for_exit", terminalId="$2.terminalId"),
            ask("terminal/output", terminalId="$2.terminalId"),
            write("go", ""),
            {"hear": 1},
        )
    assert answers[4]["result"]["output"] == "second\n"
    assert answers[1]["result"] == {"exitCode": 0, "signal": None}


def test_a_killed_command_can_still_be_read(tmp_path: Path) -> None:
    with serving(tmp_path) as agent:
        turn, answers = run(
            agent,
            ask("terminal/create", command="sh", args=["-c", "echo before; sleep 1000 | cat"]),
            ask("terminal/kill", terminalId="$0.terminalId"),
            ask("terminal/output", terminalId="$0.terminalId"),
            ask("terminal/wait_for_exit", terminalId="$0.terminalId"),
            ask("terminal/kill", terminalId="$0.terminalId"),
        )
    status = {"exitCode": None, "signal": "SIGTERM"}
    assert answers[2]["result"]["exitStatus"] == status
    assert answers[3]["result"] == status
    assert answers[4] == {"result": {}}
    assert turn.terminals[0].signal == "SIGTERM"


@pytest.mark.parametrize("end", ["close", "restart", "the agent dies"])
def test_every_command_ends_with_the_session(tmp_path: Path, end: str) -> None:
    threads = threading.active_count()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    agent = serving(tmp_path)
    # Each has a child in the background, and does not look at TERM.
    script = 'trap "" TERM; sleep 1000 & echo $! $$ > "pids$0"; wait; wait'
    steps = [ask("terminal/create", command="sh", args=["-c", script, str(number)]) for number in range(3)]
    run(agent, *steps)
    files = [tmp_path / f"pids{number}" for number in range(3)]
    until(lambda: all(running(file)() for file in files))
    pids = [int(word) for file in files for word in file.read_text().split()]
    assert len(pids) == 6
    assert all(map(alive, pids))
    if end == "the agent dies":
        os.kill(agent._driver._peer._transport.pid, 9)  # type: ignore[union-attr,attr-defined]
    elif end == "restart":
        agent.restart()
    else:
        agent.close()
    seconds_until_gone(pids, 15)
    agent.close()
    until(lambda: threading.active_count() <= threads + 1)  # the private thread may be new
    until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= descriptors + 6)  # and its loop
