"""A session with an agent: what goes over the wire, which events come of what arrives, and how a start can fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget import errors
from acp_widget.protocol import handshake, peer
from acp_widget.protocol.peer import Peer
from acp_widget.protocol.stdio import StdioTransport
from acp_widget.protocol.transport import MemoryTransport
from tests.agents.scripted_v2 import INITIALIZED
from tests.agents.sdk import sdk_v2_command
from tests.demo_schema import is_request
from tests.processes import alive, run, until

TESTS = Path(__file__).parent
TRACES = [path for path in sorted((TESTS / "traces").glob("sdk-v2-agent-*.jsonl")) if "asked-v1" not in path.name]
CWD = "/home/user/project"
TEXT = [{"type": "text", "text": "Fix the test."}]
OPTIONS = [{"optionId": "once", "name": "Allow once", "kind": "allow_once"}]

Json = dict[str, Any]


def golden(name: str) -> Any:
    return json.loads((TESTS / "wire" / f"{name}.json").read_text(encoding="utf-8"))


class Session:
    """A peer, its events, and the agent's end of the wire, played by the test."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self.deaths: list[errors.AcpError] = []
        ours, self.wire = MemoryTransport.pair()
        self.peer = Peer(ours, self.events.append, on_closed=self.deaths.append)

    def of(self, kind: str) -> list[Json]:
        return [event for event in self.events if event["type"] == kind]

    async def hears(self) -> Any:
        return await self.wire.receive()

    async def answers(self, result: Any = None, *, error: Any = None) -> Any:
        """The agent reads the next request and answers it; gives the request."""
        request = await self.hears()
        await self.says({"id": request["id"], **({"result": result} if error is None else {"error": error})})
        return request

    async def says(self, *messages: Json) -> None:
        for message in messages:
            await self.wire.send({"jsonrpc": "2.0", **message})

    async def start(self, initialized: Any = None, session: Any = None, **options: Any) -> None:
        """The whole start, with an agent that answers as given."""
        starting = asyncio.ensure_future(self.peer.start(cwd=CWD, **options))
        await self.answers(INITIALIZED if initialized is None else initialized)
        await self.answers({"sessionId": "sess-1"} if session is None else session)
        await starting

    async def settled(self) -> None:
        """Return when all that the agent said was handled."""
        await self.says({"id": "settled", "method": "_test/settled"})
        while (await self.hears()).get("id") != "settled":
            pass


@contextlib.asynccontextmanager
async def session(started: bool = True) -> AsyncIterator[Session]:
    one = Session()
    if started:
        await one.start()
    try:
        yield one
    finally:
        await one.wire.close()
        await one.peer.close()


def update(text: str, session_id: Any = "sess-1") -> Json:
    inner = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": text}}
    return {"method": "session/update", "params": {"sessionId": session_id, "update": inner}}


def permission(request_id: Any, session_id: Any = "sess-1") -> Json:
    params = {"sessionId": session_id, "title": "Edit?", "options": OPTIONS}
    return {"id": request_id, "method": "session/request_permission", "params": params}


def texts(events: list[Json]) -> list[str]:
    return [event["update"]["content"]["text"] for event in events if event["type"] == "update"]


# --- what we send --------------------------------------------------------------------------------------------------


def test_the_start_sends_the_golden_messages_and_emits_both_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "__version__", "0.0.0")

    async def story() -> None:
        async with session(started=False) as one:
            starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
            assert await one.answers(INITIALIZED) == golden("initialize")
            made = {"sessionId": "sess-1", "configOptions": []}
            assert await one.answers(made) == golden("session_new")
            await starting
            assert one.peer.session_id == "sess-1"
            assert one.events == [
                {"type": "initialized", "result": INITIALIZED},
                {"type": "sessionNew", "result": made},
            ]

    run(story())


def test_servers_and_further_folders_are_passed_on() -> None:
    async def story() -> None:
        async with session(started=False) as one:
            server = {"type": "stdio", "name": "files", "command": "/bin/files-server"}
            folders = ["/home/user/data"]
            starting = asyncio.ensure_future(
                one.peer.start(cwd=CWD, mcp_servers=[server], additional_directories=folders)
            )
            await one.answers(INITIALIZED)
            assert await one.answers({"sessionId": "sess-1"}) == golden("session_new_full")
            await starting

    run(story())


