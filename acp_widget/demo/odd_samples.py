"""What the odd scene shows in more than one place: hostile text, a picture, a sound, paths and bytes."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from typing import Any

Json = dict[str, Any]

HOSTILE = """\
Text that must stay text: <script>window.pwned = 1</script> <img src=x onerror="window.pwned = 1"> <b>not bold</b>
[a link that is none](javascript:window.pwned=1), [another](data:text/html,<script>window.pwned=1</script>),
![a picture that must not load](http://127.0.0.1:9/pixel.png), <a href="vbscript:x" onclick="window.pwned=1">this</a>.

| a | b |
| --- | --- |
| `<td onmouseover=alert(1)>` | &lt;script&gt; |
"""

REMOTE_PICTURE = "http://127.0.0.1:9/never-fetched.png"
"""An address where nobody listens, should a client fetch it after all."""


def b64(data: bytes) -> str:
    """Bytes as ACP has them."""
    return base64.b64encode(data).decode()


def _png(width: int, height: int) -> bytes:
    """A picture from blue to red."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    row = b"".join(bytes((255 * x // width, 96, 255 - 255 * x // width)) for x in range(width))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress((b"\0" + row) * height))
        + chunk(b"IEND", b"")
    )


def _wav(seconds: float, rate: int = 8000) -> bytes:
    """A quiet tone."""
    samples = bytes(128 + round(20 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(int(seconds * rate)))
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1),
        rate,
        rate,
        *(1, 8, b"data", len(samples)),
    )
    return head + samples


PNG = b64(_png(160, 40))
WAV = b64(_wav(0.4))
