"""Pictures that are drawn: raster images whose bytes are what they say, within a budget."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from .entries import Picture
from .words import Json, as_title, size

_BEGINNINGS: Final = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_BLANK: Final = re.compile(r"\s+")


class Album:
    """Makes pictures of blocks as long as there is room: `room` in characters of base64, for all of them."""

    def __init__(self, room: int) -> None:
        self._room = room

    def picture(self, block: Json) -> Picture | None:
        """The picture of an image block; None for what is none, is no raster image, or has no room."""
        data = block.get("data")
        if block.get("type") != "image" or not isinstance(data, str) or len(data) > self._room:
            return None
        data = _BLANK.sub("", data)
        try:
            raw = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            return None
        # What it says of itself does not matter: its bytes tell what it is.
        mime = next((mime for mime, begins in _BEGINNINGS.items() if raw.startswith(begins)), None)
        if mime is None or (mime == "image/webp" and raw[8:12] != b"WEBP"):
            return None
        self._room -= len(data)
        name = as_title(block.get("uri")).rsplit("/", 1)[-1] or "Picture"
        return Picture(name, f"{mime}, {size(len(raw))}", f"data:{mime};base64,{data}")
