"""A release: what is in wheel and sdist, and that it installs where no Node is."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUNDLE = ("acp_widget/static/widget.js", "acp_widget/static/widget.css", "acp_widget/static/turn.js")
KIB = 1024
NOT_IN_A_CHECKOUT = {".git", ".venv", "node_modules", "dist", ".cache", ".hypothesis", "test-results", "__pycache__"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this work tree with the front end built, so that a build changes nothing here."""
    copy = tmp_path_factory.mktemp("release") / "acp-widget"
    shutil.copytree(ROOT, copy, ignore=lambda _, names: NOT_IN_A_CHECKOUT & set(names))
    return copy


def without_node() -> dict[str, str]:
    """An environment in which no npm is found."""
    folders = os.environ["PATH"].split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if not (Path(folder) / "npm").exists())
    return {**os.environ, "PATH": path}


def build(checkout: Path, what: str, out: Path, *options: str) -> Path:
    """Build a wheel or an sdist with hatchling, in this environment: nothing is downloaded."""
    command = [sys.executable, "-m", "build", f"--{what}", *options, "--outdir", str(out), str(checkout)]
    done = subprocess.run(command, env=without_node(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = out.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(checkout, "sdist", tmp_path_factory.mktemp("sdist"), "--no-isolation")


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made from the sdist, as for a user for whom no wheel fits."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"), "--no-isolation")


def test_the_sdist_holds_the_built_front_end_and_its_source(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert names >= {*BUNDLE, "js/package-lock.json", "js/src/index.ts", "hatch_build.py", "LICENSE", "README.md"}
    assert not [name for name in names if name.startswith(("js/node_modules", ".venv", ".git/", "tests/"))]


def test_the_wheel_is_pure_and_holds_all_that_runs(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = next(archive.read(name).decode() for name in names if name.endswith("METADATA"))
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "acp_widget").rglob("*.py")}
    assert names >= {*BUNDLE, *modules, "acp_widget/py.typed"}
    assert not [name for name in names if not name.startswith(("acp_widget/", "acp_widget-"))]
    assert "License-Expression: BSD-3-Clause" in metadata
    assert "Requires-Python: >=3.10" in metadata


def test_the_bundle_is_within_its_budget(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        bundle = archive.read("acp_widget/static/widget.js")
    assert len(bundle) <= 300 * KIB
    assert len(gzip.compress(bundle, 9)) <= 90 * KIB


def test_a_checkout_without_a_bundle_and_without_node_says_what_to_install(checkout: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(checkout, bare, ignore=shutil.ignore_patterns("static"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(bare)]
    done = subprocess.run(command, env=without_node(), capture_output=True, text=True)
    assert done.returncode != 0
    assert "install Node.js 20 or newer" in done.stdout + done.stderr
    done = subprocess.run(command, env={**without_node(), "ACP_WIDGET_SKIP_JS": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_release_installs_and_works_where_no_node_is(sdist: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", str(sdist)]
    done = subprocess.run(install, env=without_node(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    program = (
        "from acp_widget import Agent\n"
        "with Agent('demo', permissions='allow') as agent:\n"
        "    turn = agent.run('The test for mean() fails on an empty list. Fix it.', timeout=60)\n"
        "    agent.widget\n"
        "print(turn.stop_reason, 'nan' in turn.diffs[0].patch, 'passed' in turn.terminals[0].text)\n"
    )
    run = [str(python), "-P", "-c", program] if sys.version_info >= (3, 11) else [str(python), "-c", program]
    done = subprocess.run(run, env=without_node(), cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "end_turn True True", done.stdout + done.stderr
