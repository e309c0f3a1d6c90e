"""What a terminal shows as text."""

from __future__ import annotations

import base64
import json
import re
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_widget.session.screen import Screen, screen_text, size_of
from acp_widget.session.widths import width_of

from .terminal_streams import random_stream, recordings

FOLDER = Path(__file__).parent / "golden"
GOLDEN = json.loads((FOLDER / "terminal_text.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_shows_what_a_terminal_shows(case: dict) -> None:
    screen = Screen()
    for chunk in case["chunks"]:
        screen.feed(base64.b64decode(chunk))
    assert screen.text() == case["text"]


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_where_chunks_are_cut_makes_no_difference(case: dict) -> None:
    data = b"".join(base64.b64decode(chunk) for chunk in case["chunks"])
    screen = Screen()
    for at in range(len(data)):
        screen.feed(data[at : at + 1])
    assert screen.text() == case["text"] == screen_text(data)


PIECES = st.sampled_from(
    [b"ab", b" ", b"\n", b"\r", b"\b", b"\t", "日".encode(), "e\u0301".encode(), b"\xff", b"\x1b", b"\x1b[", b"\x9b"]
    + [b"\x1b[%d%c" % (n, final) for n in (0, 1, 2, 3, 99999) for final in b"ABCDEFGHJKLMPSTX@bdersu"]
    + [b"\x1b]0;t\x07", b"\x1b]8;;x\x1b\\", b"\x1bP", b"\x1b\\", b"\x1b7", b"\x1b8", b"\x1bM", b"\x1bD", b"\x1bc"]
    + [b"\x1b[2;3r", b"\x1b[99;1r", b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?47h", b"\x1b[?47l"]
)


@given(st.lists(PIECES | st.binary(max_size=5), max_size=60), st.data())
def test_any_bytes_are_shown_and_cuts_do_not_matter(pieces: list[bytes], data: st.DataObject) -> None:
    output = b"".join(pieces)
    cut = data.draw(st.integers(0, len(output)))
    size = data.draw(st.sampled_from([(24, 10_000), (1, 1), (2, 3), (5, 8), (24, 80)]))
    screen = Screen(*size)
    screen.feed(output[:cut])
    screen.feed(output[cut:])
    text = screen.text()
    assert text == screen_text(output, *size)
    assert not any(ord(char) < 0x20 and char != "\n" for char in text)


def test_a_terminal_of_known_height_scrolls_at_its_last_line() -> None:
    assert screen_text(b"1\n2\n3\n\x1b[Htop", rows=2) == "1\n2\ntop"


def test_a_long_history_is_kept_whole() -> None:
    output = b"".join(b"line %d\r\n" % n for n in range(20_000))
    lines = screen_text(output).split("\n")
    assert len(lines) == 20_000
    assert lines[-1] == "line 19999"


@pytest.mark.parametrize(("name", "rows", "columns", "data"), list(recordings()), ids=lambda value: str(value)[:24])
def test_what_programs_print_is_the_same_wherever_it_is_cut(name: str, rows: int, columns: int, data: bytes) -> None:
    screen = Screen(rows, columns)
    for at in range(0, len(data), 7):
        screen.feed(data[at : at + 7])
    assert screen.text() == screen_text(data, rows, columns) != ""
    assert "\x1b" not in screen.text()


def test_random_streams_are_the_same_wherever_they_are_cut() -> None:
    for seed in range(200):
        rows, columns, data = random_stream(seed)
        screen = Screen(rows, columns)
        for at in range(len(data)):
            screen.feed(data[at : at + 1])
        assert screen.text() == screen_text(data, rows, columns), seed


def test_a_line_wraps_where_the_terminal_ends_and_is_one_line_in_the_text() -> None:
    output = b"abcdefgh\r\x1b[AX"
    assert screen_text(output, 24, 5) == "Xbcdefgh"
    assert screen_text(output) == "Xbcdefgh"
    assert screen_text(b"abcdefgh\x1b[AX", 24, 5) == "abcXefgh"
    assert screen_text("日本語".encode(), 24, 5) == "日本語"


def test_a_full_screen_program_leaves_what_was_there() -> None:
    assert screen_text(b"$ less\n\x1b[?1049h\x1b[Hpage\n:") == "page\n:"
    assert screen_text(b"$ less\n\x1b[?1049h\x1b[Hpage\n:\x1b[?1049l$ ") == "$ less\n$ "


def test_a_status_line_below_the_lines_that_scroll_stays() -> None:
    output = b"\x1b[1;2r\x1b[3;1Hstatus\x1b[1;1H1\n2\n3\n4"
    assert screen_text(output, 3, 20) == "1\n2\n3\n4\nstatus"


def test_a_character_is_repeated() -> None:
    assert screen_text("-\x1b[3b|日\x1b[b".encode()) == "----|日日"


@pytest.mark.parametrize(
    "size", [None, {}, {"cols": 80}, {"rows": "2"}, {"rows": 0, "cols": -1}, [24, 80], {"rows": True}]
)
def test_a_size_that_makes_no_sense_is_as_none(size: object) -> None:
    assert size_of({"size": size}) in [(24, 10_000), (24, 80)]
    assert size_of({"size": {"cols": 120, "rows": 40}}) == (40, 120)


def test_a_line_without_end_does_not_grow_without_end() -> None:
    screen = Screen()
    for _ in range(50):
        screen.feed(b"x" * 10_000)
    assert screen.text() == "x" * 500_000


def test_the_front_end_has_the_same_widths() -> None:
    source = (Path(__file__).parents[1] / "js" / "src" / "lib" / "widths.ts").read_text(encoding="utf-8")
    for name, width in (("WIDE", 2), ("NO_WIDTH", 0)):
        packed = "".join(re.findall('"([0-9a-z ]+)"', source.split(f"const {name} = borders(")[1].split(");")[0]))
        edges = list(accumulate(int(count, 36) for count in packed.split()))
        there = {code for start, end in zip(edges[::2], edges[1::2], strict=True) for code in range(start, end)}
        assert there == {code for code in range(0x110000) if width_of(chr(code)) == width}, name
