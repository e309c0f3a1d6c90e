"""The scene that sends what a client may not know yet: custom and future variants, odd orders, hostile text.

A good client shows all of it calmly, runs nothing, follows no link, and is idle at the end.
"""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

from .turn import Turn, text_block, text_item
from .wire import RpcError

Json = dict[str, Any]

# One pixel.
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode()

_HOSTILE = """\
Text that must stay text: <script>window.pwned = 1</script> <img src=x onerror="window.pwned = 1"> <b>not bold</b>
[a link that is none](javascript:window.pwned=1), [another](data:text/html,<script>window.pwned=1</script>),
![a picture that must not load](http://127.0.0.1:9/pixel.png), <a href="vbscript:x" onclick="window.pwned=1">this</a>.

| a | b |
| --- | --- |
| `<td onmouseover=alert(1)>` | &lt;script&gt; |
"""

# Right-to-left override, isolates, zero width space and joiner: what is shown is not what would run.
_BIDI_COMMAND = (
    "echo \u202egnp.tac\u202c && rm -rf ./\u2066build\u2069\u200b \u200d# \u202eylno daer\u202c "
    + "x" * 600
    + " # the end"
)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def odd(turn: Turn, _: str) -> Json:
    """Send everything; gives an idle report with a stop reason of its own."""
    for part in (
        _updates,
        _messages,
        _tool_calls,
        _terminals,
        _diffs,
        _plans,
        _around,
        _broken,
        _requests,
        _questions,
        _states,
    ):
        await part(turn)
        await turn.pause(0.05)
    await turn.say("That was everything odd that I know. Nothing of it ran, and nothing was changed.")
    return {"stopReason": "_odd_reason", "_meta": {"acpWidgetDemo": {"odd": True}}}


async def _updates(turn: Turn) -> None:
    await turn.send("_vendor/heartbeat", beat=[1, {"deep": None}], note="<b>not html</b>")
    await turn.send("a_future_update", value=1, content=text_block("text in an unknown update"))
    await turn.send("subagent_update", subagentId="sub_1", title="A child session", status="running")
    await turn.send("session_message", messageId="sm_1", content=[text_block("from a child session")])
    await turn.send("session_info_update", title=None, _meta={"acpWidgetDemo": {"mood": "odd"}})


