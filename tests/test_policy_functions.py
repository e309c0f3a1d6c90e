"""A function that answers permission requests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.results import Permission


async def _later(permission: Permission) -> bool:
    return bool(permission.title)


def _fails(permission: Permission) -> bool:
    raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("function", "first"),
    [
        (lambda asked: True, ("policy", "yes")),
        (lambda asked: False, ("policy", "no")),
        (lambda asked: "yes", ("policy", "yes")),
        (lambda asked: None, ("nobody", "no")),
        (lambda asked: "sudo", ("nobody", "no")),
        (_later, ("policy", "yes")),
        (_fails, ("nobody", "no")),
    ],
)
def test_what_a_function_returns_is_the_answer(
    function: Callable[[Permission], Any], first: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions=function) as agent:
        turn = agent.prompt("The test for mean() fails on an empty list. Fix it.")
        if first[0] == "nobody":
            with pytest.warns(UserWarning, match="nobody could answer"):
                turn.wait()
        else:
            turn.wait()
    assert (turn.permissions[0].raw["by"], turn.permissions[0].raw["optionId"]) == first


def test_you_may_answer_while_it_thinks_and_its_answer_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    asked, go_on = threading.Event(), threading.Event()

    def slow(permission: Permission) -> bool:
        asked.set()
        go_on.wait(20)
        return True

    with Agent("demo", permissions=slow) as agent:
        turn = agent.prompt("The test for mean() fails on an empty list. Fix it.")
        assert asked.wait(20)
        agent.answer(agent.pending[0], "no")
        go_on.set()
        turn.wait()
    assert (turn.permissions[0].raw["by"], turn.permissions[0].raw["optionId"]) == ("python", "no")
