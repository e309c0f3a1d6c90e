"""Who answers a permission request: a word, rules or a function; and the fallback when nobody can."""

from __future__ import annotations

from .functions import Function, call_function, name_of, of_answer
from .proposing import proposed
from .rulebook import Budget, Policy, Verdict
from .rules import Edit, Fetch, Read, Rule, Run, Tool, rule_of
from .touched import touched
from .words import ASK, WORDS, Decision, Word, decide, fallback, first

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
    "first",
    "name_of",
    "of_answer",
    "proposed",
    "rule_of",
    "told",
    "touched",
]


def check(policy: object) -> Permissions:
    """The policy itself when it is one; a `ValueError` that lists them when not."""
    if isinstance(policy, Policy):
        return policy
    if callable(policy) and not isinstance(policy, type):
        return policy
    for known in WORDS:
        if policy == known:
            return known
    raise ValueError(f"permissions={policy!r} is not known. Use one of: {', '.join(map(repr, WORDS))}, or a Policy(…).")


def told(policy: Permissions) -> str:
    """How a policy is told of in the session's state: a word."""
    return policy if isinstance(policy, str) else "function" if callable(policy) else "rules"
