"""A function that answers permission requests."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Any

import pytest

from acp_widget import Agent, Edit, NobodyWatching, PermissionsFailed
from acp_widget.policy import call_function, check, name_of, of_answer
from acp_widget.policy.functions import Late
from acp_widget.results import Permission

from .processes import run, until
from .test_asking import Notebook, Session


async def _later(permission: Permission) -> bool:
    return bool(permission.title)


@pytest.mark.parametrize(
    ("function", "first"),
    [
        (lambda asked: True, ("policy", "yes")),
        (lambda asked: False, ("policy", "no")),
        (lambda asked: "yes", ("policy", "yes")),
        (lambda asked: None, ("nobody", "no")),
        (_later, ("policy", "yes")),
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


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Odd:
    """Equal to anything, and nothing to show."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def _raising(error: BaseException) -> Callable[[Permission], Any]:
    def decide_edits(permission: Permission) -> Any:
        raise error

    return decide_edits


def _returning(value: Any) -> Callable[[Permission], Any]:
    def decide_edits(permission: Permission) -> Any:
        return value

    return decide_edits


def _hidden(*arguments: Any) -> bool:
    return (lambda: True)(*arguments)


async def _fails_later(permission: Permission) -> bool:
    await asyncio.sleep(0)
    raise KeyError("later")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (_raising(RuntimeError("no\nidea")), "decide_edits(…) raised RuntimeError: no idea"),
        (_raising(StopIteration()), "decide_edits(…) raised StopIteration"),
        (_raising(TimeoutError("its own")), "decide_edits(…) raised TimeoutError: its own"),
        (_raising(SystemExit(3)), "decide_edits(…) raised SystemExit: 3"),
        (_raising(asyncio.CancelledError()), "decide_edits(…) raised CancelledError"),
        (_raising(Unprintable()), "decide_edits(…) raised Unprintable: its message cannot be read"),
        (_fails_later, "_fails_later(…) raised KeyError: 'later'"),
        (functools.partial(_hidden), "_hidden(…) raised TypeError: "),
        (_returning("sudo"), "decide_edits(…) returned 'sudo', which is no answer"),
        (_returning(1), "decide_edits(…) returned 1 (int), which is no answer"),
        (_returning("x" * 10_000), "…, which is no answer"),
        (_returning(Odd()), "decide_edits(…) returned a value (Odd), which is no answer"),
    ],
)
def test_a_function_that_fails_is_named_with_what_it_did_and_never_a_yes(
    function: Callable[[Permission], Any], why: str
) -> None:
    session = Session(Notebook(possible=False))
    session.asking.policy = function

    async def asked() -> None:
        session.ask()
        await until(lambda: session.outcomes() != [])

    run(asked())
    answered = session.permission()
    assert (session.outcomes(), answered["by"]) == (["no"], "nobody")
    assert why in answered["why"]
    assert answered["why"].endswith(". Nobody was there to answer: no notebook is attached")
    assert len(answered["why"]) < 600
    (failed, kind), (nobody, _) = session.asking.warnings
    assert kind is PermissionsFailed
    assert f"The function for permissions did not decide about 'Go on?': {answered['why'][:20]}" in failed
    assert f"It was asked because: {answered['why'][:20]}" in nobody


def test_with_somebody_there_the_card_says_why_it_asks() -> None:
    session = Session(notebook := Notebook())
    notebook.views = 1
    session.asking.policy = _raising(ValueError("no idea"))

    async def asked() -> None:
        session.ask()
        await until(lambda: session.permission().get("why") is not None)

    run(asked())
    assert session.permission()["status"] == "pending"
    assert session.permission()["why"] == "decide_edits(…) raised ValueError: no idea"
    assert [kind for _, kind in session.asking.warnings] == [PermissionsFailed]


def test_the_cell_that_waits_sees_that_a_function_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with (
        Agent("demo", permissions=_raising(ValueError("no idea"))) as agent,
        pytest.warns(UserWarning, match="no idea") as seen,
    ):
        turn = agent.run("The test for mean() fails on an empty list. Fix it.")
    assert [each.category for each in seen][:2] == [PermissionsFailed, NobodyWatching]
    assert all("decide_edits(…) raised ValueError: no idea" in str(each.message) for each in seen)
    assert not any(each.allowed for each in turn.permissions)


def test_a_function_that_left_it_to_nobody_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions=_returning(None)) as agent, pytest.warns(NobodyWatching) as seen:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.")
    assert str(turn.permissions[0].why).startswith("decide_edits(…) returned None, which leaves it to you. Nobody")
    assert {each.category for each in seen} == {NobodyWatching}, "it did not fail"


def test_a_yes_to_what_cannot_be_allowed_once_asks_and_says_why() -> None:
    always = {"options": [{"optionId": "a", "name": "Always", "kind": "allow_always"}], "problem": None}
    unreadable = {"options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}], "problem": "unknown"}
    for request, answer, why in (
        (always, True, "the agent offers no way to allow it once"),
        (unreadable, True, "cannot be read in full"),
        (unreadable, "y", "cannot be read in full"),
    ):
        decision = of_answer(answer, request, "f")
        assert (decision.action, decision.option_id) == ("ask", None)
        assert why in decision.why
    assert of_answer("a", always, "f").option_id == "a", "it was named"


class Class:
    def method(self, permission: Permission) -> bool:
        return True

    def __call__(self) -> bool:
        return True


@pytest.mark.parametrize(
    "function", [lambda: True, lambda one, two: True, Class(), functools.partial(_later, None), lambda *, kw: True]
)
def test_a_function_that_cannot_take_the_request_is_refused_at_once(function: Any) -> None:
    with pytest.raises(ValueError, match=r"called with one argument, the Permission, but it is .*\(.*\)\. Write"):
        check(function)
    with Agent("demo") as agent, pytest.raises(ValueError, match="one argument"):
        agent.permissions = function
    assert check(Class().method)
    assert check(print), "what tells no signature may do"


def test_a_rule_that_stands_alone_is_told_where_rules_stand() -> None:
    for wrong in (Edit("src/**"), [Edit("src/**")]):
        with pytest.raises(ValueError, match=r"rules stand in a Policy, permissions=Policy\(allow=\[…\]\)"):
            check(wrong)


def test_a_function_is_called_what_it_is_called() -> None:
    assert name_of(functools.partial(functools.partial(_later))) == "_later"
    assert name_of(Class()) == "Class"
    assert name_of(Class().method) == "method"
    assert name_of(lambda asked: True) == "<lambda>"


def test_one_that_takes_too_long_is_not_waited_for() -> None:
    go_on = threading.Event()

    def slow(permission: Any) -> bool:
        go_on.wait(20)
        return True

    try:
        with pytest.raises(Late, match="it took longer than"):
            asyncio.run(call_function(slow, None, limit=0.01))
    finally:
        go_on.set()
