"""Loses chosen messages on their way from the kernel to the page, as a full queue of the server does."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Message = dict[str, Any]


class Sieve:
    """Drops each custom message of a widget for which `drop(content)` is true. `dropped` holds what was lost."""

    def __init__(self, drop: Callable[[Message], bool]) -> None:
        self._drop = drop
        self.dropped: list[Message] = []
        self.passed: list[Message] = []

    def install(self, page: Page) -> None:
        page.route_web_socket(lambda url: "/channels" in url, self._connect)

    def _connect(self, from_page: WebSocketRoute) -> None:
        server = from_page.connect_to_server()

        def forward(data: str | bytes) -> None:
            content = custom_message(data)
            if content is not None and self._drop(content):
                self.dropped.append(content)
                return
            if content is not None:
                self.passed.append(content)
            from_page.send(data)

        server.on_message(forward)


def custom_message(data: str | bytes) -> Message | None:
    """The content of a widget's custom message; None for all other messages of a kernel."""
    if isinstance(data, str):
        whole = json.loads(data)
        kind, content = whole.get("msg_type"), whole.get("content", {})
    else:
        # Jupyter's v1 framing: the number of offsets, the offsets, then channel, header, parent, metadata, content.
        (count,) = struct.unpack_from("<Q", data)
        offsets = struct.unpack_from(f"<{count}Q", data, 8)
        kind = json.loads(data[offsets[1] : offsets[2]]).get("msg_type")
        content = json.loads(data[offsets[4] : offsets[5]])
    if kind != "comm_msg" or content.get("data", {}).get("method") != "custom":
        return None
    custom: Message = content["data"]["content"]
    return custom
