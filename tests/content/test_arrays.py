"""Arrays are told in values that people read: dates as dates, and a range that a missing value does not spoil."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from acp_widget.content.attached import attached


def text_of(values: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (_, block) = attached("x", [], {"it": values}, {}).blocks({"embeddedContext": {}})
    text: str = block["resource"]["text"]
    return text


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_dates_are_dates_in_every_unit(unit: str) -> None:
    dates = np.array(["2020-01-02", "NaT", "2020-03-04"], dtype="M8[D]").astype(f"M8[{unit}]")
    for values in (dates, dates.reshape(3, 1), dates[:1].reshape(()), np.array([[dates]])):
        text = text_of(values)
        assert "2020-01-02" in text
        assert "157792" not in text, "no count of seconds or less"
    assert "NaT" in text_of(dates)
    assert "1 of 3 values missing; of the others min 2020-01-02" in text_of(dates)


def test_a_part_of_a_second_stays_in_a_date() -> None:
    assert "2020-01-02T03:04:05.000000006" in text_of(np.array(["2020-01-02T03:04:05.000000006"], dtype="M8[ns]"))
    assert "2020-01-02T03:04:05\n" in text_of(np.array([["2020-01-02T03:04:05"]], dtype="M8[ns]"))


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (np.timedelta64(1, "ns"), "0 days 00:00:00.000000001"),
        (np.timedelta64(-90_500, "ms"), "-0 days 00:01:30.5"),
        (np.timedelta64(50, "h"), "2 days 02:00:00"),
        (np.timedelta64(3, "W"), "21 days 00:00:00"),
        (np.array([2], "m8[25s]")[0], "0 days 00:00:50"),
        (np.timedelta64(3, "M"), "3 months"),
        (np.timedelta64("NaT", "ns"), "NaT"),
    ],
)
def test_durations_are_days_and_hours(duration: Any, words: str) -> None:
    text = text_of(np.array([duration]))
    assert text.splitlines()[-1] == words
    assert words in text_of(np.array([[duration]]))
    assert words in text_of(np.array(duration))


def test_dates_of_a_frame_and_of_fields_are_dates() -> None:
    assert "2020-01-02" in text_of(pd.Series(pd.to_datetime(["2020-01-02"])).astype("M8[ns]").values)
    assert "2020-01-02" in text_of(np.array([("2020-01-02", 1)], dtype=[("day", "M8[ns]"), ("n", "i4")]))


@pytest.mark.parametrize("shape", [(4,), (2, 2), (2, 1, 2)])
def test_one_missing_value_does_not_spoil_the_range(shape: tuple[int, ...]) -> None:
    text = text_of(np.array([np.nan, 1.0, 2.0, 6.0]).reshape(shape))
    assert "1 of 4 values missing; of the others min 1.0, max 6.0, mean 3.0" in text


def test_what_is_missing_altogether_masked_or_infinite_is_told() -> None:
    assert "all 3 values are missing" in text_of(np.full(3, np.nan))
    assert "min 1, max 3, mean 2.0" in text_of(np.array([1, 2, 3]))
    masked = np.ma.array([1.0, 2.0, np.nan], mask=[True, False, False])
    assert "2 of 3 values missing; of the others min 2.0, max 2.0, mean 2.0" in text_of(masked)
    assert "min -inf, max inf, mean nan" in text_of(np.array([np.inf, -np.inf]))
    assert "1 of 2 values missing" in text_of(np.array([1j, np.nan]))


def test_of_very_many_values_it_says_that_the_range_was_not_looked_at() -> None:
    text = text_of(np.broadcast_to(np.float64(1), (10_000_001,)))
    assert "Range and missing values not looked at: there are more than 10,000,000 values." in text


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (np.ma.array([10, 20, 30, 40], mask=[0, 1, 0, 1]), "10, --, 30, --"),
        (np.ma.array(["a", "b"], mask=[0, 1]), "a, --"),
        (np.ma.array([[1.5, 2.0], [3.0, 4.0]], mask=[[1, 0], [0, 1]]), "--,2.0\n3.0,--"),
        (np.ma.array([(1, 2.0), (3, 4.0)], dtype=[("x", int), ("y", float)], mask=[(0, 0), (1, 0)]), "(1, 2.0), --"),
        (np.ma.array(5, mask=True), "--"),
    ],
)
def test_what_is_masked_is_not_told(values: object, told: str) -> None:
    text = text_of(values)
    assert text.splitlines()[-len(told.splitlines()) :] == told.splitlines()


def test_levels_of_an_index_are_columns_with_their_names() -> None:
    index = pd.MultiIndex.from_tuples([("DE", np.int64(1)), ("FR", np.int64(2))], names=["land", None])
    assert text_of(pd.DataFrame({"a": [1, 2]}, index=index)).endswith("land,,a\nDE,1,1\nFR,2,2\n")
    across = text_of(pd.DataFrame([[1, 2]], columns=index))
    assert "  DE / 1: int64" in across
    assert across.endswith(",DE / 1,FR / 2\n0,1,2\n")
