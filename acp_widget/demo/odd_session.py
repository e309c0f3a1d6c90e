"""What stands around messages and calls: unknown and broken updates, plans, notices, usage, settings, states."""

from __future__ import annotations

from typing import Any

from .odd_samples import HOSTILE
from .turn import Turn, text_block, text_item

Json = dict[str, Any]


async def updates(turn: Turn) -> None:
    """Updates of unknown types, and one that clears the title."""
    await turn.send("_vendor/heartbeat", beat=[1, {"deep": None}], note="<b>not html</b>")
    await turn.send("a_future_update", value=1, content=text_block("text in an unknown update"))
    await turn.send("subagent_update", subagentId="sub_1", title="A child session", status="running")
    await turn.send("session_message", messageId="sm_1", content=[text_block("from a child session")])
    await turn.send("session_info_update", title=None, _meta={"acpWidgetDemo": {"mood": "odd"}})


def _entry(number: int, done: int) -> Json:
    status = "completed" if number < done else "in_progress" if number == done else "pending"
    priority = ("high", "medium", "low")[number % 3]
    return {"content": f"Step {number + 1} of 200", "priority": priority, "status": status}


async def plans(turn: Turn) -> None:
    """A long one that is replaced, one that is removed, an empty one, and those of other and unknown types."""
    for done in (0, 150):
        entries = [_entry(number, done) for number in range(200)]
        await turn.send("plan_update", plan={"type": "items", "planId": "odd_long", "entries": entries})
    entry = {"content": "Step <b>one</b>", "priority": "_urgent", "status": "_blocked"}
    two = {"content": "Two", "priority": "low", "status": "cancelled"}
    for plan in (
        {"type": "items", "planId": "odd_items", "entries": [entry, two]},
        {"type": "items", "planId": "odd_empty", "entries": []},
        {"type": "markdown", "planId": "odd_markdown", "content": "# A plan\n\n1. in *markdown*\n2. " + HOSTILE},
        {"type": "file", "planId": "odd_file", "uri": "file:///plan.md"},
        {"type": "_gantt", "planId": "odd_gantt", "bars": [[0, 3], [2, 5]]},
        {"type": "items", "planId": "odd_removed", "entries": [entry]},
    ):
        await turn.send("plan_update", plan=plan)
    await turn.send("plan_removed", planId="odd_removed")
    await turn.send("plan_removed", planId="never_seen")


async def notices(turn: Turn) -> None:
    """Every severity, compactions, and how full the context is."""
    for severity in ("info", "warning", "error", "_debug"):
        await turn.send("notice", severity=severity, title=f"A notice: {severity}", description="<u>plain</u> text")
    await turn.send(
        "compaction_summary_chunk", compactionId="compaction_1", content=text_block("A summary before its start. ")
    )
    for status in ("_dreaming", "in_progress", "completed"):
        await turn.send("compaction_update", compactionId="compaction_1", status=status)
    await turn.send(
        "compaction_update", compactionId="compaction_2", status="failed", error="There was nothing to compact"
    )
    await turn.send("compaction_update", compactionId="compaction_3", status="cancelled", summary=None)
    await turn.send("usage_update", used=0, size=0, cost={"amount": 0.5, "currency": "credits"})
    await turn.send("usage_update", used=1, size=10, cost=None)
    await turn.send("usage_update", used=260_000, size=200_000, cost={"amount": 12.3456, "currency": "EUR"})


async def offers(turn: Turn) -> None:
    """Settings and commands of unknown types."""
    names = [{"value": "a", "name": "A"}, {"value": "b", "name": "B", "description": "the other one"}]
    group = {"groupId": "g", "name": "A group", "options": names}
    odd_options: list[Json] = [
        {"configId": "odd_groups", "name": "Grouped", "type": "select", "currentValue": "a", "options": [group]},
        {"configId": "odd_switch", "name": "Switch", "type": "boolean", "currentValue": True, "category": "_odd"},
        {"configId": "odd_slider", "name": "Slider", "type": "_slider", "currentValue": 0.5, "min": 0, "max": 1},
    ]
    await turn.send("config_option_update", configOptions=[*turn.session.config_options(), *odd_options])
    from .scenes import commands  # scenes imports odd, and odd this module

    voice = {"type": "_voice"}
    odd_commands: list[Json] = [
        {"type": "command", "name": "odd-input", "description": "Its input is of a new kind", "input": voice},
        {"type": "_macro", "name": "odd-macro", "description": "A new kind of command"},
    ]
    await turn.send("available_commands_update", availableCommands=[*commands(), *odd_commands])


def _blocks_as_items(*blocks: Any) -> list[Json]:
    return [{"type": "content", "content": block} for block in blocks]


BROKEN: tuple[Any, ...] = (
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
        "content": [
            1,
            {"type": "diff"},
            {"type": "diff", "changes": [{"operation": "move", "path": "/only/one"}, 7], "patch": "text"},
            *_blocks_as_items(
                {"type": "text"},
                {"type": "image", "data": 3},
                {"type": "resource", "resource": {"uri": "file:///nothing"}},
                {**text_block("A block whose annotations cannot be read."), "annotations": 1},
            ),
            text_item("kept"),
        ],
    },
    {"sessionUpdate": "usage_update", "used": "many", "size": None},
)
"""Updates that break the rules."""


async def broken(turn: Turn) -> None:
    """Each is dropped or repaired by a good client, and the next one still counts."""
    session = turn.session
    for update in BROKEN:
        session.raw(update)
    session.notify(
        "session/update",
        {"sessionId": "some-other-session", "update": {"sessionUpdate": "state_update", "state": "running"}},
    )
    await turn.send("tool_call_update", toolCallId="broken_call", title="After broken updates", status="completed")


BACKGROUND: tuple[Json, ...] = (
    {"type": "terminal", "terminalId": "never_seen"},
    {"type": "tool_call", "toolCallId": "never_seen"},
    {"type": "_cron", "job": "nightly"},
)


async def states(turn: Turn) -> None:
    """An unknown state, the one called unknown, and work in the background."""
    await turn.send("state_update", state="_warming_up", background=list(BACKGROUND))
    await turn.pause(0.2)
    await turn.send("state_update", state="unknown")
    await turn.send("state_update", state="running", background="not a list")
    await turn.send("state_update", state="running", background=[])
