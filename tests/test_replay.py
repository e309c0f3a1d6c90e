"""`Agent.replay`: what was recorded is what is seen again, without the agent; whatever is in the file, it ends."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentExited, NotOffered, runtime
from acp_widget.recording import script as scripts
from acp_widget.recording import trace
from acp_widget.recording.lesson import Lesson
from acp_widget.recording.neutral import neutral
from acp_widget.recording.playback import Playback

from .agents.scripted import until
from .replays import ASKED, FIX, INF, TRACES, clocked, hash_of, played, player_of, state_of, untimed, write

pytestmark = pytest.mark.filterwarnings("ignore::acp_widget.errors.NobodyWatching")


@pytest.fixture(autouse=True)
def _quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")


# --- what was recorded is what is seen again -------------------------------------------------------------------------


def fix(agent: Agent) -> None:
    agent.run(FIX)


def stop(agent: Agent) -> None:
    turn = agent.prompt("/slow 60")
    agent.prompt("hello")
    until(lambda: agent.status == "running")
    agent.cancel()
    agent.wait(20)
    assert turn.stop_reason == "cancelled"


def two(agent: Agent) -> None:
    agent.prompt("hello")
    agent.run(FIX)


def again(agent: Agent) -> None:
    agent.run(FIX)
    agent.restart().wait(20)
    agent.run(FIX)


def odd(agent: Agent) -> None:
    agent.run("/odd")


SESSIONS: dict[str, tuple[str, Callable[[Agent], None]]] = {
    "allow": ("allow", fix),
    "reject": ("reject", fix),
    "cancel": ("allow", stop),
    "two turns": ("allow", two),
    "restart": ("allow", again),
    "odd": ("allow", odd),
}

# Plays it in a process that could run nothing, and prints what it comes to.
ELSEWHERE = """
import json, sys
from acp_widget import Agent
from acp_widget.recording.neutral import neutral
sys.path.insert(0, {root!r})
from tests.replays import hash_of, state_of, untimed
agent = Agent.replay({path!r}, speed=float("inf")).wait(30)
print(json.dumps([hash_of(neutral(agent._driver.state)), hash_of(untimed(state_of(agent))), agent.player.end]))
"""


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_of_the_demo_agent_is_the_same_in_a_process_without_any_agent(session: str, tmp_path: Path) -> None:
    permissions, live = SESSIONS[session]
    path = tmp_path / "it.jsonl"
    with Agent("demo", permissions=permissions, record=path) as agent:  # type: ignore[arg-type]
        live(agent)
    root = str(Path(__file__).parent.parent)
    program = ELSEWHERE.format(root=root, path=str(path))
    made = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": "", "PYTHONPATH": root, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=tmp_path,
    )
    # But for the times all of the state is equal, not only what ACP knows of it.
    wanted = [hash_of(neutral(agent._driver.state)), hash_of(untimed(state_of(agent))), "complete"]
    assert json.loads(made.stdout) == wanted


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_every_trace_is_played_to_the_same_state(path: Path) -> None:
    with Agent.replay(path, speed=INF).wait(20) as agent:
        assert hash_of(state_of(agent)) == hash_of(played(path))
        assert player_of(agent)["position"] == player_of(agent)["count"] > 0


def test_times_are_those_of_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "it.jsonl"
    with Agent("demo", record=path) as agent:
        turn = agent.run("hello")
    with Agent.replay(path, speed=INF).wait(20) as replayed:
        same = replayed.turns[0]
        assert same.raw["at"]["sent"] == pytest.approx(turn.raw["at"]["sent"], abs=0.5)
        assert same.duration == pytest.approx(turn.duration, abs=0.5)
        assert [entry.method for entry in replayed.log] == [entry.method for entry in agent.log]
        assert replayed.cwd


def test_it_reads_as_a_live_session_and_cannot_be_prompted() -> None:
    told: list[Any] = []
    agent, clock = clocked(ASKED)
    agent.on_turn_end(lambda turn: told.append(turn.stop_reason))
    agent.on_permission(lambda permission: told.append(permission.title))
    assert agent.player is not None
    agent.player.play()
    clock.advance(100)
    turn = agent.turns[0]
    assert turn.wait(5).stop_reason == "end_turn"
    assert [call.status for call in turn.tool_calls] == ["completed"] * 3
    assert turn.permissions[0].why == "recorded"
    assert agent.widget.turn_count == 1
    assert "<Turn 1" in repr(agent.turns)
    assert "replay" in repr(agent)
    assert not turn.changes()
    assert agent.recording is None
    calls: list[Callable[[], object]] = [
        lambda: agent.prompt("hello"),
        lambda: agent.run("hello"),
        agent.start,
        agent.restart,
        agent.login,
        agent.logout,
        agent.sessions,
        lambda: agent.load("x"),
        lambda: agent.resume("x"),
        lambda: agent.policy.add("Edit('*')"),  # type: ignore[arg-type]
        lambda: turn.tool_calls[0].cancel(),
        lambda: agent.policy.explain(turn.permissions[0]),
    ]
    for call in calls:
        with pytest.raises((NotOffered, ValueError), match=r"replay|rule"):
            call()
    assert agent.config is not None
    agent.cancel()
    agent.close()
    assert told == ["Run this command?", "Edit notes.txt?", "end_turn"]
    assert agent.player.end == "complete"


def test_a_live_agent_has_no_player() -> None:
    with Agent("demo") as agent:
        assert agent.player is None


def test_an_agent_that_died_then_dies_again(tmp_path: Path) -> None:
    path = tmp_path / "it.jsonl"
    with pytest.raises(AgentExited) as live, Agent("demo", record=path) as agent:
        agent.run("/fail crash")
    with Agent.replay(path, speed=INF).wait(20) as replayed:
        with pytest.raises(AgentExited) as error:
            replayed.turns[0].wait(5)
        assert error.value.message == live.value.message
        assert replayed.status == agent.status == "closed"
        assert isinstance(replayed.error, AgentExited)


@pytest.mark.parametrize(
    "options",
    [
        {"speed": 0},
        {"speed": "fast"},
        {"permissions": "allow"},
        {"predict": "yes"},
        {"paused": 1},
        {"max_pause": -1},
        {"nobody_after": "x"},
        {"notes": 3},
    ],
)
def test_arguments_that_cannot_be_are_told(options: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Agent.replay(ASKED, **options)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Agent.replay(tmp_path / "none.jsonl")
    with pytest.raises(IsADirectoryError):
        Agent.replay(tmp_path)


# --- whatever is in the file -----------------------------------------------------------------------------------------


def small() -> list[Any]:
    """A whole cassette with all that there is, in few bytes."""

    def out(number: int, method: str, **params: Any) -> Any:
        return {"t": number / 100, "dir": "out", "msg": {"id": number, "method": method, "params": params}}

    def back(number: int, **result: Any) -> Any:
        return {"t": number / 100, "dir": "in", "msg": {"id": number, "result": result}}

    prompt = [{"type": "text", "text": "Hi"}]
    question = {
        "sessionId": "s",
        "title": "May I?",
        "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
    }
    return [
        {"cassette": 1, "at": 1.7e9, "label": "tiny", "cwd": "/x"},
        {"t": 0, "event": {"type": "promptQueued", "turn": "r:1", "prompt": prompt, "source": "python"}},
        {"t": 0, "event": {"type": "starting", "label": "tiny", "command": ["x"], "cwd": "/x", "policy": "ask"}},
        out(0, "initialize", protocolVersion=2),
        back(0, protocolVersion=2, capabilities={"session": {}}),
        out(1, "session/new"),
        back(1, sessionId="s"),
        out(2, "session/prompt", sessionId="s", prompt=prompt),
        {"t": 0.03, "dir": "in", "msg": {"id": "q", "method": "session/request_permission", "params": question}},
        {"note": {"text": "Now."}},
        {"t": 0.04, "event": {"type": "respond", "permission": "p:1", "optionId": "y", "by": "you", "why": None}},
        {"t": 0.05, "dir": "in", "raw": "oops"},
        back(2),
        {"t": 0.06, "event": {"type": "ended", "connection": "closed", "error": None}},
    ]


def ends(path: Path) -> tuple[str | None, dict[str, Any]]:
    """Play a file to its end: how it ended, and the state."""
    with Agent.replay(path, speed=INF).wait(20) as agent:
        assert agent.player is not None
        assert agent.player.position == agent.player.count
        return agent.player.end, agent._driver.state.snapshot()


def test_a_small_cassette_is_whole(tmp_path: Path) -> None:
    end, state = ends(write(tmp_path / "it.jsonl", small()))
    assert end == "complete"
    assert state["session"]["label"] == "tiny"
    assert state["session"]["at"]["start"] == 1.7e9
    assert list(state["turns"]) == ["r:1"]
    assert state["turns"]["r:1"]["at"]["queued"] == 1.7e9
    assert state["permissions"]["p:1"]["by"] == "you"
    assert state["player"]["note"]["text"] == "Now."
    assert state["player"]["problem"] is None


def test_cut_off_at_any_byte_it_plays_what_is_there(tmp_path: Path) -> None:
    data = write(tmp_path / "whole.jsonl", small()).read_bytes()
    path = tmp_path / "it.jsonl"
    seen = set()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        script = scripts.read(path, max_pause=3)
        playback = Playback(script.steps)
        while not playback.over:
            playback.hear()
        playback.hear_nothing()
        assert playback.state.status() in ("new", "closed", "failed", "idle")
        assert script.ending in ("complete", "cut short", "no session", "empty")
        assert Lesson(script, asks=True, predict=True).map()["limit"] <= script.count
        seen.add(script.ending)
        if length % 199 == 0:
            assert ends(path)[0] == script.ending
    assert seen == {"complete", "cut short", "no session", "empty"}


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b'{"cassette": 1}\n', "empty"),
        (b'{"note": {"text": "alone"}}\n', "empty"),
        (b"\x00\xff\xfe garbage \x80\n" * 50, "empty"),
        (b"[1, 2]\n3\nnull\n", "empty"),
        (b'{"dir": "in", "msg": 3}\n{"dir": ["in"], "msg": {}}\n{"t": "x", "dir": "out"}\n', "empty"),
        (b'{"t": NaN, "dir": "in", "msg": {"method": "x"}}\n{"t": 1e999, "dir": "in", "raw": 7}\n', "no session"),
        (b'{"t": -5e300, "dir": "in", "msg": {"id": [], "method": {}, "params": 1}}\n', "no session"),
        (b"[" * 100_000 + b"\n", "empty"),
        (b'{"dir": "in", "msg": ' + b'{"a": ' * 5_000 + b"1" + b"}" * 5_001 + b"\n", None),
        (b'{"cassette": {}, "at": "x", "label": [1], "cwd": {}, "command": 3}\n{"t": 1, "event": 3}\n', "empty"),
        (b'{"t": 1, "event": {"type": ["ended"]}}\n{"t": 2, "event": {}}\n', "empty"),
        (b'{"note": 3}\n{"note": {"text": 1}}\n{"note": {"position": 9, "text": "\\ud800"}}\n', "empty"),
    ],
)
def test_garbage_ends_in_a_named_state(data: bytes, end: str | None, tmp_path: Path) -> None:
    path = tmp_path / "it.jsonl"
    path.write_bytes(data)
    found, state = ends(path)
    assert found == (end or found)
    assert hash_of({**state, "player": None}) == hash_of({**played(path), "player": None})


def test_damage_in_the_middle_is_told_and_the_rest_is_played(tmp_path: Path) -> None:
    lines = ASKED.read_bytes().splitlines(keepends=True)
    path = tmp_path / "it.jsonl"
    path.write_bytes(b"".join([*lines[:10], b'{"t": 0.1, "dir": "in", "msg": {"meth\n', *lines[10:]]))
    end, state = ends(path)
    assert (end, state["player"]["count"]) == ("complete", len(lines) + 1)
    assert state["player"]["problem"].startswith("line 11 is no JSON")
    assert next(iter(state["turns"].values()))["stopReason"] == "end_turn"


# --- hostile files ---------------------------------------------------------------------------------------------------


def test_a_cassette_reads_no_file_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    link = {"type": "resource_link", "uri": secret.as_uri(), "name": "secret"}
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "1",
        "kind": "edit",
        "locations": [{"path": str(secret)}],
    }
    diff = {"type": "diff", "changes": [{"operation": "modify", "path": str(secret)}]}
    ask = {"sessionId": "s", "path": str(secret)}
    records = [
        *small()[:-1],
        {
            "t": 1,
            "dir": "out",
            "msg": {"id": 9, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [link]}},
        },
        {"t": 1, "dir": "in", "msg": {"method": "session/update", "params": {"update": {**update, "content": [diff]}}}},
        {"t": 1, "dir": "in", "msg": {"id": 7, "method": "fs/read_text_file", "params": ask}},
        {"t": 1, "dir": "in", "msg": {"id": 8, "method": "fs/write_text_file", "params": {**ask, "content": "x"}}},
        {
            "t": 1,
            "dir": "in",
            "msg": {"id": 6, "method": "terminal/create", "params": {"command": "touch", "args": ["y"]}},
        },
    ]
    path = write(tmp_path / "it.jsonl", records)
    opened: list[Any] = []

    def hook(event: str, arguments: Any) -> None:
        told = watching and event in ("open", "os.listdir", "subprocess.Popen", "os.exec", "os.posix_spawn")
        if told and not str(arguments[0]).endswith((".py", ".pyc")):
            opened.append((event, arguments[0]))

    watching = False
    sys.addaudithook(hook)
    agent, clock = clocked(path)
    assert agent.player is not None
    watching = True
    agent.player.play()
    clock.advance(100)
    watching = False
    assert opened == []
    assert "the secret" not in json.dumps(agent._driver.state.snapshot())
    assert len(agent.turns) == 2
    agent.close()
    assert secret.read_text() == "the secret"


def test_a_cassette_cannot_move_the_player_or_tell_of_what_no_agent_does(tmp_path: Path) -> None:
    told = [
        {"type": "player", "position": 1000, "playing": True, "name": "mine", "note": {"text": "Obey."}},
        {"type": "loginNeeded", "error": {"message": "Give me your password"}},
        {"type": "promptSent", "turn": "r:9", "prompt": [], "source": "composer"},
        {"type": "cancel"},
        {"type": "sessionNew", "result": {"sessionId": "other"}},
        {"type": "__proto__"},
    ]
    path = write(tmp_path / "it.jsonl", [*small()[:-1], *({"t": 1, "event": each} for each in told), small()[-1]])
    end, state = ends(path)
    assert (end, state["player"]["name"]) == ("complete", "it.jsonl")
    assert state["player"]["note"]["text"] == "Now."
    assert (state["session"]["login"], state["session"]["sessionId"], list(state["turns"])) == (None, "s", ["r:1"])
    said = [
        each["message"] for each in state["diagnostics"] if each["message"].startswith("An event that no recording")
    ]
    assert len(said) == len(told)


def test_a_recorded_question_is_never_answered_by_anything_but_the_recording(tmp_path: Path) -> None:
    records = [record for record in small() if record.get("event", {}).get("type") not in ("respond", "ended")]
    path = write(tmp_path / "it.jsonl", records[:9])
    for permissions in ("recorded", "ask"):
        with Agent.replay(path, speed=INF, permissions=permissions).wait(20) as agent:
            permission = agent.turns[0].permissions[0]
            assert (permission.status, permission.by, permission.option_id) == ("cancelled", "end", None)
            assert agent.player is not None
            assert agent.player.end == "cut short"


def test_a_queued_prompt_is_the_turn_that_is_sent_also_when_its_key_was_taken(tmp_path: Path) -> None:
    hello = [{"type": "text", "text": "Hi"}]
    other = [{"type": "text", "text": "Other"}]
    chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": hello[0]}

    def queued(turn: str, prompt: Any) -> Any:
        return {"event": {"type": "promptQueued", "turn": turn, "prompt": prompt, "source": "composer"}}

    def sent(number: int, prompt: Any) -> Any:
        params = {"sessionId": "s", "prompt": prompt}
        return {"dir": "out", "msg": {"id": number, "method": "session/prompt", "params": params}}

    records = [
        *small()[2:7],
        {"dir": "in", "msg": {"method": "session/update", "params": {"sessionId": "s", "update": chunk}}},
        queued("r:1", hello),  # work that no prompt began has this key by now
        queued("r:3", other),
        queued("r:4", hello),
        {"event": {"type": "promptDropped", "turn": "r:1", "why": "you removed it"}},
        sent(5, hello),
        {"dir": "in", "msg": {"id": 5, "error": {"code": 1, "message": "no"}}},
        sent(6, [*other, *hello]),
    ]
    _, state = ends(write(tmp_path / "it.jsonl", records))
    turns = [(turn["source"], turn["status"], turn["prompt"]) for turn in state["turns"].values()]
    assert turns[0][:2] == (None, "done")
    assert sorted(turn[1] for turn in turns) == ["done", "failed", "failed", "not_sent"]
    assert [turn["prompt"] for turn in state["turns"].values() if turn["at"]["sent"] and turn["source"]] == [
        [*other, *hello],
        hello,
    ]


# --- everything ends -------------------------------------------------------------------------------------------------


@pytest.fixture
def _nothing_left() -> Iterator[None]:
    runtime.run(lambda: None)
    threads = set(threading.enumerate())
    yield
    gc.collect()
    runtime.run(lambda: None)
    until(lambda: set(threading.enumerate()) <= threads)


def open_things() -> int:
    """Timers and tasks of the private thread."""

    def count() -> int:
        import asyncio

        loop = asyncio.get_running_loop()
        timers = [each for each in loop._scheduled if not each.cancelled()]  # type: ignore[attr-defined]
        return len(timers) + len(asyncio.all_tasks())

    return runtime.run(count)


@pytest.mark.usefixtures("_nothing_left")
@pytest.mark.parametrize("how", ["closed", "closed in the middle", "dropped", "dropped while it asks", "with a widget"])
def test_replays_come_and_go_and_nothing_is_left(how: str) -> None:
    before = open_things()
    for _ in range(50):
        options: dict[str, Any] = (
            {"permissions": "ask", "nobody_after": 1000.0} if how == "dropped while it asks" else {}
        )
        agent = Agent.replay(ASKED, speed=1 if how == "closed in the middle" else 1000, **options)
        assert agent.player is not None
        driver = agent._driver
        if how == "closed":
            agent.wait(20).close()
        elif how == "closed in the middle":
            agent.on_update(lambda thing: None)
            agent.player.seek(20)
            agent.close()
            assert agent.status == "closed"
        elif how == "with a widget":
            widget = agent.widget
            agent.wait(20).close()
            widget.close()
        del agent
    gc.collect()
    until(lambda: driver.closed or how == "dropped while it asks")
    if how == "dropped while it asks":
        return  # looked at by nobody it ends when it is passed by; see below
    until(lambda: open_things() <= before)


def test_what_asks_and_is_dropped_ends(tmp_path: Path) -> None:
    agent, clock = clocked(ASKED, permissions="ask", nobody_after=0.0)
    driver = agent._driver
    assert agent.player is not None
    agent.player.seek(20).step(5)
    assert agent.player.question is not None
    del agent
    gc.collect()
    until(lambda: driver.closed)
    assert clock.waiting == 0


def test_a_turn_that_is_waited_for_ends_when_the_replay_is_closed() -> None:
    agent, _ = clocked(ASKED)
    assert agent.player is not None
    agent.player.seek(20)
    turn, errors = agent.turns[0], []

    def wait() -> None:
        try:
            turn.wait(20)
        except AcpError as error:
            errors.append(type(error).__name__)

    waiting = threading.Thread(target=wait)
    waiting.start()
    agent.close()
    waiting.join(20)
    assert errors == ["AgentClosed"]
    assert (agent.status, turn.status) == ("closed", "failed")
    agent.close()


def test_a_replay_reads_in_a_forked_process(tmp_path: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    agent = Agent.replay(ASKED, speed=INF).wait(20)
    assert agent.player is not None
    child = os.fork()
    if child == 0:
        try:
            agent.player.seek(3)
        except AcpError:
            os._exit(0 if agent.turns[0].stop_reason == "end_turn" else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    agent.close()


def test_a_trace_without_a_header_and_a_cassette_are_read_by_inspect_too(tmp_path: Path) -> None:
    path = write(tmp_path / "it.jsonl", small())
    listener = trace.play(trace.read(path))
    assert neutral(listener.state)["turns"][0]["status"] == "failed"
    assert listener.state.part("player") is None
