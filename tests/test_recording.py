"""`Agent(…, record=…)`: what stands in the file, whatever the agent, the disk or the end of the process do."""

from __future__ import annotations

import copy
import errno
import gc
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentClosed, AgentExited, AuthRequired, RequestError
from acp_widget.protocol.transport import NotAMessage
from acp_widget.recording import cassette, trace, traffic

from .agents.scripted import scripted, until
from .keeping import Keeper

FIX = "The test for mean() fails on an empty list. Fix it."


@pytest.fixture(autouse=True)
def _quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Where a test records; its folder must hold nothing else at the end."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    yield folder / "it.jsonl"
    assert {each.name for each in folder.iterdir()} <= {"it.jsonl"}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def told(file: Path, name: str) -> list[Any]:
    return [record[name] for record in lines(file) if name in record]


def methods(file: Path, direction: str) -> list[str]:
    return [
        record["msg"]["method"]
        for record in lines(file)
        if record.get("dir") == direction and "method" in record.get("msg", {})
    ]


# --- what stands in it ------------------------------------------------------------------------------------------------


def test_the_whole_connection_is_in_the_file(file: Path) -> None:
    with Agent("demo", permissions="allow", record=file) as agent:
        assert agent.recording == file
        agent.run(FIX)
    assert agent.recording is None
    header, *records = lines(file)
    assert header["cassette"] == 1
    assert header["redacted"] is True
    assert header["label"] == "demo agent"
    assert {"at", "acpWidget", "python", "cwd", "command"} <= set(header)
    assert methods(file, "out") == ["initialize", "session/new", "session/prompt", "session/close"]
    assert methods(file, "in").count("session/request_permission") == 2
    times = [record["t"] for record in records]
    assert times == sorted(times)
    assert all(at >= 0 for at in times)
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_happened_on_our_side_is_in_it_too(file: Path) -> None:
    with Agent("demo", permissions="reject", record=file) as agent:
        agent.run(FIX)
    events = told(file, "event")
    assert [event["type"] for event in events][:3] == ["promptQueued", "starting", "launching"]
    assert [event["by"] for event in events if event["type"] == "respond"] == ["policy"]
    assert events[-1] == {"type": "ended", "connection": "closed", "error": None, "keepQueued": False}
    assert not any("at" in event for event in events)


def test_a_note_stands_where_it_was_made(file: Path) -> None:
    with Agent("demo", permissions="allow", record=file) as agent:
        agent.run(FIX)
        agent.note("It was **mean**.", title="Why", question="What next?", options=["Stop", "Go on"], answer="Go on")
        agent.run("hello")
    records = lines(file)
    at = next(number for number, record in enumerate(records) if "note" in record)
    assert records[at]["note"] == {
        "text": "It was **mean**.",
        "title": "Why",
        "question": "What next?",
        "options": ["Stop", "Go on"],
        "answer": "Go on",
    }
    assert records[at + 1]["event"]["type"] == "promptQueued"


def test_a_cancelled_turn_and_a_restart_go_on_in_the_same_file(file: Path, tmp_path: Path) -> None:
    script = """
        start()
        while True:
            prompt()
            running()
            say("working")
            until("session/cancel")
            idle("cancelled")
    """
    with Agent(scripted(tmp_path, script), cwd=tmp_path, record=file) as agent:
        for _ in range(2):
            turn = agent.prompt("work", show=False)
            until(lambda: turn.text)  # noqa: B023
            turn.cancel()
            assert turn.wait(20).stop_reason == "cancelled"
            agent.restart().wait(20)
    sent = [method for method in methods(file, "out") if method != "session/close"]
    assert sent == ["initialize", "session/new", "session/prompt", "session/cancel"] * 2 + ["initialize", "session/new"]
    assert len(told(file, "cassette")) == 1
    kinds = [event["type"] for event in told(file, "event")]
    assert kinds.count("starting") == kinds.count("ended") == 3


