"""A child process as a stream of messages: any line, any order of dying, nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from acp_widget.protocol import stdio
from acp_widget.protocol.stdio import StdioTransport
from acp_widget.protocol.transport import NotAMessage
from tests.processes import alive, run, until

LINES = str(Path(__file__).with_name("agents") / "lines.py")


@contextlib.asynccontextmanager
async def child(*arguments: str, **options: Any) -> AsyncIterator[StdioTransport]:
    """A child of tests/agents/lines.py."""
    command = [sys.executable, "-S", "-E", LINES, *arguments]
    transport = await StdioTransport.start(command, cwd="/", **{"grace": 0.3, **options})
    try:
        yield transport
    finally:
        await transport.close()


async def everything(transport: StdioTransport) -> tuple[list[Any], list[str], str]:
    """All messages, all lines that were none, and how it ended."""
    messages: list[Any] = []
    noise: list[str] = []
    while True:
        try:
            messages.append(await transport.receive())
        except NotAMessage as line:
            noise.append(line.text)
        except EOFError as end:
            return messages, noise, str(end)


async def told(transport: StdioTransport) -> dict[str, Any]:
    message = await transport.receive()
    assert isinstance(message, dict)
    return message


# --- lines ---------------------------------------------------------------------------------------------------------


def test_a_line_of_20_megabytes_goes_there_and_back() -> None:
    async def story() -> None:
        text = "héllo 漢字 🙂 " * 1_100_000
        assert len(text.encode()) > 20_000_000
        async with child("echo") as transport:
            sending = asyncio.ensure_future(transport.send({"text": text}))
            same = await transport.receive() == {"text": text}
            await sending
        assert same  # not in one expression: nobody wants to read that difference

    run(story())


def test_characters_may_arrive_byte_by_byte() -> None:
    async def story() -> None:
        async with child("dribble") as transport:
            assert (await everything(transport))[0] == [{"text": "é漢🙂"}]

    run(story())


def test_lines_that_are_no_json_are_told_and_the_stream_goes_on() -> None:
    async def story() -> None:
        raw = r'Welcome!\n\n  \r\n{"a": 1}\r\n{"a": \n{"b": "\xff"}\n\n[1]\nbye'
        async with child("raw", raw) as transport:
            messages, noise, end = await everything(transport)
        assert messages == [{"a": 1}, {"b": "\ufffd"}, [1]]
        assert noise == ["Welcome!", '{"a":', "bye"]
        assert end == "exit code 3"

    run(story())


def test_a_line_over_the_limit_costs_that_line_only() -> None:
    async def story() -> None:
        async with child("echo", max_line=200_000) as transport:
            await transport.send({"n": 1})
            sending = asyncio.ensure_future(transport.send({"long": "x" * 1_000_000}))
            await transport.receive()
            with pytest.raises(NotAMessage, match="1,000,011 bytes") as caught:
                await transport.receive()
            await sending
            assert len(caught.value.text) < 1_000
            await transport.send({"n": 2})
            assert await transport.receive() == {"n": 2}

    run(story())


def test_a_flood_of_small_messages_arrives_whole_and_in_order() -> None:
    async def story() -> None:
        async with child("flood", "100000") as transport:
            messages, _, end = await everything(transport)
        assert [message["n"] for message in messages] == list(range(100_000))
        assert end == "exit code 0"

    run(story())


class FakePipe(asyncio.ReadTransport):
    """Counts the pauses."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def test_a_consumer_that_does_not_come_costs_no_memory_without_bound_and_loses_nothing() -> None:
    async def story() -> None:
        lines, pipe = stdio._Lines(max_line=10**9), FakePipe()
        lines.connection_made(pipe)
        piece, sent = b"x" * 65_535 + b"\n", 0
        while pipe.reading:
            lines.data_received(piece)
            sent += 1
        assert sent * len(piece) < 17_000_000
        for _ in range(sent):
            assert await lines.next() == piece[:-1]
        assert pipe.reading
        # A single line may be longer than that: it must arrive, so reading goes on.
        for _ in range(400):
            lines.data_received(b"y" * 65_536)
        assert pipe.reading
        lines.data_received(b"\n")
        assert await lines.next() == b"y" * 65_536 * 400

    run(story())


