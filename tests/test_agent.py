"""Driving a real agent process from plain Python: the demo agent and small scripted ones."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_widget import (
    Agent,
    AgentBusy,
    AgentClosed,
    AgentExited,
    AgentNotFound,
    AnswerRefused,
    NobodyWatching,
    ProtocolVersionError,
    RequestError,
    StartTimeout,
)

from .agents.scripted import scripted, until
from .processes import alive

FIX = "The test for mean() fails on an empty list. Fix it."


@pytest.fixture(autouse=True)
def _quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")


@pytest.fixture
def demo() -> Iterator[Callable[..., Agent]]:
    made: list[Agent] = []

    def make(**options: object) -> Agent:
        made.append(Agent("demo", **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for agent in made:
        agent.close()


# --- the main job -----------------------------------------------------------------------------------------------------


def test_the_ten_lines(demo: Callable[..., Agent]) -> None:
    agent = demo(permissions="allow")
    turn = agent.prompt(FIX)
    assert turn.wait() is turn
    assert turn.done
    assert turn.stop_reason == "end_turn"
    assert "mean" in turn.text
    patch = turn.tool_calls["call_2"].diffs[0].patch
    assert patch is not None
    assert "+++" in patch
    assert turn.tool_calls[1].id == "call_2"
    assert "6 passed" in turn.terminals[0].text
    assert "\x1b" not in turn.terminals[0].text
    assert b"\x1b[" in turn.terminals[0].bytes
    assert turn.terminals[0].exit_code == 0
    assert turn.plan is not None
    assert {entry.status for entry in turn.plan.entries} == {"completed"}
    assert [thought.role for thought in turn.thoughts] == ["thought"]
    assert [(permission.by, permission.allowed) for permission in turn.permissions] == [("policy", True)] * 2
    done = subprocess.run([sys.executable, "-m", "unittest"], cwd=agent.cwd, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_prompt_returns_at_once_and_the_turn_is_live(demo: Callable[..., Agent]) -> None:
    agent = demo()
    turn = agent.prompt("/slow", show=False)
    assert not turn.done
    until(lambda: turn.text)
    before = turn.text
    until(lambda: len(turn.text) > len(before))
    turn.cancel()
    turn.wait(timeout=10)
    assert turn.stop_reason == "cancelled"


def test_python_answers_what_is_pending(demo: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    agent = demo(nobody_after=1e9)
    turn = agent.prompt(FIX)
    until(lambda: agent.pending)
    permission = agent.pending[0]
    assert permission.tool_call_id == "call_2"
    assert agent.status == "waiting"
    with pytest.raises(AnswerRefused, match="offers no option 'sudo'"):
        agent.answer(permission, "sudo")
    with pytest.raises(
        AnswerRefused, match=r"no option True\.\nIt offers: 'yes' \(allow_once\), 'yes-always' \(allow_always\),"
    ):
        agent.answer(permission, True)  # type: ignore[arg-type]
    assert permission.pending
    agent.answer(permission, next(o["optionId"] for o in permission.options if o["kind"] == "reject_once"))
    turn.wait(timeout=20)
    assert (permission.by, permission.allowed) == ("python", False)
    with pytest.raises(AnswerRefused, match="already answered"):
        agent.answer(permission, permission.options[0]["optionId"])
    assert not turn.terminals


def test_a_prompt_while_busy_waits_its_turn(demo: Callable[..., Agent]) -> None:
    agent = demo(permissions="allow")
    first = agent.prompt(FIX)
    second = agent.prompt("hello")
    third = agent.prompt("hello again")
    agent.wait(timeout=60)
    assert [turn.stop_reason for turn in (first, second, third)] == ["end_turn"] * 3
    assert [turn.prompt for turn in agent.turns] == [FIX, "hello", "hello again"]
    starts = [turn.raw["at"]["sent"] for turn in agent.turns]
    assert starts == sorted(starts)


def test_stop_leaves_queued_prompts_unsent_and_ends_their_waits(demo: Callable[..., Agent]) -> None:
    agent = demo()
    running, queued = agent.prompt("/slow"), agent.prompt("then this")
    until(lambda: running.text)
    agent.cancel()
    running.wait(timeout=10)
    with pytest.warns(UserWarning, match=r"never sent \(the turn was stopped\), so its turn is empty"):
        queued.wait(timeout=10)
    assert running.stop_reason == "cancelled"
    assert (queued.status, queued.prompt) == ("not_sent", "then this")
    agent.permissions = "allow"
    assert agent.run("hello", timeout=20).stop_reason == "end_turn"


def test_stop_before_the_agent_is_ready_sends_nothing(demo: Callable[..., Agent]) -> None:
    agent = demo()
    turn = agent.prompt(FIX)
    agent.cancel()
    with pytest.warns(UserWarning, match="never sent"):
        turn.wait(timeout=20)
    agent.wait(timeout=20)
    assert turn.status == "not_sent"
    assert not turn.tool_calls


async def _awaited(agent: Agent) -> str | None:
    turn = await agent.prompt("hello")
    return turn.stop_reason


def test_await_gives_the_turn(demo: Callable[..., Agent]) -> None:
    assert asyncio.run(_awaited(demo())) == "end_turn"


def test_a_wait_can_time_out_and_the_turn_goes_on(demo: Callable[..., Agent]) -> None:
    agent = demo()
    turn = agent.prompt("/slow")
    until(lambda: turn.text)
    with pytest.raises(TimeoutError, match="the turn"):
        turn.wait(timeout=0.1)
    assert not turn.done
    turn.cancel()
    assert turn.wait(timeout=10).stop_reason == "cancelled"


# --- nobody is watching -----------------------------------------------------------------------------------------------


def test_without_a_notebook_asking_means_a_rejection_at_once_and_a_warning(demo: Callable[..., Agent]) -> None:
    agent = demo()
    with pytest.warns(NobodyWatching, match="nobody could answer"):
        turn = agent.run(FIX, timeout=30)
    assert turn.stop_reason == "end_turn"
    [permission] = turn.permissions
    assert (permission.by, permission.status, permission.allowed) == ("nobody", "selected", False)
    assert "notebook" in (permission.why or "")
    assert not turn.terminals


def test_reject_refuses_everything_quietly(demo: Callable[..., Agent]) -> None:
    turn = demo(permissions="reject").run(FIX, timeout=30)
    assert [permission.allowed for permission in turn.permissions] == [False]


# --- errors by name ---------------------------------------------------------------------------------------------------


def test_a_missing_command_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with Agent(["no-such-agent-here"], cwd=tmp_path) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(AgentNotFound, match=r"(?s)no-such-agent-here.*PATH"):
            turn.wait(timeout=10)
        assert turn.done
        assert (agent.status, turn.status) == ("failed", "not_sent")
        with pytest.raises(AgentNotFound):
            agent.run("again", timeout=10)


def test_a_misspelt_name_is_guessed_and_the_reason_stays_with_the_prompt(tmp_path: Path) -> None:
    with Agent("dmeo", cwd=tmp_path) as agent:
        turn = agent.prompt("hi")
        with pytest.raises(AgentNotFound, match="Did you mean 'demo'"):
            turn.wait(timeout=10)
        assert turn.error is not None
        assert "There is no command" in turn.error["message"]


def test_an_agent_that_never_answers_is_given_up(tmp_path: Path) -> None:
    command = scripted(tmp_path, "sys.stderr.write('loading forever\\n'); sys.stderr.flush()\ntime.sleep(60)")
    with Agent(command, cwd=tmp_path, start_timeout=1.0) as agent, pytest.raises(StartTimeout, match="loading forever"):
        agent.run("hi", timeout=20)


def test_an_agent_of_an_unknown_version_gets_a_clear_word(tmp_path: Path) -> None:
    body = """
    answer(read(), {'protocolVersion': 3, 'capabilities': {}, 'info': {'name': 'new', 'version': '1'}})
    read()
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent, pytest.raises(ProtocolVersionError, match="version 3"):
        agent.run("hi", timeout=20)


