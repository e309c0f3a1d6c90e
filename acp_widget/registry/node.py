"""Node.js: where it is and how old, asked only for agents that need it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
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


def find(environment: Mapping[str, str], cwd: str | None = None) -> Node | None:
    """The Node.js on PATH, asked for its version in `cwd`: wrappers choose by the folder. Blocks while it answers."""
    path = shutil.which("node", path=environment.get("PATH", ""))
    if path is None:
        return None
    process = _asked(path, environment, cwd)
    return Node(path, _answer(process) if process is not None else None)


async def ask(environment: Mapping[str, str], cwd: str) -> Node | None:
    """The same, without blocking the loop."""
    path = shutil.which("node", path=environment.get("PATH", ""))
    if path is None:
        return None
    process = _asked(path, environment, cwd)
    if process is None:
        return Node(path, None)
    # A thread of its own: the loop's default ones stay until the loop ends.
    pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="acp-node")
    try:
        return Node(path, await asyncio.get_running_loop().run_in_executor(pool, _answer, process))
    finally:
        _kill(process)  # nobody waits for it any more
        pool.shutdown(wait=False)


def _asked(path: str, environment: Mapping[str, str], cwd: str | None) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
        )
    except OSError:
        return None


def _answer(process: subprocess.Popen[bytes]) -> tuple[int, ...] | None:
    with process:
        try:
            told = process.communicate(timeout=_PATIENCE)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return None
        finally:
            _kill(process)
    numbers = re.match(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})", told.strip())
    return tuple(map(int, numbers.groups())) if numbers else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End it with what it started; `node` may be a wrapper."""
    if process.returncode is not None:
        return  # its number may be somebody else's by now
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
