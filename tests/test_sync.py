"""Whatever gets lost, doubled or late between kernel and browser, both end with the same state."""

from __future__ import annotations

import base64
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget.session.reducer import reduce
from acp_widget.session.state import State
from acp_widget.widget import sync as module
from acp_widget.widget.sync import Sync

from .browser_double import Browser, Clock, ToyState, apply

EMPTY_OUTPUT = {"data": "", "_meta": None, "cut": 0}


class Line:
    """A Sync, the state it reports, and a record of what it sent."""

    def __init__(self, state: Any = None) -> None:
        self.state = ToyState() if state is None else state
        self.clock = Clock()
        self.sent: list[tuple[dict[str, Any], list[bytes]]] = []
        self.sent_at: list[float] = []
        self.sync = Sync(self.state, self._send, scheduler=self.clock)

    def _send(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        self.sent.append((content, buffers))
        self.sent_at.append(self.clock.now)

    def do(self, *ops: Any) -> None:
        self.sync.push(self.state.do(*ops))

    def message(self, key: str = "a:1", text: str = "") -> None:
        self.do(("set", ("messages", key), {"text": text}), ("append", ("timeline",), key))

    def say(self, text: str, key: str = "a:1") -> None:
        self.do(("text", ("messages", key, "text"), text))

    def terminal(self, key: str = "x:1") -> None:
        self.do(("set", ("terminals", key), {"output": dict(EMPTY_OUTPUT), "exitStatus": None}))

    def drain(self) -> list[tuple[dict[str, Any], list[bytes]]]:
        sent, self.sent, self.sent_at = self.sent, [], []
        return sent


@pytest.fixture
def line() -> Line:
    return Line()


CAP = 50_000


@pytest.fixture
def flooded(monkeypatch: pytest.MonkeyPatch) -> Line:
    """A line with a terminal that has more pending bytes than may wait."""
    monkeypatch.setattr(module, "TERMINAL_BYTES", CAP)
    line = Line()
    line.terminal()
    line.do(("bytes", "x:1", b"a" * (CAP + 1)))
    return line


def replay(before: dict[str, Any], messages: list[tuple[dict[str, Any], list[bytes]]]) -> dict[str, Any]:
    browser = Browser({"seq": messages[0][0]["seq"] - 1, **before}, say=lambda message: None)
    for content, buffers in messages:
        browser.receive(content, buffers)
    return browser.state


# --- pace and merging


def test_the_first_change_after_a_quiet_time_goes_out_at_once(line: Line) -> None:
    line.message()
    assert line.sent == []  # never inside push: state and operations agree only after the callback
    line.clock.advance(0)
    assert [content["seq"] for content, _ in line.sent] == [1]


def test_a_fast_stream_becomes_few_messages(line: Line) -> None:
    line.message()
    for _ in range(1000):
        line.say("word ")
        line.clock.advance(0.001)
    line.clock.advance(1)
    assert 20 <= len(line.sent) <= 32
    assert replay(ToyState().data, line.sent) == line.state.data


def test_text_of_two_messages_streaming_at_once_is_merged_each(line: Line) -> None:
    line.message("a:1")
    line.message("h:1")
    line.clock.advance(1)
    line.drain()
    for _ in range(50):
        line.say("x", "a:1")
        line.say("y", "h:1")
    line.clock.advance(1)
    [(content, _)] = line.sent
    assert content["ops"] == [
        ["text", ["messages", "a:1", "text"], "x" * 50],
        ["text", ["messages", "h:1", "text"], "y" * 50],
    ]


def test_output_of_a_terminal_is_one_buffer_even_with_other_changes_between(line: Line) -> None:
    line.terminal()
    line.clock.advance(1)
    line.drain()
    for part in (b"a", b"b", b"c"):
        line.do(("bytes", "x:1", part))
        line.do(("set", ("state", "busy"), part == b"b"))
    line.clock.advance(1)
    [(content, buffers)] = line.sent
    assert content["ops"] == [["bytes", "x:1", 0], ["set", ["state", "busy"], False]]
    assert buffers == [b"abc"]


def test_a_value_set_again_and_again_is_sent_once(line: Line) -> None:
    for busy in (True, False, True):
        line.do(("set", ("state", "busy"), busy))
    line.clock.advance(1)
    assert line.sent[0][0]["ops"] == [["set", ["state", "busy"], True]]


def test_nothing_merges_across_a_change_of_the_same_place(line: Line) -> None:
    line.message()
    line.say("old")
    line.do(("set", ("messages", "a:1"), {"text": "new:"}))
    line.say("er")
    line.do(("append", ("timeline",), "b"), ("delete", ("timeline", 0)), ("append", ("timeline",), "c"))
    line.clock.advance(1)
    assert replay(ToyState().data, line.sent) == line.state.data
    assert line.state.data["messages"]["a:1"] == {"text": "new:er"}


# --- load


def test_no_message_is_much_bigger_than_a_megabyte_and_four_go_out_in_a_second(line: Line) -> None:
    line.message()
    line.terminal()
    for _ in range(6):
        line.say("é" * 500_000)
    line.do(("bytes", "x:1", b"z" * 1_000_000))
    line.clock.advance(10)
    sizes = [
        sum(len(op[2].encode()) for op in content["ops"] if op[0] == "text") + sum(map(len, buffers))
        for content, buffers in line.sent
    ]
    assert max(sizes) <= module.MESSAGE_BYTES
    pauses = [after - before for before, after in zip(line.sent_at, line.sent_at[1:], strict=False)]
    for size, pause in zip(sizes, pauses, strict=False):
        assert pause >= size / module.BYTES_PER_SECOND
    assert replay(ToyState().data, line.sent) == line.state.data


def test_a_flood_of_terminal_output_keeps_nothing_and_sends_the_newest(flooded: Line) -> None:
    retained, cap = CAP + 1, 60_000
    for number in range(300):
        flooded.do(("bytes", "x:1", bytes([number % 256]) * 10_000))
        retained += 10_000
        if retained > cap:
            flooded.do(("trim", "x:1", retained - cap))
            retained = cap
        assert flooded.sync._pending.size < 1000
    flooded.clock.advance(10)
    assert sum(len(buffer) for _, buffers in flooded.sent for buffer in buffers) == cap
    assert replay(ToyState().data, flooded.sent) == flooded.state.data


def test_a_flooded_terminal_goes_on_normally_afterwards(flooded: Line) -> None:
    flooded.do(("set", ("terminals", "x:1", "output", "_meta"), {"a": 1}))
    flooded.clock.advance(1)
    flooded.do(("bytes", "x:1", b"tail"), ("trim", "x:1", 2))
    flooded.clock.advance(1)
    assert flooded.sent[-1][1] == [b"tail"]
    assert replay(ToyState().data, flooded.sent) == flooded.state.data


@pytest.mark.parametrize("path", [("terminals", "x:1"), ("terminals", "x:1", "output")])
def test_a_flooded_terminal_that_is_replaced_or_cleared_ends_right(flooded: Line, path: tuple[str, ...]) -> None:
    output = {"data": "bmV3", "_meta": None, "cut": 0}
    flooded.do(("set", path, output if len(path) == 3 else {"output": output, "exitStatus": {}}))
    flooded.do(("bytes", "x:1", b"er"))
    flooded.clock.advance(5)
    assert replay(ToyState().data, flooded.sent) == flooded.state.data


@pytest.mark.parametrize("op", [("delete", ("terminals", "x:1")), ("set", ("terminals",), {})])
def test_a_flooded_terminal_that_is_gone_sends_no_output(flooded: Line, op: tuple[Any, ...]) -> None:
    flooded.do(op)
    flooded.clock.advance(5)
    assert not any(buffers for _, buffers in flooded.sent)
    assert replay(ToyState().data, flooded.sent) == flooded.state.data


@pytest.mark.parametrize("many", ["bytes", "operations"])
def test_too_much_pending_becomes_one_snapshot(line: Line, many: str) -> None:
    line.message()
    line.clock.advance(1)
    line.drain()
    if many == "bytes":
        for _ in range(9):
            line.say("x" * 1_000_000)
    else:
        line.do(*[("append", ("timeline",), str(number)) for number in range(module.PENDING_OPERATIONS + 1)])
    assert line.sync._pending.size == 0
    line.clock.advance(10)
    [(content, _)] = line.sent
    assert (content["type"], content["seq"]) == ("snapshot", 2)
    line.say("!")
    line.clock.advance(10)
    assert replay({}, line.sent) == line.state.data


def test_what_no_encoder_takes_is_made_fit_and_the_rest_arrives(line: Line) -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    line.message()
    line.say("half \ud83d")
    line.sync.push(
        [("set", ("state", "odd"), {"nan": float("nan"), "half": "\udc00", "pair": "\ud83d\ude00", "ok": 1})]
    )
    line.sync.push([("append", ("timeline",), deep)])
    line.clock.advance(1)
    browser = Browser({"seq": 0, **ToyState().data}, say=lambda message: None)
    for content, buffers in line.sent:
        browser.receive(content, buffers)
    assert browser.state["messages"]["a:1"]["text"] == "half \ufffd"
    assert browser.state["state"]["odd"] == {"nan": None, "half": "\ufffd", "pair": "😀", "ok": 1}


# --- hello, ack, the reminder


def test_a_browser_that_has_everything_gets_no_snapshot(line: Line) -> None:
    line.message()
    line.clock.advance(1)
    line.drain()
    line.sync.hello(1)
    assert line.sent == [({"type": "seq", "seq": 1}, [])]


@pytest.mark.parametrize("known", [0, 1, 7])
def test_a_browser_that_has_something_else_gets_a_snapshot_with_all_that_was_pending(line: Line, known: int) -> None:
    line.message()
    line.clock.advance(0)
    line.say("a")
    line.clock.advance(1)
    line.drain()
    line.say("b")
    line.sync.hello(known)
    line.say("c")
    line.clock.advance(1)
    [(content, _)] = line.sent
    assert (content["type"], content["seq"]) == ("snapshot", 3)
    assert content["state"] == line.state.data
    line.say("d")
    line.clock.advance(1)
    assert replay({}, line.sent) == line.state.data


def test_many_hellos_at_once_cost_one_snapshot(line: Line) -> None:
    line.message()
    line.clock.advance(1)
    line.drain()
    for _ in range(100):
        line.sync.hello(0)
    line.clock.advance(1)
    assert len(line.sent) == 1
    assert line.state.snapshots == 1


def test_the_number_is_repeated_each_second_while_a_permission_is_pending_until_acknowledged(line: Line) -> None:
    line.message()
    line.sync.set_waiting(True)
    line.clock.advance(3.5)
    assert [content["type"] for content, _ in line.sent] == ["ops", "seq", "seq", "seq"]
    line.sync.ack(2)  # never sent: proves nothing
    line.clock.advance(1)
    assert len(line.sent) == 5
    line.sync.ack(1)
    line.clock.advance(10)
    assert len(line.sent) == 5
    assert line.sync.idle
    assert line.clock.timers == 0


def test_something_new_while_a_permission_is_pending_is_repeated_again(line: Line) -> None:
    line.sync.set_waiting(True)
    line.message()
    line.clock.advance(0)
    line.sync.ack(1)
    line.say("x")
    line.clock.advance(1.5)
    assert line.sent[-1][0] == {"type": "seq", "seq": 2}
    line.sync.set_waiting(False)
    assert line.clock.timers == 0


def test_an_idle_sync_sends_nothing_and_has_no_timer(line: Line) -> None:
    line.message()
    line.clock.advance(5)
    line.drain()
    line.clock.advance(3600)
    assert line.sent == []
    assert line.clock.timers == 0
    assert line.sync.idle


def test_closing_ends_timers_and_drops_what_is_pending(line: Line) -> None:
    line.sync.set_waiting(True)
    line.message()
    line.sync.close()
    line.message()
    line.sync.hello(0)
    line.sync.ack(0)
    line.sync.set_waiting(True)
    line.sync.flush()
    line.clock.advance(10)
    assert line.sent == []
    assert line.clock.timers == 0
    assert line.sync.closed


def test_a_snapshot_for_a_reader_leaves_no_gap_for_the_live_view(line: Line) -> None:
    browser = Browser({"seq": 0, **line.state.snapshot()}, say=line.sync.hello)
    line.message()
    line.clock.advance(0)
    line.say("pending")
    seq, state = line.sync.snapshot()
    assert (seq, state) == (2, line.state.data)
    line.say(" more")
    line.clock.advance(1)
    for content, buffers in line.sent:
        browser.receive(content, buffers)
    assert browser.state == line.state.data
    assert [content["type"] for content, _ in line.sent] == ["ops", "ops", "ops"]


# --- lost messages


def connect(line: Line) -> Browser:
    def say(message: dict[str, Any]) -> None:
        {"hello": line.sync.hello, "ack": line.sync.ack}[message["type"]](message["seq"])

    return Browser({"seq": 0, **(ToyState().data if isinstance(line.state, ToyState) else State().snapshot())}, say)


def ask(line: Line) -> None:
    line.do(("set", ("permissions", "p:1"), {"status": "pending"}), ("append", ("timeline",), "p:1"))
    line.sync.set_waiting(True)


def deliver(line: Line, browser: Browser) -> None:
    for content, buffers in line.drain():
        browser.receive(content, buffers)


@pytest.mark.parametrize("lost", ["the request's own", "the last before the pause", "the first, before initialize"])
def test_a_lost_message_is_repaired_and_the_request_is_seen(line: Line, lost: str) -> None:
    browser = connect(line)
    line.message()
    line.say("Let me look.")
    line.clock.advance(0.5)
    if lost == "the first, before initialize":
        ask(line)
        line.clock.advance(0.5)
        line.drain()
        browser.initialize()
    else:
        browser.initialize()
        deliver(line, browser)
        ask(line)
        line.clock.advance(0.5)
        if lost == "the request's own":
            line.drain()
            line.say(" And?")
            line.clock.advance(0.5)
            deliver(line, browser)
        else:
            deliver(line, browser)
            line.say(" Last words.")
            line.clock.advance(0.5)
            line.drain()
    for _ in range(4):
        line.clock.advance(1)
        deliver(line, browser)
    assert browser.state == line.state.data
    assert browser.state["permissions"]["p:1"]["status"] == "pending"
    assert line.clock.timers == 0  # acknowledged: nothing is repeated any more


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
_KEY = st.sampled_from(["a:1", "h:1"])
_ACTION = st.one_of(
    st.tuples(st.just("message"), _KEY),
    st.tuples(st.just("say"), _KEY, _TEXT),
    st.tuples(st.just("set"), _KEY, _TEXT),
    st.tuples(st.just("drop"), _KEY),
    st.just(("clear",)),
    st.tuples(st.just("place"), st.integers(0, 3)),
    st.tuples(st.just("unplace"), st.integers(0, 3)),
    st.tuples(st.just("terminal"), st.sampled_from(["x:1", "x:2"])),
    st.tuples(st.just("bytes"), st.sampled_from(["x:1", "x:2"]), st.binary(max_size=12)),
    st.tuples(st.just("trim"), st.sampled_from(["x:1", "x:2"]), st.integers(0, 6)),
    st.tuples(st.just("meta"), st.sampled_from(["x:1", "x:2"]), st.integers(0, 6)),
    st.tuples(st.just("ask"), st.booleans()),
    st.tuples(st.just("time"), st.sampled_from([0.0, 0.01, 0.05, 2.0])),
)


def perform(line: Line, action: tuple[Any, ...]) -> None:
    """Do one action if it fits the state, as the reducer only emits operations that fit."""
    name, *rest = action
    data = line.state.data
    if name == "message":
        line.message(rest[0], "start")
    elif name == "say" and rest[0] in data["messages"]:
        line.say(rest[1], rest[0])
    elif name == "set" and rest[0] in data["messages"]:
        line.do(("set", ("messages", rest[0], "text"), rest[1]))
    elif name == "drop" and rest[0] in data["messages"]:
        line.do(("delete", ("messages", rest[0])))
    elif name == "clear":
        line.do(("set", ("messages",), {}))
    elif name == "place" and rest[0] < len(data["timeline"]):
        line.do(("set", ("timeline", rest[0]), f"moved {rest[0]}"))
    elif name == "unplace" and rest[0] < len(data["timeline"]):
        line.do(("delete", ("timeline", rest[0])))
    elif name == "terminal":
        line.terminal(rest[0])
    elif name == "bytes" and rest[0] in data["terminals"]:
        line.do(("bytes", rest[0], rest[1]))
    elif name == "trim" and rest[0] in data["terminals"]:
        size = len(line.state.get("terminals", rest[0])["output"]["data"])
        line.do(("trim", rest[0], min(size, rest[1])))
    elif name == "meta" and rest[0] in data["terminals"]:
        line.do(("set", ("terminals", rest[0], "output", "_meta"), {"n": rest[1]}))
    elif name == "ask":
        line.do(("set", ("permissions", "p:1"), {"status": "pending" if rest[0] else "cancelled"}))
        line.sync.set_waiting(rest[0])
    elif name == "time":
        line.clock.advance(rest[0])


@settings(max_examples=300, deadline=None)
@given(st.lists(_ACTION, max_size=40), st.integers(0, 2**32), st.sampled_from([8, 40, 1000]))
def test_any_loss_doubling_and_reordering_ends_in_the_same_state(actions: list[Any], seed: int, cap: int) -> None:
    line = Line()
    line.message()
    line.terminal()
    line.sync._pending._terminal_cap = cap + 64  # so that small examples flood too
    luck = random.Random(seed)
    browser = connect(line)
    if luck.random() < 0.5:
        browser.initialize()
    late: list[Any] = []
    for action in actions:
        perform(line, action)
        for message in line.drain():
            fate = luck.random()
            if fate < 0.6:
                browser.receive(*message)
            if 0.5 < fate < 0.8:
                late.append(message)
        if late and luck.random() < 0.3:
            luck.shuffle(late)
            browser.receive(*late.pop())
    for message in late:
        browser.receive(*message)
    browser.initialize()  # the page became visible again, and now messages arrive
    for _ in range(5):
        line.clock.advance(3)
        deliver(line, browser)
    assert browser.state == line.state.data
    line.clock.advance(3600)
    assert line.clock.timers == 0


@settings(max_examples=300, deadline=None)
@given(st.lists(_ACTION, max_size=60), st.integers(100, 400))
def test_merged_and_split_operations_give_the_same_state(actions: list[Any], message_bytes: int) -> None:
    line = Line()
    pending = line.sync._pending
    pending._terminal_cap = 90
    before = line.state.snapshot()
    line.message()
    line.terminal()
    for action in actions:
        if action[0] != "time":
            perform(line, action)
    while len(pending):
        batch = pending.take(message_bytes)
        for op in batch.ops:
            apply(before, op, batch.buffers)
    assert before == line.state.data
    assert pending.size == 0


_ID = st.sampled_from(["1", "2", "__proto__"])
_BLOCK = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(max_size=4)),
    st.just({"type": "image", "data": "AAAA", "mimeType": "image/png"}),
)
_ITEM = st.one_of(
    st.builds(lambda block: {"type": "content", "content": block}, _BLOCK),
    st.builds(lambda identity: {"type": "terminal", "terminalId": identity}, _ID),
    st.just({"type": "diff", "changes": [{"operation": "add", "path": "/a"}]}),
)
_BASE64 = st.builds(lambda data: base64.b64encode(data).decode(), st.binary(max_size=40))
_OUTPUT = st.none() | st.builds(lambda data: {"data": data}, _BASE64)


