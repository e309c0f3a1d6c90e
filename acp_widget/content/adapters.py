"""Which kind of object is snapshotted how: a table by the names of types, so that no library is imported for it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, Final

from ..entities import Entities, Result
from ..host.roots import Place
from . import arrays, displays, files, pictures, tables
from .own import METHOD, is_empty, is_ours, told, unreadable
from .parts import TABLE_BYTES, TEXT_BYTES, Part, cut
from .values import written

Adapter = Callable[[Any, str], Part]

CALLS: Final = 30
"""Of a traceback the last ones."""


def snapshot(value: object, name: str) -> Part:
    """A Part of any object, as it is now.

    Raises `TypeError` for a module, function or class, `OSError` for a file that cannot be read, and `ValueError` for
    all else that cannot be attached, whatever the object's own library raised: the message begins with the name.
    """
    try:
        value = told(value, name)
        adapter = None if is_empty(value) else _adapter(type(value))
        if adapter is not None:
            return adapter(value, name)
    except Exception as error:
        if is_ours(error, name) or (isinstance(error, OSError) and issubclass(type(value), (PurePath, Place))):
            raise
        raise unreadable(value, name, error) from error
    what = "class" if issubclass(type(value), type) else type(value).__name__
    raise TypeError(
        f"{name} is a {what}: there is nothing in it to send. Attach an object, a text or a Path; of a function or "
        "class its source, inspect.getsource(…); of what makes values one after the other a list, list(…)."
    )


def _adapter(kind: type) -> Adapter:
    titles = (f"{str(each.__module__).partition('.')[0]}.{each.__name__}" for each in kind.__mro__)
    return next((ADAPTERS[title] for title in titles if title in ADAPTERS), _unknown)


def _text(value: str, name: str) -> Part:
    text, note = cut(value, TEXT_BYTES)
    return Part(name, "text", text, note=note)


def _exception(error: BaseException, name: str) -> Part:
    lines = traceback.format_exception(type(error), error, error.__traceback__, limit=-CALLS)
    text, note = cut("".join(lines), TEXT_BYTES, end=True)
    calls = max(_calls(error))
    if calls > CALLS:
        note = f"Shown: the last {CALLS} of {calls:,} calls. {note}".strip()
    return Part(name, type(error).__name__, text, note=note)


def _calls(error: BaseException | None) -> Iterator[int]:
    """How many calls the traceback of an error has, and that of each which led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield sum(1 for _ in traceback.walk_tb(error.__traceback__))
        error = error.__cause__ or error.__context__


def _result(value: Any, name: str) -> Part:
    text, note = cut(value._repr_markdown_(), TEXT_BYTES)
    return Part(name, type(value).__name__, text, "text/markdown", note=note)


def _typed_bytes(value: tuple[Any, ...], name: str) -> Part:
    if len(value) == 2 and isinstance(value[0], (bytes, bytearray)) and isinstance(value[1], str):
        return files.bytes_part(bytes(value[0]), name, value[1])
    return _unknown(value, name)


def _unknown(value: object, name: str) -> Part:
    text, note = written(value, TABLE_BYTES)
    if _ONLY_A_NAME.fullmatch(text):
        note = f"Its repr() says nothing of what it holds; {METHOD}() would."
    return Part(name, type(value).__name__, text, note=note)


_ONLY_A_NAME: Final = re.compile(r"<[\w.<>]+( object)? at 0x[0-9a-fA-F]+>")

ADAPTERS: Final[Mapping[str, Adapter]] = {
    "builtins.str": _text,
    "builtins.bytes": lambda value, name: files.bytes_part(bytes(value), name),
    "builtins.bytearray": lambda value, name: files.bytes_part(bytes(value), name),
    "builtins.memoryview": displays.view,
    "builtins.tuple": _typed_bytes,
    "builtins.BaseException": _exception,
    "pathlib.PurePath": lambda value, name: files.path_part(Path(value), name),
    "pandas.DataFrame": tables.pandas_frame,
    "pandas.Series": tables.pandas_series,
    "pandas.Styler": displays.styled_frame,
    "polars.DataFrame": tables.polars_frame,
    "polars.Series": tables.polars_series,
    "polars.LazyFrame": tables.polars_lazy,
    "numpy.ndarray": arrays.array,
    "matplotlib.Figure": pictures.matplotlib_figure,
    "matplotlib.SubFigure": pictures.matplotlib_part,
    "matplotlib.Axes": pictures.matplotlib_axes,
    "IPython.DisplayObject": displays.display_object,
    "PIL.Image": pictures.pillow_image,
    "plotly.BaseFigure": pictures.plotly_figure,
    f"{Place.__module__.partition('.')[0]}.{Place.__name__}": files.place_part,
    f"{Result.__module__.partition('.')[0]}.{Result.__name__}": _result,
    f"{Entities.__module__.partition('.')[0]}.{Entities.__name__}": _result,
}
"""By the first part of the module's name and the type's name; subclasses count as what they come from."""
