"""Rules for permission requests: what each of them decides about each kind of request, attacks included."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acp_widget.policy import Budget, Edit, Fetch, Policy, Read, Run, Tool, rule_of, touched

OPTIONS = [
    {"optionId": "y", "name": "Once", "kind": "allow_once"},
    {"optionId": "a", "name": "Always", "kind": "allow_always"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
Request = tuple[dict[str, Any], dict[str, Any]]


def about(kind: str, **call: Any) -> Request:
    return {"options": OPTIONS, "problem": None, "subject": None}, {"kind": kind, "title": "pytest", **call}


def edit(*paths: str, **call: Any) -> Request:
    changes = [{"operation": "modify", "path": path} for path in paths]
    return about("edit", content=[{"type": "diff", "changes": changes}], **call)


def run(command: Any, **raw: Any) -> Request:
    return about("execute", rawInput={"command": command, **raw})


@pytest.fixture
def cwd(tmp_path: Path) -> str:
    (tmp_path / "work/src/deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "work/src/link").symlink_to(tmp_path / "out")
    (tmp_path / "work/src/book").symlink_to(tmp_path / "work/src/real.ipynb")
    return str(tmp_path / "work")


RULES = Policy(
    allow=[
        Edit("src/**"), Read("**"), Run("pytest *"), Run("git status"), Run("rm build/x"), Run("git *"),
        Fetch("https://docs.python.org/**"), Tool("mcp__db__*"),
    ],
    reject=[
        Run("rm *"), Run("git push *"), Edit("src/gen/**"), Edit("*.secret"), Fetch("https://evil.com/**"),
        Tool("mcp__db__drop"),
    ],
)  # fmt: skip

EDITS = [
    ("src/a.py", "allow"), ("src/deep/a.py", "allow"), ("./src/a.py", "allow"), ("src/../src/a.py", "allow"),
    ("src/deep/../../setup.py", "ask"), ("setup.py", "ask"), ("/etc/passwd", "ask"), ("../src/a.py", "ask"),
    ("src/link/a.py", "ask"), ("src/link/../src/a.py", "ask"), ("src/gen/a.py", "reject"), ("src/GEN/a.py", "reject"),
    ("src/deep/../gen/a.py", "reject"), ("src/key.secret", "reject"), ("src/Key.SECRET", "reject"),
    ("/tmp/key.secret", "reject"), ("src/n.ipynb", "reject"), ("src/N.IPYNB", "reject"), ("src/book", "reject"),
    ("SRC/a.py", "ask"), ("~/src/a.py", "ask"), ("file:src/a.py", "ask"), ("src\\..\\a.py", "ask"),
    ("src/a\n.py", "ask"), ("src/a\u202e.py", "ask"), ("src/\0a", "ask"), ("", "ask"), ("srcx/a.py", "ask"),
    ("src", "ask"),
]  # fmt: skip

COMMANDS = [
    ("pytest", "allow"), ("pytest -q tests", "allow"), ("pytest -k 'a and b'", "allow"), ('pytest "a;b"', "allow"),
    (["pytest", "-q"], "allow"), (["bash", "-lc", "pytest -q"], "allow"), ("git status", "allow"),
    ("'pytest' x", "allow"), ("pytest; ls", "ask"), ("pytest && ls", "ask"), ("pytest || ls", "ask"),
    ("pytest | tee x", "ask"), ("pytest & ls", "ask"), ("pytest > x", "ask"), ("pytest < x", "ask"),
    ("pytest `ls`", "ask"), ("pytest $(ls)", "ask"), ('pytest "$(ls)"', "ask"), ("pytest $HOME", "ask"),
    ("pytest\nls", "ask"), ("pytest\r\nls", "ask"), ("pytest *.py", "ask"), ("pytest {a,b}", "ask"),
    ("pytest # x", "ask"), ("A=1 pytest", "ask"), ("PYTEST", "ask"), ("./pytest", "ask"), ("/tmp/pytest", "ask"),
    ("pytestx", "ask"), ("pytest 'a", "ask"), ("pytest \\\nls", "ask"), ("pytest <(ls)", "ask"), ("", "ask"),
    ("env pytest", "ask"), ("sudo pytest", "ask"), ("xargs pytest", "ask"), ("py\u200btest", "ask"),
    ("pytest !x", "ask"), ("pytest ~/x", "ask"), (["pytest", "x\n"], "ask"), (["bash", "-c", "pytest; ls"], "ask"),
    (["/tmp/bash", "-c", "pytest"], "ask"), (["bash", "-x", "pytest"], "ask"), ([1], "ask"), ([], "ask"),
    ("git push origin", "reject"), ("git rm x", "ask"), ("rm -rf /", "reject"), ("/bin/rm x", "reject"),
    ("rm build/x", "allow"), ("rm build/x y", "reject"), ("RM x", "reject"), ("'rm' x", "reject"),
    ("r\\m x", "reject"), ('r""m x', "reject"), ("pytest; rm x", "reject"), ("pytest && rm x", "reject"),
    ("pytest\nrm x", "reject"), ("pytest | rm x", "reject"), ("pytest $(rm x)", "reject"),
    ('pytest "$(rm x)"', "reject"), ("pytest `rm x`", "reject"), ('pytest "`rm x`"', "reject"),
    ("A=1 rm x", "reject"), ("sudo rm x", "reject"), ("sudo -u root rm x", "reject"), ("env A=1 rm x", "reject"),
    ("xargs rm x", "reject"), ("sh -c 'rm x'", "reject"), ("bash -lc 'ls; rm x'", "reject"),
    (["bash", "-lc", "rm x"], "reject"), ("sudo bash -c 'rm x'", "reject"), ("find . -exec rm x ;", "reject"),
    ("(rm x)", "reject"), ("pytest <(rm x)", "reject"), ("if true; then rm x; fi", "reject"),
]  # fmt: skip

FETCHES = [
    ("https://docs.python.org/3/", "allow"), ("http://docs.python.org/3/", "ask"),
    ("https://docs.python.org@evil.org/", "ask"), ("https://docs.python.org.evil.org/", "ask"),
    ("https://docs.python.org:8000/", "ask"), ("https://docs.python.org/../x", "ask"),
    ("https://docs.python.org/%2e%2e/x", "ask"), ("https://EVIL.com/x", "reject"), ("https://u@evil.com/x", "reject"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        *((edit(path), wanted) for path, wanted in EDITS),
        *((run(command), wanted) for command, wanted in COMMANDS),
        *((about("fetch", rawInput={"url": url}), wanted) for url, wanted in FETCHES),
        (edit("src/a.py", "setup.py"), "ask"),
        (edit("src/a.py", "src/gen/b.py"), "reject"),
        (edit("src/a.py", locations=[{"path": "setup.py"}]), "ask"),
        (edit("src/a.py", rawInput={"file_path": "/etc/passwd"}), "ask"),
        (edit("src/a.py", rawInput={"command": "rm x"}), "reject"),
        (about("edit"), "ask"),
        (about("execute"), "ask"),
        (about("read", locations=[{"path": "README.md"}]), "allow"),
        (about("read", locations=[{"path": "/etc/passwd"}]), "ask"),
        (about("read", locations=[{"path": "x"}], content=edit("setup.py")[1]["content"]), "ask"),
        (run("pytest", cwd="/"), "ask"),
        (run("pytest", cwd="src"), "allow"),
        (run("pytest", env={"A": "1"}), "ask"),
        (run("pytest", args=["-q"]), "allow"),
        (run("pytest", args=["x", "\n"]), "ask"),
        (about("other", name="mcp__db__get"), "allow"),
        (about("other", name="mcp__db__drop"), "reject"),
        (about("edit", name="mcp__db__get"), "ask"),
    ],
)
def test_what_the_rules_say(request_: Request, wanted: str, cwd: str) -> None:
    verdict = RULES.explain(touched(*request_, cwd))
    assert verdict.action == wanted, str(verdict)
    if wanted == "ask":
        lax = Policy(RULES.allow, RULES.reject)
        assert lax.decide(*request_, cwd).action == "ask"


@pytest.mark.parametrize("command", ["pytest; ls", "pytest $(ls)", "A=1 ls", "sudo ls", ""])
def test_what_is_not_certain_is_asked_even_if_otherwise_is_allow(command: str, cwd: str) -> None:
    assert Policy(otherwise="allow").decide(*run(command), cwd).action == "ask"
    assert Policy(otherwise="allow").decide(*run("ls"), cwd).option_id == "y"


def test_both_sides_of_a_move_count(cwd: str) -> None:
    change = {"operation": "move", "oldPath": "secret/x", "path": "src/x"}
    request = about("move", content=[{"type": "diff", "changes": [change]}])
    assert RULES.explain(touched(*request, cwd)).action == "ask"


def test_an_always_option_needs_a_rule_that_says_so(cwd: str) -> None:
    assert Policy(allow=[Edit("src/**")]).decide(*edit("src/a.py"), cwd).option_id == "y"
    assert Policy(allow=[Edit("src/**", always=True)]).decide(*edit("src/a.py"), cwd).option_id == "a"


def test_a_notebook_is_written_when_a_rule_names_it(cwd: str) -> None:
    assert Policy(otherwise="allow").decide(*edit("n.ipynb"), cwd).option_id == "n"
    assert Policy(allow=[Edit("n.ipynb")]).decide(*edit("n.ipynb"), cwd).option_id == "y"


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a; b",
            "a && b",
            "a||b",
            "a | b",
            "a & b",
            "a &",
            "a;b",
            "a ;b;",
            "a ; b",
            "a\nb",
            "a > x",
            "a >> x",
            "a < x",
        ),
        *("a 2>&1", "a 2> x", "a &> x", "pytest -q; *"),
    ],
)
def test_a_rule_about_more_than_one_command_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"would never match: a rule is about one command"):
        Run(pattern)
    with pytest.raises(ValueError, match=r"would never match|is no rule"):
        rule_of(f"Run({pattern!r})")


def test_words_that_were_quoted_may_look_like_operators(cwd: str) -> None:
    for pattern, command in (("sed -n 1p;2p f", "sed -n '1p;2p' f"), ("grep a|b *", "grep 'a|b' f")):
        call = {"kind": "execute", "rawInput": {"command": command}}
        assert Run(pattern).allows(touched({"subject": None, "problem": None}, call, cwd).things[0], None)  # type: ignore[arg-type]
    assert Run("find . -exec ls {} ;").pattern.endswith(";")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda policy: pickle.loads(pickle.dumps(policy))])
def test_a_copy_of_a_policy_says_the_same_and_goes_on_with_what_is_left(copied: Any, cwd: str) -> None:
    assert copied(Policy()) == Policy()
    policy = Policy(allow=[Edit("src/**")], reject=[Run("rm *")], budget=Budget(calls=1, seconds=600))
    assert policy.decide(*edit("src/a.py"), cwd).option_id == "y"
    other = copied(policy)
    assert (other, repr(other)) == (policy, repr(policy))
    assert other.decide(*edit("src/a.py"), cwd).why == "The budget of 1 calls is used up."


def test_a_narrower_rule_beats_a_wider_one_and_reject_beats_allow(cwd: str) -> None:
    policy = Policy(allow=[Edit("src/**"), Edit("src/gen/keep.py")], reject=[Edit("src/gen/**"), Edit("src/*.py")])
    said = {
        path: policy.explain(touched(*edit(path), cwd)).action for path in ("src/gen/keep.py", "src/gen/a", "src/b.py")
    }
    assert said == {"src/gen/keep.py": "allow", "src/gen/a": "reject", "src/b.py": "reject"}
    assert Policy(allow=[Edit("a")], reject=[Edit("a")]).explain(touched(*edit("a"), cwd)).action == "reject"


def test_a_budget_that_is_used_up_asks(cwd: str) -> None:
    policy = Policy(allow=[Edit("**")], budget=Budget(calls=1, cost=1.0))
    assert policy.decide(*edit("a"), cwd, cost=1.0).why == "The budget of 1 cost is used up."
    assert policy.decide(*edit("a"), cwd).action == "select"
    assert policy.decide(*edit("a"), cwd).why == "The budget of 1 calls is used up."
    assert "used=1 calls" in repr(policy)


def test_rules_are_written_as_they_are_read() -> None:
    for rule in (Edit("src/**"), Run("pytest *", always=True), Tool("read")):
        assert rule_of(repr(rule)) == rule
    with pytest.raises(ValueError, match="is no rule"):
        Policy(allow=["Sudo('x')"])


def test_a_tool_that_is_rejected_by_its_name_stays_rejected(cwd: str) -> None:
    policy = Policy(allow=[Edit("src/**"), Tool("edit")], reject=[Tool("mcp__evil__*"), Tool("delete")])
    assert policy.explain(touched(*edit("src/a.py", name="mcp__evil__write"), cwd)).action == "reject"
    assert policy.explain(touched(*edit("src/a.py", name="mcp__good__write"), cwd)).action == "allow"
    kinds = Policy(allow=[Edit("src/**")], reject=[Tool("edit")])
    assert kinds.explain(touched(*edit("src/a.py"), cwd)).action == "allow", "a rule about a path says more than a kind"
    assert kinds.explain(touched(*edit("setup.py"), cwd)).action == "reject"


@pytest.mark.parametrize("pattern", ["a\\b", "a\nb", "it's", "both ' and \"", "\udc80", "a', always=True", "\\"])
@pytest.mark.parametrize("always", [False, True])
def test_any_pattern_is_read_as_it_was_written_and_kept_in_a_file(pattern: str, always: bool, tmp_path: Path) -> None:
    rule = Edit(pattern, always=always)
    assert rule_of(repr(rule)) == rule
    Policy(allow=[rule], reject=[rule]).save(tmp_path / "p.json")
    kept = Policy.load(tmp_path / "p.json")
    assert (kept.allow, kept.reject) == ((rule,), (rule,))


@pytest.mark.parametrize(("used", "cost"), [("calls", 0.0), ("cost", 1.0)])
def test_the_explanation_says_which_part_of_the_budget_is_used_up(used: str, cost: float, cwd: str) -> None:
    policy = Policy(allow=[Edit("**")], budget=Budget(calls=1, cost=1.0))
    assert policy.explain_now(touched(*edit("a"), cwd)).action == "allow"
    if used == "calls":
        policy.decide(*edit("a"), cwd)
    verdict = policy.explain_now(touched(*edit("a"), cwd), cost)
    assert (verdict.action, verdict.reasons[-1]) == ("ask", f"The budget of 1 {used} is used up.")


@pytest.mark.parametrize("value", ["many", "5", [1], True, 1j, object()])
@pytest.mark.parametrize("name", ["calls", "seconds", "cost"])
def test_a_budget_of_no_number_is_refused_in_words(name: str, value: Any) -> None:
    whole = "whole " if name == "calls" else ""
    with pytest.raises(TypeError, match=rf"Budget\({name}=.*\): it is a {whole}number, 0 or more; None: no limit"):
        Budget(**{name: value})


@pytest.mark.parametrize("value", [-1, 10**400])
@pytest.mark.parametrize("name", ["calls", "seconds", "cost"])
def test_a_budget_below_nothing_or_without_end_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"Budget\({name}=.*0 or more"):
        Budget(**{name: value})


def test_a_budget_takes_numbers_of_any_make() -> None:
    for odd in (math.nan, math.inf, -math.inf, -0.5):
        with pytest.raises(ValueError, match="0 or more"):
            Budget(seconds=odd)
    with pytest.raises(TypeError, match="whole number"):
        Budget(calls=1.5)  # type: ignore[arg-type]
    budget = Budget(calls=np.int64(3), seconds=np.float32(0.5), cost=Fraction(1, 2))
    assert repr(budget) == "Budget(calls=3, seconds=0.5, cost=0.5)"
    with pytest.raises(TypeError, match=r"write, for instance, budget=Budget\(calls=50\)"):
        Policy(budget=5)  # type: ignore[arg-type]


EQUAL = [
    Policy(),
    Policy(allow=[Edit("src/**", always=True), Run("pytest *")], reject=["delete", Run("rm *")], otherwise="reject"),
    Policy(allow="read", budget=Budget(calls=np.int64(5), seconds=1.5)),
    Policy(allow=[Edit('it\'s "q" \\ \n')], budget=Budget()),
]


@pytest.mark.parametrize("policy", EQUAL, ids=repr)
def test_a_policy_that_is_kept_is_equal_to_what_was_saved(policy: Policy, tmp_path: Path, cwd: str) -> None:
    policy.save(tmp_path / "p.json")
    kept = Policy.load(tmp_path / "p.json")
    assert kept == policy
    assert hash(kept) == hash(policy)
    kept.decide(*edit("a"), cwd)
    assert kept == policy, "what it allowed so far does not count"
    assert [each for each in EQUAL if each == kept] == [policy]
    assert policy != repr(policy)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "it is no object"),
        ('{"rejects": []}', "'rejects' is not known there; it has allow, reject"),
        ('{"budget": {"calls": "many"}}', "whole number"),
        ('{"budget": 5}', "argument"),
        ('{"allow": ["Edit"]}', "names a tool"),
        ('{"allow": 5}', "list of rules"),
        ("[" * 100_000, ""),
    ],
)
def test_a_file_with_something_else_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(ValueError, match=rf"p\.json holds no policy: .*{why}"):
        Policy.load(tmp_path / "p.json")


@pytest.mark.parametrize("text", ["Edit", "EDIT", "Run", "run", "Read", "Fetch", "Tool", "tool"])
def test_the_name_of_a_rule_alone_is_no_rule(text: str) -> None:
    hint = rf"'{text}': a text names a tool.*For the rule, write {text.capitalize()}\(\".*\"\); .*Tool\('{text}'\)"
    for wrong in (text, [text]):
        with pytest.raises(ValueError, match=hint):
            Policy(allow=wrong)
        with pytest.raises(ValueError, match=hint):
            Policy(reject=wrong)


def test_one_rule_needs_no_list_and_kinds_stay_words() -> None:
    assert Policy(allow=Edit("x")) == Policy(allow=[Edit("x")])
    assert Policy(reject="Run('rm *')").reject == (Run("rm *"),)
    assert Policy(allow=["edit", "read", "mcp__db__get"]).allow == (Tool("edit"), Tool("read"), Tool("mcp__db__get"))
    assert Policy(allow=Tool("Edit")).allow == (Tool("Edit"),), "there may be a tool of that name"


def test_a_mistyped_kind_is_told_and_the_name_of_a_tool_is_none() -> None:
    for word, kind in (("edti", "edit"), ("Execute", "execute"), ("reads", "read"), ("delte", "delete")):
        with pytest.raises(ValueError, match=rf"'{word}' is no kind .* Did you mean '{kind}'\?.* Tool\('{word}'\)"):
            Policy(allow=[word])
    for word in ("bash", "search_web", "edit_file", "write", "mcp__db__read"):
        assert Policy(allow=[word]).allow == (Tool(word),)
    assert Policy(allow=Tool("edti")).allow == (Tool("edti"),)


@pytest.mark.parametrize(
    ("wrong", "kind", "why"),
    [
        (lambda: Policy(allow=Edit), TypeError, "allow=.*takes a list of rules, such as"),
        (lambda: Policy(reject=5), TypeError, "reject=5: it takes a list of rules, such as"),
        (lambda: Policy(allow={"edit": "**"}), TypeError, "it takes a list of rules"),
        (lambda: Policy(allow=[Run]), ValueError, 'Run needs what it is about, such as Run."pytest'),
        (lambda: Policy(allow=[None]), ValueError, "None is no rule"),
        (lambda: Edit(["a", "b"]), TypeError, "Edit.*takes a text, such as Edit.*, not list"),
        (lambda: Edit("a", "b"), TypeError, "always=.* is True or False, not str; one rule has one text"),
        (lambda: Edit(" "), ValueError, "needs a pattern"),
    ],
)
def test_what_is_no_rule_is_refused_in_words(wrong: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        wrong()
