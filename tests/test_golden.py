"""The golden files say what the reducer really does."""

from __future__ import annotations

import base64
import json

import pytest

from acp_widget.session.operations import apply_to_snapshot, from_wire

from . import golden


@pytest.mark.parametrize("name", golden.FILES)
def test_golden_file_is_up_to_date(name: str) -> None:
    """When this fails: run `python -m tests.golden`, and look at what changed."""
    assert (golden.FOLDER / name).read_text(encoding="utf-8") == golden.text(golden.FILES[name]())


def test_golden_operations_lead_from_before_to_after() -> None:
    for case in json.loads((golden.FOLDER / "operations.json").read_text(encoding="utf-8")):
        buffers = [base64.b64decode(buffer) for buffer in case["buffers"]]
        assert apply_to_snapshot(case["before"], from_wire(case["ops"], buffers)) == case["after"], case["name"]


def test_golden_operations_show_every_kind_of_operation() -> None:
    cases = json.loads((golden.FOLDER / "operations.json").read_text(encoding="utf-8"))
    kinds = {operation[0] for case in cases for operation in case["ops"]}
    assert kinds == {"set", "append", "text", "bytes", "trim", "delete"}


def test_golden_files_stay_small() -> None:
    assert sum((golden.FOLDER / name).stat().st_size for name in golden.FILES) < 1_500_000
