"""What real agents said, and the demo agent's `/odd`, through dialect and reducer into the page: all is there."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from acp_widget.protocol.peer import Peer
from acp_widget.protocol.stdio import StdioTransport
from acp_widget.protocol.transport import MemoryTransport, Transport
from acp_widget.recording import shapes
from acp_widget.recording.hearing import Hearing
from acp_widget.recording.listener import Listener
from acp_widget.session.operations import to_wire
from acp_widget.session.reducer import Outcome, reduce
from acp_widget.session.screen import screen_text
from acp_widget.session.state import State
from scripts.stories import READY, served

from .pages import StoryPage, write_page

Json = dict[str, Any]

TESTS = Path(__file__).parents[1]
TRACES = sorted((TESTS / "traces").glob("*.jsonl"))
CWD = "/home/user/project"
RESUMED = ["echo hello from the shell; ls", "Write notes.txt", "Edit notes.txt"]
SETTINGS = ("session/set_config_option", "session/set_mode", "session/set_model")


class Drawn:
    """A state, and the messages of which the page makes it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.before = {"seq": 0, **state.snapshot()}
        self.messages: list[tuple[Json, list[str]]] = []

    def add(self, outcome: Outcome) -> None:
        if outcome.ops:
            ops, buffers = to_wire(outcome.ops)
            message = {"type": "ops", "seq": len(self.messages) + 1, "ops": ops}
            self.messages.append((message, [base64.b64encode(each).decode() for each in buffers]))


class Told(Drawn):
    """A session with an agent behind a transport, and the messages that the page would get."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(State())
        self.peer = Peer(transport, self.emit)
        self.turns = 0
        self.emit({**READY[0]["event"], "cwd": CWD})

    def emit(self, event: Json) -> None:
        outcome = reduce(self.state, {"at": 1_764_680_000.0 + len(self.messages) / 10, **event})
        self.add(outcome)
        for answer in outcome.answers:
            self.peer.answer(answer.request_id, answer.result, answer.error)

    def prompt(self, blocks: list[Json]) -> None:
        self.turns += 1
        self.peer.prompt(f"r:{self.turns}", blocks)

    def settle(self, option: str | None, request: Any = None) -> None:
        """Answer the oldest open question, or that of a request."""
        for key in self.state.pending_permissions():
            asked = self.state.get("permissions", key)
            assert asked is not None
            if request is None or asked["requestId"] == request:
                event: Json = {"permission": key, "by": "you", "why": None}
                if option is None:
                    self.emit({"type": "dismiss", **event})
                else:
                    self.emit({"type": "respond", "optionId": option, **event})
                return


async def replayed(trace: str) -> Told:
    """The agent's side of a recording, with our own client on the other."""
    ours, wire = MemoryTransport.pair()
    told = Told(ours)
    records = [json.loads(line) for line in trace.splitlines()]
    ids: dict[Any, Any] = {}  # recorded request → ours
    starting: asyncio.Task[None] | None = None

    async def hear(*methods: str) -> Any:
        while (message := await asyncio.wait_for(wire.receive(), 5)).get("method") not in methods:
            pass
        return message.get("id")

    for record in records:
        message = record["msg"]
        method, params = message.get("method"), message.get("params", {})
        if record["dir"] == "out":
            if method == "initialize":
                starting = asyncio.ensure_future(told.peer.start(cwd=CWD, timeout=20))
            elif method == "session/prompt":
                told.prompt(params["prompt"])
            elif method == "session/cancel":
                told.peer.cancel()
            elif method in SETTINGS:
                config_id, value = shapes.setting(method, params)
                told.peer.configure(config_id, value).add_done_callback(lambda f: f.exception())
            elif method is None and "outcome" in (message.get("result") or {}):
                told.settle(message["result"]["outcome"].get("optionId"), message["id"])
            if method in SETTINGS:  # a mode may be a real option for us, with the same answer
                ids[message["id"]] = await hear(*SETTINGS)
            elif method in ("initialize", "session/new", "session/prompt"):
                ids[message["id"]] = await hear(method)
        elif method is not None:
            await wire.send(message)
        elif message["id"] in ids:
            await wire.send({**message, "id": ids[message["id"]]})
        for _ in range(30):  # all is in memory: a few rounds of the loop bring it there
            await asyncio.sleep(0)
    assert starting is not None
    await starting
    await wire.close()
    await told.peer.close()
    return told


