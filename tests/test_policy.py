"""Who answers a permission request, when the user is not asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from acp_widget import policy

ALLOW = {"optionId": "y", "name": "Allow once", "kind": "allow_once"}
ALWAYS = {"optionId": "a", "name": "Always allow", "kind": "allow_always"}
REJECT = {"optionId": "n", "name": "Reject", "kind": "reject_once"}
NEVER = {"optionId": "v", "name": "Never", "kind": "reject_always"}
CUSTOM = {"optionId": "c", "name": "Allow", "kind": "_acme_allow"}


def request(*options: dict[str, Any], problem: str | None = None) -> dict[str, Any]:
    return {"options": list(options), "problem": problem}


def test_ask_leaves_every_request_to_the_user() -> None:
    assert policy.decide("ask", request(ALLOW, REJECT)).action == "ask"


def test_allow_picks_the_first_allow_once() -> None:
    other = {**ALLOW, "optionId": "second"}
    decision = policy.decide("allow", request(ALWAYS, REJECT, ALLOW, other))
    assert (decision.action, decision.option_id) == ("select", "y")
    assert "allow" in decision.why


@pytest.mark.parametrize("options", [(ALWAYS, REJECT), (CUSTOM,), (REJECT, NEVER)])
def test_allow_asks_when_there_is_no_allow_once(options: tuple[dict[str, Any], ...]) -> None:
    assert policy.decide("allow", request(*options)).action == "ask"


def test_allow_asks_when_the_subject_cannot_be_read() -> None:
    assert policy.decide("allow", request(ALLOW, problem="unknown subject")).action == "ask"


def test_reject_picks_the_first_reject_once_and_never_an_always() -> None:
    assert policy.decide("reject", request(ALLOW, NEVER, REJECT)).option_id == "n"


@pytest.mark.parametrize("options", [(ALLOW, NEVER), (ALLOW,), (CUSTOM,)])
def test_reject_answers_cancelled_when_there_is_no_reject_once(options: tuple[dict[str, Any], ...]) -> None:
    assert policy.decide("reject", request(*options)).action == "cancel"


@pytest.mark.parametrize(
    "options",
    [options for size in (1, 2, 3) for options in itertools.permutations([ALLOW, ALWAYS, REJECT, NEVER, CUSTOM], size)],
)
def test_the_fallback_never_approves(options: tuple[dict[str, Any], ...]) -> None:
    decision = policy.fallback(request(*options))
    chosen = [option for option in options if option["optionId"] == decision.option_id]
    assert all(option["kind"] == "reject_once" for option in chosen)
    assert decision.action == ("select" if chosen else "cancel")


def test_an_id_that_means_allow_and_reject_is_never_sent() -> None:
    both = ({**ALLOW, "optionId": "x"}, {**REJECT, "optionId": "x"})
    assert policy.decide("allow", request(*both)).action == "ask"
    assert policy.decide("reject", request(*both)).action == "cancel"
    assert policy.fallback(request(*both)).action == "cancel"


def test_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'ask', 'allow', 'reject'"):
        policy.check("yes")
