"""The kernel's side of the front end, with a comm that records instead of a kernel."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import json
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import comm
import ipywidgets
import pytest
import traitlets
from comm.base_comm import BaseComm

from acp_widget import runtime
from acp_widget.errors import AnswerRefused
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State
from acp_widget.widget import bundle
from acp_widget.widget import widget as module
from acp_widget.widget.sync import SNAPSHOT_BYTES
from acp_widget.widget.widget import SessionWidget, TurnView

from .browser_double import Browser

WAIT = 10.0


def until(condition: Callable[[], object], what: str = "the condition") -> None:
    """Wait for something that another thread brings about."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.005)


def on_private_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    async def call() -> Any:
        return function(*arguments)

    return runtime.submit(call()).result(timeout=WAIT)


class Wire(BaseComm):
    """A comm that keeps what was sent, with the thread that sent it."""

    log: ClassVar[list[tuple[str, str, Any, list[bytes], str]]] = []

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        json.dumps(data, allow_nan=False, ensure_ascii=False).encode()  # what a real kernel would refuse
        self.log.append((self.comm_id, msg_type, data, list(buffers or []), threading.current_thread().name))


@pytest.fixture(autouse=True)
def wire(monkeypatch: pytest.MonkeyPatch) -> type[Wire]:
    monkeypatch.setattr(Wire, "log", [])
    monkeypatch.setattr(comm, "create_comm", Wire)
    return Wire


