"""The demo agent as a client meets it: a real process over stdio."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_widget.demo import files, permission, project, settings, terminal
from acp_widget.demo import turn as scene
from tests.demo_client import ALLOW, PATIENCE, ROOT, DemoAgent, Turn, choose, dismiss
from tests.demo_schema import check

Json = dict[str, Any]

FIX = "The test for mean() fails on an empty list. Fix it."


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[DemoAgent]:
    """A demo agent in an empty folder. What it sends must be as the schema has it."""
    folder = tmp_path / "project"
    folder.mkdir()
    with DemoAgent(folder) as agent:
        yield agent
    assert agent.garbage == []
    assert check(agent.received, agent.methods) > 0


@pytest.fixture
def wild(tmp_path: Path) -> Iterator[DemoAgent]:
    """The same for the scenes that break rules on purpose."""
    folder = tmp_path / "project"
    folder.mkdir()
    with DemoAgent(folder) as agent:
        yield agent


def digest(folder: Path) -> dict[str, str]:
    """Every file below a folder with the hash of its content."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def unittest_in(folder: Path) -> subprocess.CompletedProcess[str]:
    """What a user sees who runs the tests by hand."""
    command = [sys.executable, "-B", "-m", "unittest"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def texts(call: Json) -> str:
    """The text items of a tool call."""
    return " ".join(item["content"]["text"] for item in call["content"] if item["type"] == "content")


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something outside of the conversation is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids_in(folder: Path, count: int) -> list[int]:
    """The process ids that a command of `SLEEPERS` wrote."""
    paths = [folder / f"pid{number}" for number in range(count)]
    eventually(lambda: all(path.exists() and path.read_text().strip() for path in paths))
    return [int(path.read_text()) for path in paths]


# A shell with a child that will not hear a polite signal: both write their ids.
SLEEPERS = (
    "/run trap '' TERM; (trap '' TERM; sleep 300 & echo $! > pid1; wait) & echo $$ > pid0; echo ready; wait; sleep 300"
)


# The connection


def test_says_who_it_is_and_what_it_can(demo: DemoAgent) -> None:
    result = demo.initialize()
    assert result["protocolVersion"] == 2
    assert result["info"]["title"] == "demo agent"
    assert result["capabilities"]["session"]["prompt"] == {"image": {}, "audio": {}, "embeddedContext": {}}


def test_names_the_versions_it_speaks_to_an_older_client(demo: DemoAgent) -> None:
    error = demo.error("initialize", {"protocolVersion": 1, "info": {"name": "old", "version": "1"}})
    assert error["code"] == -32022
    assert error["data"] == {"requested": 1, "supported": [2]}
    assert demo.initialize()["protocolVersion"] == 2


def test_offers_its_own_version_to_a_newer_client(demo: DemoAgent) -> None:
    assert (
        demo.call("initialize", {"protocolVersion": 3, "info": {"name": "new", "version": "1"}})["protocolVersion"] == 2
    )


def test_wants_to_be_initialized_first(demo: DemoAgent) -> None:
    assert demo.error("session/new", {"cwd": str(demo.cwd)})["code"] == -32600
    assert digest(demo.cwd) == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("session/delete", {"sessionId": "x"}, -32601),
        ("_anything", {}, -32601),
        ("initialize", {"protocolVersion": "2"}, -32602),
        ("session/new", {}, -32602),
        ("session/new", {"cwd": "relative/folder"}, -32602),
        ("session/new", {"cwd": "/no/such/folder"}, -32602),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "text", "text": "hi"}]}, -32002),
        ("session/prompt", {"sessionId": 3}, -32602),
        ("session/close", {"sessionId": "x"}, -32002),
        ("session/resume", {"sessionId": "x", "cwd": "/"}, -32002),
    ],
)
def test_answers_a_bad_request_with_an_error(demo: DemoAgent, method: str, params: Json, code: int) -> None:
    demo.initialize()
    assert demo.error(method, params)["code"] == code


def test_an_unknown_session_is_named_in_the_error(demo: DemoAgent) -> None:
    demo.initialize()
    assert demo.error("session/close", {"sessionId": "gone"})["data"] == {"sessionId": "gone"}


def test_goes_on_after_lines_that_are_no_requests(demo: DemoAgent) -> None:
    for line in (
        b"no json\n",
        b"\n",
        b"[]\n",
        b"3\n",
        b'{"jsonrpc":"2.0"}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"x"}\n',
    ):
        demo.send(line)
    demo.send({"method": "_unknown/notification", "params": {}})
    demo.send({"method": "$/cancel_request", "params": {"requestId": 77}})
    demo.send({"id": 99, "result": {}})
    errors = [demo.next()["error"]["code"] for _ in range(5)]
    assert errors == [-32700, -32600, -32600, -32600, -32600]
    assert demo.initialize()["protocolVersion"] == 2


def test_takes_a_batch_and_a_line_of_many_megabytes(demo: DemoAgent) -> None:
    hello = b'{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":2,"x":"%s"}}'
    demo.methods.update({501: "initialize", 502: "initialize"})
    demo.send(b"[" + hello % (501, b"") + b"," + hello % (502, b"y" * 5_000_000) + b"]\n")
    assert [demo.next()["id"], demo.next()["id"]] == [501, 502]


