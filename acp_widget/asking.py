"""Sees to it that every permission request is answered: by the policy, by somebody, or by the fallback.

Everything here runs on the private thread (`runtime.py`).
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from . import errors, policy, runtime
from .session.state import State

log = logging.getLogger(__name__)

_TICK = 0.25  # seconds between two looks at whether somebody came
_BRIEFLY = 1.0  # seconds that a view has to come when none came for an earlier request
_SHOWN = 200  # characters of an agent's text in our sentences
_LISTED = 10  # option ids in a refusal


class Audience(Protocol):
    """Who could answer a permission request in a notebook."""

    def possible(self) -> bool:
        """False where no button can ever be pressed: outside an ipykernel."""

    def seen(self) -> bool:
        """True once a view of the session was drawn."""

    def readable_seconds(self) -> float:
        """Seconds so far in which a view could have said that it is there."""

    def patience(self, nobody_after: float | None) -> float:
        """Of those, how many a view is waited for; None: as many as is usual where the cells are run."""


class Asking:
    """The permission requests of one session. `emit` takes the events that answer them."""

    def __init__(
        self,
        state: State,
        emit: Callable[[dict[str, Any]], None],
        audience: Audience,
        *,
        permissions: policy.Permissions,
        nobody_after: float | None,
    ) -> None:
        self.policy: policy.Permissions = permissions
        self.added = policy.Policy()
        """Rules that go with any policy."""
        self.warnings: deque[tuple[str, type[Warning]]] = deque(maxlen=50)
        """What the fallback did, and functions that failed, for whoever waits."""
        self._state, self._emit, self._audience = state, emit, audience
        self._nobody_after = nobody_after
        self._nobody_came = False
        self._looked_at: set[str] = set()
        self.view: Callable[[str], Any] = lambda key: self._state.get("permissions", key)
        """What a function for permissions is given."""
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._unseen: dict[str, float] = {}
        """Requests that no view was there to show, and for how many seconds one could have come."""
        self._watching: asyncio.Task[None] | None = None
        self._for_people: set[str] = set()
        self._waiters: list[concurrent.futures.Future[None]] = []

    def answer(self, permission: str, option_id: str, *, by: str, why: str | None = None) -> None:
        """Choose an option of a pending request. Raises `AnswerRefused` for anything else; nothing is sent then."""
        options = self._pending(permission)["options"]
        if option_id not in [option["optionId"] for option in options]:
            known = ", ".join(map(_option, options[:_LISTED]))
            more = ", …" if len(options) > _LISTED else ""
            wrong = repr(option_id[:_SHOWN]) if isinstance(option_id, str) else repr(option_id)[:_SHOWN]
            raise errors.AnswerRefused(f"The request offers no option {wrong}.", hint=f"It offers: {known}{more}.")
        self._emit({"type": "respond", "permission": permission, "optionId": option_id, "by": by, "why": why})

    def answer_and_remember(self, permission: str, option_id: str, rule: str) -> None:
        """A user's *allow once*, and from now on this rule. `AnswerRefused` when another one is proposed by now."""
        request = self._pending(permission)
        proposed = self._proposed(request)
        kinds = {option.get("kind") for option in request["options"] if option["optionId"] == option_id}
        if proposed is None or repr(proposed) != rule or kinds != {"allow_once"}:
            self._tell(permission, request)
            raise errors.AnswerRefused(
                "What it asks about has changed, so no rule was made and nothing was sent.", hint="Look at it again."
            )
        self.answer(permission, option_id, by="you", why=f"and from now on {rule}")
        self.add("allow", proposed)

    def add(self, word: str, rule: policy.Rule | str) -> None:
        """One more rule beside the policy, from the next request on. Raises `ValueError` for what is no rule."""
        new = policy.Policy(allow=[rule]) if word == "allow" else policy.Policy(reject=[rule])
        if (new.allow or new.reject)[0] not in (self.added.allow if word == "allow" else self.added.reject):
            self.added = self.added.plus(new)
        self._emit_rules()

    def revoke(self, text: str) -> None:
        """Take an added rule away. Raises `AnswerRefused` when there is none."""
        allow, reject = ([each for each in of if repr(each) != text] for of in (self.added.allow, self.added.reject))
        if len(allow) + len(reject) == len(self.added.allow) + len(self.added.reject):
            raise errors.AnswerRefused(f"There is no rule {text[:_SHOWN]} any more.")
        self.added = policy.Policy(allow, reject)
        self._emit_rules()

    def _emit_rules(self) -> None:
        listed = [("allow", rule) for rule in self.added.allow] + [("reject", rule) for rule in self.added.reject]
        self._emit({"type": "rules", "rules": [{"word": word, "text": repr(rule)} for word, rule in listed]})

    def _proposed(self, request: Mapping[str, Any]) -> policy.Rule | None:
        if policy.ways_to_allow(request) > 1:
            return None  # a rule could not choose
        try:
            return policy.proposed(policy.touched(*self._about(request)))
        except Exception:  # the question itself is not to be lost for it
            log.exception("No rule could be proposed")
            return None

    def _tell(self, permission: str, request: Mapping[str, Any], why: str | None = None) -> None:
        """Why it is asked, and which rule could be made of it."""
        rule = self._proposed(request)
        text = None if rule is None else repr(rule)
        if (text, why) != (request.get("rule"), request.get("why")):
            self._emit({"type": "permissionTold", "permission": permission, "rule": text, "why": why})

    def dismiss(self, permission: str, *, by: str, why: str | None = None) -> None:
        """Answer a pending request `cancelled`. Raises `AnswerRefused` when it is not pending."""
        self._pending(permission)
        self._emit({"type": "dismiss", "permission": permission, "by": by, "why": why})

    def dismiss_all(self, *, by: str, why: str | None = None) -> None:
        """Answer every pending request `cancelled`."""
        for permission in self._state.pending_permissions():
            self.dismiss(permission, by=by, why=why)

    def _pending(self, permission: str) -> Mapping[str, Any]:
        request = self._state.get("permissions", permission)
        if request is None:
            raise errors.AnswerRefused("There is no such permission request.")
        if request["status"] != "pending":
            raise errors.AnswerRefused("This request was already answered.", hint="Nothing more was sent.")
        return request

    # --- new requests ----------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Take care of requests that came since the last look."""
        for permission in self._state.pending_permissions():
            if permission not in self._looked_at:
                self._looked_at.add(permission)
                self._consider(permission)

    def stop(self) -> None:
        """The session is over: nobody waits for anybody any more."""
        self._unseen.clear()
        for task in list(self._asked.values()):
            task.cancel()
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def _consider(self, permission: str) -> None:
        """A new pending request: let the policy answer it, or see to it that somebody can."""
        request = self._state.get("permissions", permission)
        if request is None or request["status"] != "pending":
            return
        decision = self._by_rules(request)
        if decision is not None:
            self._act(permission, decision)
        elif callable(self.policy):
            self._asked[permission] = asyncio.ensure_future(self._ask_function(permission, self.policy))
        elif not isinstance(self.policy, policy.Policy):
            self._act(permission, self._by_word(self.policy, request))

    def _act(self, permission: str, decision: policy.Decision) -> None:
        if decision.action != "ask":
            self._carry_out(permission, decision, "policy", decision.why)
            return
        request = self._state.get("permissions", permission)
        if request is not None:
            self._tell(permission, request, decision.why or None)
            self._for_people.add(permission)
            self.tell_waiters()
            if decision.failed:
                self._warn_of(request, decision.why)
        if not self._audience.possible():
            self._fall_back(permission, "no notebook is attached", decision.why)
        elif not self._audience.seen():
            self._unseen[permission] = 0.0
            if self._watching is None:
                self._watching = asyncio.ensure_future(self._watch(self._audience.readable_seconds()))

    # --- waits that keep answers away ------------------------------------------------------------------------------

    def watched(self, over: concurrent.futures.Future[None]) -> concurrent.futures.Future[None]:
        """A future done when `over` is, or with `WaitNotPossible` while a person is asked. From any thread.

        For waits during which no button answers: each would wait for the other.
        """
        if over.done():
            return over
        mine: concurrent.futures.Future[None] = concurrent.futures.Future()

        def passed_on(_: object) -> None:
            with contextlib.suppress(concurrent.futures.InvalidStateError):
                error = over.exception()
                mine.set_result(None) if error is None else mine.set_exception(error)

        over.add_done_callback(passed_on)
        runtime.call(self._wait_for, mine)
        return mine

    def _wait_for(self, waiter: concurrent.futures.Future[None]) -> None:
        self._waiters = [*(each for each in self._waiters if not each.done()), waiter]
        self.tell_waiters()

    def tell_waiters(self) -> None:
        """End those waits, when a person has to do something."""
        wanted = self._wanted()
        waiters, self._waiters = ([], self._waiters) if wanted is None else (self._waiters, [])
        for waiter in waiters:
            error = errors.WaitNotPossible(
                f"{wanted}, and no button answers while this cell runs.",
                hint="Answer below the prompt or in the agent's panel (`agent` as the last line of a cell), and run "
                "this cell again. Or say who answers: Agent(…, permissions=…).",
            )
            with contextlib.suppress(concurrent.futures.InvalidStateError):
                waiter.set_exception(error)

    def _wanted(self) -> str | None:
        """What a person has to answer, as the beginning of a sentence."""
        for key in self._state.pending_permissions():
            if key in self._for_people:
                return f"The agent asks {(self._state.get('permissions', key) or {}).get('title', '')[:_SHOWN]!r}"
        return None

    # ---------------------------------------------------------------------------------------------------------------

    async def _ask_function(self, permission: str, function: policy.Function) -> None:
        """Let the user's function decide, on a thread of its own or as a coroutine; what fails is asked."""
        name = policy.name_of(function)
        request: Mapping[str, Any] | None = None
        try:
            answer = await policy.call_function(function, self.view(permission))
            request = self._state.get("permissions", permission)
            decision = policy.ASK if request is None else policy.of_answer(answer, request, name)
        except Exception as error:  # never an approval
            log.warning("The function for permissions failed", exc_info=True)
            decision = policy.of_failure(error, name)
            request = self._state.get("permissions", permission)
        finally:
            self._asked.pop(permission, None)
        if request is not None and request["status"] == "pending":  # else somebody was quicker
            self._act(permission, decision)

    def _warn_of(self, request: Mapping[str, Any], why: str) -> None:
        """Say that the user's function failed: where it is seen beside the session, and in the cell that waits."""
        text = (
            f"The function for permissions did not decide about {request['title'][:_SHOWN]!r}: {why}. "
            "It is asked then, and rejected where nobody can answer."
        )
        self._emit({"type": "diagnostic", "message": text, "where": "permissions"})
        self.warnings.append((text, errors.PermissionsFailed))

    def _by_rules(self, request: Mapping[str, Any]) -> policy.Decision | None:
        """What the rules say; None when there are none, or none for this request and something else decides."""
        rules, decide_all = self._rules()
        if rules is None:
            return None
        try:
            decision = rules.decide(*self._about(request), cost=self._cost())
        except Exception:  # what could not be judged is asked, never allowed
            log.exception("The rules could not judge a request")
            return policy.ASK
        return decision if decide_all or decision.rule is not None else None

    def _by_word(self, word: policy.Word, request: Mapping[str, Any]) -> policy.Decision:
        """What the word says; notebooks are not written by it unless a rule that was added names them."""
        decision = policy.decide(word, request)
        if word != "allow" or decision.action == "ask":
            return decision
        try:
            asked = policy.touched(*self._about(request))
            why = self.added.about_notebooks(asked)
            if why is None and (hidden := self.added.may_write_notebooks(asked)):
                return policy.Decision("ask", None, hidden)
        except Exception:  # what could not be judged is asked, never allowed
            log.exception("A request could not be judged")
            return policy.ASK
        rejected = policy.decide("reject", request)
        return decision if why is None else policy.Decision(rejected.action, rejected.option_id, why)

    def _cost(self) -> float:
        """What the session has cost, as far as the agent reports it."""
        cost = (self._state.part("usage") or {}).get("cost")
        amount = cost.get("amount") if isinstance(cost, Mapping) else None
        return float(amount) if isinstance(amount, (int, float)) and not isinstance(amount, bool) else 0.0

    def _rules(self) -> tuple[policy.Policy | None, bool]:
        """The rules in force, and whether they decide about every request."""
        if isinstance(self.policy, policy.Policy):
            return self.policy.plus(self.added), True
        if self.policy == "allow" and self.added.reject:  # what may hide something that is rejected asks
            return policy.Policy(self.added.allow, self.added.reject, otherwise="allow"), True
        return (self.added if self.added.allow or self.added.reject else None), False

    def _about(self, request: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any] | None, str]:
        call_id = request.get("toolCallId")
        key = f"t:{call_id}"
        call = None if call_id is None else self._state.get("toolCalls", key)
        if call is not None and (before := self._state.kinds_before(key)):
            call = {**call, "kindsBefore": before}
        return request, call, self._state.part("session")["cwd"] or "/"

    def explain(self, permission: str) -> policy.Verdict:
        """What the rules say about a request of the session. Raises `AnswerRefused` when there is none."""
        request = self._state.get("permissions", permission)
        if request is None:
            raise errors.AnswerRefused("There is no such permission request.")
        rules, decide_all = self._rules()
        if rules is not None:
            verdict = rules.explain_request(*self._about(request), self._cost())
            if decide_all or verdict.rule is not None:
                return verdict
        assert not isinstance(self.policy, policy.Policy), "its rules were asked"
        if callable(self.policy):
            return policy.Verdict("ask", None, (f"{policy.name_of(self.policy)} decides when it is asked.",))
        decision, rejected = self._by_word(self.policy, request), policy.decide("reject", request)
        is_no = (decision.action, decision.option_id) == (rejected.action, rejected.option_id)
        action: policy.Word = "ask" if decision.action == "ask" else "reject" if is_no else "allow"
        return policy.Verdict(action, None, (decision.why or f"permissions={self.policy!r}",))

    async def _watch(self, before: float) -> None:
        """Fall back for requests that no view came to show, though it could have."""
        while self._unseen and not self._audience.seen():
            await asyncio.sleep(_TICK)
            now = self._audience.readable_seconds()
            passed, before = max(0.0, now - before), now
            pending = set(self._state.pending_permissions())
            self._unseen = {key: waited + passed for key, waited in self._unseen.items() if key in pending}
            patience = self._audience.patience(self._nobody_after)
            if self._nobody_came:
                patience = min(patience, _BRIEFLY)
            gone = [permission for permission, waited in self._unseen.items() if waited >= patience]
            for permission in gone if not self._audience.seen() else ():
                self._nobody_came = True
                del self._unseen[permission]
                why = (self._state.get("permissions", permission) or {}).get("why")
                self._fall_back(permission, f"no view of the session was open for {patience:g} s", why)
        self._unseen.clear()
        self._watching = None

    def _fall_back(self, permission: str, because: str, why: str | None) -> None:
        """Answer for nobody. `why`: for what reason it was asked at all."""
        request = self._state.get("permissions", permission)
        if request is None or request["status"] != "pending":
            return
        decision = policy.fallback(request)
        what = "rejected" if decision.action == "select" else "answered 'cancelled'"
        advice = (
            "What cannot be read in full, and what has no 'allow once', is never allowed automatically."
            if self.policy == "allow"
            else "Pass permissions='allow' or 'reject', or show the turn or the agent in a notebook."
        )
        why = (why or "").rstrip(".")
        asked = f" It was asked because: {why}." if why else ""
        text = (
            f"The agent asked {request['title'][:_SHOWN]!r} and nobody could answer ({because}), so it was {what}."
            f"{asked} {advice}"
        )
        log.warning("%s", text)
        self.warnings.append((text, errors.NobodyWatching))
        told = f"{decision.why}: {because}"
        self._carry_out(permission, decision, "nobody", f"{why}. {told}" if why else told)

    def _carry_out(self, permission: str, decision: policy.Decision, by: str, why: str) -> None:
        if decision.action == "select" and decision.option_id is not None:
            self.answer(permission, decision.option_id, by=by, why=why)
        else:
            self.dismiss(permission, by=by, why=why)


def _option(option: Mapping[str, Any]) -> str:
    """An option by its id, with the kind where that is a word."""
    kind = str(option.get("kind") or "")[:_SHOWN]
    return f"{option['optionId'][:_SHOWN]!r}{f' ({kind})' if kind.isidentifier() else ''}"
