"""numpy arrays as text: shape, type, range and the first values. The cost does not grow with them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from .parts import COLUMNS, ROWS, TABLE_BYTES, Part, cut, size, told_in_part
from .tables import COUNTED, cut_values, table_of

_RANGED: Final = "iufmM"  # kinds of dtype that have a least and a greatest value
_WITH_MISSING: Final = "fcmM"
_SECONDS: Final = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_PARTS: Final = {"milliseconds": 3, "microseconds": 6, "nanoseconds": 9, "picoseconds": 12}


def array(values: Any, name: str) -> Part:
    shape = " x ".join(f"{length:,}" for length in values.shape) or "scalar"
    lines = [f"shape {shape}, dtype {values.dtype}, {size(int(values.nbytes))}"]
    lines += _range(values) if values.size else []
    if values.ndim == 2:
        rows, columns = values.shape
        part = values[:ROWS, :COLUMNS]
        lines.append(f"The first rows, {min(columns, COLUMNS)} columns each:")
        text, shown, cuts = table_of([], _rows(part), TABLE_BYTES - 1024)
        all_shown = shown == rows and columns <= COLUMNS
        left = "" if all_shown else f"Shown: {shown} of {rows:,} rows, {min(columns, COLUMNS)} of {columns:,} columns."
        note = f"{left} {cuts}".strip()
    else:
        first = _first(values, ROWS * 5)
        cells = [told_in_part(value) for value in first]
        text, more = cut(", ".join(told for told, _ in cells), TABLE_BYTES - 1024)
        left = f"Shown: the first {len(first)} of {values.size:,} values." if len(first) < values.size else ""
        note = " ".join(filter(None, [left, more, cut_values(sum(is_short for _, is_short in cells))]))
    return Part(name, "numpy array", "\n".join([*lines, text]), note=note)


def _range(values: Any) -> list[str]:
    """The least, the greatest and the mean of what is there, and how much is missing; nothing of texts and objects."""
    kind = values.dtype.kind
    if kind not in _RANGED and kind not in _WITH_MISSING:
        return []
    if values.size > COUNTED:
        return [f"Range and missing values not looked at: there are more than {COUNTED:,} values."]
    # Of a masked array, what is not masked.
    there = values.compressed() if hasattr(values, "compressed") else values
    if kind in _WITH_MISSING:
        missing = there != there  # only nan and NaT are not what they are
        there = there[~missing] if missing.any() else there
    left_out = int(values.size - there.size)
    if not there.size:
        return [f"all {left_out:,} values are missing"]
    told = f"{left_out:,} of {values.size:,} values missing" if left_out else ""
    if kind not in _RANGED:
        return [told] if told else []
    with sys.modules["numpy"].errstate(all="ignore"):  # the mean of what is infinite is nan, and no warning
        ends = [("min", there.min()), ("max", there.max()), *([("mean", there.mean())] if kind != "M" else [])]
    text = ", ".join(f"{what} {_TEXTS[kind](value) if kind in _TEXTS else value}" for what, value in ends)
    return [f"{told}; of the others {text}" if told else text]


def _rows(part: Any) -> list[list[object]]:
    width = part.shape[1]
    flat = _first(part, part.size)
    return [flat[at * width : (at + 1) * width] for at in range(part.shape[0])]


def _first(values: Any, number: int) -> list[object]:
    """So many values as Python's own; `--`, as numpy has it, for what is masked: below a mask stands anything."""
    if not hasattr(values, "mask"):
        return _plain(values.flat[:number], values.dtype)
    masks = sys.modules["numpy"].ma.getmaskarray(values).flat[:number]
    below = _plain(values.data.flat[:number], values.dtype)
    return [_MASKED if _all(hidden) else value for value, hidden in zip(below, masks, strict=True)]


def _all(hidden: Any) -> bool:
    """Of a value with fields, each has its own mask: one that is masked in part is not shown either."""
    return any(hidden.item()) if hidden.dtype.names is not None else bool(hidden)


def _plain(flat: Any, dtype: Any) -> list[object]:
    """The values as Python's own, with dates and durations as people write them: `tolist()` makes integers of some."""
    if dtype.kind in _TEXTS:
        return [_TEXTS[dtype.kind](value) for value in flat]
    if dtype.names is not None and any(dtype[title].kind in _TEXTS for title in dtype.names):
        return [str(value) for value in flat]
    return [value.item() if hasattr(value, "item") else value for value in flat]


def _date(value: Any) -> str:
    """ISO 8601, without the zeros at the end of a second's parts."""
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _duration(value: Any) -> str:
    """As pandas writes it, `1 days 02:00:00.5`; months, years and what has no unit as numpy does."""
    text = str(value)
    number, _, unit = text.partition(" ")
    digits = _PARTS.get(unit, 0)
    if unit not in _SECONDS and not digits:
        return text
    whole, part = divmod(abs(int(number)), 10**digits)
    seconds = whole * _SECONDS.get(unit, 1)
    days, seconds = divmod(seconds, 86_400)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    fraction = f".{part:0{digits}}".rstrip("0") if part else ""
    return f"{'-' if number.startswith('-') else ''}{days} days {clock}{fraction}"


_MASKED: Final = "--"
_TEXTS: Final[dict[str, Callable[[Any], str]]] = {"M": _date, "m": _duration}
