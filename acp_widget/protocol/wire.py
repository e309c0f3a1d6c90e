"""JSON text as it stands on the wire, and as plain data that nothing later can choke on."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# \ud83d\ude42 is a pair and fine; half of one is valid JSON, but no Unicode text: it cannot be encoded again.
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def encode(message: Any) -> bytes:
    """One line of UTF-8 JSON, with its line end. Raises `ValueError` for NaN and infinities."""
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError:  # half a surrogate pair, from an undecodable file name for instance
        text = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
    return text + b"\n"


def decode(line: bytes) -> Any:
    """The JSON value of a line. Raises `ValueError` when it is none.

    Tolerated, because one odd value must not lose a message: invalid UTF-8 and half surrogate pairs become U+FFFD,
    a byte order mark is skipped, numbers that JSON does not have (NaN, 1e999) become strings.
    """
    text = line.decode("utf-8", "replace")
    if text.startswith("\ufeff"):
        text = text[1:]
    try:
        value = json.loads(text, parse_constant=str, parse_float=_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _whole(value) if "\\u" in text and _ESCAPED_SURROGATE.search(text) else value


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _whole(value: Any) -> Any:
    """The same value without halves of surrogate pairs."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
