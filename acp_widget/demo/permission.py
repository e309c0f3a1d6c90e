"""Asking for permission, and what counts as one (ACP v2, Tool Calls, Requesting Permission)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

# Option id, words on the button, kind, in the order in which they are shown.
_OPTIONS = (
    ("yes", "Allow once", "allow_once"),
    ("yes-always", "Always allow", "allow_always"),
    ("no", "Reject", "reject_once"),
    ("no-always", "Always reject", "reject_always"),
)
_KINDS = {option_id: kind for option_id, _, kind in _OPTIONS}


@dataclass(frozen=True)
class Decision:
    """What came of a request: `allowed` or not, for this time or `always`; or `cancelled`. `why` says it in words."""

    allowed: bool
    why: str
    always: bool = False
    cancelled: bool = False


def options() -> list[Json]:
    """The options of every request."""
    return [{"optionId": option_id, "name": name, "kind": kind} for option_id, name, kind in _OPTIONS]


_ANSWERS = {
    "allow_once": Decision(True, "You allowed it."),
    "allow_always": Decision(True, "You allowed it, always.", always=True),
    "reject_once": Decision(False, "You did not allow it."),
    "reject_always": Decision(False, "You never allow this in this session.", always=True),
}
_CANCELLED = Decision(False, "The question was dismissed.", cancelled=True)
_UNREADABLE = Decision(False, "The answer was none of the options, so this counts as not allowed.")


def decision(result: Any) -> Decision:
    """Read the result of a request. Only a selected allow option of ours allows anything.

    >>> decision({"outcome": {"outcome": "selected", "optionId": "yes"}}).allowed
    True
    >>> decision({"outcome": {"outcome": "approved"}}).allowed
    False
    """
    outcome = result.get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict):
        return _UNREADABLE
    if outcome.get("outcome") == "cancelled":
        return _CANCELLED
    option_id = outcome.get("optionId")
    if outcome.get("outcome") != "selected" or not isinstance(option_id, str):
        return _UNREADABLE
    kind = _KINDS.get(option_id)
    return _ANSWERS[kind] if kind else _UNREADABLE
