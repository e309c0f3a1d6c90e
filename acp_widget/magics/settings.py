"""Modes, models and policies as `%acp` sets them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Final

from IPython.core.error import UsageError

from .. import policy
from ..agent import Agent
from ..entities import word
from .agents import near
from .tables import Table

WORDS = policy.WORDS
_RULES: Final = ("Policy", "Budget", "Edit", "Read", "Run", "Fetch", "Tool")
_MOST_LISTED = 50


def option_of(agent: Agent, kind: str) -> str | None:
    """The id of the agent's setting for its `mode` or `model`: the one of that id, else the first of that category."""
    if kind in agent.config:
        return kind
    known = agent.config
    return next(
        (each["configId"] for each in known.raw if each.get("category") == kind and each["configId"] in known), None
    )


def current_of(agent: Agent, kind: str) -> str:
    """What the agent's mode or model is now; empty when it has none."""
    option = option_of(agent, kind)
    return "" if option is None else str(agent.config[option])


def set_option(agent: Agent, kind: str, value: str) -> Table | None:
    """Set the agent's mode or model; a list of what it offers when there is no value."""
    option = option_of(agent, kind)
    if option is None:
        raise UsageError(f"The agent offers no {kind}. Its settings: {_listed(agent.config) or 'none'}.")
    offered = agent.config.choices(option)
    if not value:
        now = agent.config[option]
        rows = [
            ("*" if each.value == now else "", str(each.value), each.name, each.description or "") for each in offered
        ]
        return Table(("", kind.upper(), "NAME", ""), rows)
    known = {str(each.value): each.value for each in offered}
    if value not in known:
        raise UsageError(f"The agent offers no {kind} {value!r}.{near(value, known)} It offers: {_listed(known)}.")
    agent.config[option] = known[value]
    return None


def policy_of(text: str, names: dict[str, Any], option: str) -> policy.Permissions:
    """A word, or what the expression comes to in the user's namespace, with the names of rules beside.

    Raises `UsageError`, that names the `option`, for what is no policy.
    """
    if text in WORDS:
        return text
    rules = {name: getattr(policy, name) for name in _RULES if name not in names}
    try:
        return policy.check(eval(text, names, rules))  # the user's own words, as in any cell
    except Exception as error:
        wrong = "" if isinstance(error, ValueError) else f" ({type(error).__name__}: {error})"
        raise UsageError(
            f"{option}: {text!r} is neither ask, allow, reject nor a Policy or a function{wrong}."
            f"{near(text, [*WORDS, *(name for name in names if not name.startswith('_'))])}"
        ) from None


def _listed(words: Iterable[str]) -> str:
    return ", ".join(word(each) for each in itertools.islice(words, _MOST_LISTED))