def test_an_agent_that_dies_in_a_turn_leaves_its_last_words_and_the_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    body = """
    start()
    prompt()
    running()
    say('so far')
    update('tool_call_update', toolCallId='c', status='in_progress')
    ask(0, options=[{'optionId': 'y', 'name': 'Yes', 'kind': 'allow_always'}])
    sys.stderr.write('no space left on device\\n')
    sys.exit(3)
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path, permissions="allow") as agent:
        turn, queued = agent.prompt("hi"), agent.prompt("and then")
        with pytest.raises(AgentExited, match=r"(?s)exit code 3.*no space left"):
            turn.wait(timeout=20)
        assert (turn.status, turn.text) == ("failed", "so far")
        assert not agent.pending
        assert queued.status == "not_sent"
        assert agent.status == "failed"


def test_a_refused_prompt_is_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    body = """
    start()
    first = read()
    send({'id': first['id'], 'error': {'code': -32603, 'message': 'rate limit', 'data': {'retry': 30}}})
    prompt()
    running()
    idle()
    serve()
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        with pytest.raises(RequestError, match="rate limit") as caught:
            agent.run("hi", timeout=20)
        assert (caught.value.code, caught.value.data) == (-32603, {"retry": 30})
        assert agent.run("again", timeout=20).stop_reason == "end_turn"


