"""No process is left behind, however ours ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.host import watchdogs
from tests.processes import alive, run, seconds_until_gone, until
from tests.test_stdio import child, told

ROOT = Path(__file__).parents[1]


def start_host(behaviour: str, how: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """A real process with a real agent, and the ids of what it started."""
    command = [sys.executable, "-m", "tests.agents.host", behaviour, how]
    host = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert host.stdout is not None
    ids = json.loads(host.stdout.readline())
    assert len(ids["watchdogs"]) == 1
    assert alive(ids["agent"])
    return host, ids


def finish(host: subprocess.Popen[str]) -> None:
    host.wait(10)
    assert host.stdout is not None
    host.stdout.close()


@pytest.mark.parametrize("behaviour", ["stubborn", "wrapper politely"])
def test_killing_our_process_with_its_group_ends_the_agents_group_and_the_watchdog_in_5_seconds(behaviour: str) -> None:
    host, ids = start_host(behaviour, "stay")
    # As Jupyter kills a kernel: the whole process group at once.
    os.killpg(host.pid, signal.SIGKILL)
    finish(host)
    seconds_until_gone([pid for pid in (ids["agent"], ids["child"], *ids["watchdogs"]) if pid], limit=5)


@pytest.mark.parametrize("how", ["exit", "_exit"])
def test_at_exit_of_the_interpreter_the_group_ends_without_close(how: str) -> None:
    host, ids = start_host("stubborn", how)
    finish(host)
    seconds_until_gone([ids["agent"], *ids["watchdogs"]], limit=5)


def test_a_forked_child_that_lives_on_does_not_keep_the_agent_alive() -> None:
    host, ids = start_host("stubborn", "fork")
    try:
        host.kill()
        seconds_until_gone([ids["agent"], *ids["watchdogs"]], limit=5)
        assert alive(ids["fork"])
    finally:
        os.kill(ids["fork"], signal.SIGKILL)
        finish(host)


def test_the_watchdog_ends_with_the_agent_it_guards() -> None:
    async def story() -> None:
        before = set(watchdogs())
        async with child("polite") as transport:
            await told(transport)
            (watchdog,) = set(watchdogs()) - before
            await transport.close()
            await until(lambda: not alive(watchdog), timeout=2)

    run(story())


def test_a_command_that_does_not_start_leaves_no_watchdog(tmp_path: Path) -> None:
    from acp_widget.errors import AgentNotFound
    from acp_widget.protocol.group import ProcessGroup
    from acp_widget.protocol.stdio import StdioTransport

    async def story() -> None:
        before = set(watchdogs())
        with pytest.raises(AgentNotFound):
            await StdioTransport.start(["sh", "a\0b"], cwd=str(tmp_path))
        with pytest.raises(FileNotFoundError):
            ProcessGroup(["/no/such/program"], cwd=str(tmp_path), env={})
        await until(lambda: not set(watchdogs()) - before, timeout=2)

    run(story())


def test_a_watchdog_that_somebody_killed_hurts_nobody() -> None:
    async def story() -> None:
        before = set(watchdogs())
        async with child("polite") as transport:
            await told(transport)
            (watchdog,) = set(watchdogs()) - before
            os.kill(watchdog, signal.SIGKILL)
            await until(lambda: not alive(watchdog))
            await transport.close()
            assert transport.returncode == 0

    run(story())
