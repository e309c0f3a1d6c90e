"""Stopping, restarting and closing: whatever an agent does, there is a way out, and it is told."""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_widget import Agent, AgentClosed, AgentExited, AgentNotFound, RequestError, StartTimeout

from .agents.scripted import scripted, until
from .processes import alive

STUBBORN = """
start()
prompt()
running()
update('tool_call_update', toolCallId='c', status='in_progress')
say('working')
serve()
"""
OBEDIENT = """
start()
while True:
    say(prompt(), 'm'); running(); idle()
"""

Make = Callable[..., Agent]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Agent] = []

    def make(body: str, **options: object) -> Agent:
        made.append(Agent(scripted(tmp_path, body), cwd=tmp_path, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def pid_of(agent: Agent) -> int:
    peer = agent._driver._peer
    assert peer is not None
    return int(peer._transport.pid)  # type: ignore[attr-defined]


# --- an agent that does not stop --------------------------------------------------------------------------------------


def test_restart_is_the_way_out_when_an_agent_ignores_the_stop(make: Make) -> None:
    agent = make(STUBBORN)
    turn = agent.prompt("first")
    until(lambda: turn.text)
    old = pid_of(agent)
    agent.cancel()
    until(lambda: agent.status == "stopping")
    assert turn.tool_calls["c"].status == "cancelled"
    queued = agent.prompt("waits behind it")
    with pytest.raises(TimeoutError, match=r"not confirmed the stop: agent\.restart\(\)"):
        queued.wait(0.05)
    assert agent.restart() is agent
    for unfinished, status in ((turn, "failed"), (queued, "not_sent")):
        with pytest.raises(AgentClosed, match="restarted before"):
            unfinished.wait(20)
        assert unfinished.status == status
    fresh = agent.prompt("second")
    until(lambda: fresh.text)
    assert (turn.text, fresh.text) == ("working", "working")
    assert not alive(old)


def test_the_widgets_button_restarts_too(make: Make) -> None:
    agent = make(STUBBORN)
    turn = agent.prompt("first")
    until(lambda: turn.text)
    old = pid_of(agent)
    agent.cancel()
    agent.widget._on_message(agent.widget, {"type": "restart", "id": "action-1"}, [])
    with pytest.raises(AgentClosed):
        turn.wait(20)
    until(lambda: agent.status == "idle")
    assert not alive(old)


def test_a_stop_that_is_not_confirmed_is_told(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_widget.driver._STUBBORN", 0.05)
    agent = make(STUBBORN)
    turn = agent.prompt("first")
    until(lambda: turn.text)
    agent.cancel()
    until(lambda: any("agent.restart()" in entry["message"] for entry in agent.diagnostics))


def test_a_start_that_hangs_can_be_restarted(make: Make, tmp_path: Path) -> None:
    body = """
    if not os.path.exists('tried'):
        open('tried', 'w').close()
        mute()
    """
    agent = make(body + OBEDIENT.replace("\n", "\n    "))
    turn = agent.prompt("first")
    until((tmp_path / "tried").exists)
    agent.restart()
    assert agent.status == "starting"
    with pytest.raises(AgentClosed):
        turn.wait(20)
    assert agent.run("second", timeout=20).text == "second"


def test_an_idle_agent_and_a_dead_one_can_be_restarted_and_a_closed_one_not(make: Make) -> None:
    agent = make(OBEDIENT)
    assert agent.run("one", timeout=20).text == "one"
    old = pid_of(agent)
    assert agent.restart().wait(20).status == "idle"
    assert pid_of(agent) != old
    assert agent.run("two", timeout=20).stop_reason == "end_turn"
    agent.close()
    with pytest.raises(AgentClosed, match="Make a new one"):
        agent.restart()
    with pytest.raises(AgentClosed, match="Make a new one"):
        agent.start()


def test_two_agents_never_work_in_one_folder_at_once(make: Make) -> None:
    body = """
    alone = not os.path.exists('here')
    open('here', 'w').close()
    start()
    prompt(); running(); say('alone' if alone else 'two at once', str(os.getpid())); idle()
    try:
        serve()
    finally:
        time.sleep(0.2)  # an agent that takes its time to end
        os.remove('here')
    """
    agent = make(body)
    assert agent.run("one", timeout=20).text == "alone"
    assert agent.restart().run("two", timeout=20).text == "alone"


def test_an_agent_on_its_way_out_is_not_listened_to(make: Make) -> None:
    body = """
    start()
    first = read()
    closing = until('session/close')
    send({'id': first['id'], 'error': {'code': 1, 'message': 'too late'}})
    answer(closing, {})
    """
    agent = make(body)
    turn = agent.prompt("one")
    until(lambda: turn.status == "sent")
    agent.close()
    assert agent.diagnostics == []
    with pytest.raises(AgentClosed):
        turn.wait(0)


def test_an_interrupted_wait_says_how_to_get_out(tmp_path: Path) -> None:
    script = (
        "import os, signal, threading, time\n"
        "from acp_widget import Agent\n"
        f"agent = Agent({scripted(tmp_path, STUBBORN)!r}, cwd={str(tmp_path)!r})\n"
        "def press():\n"
        "    while not any(turn.text for turn in agent.turns): time.sleep(0.01)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=press).start()\n"
        "try:\n"
        "    agent.run('go')\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', agent.status)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["interrupted", "stopping"]
    assert "UserWarning: The agent has not confirmed the stop yet. agent.restart()" in done.stderr
    assert "<string>:9" in done.stderr, "the warning names the user's own line"


# --- stops in odd moments ---------------------------------------------------------------------------------------------


def test_a_stop_before_the_work_began_ends_with_any_idle(make: Make) -> None:
    agent = make("start(); prompt(); until('session/cancel'); idle(None); serve()")
    turn = agent.prompt("first")
    until(lambda: turn.status == "sent")
    agent.cancel()
    assert turn.wait(20).stop_reason == "cancelled"


def test_a_stop_of_an_idle_agent_sends_nothing(make: Make) -> None:
    body = """
    start()
    while True:
        message = read()
        if message is None: break
        seen = message['method']
        answer(message, {}) if 'id' in message else None
        if seen == 'session/prompt':
            running(); say(seen); idle()
        else:
            say(seen)
    """
    agent = make(body).start().wait(20)
    agent.cancel()
    assert agent.run("first", timeout=20).text == "session/prompt"
    assert [message.text for message in agent.messages] == ["session/prompt"]


def test_a_stop_settles_what_was_asked_between_turns(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    agent = make("start(); ask(1); say(json.dumps(answered(1)[1]['result'])); serve()").start()
    until(lambda: agent.pending)
    [permission] = agent.pending
    agent.cancel()
    until(lambda: agent.messages)
    assert (permission.status, permission.by) == ("cancelled", "stop")
    assert agent.messages[0].text == '{"outcome": {"outcome": "cancelled"}}'


def test_an_error_that_says_cancelled_is_none(make: Make) -> None:
    agent = make("start(); send({'id': read()['id'], 'error': {'code': -32800, 'message': 'cancelled'}}); serve()")
    assert agent.run("first", timeout=20).stop_reason == "cancelled"


def test_a_turn_that_stops_with_an_error_raises_it(make: Make) -> None:
    agent = make("start(); prompt(); running(); idle('error', error={'code': 7, 'message': 'no tokens left'}); serve()")
    turn = agent.prompt("first")
    with pytest.raises(RequestError, match="no tokens left") as caught:
        turn.wait(20)
    assert caught.value.code == 7
    assert (turn.status, turn.stop_reason) == ("failed", "error")


# --- starts that fail -------------------------------------------------------------------------------------------------


def test_a_prompt_while_a_failed_start_is_still_being_ended_starts_again(make: Make) -> None:
    body = """
    if not os.path.exists('tried'):
        open('tried', 'w').close()
        live_on()
    """
    agent = make(body + OBEDIENT.replace("\n", "\n    "), start_timeout=2.0)
    with pytest.raises(StartTimeout):
        agent.run("first", timeout=20)
    assert isinstance(agent.error, StartTimeout)
    assert agent.run("second", timeout=20).text == "second"
    assert agent.error is None


def test_a_start_without_a_prompt_tells_how_it_went() -> None:
    with Agent(["no-such-agent-here"]) as agent:
        assert isinstance(agent.start().wait(20).error, AgentNotFound)


# --- close ------------------------------------------------------------------------------------------------------------


def test_whoever_closes_second_waits_for_the_end_too(make: Make) -> None:
    agent = make("start(); mute()").start().wait(20)
    pid = pid_of(agent)

    def close() -> bool:
        agent.close()
        return alive(pid)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: close(), range(2))) == [False, False]


def test_close_waits_for_an_agent_that_died_and_left_something_running(make: Make, tmp_path: Path) -> None:
    child = "import os, time; open('child', 'w').write(str(os.getpid())); os.close(1); time.sleep(60)"
    body = f"""
    import subprocess
    start()
    subprocess.Popen([sys.executable, '-S', '-E', '-c', {child!r}])
    while not (os.path.exists('child') and open('child').read()): time.sleep(0.01)
    sys.exit(1)
    """
    agent = make(body)
    with pytest.raises(AgentExited):
        agent.run("first", timeout=20)
    agent.close()
    assert not alive(int((tmp_path / "child").read_text()))


def test_close_while_others_wait_ends_their_waits(make: Make) -> None:
    agent = make(STUBBORN)
    turn, queued = agent.prompt("first"), agent.prompt("second")
    ended: list[str] = []

    def wait(how: Callable[[], object]) -> None:
        try:
            how()
            ended.append("returned")
        except AgentClosed:
            ended.append("closed")

    threads = [threading.Thread(target=wait, args=(how,)) for how in (turn.wait, queued.wait, agent.wait)]
    for thread in threads:
        thread.start()
    until(lambda: turn.text)
    agent.close()
    for thread in threads:
        thread.join(20)
    assert sorted(ended) == ["closed", "closed", "returned"]


@pytest.mark.parametrize("body", ["mute()", "initialize(); mute()"], ids=["before initialize", "before a session"])
def test_close_while_it_starts(make: Make, body: str) -> None:
    agent = make(body)
    turn = agent.prompt("first")
    until(lambda: agent._driver._peer is not None)
    pid = pid_of(agent)
    agent.close()
    assert not alive(pid)
    with pytest.raises(AgentClosed):
        turn.wait(0)
    assert (agent.status, turn.status) == ("closed", "not_sent")
