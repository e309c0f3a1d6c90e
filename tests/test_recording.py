"""`Agent(…, record=…)`: what stands in the file, whatever the agent, the disk or the end of the process do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent

FIX = "The test for mean() fails on an empty list. Fix it."


@pytest.fixture(autouse=True)
def _quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Where a test records; its folder must hold nothing else at the end."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    yield folder / "it.jsonl"
    assert {each.name for each in folder.iterdir()} <= {"it.jsonl"}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def told(file: Path, name: str) -> list[Any]:
    return [record[name] for record in lines(file) if name in record]


def methods(file: Path, direction: str) -> list[str]:
    return [
        record["msg"]["method"]
        for record in lines(file)
        if record.get("dir") == direction and "method" in record.get("msg", {})
    ]


# --- what stands in it ------------------------------------------------------------------------------------------------


def test_the_whole_connection_is_in_the_file(file: Path) -> None:
    with Agent("demo", permissions="allow", record=file) as agent:
        assert agent.recording == file
        agent.run(FIX)
    assert agent.recording is None
    header, *records = lines(file)
    assert header["cassette"] == 1
    assert header["redacted"] is True
    assert header["label"] == "demo agent"
    assert {"at", "acpWidget", "python", "cwd", "command"} <= set(header)
    assert methods(file, "out") == ["initialize", "session/new", "session/prompt", "session/close"]
    assert methods(file, "in").count("session/request_permission") == 2
    times = [record["t"] for record in records]
    assert times == sorted(times)
    assert all(at >= 0 for at in times)
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_happened_on_our_side_is_in_it_too(file: Path) -> None:
    with Agent("demo", permissions="reject", record=file) as agent:
        agent.run(FIX)
    events = told(file, "event")
    assert [event["type"] for event in events][:3] == ["promptQueued", "starting", "launching"]
    assert [event["by"] for event in events if event["type"] == "respond"] == ["policy"]
    assert events[-1] == {"type": "ended", "connection": "closed", "error": None, "keepQueued": False}
    assert not any("at" in event for event in events)


def test_a_note_stands_where_it_was_made(file: Path) -> None:
    with Agent("demo", permissions="allow", record=file) as agent:
        agent.run(FIX)
        agent.note("It was **mean**.", title="Why", question="What next?", options=["Stop", "Go on"], answer="Go on")
        agent.run("hello")
    records = lines(file)
    at = next(number for number, record in enumerate(records) if "note" in record)
    assert records[at]["note"] == {
        "text": "It was **mean**.",
        "title": "Why",
        "question": "What next?",
        "options": ["Stop", "Go on"],
        "answer": "Go on",
    }
    assert records[at + 1]["event"]["type"] == "promptQueued"


def test_a_file_that_holds_something_is_not_touched(file: Path) -> None:
    file.write_text("mine\n")
    with pytest.raises(FileExistsError, match="Take another name"):
        Agent("demo", record=file)
    assert file.read_text() == "mine\n"
