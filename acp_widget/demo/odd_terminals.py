"""Terminals: what programs print, in chunks that cut anywhere, and how they end."""

from __future__ import annotations

from typing import Any

from .odd_samples import b64
from .turn import Turn

Json = dict[str, Any]

SCREEN: tuple[tuple[bytes, ...], ...] = (
    # Colours of each depth, and attributes.
    (
        b"".join(b"\x1b[%dm %d \x1b[0m" % (code, code) for code in (*range(30, 38), *range(90, 98))) + b"\r\n",
        b"".join(b"\x1b[48;5;%dm  " % code for code in range(16, 232, 9)) + b"\x1b[0m 256 colours\r\n",
        b"".join(b"\x1b[48;2;%d;64;%dm " % (n * 5, 255 - n * 5) for n in range(50)) + b"\x1b[0m true colour\r\n",
        b"\x1b[1mbold\x1b[0m \x1b[2mdim\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munderlined\x1b[0m \x1b[7mreverse\x1b[0m ",
        b"\x1b[9mstruck\x1b[0m \x1b[8mhidden\x1b[0m \x1b[1;31;44mall at once\x1b[0m\r\n",
    ),
    # A progress bar that draws over itself: only the last one is left.
    (*(b"\rprogress %3d%% |%-10s|" % (n * 10, b"#" * n) for n in range(11)), b"\r\n"),
    # Backspace, tabs, erasing, and going up to mend a line.
    (
        b"over\x08\x08\x08\x08type\r\na\tb\tc\r\n",
        b"this line is erased\r\x1b[2Kthis one stands in its place\r\n",
        b"waiting\r\nbelow\r\n\x1b[2A\rmended \x1b[2B\r",
    ),
    # Wide characters, and characters and escapes in two pieces.
    (
        "漢字 한글 🙂 wide, and a\u0301 combined\r\n".encode(),
        "é🙂".encode()[:1],
        "é🙂".encode()[1:4],
        "é🙂".encode()[4:] + b" in pieces\r\n",
        b"\xff\xfe not UTF-8\r\n\x1b[3",
        b"2mgreen across two chunks\x1b[0m\r\n",
    ),
    # What must not act on the page.
    (
        b"\x1b]0;a title that must not be set\x07\x1b]8;;javascript:alert(1)\x1b\\not a link\x1b]8;;\x1b\\\r\n",
        b"\x1b]8;;https://example.org\x07a link by address\x1b]8;;\x07 \x1b]52;c;cHduZWQ=\x07clipboard stays\r\n",
        b"<script>window.pwned = 1</script>\r\n",
    ),
)
"""What one terminal prints, in chunks."""


async def screen(turn: Turn) -> None:
    """One terminal with two anchors: output before any update, all that programs print, output after the exit."""
    term = turn.session.next_id("term")
    anchor = {"type": "terminal", "terminalId": term}
    call = await turn.call(
        title="A terminal that is shown twice: colours, a bar, wide characters",
        kind="execute",
        status="in_progress",
        content=[anchor],
    )
    await turn.send("terminal_output_chunk", terminalId=term, data=b64(b"output before any update\r\n"))
    await turn.send(
        "terminal_update", terminalId=term, command="odd --loud", cwd="relative/folder", size={"cols": 72, "rows": 20}
    )
    for chunks in SCREEN:
        for data in chunks:
            await turn.send("terminal_output_chunk", terminalId=term, data=b64(data))
    await turn.send("terminal_output_chunk", terminalId=term, data="")
    await turn.send("terminal_update", terminalId=term, exitStatus={})
    await turn.send("terminal_output_chunk", terminalId=term, data=b64(b"and some output after the exit\r\n"))
    await call.add(anchor)
    await call.update(status="failed", rawOutput=[])


async def endings(turn: Turn) -> None:
    """A late snapshot, an end by signal, odd exit codes, and one that ended and then did not."""
    late, code, again = (turn.session.next_id("term") for _ in range(3))
    call = await turn.call(
        title="Terminals that end by a signal, with exit code -1, and not after all",
        kind="execute",
        status="in_progress",
        content=[{"type": "terminal", "terminalId": each} for each in (late, code, again)],
    )
    await turn.send("terminal_output_chunk", terminalId=late, data=b64(b"this is replaced \xf0\x9f"))
    snapshot = {"data": b64(b"a late snapshot\r\n\x1b[35mof everything\x1b[0m\r\n"), "_meta": {"whole": True}}
    await turn.send(
        "terminal_update",
        terminalId=late,
        command=None,
        output=snapshot,
        exitStatus={"exitCode": None, "signal": "SIGXCPU"},
    )
    # Of unknown size, and wider than any.
    await turn.send("terminal_update", terminalId=code, command="wide", cwd=str(turn.cwd), size=None)
    await turn.send("terminal_output_chunk", terminalId=code, data=b64(b"wide " * 60 + b"\r\n"))
    await turn.send("terminal_update", terminalId=code, exitStatus={"exitCode": -1}, capabilities={"cancel": None})
    await turn.send("terminal_update", terminalId=again, command="again", exitStatus={"exitCode": 0})
    await turn.send("terminal_update", terminalId=again, exitStatus=None, output=None)
    await turn.send("terminal_output_chunk", terminalId=again, data=b64(b"it runs again\r\n"))
    # This agent will refuse to stop it, for it does not run.
    await turn.send("terminal_update", terminalId=again, capabilities={"cancel": {}})
    await call.update(status="completed")


async def alone(turn: Turn) -> None:
    """A terminal that no call shows, and a call that shows a terminal that is not there."""
    term = turn.session.next_id("term")
    await turn.send("terminal_update", terminalId=term, command="tail -f log", cwd=str(turn.cwd))
    await turn.send("terminal_output_chunk", terminalId=term, data=b64(b"no call shows this terminal\r\n"))
    # The id of a call and that of its terminal may be the same.
    shared = turn.session.next_id("call")
    anchor = {"type": "terminal", "terminalId": shared}
    await turn.send("terminal_output_chunk", terminalId=shared, data=b64(b"a terminal with the id of its call\r\n"))
    await turn.send(
        "tool_call_update",
        toolCallId=shared,
        title="A call and its terminal, of one id",
        kind="execute",
        status="completed",
        content=[anchor],
    )
    await turn.call(
        title="A call whose terminal never came",
        kind="execute",
        status="completed",
        content=[{"type": "terminal", "terminalId": "never_came"}],
    )
