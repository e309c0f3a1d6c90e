"""One session: its folder, its log, what the user decided for good, and the turn that runs."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from . import scenes
from .history import History
from .settings import Settings
from .turn import Dismissed, Turn
from .wire import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Peer, RpcError

Json = dict[str, Any]

CONTEXT_SIZE = 200_000  # tokens, as a model of today would have
_CHARACTERS_A_TOKEN = 4


class Session:
    """A conversation in a folder. At most one turn runs at a time."""

    def __init__(self, session_id: str, cwd: Path, peer: Peer) -> None:
        self.id = session_id
        self.cwd = cwd
        self.title: str | None = None
        self.updated_at = _now()
        self.closed = False
        self._peer = peer
        self._history = History()
        self._counters: Counter[str] = Counter()
        self._remembered: dict[str, bool] = {}
        self._settings = Settings()
        self._stops: dict[tuple[str, str], Callable[[], None]] = {}
        self._state = "idle"
        self._characters = 0
        self._task: asyncio.Task[None] | None = None
        self._ending = False  # the turn is being closed; nothing may interrupt that

    # For the server

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._task is not None

    def prompt(self, blocks: Sequence[Json]) -> str:
        """Accept a prompt and begin its turn; gives the id of the user message. Raises `RpcError` while a turn runs."""
        if self.busy:
            raise RpcError(
                INVALID_REQUEST, "A turn is running in this session. Cancel it or wait until the session is idle."
            )
        message_id = self.next_id("user")
        self._ending = False
        self._task = asyncio.ensure_future(self._run(Turn(self, blocks), message_id))
        return message_id

    def cancel(self) -> None:
        """Stop the turn, if one runs."""
        # Soon, not now: a task that is cancelled before its first step would never come to say that it is idle.
        if self._task is not None:
            asyncio.get_running_loop().call_soon(self._interrupt, self._task)

    async def stop(self) -> None:
        """Stop the turn and return when it is over."""
        self.cancel()
        if self._task is not None:
            await asyncio.wait({self._task})

    def replay(self) -> None:
        """Send the log as updates."""
        for update in self._history.replay():
            self._notify(update)

    def report(self) -> None:
        """Send what is true now, for a client that joins."""
        if self.title is not None:
            self._notify({"sessionUpdate": "session_info_update", "title": self.title, "updatedAt": self.updated_at})
        if self._characters:
            self._notify(self._usage())
        self._notify({"sessionUpdate": "state_update", "state": self._state})

    def config_options(self) -> list[Json]:
        """The session's settings."""
        return self._settings.options()

    def configure(self, config_id: Any, value: Any) -> None:
        """Change a setting, and report them all. Raises `RpcError`."""
        try:
            self._settings.set(config_id, value)
        except ValueError as error:
            raise RpcError(INVALID_PARAMS, str(error)) from None
        self._notify({"sessionUpdate": "config_option_update", "configOptions": self.config_options()})

    def stop_one(self, group: str, entity_id: Any) -> None:
        """Stop a tool call (`call`) or a terminal (`terminal`) that can be stopped alone now. Raises `RpcError`."""
        stop = self._stops.get((group, entity_id)) if isinstance(entity_id, str) else None
        if stop is None:
            raise RpcError(INVALID_PARAMS, f"There is no {group} of this id that runs and can be stopped alone")
        stop()

    # For the turn

    @property
    def settings(self) -> Settings:
        """What the user set."""
        return self._settings

    @contextlib.contextmanager
    def stoppable(self, group: str, entity_id: str, stop: Callable[[], None]) -> Iterator[None]:
        """Meanwhile the client can stop this `call` or `terminal` alone."""
        self._stops[group, entity_id] = stop
        try:
            yield
        finally:
            del self._stops[group, entity_id]

    def next_id(self, kind: str) -> str:
        """``call_1``, ``call_2``, … and the same for everything else."""
        self._counters[kind] += 1
        return f"{kind}_{self._counters[kind]}"

    def remembered(self, kind: str) -> bool | None:
        """What the user decided for good for this kind of tool call."""
        if kind == "edit" and self._settings["mode"] == "accept-edits":
            return True
        return self._remembered.get(kind)

    def remember(self, kind: str, allowed: bool) -> None:
        """Keep a decision for good."""
        self._remembered[kind] = allowed

    async def update(self, update: Json) -> None:
        """Send an update, keep it in the log, and let a slow client catch up."""
        self._history.add(update)
        self._characters += _spoken(update)
        if update.get("sessionUpdate") == "state_update":
            self._state = update["state"]
        self._notify(update)
        await self._peer.drained()

    async def request(self, method: str, params: Json) -> Any:
        """Ask the client something."""
        subject = params.get("subject")
        if isinstance(subject, dict) and subject.get("type") == "tool_call":
            # The client applies it as an update, so the log needs it as one.
            self._history.add({"sessionUpdate": "tool_call_update", **subject["toolCall"]})
        return await self._peer.request(method, {"sessionId": self.id, **params})

    async def report_usage(self) -> None:
        """Tell how full the context is: counted from what really went over the wire, four characters a token."""
        await self.update(self._usage())

    async def name(self, title: str) -> None:
        """Give the session a title."""
        self.title, self.updated_at = title, _now()
        await self.update({"sessionUpdate": "session_info_update", "title": title, "updatedAt": self.updated_at})

    def raw(self, update: Any) -> None:
        """Send an update that may be broken, and keep nothing of it."""
        self._notify(update)

    def notify(self, method: str, params: Json) -> None:
        """Send a notification of any name."""
        self._peer.notify(method, {"sessionId": self.id, **params})

    def garbage(self, data: bytes) -> None:
        """Write bytes on stdout that are no message."""
        self._peer.send_bytes(data)

    def finish(self) -> None:
        """Write all that was said, however busy the machine is: the process goes now."""
        self._peer.finish(5.0)

    # Inside

    def _interrupt(self, task: asyncio.Task[None]) -> None:
        if self._task is task and not self._ending:
            self._ending = True
            task.cancel()

    async def _run(self, turn: Turn, message_id: str) -> None:
        idle: Json | None = None
        try:
            await self.update({"sessionUpdate": "user_message", "messageId": message_id, "content": list(turn.prompt)})
            await turn.send("state_update", state="running")
            idle = await scenes.play(turn)
            self._ending = True
        except (asyncio.CancelledError, Dismissed):
            await self._wind_up(turn)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            text = f"{type(error).__name__}: {error}"
            idle = {"stopReason": "error", "error": {"code": INTERNAL_ERROR, "message": text}}
            await self._wind_up(turn)
        self.updated_at = _now()
        await self.report_usage()
        self._task = None
        await turn.send("state_update", state="idle", **(idle or {"stopReason": "cancelled"}))

    async def _wind_up(self, turn: Turn) -> None:
        self._ending = True
        await turn.wind_up()

    def _usage(self) -> Json:
        used = self._characters // _CHARACTERS_A_TOKEN
        return {"sessionUpdate": "usage_update", "used": min(used, CONTEXT_SIZE), "size": CONTEXT_SIZE}

    def _notify(self, update: Json) -> None:
        self._peer.notify("session/update", {"sessionId": self.id, "update": update})


def _spoken(update: Json) -> int:
    """How many characters of an update a model would have read or written."""
    content, data = update.get("content"), update.get("data")
    count = 0
    for item in content if isinstance(content, list) else [content]:
        block = item.get("content", item) if isinstance(item, dict) else None
        text = block.get("text") if isinstance(block, dict) else None
        count += len(text) if isinstance(text, str) else 0
    # Four base64 characters are three bytes.
    return count + (len(data) * 3 // 4 if isinstance(data, str) else 0)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
