"""Which kind of object is snapshotted how: a table by the names of types, so that no library is imported for it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ..entities import Entities, Result
from ..host.roots import Place
from . import arrays, files, pictures, tables
from .own import is_empty, told
from .parts import ITEMS, TABLE_BYTES, TEXT_BYTES, Part, brief, cut

Adapter = Callable[[Any, str], Part]


def snapshot(value: object, name: str) -> Part:
    """A Part of any object, as it is now.

    Raises `TypeError` for a module, function or class, `ValueError` and `OSError` for what cannot be attached.
    """
    value = told(value, name)
    if is_empty(value):
        what = "class" if isinstance(value, type) else type(value).__name__
        raise TypeError(
            f"{name} is a {what}: there is nothing in it to send. Attach an object, a text or a Path; of a function or "
            "class its source, inspect.getsource(…); of what makes values one after the other a list, list(…)."
        )
    for kind in type(value).__mro__:
        adapter = ADAPTERS.get(f"{kind.__module__.partition('.')[0]}.{kind.__name__}")
        if adapter is not None:
            return adapter(value, name)
    return _unknown(value, name)


def _text(value: str, name: str) -> Part:
    text, note = cut(value, TEXT_BYTES)
    return Part(name, "text", text, note=note)


def _exception(error: BaseException, name: str) -> Part:
    lines = traceback.format_exception(type(error), error, error.__traceback__, limit=-30)
    text, note = cut("".join(lines), TEXT_BYTES, end=True)
    return Part(name, type(error).__name__, text, note=note)


def _result(value: Any, name: str) -> Part:
    text, note = cut(value._repr_markdown_(), TEXT_BYTES)
    return Part(name, type(value).__name__, text, "text/markdown", note=note)


def _typed_bytes(value: tuple[Any, ...], name: str) -> Part:
    if len(value) == 2 and isinstance(value[0], (bytes, bytearray)) and isinstance(value[1], str):
        return files.bytes_part(bytes(value[0]), name, value[1])
    return _unknown(value, name)


def _unknown(value: object, name: str) -> Part:
    text, note = cut(brief(value), TABLE_BYTES)
    items = len(value) if isinstance(value, (list, tuple, dict)) else 0
    if items > ITEMS:
        note = f"Shown: the first of {items:,} items, at most {ITEMS}. {note}".strip()
    return Part(name, type(value).__name__, text, note=note)


ADAPTERS: Final[Mapping[str, Adapter]] = {
    "builtins.str": _text,
    "builtins.bytes": lambda value, name: files.bytes_part(bytes(value), name),
    "builtins.bytearray": lambda value, name: files.bytes_part(bytes(value), name),
    "builtins.tuple": _typed_bytes,
    "builtins.BaseException": _exception,
    "pathlib.PurePath": lambda value, name: files.path_part(Path(value), name),
    "pandas.DataFrame": tables.pandas_frame,
    "pandas.Series": tables.pandas_series,
    "polars.DataFrame": tables.polars_frame,
    "polars.Series": tables.polars_series,
    "polars.LazyFrame": tables.polars_lazy,
    "numpy.ndarray": arrays.array,
    "matplotlib.Figure": pictures.matplotlib_figure,
    "matplotlib.Axes": pictures.matplotlib_axes,
    "PIL.Image": pictures.pillow_image,
    "plotly.BaseFigure": pictures.plotly_figure,
    f"{Place.__module__.partition('.')[0]}.{Place.__name__}": files.place_part,
    f"{Result.__module__.partition('.')[0]}.{Result.__name__}": _result,
    f"{Entities.__module__.partition('.')[0]}.{Entities.__name__}": _result,
}
"""By the first part of the module's name and the type's name; subclasses count as what they come from."""