def test_a_relative_folder_is_refused_before_anything_is_sent() -> None:
    async def story() -> None:
        async with session(started=False) as one:
            with pytest.raises(ValueError, match="absolute"):
                await one.peer.start(cwd="project")

    run(story())


def test_a_prompt_is_announced_sent_and_its_result_stands_in_the_order_of_arrival() -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            sent = one.peer.prompt("r:1", TEXT, source="python")
            assert one.events == [{"type": "promptSent", "turn": "r:1", "prompt": TEXT, "source": "python"}]
            await sent
            request = await one.hears()
            assert request == golden("prompt")
            await one.says(update("before"), {"id": request["id"], "result": {"messageId": "u1"}}, update("after"))
            await one.settled()
            assert [event["type"] for event in one.events[1:]] == ["update", "promptResult", "update"]
            assert one.events[2] == {"type": "promptResult", "turn": "r:1", "result": {"messageId": "u1"}}

    run(story())


def test_a_refused_prompt_is_an_event_with_code_message_and_data() -> None:
    async def story() -> None:
        async with session() as one:
            one.peer.prompt("r:1", TEXT)
            await one.answers(error={"code": -32000, "message": "log in", "data": {"why": 1}})
            await one.settled()
            assert one.of("promptSent") == [{"type": "promptSent", "turn": "r:1", "prompt": TEXT}]
            assert one.events[-1] == {
                "type": "promptError",
                "turn": "r:1",
                "error": {"code": -32000, "message": "log in", "data": {"why": 1}},
            }

    run(story())


def test_cancel_goes_out_before_the_answers_it_brings_about() -> None:
    async def story() -> None:
        async with session() as one:
            await one.says(permission(""))
            await until(lambda: one.of("request"))

            def answer_at_once(event: Json) -> None:
                assert event == {"type": "cancel"}
                one.peer.answer("", {"outcome": {"outcome": "cancelled"}})

            one.peer._emit = answer_at_once
            one.peer.cancel()
            assert await one.hears() == golden("cancel")
            assert await one.hears() == golden("permission_cancelled")

    run(story())


ASKED: list[tuple[str, Callable[[Peer], asyncio.Future[Any]], str]] = [
    ("tool_call_cancel", lambda peer: peer.cancel_call("call 1"), "CancelToolCallRequest"),
    ("terminal_cancel", lambda peer: peer.cancel_terminal("term-1"), "CancelTerminalRequest"),
    ("set_config_option", lambda peer: peer.configure("mode", "accept-edits"), "SetSessionConfigOptionRequest"),
    ("set_config_option_boolean", lambda peer: peer.configure("thoughts", False), "SetSessionConfigOptionRequest"),
]
asked = pytest.mark.parametrize(("name", "ask", "definition"), ASKED, ids=[name for name, _, _ in ASKED])


@asked
def test_what_is_asked_of_the_agent_is_the_golden_message_and_its_answer_is_given(
    name: str, ask: Callable[[Peer], asyncio.Future[Any]], definition: str
) -> None:
    async def story() -> None:
        async with session() as one:
            answer = ask(one.peer)
            request = await one.hears()
            assert request == golden(name)
            assert is_request(definition, request["params"])
            assert not answer.done()
            result = {"configOptions": [], "_meta": {"took": 1}}
            await one.says({"id": request["id"], "result": result})
            assert await answer == result

    run(story())


@asked
def test_a_refusal_of_what_is_asked_is_raised_with_code_words_and_data(
    name: str, ask: Callable[[Peer], asyncio.Future[Any]], definition: str
) -> None:
    async def story() -> None:
        async with session() as one:
            answer = ask(one.peer)
            await one.answers(error={"code": -32602, "message": "It is over", "data": {"x": 1}})
            with pytest.raises(errors.RequestError) as caught:
                await answer
            told = (caught.value.code, caught.value.message, caught.value.data)
            assert told == (-32602, "It is over", {"x": 1})
            assert not one.of("configResult")
            assert not one.of("diagnostic")

    run(story())


@asked
def test_what_is_asked_and_not_answered_before_the_end_is_raised_as_closed(
    name: str, ask: Callable[[Peer], asyncio.Future[Any]], definition: str
) -> None:
    async def story() -> None:
        async with session() as one:
            answer = ask(one.peer)
            await one.hears()
            await one.wire.close()
            with pytest.raises(errors.ConnectionClosed):
                await answer
            assert not one.of("configResult")

    run(story())