def test_imports_only_the_standard_library() -> None:
    allowed = {*sys.stdlib_module_names, "__future__"}
    for path in (ROOT / "acp_widget" / "demo").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name.partition(".")[0] for alias in node.names} <= allowed, path
            elif isinstance(node, ast.ImportFrom):
                assert node.level < 2, path
                assert node.level == 1 or (node.module or "").partition(".")[0] in allowed, path


def test_a_file_of_the_user_does_not_stand_in_for_the_standard_library(demo: DemoAgent) -> None:
    for name in ("json", "asyncio", "difflib", "queue", "uuid"):
        (demo.cwd / f"{name}.py").write_text("raise RuntimeError('this is not the real one')\n")
    with DemoAgent(demo.cwd) as agent:
        session = agent.new()
        turn = agent.play(session, "/edit")
    assert turn.calls["call_1"]["status"] == "completed"
    demo.initialize()


# The project


def test_makes_a_project_whose_one_failing_test_is_found_by_unittest_and_pytest(demo: DemoAgent) -> None:
    demo.new()
    by_unittest = unittest_in(demo.cwd)
    assert "Ran 6 tests" in by_unittest.stderr
    assert "FAILED (errors=1)" in by_unittest.stderr
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    by_pytest = subprocess.run(command, cwd=demo.cwd, capture_output=True, text=True, check=False)
    assert "1 failed, 5 passed" in by_pytest.stdout


