"""What is read from the input of a tool before a rule may allow it: all paths and commands, however they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_widget.policy import Edit, Policy, Read, Run, Tool, proposed, touched

OPTIONS = [
    {"optionId": "y", "name": "Once", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]
RULES = Policy(
    allow=[Run("pytest *"), Run("git status"), Edit("src/**"), Read("**")], reject=[Run("rm *"), Edit("*.ipynb")]
)
DIFF = {"type": "diff", "changes": [{"operation": "modify", "path": "src/a.py"}]}
Call = dict[str, Any]


def edit(**raw: Any) -> Call:
    return {"kind": "edit", "content": [DIFF], "rawInput": raw}


def run(**raw: Any) -> Call:
    return {"kind": "execute", "rawInput": raw}


def read(raw: Any) -> Call:
    return {"kind": "read", "rawInput": raw}


def nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = {"a": value}
    return value


COMMANDS = [
    (run(commands=["pytest", "git status"]), "allow"), (run(commands=["pytest", "rm -rf x"]), "reject"),
    (run(commands=["pytest", "ls"]), "ask"), (run(commands=[["pytest", "-q"], "pytest"]), "allow"),
    (run(commands=[["pytest"], ["rm", "x"]]), "reject"), (run(commands=[]), "ask"), (run(commands=[1]), "ask"),
    (run(commands="pytest; rm x"), "reject"), (run(commands=[{"command": "rm x"}]), "reject"),
    (run(commands=["pytest"], args=["-q"]), "allow"), (run(cmds=["pytest", "rm x"]), "reject"),
    (run(command=["pytest", "tests"]), "allow"), (run(command=["pytest", "; rm x"]), "reject"),
    (run(command=["pytest", ";", "rm", "x"]), "reject"), (run(command=["pytest", "a&&ls"]), "ask"),
    (run(command=["pytest", "|ls"]), "ask"), (run(command=["pytest", ">x"]), "ask"),
    (run(command=["pytest", "$(ls)"]), "ask"),
    (run(command=["pytest", "$A"]), "allow"), (run(command=["pytest", "${A}", "*"]), "allow"),
    (run(command=["$A", "x"]), "ask"), (run(command=["${A}"]), "ask"), (run(command=["pyte*t"]), "ask"),
    (run(command="pytest $A"), "ask"), (run(command="pytest ${A}"), "ask"), (run(command="pytest '$A'"), "allow"),
    (run(command=["bash", "-c", "pytest $A"]), "ask"), (run(command=["bash", "-lc", 'pytest "${A}"']), "ask"),
    (run(command=["bash", "-c", "pytest '$A'"]), "allow"), (run(command=["sh", "-c", "${A} x"]), "ask"),
    (run(command="pytest", args=["$A"]), "allow"), (run(command="pytest", args="$A"), "ask"),
    (run(command=["pytest", "`ls`"]), "ask"), (run(command=["pytest", "-k", "end$"]), "allow"),
    (run(command=["bash", "-lc", "pytest -k 'a;b'"]), "allow"), (run(command="pytest -k 'a;b'"), "allow"),
    (run(command="pytest", args=["; rm x"]), "reject"), (run(command=["pytest", ";ls"]), "ask"),
    (run(command="pytest", args="; rm x"), "reject"),
    (run(command="pytest", args="-q"), "allow"), (run(command="pytest", args={"x": 1}), "ask"),
    (run(command=["pytest"], args="-q"), "ask"), (run(command="pytest", arguments=["-q"]), "allow"),
    (run(command={"command": "rm x"}), "reject"), (run(command={"program": "pytest"}), "ask"),
    (run(command="pytest", then={"command": "rm x"}), "reject"),
    (run(bashCommand="pytest"), "allow"), (run(shell_command="rm x"), "reject"),
    (edit(then={"command": "rm x"}), "reject"), (edit(then=[{"steps": [{"cmd": "rm x"}]}]), "reject"),
    (edit(then={"command": "ls"}), "ask"), (edit(postCommand="rm x"), "reject"),
    (edit(arguments='{"command": "rm x"}'), "reject"), (edit(tool_input='{"path": "src/b.py"}'), "allow"),
    (edit(params='{"path": "/etc/x"}'), "ask"), (edit(params="{no json"), "ask"),
    (edit(input='{"a": %s}' % ("1" * 5000)), "ask"), (edit(content="{}"), "allow"),
    (edit(input="[" * 100_000), "ask"), (edit(input='{"a":' * 50 + "1" + "}" * 50), "ask"),
    ({"kind": "execute", "rawInput": "pytest -q"}, "allow"), ({"kind": "execute", "rawInput": "rm x"}, "reject"),
    ({"kind": "execute", "rawInput": '{"command": "pytest"}'}, "allow"),
    ({"kind": "execute", "rawInput": "{ rm x; }"}, "reject"),
    (edit(after={"argv": ["rm", "x"]}), "reject"), (edit(then={"command": "pytest -q"}), "allow"),
]  # fmt: skip

OUTSIDE = "/etc/passwd"
PATHS = [
    *((edit(**{name: OUTSIDE}), "ask") for name in (
        "target_file", "targetFile", "TARGET_FILE", "file", "filename", "fileName", "file_name", "filePath", "path",
        "targetPath", "outputpath", "dest", "destination", "moveTarget", "uri", "fileURI", "document_uri", "files",
        "output_dir", "sourceFolder", "url", "relative_workspace_path", "to", "from",
    )),
    *((edit(**{name: "src/b.py"}), "allow") for name in ("target_file", "newPath", "files", "dest")),
    *((edit(**{name: OUTSIDE}), "allow") for name in ("content", "new_string", "description")),
    *((edit(**{name: "etc/passwd"}), "allow") for name in ("content", "profile", "note")),
    *((edit(p=path), "ask") for path in (
        OUTSIDE, f" {OUTSIDE}\n", f"/{OUTSIDE}", "~/x", "~root/x", "../../x", "file:/etc/x", "C:\\x", "$HOME/x",
        "${HOME}/x", "/",
    )),
    *((edit(p=text), "allow") for text in (
        "a/b", "// a comment", "/* one */", "/** one */", f"a\n{OUTSIDE}", "~ 5", "...",
    )),
    (edit(edits=[{"p": OUTSIDE}]), "ask"), (edit(edits=[OUTSIDE]), "ask"), (edit(edits={OUTSIDE: "text"}), "ask"),
    (edit(edits=[{"p": "/etc/n.ipynb"}]), "reject"), (edit(input='{"p": "/etc/x"}'), "ask"),
    ({**edit(), "rawInput": [OUTSIDE]}, "ask"), (run(command="pytest", args=[OUTSIDE]), "allow"),
    (edit(paths=[["src/b.py", OUTSIDE]]), "ask"), (edit(target={"name": OUTSIDE}), "ask"),
    (edit(uri="file:///etc/passwd"), "ask"), (edit(uri="FILE:///etc/passwd"), "ask"),
    (edit(files={OUTSIDE: "text"}), "ask"), (edit(files={"src/b.py": "text"}), "allow"),
    (edit(files=[{"path": "src/b.py", "content": "x"}]), "allow"), (edit(files=[{"path": OUTSIDE}]), "ask"),
    (edit(changes={"src/b.py": {"type": "update", "move_path": OUTSIDE}}), "ask"),
    (edit(changes={OUTSIDE: {"type": "add"}}), "ask"), (edit(changes=[{"path": "src/b.py"}]), "allow"),
    (edit(target_file="src/n.ipynb"), "reject"), (edit(a=nested({"path": "src/n.ipynb"}, 5)), "reject"),
    (edit(a=nested({"path": OUTSIDE}, 5)), "ask"), (edit(a=nested({"path": "src/b.py"}, 5)), "allow"),
    (edit(a=nested({"x": 1}, 60)), "ask"), (edit(a=[["x"] * 1000] * 100), "ask"), (edit(a=["x"] * 1000), "allow"),
    (edit(path=[f"src/{n}" for n in range(3000)]), "ask"), (edit(a=[0] * 100_000), "allow"),
    (read([{"path": OUTSIDE}]), "ask"), (read([{"path": "README.md"}]), "allow"),
    (read({"path": "a.md", "output_file": "b.md"}), "ask"), (read({"path": "a.md", "outputMode": "b.md"}), "allow"),
    (read({"path": "a.md", "saveTo": {"file": "b.md"}}), "ask"), (read({"from": "a.md", "to": "setup.py"}), "ask"),
    (read({"target_file": "a.md"}), "allow"),
    (read({"path": "passwd", "cwd": "/etc"}), "ask"), (read({"path": "README.md", "cwd": "."}), "allow"),
    (read({"path": "a", "cwd": "src"}), "ask"),
]  # fmt: skip


def unified(old: str, new: str = "", rest: str = "") -> str:
    return f"--- {old}\n+++ {new or old}\n@@ -1 +1 @@\n-a\n+b\n{rest}"


PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch"
PATCHES = [
    (edit(patch=PATCH.format("src/b.py")), "allow"), (edit(patch=PATCH.format("setup.py")), "ask"),
    (edit(patch=PATCH.format(OUTSIDE)), "ask"), (edit(patch=PATCH.format("src/../setup.py")), "ask"),
    (edit(patch=PATCH.format("src/n.ipynb")), "reject"), (edit(input=PATCH.format(OUTSIDE)), "ask"),
    (edit(patchText=PATCH.format("src/b.py\n*** Move to: /etc/x")), "ask"),
    (edit(patch=PATCH.format("src/b.py\r\n*** Add File: /etc/x\r")), "ask"),
    (edit(patch=PATCH.format("src/b.py\n  *** Delete File: setup.py")), "ask"),
    (edit(note="Here it is:\n" + PATCH.format(OUTSIDE)), "ask"), (edit(a=[{"b": PATCH.format(OUTSIDE)}]), "ask"),
    (edit(arguments='{"patch": "*** Begin Patch\\n*** Add File: /etc/x"}'), "ask"),
    (edit(patch=unified("a/src/b.py", "b/src/b.py")), "allow"), (edit(diff=unified("src/b.py")), "allow"),
    (edit(patch=unified("a/src/b.py", "b/setup.py")), "ask"), (edit(patch=unified(OUTSIDE)), "ask"),
    (edit(patch=unified("/dev/null", "b/src/new.py")), "allow"), (edit(patch=unified("a/a.py")), "ask"),
    (edit(patch=unified("a/src/b.py\t2026-01-01", "b/src/b.py\t2026-01-02")), "allow"),
    (edit(patch=unified('"a/src/\\303\\251.py"')), "ask"), (edit(patch=unified('"a/src/b.py"')), "ask"),
    (edit(patch=unified("a/src/b.py", "", unified("a/setup.py"))), "ask"),
    (edit(patch=unified("a/src/x\u2028/b.py")), "ask"),
    (edit(patch=unified("a/src/b\u2028/../../setup.py")), "ask"),
    (edit(patch="diff --git a/src/b.py b/src/b.py\nold mode 100644\nnew mode 100755\n"), "allow"),
    (edit(patch="diff --git a/setup.py b/setup.py\nold mode 100644\nnew mode 100755\n"), "ask"),
    (edit(patch="diff --git src/b.py setup.py\nGIT binary patch\n"), "ask"),
    (edit(patch="diff --git a/src/b.py b/setup.py\nrename from src/b.py\nrename to setup.py\n"), "ask"),
    (edit(patch="diff --git a/src/b.py b/src/c.py\nrename from src/b.py\nrename to src/c.py\n"), "allow"),
    (edit(patch="Index: setup.py\n====\n"), "ask"),
    (edit(patch="*** a/setup.py\tx\n--- b/setup.py\tx\n*** 1,2 ****\n"), "ask"),
    (edit(content="Read this:\n" + unified("a/setup.py")), "allow"), (edit(content=PATCH.format(OUTSIDE)), "ask"),
    (edit(new_string="- a\n--- b\n+ c"), "allow"), (edit(note="--- a\n--- b"), "allow"),
    ({"kind": "edit", "rawInput": PATCH.format("src/b.py")}, "allow"),
    ({"kind": "edit", "rawInput": PATCH.format(OUTSIDE)}, "ask"),
    ({"kind": "edit", "rawInput": [PATCH.format("src/b.py"), unified("setup.py")]}, "ask"),
    ({"kind": "read", "rawInput": {"path": "README.md", "a": PATCH.format("src/n.ipynb")}}, "reject"),
    (run(command=["apply_patch", PATCH.format("src/n.ipynb")]), "reject"),
    (run(command=["apply_patch", PATCH.format("src/b.py")]), "ask"),
    (run(command=f"apply_patch <<'EOF'\n{PATCH.format('src/n.ipynb')}\nEOF"), "reject"),
    ({"kind": "edit", "content": [DIFF, {"type": "diff", "changes": [{"path": 5}]}]}, "ask"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "wanted"), [*COMMANDS, *PATHS, *PATCHES])
def test_everything_in_an_input_counts(call: Call, wanted: str, tmp_path: Path) -> None:
    asked = touched({"options": OPTIONS, "problem": None, "subject": None}, call, str(tmp_path))
    verdict = RULES.explain(asked)
    assert verdict.action == wanted, str(verdict)
    assert (verdict.action == "reject") is ("rejected by" in verdict.reasons[-1])


@pytest.mark.parametrize(
    "call",
    [
        run(command=["pytest", ";", "rm", "x"]), run(commands=["pytest", "ls"]), edit(then={"command": "ls"}),
        edit(a=nested({"x": 1}, 60)),
    ],
)  # fmt: skip
def test_no_rule_is_proposed_of_what_is_not_one_plain_thing(call: Call, tmp_path: Path) -> None:
    assert proposed(touched({"options": OPTIONS, "problem": None, "subject": None}, call, str(tmp_path))) is None


@pytest.mark.parametrize(
    ("before", "kind", "wanted"),
    [
        ("edit", "read", "ask"), ("delete", "search", "ask"), ("execute", "read", "ask"), ("read", "edit", "ask"),
        ("other", "read", "allow"), ("read", "search", "allow"), ("edit", "other", "ask"), ("read", "read", "allow"),
    ],
)  # fmt: skip
def test_a_call_whose_kind_changed_is_judged_by_the_stricter_one(
    before: str, kind: str, wanted: str, tmp_path: Path
) -> None:
    call = {"kind": kind, "rawInput": {"path": "setup.py"}}
    subject = {"type": "tool_call", "toolCall": call}
    told = {**call, "kindsBefore": [before]}
    for request, known in (({"subject": subject}, {**call, "kind": before}), ({"subject": None}, told)):
        asked = touched({"options": OPTIONS, "problem": None, **request}, known, str(tmp_path))
        assert RULES.explain(asked).action == wanted


@pytest.mark.parametrize("subject_", [True, False])
def test_a_tool_that_is_rejected_by_a_kind_or_name_that_it_had_stays_rejected(subject_: bool, tmp_path: Path) -> None:
    """A call that began as a read, and is an edit by now, was named by both."""
    policy = Policy(allow=[Edit("**"), Tool("mcp__good__*")], reject=[Tool("search"), Tool("mcp__evil__*")])

    def says(before: Call, now: Call) -> str:
        request = {"options": OPTIONS, "problem": None, "subject": None}
        if subject_:
            request["subject"] = {"type": "tool_call", "toolCall": now}
            return policy.explain(touched(request, before, str(tmp_path))).action
        kinds = {"kindsBefore": [before["kind"]]}
        return policy.explain(touched(request, {**before, **now, **kinds}, str(tmp_path))).action

    first, then = {"kind": "search"}, {"kind": "other", "name": "mcp__good__get"}
    assert says(first, then) == "reject", "it was a search"
    assert says({"kind": "read"}, then) == "allow"
    if subject_:
        assert says({"kind": "other", "name": "mcp__evil__get"}, then) == "reject", "it had that name"
        assert says({"kind": "other", "name": "mcp__other__get"}, then) == "ask", "it had a name that none allows"


def test_a_tool_called_as_a_kind_is_not_of_that_kind(tmp_path: Path) -> None:
    policy = Policy(allow=[Tool("read")])
    call = {"kind": "edit", "name": "read", "content": [DIFF]}
    asked = touched({"options": OPTIONS, "problem": None, "subject": None}, call, str(tmp_path))
    assert policy.explain(asked).action == "ask"
    assert Policy(otherwise="allow", reject=[Tool("read")]).explain(asked).action == "reject"


def test_a_rejected_kind_holds_for_a_call_that_became_another(tmp_path: Path) -> None:
    request = {"options": OPTIONS, "problem": None, "subject": None}
    call = {"kind": "edit", "kindsBefore": ["read"], "content": [DIFF]}
    asked = touched(request, call, str(tmp_path))
    rejected = Policy(otherwise="allow", reject=[Tool("read")])
    assert rejected.explain(asked).action == "reject"
    assert Policy(allow=[Edit("src/**")], reject=[Tool("read")]).explain(asked).action == "allow", "a path says more"
    assert Policy(allow=[Tool("read")]).explain(asked).action == "ask", "it edits by now"
    assert rejected.explain(touched(request, {**call, "kindsBefore": []}, str(tmp_path))).action == "allow"


def test_several_ways_to_allow_once_ask_wherever_rules_decide(tmp_path: Path) -> None:
    ways = [*OPTIONS, {"optionId": "s", "name": "In a sandbox", "kind": "allow_once"}]
    request = {"options": ways, "problem": None, "subject": None}
    for policy in (Policy(allow=[Edit("src/**")]), Policy(otherwise="allow")):
        decision = policy.decide(request, edit(), str(tmp_path))
        assert (decision.action, decision.option_id) == ("ask", None)
        assert "several ways to allow it once" in decision.why
        assert policy.explain_request(request, edit(), str(tmp_path)).reasons[-1] == decision.why
        assert policy.decide({**request, "options": OPTIONS}, edit(), str(tmp_path)).option_id == "y"
    assert Policy(reject=[Edit("src/**")]).decide(request, edit(), str(tmp_path)).option_id == "n"
