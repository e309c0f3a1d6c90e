"""Questions: permission requests with every subject, several at once, and requests that no client knows."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from .files import git_patch
from .turn import Call, Turn, text_item
from .wire import RpcError

Json = dict[str, Any]

# Right-to-left override, isolates, zero width space and joiner: what is shown is not what would run.
_BIDI_COMMAND = (
    "echo \u202egnp.tac\u202c && rm -rf ./\u2066build\u2069\u200b \u200d# \u202eylno daer\u202c "
    + "x" * 600
    + " # the end"
)

_ONCE = {"optionId": "yes", "name": "Allow once", "kind": "allow_once"}
_NO = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
_NAMED_ALLOW = {"optionId": "no", "name": "Allow", "kind": "reject_once"}
_MANAGER = {"optionId": "manager", "name": "Ask my manager", "kind": "_ask_manager"}
_NAMELESS = {"optionId": "", "name": "", "kind": "reject_always"}
_ALWAYS = {"optionId": "always", "name": "Always", "kind": "allow_always"}


async def requests(turn: Turn) -> None:
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


async def two(turn: Turn) -> None:
    """Two at once: about a tool call that comes with the question, and about nothing."""
    call = Call(turn, turn.session.next_id("call"))
    path = turn.cwd / "stats.py"
    patch = git_patch(path, b"an old line\n", b"a new line\n")
    tool_call = {
        "toolCallId": call.id,
        "title": "A call that came with its question",
        "kind": "edit",
        "status": "pending",
        "locations": [{"path": str(path), "line": 1}],
        "content": [
            {
                "type": "diff",
                "changes": [{"operation": "modify", "path": str(path), "fileType": "text"}],
                "patch": {"format": "git_patch", "text": patch},
            }
        ],
    }
    await _ask(
        turn,
        call,
        {
            "title": "Two at once, the first: change a line? (It will not be changed.)",
            "description": "The subject is a tool call: its diff belongs to the question.",
            "subject": {"type": "tool_call", "toolCall": tool_call},
            "options": [_ONCE, _ALWAYS, _NO],
        },
        {
            "title": "Two at once, the second: a question about nothing?",
            "subject": None,
            "options": [_ONCE, _NO],
        },
    )


async def three(turn: Turn) -> None:
    """Three at once, hard to read. Whatever the answers are, nothing is done."""
    call = await turn.call(title="Three odd questions at once", kind="other", status="pending")
    await _ask(
        turn,
        call,
        {
            "title": "Take a snapshot of the machine?",
            "description": "The subject is of an unknown kind. <b>Not bold</b>, [not a link](javascript:alert(1)).",
            "subject": {"type": "_vm_snapshot", "vm": "build-3", "toolCallId": call.id},
            "options": [_MANAGER, _ONCE, _NAMED_ALLOW, _NAMELESS],
        },
        {
            "title": "Run a command that is not what it looks like?",
            "subject": {"type": "command", "command": _BIDI_COMMAND, "cwd": str(turn.cwd), "toolCallId": call.id},
            "options": [_ONCE, _NO],
        },
        {
            "title": "Run a command that is missing?",
            "description": None,
            "subject": {"type": "command", "cwd": str(turn.cwd)},
            "options": [_ONCE, _NO],
        },
    )


async def _ask(turn: Turn, call: Call, *questions: Json) -> None:
    """Ask all of it at once, and put the answers into the call."""
    await turn.send("state_update", state="requires_action")
    try:
        answers = await asyncio.gather(*(_answer(turn, question) for question in questions))
    except asyncio.CancelledError:
        await call.update(status="cancelled")
        raise
    await turn.send("state_update", state="running")
    allowed = all('"yes"' in answer or '"always"' in answer for answer in answers)
    told = [f"- {question['title']} `{answer}`" for question, answer in zip(questions, answers, strict=True)]
    await call.add(text_item("\n".join(told)))
    await call.update(status="completed" if allowed else "failed", rawOutput=answers)


async def _answer(turn: Turn, question: Json) -> str:
    try:
        return json.dumps(await turn.session.request("session/request_permission", question))
    except RpcError as error:
        return f"error {error.code}: {error.message}"
