"""``python -m acp_widget.demo``: speak ACP v2 on stdin and stdout until stdin closes."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> int:
    """Serve one client; give the exit status."""
    # -m put the working folder first in the path. It is the user's: a json.py in it must not stand in for the real one.
    if not getattr(sys.flags, "safe_path", False) and sys.path and Path(sys.path[0] or ".").resolve() == Path.cwd():
        del sys.path[0]
    import asyncio

    from .server import serve

    return asyncio.run(serve())


if __name__ == "__main__":
    status = main()
    # The thread that reads stdin may still be blocked in it; a normal exit could wait for it or complain.
    sys.stderr.flush()
    os._exit(status)