def test_what_an_agent_says_after_its_end_is_marked(file: Path, tmp_path: Path) -> None:
    script = """
        start()
        prompt()
        running()
        idle()
        message = until("session/close")
        say("last words")
        answer(message, {})
    """
    with Agent(scripted(tmp_path, script), cwd=tmp_path, record=file) as agent:
        agent.run("hello", show=False)
    records = lines(file)
    end = next(number for number, each in enumerate(records) if each.get("event", {}).get("type") == "ended")
    assert records[end + 1]["msg"]["method"] == "session/close"
    assert all(record["late"] for record in records[end + 1 :])
    assert all("last words" not in each.text for each in agent.messages)
    assert not any("late" in record for record in records[:end])


def test_a_decision_is_told_with_who_made_it_and_why(file: Path) -> None:
    answers = iter([True, None])
    with Agent("demo", permissions=lambda request: next(answers), record=file) as agent:
        with pytest.warns(UserWarning, match="nobody could answer"):
            agent.run(FIX, show=False)
        made = [(each.option_id, each.by, each.why) for each in agent.policy.decisions]
    events = [event for event in told(file, "event") if event["type"] in ("respond", "dismiss")]
    assert [(event.get("optionId"), event["by"], event["why"]) for event in events] == made
    assert [by for _, by, _ in made] == ["policy", "nobody"]
    asked = [record["msg"]["id"] for record in lines(file) if "request_permission" in str(record.get("msg"))[:200]]
    answered = [record["msg"]["id"] for record in lines(file) if "outcome" in record.get("msg", {}).get("result", {})]
    assert asked == answered


def test_odd_texts_and_numbers_come_back_as_they_were(file: Path, tmp_path: Path) -> None:
    script = r"""
        start()
        prompt()
        running()
        say("ä😀\u0000\u2028\x1b[0m" + "x" * 1_000_000)
        write = sys.stdout.write
        write('{"jsonrpc":"2.0","method":"_x/odd","params":{"half":"\\ud83d","n":1' + "0" * 400 + ',"f":1e999}}\n')
        write("a stray print of token=abc123def456ghi7\n[1, 2]\n17\n\xff\n")
        sys.stdout.flush()
        idle()
        serve()
    """
    with Agent(scripted(tmp_path, script), cwd=tmp_path, record=file) as agent:
        turn = agent.run("\ud800 and \u0000", show=False)
        assert turn.text.endswith("x" * 1_000_000)
        stray = next(entry for entry in agent.log if entry.kind == "other")
    records = lines(file)
    messages = [message for message in told(file, "msg") if isinstance(message, dict)]
    odd = next(message["params"] for message in messages if message.get("method") == "_x/odd")
    assert odd == {"half": "\ufffd", "n": 10**400, "f": "1e999"}
    said = next(each for each in messages if "agent_message_chunk" in str(each)[:200])
    assert said["params"]["update"]["content"]["text"] == turn.text
    prompt = next(each for each in messages if each.get("method") == "session/prompt")
    assert prompt["params"]["prompt"][0]["text"] == "\ud800 and \u0000"
    raw = [record for record in records if "raw" in record]
    assert [record["raw"] for record in raw] == ["a stray print of token=[redacted]", "\xff"]
    assert raw[0]["reason"].startswith("not JSON")
    assert stray.message == raw[0]["raw"]
    assert [each for each in told(file, "msg") if not isinstance(each, dict)] == [[1, 2], 17]


def test_an_agent_of_version_1_with_our_files_and_terminals(file: Path, tmp_path: Path) -> None:
    asker = [sys.executable, "-S", "-E", str(Path(__file__).with_name("agents") / "asker.py")]
    steps = [
        {"ask": "fs/write_text_file", "params": {"path": str(tmp_path / "new.txt"), "content": "new"}},
        {"ask": "fs/read_text_file", "params": {"path": "/etc/passwd"}},
        {"ask": "terminal/create", "params": {"command": "echo", "args": ["hi"]}},
    ]
    with Agent(
        asker, cwd=tmp_path, client_files=True, client_terminals=True, record=file, permissions="allow"
    ) as agent:
        agent.run(json.dumps(steps), show=False, timeout=60)
        until(lambda: agent.terminals[0].exit_code is not None)
    assert {"fs/write_text_file", "fs/read_text_file", "terminal/create"} <= set(methods(file, "in"))
    events = told(file, "event")
    shown = [event["update"]["sessionUpdate"] for event in events if event["type"] == "update"]
    assert {"tool_call_update", "terminal_update"} <= set(shown)
    assert [event["where"] for event in events if event["type"] == "diagnostic"] == ["fs/read_text_file"]


