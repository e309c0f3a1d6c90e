"""What the agent does with a prompt: a slash command, the failing test, or a short help."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from . import files, tools
from .fix import fix_the_test
from .odd import odd
from .turn import CAN_STOP, Turn, text_block, text_item
from .wire import INTERNAL_ERROR

Json = dict[str, Any]
Scene = Callable[[Turn, str], Awaitable[Json | None]]

_SLOW_WORDS = (
    "Counting",
    "slowly,",
    "and",
    "streaming",
    "a",
    "word",
    "at",
    "a",
    "time,",
    "until",
    "you",
    "stop",
    "me.",
)
_SLOW_BEAT = 0.1  # seconds; /slow is about time, so the pace does not change it
_SLOW_LIMIT = 60.0  # seconds

_FIX = re.compile(r"\b(tests?|testing|fix\w*|bugs?|fail\w*|mean)\b", re.IGNORECASE)
_CODE = re.compile(r"\bcode block\b", re.IGNORECASE)

_CODE_BLOCK = """\
The mean of a list, as a cell of yours:

```python
values = [1, 2, 6]
sum(values) / len(values)
```
"""

_HELP = """\
I am the demo agent: a real agent process, but without a model. What I can do, I really do.

- Ask me to **fix the failing test**, and I read, edit and run (when you allow it).
- Ask me for a **code block**, and I answer with one.
- `/edit [note]` adds a line to `NOTES.md`.
- `/run [command]` runs a command, or draws some progress bars.
- `/slow` streams until you stop it.
- `/fail [crash | garbage]` shows how failures look.
- `/odd` tests the view: it sends everything that a client may not know yet, odd and broken on purpose.
"""


def commands() -> list[Json]:
    """The slash commands, as they are advertised."""
    return [
        _command("edit", "Add a line to NOTES.md, with your permission", "the note"),
        _command(
            "run", "Run a command in a terminal, with your permission", "a command; without one, some progress bars"
        ),
        _command("slow", "Stream words and keep a tool call busy until you stop it", None),
        _command("fail", "Fail: a tool call, a command, and then the turn", "nothing, crash or garbage"),
        _command("odd", "Test the view: send everything odd, broken on purpose", None),
    ]


def _command(name: str, description: str, hint: str | None) -> Json:
    command: Json = {"type": "command", "name": name, "description": description}
    if hint is not None:
        command["input"] = {"type": "text", "hint": hint}
    return command


async def play(turn: Turn) -> Json:
    """Do what the prompt asks for; gives the fields of the idle report that ends the turn."""
    match = re.match(r"/(\w+)(?:\s+(.*))?$", turn.text, re.DOTALL)
    scene = _SCENES.get(match[1]) if match else None
    if match and scene:
        await turn.session.name(turn.text[:60])
        idle = await scene(turn, (match[2] or "").strip())
        return idle or {"stopReason": "end_turn"}
    if _CODE.search(turn.text) and not match:
        await turn.say(_CODE_BLOCK)
    elif _FIX.search(turn.text) and not match:
        await fix_the_test(turn)
    else:
        await _help(turn)
    return {"stopReason": "end_turn"}


async def _help(turn: Turn) -> None:
    others = [str(block.get("type")) for block in turn.prompt if block.get("type") != "text"]
    # Said because it is true of a demo, and because a user wants to see that the attachment arrived.
    came = (
        f"With your prompt came {len(others)} attachment(s): {', '.join(others)}. They arrived; I cannot read them.\n\n"
        if others
        else ""
    )
    await turn.say(came + _HELP)


async def _edit(turn: Turn, argument: str) -> None:
    path = turn.cwd / "NOTES.md"
    try:
        old = files.read(files.inside(turn.cwd, path))
        before = (old or b"# Notes\n\n").decode()
    except (files.Refused, OSError, UnicodeDecodeError) as error:
        await turn.say(f"I cannot read `NOTES.md`, so I leave it alone: {error}")
        return
    note = " ".join(argument.split()) or f"Note {before.count(chr(10) + '- ') + 1}, by the demo agent."
    after = before + ("" if before.endswith("\n") else "\n") + f"- {note}\n"
    edited = await tools.edit(
        turn,
        path,
        old,
        after.encode(),
        line=after.count("\n"),
        question="Create NOTES.md?" if old is None else "Edit NOTES.md?",
        reason="It adds one line.",
    )
    await turn.say(
        "I added one line to `NOTES.md`." if edited.done else f"I did not add a line to `NOTES.md`. {edited.why}"
    )


async def _run(turn: Turn, argument: str) -> None:
    argv, command = (tools.shell(argument), argument) if argument else tools.program("progress")
    ran = await tools.run(
        turn,
        argv,
        command,
        title=argument if argument else "Draw progress bars",
        question="Run this command?",
        reason="You asked for it." if argument else "It draws progress bars and changes nothing.",
    )
    await turn.say(_how_it_ended(ran))


def _how_it_ended(ran: tools.Ran) -> str:
    if ran.exit is None:
        return f"I did not run it. {ran.why}"
    if ran.stopped:
        return f"You stopped the {'command' if ran.stopped == 'call' else 'terminal'}, so I go on without it."
    if ran.exit.signal is not None:
        return f"The command was ended by `{ran.exit.signal}`."
    return f"The command ended with exit code `{ran.exit.code}`."


async def _slow(turn: Turn, _: str) -> None:
    call = await turn.call(
        title="Count slowly",
        name="count",
        kind="think",
        status="in_progress",
        rawInput={"seconds": _SLOW_LIMIT},
        capabilities=CAN_STOP,
    )
    message_id = turn.session.next_id("msg")
    stopped = asyncio.Event()
    began = time.monotonic()
    number = 1 - len(_SLOW_WORDS)  # the words first, then 1, 2, 3
    with turn.session.stoppable("call", call.id, stopped.set):
        while time.monotonic() - began < _SLOW_LIMIT and not stopped.is_set():
            word = _SLOW_WORDS[number - 1] if number <= 0 else str(number)
            await turn.send("agent_message_chunk", messageId=message_id, content=text_block(word + " "))
            number += 1
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stopped.wait(), _SLOW_BEAT)
    counted = max(0, number - 1)
    await call.update(status="cancelled" if stopped.is_set() else "completed", rawOutput={"counted": counted})
    if stopped.is_set():
        await turn.say(f"You stopped the count at {counted}. The turn goes on without it, and is over now.")


async def _fail(turn: Turn, argument: str) -> Json | None:
    special = _FAILURES.get(argument.lower())
    if special is not None:
        return await special(turn, argument)
    path = turn.cwd / "no-such-file.txt"
    call = await turn.call(
        title="Read no-such-file.txt",
        name="read_file",
        kind="read",
        status="in_progress",
        locations=[{"path": str(path)}],
        rawInput={"path": str(path)},
    )
    await turn.pause(0.2)
    try:
        path.read_bytes()
    except OSError as error:
        await call.update(status="failed", content=[text_item(str(error))], rawOutput={"error": error.strerror})
    await turn.say("That file is not there. I try a command that fails, too.")
    code = "import sys; print('one step'); sys.exit('error: the second step went wrong')"
    argv = [sys.executable, "-c", code]
    await tools.run(
        turn,
        argv,
        tools.as_typed(argv),
        title="A command that fails",
        question="Run a command that fails?",
        reason="It prints two lines, changes nothing, and ends with exit code 1.",
    )
    await turn.say("And now the turn itself fails, on purpose.")
    return {
        "stopReason": "error",
        "error": {"code": INTERNAL_ERROR, "message": "The demo agent failed, as it was asked to."},
    }


async def _crash(turn: Turn, _: str) -> Json | None:
    await turn.say("I am about to crash. ")
    turn.session.finish()
    print(
        "demo agent: crashing, as it was asked to\nRuntimeError: this is the end of stderr", file=sys.stderr, flush=True
    )
    os._exit(3)


async def _garbage(turn: Turn, _: str) -> Json | None:
    for line in (
        b"this line is no JSON\n",
        b"\xff\xfe\x00 neither is this \xc3\n",
        b"\n",
        b'{"jsonrpc": "2.0", "method": \n',
        b'"a string"\n',
        b"[]\n",
    ):
        turn.session.garbage(line)
    await turn.say("I wrote a few lines on stdout that are no messages. Everything else goes on.")
    return None


_FAILURES: dict[str, Scene] = {"crash": _crash, "garbage": _garbage}
_SCENES: dict[str, Scene] = {"edit": _edit, "run": _run, "slow": _slow, "fail": _fail, "odd": odd}