def test_stopping_one_call_or_terminal_is_no_event() -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            for ask in (one.peer.cancel_call, one.peer.cancel_terminal):
                answer = ask("x")
                await one.answers({})
                await answer
            assert one.events == []

    run(story())


def test_a_setting_is_announced_and_its_answer_stands_in_the_order_of_arrival() -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            answer = one.peer.configure("mode", "accept-edits")
            assert one.events == [{"type": "configSent", "configId": "mode"}]
            request = await one.hears()
            result = {"configOptions": []}
            await one.says(update("before"), {"id": request["id"], "result": result}, update("after"))
            await one.settled()
            assert [event["type"] for event in one.events[1:]] == ["update", "configResult", "update"]
            assert one.events[2] == {"type": "configResult", "configId": "mode", "result": result}
            assert await answer == result

    run(story())


def test_permission_requests_become_events_and_answers_go_back_under_their_id() -> None:
    async def story() -> None:
        async with session() as one:
            await one.says(permission(0), permission(7))
            await until(lambda: len(one.of("request")) == 2)
            assert one.of("request")[0] == {"type": "request", "id": 0, "params": permission(0)["params"]}
            one.peer.answer(7, error={"code": -32602, "message": "The request offers no usable option"})
            one.peer.answer(0, {"outcome": {"outcome": "selected", "optionId": "once"}})
            assert await one.hears() == golden("permission_refused")
            assert await one.hears() == golden("permission_selected")

    run(story())


def test_close_answers_what_is_open_closes_the_session_and_emits_nothing_more() -> None:
    async def story() -> None:
        async with session() as one:
            await one.says(permission(""))
            await until(lambda: one.of("request"))
            one.events.clear()
            closing = asyncio.ensure_future(one.peer.close())
            assert await one.hears() == golden("permission_cancelled")
            close = await one.hears()
            assert close == golden("session_close")
            # Whatever comes meanwhile is not shown, and a question is not left open.
            await one.says(
                update("late"), permission(8), {"id": close["id"], "error": {"code": -32002, "message": "?"}}
            )
            await closing
            assert await one.hears() == {"jsonrpc": "2.0", "id": 8, "result": {"outcome": {"outcome": "cancelled"}}}
            await one.peer.close()
            assert one.events == []
            assert one.deaths == []

    run(story())


def test_close_does_not_wait_long_for_an_agent_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "_CLOSE_TIMEOUT", 0.01)

    async def story() -> None:
        async with session() as one:
            await one.peer.close()

    run(story(), timeout=5)


# --- what arrives --------------------------------------------------------------------------------------------------


def test_what_comes_before_the_answer_to_session_new_is_kept_in_order_and_only_if_it_is_ours() -> None:
    async def story() -> None:
        async with session(started=False) as one:
            starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
            await one.answers(INITIALIZED)
            await one.says(update("1"), update("x", "other"), permission(1), permission(2, "other"))
            await one.says({"method": "$/cancel_request", "params": {"requestId": 1}}, update("2"))
            await one.answers({"sessionId": "sess-1"})
            await one.says(update("3"))
            await starting
            refusal = await one.hears()
            await one.settled()
            kinds = [event["type"] for event in one.events if event["type"] != "diagnostic"]
            assert kinds == ["initialized", "sessionNew", "update", "request", "cancelRequest", "update", "update"]
            assert texts(one.events) == ["1", "2", "3"]
            assert len(one.of("diagnostic")) == 1
            assert (refusal["id"], refusal["error"]["code"]) == (2, -32002)

    run(story())


def test_what_comes_before_the_session_is_bounded() -> None:
    async def story() -> None:
        async with session(started=False) as one:
            starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
            await one.answers(INITIALIZED)
            await one.says(*(update(str(n)) for n in range(1_500)), permission("late"))
            await one.answers({"sessionId": "sess-1"})
            await starting
            await until(lambda: len(one.of("update")) >= 1_000)
            assert texts(one.events) == [str(n) for n in range(1_000)]
            assert len(one.of("diagnostic")) == 1
            assert (await one.hears())["error"]["code"] == -32002  # refused, not left waiting

    run(story())