@pytest.mark.parametrize("name", ["notes.txt", "stats.py", ".hidden", "folder/deep.txt"])
def test_leaves_a_folder_alone_that_is_not_empty(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine\n")
    before = digest(tmp_path)
    with DemoAgent(tmp_path) as agent:
        turn = agent.play(agent.new(), FIX)
        check(agent.received, agent.methods)
    assert digest(tmp_path) == before
    assert turn.requests == []
    assert {call["kind"] for call in turn.calls.values()} <= {"read", "search"}
    assert "found no failing test" in turn.text
    assert f"`{name.partition('/')[0]}" in turn.text
    assert turn.stop_reason == "end_turn"


def test_works_in_a_folder_that_an_earlier_agent_made(demo: DemoAgent) -> None:
    demo.new()
    (demo.cwd / "notes.txt").write_text("mine\n")
    with DemoAgent(demo.cwd) as second:
        turn = second.play(second.new(), FIX)
    assert "All 6 tests pass" in turn.text
    assert unittest_in(demo.cwd).returncode == 0


# The turn that everybody sees first


def test_fixes_the_test(demo: DemoAgent) -> None:
    session = demo.new()
    before = digest(demo.cwd)
    turn = demo.play(session, FIX)
    after = digest(demo.cwd)

    assert [name for name in after if after[name] != before.get(name)] == ["stats.py"]
    assert after.keys() == before.keys()
    assert unittest_in(demo.cwd).returncode == 0

    assert list(turn.calls) == ["call_1", "call_2", "call_3"]
    assert [call["kind"] for call in turn.calls.values()] == ["read", "edit", "execute"]
    assert {call["status"] for call in turn.calls.values()} == {"completed"}
    assert turn.thoughts
    assert "`len(xs)`" in turn.text
    assert "All 6 tests pass" in turn.text
    assert turn.stop_reason == "end_turn"
    assert turn.states == ["running", "requires_action", "running", "requires_action", "running", "idle"]


def test_points_at_the_line_of_the_failing_test(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX)
    location = turn.calls["call_1"]["locations"][0]
    lines = Path(location["path"]).read_text().splitlines()
    assert location["path"] == str(demo.cwd / "tests" / "test_stats.py")
    assert "def test_empty_list" in lines[location["line"] - 1]


def test_asks_for_the_edit_with_a_patch_that_is_what_it_then_does(demo: DemoAgent) -> None:
    session = demo.new()
    path = demo.cwd / "stats.py"
    before = path.read_bytes()
    seen: list[bytes] = []

    def answer(agent: DemoAgent, request: Json) -> Json | None:
        seen.append(path.read_bytes())
        return ALLOW(agent, request)

    turn = demo.play(session, FIX, answer)
    params = turn.requests[0]["params"]
    assert seen[0] == before, "nothing is written before it is allowed"
    assert params["subject"]["toolCall"]["toolCallId"] == "call_2"
    assert [(o["name"], o["kind"]) for o in params["options"]] == [
        ("Allow once", "allow_once"),
        ("Always allow", "allow_always"),
        ("Reject", "reject_once"),
        ("Always reject", "reject_always"),
    ]
    diff = params["subject"]["toolCall"]["content"][0]
    assert diff["changes"] == [{"operation": "modify", "path": str(path), "fileType": "text"}]
    assert diff["patch"]["format"] == "git_patch"
    assert diff["patch"]["text"].startswith(f"diff --git {path} {path}\nindex ")
    assert f"--- {path}\n+++ {path}\n@@ -1,5 +1,7 @@\n" in diff["patch"]["text"]
    added = [line[1:] for line in diff["patch"]["text"].splitlines() if re.match(r"\+(?!\+\+ )", line)]
    assert [line for line in path.read_text().splitlines() if line in added] == added
    assert turn.calls["call_2"]["content"] == [diff]


def test_runs_the_tests_in_a_terminal_after_asking(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX)
    subject = turn.requests[1]["params"]["subject"]
    assert subject["type"] == "command"
    assert subject["cwd"] == str(demo.cwd)
    assert subject["command"].startswith(sys.executable)
    assert subject["toolCallId"] == "call_3"
    terminal = turn.terminals[subject["terminalId"]]
    assert turn.calls["call_3"]["content"] == [{"type": "terminal", "terminalId": subject["terminalId"]}]
    assert terminal["command"] == subject["command"]
    assert terminal["cwd"] == str(demo.cwd)
    assert terminal["size"] == {"cols": 80, "rows": 24}
    assert terminal["exitStatus"]["exitCode"] == 0
    assert "test_empty_list" in terminal["bytes"].decode()
    assert b"\x1b[32m" in terminal["bytes"], "in colour"


def test_the_command_that_it_shows_is_one_that_a_user_can_run(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX, choose("allow_once", "reject_once"))
    command = turn.requests[1]["params"]["subject"]["command"]
    ran = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=demo.cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACP_WIDGET_DEMO_PACE": "0", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "6 passed" in ran.stdout


def test_runs_the_tests_from_a_checkout_that_is_not_installed(tmp_path: Path) -> None:
    with DemoAgent(ROOT, PYTHONPATH=".") as agent:
        turn = agent.play(agent.new(tmp_path), FIX)
    assert "runner.py" in turn.requests[1]["params"]["subject"]["command"]
    assert "All 6 tests pass" in turn.text


def test_shows_output_while_the_command_runs(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/run echo first; until [ -e go ]; do sleep 0.01; done; echo second")
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    first = demo.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") == "terminal_output_chunk")
    assert Turn(first).terminals["term_1"]["bytes"] == b"first\r\n"
    (demo.cwd / "go").touch()
    assert demo.idle().terminals["term_1"]["bytes"] == b"second\r\n"


def test_a_plan_goes_from_step_to_step(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX)
    assert [[entry["status"] for entry in plan["entries"]] for plan in turn.plans] == [
        ["in_progress", "pending", "pending"],
        ["completed", "in_progress", "pending"],
        ["completed", "completed", "in_progress"],
        ["completed", "completed", "completed"],
    ]
    assert len({plan["planId"] for plan in turn.plans}) == 1


def test_reports_usage_and_a_title(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX)
    used = [update["used"] for update in turn.of_type("usage_update")]
    assert used == sorted(used)
    assert 0 < used[-1] < turn.of_type("usage_update")[-1]["size"]
    assert turn.of_type("session_info_update")[-1]["title"] == "Fix mean() of an empty list"


def test_echoes_the_prompt_under_the_id_that_it_answered_with(demo: DemoAgent) -> None:
    session = demo.new()
    message_id = demo.prompt(session, FIX)["messageId"]
    echo = demo.idle().of_type("user_message")[0]
    assert echo["messageId"] == message_id
    assert echo["content"] == [{"type": "text", "text": FIX}]


def test_finds_the_test_passing_when_asked_again(demo: DemoAgent) -> None:
    session = demo.new()
    demo.play(session, FIX)
    before = digest(demo.cwd)
    turn = demo.play(session, FIX)
    assert list(turn.calls) == ["call_4", "call_5"]
    assert [call["kind"] for call in turn.calls.values()] == ["read", "execute"]
    assert "All 6 tests pass" in turn.text
    assert "nothing to fix" in turn.text
    assert digest(demo.cwd) == before


def test_says_so_when_the_tests_still_fail(demo: DemoAgent) -> None:
    session = demo.new()
    source = demo.cwd / "stats.py"
    source.write_text(source.read_text().replace("max(xs) - min(xs)", "max(xs)"))
    turn = demo.play(session, FIX)
    assert turn.calls["call_3"]["status"] == "failed"
    assert turn.terminals["term_1"]["exitStatus"]["exitCode"] == 1
    assert "I made the change, but 1 of the tests failed" in turn.text
    assert "tests pass" not in turn.text


# Permission


def test_a_rejected_edit_changes_nothing_and_runs_nothing(demo: DemoAgent) -> None:
    session = demo.new()
    before = digest(demo.cwd)
    turn = demo.play(session, FIX, choose("reject_once"))
    assert digest(demo.cwd) == before
    assert list(turn.calls) == ["call_1", "call_2"]
    assert turn.calls["call_2"]["status"] == "failed"
    assert "You did not allow it" in texts(turn.calls["call_2"])
    assert "I would have" in turn.text
    assert turn.stop_reason == "end_turn"
    assert [entry["status"] for entry in turn.plans[-1]["entries"]] == ["completed", "cancelled", "cancelled"]


def test_a_rejected_run_keeps_the_edit_and_says_how_to_run_the_tests(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), FIX, choose("allow_once", "reject_once"))
    assert turn.calls["call_2"]["status"] == "completed"
    assert turn.calls["call_3"]["status"] == "failed"
    assert "You did not allow it" in texts(turn.calls["call_3"])
    assert turn.terminals == {}
    assert "python -m unittest" in turn.text
    assert "tests pass" not in turn.text
    assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_dismissed_question_ends_the_turn_as_cancelled(demo: DemoAgent, allowed: int) -> None:
    session = demo.new()
    answers = [*[ALLOW] * allowed, dismiss]
    turn = demo.play(session, FIX, lambda agent, request: answers.pop(0)(agent, request))
    assert list(turn.calls.values())[-1]["status"] == "cancelled"
    assert turn.terminals == {}
    assert turn.stop_reason == "cancelled"
    assert demo.play(session, "hello").stop_reason == "end_turn"


NOT_AN_APPROVAL = {
    "custom outcome": {"result": {"outcome": {"outcome": "approved", "optionId": "yes"}}},
    "custom outcome of our own": {"result": {"outcome": {"outcome": "_allow"}}},
    "no outcome": {"result": {}},
    "null result": {"result": None},
    "outcome is null": {"result": {"outcome": None}},
    "outcome is a word": {"result": {"outcome": "selected"}},
    "result is a list": {"result": ["yes"]},
    "an id that was not offered": {"result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}},
    "an empty id": {"result": {"outcome": {"outcome": "selected", "optionId": ""}}},
    "no id": {"result": {"outcome": {"outcome": "selected"}}},
    "an id that is no string": {"result": {"outcome": {"outcome": "selected", "optionId": ["yes"]}}},
    "the name and not the id": {"result": {"outcome": {"outcome": "selected", "optionId": "Allow once"}}},
    "an error": {"error": {"code": -32601, "message": "what is that?"}},
    "a broken error": {"error": "no"},
}


@pytest.mark.parametrize("reply", NOT_AN_APPROVAL.values(), ids=NOT_AN_APPROVAL.keys())
def test_only_an_allow_option_of_the_request_is_an_approval(demo: DemoAgent, reply: Json) -> None:
    session = demo.new()
    before = digest(demo.cwd)
    turn = demo.play(session, FIX, lambda _agent, _request: reply)
    assert digest(demo.cwd) == before
    assert turn.calls["call_2"]["status"] == "failed"
    assert "not allowed" in texts(turn.calls["call_2"])
    assert list(turn.calls) == ["call_1", "call_2"]
    assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize("result", [reply["result"] for reply in NOT_AN_APPROVAL.values() if "result" in reply])
def test_no_command_runs_without_an_approval(result: Any) -> None:
    assert not permission.decision(result).allowed


def test_an_answer_to_another_request_approves_nothing(demo: DemoAgent) -> None:
    session = demo.new()
    before = digest(demo.cwd)
    demo.prompt(session, FIX)
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    yes = ALLOW(demo, request) or {}
    for wrong in (request["id"] + 1, str(request["id"]), None, False):
        demo.send({"id": wrong, **yes})
    demo.send({"id": request["id"], **(choose("reject_once")(demo, request) or {})})
    demo.send({"id": request["id"], **yes})
    turn = demo.idle()
    assert turn.calls["call_2"]["status"] == "failed"
    assert digest(demo.cwd) == before


def test_always_is_remembered_for_its_kind_in_its_session(demo: DemoAgent) -> None:
    session = demo.new()
    always = choose("allow_always")
    assert len(demo.play(session, "/edit one", always).requests) == 1
    again = demo.play(session, "/edit two", always)
    assert again.requests == []
    assert [item["type"] for item in again.calls["call_2"]["content"]] == ["diff"]
    assert len(demo.play(session, "/run true", always).requests) == 1, "another kind is asked for"
    other = demo.call("session/new", {"cwd": str(demo.cwd)})["sessionId"]
    assert len(demo.play(other, "/edit three").requests) == 1, "another session is asked in"
    assert (demo.cwd / "NOTES.md").read_text() == "# Notes\n\n- one\n- two\n- three\n"


def test_always_reject_is_remembered_too(demo: DemoAgent) -> None:
    session = demo.new()
    demo.play(session, "/edit one", choose("reject_always"))
    turn = demo.play(session, "/edit two")
    assert turn.requests == []
    assert turn.calls["call_2"]["status"] == "failed"
    assert not (demo.cwd / "NOTES.md").exists()


def test_offers_its_three_settings_with_the_session(demo: DemoAgent) -> None:
    demo.initialize()
    options = demo.call("session/new", {"cwd": str(demo.cwd)})["configOptions"]
    told = [(option["configId"], option["type"], option["currentValue"]) for option in options]
    assert told == [("mode", "select", "ask"), ("model", "select", "demo"), ("thoughts", "boolean", True)]


@pytest.mark.parametrize(
    ("config_id", "kind", "value"),
    [("mode", "id", "accept-edits"), ("model", "id", "demo-brisk"), ("thoughts", "boolean", False)],
)
def test_a_setting_is_set_answered_and_reported(demo: DemoAgent, config_id: str, kind: str, value: Any) -> None:
    session = demo.new()
    params = {"sessionId": session, "configId": config_id, "type": kind, "value": value}
    request_id = demo.request("session/set_config_option", params)
    messages = demo.until(lambda m: m.get("id") == request_id)
    answered = messages[-1]["result"]["configOptions"]
    assert {option["configId"]: option["currentValue"] for option in answered} == {
        **{"mode": "ask", "model": "demo", "thoughts": True},
        config_id: value,
    }
    assert [update["configOptions"] for update in Turn(messages).of_type("config_option_update")] == [answered]


@pytest.mark.parametrize(
    ("config_id", "value"),
    [("mode", "yolo"), ("mode", True), ("thoughts", "yes"), ("thoughts", 1), ("nope", "a"), (None, "a")],
)
def test_a_setting_that_is_not_there_is_refused_and_nothing_changes(
    demo: DemoAgent, config_id: Any, value: Any
) -> None:
    session = demo.new()
    params = {"sessionId": session, "configId": config_id, "type": "id", "value": value}
    assert demo.error("session/set_config_option", params)["code"] == -32602
    reset = {"sessionId": session, "configId": "mode", "type": "id", "value": "ask"}
    now = demo.call("session/set_config_option", reset)["configOptions"]
    assert [option["currentValue"] for option in now] == ["ask", "demo", True]


def test_without_thoughts_it_thinks_in_silence(demo: DemoAgent) -> None:
    session = demo.new()
    demo.call(
        "session/set_config_option", {"sessionId": session, "configId": "thoughts", "type": "boolean", "value": False}
    )
    turn = demo.play(session, FIX)
    assert turn.thoughts == ""
    assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize(("model", "seconds"), [("demo", 1.0), ("demo-brisk", 0.2), ("demo-calm", 2.0)])
def test_the_model_is_how_long_it_pauses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, seconds: float
) -> None:
    slept: list[float] = []

    async def sleep(time: float) -> None:
        slept.append(time)

    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "1")
    monkeypatch.setattr(scene.asyncio, "sleep", sleep)
    chosen = settings.Settings()
    chosen.set("model", model)
    session: Any = SimpleNamespace(settings=chosen, cwd=tmp_path)
    asyncio.run(scene.Turn(session, []).pause(1))
    assert slept == [seconds]


