"""What `agent.policy.explain` says of rules that nearly fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.policy import Edit, Fetch, Policy, Read, Rule, Run, Tool

OPTIONS = [{"optionId": "y", "name": "Once", "kind": "allow_once"}]


def run(command: Any) -> dict[str, Any]:
    return {"kind": "execute", "rawInput": {"command": command}}


def at(path: str, kind: str = "edit") -> dict[str, Any]:
    return {"kind": kind, "rawInput": {"path": path}}


def fetch(url: str) -> dict[str, Any]:
    return {"kind": "fetch", "rawInput": {"url": url}}


def near(policy: Policy, call: dict[str, Any], cwd: str) -> list[str]:
    request = {"options": OPTIONS, "problem": None, "subject": None}
    reasons = policy.explain_request(request, call, cwd).reasons
    assert not policy.explain_request(request, call, cwd).rule
    return [each for each in reasons if each.startswith("nearly: ")]


@pytest.fixture
def cwd(tmp_path: Path) -> str:
    (tmp_path / "work/src").mkdir(parents=True)
    (tmp_path / "work/src/link").symlink_to("/etc")
    return str(tmp_path / "work")


VENV = "/home/me/.venv/bin/python3.12"


@pytest.mark.parametrize(
    ("rule", "call", "lack"),
    [
        (
            Run("python3 *"),
            run("/usr/bin/python3 x.py"),
            "it is '/usr/bin/python3', which is Run('/usr/bin/python3 *')",
        ),
        (Run("python -m pytest *"), run(f"{VENV} -m pytest -q"), f"which is Run('{VENV} -m pytest *')"),
        (Run("python3 *"), run(["python", "x.py"]), "the program were 'python3'; it is 'python'"),
        (Run("pytest *"), run("cd a && pytest -q"), "if 'pytest -q' were all of the command, plainly: it holds '&'"),
        (Run("pytest *"), run("sudo pytest -q"), "if 'pytest -q' were all of the command, plainly: sudo runs"),
        (Run("pytest"), run("pytest -q"), "or as Run('pytest *')"),
        (Run("pytest *"), run("python -m pytest -q"), "run by 'python' it is Run('python -m pytest *')"),
        (Run("python -m pytest *"), run("pytest -q"), "by itself that is Run('pytest *')"),
        (Run("git *"), run("git -c a=b status"), "if it spelled out '-c': git can write or run something else"),
        (Run("*"), run("python -c 1"), "if it spelled out 'python': python runs code"),
        (Run("pytest -K *"), run("pytest -k a"), "if capitals were the same"),
        (Edit("src/**"), at("/etc/src/a.py"), "if the path were in the session's folder, "),
        (Edit("**"), at("/etc/passwd"), "it is /etc/passwd"),
        (Edit("src/**"), at("src/link/a.py"), "if it were no link: it leads to /etc/a.py, outside"),
        (Edit("src/*"), at("src/a/b.py"), "as Edit('src/**')"),
        (Edit("src"), at("src/a.py"), "as Edit('src/**')"),
        (Read("src/"), at("src/a.py", "read"), "as Read('src/**')"),
        (Edit("*.py"), at("src/a.py"), "as Edit('**/*.py')"),
        (Edit("SRC/**"), at("src/a.py"), "if capitals were the same: the path is src/a.py"),
        (Edit("./src/**"), at("src/a.py", "read"), "if it were to edit it; to read it is Read('src/**')"),
        (Read("**"), at("src/a.py"), "if it were to read it; to edit it is Edit('**')"),
        (Fetch("docs.python.org"), fetch("https://docs.python.org/3/"), "Fetch('https://docs.python.org/**')"),
        (
            Fetch("https://docs.python.org/**"),
            fetch("http://docs.python.org/3/"),
            "the scheme were 'https'; it is 'http'",
        ),
        (Fetch("https://docs.python.org"), fetch("https://docs.python.org/3/"), "the path were '/'; it is '/3/'"),
        (Tool("Execute"), run("ls"), "as the agent tells it: 'execute'"),
        (Tool("execute"), run("python x"), "if its command were plain: python runs code"),
    ],
)
def test_what_a_rule_lacks_is_said(rule: Rule, call: dict[str, Any], lack: str, cwd: str) -> None:
    [line] = near(Policy(allow=[rule]), call, cwd)
    assert line.startswith(f"nearly: {rule!r} would fit ")
    assert lack in line


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        (Run("python *"), run("node x")), (Run("pytest *"), run("")), (Run("pytest *"), run("ls; pwd")),
        (Edit("src/**"), at("setup.py")), (Edit("docs/*.md"), at("/etc/passwd")), (Run("*"), at("a")),
        (Fetch("https://x.org/**"), fetch("https://y.org/3/")), (Tool("delete"), run("ls")), (Edit("**"), run("ls; x")),
    ],
)  # fmt: skip
def test_of_what_is_far_away_nothing_is_said(rule: Rule, call: dict[str, Any], cwd: str) -> None:
    assert near(Policy(allow=[rule]), call, cwd) == []


def test_of_many_rules_and_hostile_texts_little_is_said(cwd: str) -> None:
    many = Policy(allow=[Run(f"python3 -m a{n} *") for n in range(50)] + [Run("python3 *")])
    [line] = near(many, run("/" + "x" * 5000 + "/python3 x"), cwd)
    assert len(line) < 6000
    several = Policy(allow=[Edit(f"{n}*/*.py") for n in range(9)])
    assert len(near(several, {"kind": "edit", "rawInput": {"paths": [f"{n}/a/b.py" for n in range(9)]}}, cwd)) == 5


@pytest.mark.filterwarnings("ignore::acp_widget.NobodyWatching")
def test_it_stands_in_what_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions=Policy(allow=[Edit("STATS.py")])) as agent:
        turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False)
        told = str(agent.policy.explain(turn.permissions[0]))
        assert "nearly: Edit('STATS.py') would fit if capitals were the same: the path is stats.py" in told
        agent.policy.add(Edit("*.py"))
        assert "nearly" not in str(agent.policy.explain(turn.permissions[0])), "a rule allows it"


def test_a_verdict_shows_itself_and_an_agents_words_as_text(cwd: str) -> None:
    path = "<script>$x$</script> & \u202e"
    request = {"subject": None, "problem": None, "options": []}
    verdict = Policy(reject=[Edit("**")]).explain_request(request, {"kind": "edit", "locations": [{"path": path}]}, cwd)
    shown = verdict._repr_html_()
    assert "<b>reject</b> by <code>Edit(&#x27;**&#x27;)</code>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert "\u202e" not in shown
    assert "mathjax_ignore" in shown