def played(trace: str) -> Drawn:
    """A recording of several processes, or of one that made no session."""
    listener = Listener(on_outcome=lambda outcome: drawn.add(outcome))
    drawn = Drawn(listener.state)
    hearing = Hearing(listener)
    for line in trace.splitlines():
        hearing.hear(json.loads(line))
    hearing.end()
    return drawn


async def odd(folder: Path) -> Told:
    """The demo agent's tour of everything, each question allowed."""
    environment = {"ACP_WIDGET_DEMO_PACE": "0"}
    command = [sys.executable, "-m", "acp_widget.demo"]
    told = Told(await StdioTransport.start(command, cwd=str(folder), env=environment))
    await told.peer.start(cwd=str(folder), timeout=20)
    told.prompt([{"type": "text", "text": "/odd"}])
    while True:
        for key in told.state.pending_permissions():
            asked = told.state.get("permissions", key)
            assert asked is not None
            told.settle(asked["options"][0]["optionId"] if asked["options"] else None, asked["requestId"])
        if told.messages and not told.state.busy() and told.state.part("state")["stopReason"]:
            break
        await asyncio.sleep(0.01)
    await told.peer.close()
    return told


def said(state: Json) -> Iterator[tuple[str, str]]:
    """All that a reader must find, with what it is."""
    for key, message in state["messages"].items():
        for block in message["content"]:
            if isinstance(block, dict) and block.get("type") == "text":
                yield f"message {key}", re.sub(r"\]\([^)]*\)", "]", block["text"])  # addresses are behind their links
    for key, call in state["toolCalls"].items():
        yield f"title of {key}", call["title"] or ""
        for item in call["content"]:
            for change in item.get("changes") or [] if isinstance(item, dict) and item.get("type") == "diff" else []:
                yield f"diff of {key}", str(change.get("path", "")).rsplit("/", 1)[-1]
    for key, terminal in state["terminals"].items():
        yield f"command of {key}", terminal["command"] or ""
        text = screen_text(base64.b64decode(terminal["output"]["data"]), 24, 80).rstrip()
        yield f"end of {key}", text[-200:].split("\n", 1)[-1]
    for key, asked in state["permissions"].items():
        yield f"question {key}", asked["title"] or ""
    for key, plan in state["plans"].items():
        for entry in plan["plan"].get("entries", []):
            yield f"plan {key}", str(entry.get("content", ""))
    for key, notice in state["notices"].items():
        yield f"notice {key}", notice["title"] or ""
    for key, update in state["unknownUpdates"].items():
        yield f"update {key}", str(update["raw"].get("sessionUpdate", "")) if isinstance(update["raw"], dict) else ""


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]{3,}", text)


def assert_all_is_there(page: StoryPage, told: Drawn) -> None:
    page.play(told.before, told.messages)
    page.open_all()
    page.assert_quiet()
    shown = page.texts()["played"]
    missing = {
        what: lost for what, text in said(told.state.snapshot()) if (lost := [w for w in words(text) if w not in shown])
    }
    assert missing == {}


def assert_nothing_spins(page: StoryPage) -> None:
    """What is over does not look as if it went on."""
    assert page.page.locator(".acp-spin").count() == 0


@pytest.fixture(scope="module")
def page(context: BrowserContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoryPage]:
    with served(write_page(tmp_path_factory.mktemp("traces"))) as address:
        opened = StoryPage(context, address)
        yield opened
        opened.close()


@pytest.fixture
def empty(page: StoryPage) -> StoryPage:
    page.complaints.clear()
    return page.open("group=none")


# Playwright's own loop runs on this thread, so the agent's side runs on another.
def run(work: Any) -> Told:
    with ThreadPoolExecutor(1) as pool:
        told: Told = pool.submit(asyncio.run, work).result(60)
    return told


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_all_that_an_agent_said_is_in_the_page(empty: StoryPage, path: Path) -> None:
    trace = path.read_text(encoding="utf-8")
    one_session = trace.count('"method": "initialize"') == 1 and "sessionUpdate" in trace
    told = run(replayed(trace)) if one_session else played(trace)
    assert told.state.keys("messages") or told.state.keys("toolCalls") or told.state.part("session")["error"]
    if "resume" in path.stem:  # told twice, shown once
        assert [call["title"] for call in told.state.snapshot()["toolCalls"].values()] == RESUMED
    assert_all_is_there(empty, told)
    assert_nothing_spins(empty)


def test_all_of_the_odd_tour_is_in_the_page(empty: StoryPage, tmp_path: Path) -> None:
    told = run(odd(tmp_path))
    assert len(told.state.keys("toolCalls")) > 10
    assert_all_is_there(empty, told)
