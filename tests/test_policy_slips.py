"""Ways in which what a rule rejects could slip past it, or more than a rule allows slip through: each is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent
from acp_widget.policy import Edit, Fetch, Policy, Read, Run, touched

OPTIONS = [
    {"optionId": "y", "name": "Once", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


def run(command: Any) -> dict[str, Any]:
    return {"kind": "execute", "rawInput": {"command": command}}


def at(path: str, kind: str = "edit") -> dict[str, Any]:
    return {"kind": kind, "rawInput": {"path": path}}


def edit(**raw: Any) -> dict[str, Any]:
    return {"kind": "edit", "rawInput": raw}


def fetch(url: str) -> dict[str, Any]:
    return {"kind": "fetch", "rawInput": {"url": url}}


@pytest.fixture
def cwd(tmp_path: Path) -> str:
    (tmp_path / "src/gen").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    return str(tmp_path)


PUSH = Policy(allow=[Run("git *")], reject=[Run("git push *")])
FORCE = Policy(allow=[Run("git *"), Run("git push --force mine x")], reject=[Run("git push --force *")])
BARE = Policy(allow=[Run("git *")], reject=[Run("git push")])
NO_RM = Policy(otherwise="allow", reject=[Run("rm *")])
CAT = Policy(allow=[Run("cat src/*"), Run("ls *"), Run("head ../*")])
FILES = Policy(
    allow=[Run("*"), Edit("**"), Read("**")],
    reject=[Edit("*.secret"), Edit("src/gen/**"), Edit("keys"), Edit("private/"), Read(".env"), Edit("tests/**")],
)
GEN = Policy(allow=[Edit("**"), Read("**")], reject=[Edit("src/gen/**"), Read("src/**")])
NET = Policy(
    otherwise="allow", reject=[Fetch("https://evil.com/**"), Fetch("https://x.com/private/**"), Fetch("bad.org")]
)
ALL = Policy(allow=[Edit("**")])


@pytest.mark.parametrize(
    ("policy", "call", "wanted"),
    [
        # Options between the words of a command, and options that come later.
        (PUSH, run("git --no-pager push origin"), "reject"), (PUSH, run("git -P push"), "reject"),
        (PUSH, run("git -C . push"), "reject"), (PUSH, run("git commit -m push"), "allow"),
        (PUSH, run("git log pushed"), "allow"), (PUSH, run("git status"), "allow"),
        (FORCE, run("git push origin --force"), "reject"), (FORCE, run("git push -v --force"), "reject"),
        (FORCE, run("git push --force mine x"), "allow"), (FORCE, run("git push origin"), "allow"),
        (BARE, run("git push"), "reject"), (BARE, run("git --no-pager push -q"), "reject"),
        (BARE, run("git push origin"), "allow"),
        # Programs that run others.
        *((NO_RM, run(f"{by} rm x"), "reject") for by in ("toybox", "noglob", "nsenter", "elif", "ssh-agent")),
        (NO_RM, run("csh -c 'rm x'"), "reject"), (NO_RM, run("xonsh -c 'ls'"), "ask"),
        *((NO_RM, run(hiding), "ask") for hiding in (
            "nodejs -e 1", "pythonw x", "less f", "coverage run x.py", "ip netns exec a b", "curl -D out http://x.y",
        )),
        # `..` in a word that a glob matches.
        (CAT, run("cat src/../../etc/passwd"), "ask"), (CAT, run("cat src/a"), "allow"),
        (CAT, run("cat src/.."), "ask"), (CAT, run("cat src/a..b"), "allow"), (CAT, run("ls .."), "allow"),
        (CAT, run("head ../a"), "allow"),
        # Files that a command names.
        (FILES, run("cp x key.secret"), "ask"), (FILES, run("dd of=key.secret"), "ask"),
        (FILES, run("tee src/gen/a"), "ask"), (FILES, run("tee src/x/../gen/a"), "ask"),
        (FILES, run("cat .env"), "ask"),
        (FILES, run("cat ./.ENV"), "ask"), (FILES, run("grep -r --file=.env x"), "ask"),
        (FILES, run("pytest tests/a.py"), "allow"), (FILES, run("cp a b"), "allow"),
        # Folders: what is in one that is rejected, and one that holds what is rejected.
        (FILES, at("keys/a"), "reject"), (FILES, at("x/keys/b/c"), "reject"), (FILES, at("private/a"), "reject"),
        (FILES, at("keysmith/a"), "allow"), (GEN, at("src", "delete"), "ask"), (GEN, at("src/gen", "delete"), "ask"),
        (GEN, at(".", "delete"), "ask"), (GEN, at("docs", "delete"), "allow"), (GEN, at(".", "search"), "ask"),
        (GEN, at("docs", "search"), "allow"), (GEN, at("src/a", "read"), "reject"),
        # Addresses that are written in another way.
        *((NET, fetch(url), "reject") for url in (
            "https://evil.com./", "HTTP://EVIL.COM", "https://u@evil.com:80/x", "https://evil.com\\@ok.org/",
            "https://x.com/%70rivate/a", "https://x.com/%2570rivate/a", "http://x.com/private/a",
            "https://x.com//private/a", "https://x.com/a/../private/b", "https://bad.org/x", "https://ev\til.com/",
        )),
        *((NET, fetch(url), "allow") for url in ("https://good.org/x", "https://x.com/public", "https://notevil.com/")),
        (NET, run("wget evil.com/x"), "ask"), (NET, run("wget --url=https://bad.org"), "ask"),
        (NET, run("wget https://good.org"), "allow"),
        (Policy(allow=[Fetch("https://*.python.org/**")]), fetch("https://evil.com:80.python.org/x"), "ask"),
        (Policy(otherwise="allow", reject=[Fetch("https://[/x")]), fetch("https://a.b/"), "allow"),
        # Several files in a text, and paths that a tool may read as others.
        (ALL, edit(files="src/a.py, /etc/passwd"), "ask"), (ALL, edit(paths="a\n/etc/x"), "ask"),
        (ALL, edit(paths='["src/a", "/etc/x"]'), "ask"), (ALL, edit(path='["/etc/x"]'), "ask"),
        (ALL, edit(paths='["src/a", "b"]'), "allow"), (ALL, edit(path="[id].tsx"), "allow"),
        (ALL, edit(uri="src/%2e%2e/%2e%2e/etc/x"), "ask"), (ALL, edit(path=" /etc/x"), "ask"),
        (ALL, edit(path="$HOME/x"), "ask"), (ALL, edit(path="%APPDATA%/x"), "ask"), (ALL, edit(path="'/etc/x'"), "ask"),
        (ALL, edit(path="src/{a,../../b}"), "ask"), (ALL, edit(path="/proc/self/cwd/x"), "ask"),
        (ALL, edit(path="src/$id.tsx"), "allow"),
        # Which of two rules is narrower.
        (Policy(allow=[Edit("src/**y")], reject=[Edit("src/*")]), at("src/ay"), "reject"),
        (Policy(allow=[Edit("src/*.x")], reject=[Edit("src/?.**")]), at("src/a.x"), "reject"),
        (Policy(allow=[Edit("src/a.x")], reject=[Edit("src/?.**")]), at("src/a.x"), "allow"),
        (Policy(allow=[Edit("src/*")], reject=[Edit("src/**")]), at("src/a"), "allow"),
        (Policy(allow=[Edit("src/**")], reject=[Edit("*")]), at("src/a/b"), "allow"),
        (Policy(allow=[Run("git * x")], reject=[Run("git ? *")]), run("git a x"), "reject"),
    ],
)  # fmt: skip
def test_nothing_slips_past_a_rule(policy: Policy, call: dict[str, Any], wanted: str, cwd: str) -> None:
    verdict = policy.explain(touched({"options": OPTIONS, "problem": None, "subject": None}, call, cwd))
    assert verdict.action == wanted, str(verdict)


@pytest.mark.filterwarnings("ignore::acp_widget.NobodyWatching")
def test_beside_the_word_allow_what_may_hide_a_rejected_command_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    with Agent("demo", permissions="allow") as agent:
        agent.policy.add(Run("rm *"), "reject")
        turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False)
        assert [(each.title, each.by) for each in turn.permissions] == [
            ("Edit stats.py?", "policy"),
            ("Run the tests?", "nobody"),
        ]
        assert "is a program of its own" in str(agent.policy.explain(turn.permissions[1]))
