"""The turn as Python objects."""

from __future__ import annotations

import base64
import inspect
import itertools
from random import Random
from typing import Any

import pytest

from acp_widget import Turn
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

from .session_events import events

PATCH = "diff --git /p/a.py /p/a.py\n--- /p/a.py\n+++ /p/a.py\n@@ -1 +1 @@\n-old\n+new\n"


class Host:
    """What an Agent lends its turns, without an agent."""

    def __init__(self) -> None:
        self.reader = State()
        self.remote = self
        self.asked: list[tuple[str, str]] = []
        self._clock = itertools.count(100)

    def was_over(self, key: str) -> bool:
        return False

    def cancel_call(self, key: str) -> None:
        self.asked.append(("call", key))

    def cancel_terminal(self, key: str) -> None:
        self.asked.append(("terminal", key))

    def feed(self, *updates: dict[str, Any]) -> None:
        for update in updates:
            self.event("update", update=update)

    def event(self, kind: str, **fields: Any) -> None:
        reduce(self.reader, {"type": kind, "at": float(next(self._clock)), **fields})

    def turn(self) -> Turn:
        key = self.reader.next_turn()
        self.event("promptSent", turn=key, prompt=[{"type": "text", "text": "do it"}], source="python")
        return Turn(self, key)  # type: ignore[arg-type]


@pytest.fixture
def host() -> Host:
    return Host()


def chunk(data: bytes) -> dict[str, Any]:
    data64 = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": data64}


def snapshot(data: bytes) -> dict[str, Any]:
    data64 = base64.b64encode(data).decode()
    return {"sessionUpdate": "terminal_update", "terminalId": "t", "output": {"data": data64}}


def said(message_id: str, text: str, kind: str = "agent_message_chunk") -> dict[str, Any]:
    return {"sessionUpdate": kind, "messageId": message_id, "content": {"type": "text", "text": text}}


def test_text_is_what_the_agent_said_and_not_what_it_thought(host: Host) -> None:
    turn = host.turn()
    host.feed(said("u", "do it", "user_message_chunk"), said("h", "hm", "agent_thought_chunk"))
    host.feed(said("a", "On"), said("a", "e."), said("b", "Two."))
    assert turn.text == "One.\n\nTwo."
    assert [str(thought) for thought in turn.thoughts] == ["hm"]
    assert [message.role for message in turn.messages] == ["user", "thought", "agent", "agent"]


