"""The demo agent's `/odd`: every variant of what an agent may show is in it, and only what is meant to be broken is."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp_widget.demo.odd_session import BROKEN
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State
from tests.demo_client import DemoAgent, Turn, choose, option
from tests.demo_schema import is_open_to

Json = dict[str, Any]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[DemoAgent]:
    with DemoAgent(tmp_path) as agent:
        yield agent


class Played(NamedTuple):
    """A whole run of `/odd`."""

    turn: Turn

    @property
    def calls(self) -> dict[str, Json]:
        """All tool calls but the one that is broken."""
        return {call_id: call for call_id, call in self.turn.calls.items() if call_id != "broken_call"}

    @property
    def items(self) -> list[Json]:
        """The content items of all tool calls, whatever became of them."""
        return [item for part in self.parts("content") for item in (part if isinstance(part, list) else [part])]

    @property
    def blocks(self) -> list[Json]:
        """The content blocks of messages and of tool calls."""
        return [
            item["content"] if isinstance(item, dict) and isinstance(item.get("content"), dict) else item
            for item in self.items
        ]

    @property
    def changes(self) -> list[Json]:
        """The changes of all diffs."""
        return [change for item in self.items if "changes" in item for change in item["changes"]]

    @property
    def patches(self) -> list[Json]:
        """The patches of all diffs."""
        return [item["patch"] for item in self.items if item.get("patch") is not None]

    @property
    def screens(self) -> bytes:
        """What all terminals print."""
        return b"".join(terminal["bytes"] for terminal in self.turn.terminals.values())

    def parts(self, field: str) -> list[Any]:
        """A field of all updates that are not broken."""
        updates = [*self.turn.updates, *(subject.get("toolCall", {}) for subject in self.subjects)]
        return [update[field] for update in updates if update not in BROKEN and update.get(field) is not None]

    @property
    def subjects(self) -> list[Json]:
        """What the questions are about."""
        return [request["params"].get("subject") or {} for request in self.turn.requests]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """One run for all the tests that only look."""
    folder = tmp_path_factory.mktemp("odd")
    with DemoAgent(folder) as agent:
        session = agent.new()
        before = contents(folder)
        turn = agent.play(session, "/odd")
        assert contents(folder) == before, "it changes nothing"
        assert agent.play(session, "hello").stop_reason == "end_turn"
        return Played(turn)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_ends_with_a_reason_of_its_own(odd: Played) -> None:
    assert odd.turn.stop_reason == "_odd_reason"
    assert odd.turn.states[0] == "running"
    assert {"requires_action", "_warming_up", "unknown"} <= set(odd.turn.states)


VARIANTS: dict[str, tuple[Callable[[Played], list[Any]], str]] = {
    "updates": (
        lambda odd: odd.parts("sessionUpdate"),
        """user_message agent_message agent_message_chunk agent_thought_chunk tool_call_update tool_call_content_chunk
        terminal_update terminal_output_chunk state_update plan_update plan_removed available_commands_update
        config_option_update session_info_update usage_update notice compaction_update compaction_summary_chunk
        subagent_update session_message _vendor/heartbeat a_future_update""",
    ),
    "kinds": (
        lambda odd: odd.parts("kind"),
        "read edit delete move search execute think fetch switch_mode other _teleport",
    ),
    "statuses": (
        lambda odd: odd.parts("status"),
        "pending in_progress paused completed failed cancelled _waiting_for_quota verifying _dreaming",
    ),
    "items": (
        lambda odd: [item["type"] for item in odd.items],
        "content diff terminal _hologram a_future_item",
    ),
    "blocks": (
        lambda odd: [block.get("type") for block in odd.blocks],
        "text image audio resource_link resource _hologram a_future_block",
    ),
    "operations": (
        lambda odd: [change["operation"] for change in odd.changes],
        "add delete modify move copy _transmogrify _implode",
    ),
    "file types": (
        lambda odd: [change.get("fileType") for change in odd.changes],
        "text binary directory symlink _hologram",
    ),
    "patches": (lambda odd: [patch["format"] for patch in odd.patches], "git_patch _semantic_patch"),
    "subjects": (
        lambda odd: [subject.get("type", "none") for subject in odd.subjects],
        "tool_call command none _vm_snapshot",
    ),
    "options": (
        lambda odd: [one["kind"] for request in odd.turn.requests for one in request["params"]["options"]],
        "allow_once allow_always reject_once reject_always _ask_manager",
    ),
    "plans": (lambda odd: [plan["type"] for plan in odd.parts("plan")], "items markdown file _gantt"),
    "severities": (lambda odd: odd.parts("severity"), "info warning error _debug"),
    "background": (
        lambda odd: [work["type"] for list_ in odd.parts("background") if list_ != "not a list" for work in list_],
        "terminal tool_call _cron",
    ),
    "settings": (
        lambda odd: [each["type"] for options in odd.parts("configOptions") for each in options],
        "select boolean _slider",
    ),
    "commands": (
        lambda odd: [each["type"] for offered in odd.parts("availableCommands") for each in offered],
        "command _macro",
    ),
}


@pytest.mark.parametrize("what", VARIANTS)
def test_every_variant_is_in_it(odd: Played, what: str) -> None:
    find, expected = VARIANTS[what]
    missing = set(expected.split()) - set(find(odd))
    assert not missing


def test_content_has_what_a_reader_must_cope_with(odd: Played) -> None:
    markdown = " ".join(block["text"] for block in odd.blocks if block.get("type") == "text")
    for mark in ("| --- |", "- [x]", "```python", "$$", "<script>", "javascript:"):
        assert mark in markdown
    images = [block for block in odd.blocks if block.get("type") == "image"]
    heads = {base64.b64decode(image["data"])[:4] for image in images}
    assert {b"\x89PNG", b"not "} <= heads, "a picture, and one that is none"
    assert any(not image["data"] and image["uri"].startswith("http") for image in images), "one that stands elsewhere"
    assert {"text", "blob"} <= {key for block in odd.blocks for key in block.get("resource", {})}
    assert any(block.get("size") for block in odd.blocks if block.get("type") == "resource_link")
    notes = [block["annotations"] for block in odd.blocks if "annotations" in block]
    assert {"audience", "priority", "lastModified"} == {key for note in notes for key in note}
    assert ["assistant"] in [note.get("audience") for note in notes]
    twice = [block for block in odd.blocks if block == {"type": "_hologram", **block}]
    assert len(twice) >= 2, "in a message and in a tool call"


def test_calls_come_in_all_their_shapes(odd: Played) -> None:
    calls = odd.calls
    assert {"", "__proto__"} <= set(calls)
    told = [{*call} - {"toolCallId", "content", "status"} for call in calls.values()]
    assert {"name"} in told, "a name only"
    assert set() in told, "nothing at all"
    assert any(
        call["status"] == "in_progress" and "never finishes" in call["title"]
        for call in calls.values()
        if "title" in call
    )
    outputs = odd.parts("rawOutput")
    for shape in (str, dict, list, int, bool):
        assert shape in [type(output) for output in outputs]
    keys = {key for output in outputs if isinstance(output, dict) for key in output}
    assert {"stdout", "exit_code", "content"} <= keys
    inferred = [call for call in calls.values() if "old_string" in str(call.get("rawInput"))]
    assert inferred
    assert not any(item["type"] == "diff" for call in inferred for item in call["content"])


def test_diffs_fit_badly_in_every_way(odd: Played) -> None:
    diffs = [[item for item in call["content"] or [] if item["type"] == "diff"] for call in odd.calls.values()]
    assert max(len(of_call) for of_call in diffs) > 1, "two diffs of one call"
    every = [diff for of_call in diffs for diff in of_call]
    assert any(len(diff.get("changes", [])) > 1 and not diff.get("patch") for diff in every), "no patch"
    assert any(not diff.get("changes") and diff.get("patch") for diff in every), "no changes"
    texts = [patch["text"] for patch in odd.patches]
    assert any(text.count("diff --git") == 5 for text in texts), "several files"
    assert any("diff --git a/" in text for text in texts)
    assert any('diff --git "' in text for text in texts)
    assert any("Binary files" in text for text in texts)
    assert any("diff --git" not in text for text in texts), "one that cannot be read"
    named = [
        (diff, all(change.get("path", "?") in diff["patch"]["text"] for change in diff["changes"]))
        for diff in every
        if diff.get("patch")
    ]
    assert any(diff["changes"] and not fits for diff, fits in named), "one that covers less, or other files"


def test_terminals_print_what_programs_print(odd: Played) -> None:
    for code in (b"\x1b[31m", b"\x1b[48;5;", b"\x1b[48;2;", b"\x1b[7m", b"\r", b"\x08", b"\t", b"\x1b[2K", b"\x1b[2A"):
        assert code in odd.screens
    for code in (b"\x1b]0;", b"\x1b]8;;", b"\x1b]52;"):
        assert code in odd.screens, "titles, links and the clipboard"
    for text in ("漢字", "é🙂", "\u0301"):
        assert text.encode() in odd.screens
    chunks = [
        base64.b64decode(update["data"]) for update in odd.turn.of_type("terminal_output_chunk") if update not in BROKEN
    ]
    assert any(not is_utf8(chunk) for chunk in chunks), "characters are cut"
    assert any(chunk.endswith(b"\x1b[3") for chunk in chunks), "escapes are cut"
    assert b"" in chunks


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_terminals_end_in_every_way_and_are_shown_where_they_may_be(odd: Played) -> None:
    terminals = odd.turn.terminals
    exits = [terminal.get("exitStatus") for terminal in terminals.values()]
    assert {} in exits
    assert any(end and end.get("signal") for end in exits)
    assert any(end and end.get("exitCode") == -1 for end in exits)
    assert None in exits
    assert any(terminal.get("size") for terminal in terminals.values())
    assert not all(terminal.get("size") for terminal in terminals.values())
    anchors = [
        item["terminalId"]
        for call in odd.calls.values()
        for item in call["content"] or []
        if item["type"] == "terminal"
    ]
    assert len(anchors) > len(set(anchors)), "one is shown twice"
    assert set(anchors) - set(terminals), "one is not there"
    assert set(terminals) - set(anchors) - {"broken_term"}, "one is not shown"
    assert set(anchors) & set(odd.calls), "one has the id of a call"
    assert odd.turn.of_type("terminal_update")
    assert b"this is replaced" not in odd.screens, "a snapshot replaces what was there"


def test_a_plan_of_200_steps_is_replaced_and_another_removed(odd: Played) -> None:
    long = [plan["entries"] for plan in odd.turn.plans if plan.get("planId") == "odd_long"]
    assert [len(entries) for entries in long] == [200, 200]
    assert [entries[0]["status"] for entries in long] == ["in_progress", "completed"]
    removed = [update["planId"] for update in odd.turn.of_type("plan_removed")]
    assert set(removed) & {plan["planId"] for plan in odd.turn.plans if "planId" in plan}


def test_the_context_is_over_full_for_a_while(odd: Played) -> None:
    usage = [(update["used"], update["size"]) for update in odd.turn.of_type("usage_update") if update not in BROKEN]
    assert any(used > size > 0 for used, size in usage)
    assert usage[-1][0] < usage[-1][1]


def test_a_command_is_not_what_it_looks_like(odd: Played) -> None:
    commands = [subject.get("command") or "" for subject in odd.subjects]
    assert any("\u202e" in command and "\u200b" in command for command in commands)


# What is broken, and only that


def is_meant(message: Json) -> bool:
    """Whether a message breaks a rule on purpose."""
    params = message["params"]
    update = params.get("update", params)
    return (
        update in BROKEN
        or update.get("background") == "not a list"
        or params.get("title") == "Run a command that is missing?"
    )


def test_what_is_not_meant_to_break_a_rule_is_as_the_schema_has_it(odd: Played) -> None:
    told = [m for m in odd.turn.messages if m.get("method") in ("session/update", "session/request_permission")]
    bad = [message for message in told if not is_open_to(message)]
    # Older agents count lines from 0 (D12).
    surprises = [message for message in bad if not is_meant(message) and "relative/c.py" not in json.dumps(message)]
    assert surprises == []
    assert len(bad) > len(BROKEN) / 2


def test_the_reducer_takes_all_of_it_and_complains_of_nothing_else(odd: Played) -> None:
    state = State()
    session = next(m["params"]["sessionId"] for m in odd.turn.messages if "sessionId" in m.get("params", {}))
    complaints = []
    for number, message in enumerate(odd.turn.messages):
        params = message.get("params", {})
        if params.get("sessionId") != session:
            continue
        before = json.dumps(state.part("diagnostics"))
        if message["method"] == "session/update":
            reduce(state, {"type": "update", "at": float(number), "update": params["update"]})
        elif message["method"] == "session/request_permission":
            reduce(state, {"type": "request", "at": float(number), "id": message["id"], "params": params})
        if json.dumps(state.part("diagnostics")) != before:
            complaints.append(message)
    assert [message for message in complaints if not is_meant(message)] == []
    assert len(complaints) == len(BROKEN) + 2, "each of what is broken is told"
    assert not any("could not be handled" in each["message"] for each in state.part("diagnostics"))


# Its questions


def test_each_question_is_over_with_one_rejection(demo: DemoAgent) -> None:
    turn = demo.play(demo.new(), "/odd", choose("reject_once"))
    assert turn.stop_reason == "_odd_reason"
    assert len(turn.requests) == 5
    answered = [call["status"] for call in turn.calls.values() if "optionId" in str(call.get("rawOutput"))]
    assert answered == ["failed", "failed"], "nothing that was rejected is said to be done"


def test_several_questions_are_open_at_once_and_take_their_answers_in_any_order(demo: DemoAgent) -> None:
    opened: list[Json] = []
    rounds: list[int] = []

    def answer(agent: DemoAgent, request: Json) -> None:
        opened.append(request)
        if len(opened) == (3 if rounds else 2):
            rounds.append(len(opened))
            for late in reversed(opened):
                chosen = {"outcome": {"outcome": "selected", "optionId": option(late, "allow_once")}}
                agent.send({"id": late["id"], "result": chosen})
            opened.clear()

    turn = demo.play(demo.new(), "/odd", answer)
    assert rounds == [2, 3]
    assert turn.stop_reason == "_odd_reason"
    answered = [call for call in turn.calls.values() if str(call.get("rawOutput")).count('"selected"') in rounds]
    assert [call["status"] for call in answered] == ["completed", "completed"]


def test_it_can_be_stopped_and_closes_the_call_that_came_with_a_question(demo: DemoAgent) -> None:
    session = demo.new()
    turn = demo.play(session, "/odd", lambda agent, _request: agent.cancel(session))
    assert turn.stop_reason == "cancelled"
    came = next(call for call in turn.calls.values() if call.get("title") == "A call that came with its question")
    assert came["status"] == "cancelled"


def test_it_can_be_replayed(demo: DemoAgent) -> None:
    session = demo.new()
    played = demo.play(session, "/odd")
    demo.call("session/close", {"sessionId": session})
    params = {"sessionId": session, "cwd": str(demo.cwd), "replayFrom": {"type": "start"}}
    request_id = demo.request("session/resume", params)
    replayed = Turn(demo.until(lambda m: m.get("id") == request_id))
    for call_id, call in played.calls.items():
        if call_id != "broken_call":
            assert replayed.calls[call_id]["status"] == call["status"]
            assert replayed.calls[call_id]["content"] == call["content"]
    assert {each: terminal["bytes"] for each, terminal in replayed.terminals.items()} == {
        each: terminal["bytes"] for each, terminal in played.terminals.items() if each != "broken_term"
    }
