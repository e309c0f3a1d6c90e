"""What a terminal shows as text."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_widget.session.screen import Screen, screen_text

GOLDEN = json.loads((Path(__file__).parent / "golden" / "terminal_text.json").read_text(encoding="utf-8"))


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
    + [b"\x1b[%d%c" % (n, final) for n in (0, 1, 2, 3, 99999) for final in b"ABCDEFGHJKLMPX@dsu"]
    + [b"\x1b]0;t\x07", b"\x1b]8;;x\x1b\\", b"\x1bP", b"\x1b\\", b"\x1b7", b"\x1b8", b"\x1bM", b"\x1bD", b"\x1bc"]
)


@given(st.lists(PIECES | st.binary(max_size=5), max_size=60), st.data())
def test_any_bytes_are_shown_and_cuts_do_not_matter(pieces: list[bytes], data: st.DataObject) -> None:
    output = b"".join(pieces)
    cut = data.draw(st.integers(0, len(output)))
    screen = Screen()
    screen.feed(output[:cut])
    screen.feed(output[cut:])
    text = screen.text()
    assert text == screen_text(output)
    assert not any(ord(char) < 0x20 and char != "\n" for char in text)


def test_a_terminal_of_known_height_scrolls_at_its_last_line() -> None:
    assert screen_text(b"1\n2\n3\n\x1b[Htop", rows=2) == "1\n2\ntop"


def test_a_long_history_is_kept_whole() -> None:
    output = b"".join(b"line %d\r\n" % n for n in range(20_000))
    lines = screen_text(output).split("\n")
    assert len(lines) == 20_000
    assert lines[-1] == "line 19999"