def test_updates_of_another_session_are_never_shown_and_noted_once() -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            await one.says(*(update("child", "sub-1") for _ in range(5)), update("ours"), permission(3, "sub-1"))
            refusal = await one.hears()
            assert refusal["error"]["code"] == -32002
            assert refusal["error"]["data"] == {"sessionId": "sub-1"}
            assert texts(one.events) == ["ours"]
            assert not one.of("request")
            assert len(one.of("diagnostic")) == 1

    run(story())


@pytest.mark.parametrize(
    "message",
    [
        {"method": "session/update", "params": [1]},
        {"method": "session/update", "params": {"sessionId": "sess-1"}},
        {"method": "session/update", "params": {"update": {}}},
        {"method": "session/update", "params": {"sessionId": 5, "update": {}}},
    ],
)
def test_an_update_without_what_it_needs_is_noted_and_dropped(message: Json) -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            await one.says(message)
            await one.settled()
            assert [event["type"] for event in one.events] == ["diagnostic"]

    run(story())


@pytest.mark.parametrize("odd", [None, 5, "text", [], {"sessionUpdate": "_vendor", "x": 1}])
def test_the_update_itself_goes_on_as_it_is(odd: Any) -> None:
    async def story() -> None:
        async with session() as one:
            await one.says({"method": "session/update", "params": {"sessionId": "sess-1", "update": odd}})
            await one.settled()
            assert one.events[-1] == {"type": "update", "update": odd}

    run(story())


def test_requests_that_nobody_serves_are_answered_so_and_unknown_notifications_make_no_noise() -> None:
    async def story() -> None:
        async with session() as one:
            one.events.clear()
            methods = ["elicitation/create", "fs/read_text_file", "terminal/create", "_vendor/x", "craft/drain"]
            await one.says(
                {"method": "_auth/status_update", "params": {"x": 1}}, {"method": "qwen/notify", "params": {}}
            )
            await one.says(*({"id": method, "method": method, "params": {}} for method in methods))
            await one.says({"id": "bad", "method": "session/request_permission", "params": [1]})
            answers = {answer["id"]: answer["error"]["code"] for answer in [await one.hears() for _ in range(6)]}
            assert answers == {**dict.fromkeys(methods, -32601), "bad": -32602}
            assert one.events == []

    run(story())


def test_a_withdrawn_request_is_an_event() -> None:
    async def story() -> None:
        async with session() as one:
            await one.says(permission(0), {"method": "$/cancel_request", "params": {"requestId": 0}})
            await until(lambda: one.of("cancelRequest"))
            assert one.events[-1] == {"type": "cancelRequest", "requestId": 0}

    run(story())


# --- versions, logins, and other ways not to start ------------------------------------------------------------------


async def failure(initialize: Json, session_new: Json | None = None) -> errors.AcpError:
    """What `start` raises when the agent answers like this."""
    async with session(started=False) as one:
        starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
        await one.answers(**initialize)
        if session_new is not None:
            await one.answers(**session_new)
        with pytest.raises(errors.AcpError) as caught:
            await starting
        assert not one.of("sessionNew")
        return caught.value


V1_ANSWERS = [
    {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "agentInfo": {"name": "a", "version": "1"}},
    {"protocolVersion": 2, "agentCapabilities": {}, "authMethods": []},
    {"protocolVersion": 1},
    {},
]


@pytest.mark.parametrize("answer", V1_ANSWERS, ids=["both names", "echoes 2", "neither name", "nothing"])
def test_an_agent_that_speaks_v1_is_told_by_the_shape_of_its_answer(answer: Json) -> None:
    async def story() -> None:
        async with session(started=False) as one:
            await one.start(answer, {"sessionId": "sess-1"})
            assert one.of("initialized")[0]["result"]["protocolVersion"] == 1
            prompting = one.peer.prompt("r:1", [{"type": "text", "text": "hi"}])
            assert (await one.answers({"stopReason": "end_turn"}))["method"] == "session/prompt"
            await prompting
            await until(lambda: one.of("promptResult"))
            states = [event["update"]["state"] for event in one.of("update") if "state" in event["update"]]
            assert states == ["running", "idle"]

    run(story())


