"""The v2 dialect: its messages are the events as they come; what it sends otherwise than v1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .transport import Json


class V2:
    """The face that every dialect has."""

    version = 2
    closes = True
    """Whether `session/close` is offered."""

    def events(self, event: Json) -> Iterator[Json]:
        """The events that an event with the agent's shapes stands for, to be applied one by one."""
        yield event

    def answered(self, request_id: Any) -> Iterator[Json]:
        """What follows from an answer of ours to a permission request: v2 agents report it themselves (A10)."""
        return iter(())

    def setting(self, config_id: str, value: str | bool) -> tuple[str, Json]:
        """The request that sets a config option: its method, and its params but for the session."""
        kind = "boolean" if isinstance(value, bool) else "id"
        return "session/set_config_option", {"configId": config_id, "type": kind, "value": value}

    def took(self, config_id: str, value: str | bool) -> None:
        """The agent took a value: its answer says so."""
