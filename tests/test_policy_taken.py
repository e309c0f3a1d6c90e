"""What a rule rejects, under another name: programs, globs, folders, shells, options; and what explain says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget.policy import Budget, Edit, Fetch, Policy, Read, Run, Tool, touched

YES, NO = (
    {"optionId": "y", "name": "Once", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
)


def request(options: Any = (YES, NO)) -> dict[str, Any]:
    return {"options": list(options), "problem": None, "subject": None}


def run(command: Any, **raw: Any) -> dict[str, Any]:
    return {"kind": "execute", "rawInput": {"command": command, **raw}}


def at(path: str, kind: str = "edit") -> dict[str, Any]:
    return {"kind": kind, "rawInput": {"path": path}}


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    work = tmp_path / "work"
    for folder in (work / "secrets", work / "src", work / "books", tmp_path / "home/.ssh", tmp_path / "other"):
        folder.mkdir(parents=True)
    (work / "books/a.ipynb").write_text("{}")
    (work / "s").symlink_to("secrets")
    (tmp_path / "link").symlink_to(work)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return str(work)


def says(policy: Policy, call: dict[str, Any], cwd: str) -> str:
    decision, verdict = policy.decide(request(), call, cwd), policy.explain_request(request(), call, cwd)
    assert {"y": "allow", "n": "reject"}.get(str(decision.option_id), decision.action) == verdict.action
    return verdict.action


@pytest.mark.parametrize(
    ("rejected", "command", "wanted"),
    [
        ("./manage.py flush *", "./manage.py flush --noinput", "reject"),
        ("./manage.py flush *", "./manage.py --settings x flush", "reject"),
        ("./manage.py flush *", "manage.py flush", "reject"),
        ("./manage.py flush *", "other/manage.py flush", "ask"),
        ("./manage.py flush *", "python manage.py flush", "ask"),
        ("./manage.py flush *", "./manage.py test", "allow"), ("tool.exe rm *", "tool.exe rm x", "reject"),
        ("venv/bin/python -m pip *", "venv/bin/python -m pip install x", "reject"),
        ("/opt/bin/tool delete *", "/opt/bin/tool delete x", "reject"),
        ("scripts/* now", "scripts/deploy.sh now", "reject"),
        ("bash *", "bash -c ls", "reject"), ("sh *", ["sh", "-c", "ls"], "reject"),
        ("bash *", "bash -lc 'ls'", "reject"),
        ("rm -rf *", "rm -fr x", "ask"), ("rm -rf *", "rm -r -f x", "ask"), ("rm -rf *", "rm -rvf x", "ask"),
        ("rm -rf *", "rm --recursive --force x", "ask"), ("rm -rf *", "rm x -f -r", "ask"),
        ("rm -rf *", "rm -r x", "allow"), ("rm --recursive *", "rm -R x", "ask"), ("rm -rf *", "rm -rf x", "reject"),
        ("git push --force *", "git push -f origin", "ask"), ("git push --force *", "git push origin", "allow"),
        ("rm *", "adb shell 'rm x'", "ask"), ("rm *", "gcloud ssh v --command='rm x'", "ask"),
        ("rm *", "wsl 'cd a; rm x'", "ask"), ("rm *", "git commit -m 'rm x'", "allow"),
    ],
)  # fmt: skip
def test_a_command_in_another_form_is_seen(rejected: str, command: Any, wanted: str, cwd: str) -> None:
    mine = command if isinstance(command, str) else " ".join(command)
    inner = "ls *" if "ls" in mine else f"{mine.split()[0]} *"
    assert says(Policy(allow=[Run(inner)], reject=[Run(rejected)]), run(command), cwd) == wanted


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("~/.ssh/**", "{home}/.ssh/id"), ("$HOME/**", "{home}/x"), ("${{HOME}}/**", "{home}/x"),
        ("../other/**", "../other/x"), ("secrets//**", "secrets/k"), ("secrets/./**", "secrets/k"),
        ("././secrets/**", "secrets/k"), ("src/../secrets/**", "secrets/k"), ("s/**", "secrets/k"), ("s/**", "s/k"),
        ("{link}/secrets/**", "secrets/k"), ("{cwd}//secrets/**", "secrets/k"), ("secrets\\**", "secrets/k"),
        ("secrets/*.{{key,pem}}", "secrets/a.key"), ("secrets/[ab].key", "secrets/a.key"), (".", "src/a"),
    ],
)  # fmt: skip
def test_a_glob_means_the_files_that_it_leads_to(pattern: str, path: str, cwd: str) -> None:
    top = Path(cwd).parent
    names = {"home": top / "home", "link": top / "link", "cwd": cwd}
    pattern, path = pattern.format(**names), path.format(**names)
    for kind, rule in (("edit", Edit), ("read", Read)):
        policy = Policy(allow=[Edit("/**"), Read("/**")], reject=[rule(pattern)])
        assert says(policy, at(path, kind), cwd) == "reject"
        assert says(policy, at("/nowhere/x", kind), cwd) == "allow"


@pytest.mark.parametrize(
    "pattern", [" a/**", "file:///etc/x", "https://a.b/**", "!src/**", "$NO_SUCH_NAME_/x", "~no-such-user-/x", "*/../x"]
)
def test_a_glob_that_can_never_match_is_refused_with_what_to_write(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"would never match: .*[Ww]rite"):
        Edit(pattern)


NAMES = ["rm", "mv", "cp", "git", "grep", "rg", "tar", "rsync", "chmod", "ln", "ls", "pytest", "cat", "frob"]
FILES = Policy(
    allow=[Run(f"{name} *") for name in NAMES],
    reject=[Edit("secrets/**"), Read("secrets/**"), Read("/else/.env")],
)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        *((each, "ask") for each in (
            "rm -rf secrets", "rm -rf .", "mv secrets x", "cp -r secrets /tmp/x", "git rm -r secrets", "grep -r K .",
            "grep -r K", "rg K", "git grep K", "git clean -fdx", "tar cf x.tar .", "rsync -a . /tmp/x", "chmod -R 0 .",
            "ln -s . y", "cp x secrets/", "git rm 'secrets/*'", "git show HEAD:secrets/k", "cat -nsecrets/k",
            "frob secrets", "cp -r s /tmp/x", "tar xf a.tar",
        )),
        *((each, "allow") for each in (
            "ls .", "ls secrets", "pytest src", "pytest -q", "git status", "git add .", "grep -r K src", "rm -rf src",
            "cp a b", "git commit -m x", "rg K src",
        )),
    ],
)  # fmt: skip
def test_a_command_that_takes_a_folder_takes_what_is_in_it(command: str, wanted: str, cwd: str) -> None:
    assert says(FILES, run(command), cwd) == wanted


def test_the_words_of_a_command_are_meant_from_its_own_folder(cwd: str) -> None:
    assert says(FILES, run("cat k", cwd="secrets"), cwd) == "ask"
    assert says(FILES, run("cat k", cwd="src"), cwd) == "allow"


def test_a_search_that_names_no_folder_is_one_in_the_session_s(cwd: str) -> None:
    policy = Policy(allow=["search"], reject=[Read("secrets/**")])
    for raw in ({"pattern": "K"}, {"glob": ".env"}, {"pattern": "K", "path": "."}):
        assert says(policy, {"kind": "search", "rawInput": raw}, cwd) == "ask"
    assert says(policy, {"kind": "search", "rawInput": {"pattern": "K", "path": "src"}}, cwd) == "allow"
    assert says(Policy(allow=["search"]), {"kind": "search", "rawInput": {"pattern": "K"}}, cwd) == "allow"


@pytest.mark.parametrize("policy", [Policy(otherwise="allow"), Policy(allow=[Run("*"), Edit("**")])])
@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        *((run(each), "ask") for each in (
            "rm a.ipynb", "cp x a.ipynb", "mv a.ipynb b", "tee a.ipynb", "touch a.ipynb", "rm -rf books", "rm -rf .",
        )),
        *((run(each), "allow") for each in ("cat a.ipynb", "git add a.ipynb", "rm -rf src", "ls books")),
        (at("books", "delete"), "ask"), (at(".", "delete"), "ask"), (at("src", "delete"), "allow"),
    ],
)  # fmt: skip
def test_commands_and_folders_with_notebooks_ask(policy: Policy, call: dict[str, Any], wanted: str, cwd: str) -> None:
    assert says(policy, call, cwd) == wanted


def test_a_rule_that_names_the_notebook_lets_a_command_have_it(cwd: str) -> None:
    assert says(Policy(allow=[Run("rm a.ipynb")]), run("rm a.ipynb"), cwd) == "allow"
    assert says(Policy(otherwise="allow", allow=[Edit("a.ipynb")]), run("rm a.ipynb"), cwd) == "allow"


def test_names_of_tools_hosts_and_fields_in_another_spelling(cwd: str) -> None:
    bash = {"kind": "execute", "name": "Bash", "rawInput": {"command": "ls"}}
    assert says(Policy(otherwise="allow", reject=[Tool("bash")]), bash, cwd) == "reject"
    for host, other in (("bücher.de", "xn--bcher-kva.de"), ("xn--bcher-kva.de", "BÜCHER.de")):
        call = {"kind": "fetch", "rawInput": {"url": f"https://{other}/x"}}
        assert says(Policy(otherwise="allow", reject=[Fetch(f"https://{host}/**")]), call, cwd) == "reject"
    for name in ("output", "out", "save_as", "save_to", "location", "document", "resource", "file_list"):
        call = {"kind": "edit", "rawInput": {"path": "src/a", name: "docs/x"}}
        assert says(Policy(allow=[Edit("src/**")]), call, cwd) == "ask", name


KINDS = ["allow_once", "allow_always", "reject_once", "reject_always", "odd"]
OPTIONS = st.lists(
    st.builds(
        lambda at, kind: {"optionId": at, "name": "n", "kind": kind}, st.sampled_from("abc"), st.sampled_from(KINDS)
    ),
    max_size=4,
)
RULES = st.lists(
    st.sampled_from(
        [Run("pytest *"), Run("pytest *", always=True), Run("rm *"), Edit("**"), Edit("src/**"), Tool("edit")]
    ),
    max_size=3,
)
CALLS = st.sampled_from(
    [run("pytest x"), run("rm x"), run("ls; rm x"), at("src/a"), at("a.ipynb"), at("a", "delete"), {}]
)


@settings(max_examples=300, deadline=None)
@given(
    RULES, RULES, st.sampled_from(["ask", "allow", "reject"]), st.sampled_from([None, Budget(calls=0)]), OPTIONS, CALLS
)
def test_what_is_explained_is_what_then_happens(
    allow: Any, reject: Any, otherwise: Any, budget: Any, options: Any, call: Any
) -> None:
    policy, asked = Policy(allow, reject, otherwise, budget), request(options)
    verdict, decision = policy.explain_request(asked, call, "/p"), policy.decide(asked, call, "/p")
    kinds = {each["optionId"]: each["kind"] for each in options}
    did = {"cancel": "reject", "ask": "ask"}.get(decision.action) or kinds[decision.option_id].partition("_")[0]
    assert verdict.action == did, str(verdict)


def test_where_no_option_allows_once_it_says_so() -> None:
    decision = Policy(allow=[Run("pytest *")]).decide(request([NO]), run("pytest"), "/p")
    assert (decision.action, decision.why) == (
        "ask", "A rule allows it, but the agent offers no way to allow it once."
    )  # fmt: skip


def test_what_the_pieces_say_is_what_a_request_says() -> None:
    assert touched(request(), {"kind": "search", "rawInput": {"q": "x"}}, "/p").things[0].text == "."
