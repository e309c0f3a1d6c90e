"""What can be read of an agent at any time, from any thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import errors
from .cells import Cells
from .config import Command, Config
from .driver import Driver
from .results import Entities, Message, Permission, Reader, Terminal, ToolCall, Usage


class Reading(Cells):
    """The reading side of an `Agent`: live views of its session."""

    _driver: Driver

    @property
    def _reader(self) -> Reader:
        return self._driver.state

    @property
    def messages(self) -> Entities[Message]:
        """All messages and thoughts of the session, in order of first sight."""
        return Entities([Message(self._reader, key) for key in self._reader.keys("messages")], Message)

    @property
    def tool_calls(self) -> Entities[ToolCall]:
        """All tool calls of the session, indexed by position or the agent's id."""
        remote = self._driver.remote
        return Entities([ToolCall(self._reader, key, remote) for key in self._reader.keys("toolCalls")], ToolCall)

    @property
    def terminals(self) -> Entities[Terminal]:
        """All terminals of the session, indexed by position or the agent's id."""
        remote = self._driver.remote
        return Entities([Terminal(self._reader, key, remote) for key in self._reader.keys("terminals")], Terminal)

    @property
    def pending(self) -> Entities[Permission]:
        """The permission requests that wait for an answer, oldest first."""
        waiting = self._driver.state.pending_permissions()
        return Entities([Permission(self._reader, key) for key in waiting], Permission)

    @property
    def usage(self) -> Usage:
        """How full the agent's context is and what the session has cost, as far as it has told; false when it has not.

        Read anew at each access. The tokens of one turn are its `turn.usage`. (ACP v2, Session Usage)
        """
        return Usage.of(self._driver.state.part("usage"))

    @property
    def config(self) -> Config:
        """The agent's settings, a mode or a model for instance: read and set them by their id.

        `agent.config` lists them with their choices; `agent.config["mode"] = "code"` sets one and returns when the
        agent has accepted. What there is, the agent tells when it has started.
        """
        return Config(self._driver.state, self._driver.remote)

    @property
    def commands(self) -> list[Command]:
        """The slash commands that the agent offers now: `agent.prompt("/name text")` runs one."""
        return [
            Command.of(raw)
            for raw in self._driver.state.part("commands")
            if raw.get("type", "command") in (None, "command")
        ]

    @property
    def status(self) -> str:
        """`new starting idle running waiting stopping closed` or `failed`."""
        return self._driver.state.status()

    @property
    def error(self) -> errors.AcpError | None:
        """Why the agent did not start, or ended by itself; None while it runs, and when you closed it."""
        return self._driver.error

    @property
    def diagnostics(self) -> list[Mapping[str, Any]]:
        """What the agent sent that could not be used as it was, newest last. The newest 200 are kept."""
        return list(self._driver.state.part("diagnostics"))
