"""What a driver has for its recording: the newest traffic in memory, and the file, if there is one."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from . import errors
from .protocol.transport import NotAMessage
from .recording.cassette import Cassette
from .recording.redaction import Redactor
from .recording.traffic import Traffic, record_of

log = logging.getLogger(__name__)

Json = dict[str, Any]

_EVENTS: Final = frozenset(
    {
        *("promptQueued", "promptDropped", "starting", "launching", "respond", "dismiss", "permissionTold", "ended"),
        *("policy", "rules"),
    }
)
"""What happens on our side without a message. What a host shows comes to `shown`."""
_OURS: Final = frozenset({"widget", "permissions"})
"""Where diagnostics come from that no message explains."""


class Tape:
    """Belongs to the private thread, but for the making and `traffic`. None of it raises, but the making and `note`.

    Raises what `Cassette` does for a file that cannot be taken.
    """

    def __init__(self, record: str | os.PathLike[str] | None = None) -> None:
        self.traffic = Traffic()
        self.on_trouble: Callable[[str], object] = lambda sentence: None
        self.problem = ""
        """Why nothing is recorded any more, where something was."""
        self._lessons: list[tuple[Mapping[str, str], list[Any], str]] = []
        self._redactor: Redactor | None = None
        self._cassette = None if record is None else Cassette(record)
        if self._cassette is not None:
            self._cassette.on_trouble = self._in_trouble

    @property
    def path(self) -> Path | None:
        """The file that is written; None where none is, or none any more."""
        return self._cassette.path if self._cassette is not None and self._cassette.recording else None

    def begin(
        self,
        label: str | None,
        command: Sequence[str],
        place: Mapping[str, Any],
        env: Mapping[str, str],
        on_trouble: Callable[[str], object],
    ) -> None:
        """What the header tells, and what is a secret. `on_trouble(why)`: nothing can be recorded any more."""
        self.on_trouble = on_trouble
        self.learn(env, place)
        if self._cassette is not None:
            told = {"label": label, "cwd": place.get("cwd"), "command": list(command)}
            self._cassette.header = {name: value for name, value in self._hide(told).items() if value is not None}

    def learn(self, env: Mapping[str, str], place: Mapping[str, Any]) -> None:
        """An agent is started with these variables, and these servers."""
        self._lessons.append((dict(env), list(place.get("mcpServers") or ()), str(place.get("cwd") or "")))

    # --- what happens ----------------------------------------------------------------------------------------------

    def passed(self, way: str, message: Any, *, late: bool = False) -> None:
        """A message was sent or came. `late`: the agent is not listened to any more, so it changes nothing."""
        if isinstance(message, NotAMessage):
            message = message.with_traceback(None)
        passed = self.traffic.add(time.time(), way, message, self._record)
        if self._cassette is not None and self._cassette.recording:
            self._write({**passed.record, **({"late": True} if late else {})})

    def event(self, event: Json) -> None:
        """Something happened on our side."""
        kind = event.get("type")
        if kind == "ended" and (self._cassette is None or not self._cassette.begun):
            return  # nothing was there that could end
        if kind in _EVENTS or (kind == "diagnostic" and event.get("where") in _OURS):
            self._write_event(event)

    def shown(self, emit: Callable[[Json], object], listening: Callable[[], bool]) -> Callable[[Json], object]:
        """The same `emit` of a host, recorded."""

        def recorded(event: Json) -> None:
            if listening():
                self._write_event(event)
            emit(event)

        return recorded

    def note(self, note: Json) -> None:
        """Words of the user. Raises `AcpError` where nothing is recorded."""
        if self.path is None:
            why = f" {self.problem}" if self.problem else ""
            raise errors.AcpError(f"This agent is not recorded.{why}", hint='Make one that is: Agent(…, record="…").')
        self._write({"note": self._hide(note)})

    def sync(self) -> None:
        """A good moment to be sure that it is on the disk."""
        if self._cassette is not None:
            self._cassette.sync()

    async def until(self, ended: Coroutine[Any, Any, None]) -> None:
        """Wait for the end of an agent, and then close the file."""
        try:
            await ended
        finally:
            self.close()

    def close(self) -> None:
        """Nothing is recorded any more. Can be called again."""
        if self._cassette is not None:
            self._cassette.close()

    # --- inside ----------------------------------------------------------------------------------------------------

    def _hide(self, value: Any) -> Any:
        redactor = self._redactor = self._redactor or Redactor()
        while self._lessons:
            env, servers, folder = self._lessons.pop(0)
            redactor.learn({**os.environ, **env}, env, servers, folder)
        return redactor.message(value)

    def _record(self, way: str, message: Any) -> Json:
        return record_of(way, message, self._hide)

    def _write_event(self, event: Json) -> None:
        if self._cassette is None or not self._cassette.recording:
            return
        try:
            self._write({"event": self._hide({name: value for name, value in event.items() if name != "at"})})
        except Exception:
            log.exception("An event could not be recorded")

    def _write(self, record: Json) -> None:
        assert self._cassette is not None
        try:
            self._cassette.write(record)
        except Exception as fault:  # a number that JSON does not have, or a depth
            log.warning("A message could not be recorded: %s", fault)
            self._cassette.write({"dir": record.get("dir"), "cut": f"it is no JSON ({type(fault).__name__})"})

    def _in_trouble(self, sentence: str) -> None:
        self.problem = sentence
        self.on_trouble(sentence)
