"""JSON-RPC both ways: order, ids, errors, and what happens when the stream ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from acp_widget import errors
from acp_widget.protocol.connection import NOT_HANDLED, Connection
from acp_widget.protocol.transport import MemoryTransport, NotAMessage
from tests.processes import run, until


class Ours:
    """A connection of ours, everything it reports in one list, and the agent's end of the transport."""

    def __init__(self, **callbacks: Any) -> None:
        self.log: list[Any] = []
        ours, self.agent = MemoryTransport.pair()
        names = {
            "on_request": lambda id, method, params: self.log.append(("request", id, method, params)),
            "on_notification": lambda method, params: self.log.append(("notification", method, params)),
            "on_end": lambda reason: self.log.append(("end", reason)),
            "on_diagnostic": lambda message, where: self.log.append(("diagnostic", message)),
        }
        self.connection = Connection(callbacks.pop("transport", ours), **{**names, **callbacks})
        self.connection.start()

    def seen(self, kind: str) -> list[Any]:
        return [entry[1:] for entry in self.log if entry[0] == kind]

    async def from_agent(self, *messages: Any) -> None:
        for message in messages:
            await self.agent.send(message)

    async def everything_read(self) -> None:
        """Return when all that the agent sent so far was handled."""
        await self.from_agent({"jsonrpc": "2.0", "method": "mark", "params": {"n": len(self.log)}})
        await until(lambda: any(entry[:2] == ("notification", "mark") for entry in self.log))
        self.log = [entry for entry in self.log if entry[:2] != ("notification", "mark")]


@contextlib.asynccontextmanager
async def connected(**callbacks: Any) -> AsyncIterator[Ours]:
    ours = Ours(**callbacks)
    try:
        yield ours
    finally:
        await ours.connection.close()


def notification(n: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "n", "params": {"n": n}}


def request(id: Any, method: str = "ask") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {}}


# --- order ---------------------------------------------------------------------------------------------------------


def test_an_answer_is_handed_over_before_any_later_message() -> None:
    async def story() -> None:
        async with connected() as ours:
            ours.connection.request(
                "go", {}, on_answer=lambda result, error: ours.log.append(("answer", result, error))
            )
            assert (await ours.agent.receive())["id"] == 1
            await ours.from_agent(notification(1), {"jsonrpc": "2.0", "id": 1, "result": "done"}, notification(2))
            await until(lambda: len(ours.log) == 3)
            assert [entry[0] for entry in ours.log] == ["notification", "answer", "notification"]
            assert ours.log[1] == ("answer", "done", None)

    run(story())


def test_ours_go_out_in_the_order_of_the_calls() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(request("p"))
            await ours.everything_read()
            ours.connection.notify("cancel", {})
            ours.connection.respond("p", {"outcome": "cancelled"})
            ours.connection.request("next", {})
            await ours.connection.flushed()
            sent = [await ours.agent.receive() for _ in range(3)]
            assert [message.get("method", "answer") for message in sent] == ["cancel", "answer", "next"]

    run(story())


def test_a_flood_leaves_others_on_the_loop_their_turn() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(*(notification(n) for n in range(20_000)))
            clicked_after = -1

            def click() -> None:
                nonlocal clicked_after
                clicked_after = len(ours.log)

            await until(lambda: ours.log)
            asyncio.get_running_loop().call_soon(click)
            await until(lambda: len(ours.log) == 20_000)
            assert 0 < clicked_after < 20_000
            assert [params["n"] for _, params in ours.seen("notification")] == list(range(20_000))

    run(story())


# --- requests of the agent -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_id", [0, "", 5, "5", -1, "é"])
def test_ids_come_back_as_they_came(request_id: Any) -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(request(request_id))
            await ours.everything_read()
            assert list(ours.connection.open_requests.items()) == [(request_id, "ask")]
            ours.connection.respond(request_id, {"ok": 0})
            assert await ours.agent.receive() == {"jsonrpc": "2.0", "id": request_id, "result": {"ok": 0}}
            assert not ours.connection.open_requests

    run(story())


