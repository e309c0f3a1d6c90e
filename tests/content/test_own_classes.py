"""An object of a user's own class says itself what is attached of it, and is named when it cannot."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from acp_widget import Agent, Attachment
from acp_widget.content.attached import attached


class Own:
    """Its content is what the function returns."""

    def __init__(self, content: Callable[[], object]) -> None:
        self._content = content

    def __acp_content__(self) -> object:
        return self._content()


class Silent(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def block_of(value: object, capabilities: dict[str, Any] | None = None) -> Any:
    takes = {"image": {}, "embeddedContext": {}} if capabilities is None else capabilities
    return attached("x", [], {"fit": value}, {}).blocks(takes)[1]


def fail(error: Exception) -> object:
    raise error


async def later() -> str:
    return "too late"


def test_a_text_goes_as_text_with_the_same_cap() -> None:
    assert block_of(Own(lambda: "slope 2"))["resource"]["text"] == "slope 2"
    assert "Shown: the first" in block_of(Own(lambda: "z" * 10**6))["resource"]["text"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda: pd.DataFrame({"slope": [2.0]}), "1 rows x 1 columns"),
        (lambda: np.arange(4), "shape 4, dtype int64"),
        (lambda: ValueError("it did not converge"), "ValueError: it did not converge"),
        (lambda: {"slope": 2}, "{'slope': 2}"),
        (lambda: Own(lambda: Own(lambda: "at the end")), "at the end"),
        (lambda: (b"slope,2", "text/csv"), "slope,2"),
    ],
    ids=["frame", "array", "exception", "dict", "another", "bytes"],
)
def test_what_can_be_attached_can_be_returned(content: Callable[[], object], words: str) -> None:
    assert words in block_of(Own(content))["resource"]["text"]


def test_a_picture_is_an_image_where_the_agent_takes_them_and_words_where_not() -> None:
    drawn = Own(lambda: Image.new("L", (3, 2)))
    block = block_of(drawn)
    assert (block["type"], block["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(block["data"]).startswith(b"\x89PNG")
    assert "3 x 2 pixels" in block_of(drawn, {})["text"]


def test_a_path_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "fit.csv").write_text("slope,2\n")
    assert block_of(Own(lambda: tmp_path / "fit.csv"))["resource"]["uri"] == (tmp_path / "fit.csv").as_uri()


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (lambda: fail(KeyError("slope")), ValueError, "raised KeyError: 'slope'"),
        (lambda: fail(Silent()), ValueError, "raised Silent: Silent()"),
        (lambda: fail(ValueError("z" * 10**6)), ValueError, "z…"),
        (lambda: None, TypeError, "returned None. It shall return a text"),
        (later, TypeError, "returned a coroutine"),
        (lambda: json, TypeError, "returned a module"),
        (lambda: Own, TypeError, "returned a type"),
        (lambda: later, TypeError, "returned a function"),
    ],
    ids=["raises", "raises without words", "raises at length", "None", "async", "module", "class", "function"],
)
def test_what_is_no_content_is_refused_and_the_object_named(
    content: Callable[[], object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match="fit cannot be attached: __acp_content__\\(\\) of Own") as caught:
        block_of(Own(content))
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_object_that_returns_itself_or_never_ends_is_refused() -> None:
    class Itself:
        def __acp_content__(self) -> object:
            return self

    class Endless:
        def __acp_content__(self) -> object:
            return Endless()

    with pytest.raises(TypeError, match=r"fit cannot be attached: .* returned the object itself"):
        block_of(Itself())
    with pytest.raises(TypeError, match=r"fit cannot be attached: .* and so on"):
        block_of(Endless())


def test_a_class_itself_is_not_asked() -> None:
    with pytest.raises(TypeError, match="fit is a class: there is nothing in it to send"):
        block_of(Own)


def test_a_prompt_with_such_an_object_is_not_sent_and_the_next_one_is() -> None:
    with Agent("demo") as agent:
        with pytest.raises(ValueError, match="model cannot be attached") as caught:
            agent.prompt("Look at {model}.", model=Own(lambda: fail(OSError("gone"))))
        assert isinstance(caught.value.__cause__, OSError), "the user's own lines are in the traceback"
        assert len(agent.turns) == 0
        turn = agent.run("Look at {model}.", model=Own(lambda: "slope 2"), show=False)
        assert turn.attached == [Attachment("model", "text", 7, "")]
