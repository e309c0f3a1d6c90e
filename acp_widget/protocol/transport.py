"""What a connection needs of a transport, and one in memory beside the real ones."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from .wire import decode, encode

Json = dict[str, Any]


class NotAMessage(Exception):
    """Raised by `receive()` for something that is no JSON message; the stream goes on.

    `text` is its beginning, `reason` what is wrong with it.
    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{reason}: {text}")
        self.text = text
        self.reason = reason


class Transport(Protocol):
    """A stream of JSON messages both ways."""

    async def send(self, message: Any) -> None:
        """Hand one message over. Raises `ConnectionError` when nobody reads any more."""

    async def receive(self) -> Any:
        """The next message: any JSON value. Raises `NotAMessage`, and `EOFError` (with the reason) at the end."""

    async def close(self) -> None:
        """End the stream and what is behind it. Can be called again."""


class MemoryTransport:
    """One end of a pair that is joined in memory. Messages go through JSON, so the ends share no objects."""

    def __init__(self) -> None:
        self._arrived: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._other: MemoryTransport = self
        self._closed = False

    @classmethod
    def pair(cls) -> tuple[MemoryTransport, MemoryTransport]:
        """Two ends: what one sends, the other receives.

        >>> ours, agents = MemoryTransport.pair()
        """
        one, two = cls(), cls()
        one._other, two._other = two, one
        return one, two

    async def send(self, message: Any) -> None:
        if self._closed or self._other._closed:
            raise ConnectionResetError("the other end is closed")
        self._other._arrived.put_nowait(encode(message))

    async def receive(self) -> Any:
        line = await self._arrived.get()
        if line is None:
            self._arrived.put_nowait(None)
            raise EOFError("the other end was closed")
        return decode(line)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._arrived.put_nowait(None)
            self._other._arrived.put_nowait(None)
