"""Commands for an agent: odd and hostile requests, much output, several at once, and that all of them end."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget.errors import RequestError
from acp_widget.host import command as commands
from acp_widget.host import terminals as limits
from acp_widget.host.command import Tail
from acp_widget.host.roots import Roots
from acp_widget.host.terminals import Terminals

from .processes import alive, run, until

Json = dict[str, Any]


class Host:
    """The terminals of one session, and what they showed."""

    def __init__(self, folder: Path) -> None:
        self.updates: list[Json] = []
        self.terminals = Terminals(
            Roots([str(folder)]), lambda event: self.updates.append(event["update"]), env=dict(os.environ)
        )

    async def begin(self, command: str, *args: str, **params: Any) -> Json:
        made = await self.terminals.create({"command": command, "args": list(args), **params})
        return {"terminalId": made["terminalId"]}

    async def sh(self, script: str, **params: Any) -> Json:
        return await self.begin("sh", "-c", script, **params)

    async def over(self, terminal: Json) -> Json:
        await self.terminals.wait_for_exit(terminal)
        return await self.terminals.output(terminal)

    def shown(self, terminal: Json) -> bytes:
        mine = [each for each in self.updates if each["terminalId"] == terminal["terminalId"]]
        return b"".join(base64.b64decode(each["data"]) for each in mine if "data" in each)

    def pid(self, terminal: Json) -> int:
        return self.terminals._held[terminal["terminalId"]].pid


@contextlib.asynccontextmanager
async def host(folder: Path) -> AsyncIterator[Host]:
    one = Host(folder)
    try:
        yield one
    finally:
        await one.terminals.close()


# --- what is asked -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"command": None},
        {"command": ""},
        {"command": "  "},
        {"command": ["ls"]},
        {"command": "no-such-program"},
        {"command": "./no-such-program", "args": ["x"]},
        {"command": "sh", "args": "-c"},
        {"command": "sh", "args": ["-c", 5]},
        {"command": "sh", "args": ["a\0b"]},
        {"command": "s\0h"},
        {"command": "sh", "args": ["\ud800"]},
        {"command": "true", "env": {"A": "b"}},
        {"command": "true", "env": ["A=b"]},
        {"command": "true", "env": [{"name": "A"}]},
        {"command": "true", "env": [{"name": "", "value": "b"}]},
        {"command": "true", "env": [{"name": "A=B", "value": "b"}]},
        {"command": "true", "env": [{"name": "A", "value": "b\0"}]},
        {"command": "true", "cwd": ".."},
        {"command": "true", "cwd": "/"},
        {"command": "true", "cwd": "missing"},
        {"command": "true", "cwd": "file"},
        {"command": "true", "cwd": "out"},
        {"command": "true", "cwd": 5},
        {"command": "true", "outputByteLimit": -1},
        {"command": "true", "outputByteLimit": True},
        {"command": "true", "outputByteLimit": "5"},
    ],
)
def test_what_cannot_be_run_is_refused_and_shown_nowhere(tmp_path: Path, params: Json) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "file").touch()
    (project / "out").symlink_to(tmp_path)

    async def story() -> None:
        async with host(project) as one:
            with pytest.raises(RequestError) as refused:
                await one.terminals.create(params)
            assert refused.value.code in (-32602, -32002)
            assert one.updates == []
            assert one.terminals._held == {}

    run(story())


@pytest.mark.parametrize("terminal_id", [None, "", "terminal-1", 5, [], {}])
def test_an_unknown_terminal_is_told(tmp_path: Path, terminal_id: Any) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            for method in ("output", "wait_for_exit", "kill", "release"):
                with pytest.raises(RequestError, match="no terminal") as refused:
                    await getattr(one.terminals, method)({"terminalId": terminal_id})
                assert refused.value.code == -32002

    run(story())


def test_a_terminal_of_another_session_is_unknown(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one, host(tmp_path) as other:
            terminal = await one.sh("echo secret; sleep 1000")
            for method in ("output", "wait_for_exit", "kill", "release"):
                with pytest.raises(RequestError, match="no terminal"):
                    await getattr(other.terminals, method)(terminal)
            assert alive(one.pid(terminal))

    run(story())


def test_the_environment_and_the_folder_are_as_asked(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()

    async def story() -> None:
        async with host(tmp_path) as one:
            env = [{"name": "GIVEN", "value": "a b"}, {"name": "EMPTY", "value": ""}]
            terminal = await one.sh('pwd; echo "$GIVEN|$EMPTY|${PATH:+path}"', env=env, cwd="in")
            assert (await one.over(terminal))["output"] == f"{tmp_path / 'in'}\na b||path\n"

    run(story())


def test_a_whole_line_is_given_to_the_shell_and_shown_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            terminal = await one.begin("echo one two | tr a-z A-Z")
            assert (await one.over(terminal))["output"] == "ONE TWO\n"
            assert one.updates[0]["command"] == "/bin/sh -c 'echo one two | tr a-z A-Z'"

    run(story())


def test_nobody_types(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            assert (await one.over(await one.begin("cat")))["exitStatus"] == {"exitCode": 0, "signal": None}

    run(story())


def test_only_so_many_are_held_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST", 2)

    async def story() -> None:
        async with host(tmp_path) as one:
            first, _ = await one.begin("true"), await one.begin("true")
            with pytest.raises(RequestError, match="terminal/release"):
                await one.begin("true")
            await one.terminals.release(first)
            await one.begin("true")

    run(story())


# --- output --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "limit", "text"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "bcd"),
        ("aé", 2, "é"),
        ("aé", 1, ""),
        ("a🙂b", 4, "b"),
        ("a🙂b", 5, "🙂b"),
        ("abc", 0, ""),
    ],
)
@pytest.mark.parametrize("pieces", ["whole", "byte by byte"])
def test_the_end_is_kept_from_a_characters_border_on(said: str, limit: int, text: str, pieces: str) -> None:
    data = said.encode()
    tail = Tail(limit)
    for piece in [data] if pieces == "whole" else [bytes([byte]) for byte in data]:
        tail.add(piece)
    assert (tail.text(), tail.truncated) == (text, len(data) > limit)


def test_what_is_no_text_never_takes_more_than_the_limit() -> None:
    tail = Tail(10)
    tail.add(b"\xff" * 10)
    assert tail.text() == "\ufffd" * 3
    assert tail.truncated


def test_a_character_that_is_being_written_waits_for_its_end() -> None:
    tail = Tail(100)
    tail.add("é".encode()[:1])
    assert tail.text(over=False) == ""
    tail.add("é".encode()[1:])
    assert tail.text(over=False) == "é"


def test_much_output_costs_no_more_memory_than_its_limit() -> None:
    tail = Tail(1000)
    for _ in range(1000):
        tail.add(b"x" * 10_000)
    assert len(tail._kept) < 100_000
    assert tail.text() == "x" * 1000


def test_the_limit_is_the_agents_and_the_user_sees_all(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            terminal = await one.sh("seq 1 50000", outputByteLimit=12)
            answer = await one.over(terminal)
            assert (answer["output"], answer["truncated"]) == ("49999\n50000\n", True)
            assert one.shown(terminal) == b"".join(b"%d\n" % number for number in range(1, 50_001))

    run(story())


def test_a_command_that_floods_leaves_the_loop_free(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            flood = await one.begin("yes")
            await until(lambda: len(one.shown(flood)) > 3_000_000)
            assert (await one.over(await one.begin("echo", "through")))["output"] == "through\n"
            await one.terminals.kill(flood)
            assert len((await one.terminals.output(flood))["output"]) == limits.KEPT

    run(story())


def test_the_end_is_told_after_all_output(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            for _ in range(10):
                terminal = await one.sh("printf last")
                assert (await one.over(terminal))["output"] == "last"
                assert one.updates[-1]["exitStatus"] == {"exitCode": 0, "signal": None}
                await one.terminals.release(terminal)

    run(story())


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("exit 255", {"exitCode": 255, "signal": None}),
        ("kill -9 $$", {"exitCode": None, "signal": "SIGKILL"}),
        ("kill -USR1 $$", {"exitCode": None, "signal": "SIGUSR1"}),
    ],
)
def test_the_end_is_told_by_code_or_by_name(tmp_path: Path, script: str, status: Json) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            assert await one.terminals.wait_for_exit(await one.sh(script)) == status

    run(story())


def test_a_command_ends_though_its_child_holds_the_output(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            terminal = await one.sh("sleep 1000 & echo $!")
            child = int((await one.over(terminal))["output"])
            assert alive(child)
            await one.terminals.release(terminal)
            await until(lambda: not alive(child))

    run(story())


def test_kill_ends_what_does_not_look_at_term(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "GRACE", 0.2)

    async def story() -> None:
        async with host(tmp_path) as one:
            terminal = await one.sh('trap "" TERM; echo ready; while :; do sleep 0.1; done')
            await until(lambda: one.shown(terminal))
            await one.terminals.kill(terminal)
            assert await one.terminals.wait_for_exit(terminal) == {"exitCode": None, "signal": "SIGKILL"}

    run(story())


def test_release_lets_who_waits_go(tmp_path: Path) -> None:
    async def story() -> None:
        async with host(tmp_path) as one:
            terminal = await one.begin("sleep", "1000")
            pid = one.pid(terminal)
            waiting = asyncio.ensure_future(one.terminals.wait_for_exit(terminal))
            await asyncio.sleep(0)
            await one.terminals.release(terminal)
            assert (await waiting)["signal"] == "SIGTERM"
            assert not alive(pid)

    run(story())


def test_closing_ends_every_group_and_nothing_begins_after_it(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async def story() -> None:
        before = descriptors()
        async with host(tmp_path) as one:
            pids = [one.pid(await one.begin("sleep", "1000")) for _ in range(5)]
            assert all(map(alive, pids))
            await one.terminals.close()
            assert not any(map(alive, pids))
            with pytest.raises(RequestError, match="closed"):
                await one.begin("true")
        await until(lambda: descriptors() <= before)

    run(story())
