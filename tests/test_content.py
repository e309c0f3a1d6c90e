"""What is attached to a prompt reaches the agent in blocks that it takes, as it was at the call, with its caps said."""

from __future__ import annotations

import base64
import functools
import json
import os
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import polars as pl
import pytest
from PIL import Image

from acp_widget import Agent
from acp_widget.content.attached import attached

from .agents.scripted import scripted

TAKES_ALL = {"image": {}, "embeddedContext": {}}
SAYS_BLOCKS = """
answer(read(), {"protocolVersion": 2, "info": {"name": "s", "version": "1"},
                "capabilities": {"session": {"prompt": %s}}})
answer(read(), {"sessionId": "s"})
message = until("session/prompt")
answer(message, {})
running()
say(json.dumps(message["params"]["prompt"]))
idle()
until("never")
"""


def only(value: object, capabilities: dict[str, Any] = TAKES_ALL) -> Any:
    return attached("x", [], {"it": value}, {}).blocks(capabilities)[1]


def text_of(value: object) -> str:
    text: str = only(value)["resource"]["text"]
    return text


def error() -> BaseException:
    try:
        json.loads("{")
    except ValueError as raised:
        return raised
    raise AssertionError


def figure() -> matplotlib.figure.Figure:
    drawn = matplotlib.figure.Figure(figsize=(2, 1))
    drawn.subplots().set_title("Growth")
    return drawn


def test_names_in_braces_are_mentioned_and_other_braces_stay() -> None:
    given = attached("Why is {df} {not} {{df}} {} {0} like {df.x}?", [], {"other": 1}, {"df": "a"})
    assert given.text == "Why is `df` {not} {{df}} {} {0} like {df.x}?"
    names = [block["resource"]["uri"] for block in given.blocks()[1:]]
    assert names == ["notebook:///other", "notebook:///df"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": range(1000), "y": [None, *"a" * 999]}),
        pl.DataFrame({"x": range(1000), "y": [None, *"a" * 999]}),
    ],
    ids=["pandas", "polars"],
)
def test_a_frame_goes_as_its_columns_and_first_rows_and_says_how_many(frame: Any) -> None:
    text = text_of(frame)
    assert "Shown: 20 of 1,000 rows, 2 of 2 columns." in text
    assert "x: " in text.lower()
    assert "1 missing" in text
    assert len(text) < 9000


def test_a_wide_frame_of_long_texts_stays_within_the_cap_and_says_so() -> None:
    frame = pd.DataFrame([["z" * 10**6] * 500] * 3)
    text = text_of(frame)
    assert "of 3 rows, 30 of 500 columns" in text
    assert len(text.encode()) < 10 * 1024


def test_series_arrays_and_lazy_frames_say_what_they_are() -> None:
    assert "n: " in text_of(pd.Series([1, 2], name="n"))
    assert "n: " in text_of(pl.Series("n", [1, 2]))
    assert "no rows: the query was not run" in text_of(pl.DataFrame({"a": [1]}).lazy())
    text = text_of(np.arange(10**6).reshape(1000, 1000))
    assert "shape 1,000 x 1,000" in text
    assert "20 of 1,000 rows, 30 of 1,000 columns" in text


@pytest.mark.parametrize("make", [figure, lambda: figure().subplots(), lambda: Image.new("P", (4000, 10))])
def test_figures_are_images_for_agents_that_take_them_and_text_for_others(make: Any) -> None:
    block = only(make())
    assert block["type"] == "image"
    assert base64.b64decode(block["data"]).startswith(b"\x89PNG")
    told = only(make(), {})
    assert told["type"] == "text"
    assert "pixels" in told["text"]


def test_a_plotly_figure_is_told_in_words() -> None:
    text = text_of(go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), layout={"title": {"text": "Sales"}}))
    assert "title Sales" in text
    assert "y: 2 values" in text


def test_an_exception_goes_with_its_traceback() -> None:
    text = text_of(error())
    assert "JSONDecodeError" in text
    assert 'json.loads("{")' in text


