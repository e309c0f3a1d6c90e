"""`Policy`: rules for permission requests, a budget, and what they say about a request."""

from __future__ import annotations

import dataclasses
import html
import json
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import taken
from .budget import Budget
from .nearly import nearly
from .paths import place
from .rules import Edit, Rule, Tool, rule_of
from .touched import Thing, Touched, touched
from .words import ASK, NO_ONCE, SEVERAL, WORDS, Decision, Word, decide, first, ways_to_allow

_FIELDS = ("allow", "reject", "otherwise", "budget")
_EXAMPLE = "Edit('src/**'), Run('pytest *')"
_NOTEBOOKS = Edit("**/*.ipynb")
_SHOWN = 100  # characters of a wrong value
_NO_FORMULAS = "mathjax_ignore tex2jax_ignore"  # an agent's words are none
_DEFAULT = "notebooks are not written unless a rule names them"
_IN_FOLDER = f"a notebook is in the folder; {_DEFAULT}"


@dataclass(frozen=True)
class Verdict:
    """What a policy says about a request: `action` is `allow`, `reject` or `ask`; `reasons` says why, a line each."""

    action: Word
    rule: str | None
    reasons: tuple[str, ...]
    always: bool = False

    def __str__(self) -> str:
        return "\n".join((f"{self.action}{f' by {self.rule}' if self.rule else ''}", *self.reasons))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        by = f" by <code>{html.escape(self.rule)}</code>" if self.rule else ""
        reasons = "".join(f"<li>{html.escape(each)}</li>" for each in self.reasons)
        return f'<div class="{_NO_FORMULAS}"><b>{self.action}</b>{by}<ul>{reasons}</ul></div>'


@dataclass
class _Spent:
    """What was allowed so far."""

    calls: int = 0
    began: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __getstate__(self) -> tuple[int, float | None]:
        """Another process has another clock: it gets the seconds that have passed."""
        with self.lock:
            return self.calls, None if self.began is None else time.monotonic() - self.began

    def __setstate__(self, state: tuple[int, float | None]) -> None:
        self.calls, passed = state
        self.began = None if passed is None else time.monotonic() - passed
        self.lock = threading.Lock()