def test_a_dead_agent_starts_again_with_the_next_prompt_and_the_transcript_stays(tmp_path: Path) -> None:
    body = """
    start()
    prompt()
    if not os.path.exists('died'):
        open('died', 'w').close()
        sys.exit(1)
    running()
    idle()
    serve()
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        with pytest.raises(AgentExited):
            agent.run("one", timeout=20)
        assert agent.run("two", timeout=20).stop_reason == "end_turn"
        assert [turn.prompt for turn in agent.turns] == ["one", "two"]


def test_a_closed_agent_says_so(demo: Callable[..., Agent]) -> None:
    agent = demo()
    turn = agent.prompt("/slow")
    until(lambda: turn.text)
    agent.close()
    agent.close()
    with pytest.raises(AgentClosed):
        turn.wait(timeout=5)
    assert turn.text
    with pytest.raises(AgentClosed, match="Make a new one"):
        agent.prompt("more")


@pytest.mark.parametrize("bad", ["", "  \n"])
def test_an_empty_prompt_is_refused(demo: Callable[..., Agent], bad: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        demo().prompt(bad)


def test_a_prompt_must_be_text(demo: Callable[..., Agent]) -> None:
    with pytest.raises(TypeError, match="not int"):
        demo().prompt(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("cwd", ["missing", "~nobody-of-that-name/project"])
def test_a_cwd_must_be_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is no folder"):
        Agent("demo", cwd=cwd)


def test_waiting_on_the_agents_own_thread_is_refused(demo: Callable[..., Agent]) -> None:
    from acp_widget import WaitNotPossible, runtime

    agent = demo()
    turn = agent.prompt("hello")

    async def wait_there() -> None:
        with pytest.raises(WaitNotPossible):
            turn.wait()

    runtime.submit(wait_there()).result(10)
    turn.wait(timeout=20)


# --- everything ends --------------------------------------------------------------------------------------------------


def test_close_ends_the_process_and_leaves_no_thread_or_file(demo: Callable[..., Agent]) -> None:
    Agent("demo").close()
    demo().run("hello", timeout=20)
    gc.collect()
    for agent in [demo()]:
        agent.run("hello", timeout=20)
        agent.close()
    before = (threading.active_count(), len(list(Path("/proc/self/fd").iterdir())))
    for _ in range(5):
        agent = demo()
        agent.run("hello", timeout=20)
        agent.close()
    until(lambda: threading.active_count() <= before[0])
    until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before[1])


def test_a_script_that_just_ends_leaves_no_agent_behind(tmp_path: Path) -> None:
    script = (
        "from acp_widget import Agent\n"
        "agent = Agent('demo')\n"
        "agent.run('hello')\n"
        "print(agent._driver._peer._transport.pid, agent.cwd)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    pid, folder = done.stdout.split()
    until(lambda: not alive(int(pid)), 5)
    assert not Path(folder).exists()


def test_an_agent_nobody_holds_ends_when_its_work_is_done(demo: Callable[..., Agent]) -> None:
    agent = Agent("demo")
    agent.run("hello", timeout=20)
    driver = agent._driver
    assert driver._peer is not None
    pid = driver._peer._transport.pid  # type: ignore[attr-defined]
    del agent
    gc.collect()
    until(lambda: driver.closed and not alive(pid))


def test_repr_is_one_informative_line(demo: Callable[..., Agent]) -> None:
    agent = demo(permissions="allow")
    turn = agent.run(FIX, timeout=30)
    for thing in (agent, turn, turn.tool_calls[1], turn.terminals[0], turn.permissions[0], turn.diffs[0], turn.plan):
        text = repr(thing)
        assert "\n" not in text
        assert " at 0x" not in text
        assert len(text) < 300


# --- busy -------------------------------------------------------------------------------------------------------------


def test_a_prompt_to_a_busy_agent_raises_where_none_may_wait(demo: Callable[..., Agent]) -> None:
    agent = demo(queue=False)
    turn = agent.prompt("/slow")
    until(lambda: turn.text)
    with pytest.raises(AgentBusy, match=r"agent\.wait\(\) waits for it"):
        agent.prompt("And now?")
    assert [each.prompt for each in agent.turns] == ["/slow"]
    agent.cancel()
    turn.wait()
    assert agent.prompt("Hello").wait().stop_reason == "end_turn"


def test_a_prompt_right_behind_the_first_one_raises_too(demo: Callable[..., Agent]) -> None:
    agent = demo(queue=False, permissions="reject")
    turn = agent.prompt(FIX)
    with pytest.raises(AgentBusy):
        agent.prompt("And now?")
    turn.wait()


def test_an_agent_that_has_not_started_has_its_name(demo: Callable[..., Agent]) -> None:
    assert demo().widget.agent_name == "demo agent"
