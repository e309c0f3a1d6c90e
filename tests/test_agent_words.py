"""Whatever an agent says: results can be read, reprs and errors are safe to print, secrets stay out."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import AcpError, Agent, AgentExited, AnswerRefused, NobodyWatching, RequestError
from acp_widget.export import transcript

from .agents.scripted import scripted, until

HOSTILE = r"""
H = "\x1b]0;own\x07\x1b[2J\n\r\u202e\ud800\x00<script>alert(1)</script>\u2028" + "Z" * 500
"""
EVERYTHING = (
    HOSTILE
    + r"""
import base64
start()
prompt()
running()
text = {'type': 'text', 'text': H}
update('tool_call_update', toolCallId=H, title=H, name=H, kind=H, status=H, rawInput={H: H}, rawOutput=H, _meta={H: H},
       locations=[{'path': H, 'line': 3}], content=[
           {'type': 'content', 'content': text}, {'type': 'terminal', 'terminalId': H}, {'type': H, H: H},
           {'type': 'diff', 'changes': [{'operation': H, 'path': H, 'fileType': H}] * 5,
            'patch': {'format': H, 'text': H}},
       ])
update('terminal_update', terminalId=H, command=H, cwd=H, exitStatus={'signal': H})
update('terminal_output_chunk', terminalId=H, data=base64.b64encode(b'\x1b]0;own\x07\xff\x00').decode())
say(H, H)
update('agent_thought_chunk', messageId=H, content=text)
update('plan_update', plan={'type': 'items', 'planId': H, 'entries': [{'content': H, 'status': H, 'priority': H}]})
update('plan_update', plan={'type': H, 'planId': 'other', H: H})
update('session_info_update', title=H)
update('notice', severity=H, title=H, description=H)
update(H, **{H: H})
update('state_update', state=H)
ask(1, title=H, description=H, subject={'type': 'command', 'command': H, 'cwd': H, 'toolCallId': H})
ask(2, title=H, options=[{'optionId': H + str(n), 'name': H, 'kind': H} for n in range(50)], subject={'type': H})
print(H.encode('utf-8', 'replace').decode(), flush=True)
answered(1, 2)
idle(H)
send({'id': read()['id'], 'error': {'code': H, 'message': H, 'data': H}})
read()
print(H.encode('utf-8', 'replace').decode(), os.environ['MY_SETTING'], file=sys.stderr)
sys.exit(1)
"""
)
SECRET = "hunter2-and-more"


def unseen(text: str) -> list[str]:
    return [char for char in text if not char.isprintable()]


def properties(thing: object) -> Iterator[tuple[str, Any]]:
    """All that can be read of it, read."""
    for name, kind in inspect.getmembers(type(thing)):
        if isinstance(kind, property) and not name.startswith("_"):
            yield name, getattr(thing, name)


@pytest.fixture
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook whose page is open."""
    monkeypatch.setattr("acp_widget.stage.Audience.possible", lambda self: True)
    monkeypatch.setattr("acp_widget.stage.Audience.seen", lambda self: True)


