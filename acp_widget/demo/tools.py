"""The agent's tools: read, edit, run. Each shows itself as a tool call; edit and run ask first."""

from __future__ import annotations

import asyncio
import base64
import importlib.machinery
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import files
from .terminal import COLS, ROWS, Command, Exit
from .turn import CAN_STOP, Turn, text_item

Json = dict[str, Any]

_KEPT = 65536  # bytes of output that `Ran` keeps, from the end


async def show_files(turn: Turn, title: str, places: Sequence[tuple[Path, int]], texts: Sequence[str]) -> None:
    """A finished `read` call for files that were read: where, and what stands there."""
    locations = [{"path": str(path), "line": line} for path, line in places]
    call = await turn.call(
        title=title,
        name="read_file",
        kind="read",
        status="in_progress",
        locations=locations,
        rawInput={"files": locations},
    )
    await turn.pause(0.1)
    content = [text_item(f"```python\n{text.rstrip()}\n```") for text in texts]
    await call.update(status="completed", content=content, rawOutput={"characters": sum(map(len, texts))})


@dataclass(frozen=True)
class Edited:
    """What came of an edit: `done`, or `why` not."""

    done: bool
    why: str = ""


async def edit(
    turn: Turn, path: Path, old: bytes | None, new: bytes, *, line: int, question: str, reason: str
) -> Edited:
    """Ask to change a file from `old` (None: it does not exist) to `new`, and do it when that is allowed.

    Raises `Dismissed`.
    """
    verb = "Create" if old is None else "Edit"
    added, removed = files.counts(old, new)
    call = await turn.call(
        title=f"{verb} {path.name}",
        name="edit_file",
        kind="edit",
        locations=[{"path": str(path), "line": line}],
        rawInput={"path": str(path), "linesAdded": added, "linesRemoved": removed},
    )
    change = files.diff(path, old, new)
    # The diff comes with the question, as part of its subject. Where no question is asked it comes as an update.
    if turn.remembered("edit"):
        await call.update(content=[change])
    decision = await turn.ask(
        "edit",
        title=question,
        description=reason,
        subject={"type": "tool_call", "toolCall": {"toolCallId": call.id, "status": "pending", "content": [change]}},
    )
    if not decision.allowed:
        await call.add(text_item(f"Not done. {decision.why}"))
        await call.update(status="failed")
        return Edited(False, decision.why)
    await call.update(status="in_progress")
    await turn.pause(0.3)
    try:
        files.write(files.inside(turn.cwd, path), old, new)
    except (files.Refused, OSError) as error:
        await call.add(text_item(str(error)))
        await call.update(status="failed")
        return Edited(False, str(error))
    await call.update(status="completed", rawOutput={"bytesWritten": len(new)})
    return Edited(True)


@dataclass(frozen=True)
class Ran:
    """What came of a command: its `exit` and the end of its output, or `why` it did not run.

    `stopped`: by the user, who stopped the `call` or the `terminal` alone; empty when it ended by itself.
    """

    exit: Exit | None
    text: str = ""
    why: str = ""
    stopped: str = ""

    @property
    def passed(self) -> bool:
        """Whether it ran and ended with 0."""
        return self.exit is not None and self.exit.code == 0


async def run(turn: Turn, argv: Sequence[str], command: str, *, title: str, question: str, reason: str) -> Ran:
    """Ask to run `argv`, which reads `command` for people, and run it in a terminal when that is allowed.

    Raises `Dismissed`.
    """
    terminal_id = turn.session.next_id("term")
    cwd = str(turn.cwd)
    call = await turn.call(title=title, name="run_command", kind="execute", rawInput={"command": command, "cwd": cwd})
    subject = {"type": "command", "command": command, "cwd": cwd, "toolCallId": call.id, "terminalId": terminal_id}
    decision = await turn.ask("execute", title=question, description=reason, subject=subject)
    if not decision.allowed:
        await call.update(status="failed", content=[text_item(f"Not run. {decision.why}")])
        return Ran(None, why=decision.why)
    output = bytearray()

    async def begin() -> None:
        await turn.send(
            "terminal_update",
            terminalId=terminal_id,
            command=command,
            cwd=cwd,
            size={"cols": COLS, "rows": ROWS},
            capabilities=CAN_STOP,
        )
        anchor = {"type": "terminal", "terminalId": terminal_id}
        await call.update(status="in_progress", content=[anchor], capabilities=CAN_STOP)

    async def end(**status: Any) -> None:
        await turn.send("terminal_update", terminalId=terminal_id, exitStatus=status, capabilities=None)

    async def show(data: bytes) -> None:
        output.extend(data)
        del output[:-_KEPT]
        await turn.send("terminal_output_chunk", terminalId=terminal_id, data=base64.b64encode(data).decode())

    process = Command(argv, turn.cwd)
    stopping = _Stopping(process)
    try:
        with (
            turn.session.stoppable("call", call.id, lambda: stopping.begin("call")),
            turn.session.stoppable("terminal", terminal_id, lambda: stopping.begin("terminal")),
        ):
            await begin()  # a client may stop it as soon as it sees that it can
            ended = await process.run(show)
    except OSError as error:
        await call.add(text_item(f"It did not start: {error}"))
        await end()
        await call.update(status="failed")
        return Ran(None, why=f"It did not start: {error}")
    except asyncio.CancelledError:
        await end(**_status(await process.stop() or Exit(None)))
        raise
    await end(**_status(ended))
    status = "cancelled" if stopping.what == "call" else "completed" if ended.code == 0 else "failed"
    await call.update(status=status, rawOutput=_status(ended))
    return Ran(ended, _plain(bytes(output)), stopped=stopping.what)


class _Stopping:
    """The end of a command because the user stopped its call or its terminal: `what` says which."""

    def __init__(self, process: Command) -> None:
        self._process = process
        self._task: asyncio.Task[Exit | None] | None = None
        self.what = ""

    def begin(self, what: str) -> None:
        """End the command soon."""
        if self._task is None:
            self.what = what
            self._task = asyncio.ensure_future(self._process.stop())


def _status(ended: Exit) -> Json:
    return {"exitCode": ended.code, "signal": ended.signal}


def _plain(output: bytes) -> str:
    """Terminal output without colours and carriage returns, for reading numbers out of it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode("utf-8", "replace")).replace("\r\n", "\n")


def shell(command: str) -> list[str]:
    """The argument list that runs a line of the user's shell."""
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c", command]
    return ["/bin/sh", "-c", command]


def program(name: str) -> tuple[list[str], str]:
    """One of the demo's own programs, as an argument list and as a person would type it."""
    module = f"{__package__}.{name}"
    # By its module name where a fresh interpreter in another folder finds it, else (a checkout that is not installed)
    # by its file.
    found = importlib.machinery.PathFinder.find_spec(__package__.partition(".")[0])
    wanders = any(
        not Path(entry).is_absolute() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry
    )
    by_name = found is not None and not wanders
    argv = [sys.executable, *(["-m", module] if by_name else [str(Path(__file__).with_name(f"{name}.py"))])]
    return argv, as_typed(argv)


def as_typed(argv: Sequence[str]) -> str:
    """An argument list as a person would type it."""
    return subprocess.list2cmdline(argv) if os.name == "nt" else shlex.join(argv)