def test_values_given_to_the_agent_are_in_no_line(file: Path, tmp_path: Path) -> None:
    script = """
        import base64
        answer(read(), {"protocolVersion": 2, "info": {"name": "s", "version": "1"},
                        "capabilities": {"session": {"mcp": {"http": {}}}}})
        answer(read(), {"sessionId": "s"})
        prompt()
        running()
        secret = os.environ["PLAIN"]
        say("It is " + secret)
        update("session_info_update", title="About " + secret)
        update("tool_call_update", toolCallId=secret, title=secret, rawInput={"cmd": json.dumps({"x": secret})})
        update("terminal_update", terminalId="1", command="echo " + secret)
        update("terminal_output_chunk", terminalId="1", data=base64.b64encode(secret.encode()).decode())
        ask(1, "Use " + secret + "?")
        answered(1)
        print("stray", secret, flush=True)
        idle()
        serve()
    """
    env = {"PLAIN": "nobodys-business", "SHORT": "it"}
    servers = {"web": {"url": "https://example.org/mcp", "headers": {"X-A": "Bearer also-nobodys"}}}
    command = [*scripted(tmp_path, script), "--token", "abc123"]
    with Agent(command, cwd=tmp_path, env=env, mcp_servers=servers, permissions="allow", record=file) as agent:
        agent.run("hello", show=False)
        assert agent.messages[-1].text == "It is nobodys-business"
        log = json.dumps(agent.log.to_dict())
    text = file.read_text()
    assert text.count("[redacted") > 10
    for whole in (text, log):
        assert "It is [redacted]" in whole
        for secret in ("nobodys-business", "also-nobodys", "abc123", "bm9ib2R5cy1idXNpbmVzcw"):
            assert secret not in whole


