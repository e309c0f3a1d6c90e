"""Stopping one call or terminal and setting config options, against real agents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_widget import (
    Agent,
    AgentClosed,
    AgentExited,
    ConnectionClosed,
    NoAnswer,
    NotOffered,
    RequestError,
    controls,
    runtime,
)

from .agents.scripted import scripted, until

CONFIGURED = """
OPTION = {'configId': 'm', 'name': 'M', 'type': 'select', 'currentValue': 'a',
          'options': [{'value': v, 'name': v.upper()} for v in 'abc']}
initialize()
answer(read(), {'sessionId': 's', 'configOptions': [OPTION, {'configId': 'x', 'name': 'X', 'type': '_slider'}]})
"""


@pytest.fixture(autouse=True)
def _quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")


@pytest.fixture
def demo() -> Iterator[Agent]:
    with Agent("demo", permissions="allow") as agent:
        yield agent


def test_a_call_is_stopped_alone_and_the_turn_goes_on(demo: Agent) -> None:
    turn = demo.prompt("/slow")
    until(lambda: turn.tool_calls and turn.tool_calls[0].can_cancel)
    turn.tool_calls[0].cancel()
    turn.wait(20)
    assert (turn.tool_calls[0].status, turn.stop_reason) == ("cancelled", "end_turn")
    assert "You stopped the count" in turn.text
    with pytest.raises(NotOffered, match="is over"):
        turn.tool_calls[0].cancel()


@pytest.mark.parametrize(("what", "status"), [("call", "cancelled"), ("terminal", "failed")])
def test_a_command_ends_by_its_call_and_by_its_terminal(demo: Agent, what: str, status: str) -> None:
    turn = demo.prompt("/run sleep 300")
    until(lambda: turn.terminals and turn.terminals[0].can_cancel and turn.tool_calls[0].can_cancel)
    (turn.tool_calls[0] if what == "call" else turn.terminals[0]).cancel()
    turn.wait(20)
    assert turn.terminals[0].signal in ("SIGTERM", "SIGKILL")
    assert (turn.tool_calls[0].status, turn.stop_reason) == (status, "end_turn")
    [permission] = turn.tool_calls[0].permissions
    assert (turn.tool_calls[0].asked, permission.by, permission.answered_at is not None) == (True, "policy", True)


def test_settings_are_read_and_set(demo: Agent) -> None:
    demo.start().wait()
    assert dict(demo.config) == {"mode": "ask", "model": "demo", "thoughts": True}
    demo.config["mode"] = "accept-edits"
    asyncio.run(demo.set_config("thoughts", False))
    assert (demo.config["mode"], demo.config["thoughts"]) == ("accept-edits", False)
    assert [choice.group for choice in demo.config.choices("model")] == ["The usual one", "Others", "Others"]
    assert "mode = 'accept-edits'" in repr(demo.config)
    assert [command.name for command in demo.commands][:2] == ["edit", "run"]
    for config_id, value in (("mode", "yolo"), ("mode", True), ("thoughts", "yes"), ("nope", "a")):
        with pytest.raises(NotOffered):
            demo.config[config_id] = value
    demo.close()
    with pytest.raises(AgentClosed):
        demo.config["mode"] = "ask"


def test_a_refusal_has_the_agents_words_and_changes_nothing(tmp_path: Path) -> None:
    body = CONFIGURED + (
        "send({'id': until('session/set_config_option')['id'], 'error': {'code': -32602, 'message': 'not today'}})\n"
        "sys.exit(until('session/set_config_option') and 0)\n"
    )
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        with pytest.raises(ConnectionClosed, match="not running"):
            agent.config["m"] = "b"
        agent.start().wait()
        with pytest.raises(RequestError, match="not today"):
            agent.config["m"] = "b"
        assert agent.config["m"] == "a"
        with pytest.raises(NotOffered, match="does not know"):
            agent.config["x"] = "1"
        with pytest.raises(ConnectionClosed, match="ended before"):
            agent.config["m"] = "c"


def test_a_silent_agent_is_not_waited_for_and_a_late_answer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "ANSWER_TIMEOUT", 0.2)
    body = CONFIGURED + (
        "request = until('session/set_config_option'); prompt()\n"
        "answer(request, {'configOptions': [{**OPTION, 'currentValue': 'b'}]}); running(); idle(); serve()\n"
    )
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        agent.start().wait()
        with pytest.raises(NoAnswer):
            agent.config["m"] = "b"
        agent.run("go", timeout=20)
        assert agent.config["m"] == "b"


@pytest.mark.parametrize(("meanwhile", "left"), [("a", "b"), ("b", "b")])
def test_an_answer_does_not_undo_a_newer_report(tmp_path: Path, meanwhile: str, left: str) -> None:
    body = CONFIGURED + (
        "request = until('session/set_config_option')\n"
        f"update('config_option_update', configOptions=[{{**OPTION, 'currentValue': {meanwhile!r}, 'name': 'new'}}])\n"
        "answer(request, {'configOptions': [{**OPTION, 'currentValue': 'b', 'name': 'answer'}]}); serve()\n"
    )
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        agent.start().wait()
        agent.config["m"] = "b"
        assert agent.config["m"] == left
        assert agent.config.raw[0]["name"] == ("answer" if meanwhile == "a" else "new")


def test_it_does_not_wait_on_the_thread_that_the_agent_runs_on(demo: Agent) -> None:
    demo.start().wait()
    runtime.run(demo.config.__setitem__, "mode", "accept-edits")
    until(lambda: demo.config["mode"] == "accept-edits")


STOPPABLE = """
start()
prompt(); running()
update('tool_call_update', toolCallId='c', title='A call', status='in_progress', capabilities={'cancel': {}})
update('terminal_update', terminalId='t', command='x', capabilities={'cancel': {}})
update('tool_call_content_chunk', toolCallId='c', content={'type': 'terminal', 'terminalId': 't'})
"""


@pytest.mark.parametrize(("what", "method"), [("call", "tool_call/cancel"), ("terminal", "terminal/cancel")])
def test_a_stop_that_the_agent_refuses_has_its_words_and_the_turn_goes_on(
    tmp_path: Path, what: str, method: str
) -> None:
    body = STOPPABLE + (
        f"send({{'id': until('{method}')['id'], 'error': {{'code': -32602, 'message': 'it holds the lock'}}}})\n"
        f"send({{'id': until('{method}')['id'], 'error': {{'code': -32601, 'message': 'no such method'}}}})\n"
        f"until('{method}')['id']; idle(); sys.exit(0)\n"
    )
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        turn = agent.prompt("go")
        until(lambda: turn.terminals and turn.terminals[0].can_cancel and turn.tool_calls[0].can_cancel)
        stop = turn.tool_calls[0].cancel if what == "call" else turn.terminals[0].cancel
        with pytest.raises(RequestError, match=r"cannot stop this .*: it holds the lock") as refused:
            stop()
        assert refused.value.code == -32602
        with pytest.raises(RequestError, match="though it offered it"):
            stop()
        assert (turn.status, turn.tool_calls[0].status, turn.terminals[0].exited) == ("running", "in_progress", False)
        with pytest.raises(ConnectionClosed, match="ended before it could stop this"):
            stop()


def test_what_belongs_to_an_agent_that_has_ended_is_not_stopped(tmp_path: Path) -> None:
    # Both agents use the same ids, and both offer to stop what they run.
    body = STOPPABLE + "idle(); request = until('tool_call/cancel'); answer(request, {}); serve()\n"
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        old = agent.run("go", timeout=20)
        call, terminal = old.tool_calls[0], old.terminals[0]
        agent.restart().wait(20)
        for stop in (call.cancel, terminal.cancel):
            with pytest.raises(NotOffered, match="belongs to an agent that has ended"):
                stop()
        new = agent.run("go", timeout=20)
        new.tool_calls[0].cancel()
        for thing in (old.tool_calls[0], old.terminals[0]):
            with pytest.raises(NotOffered, match="belongs to an agent that has ended"):
                thing.cancel()


@pytest.mark.parametrize("end", ["close", "crash", "restart"])
def test_what_an_ended_agent_left_unfinished_does_not_offer_a_stop(tmp_path: Path, end: str) -> None:
    body = STOPPABLE + "idle(); prompt(); sys.exit(1)\n"
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        turn = agent.run("go", timeout=20)
        call, terminal = turn.tool_calls[0], turn.terminals[0]
        assert (call.can_cancel, terminal.can_cancel) == (True, True)
        if end == "crash":
            with pytest.raises(AgentExited):
                agent.run("die", timeout=20)
        elif end == "close":
            agent.close()
        else:
            agent.restart()
        assert (call.can_cancel, terminal.can_cancel) == (False, False)
        for stop in (call.cancel, terminal.cancel):
            expected = (AgentClosed, "was closed") if end == "close" else (NotOffered, "an agent that has ended")
            with pytest.raises(expected[0], match=expected[1]):
                stop()


def test_settings_after_a_restart_are_those_of_the_new_agent(demo: Agent) -> None:
    demo.start().wait()
    demo.config["mode"] = "accept-edits"
    demo.restart().wait()
    assert demo.config["mode"] == "ask"
    demo.config["mode"] = "accept-edits"
    assert demo.config["mode"] == "accept-edits"


def test_the_demo_agent_refuses_to_stop_what_it_only_says_can_be_stopped(demo: Agent) -> None:
    demo.permissions = "reject"
    turn = demo.run("/odd", timeout=60)
    call = next(call for call in turn.tool_calls if call.can_cancel)
    with pytest.raises(RequestError, match="can be stopped alone"):
        call.cancel()
    assert call.status == "in_progress"
