"""What cannot be read is refused in one line that names it, whatever its library raised; and nothing is sent."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib.figure
import pandas as pd
import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from PIL import Image

from acp_widget import AcpError
from acp_widget.content import mentions
from acp_widget.content.attached import attached
from acp_widget.host.roots import Roots


class Classless:
    """What it says of its class is an error; its type is known all the same."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")

    def __repr__(self) -> str:
        return "Classless()"


class Torn(pd.DataFrame):
    def memory_usage(self, *_: Any, **__: Any) -> Any:
        raise LookupError("torn\n  apart")


class Awkward(type):
    def __getattr__(cls, name: str) -> Any:
        raise LookupError(name)


def drawn(width: float, height: float, title: str = "") -> matplotlib.figure.Figure:
    figure = matplotlib.figure.Figure(figsize=(width, height))
    figure.subplots().set_title(title)
    return figure


def closed(folder: Path) -> Image.Image:
    Image.new("RGB", (2, 2)).save(folder / "a.png")
    picture = Image.open(folder / "a.png")
    picture.close()
    return picture


def cut_off(_: Path) -> Image.Image:
    data = io.BytesIO()
    Image.effect_noise((200, 200), 50).save(data, "PNG")
    return Image.open(io.BytesIO(data.getvalue()[:20_000]))


BROKEN: dict[str, Any] = {
    "a huge figure": lambda folder: drawn(500, 500),
    "a tiny figure": lambda folder: drawn(0.001, 0.001),
    "bad mathtext": lambda folder: drawn(3, 2, r"$\frac{$"),
    "no pixels": lambda folder: Image.new("RGB", (0, 0)),
    "a closed picture": closed,
    "half a file": cut_off,
    "a lazy query": lambda folder: pl.LazyFrame({"a": [1]}).filter(pl.col("nope") > 1),
    "a torn frame": lambda folder: Torn({"a": [1]}),
    "a metaclass": lambda folder: Awkward("Odd", (), {})(),
}


@pytest.mark.parametrize("make", BROKEN.values(), ids=BROKEN)
def test_an_error_of_a_library_is_one_line_that_names_the_object(make: Any, tmp_path: Path) -> None:
    value = make(tmp_path)
    with pytest.raises(ValueError, match=r"^o cannot be attached: this \w+ cannot be read\. \w+") as caught:
        attached("x", [], {"o": value}, {})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert caught.value.__cause__ is not None, "what the library said is in the traceback"


def test_too_much_and_what_is_no_file_name_the_object_too() -> None:
    for value in (b"0" * 2_000_000, b"\x89PNG\r\n\x1a\n" + b"0" * 6_000_000, Path("/dev/null")):
        with pytest.raises(ValueError, match=r"^o cannot be attached: [/i]"):
            attached("x", [], {"o": value}, {})


def test_an_object_whose_class_is_an_error_goes_as_its_repr() -> None:
    for value in (Classless(), [Classless()], {"a": Classless()}):
        (_, block) = attached("x", [], {"o": value}, {}).blocks()
        assert "Classless()" in block["resource"]["text"]
    assert attached("x", [Classless()], None, {}).blocks()[1]["_meta"]["acp-widget"]["name"] == "part 1"
    attached("x", [], [Classless()], {})


@pytest.mark.parametrize("mode", ["La", "RGBa", "PA", "LAB", "I;16"])
def test_pictures_of_rare_modes_are_sent(mode: str) -> None:
    (_, block) = attached("x", [], {"o": Image.new(mode, (2, 2))}, {}).blocks()
    assert block["mimeType"] == "image/png"


def test_in_a_cell_it_is_one_line_and_nothing_is_sent() -> None:
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "acp_widget")
    shell.user_ns["o"] = drawn(3, 2, r"$\frac{$")
    with capture_output() as said:
        shell.run_cell("%%acp --agent demo --attach o --out turn\nhello")
    shell.run_line_magic("unload_ext", "acp_widget")
    assert "turn" not in shell.user_ns
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()
    (line,) = f"{said.stdout}{said.stderr}".strip().splitlines()
    assert "o cannot be attached: this Figure cannot be read. ValueError: " in line


def test_of_a_mention_the_name_stands_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mentions, "variables", lambda: {"o": Image.new("RGB", (0, 0))})
    with pytest.raises(AcpError, match=r"^@o cannot be attached: this Image cannot be read"):
        mentions.mentioned("@o", {"o": True}, Roots([str(tmp_path)]))
