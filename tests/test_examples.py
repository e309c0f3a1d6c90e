"""The examples in docstrings run, and give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import acp_widget

MODULES = [
    module.name
    for module in pkgutil.walk_packages(acp_widget.__path__, "acp_widget.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["acp_widget", *MODULES])
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0


def test_there_are_examples_of_what_a_user_starts_with() -> None:
    for thing in (acp_widget.Agent, acp_widget.Turn):
        assert ">>> " in (thing.__doc__ or "")