def test_an_agent_that_refuses_our_version_is_asked_once_more_for_one_that_both_speak() -> None:
    refusal = {"code": -32022, "message": "no", "data": {"requested": 2, "supported": [1]}}

    async def story() -> None:
        async with session(started=False) as one:
            starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
            assert (await one.answers(error=refusal))["params"]["protocolVersion"] == 2
            again = await one.answers({"protocolVersion": 1})
            assert (again["method"], again["params"]["protocolVersion"]) == ("initialize", 1)
            await one.answers({"sessionId": "sess-1"})
            await starting
        async with session(started=False) as one:
            starting = asyncio.ensure_future(one.peer.start(cwd=CWD))
            await one.answers(error=refusal)
            await one.answers(error=refusal)
            with pytest.raises(errors.AcpError, match="no"):
                await starting

    run(story())


def test_a_v2_shape_with_an_older_number_is_v2_and_with_a_newer_one_is_not() -> None:
    async def story() -> None:
        async with session(started=False) as one:
            await one.start({**INITIALIZED, "protocolVersion": 1})
        error = await failure({"result": {**INITIALIZED, "protocolVersion": 3}})
        assert isinstance(error, errors.ProtocolVersionError)
        assert "version 3" in error.message

    run(story())


def test_an_agent_without_a_common_version_says_which_it_speaks() -> None:
    refusal = {"code": -32022, "message": "Unsupported protocol version", "data": {"requested": 2, "supported": [3, 4]}}
    error = run(failure({"error": refusal}))
    assert isinstance(error, errors.ProtocolVersionError)
    assert "version 3 and 4" in error.message
    without = run(failure({"error": {**refusal, "data": None}}))
    assert isinstance(without, errors.ProtocolVersionError)
    assert "another version" in without.message


def test_the_recorded_refusal_of_a_version_is_shown_as_the_agent_gave_it() -> None:
    trace = (TESTS / "traces" / "sdk-v2-agent-asked-v1.jsonl").read_text(encoding="utf-8").splitlines()
    answer = json.loads(trace[1])["msg"]
    error = run(failure({"error": answer["error"]}))
    assert "Unsupported protocol version" in error.message
    assert "-32022" in error.message


def test_a_needed_login_names_what_the_agent_offers() -> None:
    methods = [{"methodId": "key", "type": "agent", "name": "API key"}, {"methodId": "web", "type": "terminal"}, 5]
    needed = {"error": {"code": -32000, "message": "Authentication required"}}
    error = run(failure({"result": {**INITIALIZED, "authMethods": methods}}, needed))
    assert isinstance(error, errors.AuthRequired)
    assert "Authentication required" in error.message
    assert "API key, web" in error.hint
    assert "env=" in error.hint


def test_other_refusals_name_the_request_and_keep_code_and_data() -> None:
    refusal = {"error": {"code": -32603, "message": "No model configured", "data": {"x": 1}}}
    error = run(failure({"result": INITIALIZED}, refusal))
    assert isinstance(error, errors.RequestError)
    assert "`session/new`" in error.message
    assert "No model configured" in error.message
    assert (error.code, error.data) == (-32603, {"x": 1})


@pytest.mark.parametrize("answer", [{"result": {}}, {"result": {"sessionId": 5}}, {"result": None}])
def test_a_session_without_an_id_is_no_session(answer: Json) -> None:
    error = run(failure({"result": INITIALIZED}, answer))
    assert "without a session id" in error.message


# --- real processes ------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def real(behaviour: str, events: list[Json], deaths: list[Any]) -> AsyncIterator[tuple[Peer, StdioTransport]]:
    command = [sys.executable, "-S", "-E", str(TESTS / "agents" / "scripted_v2.py"), behaviour]
    transport = await StdioTransport.start(command, cwd="/", grace=0.3)
    peer = Peer(transport, events.append, on_closed=deaths.append)
    try:
        yield peer, transport
    finally:
        await peer.close()


async def real_failure(behaviour: str, timeout: float = 20.0) -> tuple[errors.AcpError, list[Json]]:
    events: list[Json] = []
    deaths: list[Any] = []
    async with real(behaviour, events, deaths) as (peer, transport):
        with pytest.raises(errors.AcpError) as caught:
            await peer.start(cwd="/", timeout=timeout)
        await peer.close()
        assert not alive(transport.pid)
        assert deaths == []  # told by the exception
    return caught.value, events


