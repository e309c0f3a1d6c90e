"""Snapshots of results: what a pickle holds, read without an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import errors
from .session.places import Place, Places

# Of the session only what a reader needs: neither commands nor paths of programs travel with a result.
_SESSION = ("sessionId", "label", "agent", "cwd", "protocolVersion")
_GONE = "This is a snapshot of a result, without its agent."
_GONE_HINT = "Read it; what does something belongs to the live object."


def own_copy(value: Any) -> Any:
    """A copy of JSON data that may be changed: nothing in it is shared. However deep it is, it does not recurse.

    >>> data = {"a": [1, {"b": b"x"}]}
    >>> copy = own_copy(data)
    >>> copy["a"][1]["b"] = 2
    >>> data
    {'a': [1, {'b': b'x'}]}
    """
    top = _empty(value)
    waiting = [(value, top)] if top is not value else []
    while waiting:
        source, made = waiting.pop()
        items: Iterable[Any] = source.items() if isinstance(source, Mapping) else enumerate(source)
        for name, item in items:
            new = _empty(item)
            made.append(new) if isinstance(made, list) else made.__setitem__(name, new)
            if new is not item:
                waiting.append((item, new))
    return top


def _empty(value: Any) -> Any:
    return {} if isinstance(value, Mapping) else [] if isinstance(value, (list, tuple)) else value


class Frozen:
    """Some entities of a session, as they were: reads as a session's state does."""

    frozen = True

    def __init__(self, groups: Mapping[str, Mapping[str, Any]], parts: Mapping[str, Any]) -> None:
        self._groups = {group: dict(entities) for group, entities in groups.items()}
        session = parts.get("session") or {}
        told = {name: session.get(name) for name in _SESSION}
        # Nobody listens to an agent here: what had not ended does not go on.
        self._parts = {**parts, "session": {**told, "connection": "closed", "at": session.get("at") or {}}}
        self._places = Places()

    def with_part(self, name: str, value: Any) -> Frozen:
        """This one, with one more part."""
        self._parts[name] = value
        return self

    def get(self, group: str, key: str) -> Mapping[str, Any] | None:
        return self._groups.get(group, {}).get(key)

    def keys(self, group: str, turn: str | None = None) -> list[str]:
        return [key for key, entity in self._groups.get(group, {}).items() if turn in (None, entity.get("turn"))]

    def place(self, group: str, key: str) -> Place:
        return self._places.at(group, key)

    def left_behind(self, group: str, key: str) -> bool:
        return True

    def part(self, name: str) -> Any:
        return self._parts.get(name) or {}

    def snapshot(self) -> dict[str, Any]:
        return {**self._parts, **self._groups}

    def __getstate__(self) -> dict[str, Any]:
        return {"groups": self._groups, "parts": self._parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._groups, self._parts = state["groups"], state["parts"]
        self._places = Places()


class NoAgent:
    """Stands where a result asks its agent for something."""

    def __init__(self, reader: Frozen) -> None:
        self.reader = reader

    @property
    def remote(self) -> NoAgent:
        return self

    @property
    def undo(self) -> Any:
        """The bytes of the files are not in a snapshot."""
        raise errors.NotOffered(
            "This is a snapshot of a turn, without the bytes of the files that it changed: it has no changes() to read "
            "or revert.",
            hint="Ask the live turn, before it is pickled. What the agent told of its changes is in turn.diffs.",
        )

    def was_over(self, key: str) -> bool:
        """What the session had no more when the snapshot was made."""
        return True

    def cancel_call(self, key: str) -> None:
        raise errors.NotOffered(_GONE, hint=_GONE_HINT)

    cancel_terminal = cancel_turn = cancel_call

    def wait_for_turn(self, key: str, timeout: float | None) -> None:
        """What is over needs no waiting; the rest never ends here."""
        turn = self.reader.get("turns", key) or {}
        if turn.get("status") not in ("done", "failed", "not_sent"):
            raise errors.WaitNotPossible(_GONE, hint=_GONE_HINT)

    async def turn_awaitable(self, key: str) -> None:
        self.wait_for_turn(key, None)

    def display_turn(self, turn: object) -> None:
        """Nothing is live: IPython then draws the turn's static form."""
        raise NotImplementedError

    view_of_turn = display_turn

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise errors.NotOffered(_GONE, hint=_GONE_HINT)