def test_two_ids_that_look_alike_are_two_requests() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(request(5), request("5"))
            await ours.everything_read()
            ours.connection.respond("5", "text")
            ours.connection.respond(5, "number")
            assert [(await ours.agent.receive())["id"] for _ in range(2)] == ["5", 5]

    run(story())


def test_an_unknown_method_is_answered_method_not_found() -> None:
    async def story() -> None:
        async with connected(on_request=lambda id, method, params: NOT_HANDLED) as ours:
            await ours.from_agent(request(7, "craft/drainMidTurnQueue"))
            answer = await ours.agent.receive()
            assert answer["id"] == 7
            assert answer["error"]["code"] == -32601
            assert "craft/drainMidTurnQueue" in answer["error"]["message"]

    run(story())


def test_only_one_answer_is_sent() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(request(1))
            await ours.everything_read()
            ours.connection.respond_error(1, -32602, "no options", {"n": 1})
            ours.connection.respond(1, "too late")
            ours.connection.respond(99, "never asked")
            ours.connection.notify("end", {})
            sent = [await ours.agent.receive() for _ in range(2)]
            assert sent[0]["error"] == {"code": -32602, "message": "no options", "data": {"n": 1}}
            assert sent[1]["method"] == "end"
            assert len(ours.seen("diagnostic")) == 2

    run(story())


def test_a_second_request_with_an_id_that_is_in_use_is_refused_and_the_first_stays() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(request(1, "first"), request(1, "second"))
            refusal = await ours.agent.receive()
            assert (refusal["id"], refusal["error"]["code"]) == (1, -32600)
            assert [method for _, method, _ in ours.seen("request")] == ["first"]
            ours.connection.respond(1, "still possible")
            assert (await ours.agent.receive())["result"] == "still possible"

    run(story())


# --- odd messages --------------------------------------------------------------------------------------------------


def test_batches_are_taken_in_order_and_bad_entries_are_refused_one_by_one() -> None:
    async def story() -> None:
        async with connected(on_request=lambda id, method, params: NOT_HANDLED) as ours:
            await ours.from_agent([notification(1), 5, request(3), notification(2)], [])
            await ours.everything_read()
            assert [params["n"] for _, params in ours.seen("notification")] == [1, 2]
            answers = [await ours.agent.receive() for _ in range(3)]
            assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [
                (None, -32600),
                (3, -32601),
                (None, -32600),
            ]

    run(story())


@pytest.mark.parametrize(
    ("message", "answer_id"),
    [
        (request(None), None),
        (request(True), None),
        (request(1.5), None),
        ({"jsonrpc": "2.0", "id": 4}, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": 5}, 4),
    ],
)
def test_an_invalid_request_is_answered_invalid_request(message: Any, answer_id: Any) -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(message)
            answer = await ours.agent.receive()
            assert (answer["id"], answer["error"]["code"]) == (answer_id, -32600)
            assert not ours.seen("request")
            assert len(ours.seen("diagnostic")) == 1

    run(story())


@pytest.mark.parametrize(
    "message",
    [
        42,
        "hello",
        None,
        {},
        {"level": "info", "msg": "a log line on stdout"},
        {"jsonrpc": "2.0", "id": 77, "result": {}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}},
        {"jsonrpc": "2.0", "id": [], "result": {}},
    ],
)
def test_what_nobody_waits_for_is_noted_and_not_answered(message: Any) -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent(message)
            await ours.everything_read()
            assert len(ours.seen("diagnostic")) == 1
            ours.connection.notify("next", {})
            assert (await ours.agent.receive())["method"] == "next"

    run(story())


def test_missing_and_null_params_are_an_empty_object() -> None:
    async def story() -> None:
        async with connected() as ours:
            await ours.from_agent({"jsonrpc": "2.0", "method": "a"}, {"method": "b", "params": None})
            await ours.everything_read()
            assert ours.seen("notification") == [("a", {}), ("b", {})]

    run(story())


