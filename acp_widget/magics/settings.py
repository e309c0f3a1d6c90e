"""Modes, models and policies as `%acp` sets them."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from .. import policy
from ..agent import Agent
from .agents import near
from .tables import Table

WORDS = policy.WORDS


def option_of(agent: Agent, word: str) -> str | None:
    """The id of the agent's setting for its `mode` or `model`: the one of that id, else the first of that category."""
    if word in agent.config:
        return word
    return next((str(each["configId"]) for each in agent.config.raw if each.get("category") == word), None)


def set_option(agent: Agent, word: str, value: str) -> Table | None:
    """Set the agent's mode or model; a list of what it offers when there is no value."""
    option = option_of(agent, word)
    if option is None:
        raise UsageError(f"The agent offers no {word}. Its settings: {', '.join(agent.config) or 'none'}.")
    offered = agent.config.choices(option)
    if not value:
        now = agent.config[option]
        rows = [
            ("*" if each.value == now else "", str(each.value), each.name, each.description or "") for each in offered
        ]
        return Table(("", word.upper(), "NAME", ""), rows)
    known = {str(each.value): each.value for each in offered}
    if value not in known:
        raise UsageError(f"The agent offers no {word} {value!r}.{near(value, known)} It offers: {', '.join(known)}.")
    agent.config[option] = known[value]
    return None


def policy_of(text: str, names: dict[str, Any]) -> Any:
    """A word, or what the expression comes to in the user's namespace, with the names of rules beside."""
    if text in WORDS:
        return text
    rules = {name: getattr(policy, name) for name in ("Policy", "Budget", "Edit", "Read", "Run", "Fetch", "Tool")}
    try:
        return eval(text, {**rules, **names})  # the user's own words, as in any cell
    except Exception as error:
        raise UsageError(
            f"%acp policy: {text!r} is neither ask, allow, reject nor a Policy or a function "
            f"({type(error).__name__}: {error}).{near(text, WORDS)}"
        ) from None