def test_an_agent_that_never_answers_is_a_timeout_that_names_the_request_and_shows_stderr() -> None:
    error, _ = run(real_failure("never_answers", timeout=1.0))
    assert isinstance(error, errors.StartTimeout)
    assert "`initialize`" in error.message
    assert re.search(r"within 1(\.\d+)? s", error.message)
    assert "start_timeout=" in error.hint
    assert "Waiting for you to log in" in error.stderr


def test_no_answer_to_session_new_names_that_one() -> None:
    error, events = run(real_failure("no_session", timeout=1.0))
    assert isinstance(error, errors.StartTimeout)
    assert "`session/new`" in error.message
    assert [event["type"] for event in events] == ["initialized"]


def test_a_sentence_on_stdout_and_the_end_fail_the_start_at_once_and_the_sentence_is_shown() -> None:
    error, events = run(real_failure("garbage"), timeout=10)
    assert isinstance(error, errors.AgentExited)
    assert "exit code 0" in error.message
    assert "kimi-cli is no longer maintained" in error.hint
    assert [event["type"] for event in events] == ["diagnostic"]


def test_a_crash_at_the_start_shows_exit_code_and_stderr() -> None:
    error, _ = run(real_failure("crashes_at_start"))
    assert isinstance(error, errors.AgentExited)
    assert "exit code 1" in error.message
    assert "No module named 'model'" in error.stderr


@pytest.mark.parametrize(
    ("behaviour", "code", "kinds"),
    [
        ("dies_in_the_turn", 139, ["promptSent", "promptResult", "update"]),
        ("dies_before_accepting", 9, ["promptSent"]),
    ],
)
def test_an_agent_that_dies_in_a_turn_is_told_once_with_exit_code_and_stderr(
    behaviour: str, code: int, kinds: list[str]
) -> None:
    async def story() -> None:
        events: list[Json] = []
        deaths: list[errors.AcpError] = []
        async with real(behaviour, events, deaths) as (peer, transport):
            await peer.start(cwd="/", timeout=20)
            events.clear()
            peer.prompt("r:1", TEXT)
            await until(lambda: deaths)
            assert [event["type"] for event in events] == kinds
            assert isinstance(deaths[0], errors.AgentExited)
            assert f"exit code {code}" in deaths[0].message
            assert ("Segmentation fault" in deaths[0].stderr) == (code == 139)
            # What is sent afterwards harms nobody.
            await asyncio.wait([peer.cancel(), peer.answer(0, {}), peer.prompt("r:2", TEXT)], timeout=5)
            await peer.close()
            assert len(deaths) == 1
            assert not alive(transport.pid)

    run(story())


def test_a_normal_end_leaves_exit_code_0() -> None:
    async def story() -> None:
        events: list[Json] = []
        async with real("behaves", events, []) as (peer, transport):
            await peer.start(cwd="/", timeout=20)
            await peer.close()
            assert transport.returncode == 0

    run(story())


# --- the independent agent -----------------------------------------------------------------------------------------


