"""Who answers a permission request: the simple policies `ask`, `allow` and `reject`, and the fallback when nobody can.

Pure: a permission as the state holds it goes in, a decision comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Word = Literal["ask", "allow", "reject"]

SEVERAL = "A rule allows it, but the agent offers several ways to allow it once: which one is meant is yours to say."

NO_ONCE = "A rule allows it, but the agent offers no way to allow it once."

WORDS: tuple[Word, ...] = ("ask", "allow", "reject")


@dataclass(frozen=True)
class Decision:
    """What to do with one permission request.

    `action`: `"select"` (answer with `option_id`), `"cancel"` (answer `cancelled`) or `"ask"` (leave it to the user).
    `why` is the sentence that the decision's row shows.
    """

    action: Literal["select", "cancel", "ask"]
    option_id: str | None = None
    why: str = ""
    rule: str | None = None
    """The rule that decided, as it is written."""
    failed: bool = False
    """Whether the user's own function failed, so that it is asked."""


ASK = Decision("ask")


def decide(policy: Word, permission: Mapping[str, Any]) -> Decision:
    """What `policy` says about a permission request (an entity of the state's `permissions`).

    `allow` picks the first `allow_once`, never an always or unknown kind, and never for a subject that is unknown or
    cannot be read in full: those ask. `reject` picks the first `reject_once`, else answers `cancelled`.

    >>> request = {"options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}], "problem": None}
    >>> decide("allow", request).option_id
    'y'
    """
    return _TABLE[policy](permission)


def fallback(permission: Mapping[str, Any]) -> Decision:
    """The answer when nobody can be asked: the first `reject_once`, else `cancelled`. Never an approval."""
    why = "Nobody was there to answer"
    option = first(permission["options"], "reject_once")
    return Decision("select", option, why) if option is not None else Decision("cancel", None, why)


def _ask(permission: Mapping[str, Any]) -> Decision:
    return ASK


def _allow(permission: Mapping[str, Any]) -> Decision:
    if permission.get("problem"):
        return ASK
    option = first(permission["options"], "allow_once")
    return Decision("select", option, "permissions='allow'") if option is not None else ASK


def _reject(permission: Mapping[str, Any]) -> Decision:
    option = first(permission["options"], "reject_once")
    why = "permissions='reject'"
    return Decision("select", option, why) if option is not None else Decision("cancel", None, why)


_TABLE = {"ask": _ask, "allow": _allow, "reject": _reject}


def first(options: Sequence[Mapping[str, Any]], kind: str) -> str | None:
    """The id of the first option of that kind whose id no option of another kind shares."""
    for option in options:
        if option.get("kind") != kind:
            continue
        option_id: str = option["optionId"]
        if all(other.get("kind") == kind for other in options if other["optionId"] == option_id):
            return option_id
    return None


def ways_to_allow(permission: Mapping[str, Any]) -> int:
    """How many options the agent offers that allow it once."""
    return len({option["optionId"] for option in permission["options"] if option.get("kind") == "allow_once"})
