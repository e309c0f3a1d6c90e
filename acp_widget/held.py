"""What every driver has for those who hold it: who is told what, and whether it can be used. It needs no agent."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from . import errors, policy


def nobody(operations: Sequence[Any]) -> None:
    """Nobody wants to know what changed."""


class Held:
    """The base of drivers."""

    ANOTHER = "Make a new one: Agent(…)."

    grace = 1.5
    """Seconds that an interrupted wait gives the agent to confirm the stop."""

    def __init__(self) -> None:
        self.error: errors.AcpError | None = None
        """Why the agent did not start, or ended by itself; None while it runs, and when it was closed."""
        self.on_operations: Callable[[Sequence[Any]], None] = nobody
        self.on_told: Callable[[Sequence[Any]], None] = nobody
        self.on_change: Callable[[], None] = lambda: None
        self.on_anew: Callable[[], None] = lambda: None
        """The whole state is another one, which no operations tell: a replay has gone back."""
        self.in_use: Callable[[], bool] = lambda: False
        """Whether somebody can still prompt it though nobody holds the Agent."""
        self.closed = False
        self.abandoned = False
        """Nobody holds the Agent any more: it ends when it has nothing left to do."""
        self.twin = False
        """Whether those who are told what happens may still use what stood for the Agent."""
        self.end_telling: Callable[[], None] = lambda: None
        self._pid = os.getpid()

    # --- from any thread -------------------------------------------------------------------------------------------

    @property
    def foreign(self) -> bool:
        """True in a process forked from the one that it was made in: there it can only be read. From any thread."""
        return self._pid != os.getpid()

    def check_process(self) -> None:
        """Raise `AgentClosed` in a forked process. From any thread."""
        if self.foreign:
            raise errors.AgentClosed(
                "This agent belongs to the process that this one was forked from.",
                hint="Here it can only be read. Make a new one: Agent(…).",
            )

    def check_usable(self) -> None:
        """Raise `AgentClosed` after `close()`, too. From any thread."""
        self.check_process()
        if self.closed:
            raise errors.AgentClosed("This agent was closed.", hint=self.ANOTHER)

    def check_live(self) -> None:
        """Raise where there is no agent that could be asked: after `close()`, and in a replay. From any thread."""
        self.check_usable()

    def check_policy(self, permissions: object) -> policy.Permissions:
        """What may be assigned to `agent.permissions`. Raises `ValueError` for anything else. From any thread."""
        return policy.check(permissions)
