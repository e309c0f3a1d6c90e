"""A process that starts an agent and dies in some way: `python host.py BEHAVIOUR HOW`. Prints what to look after."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from acp_widget.protocol.stdio import StdioTransport

LINES = str(Path(__file__).with_name("lines.py"))


def watchdogs() -> list[int]:
    """The processes that guard this one's agents."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if b"acp-widget-watchdog" in command and int(parent) == os.getpid():
                found.append(int(entry.name))
    return found


async def main(behaviour: list[str], how: str) -> None:
    transport = await StdioTransport.start([sys.executable, "-S", "-E", LINES, *behaviour], cwd="/")
    first = await transport.receive()
    fork = 0
    if how == "fork":
        fork = os.fork()
        if fork == 0:
            signal.pause()
    told = {"agent": transport.pid, "child": first.get("child"), "watchdogs": watchdogs(), "fork": fork}
    print(json.dumps(told), flush=True)
    if how == "exit":
        sys.exit(0)
    if how == "_exit":
        os._exit(0)
    await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1].split(), sys.argv[2]))
