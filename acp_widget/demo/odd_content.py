"""Messages in odd orders, and every type of content block, in a message and in a tool call."""

from __future__ import annotations

from typing import Any

from .odd_samples import HOSTILE, PNG, REMOTE_PICTURE, WAV, b64
from .turn import Turn, text_block

Json = dict[str, Any]

_MARKDOWN = """\
### Markdown: a heading, a table, a task list, code and mathematics

| Name | Value | Right |
| :--- | :---: | ---: |
| **bold** | `code` | 1 |
| ~~gone~~ | *slanted* | 1,000 |

- [x] a task that is done
- [ ] a task that is open
  1. with a list inside

> A quotation, with a [safe link](https://example.org) in it.

```python
def mean(xs):  # code with colours
    return sum(xs) / len(xs)
```

Mathematics stays text: $e^{i\\pi} + 1 = 0$, and on its own line:

$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$
"""

_NOTES = {
    "user": {"audience": ["user"], "priority": 1},
    "assistant": {"audience": ["assistant"], "lastModified": "2026-01-12T15:00:58Z"},
    "minor": {"priority": 0.1, "lastModified": "no time at all"},
}


def _noted(text: str, notes: str) -> Json:
    return {**text_block(text), "annotations": _NOTES[notes]}


def _link(name: str, uri: str, **fields: Any) -> Json:
    return {"type": "resource_link", "name": name, "uri": uri, **fields}


def _embedded(uri: str, **fields: Any) -> Json:
    return {"type": "resource", "resource": {"uri": uri, **fields}}


BLOCKS: tuple[Json, ...] = (
    text_block(_MARKDOWN),
    text_block("\n\nA picture in data, from blue to red; then one that is none, and one that could hold a script:"),
    {"type": "image", "data": PNG, "mimeType": "image/png", "uri": REMOTE_PICTURE},
    {"type": "image", "data": b64(b"not an image"), "mimeType": "image/png"},
    {"type": "image", "data": b64(b"<svg onload='window.pwned=1'/>"), "mimeType": "image/svg+xml"},
    text_block("A picture that stands elsewhere, not to be loaded without a click:"),
    {"type": "image", "data": "", "mimeType": "image/png", "uri": REMOTE_PICTURE},
    {"type": "audio", "data": WAV, "mimeType": "audio/wav"},
    _link(
        "report.pdf",
        "https://example.org/report.pdf",
        title="The report of the year",
        description="A link with type, size and description",
        mimeType="application/pdf",
        size=2_400_000,
    ),
    _link("<i>notes</i>.txt", "javascript:window.pwned=1", size=0),
    _embedded("file:///notes.md", mimeType="text/markdown", text="# An embedded text\n\nin *markdown*\n"),
    _embedded("file:///a.bin", mimeType="application/octet-stream", blob=b64(bytes(range(256)))),
    _noted("For you, and as important as can be.", "user"),
    _noted("For the agent alone, changed in January.", "assistant"),
    _noted("Of little importance, with a time that is none.", "minor"),
    {"type": "_hologram", "voxels": [[0, 1], [1, 0]], "note": "a block of an unknown type"},
    {"type": "a_future_block", "value": None},
)
"""Every type of content block (S17), with something odd about many of them."""


async def messages(turn: Turn) -> None:
    """Chunks before their message, two by turns, a thought under the id of a message, one that is cleared."""
    first, second = turn.session.next_id("msg"), turn.session.next_id("msg")
    await turn.send("agent_message_chunk", messageId=first, content=text_block("A chunk that came first. "))
    await turn.send("agent_message_chunk", messageId=second, content=text_block("Another message, "))
    await turn.send("agent_message_chunk", messageId=first, content=text_block("Its second chunk. 🙂 é 漢字"))
    await turn.send("agent_message_chunk", messageId=second, content=text_block("between the two."))
    await turn.send(
        "agent_thought_chunk", messageId=first, content=text_block("A thought under the id of a message. " + HOSTILE)
    )
    third = turn.session.next_id("msg")
    await turn.send("agent_message_chunk", messageId=third, content=text_block("These words are cleared."))
    await turn.send("agent_message", messageId=third, content=None)
    await turn.send("agent_message", messageId=third, content=[text_block(HOSTILE)], _meta={"a": 1, "b": None})


async def blocks(turn: Turn) -> None:
    """Every type of content block, first in a message and then in a tool call."""
    message_id = turn.session.next_id("msg")
    for block in BLOCKS:
        await turn.send("agent_message_chunk", messageId=message_id, content=block)
    call = await turn.call(title="Every content block, in a tool call", kind="fetch", status="in_progress")
    for block in BLOCKS:
        await call.add({"type": "content", "content": block})
    await call.update(status="completed")
