"""The newest messages of a connection, both ways, as they passed; redacted when somebody reads them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from ..protocol.transport import NotAMessage

Json = dict[str, Any]

MESSAGES: Final = 10_000
CHARACTERS: Final = 8_000_000
_HALF_A_WORD: Final = re.compile(r"\S{0,200}…\Z")  # of a line that was cut off: half a secret is not known as one
LARGEST: Final = 16_000_000
"""Characters of a message that is redacted; more would hold up everything else for too long."""


class Passed:
    """One message. `record` is what a recording says of it: `dir`, and `msg`, `raw` or `cut`."""

    __slots__ = ("_message", "_record", "at", "number", "weight")

    def __init__(self, number: int, at: float, way: str, message: Any, redact: Callable[[str, Any], Json]) -> None:
        self.number, self.at = number, at
        self.weight = weight(message)
        self._message: tuple[str, Any, Callable[[str, Any], Json]] | None = (way, message, redact)
        self._record: Json = {}

    @property
    def record(self) -> Json:
        """Made once; shared: not to be changed."""
        todo = self._message
        if todo is not None:
            way, message, redact = todo
            self._record = redact(way, message)
            self._message = None
        return self._record

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.number, self.at, self.weight, self.record)


def _restored(number: int, at: float, size: int, record: Json) -> Passed:
    """One of a pickle, which has only what a recording would say."""
    passed = Passed(number, at, "in", None, lambda way, message: record)
    passed.weight = size
    return passed


class Traffic:
    """The newest `MESSAGES`, of about `CHARACTERS` together; at least one, however large."""

    def __init__(self) -> None:
        self.count = 0
        """How many there were in all."""
        self._kept: deque[Passed] = deque()
        self._weight = 0

    def add(self, at: float, way: str, message: Any, redact: Callable[[str, Any], Json]) -> Passed:
        """One more."""
        self.count += 1
        passed = Passed(self.count, at, way, message, redact)
        self._kept.append(passed)
        self._weight += passed.weight
        while len(self._kept) > 1 and (len(self._kept) > MESSAGES or self._weight > CHARACTERS):
            self._weight -= self._kept.popleft().weight
        return passed

    def kept(self) -> list[Passed]:
        """Those that are kept, oldest first. From any thread."""
        return list(self._kept.copy())


def weight(message: Any) -> int:
    """About the characters that a message has, without making a text of it.

    >>> weight({"a": ["bcd", 1]})
    28
    """
    found, todo = 0, [message]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            found += len(value)
        elif isinstance(value, dict):
            found += sum(map(len, value)) + 8 * len(value)
            todo.extend(value.values())
        elif isinstance(value, (list, tuple)):
            found += 8
            todo.extend(value)
        else:
            found += 8
    return found


def record_of(way: str, message: Any, hide: Callable[[Any], Any]) -> Json:
    """What is written of a message. One that cannot be redacted or written is left out, and says so."""
    try:
        if (size := weight(message)) > LARGEST:
            return {"dir": way, "cut": f"a message of about {size:,} characters, more than {LARGEST:,}"}
        if isinstance(message, NotAMessage):
            return {"dir": way, "raw": hide(_HALF_A_WORD.sub("…", message.text)), "reason": hide(message.reason)}
        return {"dir": way, "msg": hide(message)}
    except Exception as fault:  # nothing is written that was not looked through
        return {"dir": way, "cut": f"a message that could not be redacted ({type(fault).__name__})"}