@pytest.mark.usefixtures("_watched")
def test_hostile_words_are_read_and_shown_safely(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    folder = tmp_path / "a b \u202e\n\x1b[31m é"
    folder.mkdir()
    with Agent(scripted(folder, EVERYTHING), cwd=folder, env={"MY_SETTING": SECRET}) as agent:
        turn = agent.prompt("hi\x1b[2J\n\u202e\ud800")
        until(lambda: len(agent.pending) == 2)
        lists = (agent.messages, turn.tool_calls, turn.terminals, turn.permissions, turn.diffs, turn.diffs[0].changes)
        for thing in (agent, turn, turn.plan, *(each for some in lists for each in some)):
            assert unseen(repr(thing)) == []
            assert thing is None or dict(properties(thing)) is not None
        assert len(repr(turn.tool_calls[0])) < 700
        with pytest.raises(KeyError) as missing:
            turn.tool_calls["nope"]
        with pytest.raises(AnswerRefused) as refused:
            agent.answer(agent.pending[1], "nope")
        assert (unseen(str(missing.value)), unseen(str(refused.value).replace("\n", ""))) == ([], [])
        assert len(str(refused.value)) < 20_000
        for permission in agent.pending:
            agent.answer(permission, permission.options[0]["optionId"])
        turn.wait(20)
        for kind in (RequestError, AgentExited):
            with pytest.raises(kind) as caught:
                agent.run("more", timeout=20)
            assert unseen(str(caught.value).replace("\n", "")) == []
            assert SECRET not in str(caught.value)
        snapshot = agent._driver.state.snapshot()
        html = transcript.session_html(snapshot, "uid")
        assert "<script>" not in html
        texts = [html, transcript.session_markdown(snapshot), json.dumps(snapshot, ensure_ascii=False), caplog.text]
        for text in [*texts, repr(agent.widget.get_state()), repr(vars(agent)), repr(agent.error)]:
            text.encode()
            assert SECRET not in text


@pytest.mark.usefixtures("_watched")
def test_everything_can_be_read_while_it_streams(tmp_path: Path) -> None:
    body = """
    start(); prompt(); running()
    for number in range(300):
        update('tool_call_update', toolCallId=str(number), title='T', status='in_progress', content=[
            {'type': 'diff', 'changes': [{'operation': 'add', 'path': '/a'}]}, {'type': 'terminal', 'terminalId': 't'}])
        update('terminal_output_chunk', terminalId='t', data='aGkK')
        say('word ')
        ask(number) if number % 50 == 0 else None
    answered(*range(0, 300, 50)); idle(); serve()
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path, permissions="reject") as agent:
        turn = agent.prompt("go")
        seen = 0
        while not turn.done:
            for thing in (agent, turn, *turn.tool_calls[-3:], *turn.terminals, *turn.permissions):
                assert dict(properties(thing))
                repr(thing)
            assert len(turn.tool_calls) >= seen
            seen = len(turn.tool_calls)
        assert (len(turn.tool_calls), turn.text.count("word"), len(turn.permissions)) == (300, 300, 6)
        assert turn.terminals[0].text.count("hi") == 300
        assert len(turn.diffs) == 300


def test_a_message_of_20_mb_is_no_trouble(tmp_path: Path) -> None:
    body = "start(); prompt(); running(); say('x' * 20_000_000); idle(); serve()"
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        turn = agent.run("go", timeout=60)
        assert len(turn.text) == 20_000_000
        assert len(repr(turn.messages)) < 200


def test_a_long_list_is_cut_where_it_is_shown(tmp_path: Path) -> None:
    body = """
    start(); prompt(); running()
    for number in range(150): update('tool_call_update', toolCallId=str(number))
    idle(); serve()
    """
    with Agent(scripted(tmp_path, body), cwd=tmp_path) as agent:
        calls = agent.run("go", timeout=20).tool_calls
    assert "… 50 more" in repr(calls)
    assert len(repr(calls).splitlines()) == 101
    with pytest.raises(KeyError, match="…"):
        calls["no such call"]


# --- warnings ---------------------------------------------------------------------------------------------------------

ASKING = """
start()
while True:
    number = prompt(); running(); ask(number, title='T' * 5000)
    answered(number); say('done', number); idle()
"""


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Agent]:
    with Agent(scripted(tmp_path, ASKING), cwd=tmp_path) as agent:
        yield agent


def _waits() -> dict[str, Callable[[Agent], object]]:
    async def awaited(agent: Agent) -> None:
        await agent.prompt("2")

    def wait_for_all(agent: Agent) -> None:
        agent.prompt("3")
        agent.wait(20)

    def close(agent: Agent) -> None:
        turn = agent.prompt("4")
        until(lambda: turn.done)
        agent.close()

    return {
        "run": lambda agent: agent.run("1", timeout=20),
        "await": lambda agent: asyncio.run(awaited(agent)),
        "agent.wait": wait_for_all,
        "close": close,
    }


@pytest.mark.parametrize("wait", _waits().values(), ids=_waits().keys())
def test_a_warning_is_given_once_where_the_user_waits(asking: Agent, wait: Callable[[Agent], object]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wait(asking)
        asking.close()
    [warning] = caught
    assert warning.category is NobodyWatching
    assert warning.filename == __file__
    assert len(str(warning.message)) < 500


def test_a_warning_that_is_an_error_does_not_hide_what_is_worse(asking: Agent) -> None:
    turn = asking.prompt("1")
    until(lambda: turn.done)

    def fail() -> None:
        with warnings.catch_warnings(), asking:
            warnings.simplefilter("error")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert asking.status == "closed"


# --- what is passed in ------------------------------------------------------------------------------------------------


def test_an_environment_of_anything_but_text_is_refused_without_showing_it() -> None:
    with pytest.raises(TypeError, match="'MY_NUMBER' must be text, not int") as caught:
        Agent("demo", env={"MY_NUMBER": 4711})  # type: ignore[dict-item]
    assert "4711" not in str(caught.value)


def test_a_folder_that_went_away_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    agent = Agent(["python3"], cwd=folder)
    folder.rmdir()
    with pytest.raises(ValueError, match="is gone"):
        Agent(["python3"])
    with agent, pytest.raises(AcpError, match="does not exist"):
        agent.run("hi", timeout=20)


def test_a_program_may_be_a_path(tmp_path: Path) -> None:
    python, *arguments = scripted(tmp_path, "start(); prompt(); running(); idle(); serve()")
    with Agent([Path(python), *arguments], cwd=tmp_path) as agent:
        assert agent.run("hi", timeout=20).stop_reason == "end_turn"