class Policy:
    """Rules for an agent's permission requests: `Agent(…, permissions=Policy(allow=[…], reject=[…]))`.

    `allow`, `reject`: rules (`Edit`, `Read`, `Run`, `Fetch`, `Tool`), or plain kinds (`"read"`). For each thing that a
    request touches the narrowest rule wins, and of rules of which none is narrower the one that rejects. It is allowed
    when everything is. `otherwise`: `"ask"`, `"allow"` or `"reject"`, for what no rule decides; what cannot be read in
    full is never allowed. `budget`: after it, what would be allowed is asked; agents with the same Policy share it.

    Two are equal that say the same, whatever they allowed so far. Raises `ValueError` for rules that are none, and an
    unknown `otherwise`, and `TypeError` for a budget that is none.

    >>> from acp_widget import Run
    >>> policy = Policy(allow=[Edit("src/**"), Run("pytest *")], reject=[Run("rm *")])
    >>> policy
    Policy(allow=[Edit('src/**'), Run('pytest *')], reject=[Run('rm *')], otherwise='ask')
    """

    def __init__(
        self,
        allow: Iterable[Rule | str] = (),
        reject: Iterable[Rule | str] = (),
        otherwise: Word = "ask",
        budget: Budget | None = None,
    ) -> None:
        __tracebackhide__ = True
        if otherwise not in WORDS:
            raise ValueError(f"otherwise={otherwise!r} is not known. Use one of: {', '.join(map(repr, WORDS))}.")
        if not isinstance(budget, Budget | None):
            raise TypeError(f"budget={repr(budget)[:_SHOWN]}: write, for instance, budget=Budget(calls=50).")
        self.allow, self.reject = _rules(allow, "allow"), _rules(reject, "reject")
        self.otherwise: Word = otherwise
        self.budget = budget
        self._spent = _Spent()

    def plus(self, other: Policy) -> Policy:
        """With the rules of another one beside its own; `otherwise` and budget are those of this one."""
        both = Policy(self.allow + other.allow, self.reject + other.reject, self.otherwise, self.budget)
        both._spent = self._spent
        return both

    def save(self, path: str | Path) -> None:
        """Write rules and budget into a JSON file."""
        told = {
            "allow": [repr(rule) for rule in self.allow],
            "reject": [repr(rule) for rule in self.reject],
            "otherwise": self.otherwise,
            "budget": dataclasses.asdict(self.budget) if self.budget else None,
        }
        Path(path).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """The policy that `save` wrote. Raises `OSError`, and `ValueError` for a file that holds something else.

        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "policy.json"
        >>> Policy(allow=[Edit("src/**")]).save(file)
        >>> Policy.load(file)
        Policy(allow=[Edit('src/**')], reject=[], otherwise='ask')
        """
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
            if not isinstance(told, dict) or (unknown := sorted(told.keys() - _FIELDS)):
                odd = f"{unknown[0][:_SHOWN]!r} is not known there" if isinstance(told, dict) else "it is no object"
                raise ValueError(f"{odd}; it has {', '.join(_FIELDS)}")  # a rule in it would be lost
            budget = Budget(**told["budget"]) if told.get("budget") is not None else None
            return cls(told.get("allow", ()), told.get("reject", ()), told.get("otherwise", "ask"), budget)
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{path} holds no policy: {error}") from None

    def explain(self, asked: Touched) -> Verdict:
        """Which rule decides about what a request touches, and why. Changes nothing."""
        reasons: list[str] = []
        winners: list[Rule] = []
        open_things = False
        for thing in asked.things:
            word, rule, why = self._about(thing, asked)
            reasons.append(why)
            if word == "reject":
                return Verdict("reject", repr(rule) if rule else "default", tuple(reasons))
            if word == "allow" and rule is not None:
                winners.append(rule)
            open_things = open_things or word != "allow"
        if not asked.things:
            word, rule = self._about_call(asked)
            if word == "reject":
                return Verdict("reject", repr(rule), (f"a call of kind {asked.kind!r}: rejected by {rule!r}",))
            winners, open_things = ([rule], False) if word == "allow" and rule is not None else ([], True)
            reasons.append(f"a call of kind {asked.kind!r}: {f'allowed by {rule!r}' if rule else 'no rule matches'}")
        doubt = asked.problem or next((_doubt(each) for each in asked.things if _unsure(each)), None)
        if doubt is not None:
            reasons.append(doubt)
            return Verdict("reject" if self.otherwise == "reject" else "ask", None, tuple(reasons))
        if winners and not open_things:
            names = ", ".join(dict.fromkeys(map(repr, winners)))
            return Verdict("allow", names, tuple(reasons), all(rule.always for rule in winners))
        reasons.append(f"otherwise={self.otherwise!r}")
        hidden = next((why for each in asked.things if (why := self._hidden(each, asked))), None)
        if self.otherwise == "allow" and hidden:
            return Verdict("ask", None, (*reasons, f"{hidden}: no rule names it"))
        return Verdict(self.otherwise, None, tuple(reasons))

    def about_notebooks(self, asked: Touched) -> str | None:
        """Why a request is rejected that would write a notebook which no rule of these names; None for any other."""
        told = (self._about(thing, asked) for thing in asked.things)
        return next((why for word, rule, why in told if word == "reject" and rule is None), None)

    def may_write_notebooks(self, asked: Touched) -> str:
        """Why a request asks that may write or delete a notebook which no rule names; empty for any other."""
        return next((why for each in asked.things if (why := self._notebook_in(each, asked, []))), "")

    def explain_now(self, asked: Touched, cost: float = 0.0) -> Verdict:
        """The same with the budget so far: what would be allowed is asked once a part of it is used up."""
        verdict = self.explain(asked)
        if verdict.action != "allow" or self.budget is None:
            return verdict
        with self._spent.lock:
            passed = 0.0 if self._spent.began is None else time.monotonic() - self._spent.began
            spent = self.budget.spent(self._spent.calls, passed, cost)
        return Verdict("ask", None, (*verdict.reasons, spent)) if spent else verdict

    def _about(self, thing: Thing, asked: Touched) -> tuple[Word | None, Rule | None, str]:
        """What the rules say about one thing, by which rule, and a line about it."""
        what = f"{thing.verb} {thing.text[:200]!r}"
        allows = [rule for rule in self.allow if rule.allows(thing, asked)]
        rejects = [rule for rule in self.reject if rule.rejects(thing, asked)]
        standing = [rule for rule in rejects if not any(each.narrower(rule) for each in allows)]
        if standing:
            return "reject", standing[0], f"{what}: rejected by {standing[0]!r}{_beside(allows)}"
        if _NOTEBOOKS.rejects(thing, asked):
            allows = [rule for rule in allows if rule.pattern.casefold().endswith(".ipynb")]
            if not allows:
                return "reject", None, f"{what}: {_DEFAULT}"
        if allows and (why := self._notebook_in(thing, asked, allows)):
            return None, None, f"{what}: {why}"
        if allows and self._hides(thing, asked):
            return None, None, f"{what}: a rule that rejects may be hidden in it"
        if allows:
            narrowest = next((each for each in allows if not any(rule.narrower(each) for rule in allows)), allows[0])
            return "allow", narrowest, f"{what}: allowed by {narrowest!r}{_beside(rejects)}"
        return None, None, f"{what}: no rule matches"

    def _about_call(self, asked: Touched) -> tuple[Word | None, Rule | None]:
        tools = [[rule for rule in rules if isinstance(rule, Tool)] for rules in (self.reject, self.allow)]
        for rule in tools[0]:
            if rule.rejects(Thing("read", ""), asked):
                return "reject", rule
        return next((("allow", rule) for rule in tools[1] if rule.fits(asked)), (None, None))

    def _hidden(self, thing: Thing, asked: Touched) -> str:
        """Why it is not known what a command runs, beside what rules that reject say; empty when it is."""
        if thing.command is not None and thing.command.unseen.why:
            return thing.command.unseen.why
        if why := self._notebook_in(thing, asked, []):
            return why
        return "a rule that rejects may be hidden in it" if self._hides(thing, asked) else ""

    def _notebook_in(self, thing: Thing, asked: Touched, allows: list[Rule]) -> str:
        """Why it may write or delete a notebook that no rule names; empty when it does not."""
        if any(".ipynb" in rule.pattern.casefold() for rule in allows):
            return ""
        if thing.place is not None:
            folder = thing.verb == "edit" and Path(thing.place.real).is_dir()
            return _IN_FOLDER if folder and taken.holds_notebook(thing.place.real) else ""
        named = [rule for rule in self.allow if isinstance(rule, Edit) and ".ipynb" in rule.pattern.casefold()]
        for words in (thing.command.all if thing.command else ())[:50]:
            for word in taken.notebooks(words):
                at = Thing("edit", word, place=place(word, thing.folder or asked.cwd))
                if not any(rule.allows(at, asked) for rule in named):
                    return f"it may write {word[:60]!r}; {_DEFAULT}"
            if not taken.deep(words, "edit"):
                continue
            for word in [*taken.named(words), *(["."] if taken.everywhere(words, "edit") else [])]:
                if taken.holds_notebook(place(word, thing.folder or asked.cwd).real):
                    return _IN_FOLDER
        return ""

    def _hides(self, thing: Thing, asked: Touched) -> bool:
        return any(rule.hides_in(thing, asked) for rule in self.reject)

    def explain_request(
        self, permission: Mapping[str, Any], call: Mapping[str, Any] | None, cwd: str, cost: float = 0.0
    ) -> Verdict:
        """What `decide` would answer a request, with the options that the agent offers; and which rules nearly fit.

        Changes nothing.
        """
        asked = touched(permission, call, cwd)
        verdict = self.explain_now(asked, cost)
        if verdict.rule is None:
            verdict = dataclasses.replace(verdict, reasons=(*verdict.reasons, *nearly(self.allow, asked)))
        if odd := self._cannot_choose(verdict, permission):
            return dataclasses.replace(verdict, action="ask", reasons=(*verdict.reasons, odd))
        return verdict

    def _cannot_choose(self, verdict: Verdict, permission: Mapping[str, Any]) -> str:
        """Why none of the agent's options can be chosen, though it would be allowed; empty when one can."""
        options = permission["options"]
        if verdict.action != "allow" or (verdict.always and first(options, "allow_always") is not None):
            return ""
        return SEVERAL if ways_to_allow(permission) > 1 else "" if first(options, "allow_once") is not None else NO_ONCE

    def decide(
        self, permission: Mapping[str, Any], call: Mapping[str, Any] | None, cwd: str, cost: float = 0.0
    ) -> Decision:
        """What to answer a request (an entity of the state); an approval counts for the budget."""
        verdict = self.explain(touched(permission, call, cwd))
        with self._spent.lock:
            now = time.monotonic()
            self._spent.began = began = now if self._spent.began is None else self._spent.began
            if verdict.action == "ask":
                return ASK
            if verdict.action == "reject":
                made = decide("reject", permission)
                return Decision(made.action, made.option_id, verdict.reasons[-1], verdict.rule)
            spent = self.budget and self.budget.spent(self._spent.calls, now - began, cost)
            if spent:
                return Decision("ask", None, spent)
            if odd := self._cannot_choose(verdict, permission):
                return Decision("ask", None, odd, verdict.rule)
            options = permission["options"]
            option = first(options, "allow_always") if verdict.always else None
            option = first(options, "allow_once") if option is None else option
            if option is None or permission.get("problem"):
                return ASK
            self._spent.calls += 1
            why = f"allowed by {verdict.rule}" if verdict.rule else "otherwise='allow'"
            return Decision("select", option, why, verdict.rule)

    def _key(self) -> tuple[object, ...]:
        return self.allow, self.reject, self.otherwise, self.budget

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Policy) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        allow, reject = list(self.allow), list(self.reject)
        spent = f", budget={self.budget!r}, used={self._spent.calls} calls" if self.budget else ""
        return f"Policy(allow={allow!r}, reject={reject!r}, otherwise={self.otherwise!r}{spent})"


