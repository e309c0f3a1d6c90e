"""`make` on a machine where something is missing: one line that says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import chromium, demo

ROOT = Path(__file__).resolve().parent.parent

MISSING = {
    "python": "Python 3.10 or newer is missing. Install it: sudo apt-get install python3 python3-venv",
    "old python": "Python 3.10 or newer is missing. Install it: sudo apt-get install python3 python3-venv",
    "venv": "Python's venv module is missing. Install it: sudo apt-get install python3-venv",
    "node": "Node.js 20 or newer is missing. Install it: sudo apt-get install nodejs npm",
    "old node": "Node.js v18.19.0 is too old, 20 or newer is needed. Install it: sudo apt-get install nodejs npm",
    "npm": "npm is missing. Install it: sudo apt-get install npm",
}

# What stands in for the real programs. A Python without venv cannot import ensurepip; an old one fails each question.
PROGRAMS = {
    "python3": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    "node": "#!/bin/sh\necho v20.11.0\n",
    "npm": "#!/bin/sh\necho npm was called; exit 1\n",
}
BROKEN = {
    "old python": ("python3", "#!/bin/sh\nexit 1\n"),
    "venv": ("python3", '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexit 0\n'),
    "old node": ("node", "#!/bin/sh\necho v18.19.0\n"),
}


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here, and nothing to test without it")
def test_what_is_missing_is_said_in_one_line(missing: str, tmp_path: Path) -> None:
    clone, programs = tmp_path / "clone", tmp_path / "bin"
    shutil.copytree(ROOT / "scripts", clone / "scripts")
    shutil.copy(ROOT / "Makefile", clone)
    programs.mkdir()
    for tool in ("sh", "find", "mkdir", "rm", "touch", "dirname"):
        (programs / tool).symlink_to(shutil.which(tool) or tool)
    named = {"python": "python3"}.get(missing, missing)
    for name, text in {**PROGRAMS, **dict([BROKEN[missing]] if missing in BROKEN else [])}.items():
        if name != named:
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
    make = shutil.which("make") or "make"
    environment = {"PATH": str(programs), "HOME": os.environ.get("HOME", "/")}
    done = subprocess.run([make, "demo"], cwd=clone, env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    first, *rest = done.stderr.splitlines()
    assert first.startswith(f"acp-widget: {MISSING[missing]}")
    assert len(rest) == 1, "beside make's own line nothing more is said"
    assert rest[0].startswith("make: ***")


def demo_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo's copies of one notebook, as if `folder` were the clone."""
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "01_quickstart.ipynb").write_text("the original")
    monkeypatch.setattr(demo, "ROOT", folder)
    monkeypatch.setattr(demo, "PLAYGROUND", folder / "playground")
    demo.copy_notebooks()
    return folder / "playground" / "notebooks"


def test_the_demo_keeps_what_you_saved_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = demo_in(tmp_path, monkeypatch)
    (copies / "01_quickstart.ipynb").write_text("mine")
    demo.copy_notebooks()
    assert (copies / "01_quickstart.ipynb").read_text() == "mine"
    assert (tmp_path / "notebooks" / "01_quickstart.ipynb").read_text() == "the original"


def test_a_newer_original_comes_beside_what_you_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = demo_in(tmp_path, monkeypatch)
    (copies / "01_quickstart.ipynb").write_text("mine")
    original = tmp_path / "notebooks" / "01_quickstart.ipynb"
    original.write_text("a newer original")
    later = (copies / "01_quickstart.ipynb").stat().st_mtime + 10
    os.utime(original, (later, later))
    demo.copy_notebooks()
    assert {path.read_text() for path in copies.iterdir()} == {"mine", "a newer original"}
    assert (copies / "01_quickstart.ipynb").read_text() == "a newer original"


def test_a_chromium_that_does_not_start_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "no-browser"))
    assert chromium.main() == 1
    assert capsys.readouterr().err == (
        f"acp-widget: CHROMIUM={tmp_path / 'no-browser'} does not start. Correct or unset it.\n"
    )