def test_files_are_embedded_when_small_text_and_else_links_that_exist(tmp_path: Path) -> None:
    small, large = tmp_path / "a b.py", tmp_path / "large.txt"
    small.write_text("print(1)\n")
    large.write_text("z" * 10**6)
    assert only(small)["resource"] == {"uri": small.as_uri(), "mimeType": "text/x-python", "text": "print(1)\n"}
    for path, capabilities in ((small, {}), (large, TAKES_ALL), (tmp_path, TAKES_ALL)):
        block = only(path, capabilities)
        assert (block["type"], block["uri"]) == ("resource_link", path.as_uri())


def test_what_cannot_be_attached_is_refused_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        only(tmp_path / "missing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="no file and no folder"):
        only(tmp_path / "pipe")
    with pytest.raises(ValueError, match="attached twice"):
        attached("x", [], {"a": 1}, {"a": 2})


@pytest.mark.parametrize(
    "value",
    [
        *(json, json.loads, len, [].append, str.upper, "".join, (1).__add__, int, Path, np.sin, np.mean),
        *(functools.partial(len, []), functools.lru_cache(len), map(str, []), (each for each in []), property()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_only_called_has_nothing_to_send_and_the_error_says_what_has(value: object) -> None:
    with pytest.raises(TypeError, match=r"it is a .*: there is nothing in it to send.*inspect\.getsource"):
        only(value)


def test_a_name_that_was_mistyped_in_the_text_is_told_with_the_one_that_was_meant() -> None:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        with pytest.warns(UserWarning, match=r"attached for \{dff\}.* mention \{df\}.* Did you mean \{df\}\?"):
            turn = agent.prompt("Why is {dff} skewed?", df=[1, 2])
        assert turn.wait().prompt == "Why is {dff} skewed?"
        assert [each.name for each in turn.attached] == ["df"], "it goes along all the same"
        with pytest.warns(UserWarning, match=r"does not mention \{primes\}, which is attached all the same\.$"):
            agent.run("What is {x}?", primes=[2])


def test_braces_that_mean_nothing_are_no_reason_to_warn() -> None:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        agent.run("What is {x} in {df}?", df=[1])
        agent.run("What is {x}?", attach={"df": [1]})
        assert agent.run("What is {x}?").prompt == "What is {x}?"


def test_names_in_a_list_are_no_objects() -> None:
    with pytest.raises(ValueError, match=r"these letters and no object.*attach=\{'df': df\}; without: attach=\[df\]"):
        attached("x", [], ["df"], {})
    assert attached("x", [], ["a b", [1]], {}).blocks()[1]["resource"]["text"] == "a b"


def test_unknown_objects_and_large_containers_are_shown_in_part_and_say_so() -> None:
    assert "of 1,000,000 items" in text_of(list(range(10**6)))
    assert "Shown: the first" in text_of("é" * 10**6)
    assert text_of({"a": [1]}) == "{'a': [1]}"


def test_bytes_with_a_type_are_a_blob_or_a_description() -> None:
    assert only((b"%PDF-1", "application/pdf"))["resource"]["blob"] == base64.b64encode(b"%PDF-1").decode()
    assert "application/pdf, 6 B" in only((b"%PDF-1", "application/pdf"), {})["text"]


@pytest.mark.parametrize(("takes", "kind"), [("{'embeddedContext': {}}", "resource"), ("{}", "text")])
def test_an_agent_gets_blocks_that_it_takes_of_the_object_as_it_was_at_the_call(
    tmp_path: Path, takes: str, kind: str
) -> None:
    frame = pd.DataFrame({"price": [1, 2]})
    with Agent(scripted(tmp_path, SAYS_BLOCKS % takes)) as agent:
        turn = agent.prompt("Why is {df} skewed?", df=frame)
        frame["price"] = 99  # too late
        sent = json.loads(turn.wait(30).text)
        assert sent[0]["text"] == "Why is `df` skewed?"
        assert sent[1]["type"] == kind
        text = sent[1]["text"] if kind == "text" else sent[1]["resource"]["text"]
        assert "\n0,1\n1,2\n" in text
        assert agent.turns[0].to_dict()["prompt"] == sent, "the transcript shows what was sent"


def test_results_of_a_turn_can_be_attached() -> None:
    with Agent("demo", permissions="allow") as agent:
        turn = agent.run("hello", show=False)
        assert turn.text.strip()[:10] in text_of(turn)
        assert agent.run("And {turn}?", turn=turn, show=False).prompt == "And `turn`?"