class Scripted:
    """A transport that gives what it was given, then ends as told."""

    def __init__(self, *steps: Any) -> None:
        self.steps = list(steps)
        self.sent: list[Any] = []
        self.closed = False

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def receive(self) -> Any:
        if not self.steps:
            await asyncio.Event().wait()
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    async def close(self) -> None:
        self.closed = True


def test_lines_that_are_no_messages_are_noted_a_bounded_number_of_times() -> None:
    async def story() -> None:
        noise = [NotAMessage(f"line {n}", "not JSON") for n in range(1_000)]
        async with connected(transport=Scripted(*noise, notification(1), EOFError("over"))) as ours:
            await until(lambda: ours.seen("end"))
            assert len(ours.seen("notification")) == 1
            notes = [message for (message,) in ours.seen("diagnostic")]
            assert len(notes) == 101
            assert "line 0" in notes[0]
            assert notes[-1] == "900 more lines were no messages."

    run(story())


# --- callbacks that raise ------------------------------------------------------------------------------------------


def test_a_callback_that_raises_never_stops_reading(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="acp_widget")

    async def story() -> None:
        def fails(*arguments: Any) -> None:
            raise RuntimeError("boom")

        async with connected(on_request=fails, on_traffic=fails) as ours:
            answered = ours.connection.request("go", {}, on_answer=fails)
            await ours.from_agent(request(3), {"jsonrpc": "2.0", "id": 1, "result": "fine"})
            assert await answered == "fine"
            await ours.agent.receive()
            answer = await ours.agent.receive()
            assert (answer["id"], answer["error"]["code"]) == (3, -32603)
            await ours.everything_read()
            assert any("boom" in message for (message,) in ours.seen("diagnostic"))
            assert not ours.connection.open_requests

        async with connected(on_notification=fails, on_diagnostic=fails, on_end=fails) as ours:
            await ours.from_agent(notification(1), 42, request(1))
            await until(lambda: ours.seen("request"))
            await ours.agent.close()
            await until(lambda: ours.connection.closed)

    run(story())


# --- answers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "code", "message", "data"),
    [
        ({"error": {"code": -32000, "message": "log in", "data": [1]}}, -32000, "log in", [1]),
        ({"error": {"code": "x", "message": 5}}, -32603, "The agent gave no reason", None),
        ({"error": "text"}, -32603, "text", None),
        ({"error": None}, -32603, "None", None),
        ({"error": {"code": 1, "message": "both"}, "result": 1}, 1, "both", None),
    ],
)
def test_an_error_answer_raises_with_code_message_and_data(answer: Any, code: int, message: str, data: Any) -> None:
    async def story() -> None:
        async with connected() as ours:
            answered = ours.connection.request("go", {})
            await ours.from_agent({"jsonrpc": "2.0", "id": 1, **answer})
            with pytest.raises(errors.RequestError) as caught:
                await answered
            assert (caught.value.code, caught.value.message, caught.value.data) == (code, message, data)

    run(story())


def test_a_null_error_beside_a_result_is_no_error() -> None:
    async def story() -> None:
        async with connected() as ours:
            answered = ours.connection.request("go", {})
            await ours.from_agent({"jsonrpc": "2.0", "id": 1, "result": None, "error": None})
            assert await answered is None

    run(story())


def test_no_answer_in_time_is_a_timeout_and_a_late_answer_is_ignored() -> None:
    async def story() -> None:
        async with connected() as ours:
            with pytest.raises(TimeoutError, match="no answer to go"):
                await ours.connection.request("go", {}, timeout=0.01)
            await ours.from_agent({"jsonrpc": "2.0", "id": 1, "result": 1})
            await ours.everything_read()
            assert ours.log == []

    run(story())


