"""The vectors pass, and the adapter that says so can tell right from wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from . import conformance

HERE = Path(__file__).parent
CASES = [*conformance.load(HERE / "vectors"), *conformance.load(HERE / "vectors_extra")]


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=[name for name, _ in CASES])
def test_vector(case: dict[str, Any]) -> None:
    assert conformance.failures(case) == []


def test_names_of_cases_are_unique() -> None:
    names = [case["name"] for _, case in CASES]
    assert len(set(names)) == len(names)


def test_no_well_formed_vector_raises_a_diagnostic() -> None:
    for name, case in CASES:
        if case.get("wellFormed") and "diagnostics" not in case:
            raised = conformance.final_state(case)["diagnostics"]
            # A late or wrong click is ours, not the agent's: it may be written down too.
            assert [line for line in raised if line["where"] not in ("respond", "dismiss")] == [], name


STATE = {
    "messages": [{"messageId": "m", "role": "agent", "content": [{"type": "text", "text": "ab"}], "_meta": {}}],
    "toolCalls": {"1": {"title": None, "rawInput": {"a": 1}, "_meta": {"k": None}}},
    "terminals": {"x": {"output": {"data": "YWI=", "_meta": None}}},
    "plans": {"p": {"entries": [{"content": "a", "_meta": {}}], "_meta": {"k": 1}}},
    "timeline": ["m:m"],
    "state": {"state": "idle", "busy": False},
    "diagnostics": [],
}
TEXT = {"type": "text", "text": ""}
PATCH = {"format": "git_patch", "text": "diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1 @@\n-- x\n-\n+new\n"}


@pytest.mark.parametrize(
    ("expect", "equal"),
    [
        ({"messages": [{"content": [{**TEXT, "text": "a"}, {**TEXT, "text": "b"}]}]}, True),
        ({"messages": [{"content": [{**TEXT, "text": "a"}]}]}, False),
        ({"messages": []}, False),
        ({"toolCalls": {"1": {"title": None}}}, True),
        ({"toolCalls": {"1": {"rawInput": {"a": 1, "b": None}}}}, True),
        ({"toolCalls": {"1": {"rawInput": {"a": True}}}}, False),
        ({"toolCalls": {"1": {"rawInput": {"$contains": {"a": "$any"}}}}}, True),
        ({"toolCalls": {"1": {"rawInput": {"$contains": {"b": "$any"}}}}}, False),
        ({"toolCalls": {"1": {"_meta": {}}}}, False),
        ({"toolCalls": {"1": {"_meta": {"k": None}}}}, True),
        ({"toolCalls": {}}, False),
        ({"toolCalls": {"1": {}, "2": {}}}, False),
        ({"terminals": {"x": {"output": {"data": "YWI="}}}}, True),
        ({"terminals": {"x": {"output": {"data": "YWI=", "_meta": {"a": 1}}}}}, False),
        ({"terminals": {"x": {"output": {"data": "YQ=="}}}}, False),
        ({"terminals": {"x": {"output": {"$contains": {"data": "YWI="}}}}}, True),
        ({"plans": {"p": {"entries": [{"content": "a"}]}}}, True),
        ({"plans": {"p": {"entries": [{"content": "a", "_meta": None}]}}}, True),
        ({"plans": {"p": {"entries": [{"content": "a", "_meta": {"k": None}}]}}}, True),
        ({"plans": {"p": {"entries": [{"content": "a", "_meta": {"k": 1}}]}}}, False),
        ({"plans": {"p": {"_meta": {"k": 1}}}}, True),
        ({"plans": {"p": {"_meta": {"k": 1, "l": None}}}}, False),
        ({"timeline": ["m:m"]}, True),
        ({"timeline": []}, False),
        ({"state": {"busy": False}}, True),
        ({"state": {"busy": True}}, False),
        ({"state": {"busy": 0}}, False),
    ],
)
def test_comparing(expect: dict[str, Any], equal: bool) -> None:
    assert (conformance.differences({"expect": expect}, STATE) == []) is equal


def test_patches_are_compared_by_the_lines_of_their_hunks() -> None:
    assert conformance.matches({"$patch": {"removed": ["- x", ""], "added": ["new"]}}, PATCH)
    assert not conformance.matches({"$patch": {"removed": [], "added": ["new"]}}, PATCH)
    assert not conformance.matches({"$patch": {"removed": ["- x", ""], "added": ["new"]}}, {**PATCH, "format": "x"})


def test_too_few_diagnostics_are_a_failure() -> None:
    assert conformance.differences({"diagnostics": 1}, STATE)


def test_a_diagnostic_that_repeats_counts_each_time() -> None:
    bad = {"sessionUpdate": "state_update", "state": 5}
    assert len(conformance.final_state({"updates": [bad, bad, bad]})["diagnostics"]) == 3


def test_a_null_field_does_not_keep_texts_apart() -> None:
    noted = {"messages": [{"content": [{**TEXT, "text": "a", "annotations": None}, {**TEXT, "text": "b"}]}]}
    assert conformance.differences({"expect": noted}, STATE) == []


@pytest.mark.parametrize(
    "case",
    [
        {"steps": [{"nonsense": 1}]},
        {"steps": [{"terminalCreate": {"terminalId": "t"}}]},
        {"steps": [{"cancel": True, "update": {}}]},
        {"version": 1},
        {"version": 3, "updates": []},
        {"expect": {}},
        {"updates": [], "expect": {"no such part": None}},
    ],
)
def test_a_case_that_cannot_be_run_fails(case: dict[str, Any]) -> None:
    assert conformance.failures(case) != []


def test_the_command_counts_and_exits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {"name": "good", "updates": [], "expect": {"timeline": []}}
    bad = {"name": "bad", "updates": [], "expect": {"timeline": ["t:x"]}}
    odd = {"name": "odd", "steps": [{"nonsense": 1}], "expect": {}}
    (tmp_path / "cases.json").write_text(json.dumps([good, bad, odd]))
    assert conformance.main([str(tmp_path)]) == 1
    output = capsys.readouterr().out
    assert re.findall(r"FAIL (.*)", output) == ["cases.json: bad", "cases.json: odd"]
    assert output.endswith("1 passed, 2 failed\n")
    (tmp_path / "cases.json").write_text(json.dumps([good]))
    assert conformance.main([str(tmp_path)]) == 0
