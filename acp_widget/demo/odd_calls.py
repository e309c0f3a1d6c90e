"""Tool calls: every kind and status, odd ids, nulls, and the shapes in which agents put what goes in and comes out."""

from __future__ import annotations

from typing import Any

from .odd_samples import HOSTILE
from .turn import Turn, text_block, text_item

Json = dict[str, Any]

KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other", "_teleport")
STATUSES = ("pending", "in_progress", "paused", "completed", "failed", "cancelled", "_waiting_for_quota", "verifying")

_MCP = {
    "content": [text_block("Text in the content list of an MCP result."), {"type": "_hologram", "voxels": []}],
    "isError": False,
}
_TREE = {
    "rows": [{"id": n, "name": f"row {n}", "tags": ["a", None, {"deep": [True, 1.5e300]}]} for n in range(40)],
    "<b>": "a key that is not bold",
    "__proto__": {"polluted": True},
    "nothing": None,
}
_BY_NAME = {
    "path": "stats.py",
    "old_string": "def mean(xs):\n    return sum(xs) / len(xs)\n",
    "new_string": "def mean(xs):\n    if not xs:\n        return 0.0\n    return sum(xs) / len(xs)\n",
}

RAW: tuple[tuple[str, str, Json], ...] = (
    ("Output is a plain string", "read", {"rawInput": "stats.py", "rawOutput": "the whole output, in one string\n"}),
    (
        "Output is stdout with exit code 3",
        "execute",
        {"rawInput": {"command": ["ls", "-l"]}, "rawOutput": {"stdout": "total 0\n", "stderr": "oh\n", "exit_code": 3}},
    ),
    ("Output is an MCP content list", "fetch", {"rawInput": {"url": "https://example.org"}, "rawOutput": _MCP}),
    ("Output is a tree of 40 rows", "search", {"rawInput": {"query": "row"}, "rawOutput": _TREE}),
    ("A change that stands in the input only", "edit", {"rawInput": _BY_NAME, "rawOutput": {"success": True}}),
    ("Output is 0, input is an empty string", "other", {"rawInput": "", "rawOutput": 0}),
    (
        "The same output in content and raw output: shown once",
        "execute",
        {"content": [text_item("one and the same\n")], "rawOutput": {"output": "one and the same\n"}},
    ),
)
"""Title, kind and fields of calls that have their say in raw input and output."""


async def kinds(turn: Turn) -> None:
    """Each kind once, completed, and each status once."""
    for kind in KINDS:
        await turn.call(title=f"Kind {kind}", kind=kind, status="completed")
    for number, status in enumerate(STATUSES):
        kind = KINDS[(number * 3 + 5) % len(KINDS)]
        await turn.call(title=f"Status {status}, kind {kind}", kind=kind, status=status)


async def scarce(turn: Turn) -> None:
    """Calls of which little is known."""
    await turn.send("tool_call_update", toolCallId=turn.session.next_id("call"), name="only_a_name", status="completed")
    await turn.send("tool_call_update", toolCallId=turn.session.next_id("call"))
    await turn.send("tool_call_update", toolCallId="", title="A call whose id is empty", status="completed")
    await turn.send(
        "tool_call_update", toolCallId="__proto__", title="A call whose id is __proto__", status="completed"
    )
    chunk_first = turn.session.next_id("call")
    item = text_item("Content before the call is known.")
    await turn.send("tool_call_content_chunk", toolCallId=chunk_first, content=item)
    await turn.send("tool_call_update", toolCallId=chunk_first, title="A call whose content came first")
    await turn.send("tool_call_update", toolCallId=chunk_first, kind="switch_mode", status="completed")


async def changing(turn: Turn) -> None:
    """A call with everything odd at once, one that is cleared, one that goes back, and one that never finishes."""
    call = await turn.call(
        title="✓ Allowed once by you at 14:02:11",
        name="_provision",
        kind="_teleport",
        status="_waiting_for_quota",
        locations=[
            {"path": str(turn.cwd / "a.py"), "line": None},
            {"path": "C:\\x\\b.py", "line": 3},
            {"path": str(turn.cwd / "a.py")},
            {"path": "relative/c.py", "line": 0},
        ],
        rawInput=0,
        rawOutput=False,
        content=[{"type": "_hologram", "x": 1}, text_item(HOSTILE), {"type": "terminal", "terminalId": "never_seen"}],
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
    back = await turn.call(title="Failed, and then done all the same", kind="execute", status="failed")
    await back.add(text_item("An equal item, twice."))
    await back.add(text_item("An equal item, twice."))
    await back.update(status="in_progress")
    await back.update(status="completed")
    replaced = await turn.call(title="One line of content is left", kind="think", content=[text_item("replaced")])
    await replaced.add(text_item("replaced, too"))
    await replaced.update(content=[text_item("The one that is left.")], status="completed")
    await turn.call(
        title="A call that never finishes, and cannot be stopped, whatever it says",
        kind="execute",
        status="in_progress",
        capabilities={"cancel": {}},
    )


async def raw(turn: Turn) -> None:
    """What goes in and what comes out, in the shapes that agents use."""
    for title, kind, fields in RAW:
        await turn.call(title=title, kind=kind, status="completed", **fields)