def test_a_message_that_is_no_json_fails_alone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="acp_widget")

    async def story() -> None:
        async with connected() as ours:
            bad = ours.connection.request("bad", {"n": float("nan")})
            ours.connection.request("good", {})
            with pytest.raises(errors.RequestError, match="could not be sent"):
                await bad
            assert (await ours.agent.receive())["method"] == "good"
            assert len(ours.seen("diagnostic")) == 1

    run(story())


# --- the end -------------------------------------------------------------------------------------------------------


def test_when_the_stream_ends_pending_requests_fail_at_once_and_the_end_is_told_once() -> None:
    async def story() -> None:
        async with connected() as ours:
            told: list[Any] = []
            first = ours.connection.request("one", {}, on_answer=lambda result, error: told.append(error))
            second = ours.connection.request("two", {}, timeout=60)
            await ours.agent.close()
            with pytest.raises(errors.ConnectionClosed, match=r"`one` got no answer: .*other end was closed"):
                await first
            with pytest.raises(errors.ConnectionClosed):
                await second
            assert isinstance(told[0], errors.ConnectionClosed)
            assert ours.seen("end") == [("the other end was closed",)]
            assert ours.connection.closed == "the other end was closed"
            # Afterwards nothing hangs either.
            with pytest.raises(errors.ConnectionClosed):
                await ours.connection.request("three", {})
            await ours.connection.notify("four", {})
            await ours.connection.flushed()

    run(story())


@pytest.mark.parametrize("fault", [OSError("reset"), RuntimeError("bug")])
def test_a_transport_that_fails_ends_the_connection_visibly(fault: Exception, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="acp_widget")

    async def story() -> None:
        async with connected(transport=Scripted(fault)) as ours:
            with pytest.raises(errors.ConnectionClosed, match=str(fault)):
                await ours.connection.request("go", {})
            assert len(ours.seen("end")) == 1

    run(story())


def test_an_agent_that_reads_no_more_ends_the_connection() -> None:
    class Deaf(Scripted):
        async def send(self, message: Any) -> None:
            raise BrokenPipeError

    async def story() -> None:
        async with connected(transport=Deaf()) as ours:
            with pytest.raises(errors.ConnectionClosed, match="does not read any more"):
                await ours.connection.request("go", {})
            assert ours.seen("end") == [("it does not read any more",)]

    run(story())


def test_an_agent_that_asks_without_reading_makes_reading_wait_not_memory_grow() -> None:
    class Stuck(Scripted):
        async def send(self, message: Any) -> None:
            await asyncio.Event().wait()

        async def receive(self) -> Any:
            self.sent.append(1)
            await asyncio.sleep(0)
            return request(len(self.sent))

    async def story() -> None:
        transport = Stuck()
        async with connected(transport=transport, on_request=lambda id, method, params: NOT_HANDLED) as ours:
            await until(lambda: len(transport.sent) > 10_000)
            read = len(transport.sent)
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(transport.sent) == read
            assert ours.connection.closed is None

    run(story())


def test_close_fails_what_waits_and_is_not_told_as_an_end() -> None:
    async def story() -> None:
        transport = Scripted()
        async with connected(transport=transport) as ours:
            waiting = ours.connection.request("go", {})
            await ours.connection.close()
            await ours.connection.close()
            with pytest.raises(errors.ConnectionClosed, match="closed here"):
                await waiting
            assert transport.closed
            assert ours.seen("end") == []

    run(story())


def test_traffic_shows_both_directions_in_order() -> None:
    async def story() -> None:
        traffic: list[tuple[str, Any]] = []
        async with connected(on_traffic=lambda direction, message: traffic.append((direction, message))) as ours:
            answered = ours.connection.request("go", {"a": 1})
            await ours.from_agent(notification(1), {"jsonrpc": "2.0", "id": 1, "result": {}})
            await answered
        assert traffic == [
            ("out", {"jsonrpc": "2.0", "id": 1, "method": "go", "params": {"a": 1}}),
            ("in", notification(1)),
            ("in", {"jsonrpc": "2.0", "id": 1, "result": {}}),
        ]

    run(story())
