"""Results as tables: pandas is imported when one is asked for, and only then."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

Columns = tuple[tuple[str, str], ...]
"""Names in order, each with what it holds: `text`, `list`, `flag`, `count`, `seconds` or `time`."""

_TYPES = {"text": "object", "list": "object", "flag": "boolean", "count": "Int64", "seconds": "float64"}


def frame(rows: Iterable[Mapping[str, Any]], columns: Columns) -> Any:
    """A pandas DataFrame with exactly these columns and types, also of no rows. Times are UTC.

    Raises `ImportError` that says how to install pandas where it is missing.
    """
    pandas = _pandas()
    listed = list(rows)
    return pandas.DataFrame(
        {name: _column(pandas, [row.get(name) for row in listed], kind) for name, kind in columns},
        columns=[name for name, _ in columns],
    )


def _column(pandas: ModuleType, values: list[Any], kind: str) -> Any:
    if kind == "time":
        # One unit for all: pandas guesses another one from what happens to be there.
        nanoseconds = [None if value is None else round(value * 1e9) for value in values]
        return pandas.to_datetime(pandas.Series(nanoseconds, dtype="Int64"), unit="ns", utc=True, errors="coerce")
    if kind == "seconds":
        values = [float("nan") if value is None else float(value) for value in values]
    return pandas.Series(values, dtype=_TYPES[kind])


def _pandas() -> ModuleType:
    try:
        return importlib.import_module("pandas")
    except ImportError as missing:
        raise ImportError("to_frame() makes a pandas DataFrame, and pandas is not installed: pip install pandas") from (
            missing
        )
