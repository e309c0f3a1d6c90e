"""What goes over the wire to an agent of ACP v1: only blocks that it said it takes, in the shapes of v1."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from acp_widget import Agent

AGENT = Path(__file__).resolve().parent.parent / "agents" / "plain_v1.py"
SALES = pd.DataFrame({"price": [1, 2]})
TABLE = """2 rows x 1 columns, 148 B in memory
Columns:
  price: int64, 0 missing
The first rows as CSV:
,price
0,1
1,2
"""

Json = dict[str, Any]


class Wire:
    """An agent with these prompt capabilities, and the lines that it read."""

    def __init__(self, folder: Path, **takes: Any) -> None:
        self._log = folder / "wire.jsonl"
        self.command = [sys.executable, "-S", "-E", str(AGENT), str(self._log)]
        self.command.append(json.dumps({"promptCapabilities": takes}))

    def prompt(self, text: str, **objects: object) -> list[Json]:
        """The blocks of a prompt as the agent read them."""
        with Agent(self.command) as agent:
            turn = agent.run(text, show=False, **objects)
            assert turn.text == f"I got {len(objects) + 1} blocks."
        sent = [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]
        (prompt,) = [message["params"] for message in sent if message.get("method") == "session/prompt"]
        assert prompt["sessionId"] == "s"
        blocks: list[Json] = prompt["prompt"]
        return blocks


def ours(name: str, kind: str, **note: str) -> Json:
    return {"acp-widget": {"name": name, "kind": kind, **note}}


def memory_of(frame: pd.DataFrame) -> str:
    """Bytes in memory are pandas' own matter."""
    return TABLE.replace("148", str(int(frame.memory_usage(index=True).sum())))


def test_a_frame_is_an_embedded_text_resource(tmp_path: Path) -> None:
    blocks = Wire(tmp_path, embeddedContext=True).prompt("Why is {sales} skewed?", sales=SALES)
    assert blocks == [
        {"type": "text", "text": "Why is `sales` skewed?"},
        {
            "type": "resource",
            "resource": {"uri": "notebook:///sales", "mimeType": "text/plain", "text": memory_of(SALES)},
            "_meta": ours("sales", "pandas DataFrame"),
        },
    ]


@pytest.mark.parametrize("takes", [{}, {"embeddedContext": False}, {"embeddedContext": None, "image": True}])
def test_without_embedded_context_it_is_fenced_text(tmp_path: Path, takes: Json) -> None:
    blocks = Wire(tmp_path, **takes).prompt("Why is {sales} skewed?", sales=SALES)
    assert blocks == [
        {"type": "text", "text": "Why is `sales` skewed?"},
        {
            "type": "text",
            "text": f"\n\nsales (pandas DataFrame):\n```\n{memory_of(SALES)}\n```\n",
            "_meta": ours("sales", "pandas DataFrame"),
        },
    ]


def test_a_picture_is_an_image_where_the_agent_takes_images(tmp_path: Path) -> None:
    picture = Image.new("L", (3, 2))
    _, block = Wire(tmp_path, image=True).prompt("What is in {plot}?", plot=picture)
    data = base64.b64decode(block.pop("data"), validate=True)
    assert data.startswith(b"\x89PNG")
    assert block == {"type": "image", "mimeType": "image/png", "_meta": ours("plot", "PIL Image")}


@pytest.mark.parametrize(("takes", "kind"), [({"embeddedContext": True}, "resource"), ({"image": False}, "text")])
def test_a_picture_is_told_in_words_where_it_does_not(tmp_path: Path, takes: Json, kind: str) -> None:
    _, block = Wire(tmp_path, **takes).prompt("What is in {plot}?", plot=Image.new("L", (3, 2)))
    assert block["type"] == kind
    words = block["resource"]["text"] if kind == "resource" else block["text"]
    assert "3 x 2 pixels, mode L" in words
    assert "data" not in block


@pytest.mark.parametrize("takes", [{}, {"image": True, "embeddedContext": True}], ids=["nothing", "all"])
def test_a_file_is_embedded_or_a_link_that_every_agent_takes(tmp_path: Path, takes: Json) -> None:
    script = tmp_path / "a.py"
    script.write_text("print(1)\n")
    _, block = Wire(tmp_path, **takes).prompt("Explain {a}.", a=script)
    told = {"uri": script.as_uri(), "mimeType": "text/x-python"}
    meta = ours("a", "file")
    if takes:
        assert block == {"type": "resource", "resource": {**told, "text": "print(1)\n"}, "_meta": meta}
    else:
        assert block == {"type": "resource_link", **told, "name": "a.py", "size": 9, "_meta": meta}


def test_bytes_are_an_embedded_blob_or_a_description(tmp_path: Path) -> None:
    report = (b"%PDF-1", "application/pdf")
    _, block = Wire(tmp_path, embeddedContext=True).prompt("Read {report}.", report=report)
    blob = base64.b64encode(report[0]).decode()
    assert block["resource"] == {"uri": "notebook:///report", "mimeType": "application/pdf", "blob": blob}
    (tmp_path / "wire.jsonl").unlink()
    _, block = Wire(tmp_path).prompt("Read {report}.", report=report)
    assert block["type"] == "text"
    assert "application/pdf, 6 B. They begin with 25 50 44 46 2d 31" in block["text"]
