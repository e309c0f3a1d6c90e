"""Colours of a terminal, read in Python: the same screen as the text, and the looks that the codes ask for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget.session.coloured import coloured_lines
from acp_widget.session.screen import screen_text

PIECES = [
    *(b"abc", b"\n", b"\r", b" ", b"\t", b"e\xcc\x81", b"\xe4\xbd\xa0", b"\xff"),
    *(b"\x1b[31m", b"\x1b[0m", b"\x1b[1;38;5;200m", b"\x1b[48:2::1:2:3m", b"\x1b[3"),
    *(b"\x1b[2A", b"\x1b[3D", b"\x1b[K", b"\x1b[2J", b"\x1b[H", b"\x1b[2L", b"\x1b[P", b"\x1b[@"),
    *(b"\x1b[?1049h", b"\x1b[?1049l", b"\x1bc", b"\x1b]0;title\x07"),
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from([(24, 10_000), (5, 10), (3, 4)]))
def test_the_coloured_screen_says_what_the_plain_one_says(pieces: list[bytes], size: tuple[int, int]) -> None:
    data = b"".join(pieces)
    lines = ["".join(text for _, text in line) for line in coloured_lines(data, *size)]
    assert "\n".join(lines) == screen_text(data, *size)


@pytest.mark.parametrize(
    ("codes", "css"),
    [
        ("31", "color:#ff7b72"),
        ("1;4", "font-weight:bold;text-decoration:underline"),
        ("4:0", ""),
        ("1;22", ""),
        ("91;2;9", "color:#ffa198;opacity:0.75;text-decoration:line-through"),
        ("7", "color:#16191d;background-color:#e3e6ea"),
        ("44", "color:#ffffff;background-color:#1158a8"),
        ("107", "color:#000000;background-color:#ffffff"),
        ("38;5;9", "color:#ffa198"),
        ("38;5;196", "color:#ff0000"),
        ("38;5;250;3", "color:#bcbcbc;font-style:italic"),
        ("38;2;1;2;300", "color:#0102ff"),
        ("38:2::1:2:3", "color:#010203"),
        ("38:2:1:2:3", "color:#010203"),
        ("58;2;1;2;3;31", "color:#ff7b72"),
        ("31;39", ""),
        ("41;49;", ""),
        ("38", ""),
        ("999;;", ""),
    ],
)
def test_codes_have_a_look(codes: str, css: str) -> None:
    runs = coloured_lines(f"\x1b[{codes}mx".encode())[0]
    assert runs == [(css, "x")]


def test_a_reset_ends_all_looks() -> None:
    assert coloured_lines(b"\x1b[31mred\x1bcplain") == [[("", "plain")]]