def expected_event(message: Json, methods: dict[Any, str], turns: list[str]) -> Json:
    """The event that a recorded message of the agent must become."""
    if message.get("method") == "session/update":
        return {"type": "update", "update": message["params"]["update"]}
    if message.get("method") == "session/request_permission":
        return {"type": "request", "id": message["id"], "params": message["params"]}
    kind = {"initialize": "initialized", "session/new": "sessionNew"}.get(methods[message["id"]])
    if kind is not None:
        return {"type": kind, "result": message["result"]}
    return {"type": "promptResult", "turn": turns[-1], "result": message["result"]}


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_recorded_session_of_the_sdk_agent_gives_the_same_messages_and_its_events(path: Path) -> None:
    trace = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    async def story() -> None:
        one = Session()
        expected: list[Json] = []
        methods: dict[Any, str] = {}  # of the recorded requests
        settings: dict[Any, str] = {}  # recorded request id → the config option that it sets
        ids: dict[Any, Any] = {}  # recorded request id → ours
        turns: list[str] = []
        starting: asyncio.Future[None] | None = None

        def act(message: Json) -> None:
            nonlocal starting
            if message.get("method") == "initialize":
                starting = asyncio.ensure_future(one.peer.start(cwd=CWD, timeout=20))
            elif message.get("method") == "session/prompt":
                turns.append(f"r:{len(turns) + 1}")
                one.peer.prompt(turns[-1], message["params"]["prompt"])
                expected.append({"type": "promptSent", "turn": turns[-1], "prompt": message["params"]["prompt"]})
            elif message.get("method") == "session/cancel":
                one.peer.cancel()
                expected.append({"type": "cancel"})
            elif message.get("method") == "session/set_config_option":
                settings[message["id"]] = message["params"]["configId"]
                one.peer.configure(message["params"]["configId"], message["params"]["value"])
                expected.append({"type": "configSent", "configId": message["params"]["configId"]})
            elif "result" in message:
                one.peer.answer(message["id"], message["result"])

        for record in trace:
            message = record["msg"]
            if record["dir"] == "out":
                if "id" in message and "method" in message:
                    methods[message["id"]] = message["method"]
                act(message)
                sent = await one.hears()
                if "id" in message and "method" in message:
                    ids[message["id"]] = sent.pop("id")
                    message = {key: value for key, value in message.items() if key != "id"}
                if message.get("method") != "initialize":
                    assert sent == message
            elif "method" in message:
                await one.wire.send(message)
                expected.append(expected_event(message, methods, turns))
            elif message["id"] in settings:
                await one.wire.send({**message, "id": ids[message["id"]]})
                configured = {"type": "configResult", "configId": settings[message["id"]]}
                expected.append({**configured, "result": message["result"]})
            else:
                await one.wire.send({**message, "id": ids[message["id"]]})
                expected.append(expected_event(message, methods, turns))
            await until(lambda: len(one.events) >= len(expected))
        assert one.events == expected
        assert starting is not None
        await starting
        await one.wire.close()
        await one.peer.close()

    run(story())


@contextlib.asynccontextmanager
async def sdk_session(folder: Path, events: list[Json], answer: Callable[[Peer, Json], None]) -> AsyncIterator[Peer]:
    """The SDK's agent as a process; `answer` reacts to its permission requests."""
    transport = await StdioTransport.start(sdk_v2_command(), cwd=str(folder))
    peers: list[Peer] = []

    def emit(event: Json) -> None:
        events.append(event)
        if event["type"] == "request":
            answer(peers[0], event)

    peers.append(Peer(transport, emit))
    try:
        await peers[0].start(cwd=str(folder), timeout=30)
        yield peers[0]
    finally:
        await peers[0].close()
        assert transport.returncode == 0
        assert transport.stderr_tail() == ""


def first_option(peer: Peer, event: Json) -> None:
    chosen = {"outcome": "selected", "optionId": event["params"]["options"][0]["optionId"]}
    peer.answer(event["id"], {"outcome": chosen})


def rejection(peer: Peer, event: Json) -> None:
    reject = next(option for option in event["params"]["options"] if option["kind"].startswith("reject"))
    peer.answer(event["id"], {"outcome": {"outcome": "selected", "optionId": reject["optionId"]}})


def stop(peer: Peer, event: Json) -> None:
    peer.cancel()
    peer.answer(event["id"], {"outcome": {"outcome": "cancelled"}})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "answer", "requests", "reason"),
    [
        ("Please do the scripted work.", first_option, 2, "end_turn"),
        ("Please do the scripted work.", rejection, 2, "end_turn"),
        ("Please do the scripted work.", stop, 1, "cancelled"),
        ("#text", first_option, 0, "end_turn"),
        ("#odd", first_option, 0, "_vendor_reason"),
        ("#error", first_option, 0, "error"),
        ("#background", first_option, 1, "end_turn"),
    ],
    ids=["main", "reject", "cancel", "text", "odd", "error", "background"],
)
def test_the_real_agent_of_the_official_sdk_finishes_its_script(
    tmp_path: Path, text: str, answer: Callable[[Peer, Json], None], requests: int, reason: str
) -> None:
    def reasons(events: list[Json]) -> list[Any]:
        return [e["update"].get("stopReason") for e in events if e["type"] == "update" and "stopReason" in e["update"]]

    async def story() -> None:
        events: list[Json] = []
        async with sdk_session(tmp_path, events, answer) as peer:
            peer.prompt("r:1", [{"type": "text", "text": text}])
            await until(lambda: reasons(events), timeout=30)
        kinds = [event["type"] for event in events]
        assert kinds[:4] == ["initialized", "sessionNew", "promptSent", "promptResult"]
        assert kinds.count("request") == requests
        assert "diagnostic" not in kinds
        assert reasons(events)[0] == reason

    run(story())
