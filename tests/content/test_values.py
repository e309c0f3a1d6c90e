"""Containers go with what is in them, and whatever of them does not go is told."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from acp_widget.content.attached import attached

Plain = namedtuple("Plain", "a b")


class Typed(NamedTuple):
    x: int
    rest: tuple[int, ...] = ()


@dataclasses.dataclass
class Record:
    title: str
    sizes: list[int]
    token: str = dataclasses.field(default="secret", repr=False)


@dataclasses.dataclass
class OwnWords:
    token: str

    def __repr__(self) -> str:
        return "OwnWords(…)"


class Hiding(dict[str, str]):
    def __repr__(self) -> str:
        return "<Hiding>"


def sent(value: object) -> tuple[str, str]:
    """The text without its note, and the note."""
    (_, block) = attached("x", [], {"it": value}, {}).blocks({"embeddedContext": {}})
    note = str(block["_meta"]["acp-widget"].get("note", ""))
    text = str(block["resource"]["text"])
    assert text.startswith(note), "the agent is told, too"
    return text[len(note) :].strip(), note


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Counter("abca"), "Counter({'a': 2, 'b': 1, 'c': 1})"),
        (defaultdict(list, a=[1]), "defaultdict({'a': [1]})"),
        (OrderedDict(b=1, a=2), "OrderedDict({'b': 1, 'a': 2})"),
        (deque([1, 2]), "deque([1, 2])"),
        (Plain(1, "y"), "Plain(a=1, b='y')"),
        (Typed(1, (2,)), "Typed(x=1, rest=(2,))"),
        (Record("t", [1, 2]), "Record(title='t', sizes=[1, 2])"),
        (frozenset({3, 1}), "frozenset({1, 3})"),
        ({"deep": Counter("a"), "set": set(), "none": None}, "{'deep': Counter({'a': 1}), 'set': set(), 'none': None}"),
        (type("Mine", (dict,), {})(a=1), "{'a': 1}"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_all_of_a_small_container_goes(value: object, text: str) -> None:
    assert sent(value) == (text, "")


def test_a_repr_of_its_own_says_what_is_to_be_seen() -> None:
    assert sent(OwnWords("secret")) == ("OwnWords(…)", "")
    assert sent(Hiding(password="secret")) == ("<Hiding>", "")
    assert sent([Hiding(password="secret")]) == ("[<Hiding>]", "")


def test_ten_levels_go_and_what_is_deeper_than_twenty_is_told() -> None:
    assert sent(functools.reduce(lambda inner, _: {"a": inner}, range(10), 7))[0].count("'a'") == 10
    text, note = sent(functools.reduce(lambda inner, _: [inner], range(100_000), 1))
    assert text == "[" * 21 + "..." + "]" * 21
    assert note == "1 container is left out, deeper than 20 levels."
    itself: list[Any] = [1]
    itself.append(itself)
    assert sent(itself) == ("[1, [...]]", "")


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (["x" * 5000, "y" * 3000], "2 texts in it are cut at 2,000 characters."),
        ({"k": "v" * 3000}, "1 text in it is cut at 2,000 characters."),
        (frozenset(range(1000)), "Shown: the first 200 of 1,000 items."),
        (Counter({number: number for number in range(1000)}), "Shown: the first 200 of 1,000 items."),
        (deque(range(300)), "Shown: the first 200 of 300 items."),
        ([[0] * 300, [0] * 300], "2 containers in it are cut at 200 items."),
        ([b"x" * 500], "1 value of bytes is cut at 100 bytes."),
        ([10**5000], "1 number is only told by length, above 1,000 digits."),
        ({"values": np.zeros(5000)}, "1 array or table is shown as its repr() shortens it."),
        (["é" * 1999] * 9, "Shown: the first 4,101 characters of its 9 items."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_left_out_of_a_container_is_told(value: object, note: str) -> None:
    text, told = sent(value)
    assert told == note
    assert text
    assert len(text.encode()) <= 8 * 1024


def test_of_a_counter_the_most_common_go() -> None:
    assert sent(Counter({number: number for number in range(1000)}))[0].startswith("Counter({999: 999, 998: 998")


def test_nested_containers_that_would_be_endless_end_at_the_cap() -> None:
    wide: Any = functools.reduce(lambda inner, _: [inner] * 200, range(15), "z")
    text, note = sent(wide)
    assert len(text) == 8192
    assert note == "Shown: the first 8,192 characters of its 200 items."


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (pd.DataFrame({"a": ["x" * 500, "y"], "b": ["z" * 500] * 2}), "3 values are cut at 200 characters."),
        (pd.DataFrame({"a": [[1] * 500]}), "1 value is cut at 200 characters."),
        (np.array(["x" * 500, "y"]), "1 value is cut at 200 characters."),
        (np.array([["x" * 500, "y"]]), "1 value is cut at 200 characters."),
    ],
    ids=["frame", "lists", "array", "matrix"],
)
def test_cells_that_are_cut_are_counted(value: object, note: str) -> None:
    assert sent(value)[1] == note


def test_of_a_deep_traceback_it_is_told_how_many_calls_go() -> None:
    def deeper(left: int) -> None:
        if not left:
            raise ValueError("at the end")
        deeper(left - 1)

    with pytest.raises(ValueError, match="at the end") as caught:
        deeper(50)
    assert sent(caught.value)[1] == "Shown: the last 30 of 52 calls."


def test_an_object_of_which_only_the_type_goes_says_so() -> None:
    text, note = sent(type("Fit", (), {})())
    assert "Fit object at 0x" in text
    assert note == "Its repr() says nothing of what it holds; __acp_content__() would."
