"""What is read from the input of a tool before a rule may allow it: all paths and commands, however they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_widget.policy import Edit, Policy, Read, Run, proposed, touched

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
    *((edit(**{name: OUTSIDE}), "allow") for name in ("content", "new_string", "profile", "note")),
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


@pytest.mark.parametrize(("call", "wanted"), [*COMMANDS, *PATHS])
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
