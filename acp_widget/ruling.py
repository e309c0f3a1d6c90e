"""`agent.policy`: the rules of an agent, what they decided, and what they would."""

from __future__ import annotations

from typing import Protocol

from . import policy, runtime
from .asking import Asking
from .entities import Entities
from .results import Permission, Reader


class Holder(Protocol):
    """What of an Agent is needed."""

    @property
    def permissions(self) -> policy.Permissions: ...

    @property
    def _reader(self) -> Reader: ...

    @property
    def _asking(self) -> Asking: ...

    def explain(self, permission: Permission | str) -> policy.Verdict: ...


class Ruling:
    """The rules of a live session beside `agent.permissions`, and every decision so far.

    >>> from acp_widget import Agent, Edit
    >>> agent = Agent("demo", permissions="reject")
    >>> agent.policy.add(Edit("*.py"))
    >>> agent.policy
    <policy 'reject', allow Edit('*.py'); 0 decisions>
    >>> agent.policy.revoke("Edit('*.py')")
    >>> agent.policy.rules
    []
    """

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    @property
    def rules(self) -> list[tuple[str, policy.Rule]]:
        """All rules in force, each as `("allow" | "reject", rule)`: those of `permissions`, then the added ones."""
        added = self._holder._asking.added
        given = self._holder.permissions
        books = [given, added] if isinstance(given, policy.Policy) else [added]
        return [(word, rule) for word in ("allow", "reject") for book in books for rule in getattr(book, word)]

    def add(self, rule: policy.Rule | str, word: str = "allow") -> None:
        """Add a rule that allows (or with `word="reject"` rejects), from the next request on.

        With a word or a function as `permissions` it goes first; beside the rules of a Policy the narrower one wins.
        Raises `ValueError` for what is no rule, and any other word.
        """
        if word not in ("allow", "reject"):
            raise ValueError(f"{word!r} is neither 'allow' nor 'reject'.")
        runtime.run(lambda: self._holder._asking.add(word, rule))

    def revoke(self, rule: policy.Rule | str) -> None:
        """Take an added rule away. Raises `ValueError` when it was not added here."""
        text = rule if isinstance(rule, str) else repr(rule)
        added = self._holder._asking.added
        if text not in [repr(each) for each in (*added.allow, *added.reject)]:
            known = ", ".join(repr(each) for each in (*added.allow, *added.reject)) or "none"
            raise ValueError(f"{text} was not added here. Added: {known}. Rules of a Policy: assign another one.")
        runtime.run(lambda: self._holder._asking.revoke(text))

    @property
    def decisions(self) -> Entities[Permission]:
        """Every request that was answered: `title`, `allowed`, `by`, `why` (the rule), `answered_at`; `to_frame()`."""
        reader = self._holder._reader
        asked = [Permission(reader, key) for key in reader.keys("permissions")]
        return Entities([each for each in asked if not each.pending], Permission)

    def explain(self, request: Permission | str) -> policy.Verdict:
        """Which rule decides about a request of the session, or would, and why. Answers nothing."""
        return self._holder.explain(request)

    def __repr__(self) -> str:
        given = self._holder.permissions
        name = repr(given) if isinstance(given, str) else policy.told(given)
        rules = "".join(f", {word} {rule!r}" for word, rule in self.rules)
        count = len(self.decisions)
        return f"<policy {name}{rules}; {count} decision{'' if count == 1 else 's'}>"