@pytest.fixture(autouse=True)
def front_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built front end, whether or not this clone has one."""
    for name in ("widget.js", "widget.css", "turn.js"):
        (tmp_path / name).write_text(f"/* the text\n of {name} */\n")
    monkeypatch.setattr(bundle, "STATIC", tmp_path)
    return tmp_path


class Actions:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.error: Exception | None = None

    def _took(self, *call: Any) -> None:
        assert runtime.here()
        self.calls.append(call)
        if self.error is not None:
            raise self.error

    def answer(self, permission: str, option_id: str) -> None:
        self._took("answer", permission, option_id)

    def remember(self, permission: str, option_id: str, rule: str) -> None:
        self._took("remember", permission, option_id, rule)

    def revoke(self, rule: str) -> None:
        self._took("revoke", rule)

    def dismiss(self, permission: str) -> None:
        self._took("dismiss", permission)

    def prompt(self, text: str, mentions: Mapping[str, bool]) -> None:
        self._took("prompt", text, mentions)

    def again(self, turn: str) -> None:
        self._took("again", turn)

    def mention(self, typed: str | None, names: Sequence[str]) -> asyncio.Future[dict[str, Any]]:
        return self._asks("mention", typed, names)

    def cancel(self) -> None:
        self._took("cancel")

    def restart(self) -> None:
        self._took("restart")

    def unqueue(self, turn: str) -> None:
        self._took("unqueue", turn)

    def cancel_call(self, call: str) -> asyncio.Future[None]:
        return self._asks("cancel_call", call)

    def cancel_terminal(self, terminal: str) -> asyncio.Future[None]:
        return self._asks("cancel_terminal", terminal)

    def configure(self, config_id: str, value: str | bool) -> asyncio.Future[None]:
        return self._asks("configure", config_id, value)

    def login(self, method_id: str) -> asyncio.Future[None]:
        return self._asks("login", method_id)

    def _asks(self, *call: Any) -> asyncio.Future[Any]:
        self._took(*call)
        self.asked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        return self.asked


class Session:
    """A widget on a real state, driven by events as the agent does it: reduced and pushed in one go."""

    def __init__(self, **options: Any) -> None:
        self.state = State()
        self.actions = Actions()
        self.reports: list[str] = []
        self.widget = SessionWidget(self.state, self.actions, report=self.reports.append, **options)

    def event(self, **event: Any) -> None:
        on_private_thread(self._event, {"at": 1.0, **event})

    def _event(self, event: dict[str, Any]) -> None:
        self.widget.push(reduce(self.state, event).ops)
        self.widget.refresh()

    def update(self, kind: str, **fields: Any) -> None:
        self.event(type="update", update={"sessionUpdate": kind, **fields})

    def begin(self) -> None:
        """The agent is there, and works on a prompt."""
        self.event(type="sessionNew", result={"sessionId": "s"})
        self.event(type="promptSent", turn=self.state.next_turn(), prompt=[], source="python")
        self.update("state_update", state="running")

    def say(self, text: str) -> None:
        self.update("agent_message_chunk", messageId="1", content={"type": "text", "text": text})

    def ask(self) -> None:
        option = {"optionId": "a", "name": "Yes", "kind": "allow_once"}
        self.event(type="request", id=5, params={"title": "May I?", "options": [option]})

    def settle(self) -> None:
        self.update("state_update", state="idle", stopReason="end_turn")

    def quiet(self) -> None:
        """Wait until everything so far was sent."""
        until(lambda: on_private_thread(lambda: self.widget._sync.idle and self.widget._trait_timer is None))

    def receive(self, content: Any) -> None:
        """A custom message of the browser, as the kernel hands it over."""
        self.widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})

    def sent(self, kind: str | None = None) -> list[tuple[dict[str, Any], list[bytes]]]:
        """Custom messages so far."""
        messages = [
            (data["content"], buffers)
            for comm_id, msg_type, data, buffers, _ in list(Wire.log)
            if comm_id == self.widget.model_id and msg_type == "comm_msg" and data["method"] == "custom"
        ]
        return [message for message in messages if kind in (None, message[0]["type"])]

    def updates(self) -> list[dict[str, Any]]:
        """Trait updates so far."""
        return [
            data["state"]
            for comm_id, msg_type, data, _, _ in list(Wire.log)
            if comm_id == self.widget.model_id and msg_type == "comm_msg" and data["method"] == "update"
        ]

    def result(self, identity: str) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [content for content, _ in self.sent("result") if content["id"] == identity]

        until(found, f"a result for {identity}")
        [result] = found()
        return result


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session()
    yield made
    made.widget.close()


def opened(wire: type[Wire], widget: Any) -> dict[str, Any]:
    [data] = [data for comm_id, kind, data, _, _ in wire.log if (comm_id, kind) == (widget.model_id, "comm_open")]
    return data["state"]


# --- the model and its traits


def test_the_model_opens_with_the_front_end_and_the_whole_state(session: Session, wire: type[Wire]) -> None:
    state = opened(wire, session.widget)
    assert state["_esm"] == "/* the text\n of widget.js */\n"
    assert state["_css"] == "/* the text\n of widget.css */\n"
    assert state["state"] == {"seq": 0, **session.state.snapshot()}
    assert (state["status"], state["busy"], state["seq"]) == ("new", False, 0)


def test_without_a_built_front_end_the_error_says_what_to_run(front_end: Path) -> None:
    (front_end / "widget.js").unlink()
    with pytest.raises(bundle.FrontEndMissing, match="make build"):
        Session()


def test_the_front_end_is_read_once_and_shared_by_all_models(session: Session, front_end: Path) -> None:
    (front_end / "widget.js").write_text("changed")
    other = Session()
    try:
        assert other.widget._esm is session.widget._esm
    finally:
        other.widget.close()


def test_scalar_traits_follow_the_session_and_handlers_of_observe_run(session: Session) -> None:
    seen: list[tuple[str, Any]] = []
    names = ["status", "busy", "pending_count"]
    session.widget.observe(lambda change: seen.append((change["name"], change["new"])), names)
    session.begin()
    session.ask()
    session.event(type="respond", permission="p:1", optionId="a", by="you", why=None)
    session.settle()
    assert seen == [
        ("status", "idle"),
        ("status", "running"),
        ("busy", True),
        ("status", "waiting"),
        ("pending_count", 1),
        ("status", "running"),
        ("pending_count", 0),
        ("status", "idle"),
        ("busy", False),
    ]
    assert session.widget.turn_count == 1
    assert session.widget.stop_reason == "end_turn"


def test_names_titles_usage_and_errors_come_from_the_agent(session: Session) -> None:
    start = {"command": ["x"], "cwd": "/", "temporary": False, "policy": "ask"}
    session.event(type="starting", label="demo", **start)
    assert session.widget.agent_name == "demo"
    session.event(type="initialized", result={"protocolVersion": 2, "info": {"name": "a", "version": "1"}})
    session.update("session_info_update", title="Fixing")
    session.update("usage_update", used=5, size=10)
    error = {"name": "AgentExited", "title": "", "message": "It ended.", "hint": "", "stderr": ""}
    session.event(type="ended", connection="failed", error=error)
    widget = session.widget
    assert (widget.agent_name, widget.title, widget.usage["used"], widget.error) == ("a", "Fixing", 5, "It ended.")
    assert widget.status == "failed"


def test_changes_made_together_reach_the_browser_in_one_message(session: Session) -> None:
    session.quiet()
    before = len(session.updates())
    session.begin()
    session.quiet()
    together = [update for update in session.updates()[before:] if "turn_count" in update]
    assert [{"status", "busy", "turn_count"} <= set(update) for update in together] == [True]


def test_streaming_sends_few_trait_updates_and_never_the_state(session: Session) -> None:
    session.begin()
    session.receive({"type": "hello", "seq": 0, "reason": "open"})
    begin = time.monotonic()
    for _ in range(100):
        session.say("word ")
    session.quiet()
    assert session.updates()[-1]["seq"] == session.widget.seq
    assert len(session.updates()) <= 5 + (time.monotonic() - begin) / module.SEQ_INTERVAL
    assert not any("state" in update for update in session.updates())


def test_a_settled_turn_is_in_the_trait_without_being_sent_to_a_page_that_has_it(session: Session) -> None:
    session.receive({"type": "hello", "seq": 0, "reason": "open"})
    session.begin()
    session.say("done")
    session.settle()
    until(lambda: session.widget.state.get("turns"))
    assert session.widget.state == {"seq": session.widget.seq, **session.state.snapshot()}
    session.quiet()
    assert not any("state" in update for update in session.updates())


def test_without_any_page_a_settled_turn_is_sent_for_who_saves_the_notebook(session: Session) -> None:
    session.begin()
    session.say("done")
    session.settle()
    until(lambda: any("state" in update for update in session.updates()))
    [sent] = [update["state"] for update in session.updates() if "state" in update]
    assert sent == {"seq": session.widget.seq, **session.state.snapshot()}


@pytest.mark.parametrize("drop_defaults", [False, True])
def test_what_is_embedded_or_asked_for_is_fresh_in_the_middle_of_a_turn(session: Session, drop_defaults: bool) -> None:
    session.begin()
    session.say("half")
    saved = ipywidgets.Widget.get_manager_state(drop_defaults=drop_defaults, widgets=[session.widget])
    state = saved["state"][session.widget.model_id]["state"]
    expected = {"seq": session.widget.seq, **session.state.snapshot()}
    assert state["state"] == expected
    assert state["seq"] == session.widget.seq
    assert state["_esm"]
    before = len(session.updates())
    session.widget._handle_msg({"content": {"data": {"method": "request_state"}}, "buffers": []})
    [update] = [update for update in session.updates()[before:] if "_esm" in update]
    assert update["state"] == expected


def test_the_state_of_a_long_session_stays_within_its_bound(session: Session) -> None:
    session.begin()
    session.say("x" * 6_000_000)
    assert len(json.dumps(session.widget.get_state("state"))) < 1.1 * SNAPSHOT_BYTES


def test_a_user_cannot_set_what_the_agent_sets(session: Session) -> None:
    with pytest.raises(traitlets.TraitError):
        session.widget.status = "idle"


def test_a_handler_of_observe_that_fails_stops_nothing(session: Session, caplog: pytest.LogCaptureFixture) -> None:
    def fail(change: Any) -> None:
        raise RuntimeError("mine")

    session.widget.observe(fail, "status")
    session.begin()
    until(lambda: session.widget.busy)
    assert session.widget.status == "running"
    assert "A handler of SessionWidget.status failed" in caplog.text
    session.settle()
    until(lambda: session.widget.status == "idle")


def test_link_and_jslink_work_on_scalar_traits(session: Session) -> None:
    label = ipywidgets.Label()
    check = ipywidgets.Checkbox()
    traitlets.dlink((session.widget, "status"), (label, "value"))
    link = traitlets.link((session.widget, "busy"), (check, "value"))
    browser_link = ipywidgets.jslink((session.widget, "pending_count"), (ipywidgets.IntText(), "value"))
    assert browser_link.get_state("source")["source"] == [f"IPY_MODEL_{session.widget.model_id}", "pending_count"]
    session.begin()
    until(lambda: check.value)
    assert label.value == "running"
    link.unlink()


def test_what_a_browser_writes_to_our_traits_is_put_right_again(session: Session) -> None:
    session.quiet()
    before = len(session.updates())
    data = {"status": "hacked", "state": {"x": 1}, "tooltip": "mine"}
    session.widget._handle_msg({"content": {"data": {"method": "update", "state": data}}, "buffers": []})
    until(lambda: len(session.updates()) > before)
    assert session.updates()[-1] == {"status": "new"}
    assert session.widget.status == "new"
    assert session.widget.tooltip == "mine"
    echoes = [data["state"] for *_, data, _, _ in Wire.log if data.get("method") == "echo_update"]
    assert echoes == [{"tooltip": "mine"}]


# --- operations and lost messages


def connect(session: Session) -> Browser:
    return Browser(opened(Wire, session.widget)["state"], session.receive)


def deliver(session: Session, browser: Browser, skip: int) -> int:
    """Hand the messages from number `skip` on to the browser; returns how many there are."""
    messages = session.sent()
    for content, buffers in messages[skip:]:
        if content["type"] in ("ops", "snapshot", "seq"):
            browser.receive(content, buffers)
    return len(messages)


def catch_up(session: Session, browser: Browser, skip: int) -> None:
    def same() -> bool:
        nonlocal skip
        skip = deliver(session, browser, skip)
        return browser.state == session.state.snapshot() and browser.seq == session.widget.seq

    until(same, "the kernel's state in the browser")


def test_a_browser_that_gets_every_message_has_the_state(session: Session) -> None:
    browser = connect(session)
    browser.initialize()
    session.begin()
    session.update("terminal_output_chunk", terminalId="1", data="Y2Fmww==")
    session.update("tool_call_update", toolCallId="1", title="Look", content=[{"type": "terminal", "terminalId": "1"}])
    session.update("terminal_output_chunk", terminalId="1", data="qSE=")
    session.say("hello")
    catch_up(session, browser, 0)


@pytest.mark.parametrize("lost", ["the request's own", "the last one", "the first, before initialize"])
def test_a_permission_request_reaches_the_browser_whatever_was_lost(session: Session, lost: str) -> None:
    browser = connect(session)
    session.begin()
    session.say("Let me see.")
    until(lambda: session.widget._sync.idle)
    skip = 0
    if lost == "the first, before initialize":
        session.ask()
        until(lambda: not session.widget._sync._pending)
        skip = len(session.sent())
        browser.initialize()
    else:
        browser.initialize()
        catch_up(session, browser, skip)
        session.ask()
        until(lambda: not session.widget._sync._pending)
        if lost == "the last one":
            catch_up(session, browser, skip)
            session.say(" Well?")
            until(lambda: not session.widget._sync._pending)
        skip = len(session.sent())
    catch_up(session, browser, skip)
    assert browser.state["permissions"]["p:1"]["status"] == "pending"
    until(lambda: session.widget._sync.idle, "an acknowledgement that ends the reminders")


def test_what_happened_before_the_widget_was_listened_to_is_in_the_first_answer(session: Session) -> None:
    reduce(session.state, {"type": "policy", "at": 1.0, "policy": "allow"})
    browser = connect(session)
    browser.initialize()
    catch_up(session, browser, 0)
    assert browser.state["session"]["policy"] == "allow"


def test_all_messages_leave_from_the_private_thread(session: Session) -> None:
    session.begin()
    until(lambda: session.sent("ops") and session.updates())
    threads = {thread for _, kind, _, _, thread in Wire.log if kind == "comm_msg"}
    assert threads == {"acp-widget"}


def test_a_cell_that_waits_is_told_to_pages_that_are_there_and_to_those_that_come(session: Session) -> None:
    session.widget.set_wait(True, clicks=False)
    session.receive({"type": "hello", "seq": 0, "reason": "open"})
    until(lambda: len(session.sent("wait")) == 2)
    assert {content["clicks"] for content, _ in session.sent("wait")} == {False}
    session.widget.set_wait(False)
    session.widget.set_wait(False)
    session.receive({"type": "hello", "seq": 0, "reason": "open"})
    until(lambda: len(session.sent("snapshot")) == 2)
    assert [content["waiting"] for content, _ in session.sent("wait")] == [True, True, False]


# --- clicks


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ({"type": "answer", "permission": "p:1", "optionId": ""}, ("answer", "p:1", "")),
        (
            {"type": "remember", "permission": "p:1", "optionId": "y", "rule": "Edit('a')"},
            ("remember", "p:1", "y", "Edit('a')"),
        ),
        ({"type": "revoke", "rule": "Edit('a')"}, ("revoke", "Edit('a')")),
        ({"type": "dismiss", "permission": "p:1"}, ("dismiss", "p:1")),
        ({"type": "prompt", "text": "Do it", "more": 1}, ("prompt", "Do it", {})),
        ({"type": "prompt", "text": "@a", "mentions": {"a": True}}, ("prompt", "@a", {"a": True})),
        ({"type": "prompt", "again": "r:1"}, ("again", "r:1")),
        ({"type": "cancel"}, ("cancel",)),
        ({"type": "restart"}, ("restart",)),
        ({"type": "unqueue", "turn": "r:2"}, ("unqueue", "r:2")),
    ],
)
def test_a_click_is_done_on_the_private_thread_and_gets_its_result(
    session: Session, message: dict[str, Any], call: tuple[Any, ...]
) -> None:
    thread = threading.Thread(target=session.receive, args=({**message, "id": "x-1"},))  # a subshell's thread
    thread.start()
    thread.join()
    assert session.result("x-1") == {"type": "result", "id": "x-1", "ok": True, "error": None}
    assert session.actions.calls == [call]


@pytest.mark.parametrize("error", [None, AnswerRefused("Not today.")])
@pytest.mark.parametrize(
    ("message", "call"),
    [
        ({"type": "cancelCall", "call": "t:1"}, ("cancel_call", "t:1")),
        ({"type": "cancelTerminal", "terminal": "x:1"}, ("cancel_terminal", "x:1")),
        ({"type": "configure", "configId": "m", "value": "a"}, ("configure", "m", "a")),
        ({"type": "configure", "configId": "b", "value": False}, ("configure", "b", False)),
        ({"type": "login", "methodId": "web"}, ("login", "web")),
    ],
)
def test_what_is_asked_of_the_agent_gets_its_result_when_the_agent_has_answered(
    session: Session, message: dict[str, Any], call: tuple[Any, ...], error: Exception | None
) -> None:
    session.receive({**message, "id": "1"})
    until(lambda: session.actions.calls == [call])
    on_private_thread(lambda: None)
    assert session.sent("result") == []
    asked = session.actions.asked
    on_private_thread(lambda: asked.set_result(None) if error is None else asked.set_exception(error))
    result = session.result("1")
    assert (result["ok"], result["error"]) == (error is None, None if error is None else "Not today.")


def test_what_can_be_mentioned_comes_with_the_result(session: Session) -> None:
    session.receive({"type": "mention", "id": "1", "typed": None, "names": ["df"]})
    until(lambda: session.actions.calls == [("mention", None, ["df"])])
    asked, told = session.actions.asked, {"items": [], "more": "", "found": {"df": None}}
    on_private_thread(lambda: asked.set_result(told))
    assert session.result("1") == {"type": "result", "id": "1", "ok": True, "error": None, "value": told}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            AnswerRefused("The request offers no such option.", hint="Choose another."),
            "no such option. Choose another.",
        ),
        (ValueError("oh"), "ValueError: oh"),
    ],
)
def test_a_refused_click_says_why(session: Session, error: Exception, words: str) -> None:
    session.actions.error = error
    session.receive({"type": "answer", "id": "1", "permission": "p:1", "optionId": "a"})
    result = session.result("1")
    assert result["ok"] is False
    assert words in result["error"]
    assert not session.reports, "it is said where it was done"


def test_an_action_without_a_name_is_reported_as_nobody_awaits_its_answer(session: Session) -> None:
    session.receive({"type": "answer", "permission": "p:1", "optionId": "a"})
    until(lambda: session.reports)
    assert session.reports == ["The browser sent a message that cannot be read: id is no text"]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "answer", "id": "1", "permission": 5, "optionId": "a"},
        {"type": "answer", "id": "1", "permission": "p:1"},
        {"type": "answer", "id": "1", "permission": "p:" + "1" * 1000, "optionId": "a"},
        {"type": "dismiss", "id": "1", "permission": ["p:1"]},
        {"type": "prompt", "id": "1", "text": "x" * 1_000_001},
        {"type": "prompt", "id": "1", "text": None},
        {"type": "prompt", "id": "1", "again": None},
        {"type": "prompt", "id": "1", "text": "x", "mentions": ["a"]},
        {"type": "prompt", "id": "1", "text": "x", "mentions": {"a": "yes"}},
        {"type": "prompt", "id": "1", "text": "x", "mentions": {"a" * 5000: True}},
        {"type": "mention", "id": "1", "typed": 3, "names": []},
        {"type": "mention", "id": "1", "typed": "a", "names": None},
        {"type": "mention", "id": "1", "typed": "a", "names": ["a"] * 51},
        {"type": "unqueue", "id": "1", "turn": {}},
        {"type": "cancelCall", "id": "1", "call": 5},
        {"type": "cancelTerminal", "id": "1"},
        {"type": "configure", "id": "1", "configId": "m", "value": 1},
        {"type": "configure", "id": "1", "configId": None, "value": "a"},
    ],
)
def test_a_click_with_bad_fields_does_nothing_and_gets_a_refusal(session: Session, message: dict[str, Any]) -> None:
    session.receive(message)
    assert session.result("1")["ok"] is False
    assert session.actions.calls == []


@pytest.mark.parametrize(
    "message",
    [
        None,
        [],
        "hello",
        {},
        {"type": ["hello"]},
        {"type": "evil", "id": "1"},
        {"type": "hello"},
        {"type": "hello", "seq": "0"},
        {"type": "hello", "seq": True},
        {"type": "ack", "seq": 2**60},
        {"type": "ack", "seq": -5},
        {"type": "view", "view": "v", "open": 1},
        {"type": "cancel"},
        {"type": "cancel", "id": 5},
        {"type": "cancel", "id": "x" * 500},
    ],
)
def test_a_message_of_any_shape_is_ignored_with_a_report(session: Session, message: Any) -> None:
    session.receive(message)
    until(lambda: session.reports, "a report")
    assert session.sent("result") == []
    assert session.actions.calls == []
    session.receive({"type": "cancel", "id": "after"})
    assert session.result("after")["ok"]


def test_views_are_counted_and_a_closed_one_was_seen_nevertheless(session: Session) -> None:
    for view, is_open in [("v1", True), ("v1", True), ("v2", True), ("v1", False), ("v9", False)]:
        session.receive({"type": "view", "view": view, "open": is_open})
    until(lambda: session.widget.open_views == {"v2"} and session.widget.views_seen == 2)


# --- drawing


def test_the_bundle_is_anywidgets_own_with_a_line_and_a_transcript() -> None:
    session = Session(transcript=lambda state: {"text/html": f"<p>{state['version']}</p>", "text/plain": "never"})
    try:
        data, metadata = session.widget._repr_mimebundle_()
        assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == session.widget.model_id
        assert data["text/html"] == "<p>1</p>"
        assert data["text/plain"] == repr(session.widget) == "<SessionWidget 'agent', new, 0 turns>"
        assert metadata == {}
    finally:
        session.widget.close()


def test_in_colab_the_bundle_is_exactly_anywidgets_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Output:
        class _widgets:
            _installed_url = "https://example.org/manager.js"

        @staticmethod
        def enable_custom_widget_manager() -> None:
            pass

    session = Session(transcript=lambda state: {"text/html": "never"})
    try:
        monkeypatch.setitem(__import__("sys").modules, "google.colab.output", Output)
        data, metadata = session.widget._repr_mimebundle_()
        assert set(data) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
        assert "colab" in metadata["application/vnd.jupyter.widget-view+json"]
    finally:
        session.widget.close()


def test_a_line_about_the_session_says_what_a_reader_wants(session: Session) -> None:
    session.event(type="initialized", result={"protocolVersion": 2, "info": {"name": "demo", "version": "1"}})
    session.begin()
    session.ask()
    assert repr(session.widget) == "<SessionWidget 'demo', waiting, 1 turn, 1 waiting for an answer>"
    view = TurnView(session=session.widget, turn="r:1", uid="u")
    assert repr(view) == "Turn 1 with demo: its live view is a widget. The same as text stands below."
    assert view._repr_mimebundle_()[0]["text/plain"] == repr(view)
    view.close()


def test_a_turns_view_is_small_and_names_its_session(session: Session, wire: type[Wire]) -> None:
    view = TurnView(session=session.widget, turn="r:1", uid="u")
    state = opened(wire, view)
    assert state["session"] == f"anywidget:{session.widget.model_id}"
    assert (state["turn"], state["uid"], state["_esm"]) == ("r:1", "u", "/* the text\n of turn.js */\n")
    assert len(json.dumps(state)) < 1500
    session.widget.close()
    assert view.get_state("session") == {"session": state["session"]}
    view.close()


# --- the end


def test_fifty_sessions_leave_no_comm_timer_thread_or_widget(wire: type[Wire]) -> None:
    Session().widget.close()
    comms, threads = len(comm.get_comm_manager().comms), threading.active_count()
    gone = []
    for _ in range(50):
        session = Session()
        view = TurnView(session=session.widget, turn="r:1", uid="u")
        session.begin()
        session.ask()  # its reminder is a timer
        view.close()
        session.widget.close()
        session.widget.close()
        gone += [weakref.ref(session.widget), weakref.ref(view)]
        del session, view
    on_private_thread(lambda: None)
    handles = on_private_thread(lambda: [handle for handle in runtime.loop()._scheduled if not handle.cancelled()])
    assert handles == []
    assert len(comm.get_comm_manager().comms) == comms
    assert threading.active_count() == threads
    gc.collect()
    assert [reference() for reference in gone if reference() is not None] == []


def test_a_closed_widget_sends_nothing_and_takes_nothing(session: Session) -> None:
    session.widget.close()
    on_private_thread(lambda: None)
    before = len(Wire.log)
    session.begin()
    session.receive({"type": "prompt", "id": "1", "text": "x"})
    session.widget.set_wait(True)
    session.widget.refresh()
    on_private_thread(lambda: None)
    assert len(Wire.log) == before
    assert session.actions.calls == []
    assert session.widget.get_state("state")["state"]["seq"] == 0
    assert "SessionWidget" in repr(session.widget)


def test_a_widget_works_without_a_kernel(monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder) -> None:
    monkeypatch.setattr(comm, "create_comm", comm._create_comm)
    session = Session()
    session.begin()
    session.say("hello")
    session.settle()
    until(lambda: session.widget.status == "idle" and session.widget.state.get("turns"))
    session.widget.close()
    assert session.reports == []
    assert not recwarn.list


def test_a_comm_that_fails_is_reported_and_stops_nothing(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, *args: Any, **kwargs: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(Wire, "publish_msg", fail)
        session.begin()
        until(lambda: any("OSError: gone" in report for report in session.reports))
        until(lambda: session.widget._sync.idle)
    browser = connect(session)
    browser.initialize()
    catch_up(session, browser, 0)


def test_a_snapshot_is_not_waited_for_without_end(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SNAPSHOT_TIMEOUT", 0.01)
    release: concurrent.futures.Future[None] = concurrent.futures.Future()
    runtime.call(release.result, WAIT)  # somebody's handler blocks the thread
    try:
        assert session.widget.get_state("state")["state"]["seq"] == 0
    finally:
        release.set_result(None)
    assert session.reports == ["A snapshot took too long; an older one was used."]


_CELL = """
import pathlib, time
from acp_widget import runtime
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State
from acp_widget.widget import bundle
from acp_widget.widget.widget import SessionWidget
bundle.STATIC = pathlib.Path({static!r})
state = State()
widget = SessionWidget(state, None)