def _update(kind: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    some = st.fixed_dictionaries({"sessionUpdate": st.just(kind)}, optional=fields)
    return st.builds(lambda update: {"type": "update", "update": update}, some)


_EVENT = st.one_of(
    _update("agent_message_chunk", messageId=_ID, content=_BLOCK),
    _update("agent_thought_chunk", messageId=_ID, content=_BLOCK),
    _update("agent_message", messageId=_ID, content=st.none() | st.lists(_BLOCK, max_size=3)),
    _update("tool_call_update", toolCallId=_ID, title=st.text(max_size=3), content=st.lists(_ITEM, max_size=3)),
    _update("tool_call_content_chunk", toolCallId=_ID, content=_ITEM),
    _update("terminal_output_chunk", terminalId=_ID, data=_BASE64),
    _update("terminal_update", terminalId=_ID, output=_OUTPUT, exitStatus=st.none() | st.just({"exitCode": 0})),
    _update("state_update", state=st.sampled_from(["running", "idle", "requires_action"])),
    _update("plan_update", plan=st.builds(lambda identity: {"type": "items", "planId": identity, "entries": []}, _ID)),
    _update("plan_removed", planId=_ID),
    _update("_odd", x=st.integers()),
    st.builds(
        lambda identity: {
            "type": "request",
            "id": identity,
            "params": {"title": "?", "options": [{"optionId": "a", "name": "A", "kind": "allow_once"}]},
        },
        st.integers(0, 3),
    ),
    st.builds(lambda n: {"type": "respond", "permission": f"p:{n}", "optionId": "a", "by": "you"}, st.integers(1, 4)),
    st.just({"type": "cancel"}),
    st.just({"type": "replayBegin"}),
    st.just({"type": "replayEnd", "result": {}}),
    st.just({"type": "sessionNew", "result": {"sessionId": "s"}}),
    st.just({"type": "starting", "command": [], "cwd": "/", "label": "x", "temporary": False, "policy": "ask"}),
    st.just({"type": "ended", "connection": "failed", "error": None}),
    st.builds(lambda n: {"type": "promptSent", "turn": f"r:{n}", "prompt": [], "source": None}, st.integers(1, 3)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_EVENT, st.sampled_from([0.0, 0.0, 0.01, 0.1, 2.0])), max_size=40), st.integers(0, 2**32))
def test_a_real_session_ends_the_same_in_the_browser_whatever_was_lost(events: list[Any], seed: int) -> None:
    state = State(terminal_cap=60)
    line = Line(state)
    line.sync._pending._terminal_cap = 60
    luck = random.Random(seed)
    browser = connect(line)
    browser.initialize()
    for event, pause in events:
        line.sync.push(reduce(state, {"at": 1.0, **event}).ops)
        line.sync.set_waiting(bool(state.pending_permissions()))
        line.clock.advance(pause)
        for message in line.drain():
            if luck.random() < 0.8:
                browser.receive(*message)
    browser.initialize()
    for _ in range(5):
        line.clock.advance(3)
        deliver(line, browser)
    assert browser.state == state.snapshot()
    line.clock.advance(3600)
    assert line.clock.timers == 0
