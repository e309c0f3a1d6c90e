"""Words and numbers as a reader wants them, and values of any shape made safe to read: agents send what they like."""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Mapping
from typing import Any

JSON_LENGTH = 4_000
TITLE_LENGTH = 300

Json = Mapping[str, Any]


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `2 min 05 s`, `1 h 02 min`."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def clock(seconds: float) -> str:
    """`14:02:11`, in the kernel's time zone."""
    try:
        return time.strftime("%H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "?"


def day_and_clock(seconds: float) -> str:
    """`2026-01-31 14:02:11`, in the kernel's time zone."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "?"


def size(count: int) -> str:
    """`812 B`, `2.1 kB`, `3.4 MB`."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def cut_end(text: str, length: int) -> str:
    """The text, or its beginning and how much is missing."""
    return text if len(text) <= length else f"{text[:length]}\n… [{len(text) - length} more characters]"


def as_map(value: Any) -> Json:
    """A mapping; empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """A list; empty for anything else."""
    return list(value) if isinstance(value, (list, tuple)) else []


def as_word(value: Any) -> str:
    """A string as it is, None as nothing, anything else as JSON."""
    return "" if value is None else value if isinstance(value, str) else as_json(value)


def as_title(value: Any) -> str:
    """As `as_word`, but short."""
    text = as_word(value)
    return text if len(text) <= TITLE_LENGTH else text[:TITLE_LENGTH] + "…"


def as_json(value: Any) -> str:
    """JSON with line breaks, cut when it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=1)
    except (TypeError, ValueError, RecursionError):
        text = "(cannot be shown)"
    return cut_end(text, JSON_LENGTH)


def as_bytes(data: Any) -> bytes:
    """Bytes, also from base64; nothing when it is neither."""
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    try:
        return base64.b64decode(data) if isinstance(data, str) else b""
    except (binascii.Error, ValueError):
        return b""
