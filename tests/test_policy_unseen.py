"""Commands whose words do not show what runs: asked, never proposed, allowed only where a rule spells them out."""

from __future__ import annotations

from typing import Any

import pytest

from acp_widget.policy import Policy, Run, proposed, touched

_OPTIONS = [
    {"optionId": "yes", "name": "Once", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def _asked(command: Any) -> Any:
    call = {"kind": "execute", "rawInput": {"command": command}}
    return touched({"options": _OPTIONS, "problem": None, "subject": None}, call, "/p")


def _says(policy: Policy, command: Any) -> str:
    return str(policy.explain(_asked(command)).action)


HIDING = [
    "python -c 'print(1)'",
    "python3.12 -c 1",
    "python file.py",
    "python",
    "python -m http.server",
    "/usr/bin/python3 -c 1",
    "PYTHON.EXE -c 1",
    "pypy3 x.py",
    "node -e 1",
    "deno run x.ts",
    "perl -e 1",
    "ruby -e 1",
    "php -r 1",
    "lua5.4 -e 1",
    "Rscript -e 1",
    "osascript -e 1",
    "awk '/a/' f",
    "gawk -f x f",
    "sed -n '1e id' f",
    "sed 's/a/b/e' f",
    "sed 's/a/b/w out' f",
    "sed -i s/a/b/ f",
    "sed -f script f",
    "git -c alias.x=y x",
    "git -calias.x=y x",
    "git -C other status",
    "git --exec-path=/x status",
    "git --exec-pa=/x status",
    "git --git-dir=/x status",
    "git diff --output=/x",
    "git diff --outp=/x",
    "git diff --ext-diff",
    "git log --textconv",
    "git grep -Oless a",
    "git grep --open-files-in-pager=x a",
    "git fetch --upload-pack=x",
    "git ls-remote ext::x",
    "git rebase -x make main",
    "git rebase --exec make main",
    "git submodule foreach make",
    "git bisect run make",
    "git config alias.st status",
    "git frobnicate",
    "git --no-pager frobnicate",
    "find . -exec echo x +",
    "find . -delete",
    "find . -fprintf out x",
    "fd -x echo",
    "fd -Hx echo",
    "rg --pre cat x",
    "tar -xf a --checkpoint-action=exec=x",
    "tar -xf a --to-command=x",
    "tar -cIx a b",
    "tar cIf x a b",
    "rsync -e x a b",
    "sort --compress-program=x f",
    "sort -o out f",
    "split --filter=x f",
    "curl -K file",
    "curl -o out https://x.example",
    "wget -O out https://x.example",
    "make",
    "make test",
    "npm run build",
    "npx x",
    "uvx x",
    "uv run x",
    "cargo test",
    "go run .",
    "docker run x",
    "ansible-playbook x",
    "nc -e x host 1",
    "./git status",
    "../git status",
    "/bin/ls",
    "~/git status",
    ".\\git status",
    "cd /",
    "export PATH",
    "alias ls",
]

SEEN = [
    "pytest -q",
    "ls -la src",
    "cat a.py",
    "git status",
    "git --no-pager diff src",
    "git log --oneline",
    "git commit -m words",
    "python -m pytest -q",
    "python3 -m mypy src",
    "find . -name x.py",
    "fd x",
    "rg -n words src",
    "tar -tf a.tar",
    "sort f",
    "sed -n 1,20p f",
    "sed s/a/b/g f",
    "curl https://x.example",
    "grep -rn words .",
]


@pytest.mark.parametrize("command", HIDING)
def test_what_hides_something_is_asked_and_no_rule_is_proposed_of_it(command: str) -> None:
    asked = _asked(command)
    assert Policy(otherwise="allow").explain(asked).action == "ask"
    assert Policy(allow=[Run("*")]).explain(asked).action == "ask"
    assert Policy(allow=["execute"]).explain(asked).action == "ask"
    assert proposed(asked) is None


@pytest.mark.parametrize("command", SEEN)
def test_what_shows_what_it_runs_is_not_asked_where_all_else_is_allowed(command: str) -> None:
    assert _says(Policy(otherwise="allow"), command) == "allow"
    assert _says(Policy(allow=[Run("*")]), command) == ("ask" if command.startswith("python") else "allow")
    assert proposed(_asked(command)) == Run(command)


@pytest.mark.parametrize(
    ("rule", "command", "says"),
    [
        ("python *", "python -c 1", "allow"),
        ("python *", "python3 -c 1", "ask"),
        ("python -m pytest *", "python -m pytest -q", "allow"),
        ("python -m pytest *", "python -m pip install x", "ask"),
        ("python -m *", "python -m pytest -q", "ask"),
        ("py* -m pytest", "python -m pytest", "ask"),
        ("make test", "make test", "allow"),
        ("make *", "make test", "allow"),
        ("mak* test", "make test", "ask"),
        ("git *", "git status", "allow"),
        ("git *", "git frobnicate", "ask"),
        ("git frobnicate *", "git frobnicate x", "allow"),
        ("git diff *", "git diff src", "allow"),
        ("git diff *", "git diff --output=x", "ask"),
        ("git diff --output=x", "git diff --output=x", "allow"),
        ("git * status", "git -C status", "ask"),
        ("git -C * status", "git -C other status", "allow"),
        ("find . *", "find . -name x", "allow"),
        ("find . *", "find . -delete", "ask"),
        ("find . -delete", "find . -delete", "allow"),
        ("tar *", "tar -xf a --to-command=x", "ask"),
        ("./check *", "./check now", "allow"),
        ("*/check *", "./check now", "ask"),
        ("git *", "./git status", "ask"),
    ],
)
def test_a_rule_allows_it_only_where_it_spells_out_what_runs_something(rule: str, command: str, says: str) -> None:
    assert _says(Policy(allow=[Run(rule)]), command) == says


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf x",
        "r\\\nm -rf x",
        "/bin/rm x",
        "RM x",
        "'rm' x",
        "r'm' x",
        "a && rm x",
        "a\nrm x",
        "a | rm x",
        "$(rm x)",
        '"$(rm x)"',
        "`rm x`",
        "A=1 rm x",
        "env A=1 rm x",
        "sudo -u me rm x",
        "xargs rm",
        "sh -c 'rm x'",
        "bash -lc 'cd a && rm x'",
        "find . -exec rm {} +",
        "fd -x rm",
        ["rm", "x"],
        ["bash", "-lc", "rm x"],
        ["pytest", ";", "rm", "x"],
        ["pytest", "; rm x"],
        ["pytest", "$(rm x)"],
        ["pytest", "a\nrm x"],
    ],
)
def test_a_rule_that_rejects_holds_behind_what_can_be_seen_through(command: Any) -> None:
    policy = Policy(allow=[Run("pytest *"), Run("*")], reject=[Run("rm *")], otherwise="allow")
    assert _says(policy, command) == "reject"


@pytest.mark.parametrize("command", ["docker run x rm y", "nc rm x", "make rm x", "python rm x", "echo rm x"])
def test_its_words_anywhere_in_a_command_are_asked(command: str) -> None:
    assert _says(Policy(reject=[Run("rm *")], otherwise="allow"), command) == "ask"


def test_the_reason_is_told() -> None:
    verdict = Policy(otherwise="allow").explain(_asked("python -c 1"))
    assert "python runs code" in str(verdict)
    assert "ask" in str(verdict)
