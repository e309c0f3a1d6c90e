"""Results as data: dicts, tables, pickles, copies; read-only, live, equal where they should be."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from typing import Any

import pytest

from acp_widget import Agent, Diff, Message, NotOffered, ToolCall, Turn, Usage, WaitNotPossible
from acp_widget.export.transcript import turn_markdown

from .state_host import Host, chunk, said
from .test_results_shown import DIFF, busy, everything

NAMES = ["message", "thought", "code", "plan", "call", "diff", "file", "terminal", "permission", "turn", "usage"]


@pytest.fixture
def host() -> Host:
    return Host()


def end(host: Host, usage: Any = None) -> None:
    told = {} if usage is None else {"usage": usage}
    host.feed({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn", **told})


@pytest.mark.parametrize("name", NAMES)
def test_to_dict_is_json_and_nothing_in_it_is_shared(host: Host, name: str) -> None:
    result = everything(busy(host))[name]
    data = result.to_dict()
    assert json.loads(json.dumps(data)) == data
    for value in data.values():
        if isinstance(value, (dict, list)):
            value.clear()
    assert result.to_dict() != data or not any(isinstance(value, (dict, list)) for value in data.values())


def test_to_dict_has_the_names_of_acp_and_what_nobody_here_knows(host: Host) -> None:
    turn = host.turn()
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": {"a": 1}, "_acme": {"x": 2}})
    host.feed(chunk(b"\xff"), said("a", "hi"))
    call = turn.tool_calls[0].to_dict()
    assert (call["toolCallId"], call["rawInput"], call["_acme"], call["turn"]) == ("c", {"a": 1}, {"x": 2}, 1)
    assert "more" not in call
    assert turn.terminals[0].to_dict()["output"]["data"] == "/w=="
    whole = turn.to_dict()
    assert (whole["number"], whole["status"]) == (1, "running")
    assert [each["messageId"] for each in whole["messages"]] == ["a"]
    assert [each["toolCallId"] for each in whole["toolCalls"]] == ["c"]
    assert turn.tool_calls.to_dict() == [call]


def test_what_is_read_can_be_changed_and_changes_nothing(host: Host) -> None:
    turn = busy(host)
    before = host.reader.snapshot()
    call, request, diff = turn.tool_calls[0], turn.permissions[0], turn.diffs[0]
    call.raw["content"][0]["changes"].clear()
    call.content[0]["patch"]["text"] = "other"  # type: ignore[index]
    diff.raw["changes"].clear()
    diff.changes[0].raw["path"] = "other"  # type: ignore[index]
    request.options[0]["name"] = "other"  # type: ignore[index]
    request.subject["command"] = "other"  # type: ignore[index]
    turn.messages[-1].content[0]["text"] = "other"  # type: ignore[index]
    turn.raw["prompt"].clear()
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawOutput": {"a": [1]}})
    turn.tool_calls[0].raw_output["a"].append(2)
    assert call.raw_output == {"a": [1]}
    assert (diff.paths, turn.prompt) == (["/p/a.py"], "do it")
    after = host.reader.snapshot()
    after["toolCalls"]["t:c"]["rawOutput"] = before["toolCalls"]["t:c"]["rawOutput"]
    assert after == before


@pytest.mark.parametrize("name", ["title", "text", "status", "messages", "files", "usage", "raw", "operation"])
def test_nothing_can_be_assigned(host: Host, name: str) -> None:
    results = everything(busy(host))
    for result in (each for each in results.values() if hasattr(type(each), name)):
        with pytest.raises(AttributeError):
            setattr(result, name, "x")


@pytest.mark.parametrize("name", [*NAMES, "change", "step"])
def test_nothing_can_be_added_or_taken(host: Host, name: str) -> None:
    """A mistyped name is no new attribute, that nothing ever reads."""
    result = everything(busy(host))[name]
    with pytest.raises(AttributeError, match=r"is read-only: 'foo' cannot be set|cannot assign to field 'foo'"):
        result.foo = 1
    with pytest.raises(AttributeError, match=r"'to_dict' cannot be deleted|cannot delete field 'to_dict'"):
        del result.to_dict
    assert not hasattr(result, "foo")


def test_nothing_can_be_added_to_a_list_of_results(host: Host) -> None:
    with pytest.raises(AttributeError, match="is read-only: 'foo' cannot be set"):
        busy(host).tool_calls.foo = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_needs_no_agent_and_equals_what_it_was_made_of(host: Host, name: str) -> None:
    result = everything(busy(host))[name]
    loaded = pickle.loads(pickle.dumps(result))
    assert type(loaded) is type(result)
    assert loaded == result
    assert result == loaded
    if name not in ("diff",):
        assert hash(loaded) == hash(result)
    assert loaded.to_dict() == result.to_dict()
    assert repr(loaded) == repr(result)
    again = pickle.loads(pickle.dumps(loaded))
    assert again == loaded


def test_a_pickle_stays_as_it_was(host: Host) -> None:
    turn = busy(host)
    call = turn.tool_calls[0]
    loaded, loaded_turn = pickle.loads(pickle.dumps((call, turn)))
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}, said("a", "more"))
    assert (call.status, loaded.status) == ("completed", "in_progress")
    assert loaded != call
    assert loaded_turn != turn
    assert [terminal.text for terminal in loaded.terminals] == [terminal.text for terminal in call.terminals]
    assert loaded_turn.tool_calls["c"].diffs == call.diffs
    assert len(loaded_turn.permissions) == 1


def test_what_needs_an_agent_says_so_in_a_snapshot(host: Host) -> None:
    running = pickle.loads(pickle.dumps(busy(host)))
    with pytest.raises(WaitNotPossible, match="a snapshot of a result, without its agent"):
        running.wait()
    with pytest.raises(NotOffered, match="a snapshot"):
        running.cancel()
    with pytest.raises(NotOffered, match="a snapshot"):
        running.tool_calls[0].cancel()
    assert not running.tool_calls[0].can_cancel
    end(host)
    over = pickle.loads(pickle.dumps(Turn(host, "r:1")))  # type: ignore[arg-type]
    assert over.wait() is over


def test_a_turn_that_the_session_has_no_more_can_be_kept_too(host: Host) -> None:
    loaded = pickle.loads(pickle.dumps(Turn(host, "r:99")))  # type: ignore[arg-type]
    assert (loaded.status, loaded.done, loaded.text) == ("gone", True, "")
    assert loaded._repr_html_()


def test_a_whole_turn_travels_with_nothing_of_the_agents_process() -> None:
    with Agent("demo", permissions="allow", env={"DEMO_TOKEN": "s3cret-value"}) as agent:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.")
        data = pickle.dumps(turn)
    assert b"s3cret-value" not in data
    assert b"\x0facp_widget.demo" not in data, "the agent's command, this word alone, stays here"
    loaded = pickle.loads(data)
    assert loaded == turn
    assert loaded.text == turn.text
    assert loaded.files == turn.files
    assert [call.kind for call in loaded.tool_calls] == ["read", "edit", "execute"]
    assert "All 6 tests pass" in loaded._repr_html_()


def test_copies_are_live_and_deep_copies_are_snapshots(host: Host) -> None:
    call = busy(host).tool_calls[0]
    live, snapshot = copy.copy(call), copy.deepcopy(call)
    assert live == call == snapshot
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"})
    assert (live.status, snapshot.status) == ("completed", "in_progress")


def test_live_things_are_equal_when_they_are_the_same_thing() -> None:
    first, second = Host(), Host()
    calls = [busy(each).tool_calls[0] for each in (first, second)]
    assert calls[0] != calls[1], "of two agents, though they look the same"
    assert calls[0] == ToolCall(first.reader, "t:c", first)
    assert calls[0] != "c"
    assert len({*calls, ToolCall(first.reader, "t:c", first)}) == 2


def test_where_picks_by_what_is_asked(host: Host) -> None:
    turn = host.turn()
    kinds = [
        ("a", "read", "completed"),
        ("b", "edit", "completed"),
        ("c", "edit", "failed"),
        ("d", "delete", "completed"),
    ]
    for name, kind, status in kinds:
        host.feed({"sessionUpdate": "tool_call_update", "toolCallId": name, "kind": kind, "status": status})
    calls = turn.tool_calls
    picked = [
        calls.where(kind="edit"),
        calls.where(kind="edit", status="completed"),
        calls.where(kind=["edit", "delete"], status={"completed"}),
        calls.where(done=True, asked=False)[:1],
        calls.where(),
        calls.where(kind="none"),
    ]
    assert [[call.id for call in each] for each in picked] == [["b", "c"], ["b"], ["b", "d"], ["a"], list("abcd"), []]
    assert picked[0]["c"].status == "failed"
    for wrong in ("kinds", "_key", "cancel"):
        with pytest.raises(TypeError, match=f"ToolCall has no attribute '{wrong}'"):
            calls.where(kind="none").where(**{wrong: 1})


@pytest.mark.parametrize(
    ("call", "files"),
    [
        ({"content": [DIFF]}, [("/p/a.py", ("modify",))]),
        ({"kind": "edit", "content": [DIFF], "locations": [{"path": "/p/a.py"}]}, [("/p/a.py", ("modify",))]),
        ({"kind": "edit", "locations": [{"path": "/x"}, {"path": "/x", "line": 3}]}, [("/x", ("edit",))]),
        ({"kind": "delete", "locations": [{"path": "/x"}]}, [("/x", ("delete",))]),
        ({"kind": "read", "locations": [{"path": "/x"}]}, []),
        (
            {"content": [{"type": "diff", "changes": [{"operation": "move", "oldPath": "/a", "path": "/b"}]}]},
            [("/b", ("move",)), ("/a", ("move away",))],
        ),
        (
            {"content": [{"type": "diff", "changes": [{"operation": "copy", "oldPath": "/a", "path": "/b"}]}]},
            [("/b", ("copy",))],
        ),
        ({"content": [DIFF], "status": "failed"}, []),
        ({"content": [DIFF], "status": "cancelled"}, []),
        ({"content": [DIFF], "status": "pending"}, []),
        ({"content": [DIFF], "status": "in_progress"}, [("/p/a.py", ("modify",))]),
    ],
)
def test_the_files_of_a_turn_are_what_its_calls_changed(host: Host, call: dict[str, Any], files: Any) -> None:
    turn = host.turn()
    host.feed({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", **call})
    assert [(file.path, file.operations) for file in turn.files] == files


def test_a_file_that_was_changed_twice_is_there_once(host: Host) -> None:
    turn = host.turn()
    for name in ("c", "d"):
        host.feed({"sessionUpdate": "tool_call_update", "toolCallId": name, "status": "completed", "content": [DIFF]})
    (file,) = turn.files
    assert (file.operations, file.tool_call_ids) == (("modify", "modify"), ("c", "d"))
    assert turn.files["/p/a.py"] == file
    assert "/p/a.py" in turn.files
    with pytest.raises(KeyError, match=r"Known ids: '/p/a\.py'"):
        turn.files["/p/b.py"]


def test_lines_of_a_diff_are_counted() -> None:
    diff = Diff(DIFF)
    assert (diff.added, diff.removed, diff.operations) == (1, 1, ["modify"])
    assert Diff({"type": "diff", "changes": []}).added is None


def test_a_turn_keeps_the_usage_that_was_reported_at_its_end(host: Host) -> None:
    turn = host.turn()
    host.feed({"sessionUpdate": "state_update", "state": "running"})
    assert turn.usage is None
    end(host, {"inputTokens": 1200, "outputTokens": 80, "totalTokens": 1280, "odd": []})
    host.turn()
    host.feed({"sessionUpdate": "state_update", "state": "running"})
    usage = turn.usage
    assert usage == Usage(input_tokens=1200, output_tokens=80, total_tokens=1280)
    assert usage is not None
    assert usage.to_dict() == {"inputTokens": 1200, "outputTokens": 80, "totalTokens": 1280}
    assert repr(usage) == "<Usage 1,200 input tokens, 80 output tokens, 1,280 total tokens>"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({}, "nothing reported"),
        (
            {"used": 5, "size": 10, "cost": {"amount": 1.5, "currency": "USD"}},
            "context 5 of 10 tokens (50%), cost 1.5 USD",
        ),
        ({"used": "5", "size": True, "cost": {"amount": "1"}, "inputTokens": None}, "nothing reported"),
        ({"used": 5, "size": 0, "cost": 3}, "context 5 tokens"),
    ],
)
def test_usage_says_what_was_reported_whatever_that_is(told: dict[str, Any], words: str) -> None:
    usage = Usage.of(told)
    assert (str(usage), bool(usage)) == (words, words != "nothing reported")


def test_the_session_has_its_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions="allow") as agent:
        assert not agent.usage
        agent.run("The test for mean() fails on an empty list. Fix it.")
        assert agent.usage.context_size == 200_000
        assert 0 < (agent.usage.context_share or 0) < 1


def test_without_pandas_a_table_says_what_to_install(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    turn = busy(host)
    for results in (turn, turn.tool_calls):
        with pytest.raises(ImportError, match="pip install pandas"):
            results.to_frame()


def test_messages_and_thoughts_are_lists_too(host: Host) -> None:
    turn = busy(host)
    assert turn.messages["a"] == Message(host.reader, "a:a")
    assert turn.messages.where(role=["thought", "user"]) == turn.thoughts


def test_a_prompt_is_the_users_own_words_and_what_was_attached_stands_beside_it(host: Host) -> None:
    meta = {"acp-widget": {"name": "df", "kind": "DataFrame", "note": "20 of 90 rows"}}
    blocks = [{"type": "text", "text": "Why is `df` skewed?"}, {"type": "text", "text": "\n\ndf: …", "_meta": meta}]
    host.event("promptSent", turn="r:1", prompt=blocks, source="python")
    turn = Turn(host, "r:1")  # type: ignore[arg-type]
    assert turn.prompt == "Why is `df` skewed?"
    assert [(each.name, each.kind, each.size, each.note) for each in turn.attached] == [
        ("df", "DataFrame", 9, "20 of 90 rows")
    ]
    assert "Attached: df" in turn_markdown(host.reader.snapshot(), "r:1")
    assert pickle.loads(pickle.dumps(turn)).attached == turn.attached


def test_what_an_agent_replays_is_never_taken_for_something_that_the_user_attached(host: Host) -> None:
    meta = {"acp-widget": {"name": "secrets.env", "kind": "file"}}
    said = [{"type": "text", "text": "Hello. "}, {"type": "text", "text": "I gave you this.", "_meta": meta}]
    host.event("replayBegin", other=True)
    host.feed({"sessionUpdate": "user_message", "messageId": "u", "content": said})
    host.event("replayEnd")
    key = host.reader.keys("turns")[-1]
    turn = Turn(host, key)  # type: ignore[arg-type]
    assert turn.attached == []
    assert turn.prompt == "Hello. I gave you this."
    markdown = turn_markdown(host.reader.snapshot(), key)
    assert "Attached" not in markdown
    assert "I gave you this." in markdown