def _rules(given: Iterable[Rule | str], name: str) -> tuple[Rule, ...]:
    __tracebackhide__ = True
    if isinstance(given, (str, Rule)):
        given = [given]
    elif isinstance(given, (type, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name}={repr(given)[:_SHOWN]}: it takes a list of rules, such as [{_EXAMPLE}].")
    rules = []
    for each in given:
        rule = rule_of(each) if isinstance(each, str) else each
        if isinstance(rule, type) and issubclass(rule, Rule):
            raise ValueError(f'{rule.__name__} needs what it is about, such as {rule.__name__}("{rule.example}").')
        if not isinstance(rule, Rule):
            raise ValueError(f"{repr(rule)[:_SHOWN]} is no rule. Write, for instance, {_EXAMPLE}.")
        rules.append(rule)
    return tuple(rules)


def _unsure(thing: Thing) -> bool:
    return (thing.command is not None and not thing.command.certain) or (
        thing.place is not None and not thing.place.readable
    )


def _beside(others: list[Rule]) -> str:
    return f" (also matched: {', '.join(map(repr, others))})" if others else ""


def _doubt(thing: Thing) -> str:
    if thing.command is not None:
        return f"The command is not certain: {thing.command.doubt}."
    return f"The path {thing.text[:200]!r} is no plain path."