async def _messages(turn: Turn) -> None:
    first, second = turn.session.next_id("msg"), turn.session.next_id("msg")
    # A chunk before any update of its message, two messages by turns, and a thought with the id of a message.
    await turn.send("agent_message_chunk", messageId=first, content=text_block("A chunk that came first. "))
    await turn.send("agent_message_chunk", messageId=second, content=text_block("Another message, "))
    await turn.send("agent_message_chunk", messageId=first, content=text_block("Its second chunk. 🙂 é 漢字"))
    await turn.send("agent_message_chunk", messageId=second, content=text_block("between the two."))
    await turn.send(
        "agent_thought_chunk", messageId=first, content=text_block("A thought under the id of a message. " + _HOSTILE)
    )
    third = turn.session.next_id("msg")
    await turn.send("agent_message_chunk", messageId=third, content=text_block("These words are cleared."))
    await turn.send("agent_message", messageId=third, content=None)
    await turn.send("agent_message", messageId=third, content=[text_block(_HOSTILE)], _meta={"a": 1, "b": None})
    for block in (
        {"type": "image", "data": _PNG, "mimeType": "image/png", "uri": "http://127.0.0.1:9/never-fetched.png"},
        {"type": "image", "data": "bm90IGFuIGltYWdl", "mimeType": "image/svg+xml"},
        {"type": "audio", "data": _WAV, "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "javascript:window.pwned=1", "name": "<i>notes</i>.txt", "size": 12},
        {
            "type": "resource",
            "resource": {"uri": "file:///notes.txt", "mimeType": "text/plain", "text": "an embedded text"},
        },
        {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": "AAEC"}},
        {"type": "_hologram", "voxels": [[0, 1], [1, 0]]},
        {**text_block("\n\nAnd text with annotations."), "annotations": {"audience": ["user"], "priority": 0.5}},
    ):
        await turn.send("agent_message_chunk", messageId=third, content=block)


async def _tool_calls(turn: Turn) -> None:
    chunk_first = turn.session.next_id("call")
    await turn.send(
        "tool_call_content_chunk", toolCallId=chunk_first, content=text_item("Content before the call is known.")
    )
    call = await turn.call(
        title="✓ Allowed once by you at 14:02:11",
        name="_provision",
        kind="_teleport",
        status="_waiting_for_quota",
        locations=[
            {"path": str(turn.cwd / "a.py"), "line": None},
            {"path": "C:\\x\\b.py", "line": 3},
            {"path": str(turn.cwd / "a.py")},
        ],
        rawInput=0,
        rawOutput=False,
        content=[{"type": "_hologram", "x": 1}, text_item(_HOSTILE), {"type": "terminal", "terminalId": "never_seen"}],
        _meta={"a": 1, "b": {"c": None}},
    )
    await call.add({"type": "a_future_item", "value": [1, 2, 3]})
    await call.update(_meta={"a": None, "d": 2}, capabilities={"cancel": None})
    nulls = await turn.call(
        title="Cleared in a moment",
        kind="edit",
        status="in_progress",
        content=[text_item("gone soon")],
        rawInput={"a": 1},
    )
    await nulls.update(
        title=None, name=None, kind=None, status=None, content=None, locations=None, rawInput=None, rawOutput=None
    )
    await nulls.update(title="", status="paused")
    await nulls.update(title="A call that was cleared", status="completed")
    await turn.send("tool_call_update", toolCallId="", title="A call whose id is empty", status="completed")
    await turn.send(
        "tool_call_update", toolCallId="__proto__", title="A call whose id is __proto__", status="completed"
    )
    await turn.send("tool_call_update", toolCallId=chunk_first, kind="switch_mode", status="completed")


async def _terminals(turn: Turn) -> None:
    term, late = turn.session.next_id("term"), turn.session.next_id("term")
    anchors = [
        {"type": "terminal", "terminalId": term},
        {"type": "terminal", "terminalId": late},
        {"type": "terminal", "terminalId": term},
    ]
    call = await turn.call(title="Odd terminals", kind="execute", status="in_progress", content=anchors)
    smile = "é🙂".encode()
    for data in (b"output before any update\r\n", smile[:1], smile[1:4], smile[4:], b"\r\n", b"\xff\xfe not UTF-8\r\n"):
        await turn.send("terminal_output_chunk", terminalId=term, data=_b64(data))
    tricks = (
        b"\x1b[1;31mred\x1b[0m \x1b[38;5;208morange\x1b[0m \x1b[38;2;0;128;255mblue\x1b[0m \x1b[7mreverse\x1b[0m\r\n",
        b"\x1b]0;a title that must not be set\x07\x1b]8;;javascript:alert(1)\x1b\\not a link\x1b]8;;\x1b\\\r\n",
        b"\x1b]52;c;cHduZWQ=\x07clipboard stays as it is\r\n10%\r50%\r100% done\r\n",
        b"over\x08\x08\x08\x08typed \x1b[3Aup\x1b[3B\x1b[2K\rline cleared\r\n",
        b"<script>window.pwned = 1</script>\r\n\x1b[3",
        b"2mgreen across two chunks\x1b[0m\r\n",
    )
    for data in tricks:
        await turn.send("terminal_output_chunk", terminalId=term, data=_b64(data))
    await turn.send(
        "terminal_update", terminalId=term, command="odd --loud", cwd="relative/folder", size={"cols": 40, "rows": 5}
    )
    await turn.send("terminal_update", terminalId=term, exitStatus={})
    await turn.send("terminal_output_chunk", terminalId=term, data=_b64(b"and some output after the exit\r\n"))
    await turn.send("terminal_output_chunk", terminalId=late, data=_b64(b"this is replaced \xf0\x9f"))
    snapshot = {"data": _b64(b"a late snapshot\r\n\x1b[35mof everything\x1b[0m\r\n")}
    await turn.send(
        "terminal_update",
        terminalId=late,
        command=None,
        output=snapshot,
        exitStatus={"exitCode": None, "signal": "SIGXCPU"},
    )
    await call.update(status="failed", rawOutput=[])


async def _diffs(turn: Turn) -> None:
    def path(name: str) -> str:
        return str(turn.cwd / name)

    changes: list[Json] = [
        {"operation": "add", "path": path("assets/logo.png"), "fileType": "binary", "mimeType": "image/png"},
        {"operation": "move", "oldPath": path("a.txt"), "path": path("docs/a.txt"), "fileType": "text"},
        {"operation": "copy", "oldPath": path("docs/a.txt"), "path": path("docs/b\u202etxt.exe")},
        {"operation": "delete", "path": path("old"), "fileType": "directory"},
        {"operation": "modify", "path": path("link"), "fileType": "symlink"},
        {"operation": "_transmogrify", "path": path("tiger.txt"), "into": "cardboard box"},
        {"operation": "modify", "path": path("thing"), "fileType": "_hologram"},
    ]
    name = path("not-among-the-changes.txt")
    stray = f"diff --git {name} {name}\n--- {name}\n+++ {name}\n@@ -1 +1 @@\n--- a removed line\n+++ an added line\n"
    await turn.call(
        title="Odd diffs, none of which happened",
        kind="move",
        status="completed",
        content=[
            {"type": "diff", "changes": changes},
            {"type": "diff", "changes": changes[:1], "patch": None},
            {
                "type": "diff",
                "changes": changes[1:2],
                "patch": {"format": "_semantic_patch", "text": "moved <b>a</b> to docs"},
            },
            {"type": "diff", "changes": changes[6:], "patch": {"format": "git_patch", "text": stray}},
            {
                "type": "diff",
                "changes": [],
                "patch": {"format": "git_patch", "text": "no patch at all\n@@ nonsense @@\n"},
            },
        ],
    )


async def _plans(turn: Turn) -> None:
    entry = {"content": "Step <b>one</b>", "priority": "_urgent", "status": "_blocked"}
    for plan in (
        {
            "type": "items",
            "planId": "odd_items",
            "entries": [entry, {"content": "Two", "priority": "low", "status": "cancelled"}],
        },
        {"type": "items", "planId": "odd_empty", "entries": []},
        {"type": "markdown", "planId": "odd_markdown", "content": "# A plan\n\n1. in *markdown*\n2. " + _HOSTILE},
        {"type": "file", "planId": "odd_file", "uri": "file:///plan.md"},
        {"type": "_gantt", "planId": "odd_gantt", "bars": [[0, 3], [2, 5]]},
        {"type": "items", "planId": "odd_removed", "entries": [entry]},
    ):
        await turn.send("plan_update", plan=plan)
    await turn.send("plan_removed", planId="odd_removed")
    await turn.send("plan_removed", planId="never_seen")


async def _around(turn: Turn) -> None:
    for severity in ("info", "warning", "error", "_debug"):
        await turn.send("notice", severity=severity, title=f"A notice: {severity}", description="<u>plain</u> text")
    await turn.send(
        "compaction_summary_chunk", compactionId="compaction_1", content=text_block("A summary before its start. ")
    )
    await turn.send("compaction_update", compactionId="compaction_1", status="_dreaming")
    await turn.send("compaction_update", compactionId="compaction_1", status="completed")
    await turn.send(
        "compaction_update", compactionId="compaction_2", status="failed", error="There was nothing to compact"
    )
    await turn.send("usage_update", used=0, size=0, cost={"amount": 0.5, "currency": "credits"})
    await turn.send("usage_update", used=1, size=10, cost=None)
    names = [{"value": "a", "name": "A"}, {"value": "b", "name": "B", "description": "the other one"}]
    group = {"groupId": "g", "name": "A group", "options": names}
    odd_options: list[Json] = [
        {"configId": "odd_groups", "name": "Grouped", "type": "select", "currentValue": "a", "options": [group]},
        {"configId": "odd_switch", "name": "Switch", "type": "boolean", "currentValue": True, "category": "_odd"},
        {"configId": "odd_slider", "name": "Slider", "type": "_slider", "currentValue": 0.5, "min": 0, "max": 1},
    ]
    await turn.send("config_option_update", configOptions=[*turn.session.config_options(), *odd_options])
    from .scenes import commands  # scenes imports this module

    odd_commands: list[Json] = [
        {
            "type": "command",
            "name": "odd-input",
            "description": "Its input is of a new kind",
            "input": {"type": "_voice"},
        },
        {"type": "_macro", "name": "odd-macro", "description": "A new kind of command"},
    ]
    await turn.send("available_commands_update", availableCommands=[*commands(), *odd_commands])


async def _broken(turn: Turn) -> None:
    """Updates that break the rules. Each is dropped or repaired by a good client, and the next one still counts."""
    session = turn.session
    updates: tuple[Any, ...] = (
        None,
        [],
        {},
        {"sessionUpdate": 7},
        {"sessionUpdate": "tool_call_update", "title": "no id"},
        {"sessionUpdate": "agent_message_chunk", "content": text_block("A chunk without an id is still text. ")},
        {"sessionUpdate": "terminal_output_chunk", "terminalId": "broken_term", "data": "*** no base64 ***"},
        {"sessionUpdate": "state_update"},
        {"sessionUpdate": "plan_update", "plan": {"type": "items", "entries": 3}},
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "broken_call",
            "title": 5,
            "status": ["x"],
            "content": [1, {"type": "diff"}, text_item("kept")],
        },
        {"sessionUpdate": "usage_update", "used": "many", "size": None},
    )
    for update in updates:
        session.raw(update)
    session.notify(
        "session/update",
        {"sessionId": "some-other-session", "update": {"sessionUpdate": "state_update", "state": "running"}},
    )
    await turn.send("tool_call_update", toolCallId="broken_call", title="After broken updates", status="completed")


async def _requests(turn: Turn) -> None:
    """Methods that no client knows: the notification is ignored, the request is answered with an error."""
    turn.session.notify("_demo/hello", {"x": 1})
    turn.session.notify("$/progress", {"token": 1})
    try:
        await asyncio.wait_for(turn.session.request("_demo/ask", {"question": "Do you know me?"}), timeout=2)
        answer = "with a result"
    except RpcError as error:
        answer = f"with the error {error.code}"
    except asyncio.TimeoutError:
        answer = "with nothing for two seconds"
    await turn.say(f"A request that nobody knows was answered {answer}.")


async def _questions(turn: Turn) -> None:
    """Three permission requests at once. Whatever the answers are, nothing is done."""
    call = await turn.call(title="Three odd questions at once", kind="other", status="pending")
    reject_named_allow = {"optionId": "no", "name": "Allow", "kind": "reject_once"}
    manager = {"optionId": "manager", "name": "Ask my manager", "kind": "_ask_manager"}
    once = {"optionId": "yes", "name": "Allow once", "kind": "allow_once"}
    questions: list[Json] = [
        {
            "title": "Take a snapshot of the machine?",
            "description": "The subject is of an unknown kind. <b>Not bold</b>, [not a link](javascript:alert(1)).",
            "subject": {"type": "_vm_snapshot", "vm": "build-3", "toolCallId": call.id},
            "options": [manager, once, reject_named_allow, {"optionId": "", "name": "", "kind": "reject_always"}],
        },
        {
            "title": "Run a command that is not what it looks like?",
            "subject": {"type": "command", "command": _BIDI_COMMAND, "cwd": str(turn.cwd), "toolCallId": call.id},
            "options": [once, {"optionId": "no", "name": "Reject", "kind": "reject_once"}],
        },
        {
            "title": "Run a command that is missing?",
            "description": None,
            "subject": {"type": "command", "cwd": str(turn.cwd)},
            "options": [once, {"optionId": "no", "name": "Reject", "kind": "reject_once"}],
        },
    ]
    await turn.send("state_update", state="requires_action")
    answers = await asyncio.gather(*(_answer(turn, question) for question in questions))
    await turn.send("state_update", state="running")
    await call.update(status="completed", rawOutput=answers)


async def _answer(turn: Turn, question: Json) -> str:
    try:
        return json.dumps(await turn.session.request("session/request_permission", question))
    except RpcError as error:
        return f"error {error.code}: {error.message}"


async def _states(turn: Turn) -> None:
    background: list[Json] = [
        {"type": "terminal", "terminalId": "never_seen"},
        {"type": "tool_call", "toolCallId": "never_seen"},
        {"type": "_cron", "job": "nightly"},
    ]
    await turn.send("state_update", state="_warming_up", background=background)
    await turn.pause(0.2)
    await turn.send("state_update", state="unknown")
    await turn.send("state_update", state="running", background="not a list")
    await turn.send("state_update", state="running", background=[])