def event(**event):
    widget.push(reduce(state, {{"at": 1.0, **event}}).ops)
    widget.refresh()

runtime.call(lambda: event(type="sessionNew", result={{"sessionId": "s"}}))
runtime.call(lambda: event(type="promptSent", turn="r:1", prompt=[], source="python"))
runtime.call(lambda: event(type="update", update={{"sessionUpdate": "state_update", "state": "running"}}))
runtime.call(lambda: event(type="update", update={{"sessionUpdate": "state_update", "state": "idle"}}))
end = time.monotonic() + 20
while (not widget.turn_count or widget.busy or widget._unsent) and time.monotonic() < end:
    time.sleep(0.01)
widget
"""


def test_a_notebook_that_is_run_without_a_browser_is_saved_with_the_finished_turn(
    front_end: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nbclient keeps the state of comm_open and of trait updates; it sees no custom messages and says no hello."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CELL.format(static=str(front_end)))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of jupyter_client, about its own files and loops
        nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    states = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"].values()
    [saved] = [entry["state"] for entry in states if "turn_count" in entry["state"]]
    assert saved["state"]["turns"]["r:1"]["status"] == "done"
    assert saved["state"]["seq"] == saved["seq"]
    assert (saved["status"], saved["turn_count"]) == ("idle", 1)
    [output] = notebook.cells[0].outputs
    assert output["data"]["text/plain"].startswith("<SessionWidget 'agent'")