def test_the_mode_that_accepts_edits_asks_for_commands_only(demo: DemoAgent) -> None:
    session = demo.new()
    value = {"sessionId": session, "configId": "mode", "type": "id", "value": "accept-edits"}
    assert demo.call("session/set_config_option", value)["configOptions"][0]["currentValue"] == "accept-edits"
    turn = demo.play(session, FIX)
    assert [request["params"]["subject"]["type"] for request in turn.requests] == ["command"]
    assert turn.calls["call_2"]["status"] == "completed"
    assert demo.error("session/set_config_option", {**value, "value": "yolo"})["code"] == -32602


def test_a_file_that_changed_while_it_asked_is_left_alone(demo: DemoAgent) -> None:
    session = demo.new()
    path = demo.cwd / "stats.py"

    def meddle(agent: DemoAgent, request: Json) -> Json | None:
        path.write_text(path.read_text() + "\n# mine\n")
        return ALLOW(agent, request)

    turn = demo.play(session, FIX, meddle)
    assert path.read_text().endswith("# mine\n")
    assert "float" not in path.read_text()
    assert turn.calls["call_2"]["status"] == "failed"
    assert "has changed" in turn.text
    assert list(turn.calls) == ["call_1", "call_2"]


# Stopping


def test_stop_while_it_asks(demo: DemoAgent) -> None:
    session = demo.new()
    before = digest(demo.cwd)

    def stop(agent: DemoAgent, _request: Json) -> None:
        agent.cancel(session)
        agent.cancel(session)

    turn = demo.play(session, FIX, stop)
    assert turn.stop_reason == "cancelled"
    assert turn.calls["call_2"]["status"] == "cancelled"
    assert digest(demo.cwd) == before
    withdrawn = [m["params"]["requestId"] for m in turn.messages if m.get("method") == "$/cancel_request"]
    assert withdrawn == [turn.requests[0]["id"]]
    demo.send({"id": turn.requests[0]["id"], **(ALLOW(demo, turn.requests[0]) or {})})
    assert demo.play(session, "hello").stop_reason == "end_turn"
    assert digest(demo.cwd) == before, "a late answer does nothing"


