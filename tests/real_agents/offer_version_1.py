"""Between a client and an agent that speaks both versions: offers it version 1 only, as an older client would.

python offer_version_1.py COMMAND…    changes the number in `initialize`, and passes on everything else as it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import BinaryIO


def passed_on(line: bytes) -> bytes:
    message = json.loads(line)
    if isinstance(message, dict) and message.get("method") == "initialize":
        message["params"]["protocolVersion"] = 1
        return json.dumps(message).encode() + b"\n"
    return line


def copy(source: BinaryIO, target: BinaryIO) -> None:
    try:
        for line in source:
            target.write(passed_on(line))
            target.flush()
        target.close()
    except OSError:
        pass  # the agent has ended


def main() -> int:
    agent = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
    assert agent.stdin is not None
    threading.Thread(target=copy, args=(sys.stdin.buffer, agent.stdin), daemon=True).start()
    return agent.wait()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.exit(code)
