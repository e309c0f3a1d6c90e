"""Who answers a permission request: a word, rules or a function; and the fallback when nobody can."""

from __future__ import annotations

from .budget import Budget
from .functions import Function, call_function, name_of, of_answer, of_failure, takes
from .proposing import proposed
from .rulebook import Policy, Verdict
from .rules import Edit, Fetch, Read, Rule, Run, Tool, rule_of
from .touched import touched
from .words import ASK, WORDS, Decision, Word, decide, fallback, ways_to_allow

Permissions = Word | Policy | Function

__all__ = [
    "ASK",
    "WORDS",
    "Budget",
    "Decision",
    "Edit",
    "Fetch",
    "Function",
    "Permissions",
    "Policy",
    "Read",
    "Rule",
    "Run",
    "Tool",
    "Verdict",
    "Word",
    "call_function",
    "check",
    "decide",
    "fallback",
    "name_of",
    "of_answer",
    "of_failure",
    "proposed",
    "rule_of",
    "told",
    "touched",
    "ways_to_allow",
]


def check(policy: object) -> Permissions:
    """The policy itself when it is one; a `ValueError` that lists them, or says what is wrong with it, when not."""
    if isinstance(policy, Policy):
        return policy
    if callable(policy) and not isinstance(policy, type):
        if wrong := takes(policy):
            raise ValueError(wrong)
        return policy
    if isinstance(policy, Rule) or (
        isinstance(policy, (list, tuple)) and any(isinstance(each, Rule) for each in policy)
    ):
        raise ValueError(f"permissions={policy!r}: rules stand in a Policy, permissions=Policy(allow=[…]).")
    for known in WORDS:
        if isinstance(policy, str) and policy == known:
            return known
    raise ValueError(f"permissions={policy!r} is not known. Use one of: {', '.join(map(repr, WORDS))}, or a Policy(…).")


def told(policy: Permissions) -> str:
    """How a policy is told of in the session's state: a word."""
    return policy if isinstance(policy, str) else "function" if callable(policy) else "rules"
