"""What the client does for an agent that asks: each request a task, so that none holds up another or the stream."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from .. import errors
from .connection import INTERNAL_ERROR, Connection, RequestId
from .transport import Json

log = logging.getLogger(__name__)

_AT_ONCE = 200  # requests of an agent that may be under way

Service = Callable[[Json], Awaitable[Json]]


class Services(Protocol):
    """What is offered to a v1 agent. It asks for nothing that is not in `capabilities`, or is refused."""

    capabilities: Json
    """The `clientCapabilities` of `initialize`."""
    methods: Mapping[str, Service]
    """By method: params in, result out. A service raises `RequestError` to answer with an error."""
    emit: Callable[[Json], object]
    """Set by who uses it: takes events with v2 shapes."""

    async def close(self) -> None:
        """End everything that a service began."""


class Serving:
    """Runs the services of one connection. `on_fault(message, method)` is told of what went wrong in them."""

    def __init__(
        self, services: Services | None, connection: Connection, on_fault: Callable[[str, str], object]
    ) -> None:
        self._services, self._connection, self._on_fault = services, connection, on_fault
        self._tasks: dict[asyncio.Task[None], RequestId] = {}

    @property
    def capabilities(self) -> Json:
        """What is offered, for `initialize`."""
        return self._services.capabilities if self._services is not None else {}

    def offers(self, method: str) -> bool:
        return self._services is not None and method in self._services.methods

    def run(self, request_id: RequestId, method: str, params: Json) -> None:
        """Begin to serve a request; it is answered when that is done."""
        assert self._services is not None
        if len(self._tasks) >= _AT_ONCE:
            self._connection.respond_error(
                request_id, INTERNAL_ERROR, f"{_AT_ONCE} requests are under way; wait for an answer first."
            )
            return
        task = asyncio.ensure_future(self._serve(request_id, method, self._services.methods[method], params))
        self._tasks[task] = request_id
        task.add_done_callback(self._tasks.pop)

    async def _serve(self, request_id: RequestId, method: str, service: Service, params: Json) -> None:
        try:
            result = await service(params)
        except errors.RequestError as error:
            code, message, data = error.code, error.message, error.data
        except Exception as fault:
            log.exception("A request was not served (%s)", method)
            self._on_fault(f"A request was not served: {type(fault).__name__}: {fault}", method)
            code, message, data = INTERNAL_ERROR, "The client failed to handle the request", None
        else:
            if self._connection.closed is None:
                await self._connection.respond(request_id, result)
            return
        if self._connection.closed is None:
            await self._connection.respond_error(request_id, code, message, data)

    def stop(self) -> None:
        """Serve nothing more; what is under way is answered with an error."""
        for task, request_id in list(self._tasks.items()):
            task.cancel()
            if request_id in self._connection.open_requests:
                self._connection.respond_error(request_id, INTERNAL_ERROR, "The session is closed.")

    async def close(self) -> None:
        """Return when everything has ended."""
        if self._tasks:
            await asyncio.wait(set(self._tasks))
        if self._services is not None:
            await self._services.close()
