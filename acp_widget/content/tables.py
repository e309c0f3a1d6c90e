"""Frames and series as text: what they are made of, and their first rows. The cost does not grow with them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final

from .parts import CELL, COLUMNS, ROWS, TABLE_BYTES, Part, cell, cut, size, told_in_part

COUNTED: Final = 10_000_000
"""Values up to which missing ones are counted, and the range of an array is looked at."""


def pandas_frame(frame: Any, name: str) -> Part:
    rows, columns = frame.shape
    shown = min(columns, COLUMNS)
    head = frame.iloc[:ROWS, :shown]
    counted = rows * shown <= COUNTED
    schema = [
        (
            _label(head.columns[at]),
            str(frame.dtypes.iloc[at]),
            f"{int(frame.iloc[:, at].isna().sum()):,} missing" if counted else "missing not counted",
        )
        for at in range(shown)
    ]
    memory = int(frame.memory_usage(index=True, deep=False).sum())
    header = [*("" if each is None else each for each in frame.index.names), *map(_label, head.columns)]
    levels = frame.index.nlevels
    labels = [label if levels > 1 else (label,) for label in head.index]
    body = [[*labels[at], *(head.iat[at, column] for column in range(shown))] for at in range(len(head))]
    kind = type(frame).__name__
    return _table(name, f"pandas {kind}", rows, columns, memory, schema, header, body)


def _label(label: object) -> object:
    """A column's label, its levels in one text."""
    return " / ".join(str(level) for level in label) if isinstance(label, tuple) else label


def pandas_series(series: Any, name: str) -> Part:
    part = pandas_frame(series.to_frame(name=series.name if series.name is not None else "value"), name)
    return Part(name, "pandas Series", part.text, part.mime, part.note)


def polars_frame(frame: Any, name: str) -> Part:
    rows, columns = frame.shape
    head = frame[:ROWS, :COLUMNS]
    nulls = [frame[title].null_count() for title in head.columns]
    schema = [
        (title, str(dtype), f"{missing:,} missing")
        for title, dtype, missing in zip(head.columns, head.dtypes, nulls, strict=True)
    ]
    return _table(
        name, "polars DataFrame", rows, columns, int(frame.estimated_size()), schema, head.columns, head.rows()
    )


def polars_series(series: Any, name: str) -> Part:
    part = polars_frame(series.to_frame(), name)
    return Part(name, "polars Series", part.text, part.mime, part.note)


def polars_lazy(frame: Any, name: str) -> Part:
    """Only its columns: to read rows, the whole query might have to run."""
    schema = frame.collect_schema()
    titles = [f"  {cell(title)}: {dtype}" for title, dtype in list(schema.items())[:COLUMNS]]
    note = f"Shown: {len(titles)} of {len(schema)} columns, no rows: the query was not run."
    text, more = cut("\n".join(["Columns:", *titles]), TABLE_BYTES)
    return Part(name, "polars LazyFrame", text, note=" ".join(filter(None, [note, more])))


def _table(
    name: str,
    kind: str,
    rows: int,
    columns: int,
    memory: int,
    schema: Iterable[tuple[object, str, str]],
    header: Sequence[object],
    body: Sequence[Sequence[object]],
) -> Part:
    lines = [f"{rows:,} rows x {columns:,} columns, {size(memory)} in memory", "Columns:"]
    lines += [f"  {cell(title)}: {cell(dtype)}, {missing}" for title, dtype, missing in schema]
    about, more = cut("\n".join(lines), TABLE_BYTES // 2)
    text, shown, note = table_of(header, body, TABLE_BYTES - len(about.encode()))
    if shown < rows or columns > COLUMNS:
        of = f"Shown: {shown:,} of {rows:,} rows, {min(columns, COLUMNS)} of {columns:,} columns."
        note = f"{of} {note}".strip()
    return Part(name, kind, f"{about}\nThe first rows as CSV:\n{text}", note=" ".join(filter(None, [note, more])))


def table_of(header: Sequence[object], body: Iterable[Sequence[object]], limit: int) -> tuple[str, int, str]:
    """As many rows as fit as CSV, how many these are, and what to say of their cells."""
    taken: list[str] = []
    left, shown, shortened = limit, -1 if header else 0, 0
    for row in [header, *body] if header else body:
        line, cells = io.StringIO(), [told_in_part(value) for value in row]
        csv.writer(line, lineterminator="\n").writerow([text for text, _ in cells])
        left -= len(line.getvalue().encode("utf-8", "replace"))
        if left < 0:
            break
        taken.append(line.getvalue())
        shown += 1
        shortened += sum(is_short for _, is_short in cells)
    return "".join(taken), max(0, shown), cut_values(shortened)


def cut_values(number: int) -> str:
    """A sentence about values of which only the beginning is told."""
    return f"{number:,} value{' is' if number == 1 else 's are'} cut at {CELL} characters." if number else ""
