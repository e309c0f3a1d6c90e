"""Values as they come from outside, made safe to keep: plain JSON that every reader can write out again."""

from __future__ import annotations

import base64
import re
from typing import Any, Final

MAX_DEPTH: Final = 100
"""Levels of nesting that are kept; what lies deeper is replaced by `TOO_DEEP`."""
TOO_DEEP: Final = "… [nested too deep]"

_SURROGATE = re.compile("[\ud800-\udfff]")
_BIGGEST = 1 << 1023  # what a float can hold, and so what a browser can read


def clean_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, so that it can be encoded."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A copy of a JSON value that shares nothing with it and can be written as JSON by anybody.

    Lone surrogates become U+FFFD; NaN, infinities, numbers no float can hold and values that are no JSON become None;
    nesting ends at `depth`.

    >>> plain({"a": [1, float("nan")]})
    {'a': [1, None]}
    """
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if kind is dict:
        if depth <= 0:
            return TOO_DEEP
        below = depth - 1
        return {
            name if type(name) is str and name.isascii() else clean_text(str(name)): plain(item, below)
            for name, item in value.items()
        }
    if kind is list or kind is tuple:
        if depth <= 0:
            return TOO_DEEP
        below = depth - 1
        return [plain(item, below) for item in value]
    if kind is bool or value is None:
        return value
    if kind is int:
        return value if -_BIGGEST < value < _BIGGEST else None
    if kind is float:
        return value if value - value == 0 else None
    return _unusual(value, depth)


def _unusual(value: Any, depth: int) -> Any:
    """Subclasses of JSON's types (an IntEnum, an OrderedDict) count as what they are a kind of."""
    bases: tuple[type[Any], ...] = (str, dict, list, int, float)
    for base in bases:
        if isinstance(value, base):
            return plain(base(value), depth)
    return None


def is_text(value: object) -> bool:
    return type(value) is str


def is_object(value: object) -> bool:
    return type(value) is dict


def is_list(value: object) -> bool:
    return type(value) is list


def is_flag(value: object) -> bool:
    return type(value) is bool


def is_whole(value: object) -> bool:
    """A whole number: JSON does not tell 3 from 3.0."""
    return type(value) is int or (type(value) is float and value.is_integer())


def is_number(value: object) -> bool:
    return type(value) is int or type(value) is float


def decoded(data: str) -> bytes | None:
    """The bytes of one base64 text (RFC 4648, standard alphabet, padded); None when it is none.

    >>> decoded("b2s="), decoded("***"), decoded("b2s")
    (b'ok', None, None)
    """
    if len(data) % 4:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        return None


def merged_meta(old: dict[str, Any], patch: dict[str, Any] | None) -> dict[str, Any]:
    """`_meta` after a patch: None clears, an object merges by top-level key, a None in it removes its key.

    >>> merged_meta({"a": {"x": 1}, "b": 2}, {"a": {"y": 9}, "b": None})
    {'a': {'y': 9}}
    """
    if patch is None:
        return {}
    return {name: value for name, value in {**old, **patch}.items() if value is not None}


def is_absolute(path: str) -> bool:
    """True for `/a`, `C:\\\\a`, `C:/a` and `\\\\\\\\server\\\\share`, on every system."""
    return path.startswith(("/", "\\\\")) or re.match(r"[A-Za-z]:[\\/]", path) is not None
