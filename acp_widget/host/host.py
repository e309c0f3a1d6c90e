"""All that one session's v1 agent may ask us to do, as far as the user turned it on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import RequestError
from ..protocol.refusals import NOT_FOUND
from ..protocol.services import Service
from ..protocol.transport import Json
from .files import Files
from .roots import Roots
from .terminals import Terminals


def _nothing(event: Json) -> None:
    """Nobody listens yet."""


async def _unseen(path: str) -> None:
    """Nobody keeps what is written over."""


def _no_calls() -> Iterable[Mapping[str, Any]]:
    return ()


class Host:
    """The services of one session: its files, its commands (`protocol/services.py` says who calls them).

    `roots`: the folders it is confined to, what the agent works in first. `env`: what commands start with.
    `missing_is_empty`, `calls`, `before_write`: as for `Files`.

    >>> Host(["/p"], files=True, terminals=False, env={}).capabilities
    {'fs': {'readTextFile': True, 'writeTextFile': True}}
    """

    def __init__(
        self,
        roots: Sequence[str],
        *,
        files: bool,
        terminals: bool,
        env: Mapping[str, str],
        missing_is_empty: bool = False,
        calls: Callable[[], Iterable[Mapping[str, Any]]] = _no_calls,
        before_write: Callable[[str], Awaitable[None]] = _unseen,
    ) -> None:
        self.emit: Callable[[Json], object] = _nothing
        self.capabilities: Json = {}
        self._offered: dict[str, Service] = {}
        self.methods: Mapping[str, Service] = self._offered
        places = Roots(roots)
        self._files = Files(
            places, self._tell, calls=calls, before_write=before_write, missing_is_empty=missing_is_empty
        )
        self._terminals = Terminals(places, self._tell, env=env)
        if files:
            self.capabilities["fs"] = {"readTextFile": True, "writeTextFile": True}
            self._offer("fs/read_text_file", self._files.read)
            self._offer("fs/write_text_file", self._files.write)
        if terminals:
            self.capabilities["terminal"] = True
            for name in ("create", "output", "wait_for_exit", "kill", "release"):
                self._offer(f"terminal/{name}", getattr(self._terminals, name))

    def _offer(self, method: str, service: Service) -> None:
        async def served(params: Json) -> Json:
            try:
                return await service(params)
            except RequestError as error:
                if error.code != NOT_FOUND:  # a missing file is no news, a refusal is
                    self._tell({"type": "diagnostic", "where": method, "message": error.message})
                raise

        self._offered[method] = served

    def _tell(self, event: Json) -> None:
        self.emit(event)

    def heard(self, update: Any) -> None:
        """The agent told of something, and the state has it."""
        if isinstance(update, Mapping) and str(update.get("sessionUpdate")).startswith("tool_call"):
            self._files.look(str(update.get("toolCallId")))

    async def close(self) -> None:
        """End everything: all groups, and the thread of the files."""
        self._files.close()
        await self._terminals.close()
