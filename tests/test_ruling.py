"""`agent.policy`: rules added to a live session and taken back; every decision with who, which rule and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_widget import Agent, AnswerRefused, Budget, Edit, Policy, Run
from acp_widget.policy import Permissions

FIX = "The test for mean() fails on an empty list. Fix it."


def decided(agent: Agent) -> list[tuple[str, bool, str | None]]:
    return [(each.title, each.allowed, each.by) for each in agent.policy.decisions]


def test_an_added_rule_goes_before_a_word_and_holds_from_the_next_request_on() -> None:
    with Agent("demo", permissions="reject") as agent:
        agent.run(FIX, show=False, timeout=60)
        assert decided(agent) == [("Edit stats.py?", False, "policy")]
        agent.policy.add(Edit("*.py"))
        agent.run(FIX, show=False, timeout=60)
        assert decided(agent)[1:] == [("Edit stats.py?", True, "policy"), ("Run the tests?", False, "policy")]
        edit = agent.policy.decisions[1]
        assert edit.why == "allowed by Edit('*.py')"
        assert edit.answered_at is not None
        assert agent.policy.explain(edit).rule == "Edit('*.py')"


def test_a_revoked_rule_holds_no_more() -> None:
    with Agent("demo", permissions="reject") as agent:
        assert repr(agent.policy.add(Edit("*.py"))) == "<policy 'reject', allow Edit('*.py'); 0 decisions>"
        agent.policy.add(Run("rm *"), "reject")
        assert agent.policy.rules == [("allow", Edit("*.py")), ("reject", Run("rm *"))]
        agent.policy.revoke(Edit("*.py"))
        assert agent.policy.rules == [("reject", Run("rm *"))]
        agent.run(FIX, show=False, timeout=60)
        assert decided(agent) == [("Edit stats.py?", False, "policy")]
        with pytest.raises(ValueError, match="was not added here"):
            agent.policy.revoke(Edit("*.py"))


def test_added_rules_stand_beside_those_of_a_policy_and_the_narrower_wins() -> None:
    with Agent("demo", permissions=Policy(allow=[Edit("**")], reject=[Run("*")])) as agent:
        agent.policy.add(Edit("stats.py"), "reject")
        agent.run(FIX, show=False, timeout=60)
        assert decided(agent) == [("Edit stats.py?", False, "policy")]
        assert ("allow", Edit("**")) in agent.policy.rules


def test_a_function_is_asked_only_where_no_rule_decides() -> None:
    asked: list[str] = []

    def function(request: object) -> bool:
        asked.append(getattr(request, "title", ""))
        return False

    with Agent("demo", permissions=function) as agent:
        agent.policy.add(Edit("*.py"))
        agent.run(FIX, show=False, timeout=60)
        assert asked == ["Run the tests?"]
        assert decided(agent)[0] == ("Edit stats.py?", True, "policy")


def test_what_is_wrong_says_so() -> None:
    with Agent("demo") as agent:
        with pytest.raises(ValueError, match="is no rule"):
            agent.policy.add("Edit(")
        with pytest.raises(ValueError, match="neither 'allow' nor 'reject'"):
            agent.policy.add(Edit("*"), "maybe")


def test_a_policy_is_kept_in_a_file(tmp_path: Path) -> None:
    policy = Policy(allow=[Edit("src/**"), Run("pytest *", always=True)], reject=["delete"], otherwise="reject")
    policy.save(tmp_path / "p.json")
    assert repr(Policy.load(tmp_path / "p.json")) == repr(policy)
    (tmp_path / "p.json").write_text('{"allow": ["nonsense("]}')
    with pytest.raises(ValueError, match=r"p\.json holds no policy"):
        Policy.load(tmp_path / "p.json")
    with pytest.raises(OSError, match="missing"):
        Policy.load(tmp_path / "missing.json")


def test_it_says_in_a_line_what_it_is() -> None:
    with Agent("demo", permissions=Policy(allow=[Edit("a")])) as agent:
        assert repr(agent.policy) == "<policy rules, allow Edit('a'); 0 decisions>"


@pytest.mark.filterwarnings("ignore::acp_widget.NobodyWatching")
def test_a_request_is_named_by_itself_its_id_or_its_tool_call() -> None:
    with Agent("demo", permissions=Policy(allow=[Edit("src/**")])) as agent, Agent("demo") as other:
        turn = agent.run(FIX, show=False, timeout=60)
        request, explain = turn.permissions[0], agent.policy.explain
        assert request.tool_call_id is not None
        call = turn.tool_calls[request.tool_call_id]
        assert str(explain(call)) == str(explain(request.id)) == str(explain(request))
        with pytest.raises(AnswerRefused, match="did not ask for permission for this tool call"):
            explain(turn.tool_calls["call_1"])
        with pytest.raises(AnswerRefused, match="tool call belongs to another agent"):
            other.policy.explain(call)
        with pytest.raises(AnswerRefused, match="permission request belongs to another agent"):
            other.policy.explain(request)
        with pytest.raises(AnswerRefused, match=r"asked nothing so far.\nFor|asked nothing so far. For instance"):
            other.policy.explain("1")
        with pytest.raises(
            AnswerRefused, match=r"(?s)with the id 'call_2'.*agent.tool_calls\['call_2'\]. This session has"
        ):
            explain("call_2")
        example = r"agent\.answer\(agent\.pending\[0\], \"yes\"\)"
        with pytest.raises(AnswerRefused, match=rf"(?s)with the id '7'.*This session has '{request.id}'.*{example}"):
            agent.answer("7", "yes")
        with pytest.raises(AnswerRefused, match="already answered"):
            agent.answer(call, "yes")
        for wrong in (None, {"id": 1}, True, 1.5):
            with pytest.raises(TypeError, match=rf"takes a Permission .*or a ToolCall, not {type(wrong).__name__}"):
                explain(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=rf"not Entities. Take one of them, by its index.*{example}"):
            agent.answer(agent.pending, "yes")  # type: ignore[arg-type]


def test_what_is_refused_is_told_without_the_inside() -> None:
    with Agent("demo") as agent:
        for wrong in (
            lambda: agent.answer("7", "yes"),
            lambda: agent.policy.explain("7"),
            lambda: agent.policy.explain({}),  # type: ignore[arg-type]
            lambda: agent.policy.add("Edit"),
            lambda: agent.policy.revoke("Edit"),
        ):
            with pytest.raises((AnswerRefused, TypeError, ValueError)) as told:
                wrong()
            inside = [each for each in told.traceback[2:] if not each.ishidden(told)]
            assert not inside


def test_rules_added_in_a_session_are_kept_in_a_file_for_the_next(tmp_path: Path) -> None:
    agent = Agent("demo", permissions=Policy(allow=[Edit("src/**")], budget=Budget(calls=5)))
    agent.policy.add("Run('pytest *')").add("Run('rm *')", "reject").save(tmp_path / "rules.json")
    kept = Policy.load(tmp_path / "rules.json")
    assert kept == Policy([Edit("src/**"), Run("pytest *")], [Run("rm *")], budget=Budget(calls=5))
    assert Agent("demo", permissions=kept).policy.rules == agent.policy.rules


@pytest.mark.parametrize(("given", "otherwise"), [("reject", "reject"), (lambda asked: "allow", "ask")])
def test_a_word_is_kept_as_what_happens_otherwise_and_a_function_is_not_kept(
    tmp_path: Path, given: Permissions, otherwise: str
) -> None:
    agent = Agent("demo", permissions=given)
    agent.policy.add("Read('**')").save(tmp_path / "rules.json")
    kept = Policy.load(tmp_path / "rules.json")
    assert (kept.otherwise, list(map(repr, kept.allow))) == (otherwise, ["Read('**')"])
