"""Permission requests: the policy answers, or somebody, or nobody was there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acp_widget.asking import Asking
from acp_widget.errors import AnswerRefused
from acp_widget.policy import Budget, Edit, Read
from acp_widget.policy import Policy as Rules
from acp_widget.policy import Word as Policy
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

from .processes import run, until

OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


class Notebook:
    """An audience whose clock a test moves."""

    def __init__(self, *, possible: bool = True) -> None:
        self._possible = possible
        self.views = 0
        self.seconds = 0.0
        self.looks = 0

    def possible(self) -> bool:
        return self._possible

    def seen(self) -> bool:
        return self.views > 0

    def readable_seconds(self) -> float:
        self.looks += 1
        return self.seconds

    def patience(self, nobody_after: float | None) -> float:
        return 10.0 if nobody_after is None else nobody_after

    async def looked_at(self) -> None:
        """Somebody read the clock since, and did what follows from it."""
        looks = self.looks
        await until(lambda: self.looks >= looks + 2)


class Session:
    """A state, and what becomes of requests in it."""

    def __init__(self, audience: Notebook, permissions: Policy = "ask", nobody_after: float = 10.0) -> None:
        self.state = State()
        self.answers: list[Any] = []
        self.asking = Asking(self.state, self.emit, audience, permissions=permissions, nobody_after=nobody_after)

    def emit(self, event: dict[str, Any]) -> None:
        self.answers += reduce(self.state, {"at": 1.0, **event}).answers
        self.asking.look()

    def ask(self, number: int = 1, title: str = "Go on?") -> None:
        self.emit({"type": "request", "id": number, "params": {"title": title, "options": OPTIONS}})

    def permission(self, number: int = 1) -> Any:
        return self.state.get("permissions", f"p:{number}")

    def outcomes(self) -> list[Any]:
        return [answer.result["outcome"].get("optionId", "cancelled") for answer in self.answers]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_widget.asking._TICK", 0.001)


def test_outside_a_notebook_the_fallback_answers_at_once() -> None:
    session = Session(Notebook(possible=False))
    session.ask(title="T" * 10_000)
    assert session.outcomes() == ["no"]
    assert session.permission()["by"] == "nobody"
    [(warning, _)] = session.asking.warnings
    assert "no notebook is attached" in warning
    assert len(warning) < 500


@pytest.mark.parametrize(("permissions", "outcome"), [("allow", "yes"), ("reject", "no")])
def test_a_policy_answers_wherever_it_is(permissions: Policy, outcome: str) -> None:
    session = Session(Notebook(), permissions)
    session.ask()
    assert session.outcomes() == [outcome]
    assert (session.permission()["by"], session.permission()["why"]) == ("policy", f"permissions='{permissions}'")
    assert not session.asking.warnings


def test_a_new_policy_leaves_what_is_pending_to_you() -> None:
    notebook = Notebook()
    notebook.views = 1
    session = Session(notebook)
    session.ask(1)
    session.asking.policy = "allow"
    session.ask(2)
    assert (session.permission(1)["status"], session.permission(2)["optionId"]) == ("pending", "yes")
    session.asking.answer("p:1", "no", by="you")
    assert session.outcomes() == ["yes", "no"]


EDIT = {"kind": "edit", "toolCallId": "c", "title": "Edit", "content": [{"type": "diff", "changes": [
    {"operation": "modify", "path": "/p/src/a.py"}]}]}  # fmt: skip


def ask_about(session: Session, call: dict[str, Any], number: int = 1) -> Any:
    subject = {"type": "tool_call", "toolCall": call}
    params = {"title": "Edit?", "options": OPTIONS, "subject": subject}
    session.emit({"type": "request", "id": number, "params": params})
    return session.permission(number)


def in_a_folder(notebook: Notebook | None = None) -> Session:
    if notebook is None:
        notebook = Notebook()
        notebook.views = 1
    session = Session(notebook)
    session.emit({"type": "starting", "command": ["x"], "cwd": "/p", "label": "x", "temporary": False})
    return session


def test_a_request_proposes_a_rule_that_is_made_by_a_press_and_taken_back() -> None:
    session = in_a_folder()
    assert ask_about(session, EDIT)["rule"] == "Edit('src/a.py')"
    session.asking.answer_and_remember("p:1", "yes", "Edit('src/a.py')")
    assert session.outcomes() == ["yes"]
    assert session.permission(1)["why"] == "and from now on Edit('src/a.py')"
    assert session.state.part("session")["rules"] == [{"word": "allow", "text": "Edit('src/a.py')"}]
    assert ask_about(session, {**EDIT, "toolCallId": "d"}, 2)["by"] == "policy"
    session.asking.revoke("Edit('src/a.py')")
    assert session.state.part("session")["rules"] == []
    assert ask_about(session, {**EDIT, "toolCallId": "e"}, 3)["status"] == "pending"
    with pytest.raises(AnswerRefused, match="There is no rule"):
        session.asking.revoke("Edit('src/a.py')")


def test_no_rule_is_made_of_what_changed_since_it_was_shown() -> None:
    session = in_a_folder()
    ask_about(session, EDIT)
    other = [{"type": "diff", "changes": [{"operation": "modify", "path": "/p/setup.py"}]}]
    session.emit(
        {"type": "update", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": other}}
    )
    with pytest.raises(AnswerRefused, match="has changed, so no rule was made"):
        session.asking.answer_and_remember("p:1", "yes", "Edit('src/a.py')")
    assert session.outcomes() == []
    assert session.permission(1)["rule"] != "Edit('src/a.py')"


@pytest.mark.parametrize("option", ["no", "always"])
def test_only_an_allow_once_makes_a_rule(option: str) -> None:
    session = in_a_folder()
    ask_about(session, EDIT)
    with pytest.raises(AnswerRefused):
        session.asking.answer_and_remember("p:1", option, "Edit('src/a.py')")
    assert session.asking.added.allow == ()


@pytest.mark.parametrize(
    "call",
    [
        {"kind": "execute", "rawInput": {"command": "pytest && rm -rf /"}},
        {"kind": "execute", "rawInput": {"command": "ls *"}},
        {"kind": "execute", "rawInput": {"command": ["echo", "a b"]}},
        {"kind": "execute", "rawInput": {"command": "sudo ls"}},
        {"kind": "edit", "rawInput": {"path": "/etc/passwd"}},
        {"kind": "edit", "rawInput": {"path": "src/[a].py"}},
        {"kind": "edit", "rawInput": {"paths": ["a.py", "b.py"]}},
        {"kind": "other", "rawInput": {"x": 1}},
    ],
)
def test_what_cannot_be_said_in_one_rule_proposes_none(call: dict[str, Any]) -> None:
    assert ask_about(in_a_folder(), {"toolCallId": "c", "title": "t", **call}).get("rule") is None


def test_why_it_asks_stands_at_the_request() -> None:
    session = in_a_folder()
    session.asking.policy = Rules(allow=[Edit("src/**")], budget=Budget(calls=1))
    assert ask_about(session, EDIT)["by"] == "policy"
    assert ask_about(session, {**EDIT, "toolCallId": "d"}, 2)["why"] == "The budget of 1 calls is used up."


def test_of_what_nobody_answered_it_is_said_that_the_budget_was_used_up() -> None:
    session = in_a_folder(Notebook(possible=False))
    session.asking.policy = Rules(allow=[Edit("src/**")], budget=Budget(calls=1))
    assert ask_about(session, EDIT)["by"] == "policy"
    request = ask_about(session, {**EDIT, "toolCallId": "d"}, 2)
    assert (request["by"], request["why"].split(". ")[0]) == ("nobody", "The budget of 1 calls is used up")
    assert "no notebook is attached" in request["why"]


def test_nor_is_it_forgotten_while_a_view_is_waited_for() -> None:
    async def play() -> Any:
        notebook = Notebook()
        session = in_a_folder(notebook)
        session.asking.policy = Rules(allow=[Edit("src/**")], budget=Budget(calls=0))
        ask_about(session, EDIT)
        notebook.seconds = 11.0
        await until(lambda: bool(session.asking.warnings))
        return session.permission()

    request = run(play())
    assert (request["by"], request["why"].split(". ")[0]) == ("nobody", "The budget of 0 calls is used up")
    assert "no view of the session" in request["why"]


@pytest.mark.parametrize(
    ("call", "outcome"),
    [
        ({"kind": "edit", "rawInput": {"path": "src/a.py"}}, "yes"),
        ({"kind": "edit", "rawInput": {"path": "report.ipynb"}}, "no"),
        ({"kind": "edit", "rawInput": {"path": "src/N.IPYNB"}}, "no"),
        ({"kind": "move", "locations": [{"path": "a.py"}, {"path": "b.ipynb"}]}, "no"),
        ({"kind": "read", "rawInput": {"path": "report.ipynb"}}, "yes"),
        ({"kind": "execute", "rawInput": {"command": "jupyter nbconvert report.ipynb && ls *"}}, "yes"),
    ],
)
@pytest.mark.parametrize("permissions", ["allow", Rules(otherwise="allow")], ids=["allow", "otherwise"])
def test_whatever_allows_all_a_notebook_is_written_only_when_a_rule_names_it(
    permissions: Any, call: dict[str, Any], outcome: str
) -> None:
    session = in_a_folder()
    session.asking.policy = permissions
    request = ask_about(session, {"toolCallId": "c", "title": "t", **call})
    if "command" in call.get("rawInput", {}) and permissions != "allow":
        assert request["status"] == "pending", "what is not certain is asked by rules"
        return
    assert (request["by"], request["optionId"]) == ("policy", outcome)
    assert ("notebooks are not written unless a rule names them" in request["why"]) == (outcome == "no")
    assert session.asking.explain("p:1").action == ("allow" if outcome == "yes" else "reject")
    session.asking.add("allow", Edit("report.ipynb"))
    named = ask_about(session, {"toolCallId": "d", "title": "t", **call}, 2)
    assert named["optionId"] == ("yes" if "report.ipynb" in str(call) else outcome)


TWO_WAYS = [
    {"optionId": "bare", "name": "Allow", "kind": "allow_once"},
    {"optionId": "sandbox", "name": "Allow in a sandbox", "kind": "allow_once"},
    *OPTIONS[1:],
]


@pytest.mark.parametrize(
    ("rules", "options", "wanted"),
    [
        (Rules(allow=[Edit("src/**")]), TWO_WAYS, None),
        (Rules(allow=[Edit("src/**")], otherwise="reject"), TWO_WAYS, None),
        (Rules(otherwise="allow"), TWO_WAYS, None),
        (Rules(reject=[Edit("src/**")]), TWO_WAYS, "no"),
        (
            Rules(allow=[Edit("src/**", always=True)]),
            [*TWO_WAYS, {"optionId": "ever", "name": "Always", "kind": "allow_always"}],
            "ever",
        ),
    ],
)
def test_which_of_several_ways_to_allow_once_is_meant_is_asked(
    rules: Rules, options: list[dict[str, Any]], wanted: str | None
) -> None:
    session = in_a_folder()
    session.asking.policy = rules
    subject = {"type": "tool_call", "toolCall": EDIT}
    params = {"title": "Edit?", "options": options, "subject": subject}
    session.emit({"type": "request", "id": 1, "params": params})
    asked = session.permission()
    assert asked["optionId"] == wanted
    if wanted is None:
        assert (asked["status"], asked["rule"]) == ("pending", None)
        assert "several ways to allow it once" in asked["why"]
        assert session.asking.explain("p:1").reasons[-1] == asked["why"]
        with pytest.raises(AnswerRefused):
            session.asking.answer_and_remember("p:1", "bare", "Edit('src/a.py')")
        session.asking.answer("p:1", "sandbox", by="you")
        assert session.outcomes() == ["sandbox"]


@pytest.mark.parametrize("at", ["request", "update"])
def test_a_call_that_was_an_edit_is_not_allowed_as_a_read(at: str) -> None:
    session = in_a_folder()
    session.asking.policy = Rules(allow=[Read("**")])
    call = {"toolCallId": "c", "title": "t", "rawInput": {"path": "/p/setup.py"}}
    as_read = {**call, "kind": "read"}
    kinds = [{**call, "kind": "edit"}, *([as_read] if at == "update" else [])]
    for each in kinds:
        session.emit({"type": "update", "update": {"sessionUpdate": "tool_call_update", **each}})
    assert ask_about(session, as_read)["status"] == "pending"
    assert ask_about(session, {**as_read, "toolCallId": "d"}, 2)["by"] == "policy"


def _watched(steps: Callable[[Session, Notebook], Any]) -> Session:
    notebook = Notebook()
    session = Session(notebook, nobody_after=10.0)

    async def play() -> None:
        await steps(session, notebook)
        session.asking.stop()

    run(play())
    return session


def test_nobody_means_seconds_in_which_a_view_could_have_come_and_few_after_that() -> None:
    async def steps(session: Session, notebook: Notebook) -> None:
        session.ask(1)
        notebook.seconds = 6.0
        await notebook.looked_at()
        session.ask(2)
        await notebook.looked_at()
        assert session.outcomes() == []
        notebook.seconds = 12.0
        await until(lambda: session.outcomes() == ["no", "no"])
        session.ask(3)
        await notebook.looked_at()
        assert session.permission(3)["status"] == "pending", "a page may have been opened meanwhile"
        notebook.seconds = 13.0
        await until(lambda: session.outcomes() == ["no"] * 3)

    session = _watched(steps)
    assert ["for 10 s" in each for each, _ in session.asking.warnings] == [True, False, False]


def test_a_clock_that_is_replaced_counts_for_nothing() -> None:
    async def steps(session: Session, notebook: Notebook) -> None:
        notebook.seconds = 1_000_000.0
        session.ask()
        await notebook.looked_at()
        notebook.seconds = 3.0
        await notebook.looked_at()
        notebook.seconds = 12.9
        await notebook.looked_at()
        assert session.outcomes() == []
        notebook.seconds = 13.1
        await until(lambda: session.outcomes() == ["no"])

    _watched(steps)


def test_once_a_view_was_seen_requests_wait() -> None:
    async def steps(session: Session, notebook: Notebook) -> None:
        session.ask(1)
        notebook.seconds = 9.0
        await notebook.looked_at()
        notebook.views = 1
        notebook.seconds = 1000.0
        await until(lambda: session.asking._watching is None)
        session.ask(2)
        assert session.asking._watching is None

    session = _watched(steps)
    assert session.outcomes() == []
    assert not session.asking.warnings


def test_what_was_answered_meanwhile_is_left_alone() -> None:
    async def steps(session: Session, notebook: Notebook) -> None:
        session.ask()
        await notebook.looked_at()
        session.asking.answer("p:1", "yes", by="python")
        notebook.seconds = 20.0
        await until(lambda: session.asking._watching is None)

    session = _watched(steps)
    assert session.outcomes() == ["yes"]
    assert not session.asking.warnings


def test_only_an_offered_option_of_a_pending_request_is_an_answer() -> None:
    notebook = Notebook()
    notebook.views = 1
    session = Session(notebook)
    session.ask()
    for permission, option, words in (
        ("p:1", "sudo", "offers no option 'sudo'"),
        ("p:2", "yes", "no such permission request"),
    ):
        with pytest.raises(AnswerRefused, match=words):
            session.asking.answer(permission, option, by="you")
    session.asking.dismiss_all(by="stop")
    with pytest.raises(AnswerRefused, match="already answered"):
        session.asking.dismiss("p:1", by="you")
    assert session.outcomes() == ["cancelled"]
