"""Patches made of two texts: whoever reads them finds the new text again, and git does too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_widget.protocol.git_patch import git_patch

LINES = st.lists(st.sampled_from(["a", "b", "", " ", "-x", "+y", "@@", "\x0c", "\u2028z", "\\", "c\r"]), max_size=12)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def applied(old: str, patch: str) -> str:
    """The new text, by the hunks alone."""
    source = re.findall(r"[^\n]*\n|[^\n]+$", old)
    result: list[str] = []
    at = 0
    lines = patch.split("\n")[:-1]
    while lines and not lines[0].startswith("@@"):
        lines.pop(0)
    for number, line in enumerate(lines):
        found = re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$", line)
        if found and line[0] == "@":
            start = int(found[1]) - (1 if found[2] != "0" else 0)
            result += source[at:start]
            at = start
            continue
        if line.startswith("\\"):
            continue
        end = "" if lines[number + 1 : number + 2] == ["\\ No newline at end of file"] else "\n"
        text = line[1:] + end
        if line[0] in " -":
            assert source[at] == text
            at += 1
        if line[0] in " +":
            result.append(text)
    return "".join(result + source[at:])


@given(TEXTS, TEXTS)
def test_the_patch_leads_from_the_old_text_to_the_new_one(old: str, new: str) -> None:
    patch = git_patch("/p/a", old, new)
    assert (patch == "") == (old == new)
    assert applied(old, patch) == new


@given(TEXTS)
def test_a_new_file_is_all_added(new: str) -> None:
    patch = git_patch("/p/a", None, new)
    assert patch.startswith("diff --git /p/a /p/a\nnew file mode 100644\n")
    assert applied("", patch) == new
    assert ("--- /dev/null\n+++ /p/a\n" in patch) == (new != "")


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git, which is not installed")
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", ["a.txt", "with blank.txt", 'quo"te.txt', "tab\there.txt", "ü.txt"])
def test_git_applies_it(tmp_path: Path, name: str, whole: bool) -> None:
    old = "".join(f"line {n}\n" for n in range(40)) + "end"
    new = old.replace("line 3\n", "three\n").replace("line 30\n", "").replace("end", "end\n")
    file = tmp_path / name
    file.write_text(old)
    patch = git_patch(f"a/{name}", old, new, whole=whole).replace("+++ a/", "+++ b/").replace('+++ "a/', '+++ "b/')
    patch = re.sub(r"^diff --git (\"?)a/(.*) (\"?)a/", r"diff --git \1a/\2 \3b/", patch)
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, check=True)
    assert file.read_text() == new


def test_a_small_change_in_a_large_file_is_small_and_two_unlike_files_are_one_replacement() -> None:
    old = [f"line {n}\n" for n in range(200_000)]
    new = [*old[:100_000], "here\n", *old[100_000:]]
    patch = git_patch("/p", "".join(old), "".join(new))
    assert patch.count("\n") == 3 + 1 + 7
    # The shortest change would take hours to find.
    patch = git_patch("/p", "".join(old), "".join(f"other {n % 7}\n" for n in range(200_000)))
    assert patch.count("@@ ") == 1