# --- stderr, environment -------------------------------------------------------------------------------------------


def test_stderr_is_always_drained_its_end_is_kept_and_secrets_are_not_in_it() -> None:
    async def story() -> None:
        async with child("grumble", "1000000", env={"MY_API_KEY": "sk-very-secret-1"}) as transport:
            assert await transport.receive() == {"done": True}
            await everything(transport)
            tail = transport.stderr_tail()
        assert 60_000 < len(tail) <= 65_536
        assert tail.startswith("grumble ")
        assert tail.endswith("the key is [MY_API_KEY]\n")
        assert len(transport.stderr_tail(100)) == 100

    run(story())


def test_the_child_gets_our_environment_the_given_one_and_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FROM_US", "us")

    async def value(name: str) -> Any:
        command = [sys.executable, "-S", "-E", LINES, "show", name]
        transport = await StdioTransport.start(command, cwd=str(tmp_path), env={"GIVEN": "given"})
        try:
            return await transport.receive()
        finally:
            await transport.close()

    assert run(value("FROM_US")) == {"value": "us", "cwd": str(tmp_path)}
    assert run(value("GIVEN"))["value"] == "given"


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "returncode"), [("polite", 0), ("deaf", -15), ("stubborn", -9)], ids=["stdin closed", "TERM", "KILL"]
)
def test_close_ends_the_child_as_gently_as_it_allows(behaviour: str, returncode: int) -> None:
    async def story() -> None:
        async with child(behaviour) as transport:
            pid = (await told(transport))["pid"]
            assert pid == transport.pid
            assert transport.returncode is None
            await asyncio.gather(transport.close(), transport.close())
            assert transport.returncode == returncode
            assert not alive(pid)

    run(story())


@pytest.mark.parametrize("how", ["politely", "early"])
def test_close_ends_what_a_wrapper_started_also_when_the_wrapper_is_gone(how: str) -> None:
    async def story() -> None:
        async with child("wrapper", how) as transport:
            first = await told(transport)
            assert alive(first["child"])
            await transport.close()
            assert not alive(first["child"])
            assert not alive(first["pid"])

    run(story())


def test_a_dead_agent_ends_the_stream_even_if_a_descendant_holds_its_output_open() -> None:
    async def story() -> None:
        async with child("wrapper", "early") as transport:
            messages, _, end = await everything(transport)
            assert end == "exit code 7"
            assert alive(messages[0]["child"])

    run(story(), timeout=10)


def test_an_agent_that_closes_its_output_and_lives_ends_the_stream_and_close_ends_it() -> None:
    async def story() -> None:
        async with child("mute") as transport:
            messages, _, end = await everything(transport)
            assert end == "it closed its output"
            await transport.close()
            assert not alive(messages[0]["pid"])

    run(story())


def test_sending_to_one_that_reads_no_more_says_so() -> None:
    async def story() -> None:
        async with child("unreading") as transport:
            await told(transport)

            async def send_on() -> None:
                while True:
                    await transport.send({"more": 1})

            with pytest.raises(ConnectionError, match="does not read"):
                await send_on()

    run(story())


@pytest.mark.parametrize("ending", [lambda t: t.close(), lambda t: asyncio.wait_for(t.close(), 5)])
def test_close_does_not_wait_for_a_message_that_nobody_reads(ending: Callable[[StdioTransport], Any]) -> None:
    async def story() -> None:
        async with child("deaf") as transport:
            await told(transport)
            sending = asyncio.ensure_future(transport.send({"text": "x" * 5_000_000}))
            await until(lambda: not transport._in._room.is_set())
            await ending(transport)
            assert transport.returncode == -15
            with pytest.raises(ConnectionError):
                await sending

    run(story())


def test_an_interrupted_close_still_ends_the_group() -> None:
    async def story() -> None:
        async with child("stubborn") as transport:
            pid = (await told(transport))["pid"]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(transport.close(), 0.01)
            await until(lambda: not alive(pid), timeout=5)

    run(story())