def test_the_home_folder_is_not_in_it(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "somebody"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    with Agent("demo", cwd=home / "project", permissions="allow", record=file) as agent:
        agent.run(FIX, show=False)
    header = lines(file)[0]
    assert header["cwd"] == "~/project"
    assert "somebody" not in file.read_text()
    assert "~/project/stats.py" in file.read_text()


# --- what it tells who reads it ---------------------------------------------------------------------------------------


def same_ids(text: str) -> str:
    """Ids of ours count through the process: here from the first one of a session."""
    found: dict[str, str] = {}
    return re.sub(r"acp-widget:\d+", lambda match: found.setdefault(match[0], f"acp-widget:{len(found)}"), text)


def state_of(snapshot: dict[str, Any]) -> dict[str, Any]:
    """A state without its times."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: timeless(item) for name, item in value.items() if name != "at"}
        return [timeless(item) for item in value] if isinstance(value, list) else value

    return dict(json.loads(same_ids(json.dumps(timeless(snapshot)))))


def odd(folder: Path, file: Path) -> Agent:
    with Agent("demo", permissions="reject", record=file) as agent:
        agent.run("/odd", show=False)
        with pytest.raises(RequestError):
            agent.run("/fail", show=False)
        first, second = agent.prompt("/slow", show=False), agent.prompt("never", show=False)
        until(lambda: first.text)
        second.cancel()
        agent.restart().run("hello", show=False)
    return agent


def stray(folder: Path, file: Path) -> Agent:
    script = """
        initialize()
        message = read()
        update("available_commands_update", availableCommands=[{"name": "early", "description": "d"}])
        answer(message, {"sessionId": "s"})
        prompt()
        running()
        print("no JSON", flush=True)
        ask(1)
        ask("1", "Another?")
        answered("1")
        sys.exit(3)
    """
    agent = Agent(scripted(folder, script), cwd=folder, permissions="allow", record=file)
    with agent, pytest.raises(AgentExited):
        agent.run("hello", show=False)
    return agent


def logged_in(folder: Path, file: Path) -> Agent:
    keeper = Keeper(folder, 1, key="KEEPER_KEY", secret="hush-hush-4711")
    method = keeper.method("key", "env_var", vars=[{"name": "KEEPER_KEY", "secret": True}])
    with keeper.wants("prompt", method).agent(record=file) as agent:
        turn = agent.prompt("hello", show=False)
        with pytest.raises(AuthRequired):
            turn.wait(20)
        agent.login("key", env={"KEEPER_KEY": "hush-hush-4711"})
        turn.wait(20)
    return agent


def served(folder: Path, file: Path) -> Agent:
    asker = [sys.executable, "-S", "-E", str(Path(__file__).with_name("agents") / "asker.py")]
    call = {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit", "kind": "edit"}
    steps = [
        {"update": call},
        {"ask": "fs/write_text_file", "params": {"path": str(folder / "new.txt"), "content": "new"}},
        {"ask": "fs/read_text_file", "params": {"path": "/etc/passwd"}},
        {"ask": "terminal/create", "params": {"command": "echo", "args": ["hi"]}},
    ]
    with Agent(asker, cwd=folder, client_files=True, client_terminals=True, permissions="allow", record=file) as agent:
        agent.run(json.dumps(steps), show=False, timeout=60)
        until(lambda: agent.terminals[0].exit_code is not None)
    return agent


@pytest.mark.parametrize("session", [odd, stray, logged_in, served], ids=lambda session: session.__name__)
def test_it_tells_the_state_that_the_session_had(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, session: Callable[[Path, Path], Agent]
) -> None:
    monkeypatch.setenv("HOME", "/home/of-nobody")  # what is hidden differs
    agent = session(tmp_path, file)
    heard = trace.play(trace.read(file)).state.snapshot()
    assert state_of(heard) == state_of(agent._driver.state.snapshot())
    assert "hush-hush" not in file.read_text()


def test_inspect_reads_a_recording(file: Path) -> None:
    with Agent("demo", permissions="allow", record=file) as agent:
        agent.note("a note")
        agent.run(FIX, show=False)
    command = [sys.executable, "-m", "acp_widget", "inspect", str(file)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "state: idle, end_turn" in told
    assert "asked: Edit stats.py? → yes" in told
    assert "wrong" not in told


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_needs_no_file_and_is_a_table() -> None:
    with Agent("demo", permissions="allow", env={"DEMO_TOKEN": "nobodys-business"}) as agent:
        agent.run("nobodys-business", show=False)
        frame, count = agent.log.to_frame(), len(agent.log)
        sent = agent.log.where(direction="out", kind="request")
    assert list(frame.columns) == ["number", "at", "direction", "kind", "method", "request_id", "size", "message"]
    assert len(frame) == count > 10
    assert [entry.method for entry in sent] == ["initialize", "session/new", "session/prompt"]
    answers = agent.log.where(direction="in", kind="result")
    assert [entry.method for entry in answers[:3]] == ["initialize", "session/new", "session/prompt"]
    assert [entry.request_id for entry in sent] == [1, 2, 3]
    assert sent[2].message["params"]["prompt"] == [{"type": "text", "text": "[redacted]"}]
    assert "nobodys-business" not in repr(agent.log) + str(frame.to_dict())
    assert "session/prompt" in repr(sent[2])
    assert "initialize" in agent.log[0]._repr_html_()
    sent[2].message["params"].clear()
    assert sent[2].message["params"]


def test_an_entry_of_the_log_can_be_kept() -> None:
    with Agent("demo", env={"DEMO_TOKEN": "nobodys-business"}) as agent:
        agent.run("nobodys-business", show=False)
        entry = agent.log.where(method="session/prompt")[0]
    kept = pickle.dumps(entry)
    assert b"nobodys" not in kept
    assert pickle.loads(kept) == entry == copy.copy(entry)
    assert pickle.loads(kept).size == entry.size
    with pytest.raises(AttributeError, match="read-only"):
        entry.number = 3  # type: ignore[misc]


def test_half_a_secret_at_the_end_of_a_line_that_was_cut_off_is_left_out() -> None:
    line = NotAMessage("stray text nobodys-busi…", "not JSON")
    told = traffic.record_of("in", line, lambda text: text.replace("nobodys-business", "[redacted]"))
    assert told == {"dir": "in", "raw": "stray text …", "reason": "not JSON"}


def test_a_message_that_is_too_large_is_left_out_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LARGEST", 100)
    told = traffic.record_of("in", {"text": "x" * 101}, lambda message: message)
    assert told == {"dir": "in", "cut": "a message of about 113 characters, more than 100"}


def test_the_log_is_bounded(tmp_path: Path) -> None:
    script = """
        start()
        prompt()
        running()
        for number in range(12):
            say(str(number) + "x" * 1_000_000)
        idle()
        serve()
    """
    with Agent(scripted(tmp_path, script), cwd=tmp_path) as agent:
        agent.run("hello", show=False)
        log = agent.log
    assert sum(entry.size for entry in log) <= 8_000_000
    assert log[-1].number > len(log)
    assert "x" * 1_000_000 in str(log[0].message)


# --- notes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"text": ""}, ValueError, "empty"),
        ({"text": 3}, TypeError, "text is text, not int"),
        ({"text": "x", "question": "Why?"}, ValueError, "at least two options"),
        ({"text": "x", "options": ["a", "b"]}, ValueError, "belong to a question"),
        ({"text": "x", "question": "Why?", "options": "ab"}, TypeError, "list of texts"),
        ({"text": "x", "question": "Why?", "options": ["a", "b"], "answer": "c"}, ValueError, "'c' is none of"),
    ],
)
def test_a_note_that_cannot_be_is_told(file: Path, given: dict[str, Any], kind: type[Exception], words: str) -> None:
    with Agent("demo", record=file) as agent, pytest.raises(kind, match=words):
        agent.note(**given)


def test_a_note_needs_a_recording_that_goes_on(file: Path) -> None:
    with Agent("demo") as agent, pytest.raises(AcpError, match="not recorded"):
        agent.note("x")
    with Agent("demo", record=file) as agent:
        agent.note("my password: hunter2")
    with pytest.raises(AgentClosed):
        agent.note("x")
    assert told(file, "note") == [{"text": "my password: [redacted]"}]


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_file_that_holds_something_is_not_touched(file: Path) -> None:
    file.write_text("mine\n")
    with pytest.raises(FileExistsError, match="Take another name"):
        Agent("demo", record=file)
    assert file.read_text() == "mine\n"


def test_an_empty_file_is_taken_and_one_that_nothing_was_written_to_goes(file: Path) -> None:
    agent = Agent("demo", record=str(file))
    assert file.exists()
    agent.close()
    assert not file.exists()
    file.touch()
    agent = Agent("demo", record=file)
    agent.close()
    assert file.exists()
    with Agent("demo", record=file) as agent:
        agent.run("hello", show=False)
    assert told(file, "cassette") == [1]


def test_two_agents_never_share_a_file(file: Path) -> None:
    with Agent("demo", record=file) as agent:
        with pytest.raises(FileExistsError, match="another agent records into this file"):
            Agent("demo", record=file)
        agent.run("hello", show=False)
        with pytest.raises(FileExistsError, match="never written over"):
            Agent("demo", record=file)
    assert told(file, "cassette") == [1]


@pytest.mark.parametrize("where", ["", "no/such/folder/x.jsonl"])
def test_a_file_that_cannot_be_is_told_before_anything_starts(tmp_path: Path, where: str) -> None:
    with pytest.raises(OSError, match=r"cannot be written: .*Name a file in a folder that is there"):
        Agent("demo", record=tmp_path / where)


def test_wrong_kinds_of_files_are_told() -> None:
    with pytest.raises(TypeError, match="record= takes the name of a file"):
        Agent("demo", record=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="record= is empty"):
        Agent("demo", record="")


def test_an_agent_that_nobody_holds_lets_go_of_its_file(file: Path) -> None:
    def opened() -> list[str]:
        links = list(Path("/proc/self/fd").iterdir())
        return [str(link) for link in links if os.path.realpath(link) == str(file)]

    agent = Agent("demo", record=file)
    agent.run("hello", show=False)
    assert opened()
    del agent
    gc.collect()
    until(lambda: not opened())
    other = Agent("demo", record=file.with_name("it.jsonl-never"))
    del other
    gc.collect()
    until(lambda: not file.with_name("it.jsonl-never").exists())


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_disk_that_is_full_disturbs_nobody() -> None:
    with Agent("demo", permissions="allow", record="/dev/full") as agent:
        with pytest.warns(UserWarning, match="The recording ends here: /dev/full .*No space left"):
            turn = agent.run(FIX, show=False)
        assert turn.stop_reason == "end_turn"
        assert agent.recording is None
        assert any("cannot be written any more" in each["message"] for each in agent.diagnostics)
        with pytest.raises(AcpError, match="No space left"):
            agent.note("x")
        assert agent.run("hello", show=False).stop_reason == "end_turn"
        assert len(agent.log) > 10


def test_a_disk_that_fills_up_leaves_whole_lines_and_perhaps_half_a_one(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = 3_000
    write = os.write

    def written(handle: int, data: Any) -> int:
        nonlocal room
        if os.path.realpath(f"/proc/self/fd/{handle}") != str(file):
            return write(handle, data)
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = write(handle, bytes(data)[:room])
        room -= count
        return count

    monkeypatch.setattr(cassette.os, "write", written)
    with Agent("demo", permissions="allow", record=file) as agent, pytest.warns(UserWarning, match="recording ends"):
        agent.run(FIX, show=False)
    monkeypatch.undo()
    *whole, _ = file.read_bytes().split(b"\n")
    assert file.stat().st_size == 3_000
    assert json.loads(whole[0])["cassette"] == 1
    assert all(isinstance(json.loads(line), dict) for line in whole)


def test_a_file_that_somebody_removes_is_told_of_at_the_end_of_the_turn(file: Path) -> None:
    with Agent("demo", record=file) as agent:
        agent.run("hello", show=False)
        file.unlink()
        turn = agent.prompt("hello", show=False)
        with pytest.warns(UserWarning, match="the file was removed"):
            agent.wait(20)  # until nothing is left to do
        assert turn.done
        assert agent.recording is None


def test_what_a_killed_process_wrote_can_be_read(file: Path) -> None:
    script = f"""
        from acp_widget import Agent
        agent = Agent("demo", permissions="allow", record={str(file)!r})
        while True:
            agent.run({FIX!r}, show=False)
            print("turn", flush=True)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child:
        assert child.stdout.readline() == "turn\n"
        size = file.stat().st_size
        until(lambda: file.stat().st_size > size)
        child.send_signal(signal.SIGKILL)
    *whole, rest = file.read_bytes().split(b"\n")
    assert all(isinstance(json.loads(line), dict) for line in whole)
    assert rest == b"" or not rest.endswith(b"}")
    assert methods_of(whole).count("session/prompt") >= 1


def methods_of(whole: list[bytes]) -> list[Any]:
    return [json.loads(line).get("msg", {}).get("method") for line in whole]


def test_a_forked_child_does_not_write_into_it(file: Path) -> None:
    with Agent("demo", record=file) as agent:
        agent.run("hello", show=False)
        child = os.fork()
        if child == 0:
            fine = agent.recording is None and len(agent.log) > 3
            os._exit(0 if fine else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert agent.recording == file
        agent.note("after the fork")
    assert told(file, "note") == [{"text": "after the fork"}]


def test_a_message_that_cannot_be_written_is_told_of_and_only_that_one_is_missing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """
        start()
        prompt()
        running()
        sys.stdout.write('{"jsonrpc":"2.0","method":"_x/deep","params":{"a":' + "[" * 900 + "]" * 900 + "}}\\n")
        say("after it")
        idle()
        serve()
    """
    with Agent(scripted(tmp_path, script), cwd=tmp_path, record=file) as agent:
        assert agent.run("hello", show=False).text == "after it"
    cut = [record for record in lines(file) if "cut" in record]
    assert [(record["dir"], "redacted" in record["cut"]) for record in cut] == [("in", True)]
    assert "after it" in file.read_text()
