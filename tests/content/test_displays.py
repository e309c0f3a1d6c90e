"""Of what only shows itself, what it holds is sent; a text is a text, whatever the end of its name says."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
from IPython.display import HTML, JSON, SVG, Audio, Image, Latex, Markdown, Video
from PIL import Image as Pictures

from acp_widget.content.attached import attached

PNG = io.BytesIO()
Pictures.new("RGB", (3, 2)).save(PNG, "PNG")


def block_of(value: object, **takes: Any) -> Any:
    return attached("x", [], {"it": value}, {}).blocks(takes or {"image": {}, "embeddedContext": {}})[1]


@pytest.mark.parametrize(
    ("value", "mime", "text"),
    [
        (HTML("<b>Sales</b>"), "text/html", "<b>Sales</b>"),
        (Markdown("*Sales*"), "text/markdown", "*Sales*"),
        (Latex("$x$"), "text/latex", "$x$"),
        (
            SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'),
            "image/svg+xml",
            '<svg xmlns="http://www.w3.org/2000/svg"/>',
        ),
        (JSON({"sales": [1, 2]}), "text/plain", "{'sales': [1, 2]}"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_display_object_shows_goes_as_text(value: object, mime: str, text: str) -> None:
    resource = block_of(value)["resource"]
    assert (resource["mimeType"], resource["text"]) == (mime, text)


def test_a_picture_goes_as_a_picture_and_a_sound_as_bytes() -> None:
    for value in (Image(data=PNG.getvalue()), memoryview(PNG.getvalue())):
        block = block_of(value)
        assert (block["type"], block["mimeType"]) == ("image", "image/png")
        assert base64.b64decode(block["data"]) == PNG.getvalue()
    assert block_of(Audio(data=b"RIFF0000WAVE"))["resource"]["mimeType"] == "audio/wav"


def test_of_what_is_elsewhere_the_address_goes_and_it_is_told() -> None:
    for value in (Image(url="http://localhost/a.png"), Video("http://localhost/a.mp4")):
        assert block_of(value)["resource"]["text"].startswith("Only its address is sent.\nhttp://localhost/a.")


def test_an_empty_one_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"^it cannot be attached: this HTML holds no data\.$"):
        block_of(HTML())


def test_a_view_goes_as_the_bytes_that_it_looks_at() -> None:
    assert base64.b64decode(block_of(memoryview(b"abcdef")[::2])["resource"]["blob"]) == b"ace"
    with pytest.raises(ValueError, match=r"^it cannot be attached: it has .* of bytes"):
        block_of(memoryview(np.zeros(10_000_000, dtype="u1")))
    gone = memoryview(b"x")
    gone.release()
    with pytest.raises(ValueError, match=r"^it cannot be attached: this memoryview cannot be read"):
        block_of(gone)


def test_a_styled_frame_goes_as_its_frame() -> None:
    block = block_of(pd.DataFrame({"price": [1, 2]}).style.format("{} EUR"))
    assert block["resource"]["text"].startswith("Sent without its style.\n2 rows x 1 columns")
    assert "\n0,1\n1,2\n" in block["resource"]["text"]


def test_a_part_of_a_figure_is_drawn_alone_and_axes_with_their_figure() -> None:
    figure = matplotlib.figure.Figure(figsize=(4, 2), dpi=100)
    left, right = figure.subfigures(1, 2)
    left.set_facecolor("red")
    right.set_facecolor("blue")
    axes = right.subplots()
    axes.set_title("Growth")
    block = block_of(right)
    drawn = Pictures.open(io.BytesIO(base64.b64decode(block["data"]))).convert("RGB")
    assert drawn.size == (200, 200)
    assert drawn.getpixel((2, 2)) == (0, 0, 255), "the right half only"
    assert "title Growth" in block_of(right, embeddedContext={})["resource"]["text"]
    left.subplots()
    whole = block_of(axes)
    assert whole["_meta"]["acp-widget"]["note"] == "Its whole figure is sent."
    assert Pictures.open(io.BytesIO(base64.b64decode(whole["data"]))).size == (400, 200)


@pytest.mark.parametrize("name", ["a.png", "a.mp4", "a.mp3", "a.bin"])
def test_a_text_in_a_file_with_a_strange_name_is_a_text(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("let x = 1\n")
    resource = block_of(tmp_path / name)["resource"]
    assert (resource["mimeType"], resource["text"]) == ("text/plain", "let x = 1\n")
    assert block_of(tmp_path / name, image={})["mimeType"] == "text/plain"


def test_a_drawing_in_svg_stays_one(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text("<svg/>")
    assert block_of(tmp_path / "a.svg")["resource"]["mimeType"] == "image/svg+xml"
