"""Node.js: where it is and how old, asked only for agents that need it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

_PATIENCE = 10.0  # seconds that `node --version` may take


@dataclass(frozen=True)
class Node:
    """A Node.js: the path of its program and its version, or None when it did not tell.

    >>> Node("/usr/bin/node", (20, 20, 2)).major
    20
    """

    path: str
    version: tuple[int, ...] | None

    @property
    def major(self) -> int | None:
        """The first number of its version."""
        return self.version[0] if self.version else None

    def __str__(self) -> str:
        version = ".".join(map(str, self.version)) if self.version else "of unknown version"
        return f"{version} ({self.path})"


def find(environment: Mapping[str, str]) -> Node | None:
    """The Node.js on PATH, asked for its version. Blocks while it answers."""
    path = shutil.which("node", path=environment.get("PATH", ""))
    if path is None:
        return None
    try:
        told = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(environment),
            timeout=_PATIENCE,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        return Node(path, None)
    numbers = re.match(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})", told.strip())
    return Node(path, tuple(map(int, numbers.groups())) if numbers else None)


async def ask(environment: Mapping[str, str]) -> Node | None:
    """The same, without blocking the loop."""
    # A thread of its own: the loop's default ones stay until the loop ends.
    pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="acp-node")
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, find, environment)
    finally:
        pool.shutdown(wait=False)