def test_stop_ends_a_command_and_everything_it_started(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, SLEEPERS)
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    pids = pids_in(demo.cwd, 2)
    demo.cancel(session)
    turn = demo.idle()
    assert turn.stop_reason == "cancelled"
    assert turn.calls["call_1"]["status"] == "cancelled"
    assert turn.terminals["term_1"]["exitStatus"] == {"exitCode": None, "signal": "SIGKILL"}
    eventually(lambda: not any(alive(pid) for pid in pids))


def test_stop_right_behind_the_prompt(demo: DemoAgent) -> None:
    session = demo.new()
    prompt = (
        b'{"jsonrpc":"2.0","id":900,"method":"session/prompt",'
        b'"params":{"sessionId":"%s","prompt":[{"type":"text","text":"/slow"}]}}\n'
    )
    cancel = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"%s"}}\n'
    demo.methods[900] = "session/prompt"
    demo.send(prompt % session.encode() + cancel % session.encode())
    turn = demo.idle()
    assert turn.stop_reason == "cancelled"
    assert len(turn.of_type("user_message")) == 1


def test_stop_while_idle_does_nothing(demo: DemoAgent) -> None:
    session = demo.new()
    demo.cancel(session)
    demo.cancel("no such session")
    assert demo.play(session, "hello").stop_reason == "end_turn"


