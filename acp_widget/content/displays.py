"""What IPython and pandas show and do not say in words: the data of display objects, the frame below a style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from .files import bytes_part
from .own import refused
from .parts import IMAGE_BYTES, TABLE_BYTES, TEXT_BYTES, Part, cut, size
from .tables import pandas_frame
from .values import written

_TYPES: Final[Mapping[str, str]] = {
    "HTML": "text/html",
    "Markdown": "text/markdown",
    "Latex": "text/latex",
    "SVG": "image/svg+xml",
    "Javascript": "text/javascript",
}
"""Of texts, by the name of the class or of one that it comes from."""


def display_object(value: Any, name: str) -> Part:
    """The bytes or text that `Image`, `HTML`, `Markdown`, `Audio`, `JSON` … hold; of a link its address.

    Raises `ValueError` for one that holds neither.
    """
    kind, data, address = f"IPython {type(value).__name__}", value.data, getattr(value, "url", None)
    if isinstance(data, (bytes, bytearray)):
        mime = getattr(value, "mimetype", None)  # of sounds and films; a picture is known by how it begins
        return replace(bytes_part(bytes(data), name, mime if isinstance(mime, str) else None), kind=kind)
    if isinstance(data, str):
        text, note = cut(data, TEXT_BYTES)
        titles = (each.__name__ for each in type(value).__mro__)
        mime = next((_TYPES[title] for title in titles if title in _TYPES), "text/plain")
        return Part(name, kind, text, mime, note)
    if data is not None:
        text, note = written(data, TABLE_BYTES)
        return Part(name, kind, text, note=note)
    if isinstance(address, str) and address:
        text, _ = cut(address, TABLE_BYTES)
        return Part(name, kind, text, note="Only its address is sent.")
    raise refused(name, f"this {type(value).__name__} holds no data.")


def styled_frame(value: Any, name: str) -> Part:
    """The frame of a pandas `Styler`."""
    part = pandas_frame(value.data, name)
    return replace(part, kind="pandas Styler", note=f"Sent without its style. {part.note}".strip())


def view(value: memoryview, name: str) -> Part:
    """The bytes that it looks at. Raises `ValueError` when they are too many, before they are copied."""
    if value.nbytes > IMAGE_BYTES:
        raise refused(name, f"it has {size(value.nbytes)} of bytes. Write them to a file and attach its Path.")
    return bytes_part(bytes(value), name)