def test_a_turn_owns_only_what_was_first_seen_in_it(host: Host) -> None:
    first = host.turn()
    host.feed({"sessionUpdate": "state_update", "state": "running"}, said("a", "one"))
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c1"})
    host.feed({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})
    second = host.turn()
    host.feed(said("b", "two"), {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"})
    assert (first.text, second.text) == ("one", "two")
    assert first.tool_calls["c1"].done
    assert not second.tool_calls
    assert (first.done, first.stop_reason, second.done) == (True, "end_turn", False)


def test_tool_calls_are_found_by_position_id_and_slice(host: Host) -> None:
    turn = host.turn()
    for name in ("c1", "c2", ""):
        host.feed({"sessionUpdate": "tool_call_update", "toolCallId": name, "title": f"T{name}"})
    calls = turn.tool_calls
    assert [call.id for call in calls] == ["c1", "c2", ""]
    assert calls["c2"] == calls[1]
    assert calls[-1].id == ""
    assert [call.title for call in calls[:2]] == ["Tc1", "Tc2"]
    assert "c1" in calls
    assert "c9" not in calls
    with pytest.raises(KeyError, match="Known ids: 'c1', 'c2', ''"):
        calls["c9"]
    with pytest.raises(IndexError, match="the agent has made 3 of them so far"):
        calls[3]


def test_a_diff_has_changes_and_a_patch_or_none(host: Host) -> None:
    turn = host.turn()
    changes = [
        {"operation": "modify", "path": "/p/a.py", "fileType": "text"},
        {"operation": "move", "oldPath": "/p/x", "path": "/p/y"},
        {"operation": "_acme_relink", "from": "/1"},
    ]
    with_patch = {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": PATCH}}
    without = {"type": "diff", "changes": changes[:1]}
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": [with_patch, without]})
    first, second = turn.diffs
    assert first.patch == PATCH
    assert (second.patch, second.patch_format) == (None, None)
    assert first.paths == ["/p/a.py", "/p/y"]
    move = first.changes[1]
    assert (move.operation, move.old_path, move.path) == ("move", "/p/x", "/p/y")
    assert first.changes[2].raw["from"] == "/1"
    assert str(second) == "modify /p/a.py"


def test_terminal_text_is_what_a_screen_shows_and_bytes_all_of_it(host: Host) -> None:
    turn = host.turn()
    host.feed({"sessionUpdate": "terminal_update", "terminalId": "t", "command": "build"})
    host.feed(chunk(b"10%\r"), chunk(b"\x1b[3"), chunk(b"2m100%\x1b[0m \xe2\x9c"), chunk(b"\x93\n"))
    terminal = turn.terminals[0]
    assert terminal.text.rstrip("\n") == "100% ✓"
    assert terminal.bytes == b"10%\r\x1b[32m100%\x1b[0m \xe2\x9c\x93\n"
    host.feed(chunk(b"\xe2"), snapshot(b"\x93new"))
    assert terminal.text == "\ufffdnew", "half a character does not reach over a snapshot"
    assert not terminal.exited
    host.feed({"sessionUpdate": "terminal_update", "terminalId": "t", "exitStatus": {"exitCode": 0}})
    assert (terminal.exited, terminal.exit_code, terminal.signal) == (True, 0, None)


def test_a_call_lists_its_terminals_once_and_only_those_that_are_there(host: Host) -> None:
    turn = host.turn()
    anchors = [{"type": "terminal", "terminalId": name} for name in ("t", "t", "missing")]
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": anchors})
    assert list(turn.tool_calls["c"].terminals) == []
    host.feed(chunk(b"x"))
    assert [terminal.id for terminal in turn.tool_calls["c"].terminals] == ["t"]


def test_what_one_holds_stays_the_same_thing_when_a_new_agent_uses_its_id_again(host: Host) -> None:
    def work(text: str) -> tuple[Turn, Any]:
        host.event("starting", command=["x"], cwd="/", label="x", temporary=False)
        host.event("sessionNew", result={"sessionId": text})
        turn = host.turn()
        anchor = {"type": "terminal", "terminalId": "t"}
        host.feed(
            {"sessionUpdate": "state_update", "state": "running"},
            said("m", text),
            {"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": text, "content": [anchor]},
            {"sessionUpdate": "terminal_update", "terminalId": "t", "command": text},
            {"sessionUpdate": "plan_update", "plan": {"type": text, "planId": "p"}},
        )
        return turn, (turn.messages[0], turn.tool_calls[0], turn.terminals[0], turn.plan)

    def words(things: Any) -> list[str | None]:
        message, call, terminal, plan = things
        return [message.text, call.title, call.terminals[0].command, terminal.command, plan.type]

    turn, old = work("old")
    kept = set(old)
    host.event("ended", connection="closed", error=None)
    _, new = work("new")
    assert (words(old), words(new)) == (["old"] * 5, ["new"] * 5)
    assert (turn.messages[0], turn.tool_calls[0], turn.terminals[0], turn.plan) == old
    assert kept == set(old)
    assert kept.isdisjoint(new)
    assert (old[1].id, new[1].id) == ("c@1", "c")
    old[1].cancel()
    assert host.asked == [("call", "t:c@1")]


def test_a_permission_tells_its_end(host: Host) -> None:
    turn = host.turn()
    options = [
        {"optionId": "y", "name": "Yes", "kind": "allow_once"},
        {"optionId": "n", "name": "No", "kind": "reject_once"},
    ]
    host.event("request", id=0, params={"title": "Sure?", "options": options})
    [permission] = turn.permissions
    assert (permission.pending, permission.allowed, permission.by) == (True, False, None)
    host.event("respond", permission="p:1", optionId="y", by="python", why=None)
    assert (permission.pending, permission.allowed, permission.option_id, permission.by) == (False, True, "y", "python")


def test_the_newest_plan_is_the_turns(host: Host) -> None:
    turn = host.turn()
    assert turn.plan is None
    entries = [{"content": "a", "priority": "high", "status": "completed"}]
    host.feed({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}})
    assert turn.plan is not None
    assert [(entry.content, entry.status) for entry in turn.plan.entries] == [("a", "completed")]
    assert "1 of 1" in repr(turn.plan)


def test_what_was_read_does_not_change_afterwards(host: Host) -> None:
    turn = host.turn()
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": {"a": [1]}})
    before = turn.tool_calls["c"].raw
    item = {"type": "content", "content": {"type": "text", "text": "x"}}
    host.feed({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c", "content": item})
    assert before["content"] == []
    assert turn.tool_calls["c"].text == "x"


def test_an_unknown_turn_reads_as_queued_and_empty() -> None:
    assert repr(Turn(Host(), "r:8", prompt="do it")).startswith("<Turn 8: 'do it', queued")  # type: ignore[arg-type]
    turn = Turn(Host(), "r:7")  # type: ignore[arg-type]
    assert (turn.status, turn.done, turn.text, turn.prompt) == ("queued", False, "", None)
    assert list(turn.tool_calls) == []


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happened_everything_can_be_read_and_shown_in_a_line(host: Host, seed: int) -> None:
    for event in events(Random(seed), 150):
        reduce(host.reader, event)
    turns = [Turn(host, key) for key in host.reader.keys("turns")]  # type: ignore[arg-type]
    for turn in turns:
        lists = (turn.messages, turn.tool_calls, turn.terminals, turn.permissions, turn.diffs)
        for thing in (
            turn,
            turn.plan,
            *itertools.chain(*lists),
            *(change for diff in turn.diffs for change in diff.changes),
        ):
            for name, kind in inspect.getmembers(type(thing)):
                if isinstance(kind, property):
                    getattr(thing, name)
            assert repr(thing).isprintable()
    assert turns