def test_slow_streams_with_a_busy_call_until_it_is_stopped(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/slow")
    words = 0
    seen: list[Json] = []
    while words < 4:
        seen.append(demo.next())
        words += "agent_message_chunk" in str(seen[-1])
    assert Turn(seen).calls["call_1"]["status"] == "in_progress"
    demo.cancel(session)
    turn = demo.idle()
    assert turn.stop_reason == "cancelled"
    assert turn.calls["call_1"]["status"] == "cancelled"


def stop_one(demo: DemoAgent, session: str, method: str, **which: str) -> Json:
    """Stop one call or terminal; gives the result. What came before it is lost."""
    return demo.call(method, {"sessionId": session, **which})


def until_capable(demo: DemoAgent, kind: str) -> Json:
    """The first update of a kind that offers to stop something."""
    found = demo.until(lambda m: (update_of(m, kind).get("capabilities") or {}).get("cancel") == {})
    return update_of(found[-1], kind)


def update_of(message: Json, kind: str) -> Json:
    update = message.get("params", {}).get("update", {})
    return update if update.get("sessionUpdate") == kind else {}


def test_one_call_is_stopped_alone_and_the_turn_goes_on(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/slow")
    call_id = until_capable(demo, "tool_call_update")["toolCallId"]
    assert stop_one(demo, session, "tool_call/cancel", toolCallId=call_id) == {}
    turn = demo.idle()
    assert turn.calls[call_id]["status"] == "cancelled"
    assert turn.calls[call_id]["capabilities"] is None, "what is over cannot be stopped"
    assert turn.stop_reason == "end_turn"
    assert "You stopped the count" in turn.text


@pytest.mark.parametrize("what", ["call", "terminal"])
def test_a_command_is_stopped_alone_with_all_that_it_started(demo: DemoAgent, what: str) -> None:
    session = demo.new()
    demo.prompt(session, SLEEPERS)
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    pids = pids_in(demo.cwd, 2)
    which = {
        "call": ("tool_call/cancel", {"toolCallId": "call_1"}),
        "terminal": ("terminal/cancel", {"terminalId": "term_1"}),
    }
    method, params = which[what]
    assert stop_one(demo, session, method, **params) == {}
    turn = demo.idle()
    assert turn.terminals["term_1"]["exitStatus"] == {"exitCode": None, "signal": "SIGKILL"}
    assert turn.terminals["term_1"]["capabilities"] is None
    assert turn.calls["call_1"]["status"] == {"call": "cancelled", "terminal": "failed"}[what]
    assert turn.stop_reason == "end_turn"
    assert f"You stopped the {'command' if what == 'call' else 'terminal'}" in turn.text
    eventually(lambda: not any(alive(pid) for pid in pids))


def test_a_command_that_is_stopped_before_it_is_there_ends_at_once(tmp_path: Path) -> None:
    async def show(_: bytes) -> None:
        pass

    async def story() -> terminal.Exit:
        command = terminal.Command(["sleep", "300"], tmp_path)
        assert await command.stop() is None
        return await command.run(show)

    assert asyncio.run(asyncio.wait_for(story(), PATIENCE)).signal in ("SIGTERM", "SIGKILL")


@pytest.mark.parametrize("params", [{"toolCallId": "call_1"}, {"toolCallId": "nope"}, {"toolCallId": 1}, {}])
def test_a_call_that_is_over_or_unknown_is_not_stopped(demo: DemoAgent, params: Json) -> None:
    session = demo.new()
    demo.play(session, "/edit")
    error = demo.error("tool_call/cancel", {"sessionId": session, **params})
    assert error["code"] == -32602
    assert "can be stopped" in error["message"]
    assert demo.play(session, "hello").stop_reason == "end_turn"


@pytest.mark.parametrize("params", [{"terminalId": "term_1"}, {"terminalId": "call_1"}, {"terminalId": None}, {}])
def test_a_terminal_that_has_ended_or_is_unknown_is_not_stopped(demo: DemoAgent, params: Json) -> None:
    session = demo.new()
    demo.play(session, "/run true")
    assert demo.error("terminal/cancel", {"sessionId": session, **params})["code"] == -32602


@pytest.mark.parametrize("method", ["tool_call/cancel", "terminal/cancel", "session/set_config_option"])
def test_nothing_is_asked_of_a_session_that_is_not_there(demo: DemoAgent, method: str) -> None:
    demo.initialize()
    params = {"toolCallId": "call_1", "terminalId": "term_1", "configId": "mode", "type": "id", "value": "ask"}
    assert demo.error(method, {"sessionId": "gone", **params})["code"] == -32002


def test_a_second_prompt_while_busy_is_an_error_and_the_first_goes_on(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/slow")
    error = demo.error("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "hello"}]})
    assert error["code"] == -32600
    assert "running" in error["message"]
    other = demo.call("session/new", {"cwd": str(demo.cwd)})["sessionId"]
    demo.request("session/prompt", {"sessionId": other, "prompt": [{"type": "text", "text": "hello"}]})
    finished = demo.until(lambda m: m.get("params", {}).get("update", {}).get("state") == "idle")[-1]
    assert finished["params"]["sessionId"] == other
    demo.cancel(session)
    assert demo.idle().stop_reason == "cancelled"


# Sessions


def test_resume_replays_what_happened(demo: DemoAgent) -> None:
    session = demo.new()
    live = demo.play(session, FIX)
    params = {"sessionId": session, "cwd": str(demo.cwd), "replayFrom": {"type": "start"}}
    request_id = demo.request("session/resume", params)
    messages = demo.until(lambda m: m.get("id") == request_id)
    replayed = Turn(messages)
    assert replayed.text == live.text
    assert replayed.thoughts == live.thoughts
    assert replayed.calls == live.calls
    assert replayed.terminals == live.terminals
    assert replayed.plans[-1] == live.plans[-1]
    assert replayed.states == ["idle"]
    assert len(replayed.messages) < len(live.messages) / 2, "streamed text is joined"
    assert [c["name"] for c in messages[-1]["result"]["availableCommands"]] == ["edit", "run", "slow", "fail", "odd"]


def test_resume_without_replay_only_tells_how_things_stand(demo: DemoAgent) -> None:
    session = demo.new()
    demo.play(session, "hello")
    request_id = demo.request("session/resume", {"sessionId": session, "cwd": str(demo.cwd)})
    turn = Turn(demo.until(lambda m: m.get("id") == request_id))
    assert {update["sessionUpdate"] for update in turn.updates} == {"usage_update", "state_update"}


def test_lists_its_sessions(demo: DemoAgent) -> None:
    session = demo.new()
    other = demo.call("session/new", {"cwd": "/"})["sessionId"]
    demo.play(session, FIX)
    everything = demo.call("session/list", {})["sessions"]
    assert {s["sessionId"] for s in everything} == {session, other}
    here = demo.call("session/list", {"cwd": str(demo.cwd)})["sessions"]
    assert [(s["sessionId"], s["title"]) for s in here] == [(session, "Fix mean() of an empty list")]


def test_close_stops_the_turn_and_resume_opens_again(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/slow")
    request_id = demo.request("session/close", {"sessionId": session})
    turn = Turn(demo.until(lambda m: m.get("id") == request_id))
    assert turn.stop_reason == "cancelled"
    assert (
        demo.error("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "x"}]})["code"]
        == -32002
    )
    demo.call("session/resume", {"sessionId": session, "cwd": str(demo.cwd)})
    assert demo.play(session, "hello").stop_reason == "end_turn"


# The commands


def test_advertises_its_commands(demo: DemoAgent) -> None:
    demo.initialize()
    commands = demo.call("session/new", {"cwd": str(demo.cwd)})["availableCommands"]
    assert [command["name"] for command in commands] == ["edit", "run", "slow", "fail", "odd"]
    assert all(command["description"] for command in commands)
    assert {c["name"] for c in commands if c.get("input", {}).get("hint")} == {"edit", "run", "fail"}


@pytest.mark.parametrize("text", ["hello", "what can you do?", "/unknown", "/", ""])
def test_anything_else_gets_a_short_help(demo: DemoAgent, text: str) -> None:
    turn = demo.play(demo.new(), text)
    assert turn.calls == {}
    assert all(f"`/{name}" in turn.text for name in ("edit", "run", "slow", "fail", "odd"))
    assert turn.stop_reason == "end_turn"


def test_says_what_came_with_a_prompt(demo: DemoAgent) -> None:
    session = demo.new()
    blocks = [
        {"type": "text", "text": "hello"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}},
    ]
    demo.call("session/prompt", {"sessionId": session, "prompt": blocks})
    assert "2 attachment(s): image, resource" in demo.idle().text


def test_edit_makes_a_file_of_notes_and_then_adds_to_it(demo: DemoAgent) -> None:
    session = demo.new()
    first = demo.play(session, "/edit buy milk")
    second = demo.play(session, "/edit")
    assert (demo.cwd / "NOTES.md").read_text() == "# Notes\n\n- buy milk\n- Note 2, by the demo agent.\n"
    diffs = [turn.calls[call]["content"][0] for turn, call in ((first, "call_1"), (second, "call_2"))]
    assert [diff["changes"][0]["operation"] for diff in diffs] == ["add", "modify"]
    assert "new file mode 100644" in diffs[0]["patch"]["text"]
    assert "--- /dev/null\n" in diffs[0]["patch"]["text"]
    assert {path.name for path in demo.cwd.iterdir()} >= {"NOTES.md"}
    assert not list(demo.cwd.glob(".*")), "no temporary file stays"


def test_edit_keeps_the_mode_and_the_ending_of_a_file(demo: DemoAgent) -> None:
    session = demo.new()
    path = demo.cwd / "NOTES.md"
    path.write_bytes("no end of line: é".encode())
    path.chmod(0o640)
    turn = demo.play(session, "/edit x")
    assert path.read_bytes() == "no end of line: é\n- x\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert "\\ No newline at end of file\n" in turn.calls["call_1"]["content"][0]["patch"]["text"]


def test_edit_does_not_follow_a_link_out_of_the_folder(demo: DemoAgent, tmp_path: Path) -> None:
    session = demo.new()
    outside = tmp_path / "outside.md"
    outside.write_text("not yours\n")
    (demo.cwd / "NOTES.md").symlink_to(outside)
    turn = demo.play(session, "/edit x")
    assert outside.read_text() == "not yours\n"
    assert turn.requests == []
    assert "leads out of the folder" in turn.text


def test_run_draws_progress_bars(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/run")
    output = turn.terminals["term_1"]["bytes"]
    assert output.count(b"\r") > 20
    assert b"\x1b[36m" in output
    assert "█".encode() in output
    assert turn.calls["call_1"]["status"] == "completed"


def test_run_runs_what_the_user_wrote_after_asking(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/run echo hello > made.txt; echo $COLUMNS; exit 3")
    assert turn.requests[0]["params"]["subject"]["command"] == "echo hello > made.txt; echo $COLUMNS; exit 3"
    assert (demo.cwd / "made.txt").read_text() == "hello\n"
    assert turn.terminals["term_1"]["bytes"] == b"80\r\n"
    assert turn.terminals["term_1"]["exitStatus"]["exitCode"] == 3
    assert turn.calls["call_1"]["status"] == "failed"
    assert "exit code `3`" in turn.text


def test_a_command_that_was_not_allowed_does_not_run(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/run touch made.txt", choose("reject_once"))
    assert not (demo.cwd / "made.txt").exists()
    assert turn.terminals == {}
    assert turn.calls["call_1"]["status"] == "failed"


def test_run_names_the_signal_that_ended_a_command(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/run kill -9 $$")
    assert turn.terminals["term_1"]["exitStatus"] == {"exitCode": None, "signal": "SIGKILL"}
    assert "`SIGKILL`" in turn.text


def test_nothing_of_a_command_is_lost_and_its_background_ends_with_it(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/run sleep 300 & echo $! > pid0; seq 1 60000")
    numbers = turn.terminals["term_1"]["bytes"].decode().split()
    assert numbers == [str(number) for number in range(1, 60001)]
    eventually(lambda: not alive(int((demo.cwd / "pid0").read_text())))


def test_fail_fails_in_three_ways(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/fail")
    assert [call["status"] for call in turn.calls.values()] == ["failed", "failed"]
    assert "No such file" in texts(turn.calls["call_1"])
    assert turn.terminals["term_1"]["exitStatus"]["exitCode"] == 1
    assert turn.stop_reason == "error"
    assert turn.idle["error"]["message"]


def test_fail_crash_ends_the_process_with_a_word_on_stderr(wild: DemoAgent) -> None:
    session = wild.new()
    with pytest.raises(EOFError):
        wild.play(session, "/fail crash")
    assert wild.wait() == 3
    assert "crashing" in wild.stderr


def test_fail_garbage_writes_lines_that_are_no_messages_and_goes_on(wild: DemoAgent) -> None:
    session = wild.new()
    turn = wild.play(session, "/fail garbage")
    assert len(wild.garbage) >= 4
    assert turn.stop_reason == "end_turn"
    assert wild.play(session, "hello").stop_reason == "end_turn"


# The end


def test_ends_when_its_stdin_closes_and_leaves_no_child(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, SLEEPERS)
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    pids = pids_in(demo.cwd, 2)
    assert demo.close() == 0
    assert demo.stderr == ""
    eventually(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ends_on_a_signal_and_leaves_no_child(demo: DemoAgent, number: signal.Signals) -> None:
    session = demo.new()
    demo.prompt(session, SLEEPERS)
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    pids = pids_in(demo.cwd, 2)
    demo.process.send_signal(number)
    assert demo.wait() == 0
    eventually(lambda: not any(alive(pid) for pid in pids))


def test_its_commands_end_even_when_it_is_killed_outright(wild: DemoAgent) -> None:
    session = wild.new()
    wild.prompt(session, "/run echo $$ > pid0; sleep 300")
    request = wild.until(lambda m: m.get("method") == "session/request_permission")[-1]
    wild.send({"id": request["id"], **(ALLOW(wild, request) or {})})
    (pid,) = pids_in(wild.cwd, 1)
    wild.process.kill()
    eventually(lambda: not alive(pid))


def test_a_client_that_reads_nothing_can_still_stop_it(demo: DemoAgent) -> None:
    session = demo.new()
    demo.prompt(session, "/run echo $$ > pid0; yes")
    request = demo.until(lambda m: m.get("method") == "session/request_permission")[-1]
    demo.stop_reading()
    demo.send({"id": request["id"], **(ALLOW(demo, request) or {})})
    (pid,) = pids_in(demo.cwd, 1)
    demo.cancel(session)
    eventually(lambda: not alive(pid))
    assert demo.close() == 0


# Parts


def test_a_patch_of_a_path_with_odd_characters_is_quoted_as_git_does() -> None:
    patch = files.git_patch(Path('/tmp/a "b"\tc.txt'), b"x\n", b"y\n")
    assert patch.startswith('diff --git "/tmp/a \\"b\\"\\tc.txt" "/tmp/a \\"b\\"\\tc.txt"\n')
    assert '--- "/tmp/a \\"b\\"\\tc.txt"\n' in patch
    assert "--- /tmp/a b.txt\t\n+++ /tmp/a b.txt\t\n" in files.git_patch(Path("/tmp/a b.txt"), b"x\n", b"y\n")


def test_a_patch_has_the_blob_ids_and_hunks_of_git(tmp_path: Path) -> None:
    old, new = b"one\ntwo\x0cstill two\nthree", b"one\n2\nthree\n"
    path = tmp_path / "a.txt"
    path.write_bytes(old)
    assert files.git_patch(path, old, new) == (
        f"diff --git {path} {path}\nindex f79da69..f04eb26 100644\n--- {path}\n+++ {path}\n"
        "@@ -1,3 +1,3 @@\n one\n-two\x0cstill two\n-three\n\\ No newline at end of file\n+2\n+three\n"
    )
    assert files.counts(old, new) == (2, 2)


def test_a_new_file_never_replaces_one_that_came_in_the_meantime(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("theirs")
    with pytest.raises(files.Refused):
        files.write(path, None, b"ours")
    assert path.read_text() == "theirs"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_the_fix_fits_a_function_that_the_user_touched() -> None:
    source = b"import math\n\n\ndef mean(values):\n    return sum(values) / len(values)\n\n\ndef other():\n    pass\n"
    found = project.Project(Path("/stats.py"), Path("/t.py"), source, "", 1)
    assert found.fixed is not None
    assert b'    if not values:\n        return float("nan")\n    return sum(values)' in found.fixed
    assert found.function_line == 4
    assert project.Project(Path("/stats.py"), Path("/t.py"), found.fixed, "", 1).fixed is None


def test_the_pace_makes_the_turn_watchable(tmp_path: Path) -> None:
    with DemoAgent(tmp_path, pace="0.05") as agent:
        turn = agent.play(agent.new(), FIX)
    assert "All 6 tests pass" in turn.text
