"""`agent.policy`: the rules of an agent, what they decided, and what they would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from . import errors, policy, runtime
from .asking import Asking
from .entities import Entities
from .results import Permission, Reader, ToolCall

T = TypeVar("T")
Asked = Permission | ToolCall | str
_LISTED = 10  # ids in a sentence
_SHOWN = 100  # characters of an id


class Holder(Protocol):
    """What of an Agent is needed."""

    @property
    def permissions(self) -> policy.Permissions: ...

    @property
    def _reader(self) -> Reader: ...

    @property
    def _asking(self) -> Asking: ...

    def _check_process(self) -> None: ...

    def explain(self, permission: Asked) -> policy.Verdict: ...


class Ruling:
    """The rules of a live session beside `agent.permissions`, and every decision so far.

    >>> from acp_widget import Agent, Edit
    >>> agent = Agent("demo", permissions="reject")
    >>> agent.policy.add(Edit("*.py"))
    <policy 'reject', allow Edit('*.py'); 0 decisions>
    >>> agent.policy.revoke("Edit('*.py')")
    <policy 'reject'; 0 decisions>
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

    def add(self, rule: policy.Rule | str, word: str = "allow") -> Ruling:
        """Add a rule that allows (or with `word="reject"` rejects), from the next request on; returns itself.

        With a word or a function as `permissions` it goes first; beside the rules of a Policy the narrower one wins.
        Raises `ValueError` for what is no rule, and any other word.
        """
        __tracebackhide__ = True
        if word not in ("allow", "reject"):
            raise ValueError(f"{word!r} is neither 'allow' nor 'reject'.")
        self._holder._check_process()
        [rule] = policy.Policy(allow=[rule]).allow  # what is none is told here, not from another thread
        on_its_thread(lambda: self._holder._asking.add(word, rule))
        return self

    def revoke(self, rule: policy.Rule | str) -> Ruling:
        """Take an added rule away; returns itself. Raises `ValueError` when it was not added here."""
        __tracebackhide__ = True
        text = rule if isinstance(rule, str) else repr(rule)
        self._holder._check_process()
        added = self._holder._asking.added
        if text not in [repr(each) for each in (*added.allow, *added.reject)]:
            known = ", ".join(repr(each) for each in (*added.allow, *added.reject)) or "none"
            raise ValueError(f"{text} was not added here. Added: {known}. Rules of a Policy: assign another one.")
        on_its_thread(lambda: self._holder._asking.revoke(text))
        return self

    def save(self, path: str | Path) -> None:
        """Write the rules in force into a JSON file, the added ones too: for `permissions=Policy.load(path)` later.

        A word as `permissions` is kept as `otherwise`; a function cannot be: `otherwise` is `"ask"` then. `OSError`.

        >>> import tempfile, pathlib
        >>> from acp_widget import Agent, Policy
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "rules.json"
        >>> Agent("demo").policy.add("Run('pytest *')").save(file)
        >>> Policy.load(file)
        Policy(allow=[Run('pytest *')], reject=[], otherwise='ask')
        """
        given, added = self._holder.permissions, self._holder._asking.added
        own = given if isinstance(given, policy.Policy) else policy.Policy(otherwise=_word(given))
        own.plus(added).save(path)

    @property
    def decisions(self) -> Entities[Permission]:
        """Every request that was answered: `title`, `allowed`, `by`, `why` (the rule), `answered_at`; `to_frame()`."""
        reader = self._holder._reader
        asked = [Permission(reader, key) for key in reader.keys("permissions")]
        return Entities([each for each in asked if not each.pending], Permission)

    def explain(self, request: Asked) -> policy.Verdict:
        """Which rule decides about a request of the session, or would, and why; which rules nearly fit.

        `request`: from `agent.pending` or `turn.permissions`, its id, or a `ToolCall` about which one was asked.
        Answers nothing. Raises `AnswerRefused` where there is none, and `TypeError` for anything else.
        """
        __tracebackhide__ = True
        return self._holder.explain(request)

    def __repr__(self) -> str:
        given = self._holder.permissions
        name = repr(given) if isinstance(given, str) else policy.told(given)
        rules = "".join(f", {word} {rule!r}" for word, rule in self.rules)
        count = len(self.decisions)
        return f"<policy {name}{rules}; {count} decision{'' if count == 1 else 's'}>"


def _word(given: policy.Permissions) -> policy.Word:
    return given if isinstance(given, str) else "ask"


def key_of(reader: Reader, asked: object, example: str) -> str:
    """The key of the permission request that is meant. Raises `AnswerRefused` where there is none of this session.

    `example` is the call that takes it, for what is no request at all: a `TypeError`.
    """
    __tracebackhide__ = True
    if isinstance(asked, (Permission, ToolCall)):
        what = "permission request" if isinstance(asked, Permission) else "tool call"
        if asked._reader is not reader:
            raise errors.AnswerRefused(f"This {what} belongs to another agent.", hint="Or it is a copy from a file.")
        return asked._key if isinstance(asked, Permission) else _about(asked)
    if isinstance(asked, bool) or not isinstance(asked, (str, int)):
        one = " Take one of them, by its index." if isinstance(asked, Sequence) else ""
        raise TypeError(
            f"It takes a Permission (of agent.pending or turn.permissions), its id, or a ToolCall, not "
            f"{type(asked).__name__}.{one} For instance: {example}"
        )
    key = f"p:{asked}"
    if reader.get("permissions", key) is None:
        known = [repr(each.partition(":")[2][:_SHOWN]) for each in reader.keys("permissions")]
        hint = f"This session has {', '.join(known[-_LISTED:])}." if known else "The agent has asked nothing so far."
        if reader.get("toolCalls", f"t:{asked}") is not None:
            hint = f"It is the id of a tool call: agent.tool_calls[{asked!r}]. {hint}"
        raise errors.AnswerRefused(
            f"There is no permission request with the id {str(asked)[:_SHOWN]!r}.",
            hint=f"{hint} For instance: {example}",
        )
    return key


def _about(call: ToolCall) -> str:
    """The one request about a call: the only one, or the only one that waits."""
    __tracebackhide__ = True
    asked = list(call.permissions)
    one = asked if len(asked) == 1 else [each for each in asked if each.pending]
    if len(one) == 1:
        return one[0]._key
    if not asked:
        raise errors.AnswerRefused("The agent did not ask for permission for this tool call.")
    raise errors.AnswerRefused(
        f"The agent asked {len(asked)} times about this tool call.", hint="Take one of call.permissions, by its index."
    )


def on_its_thread(function: Callable[[], T]) -> T:
    """`runtime.run`, but what is refused is told without the inside of this package."""
    __tracebackhide__ = True
    try:
        return runtime.run(function)
    except errors.AcpError as error:
        raise error.with_traceback(None) from None
