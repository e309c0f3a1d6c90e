"""Installs the real agents, each into a folder of its own: `.agents/<package>`, pinned with all that they need.

What a package needs stands in `packages/<package>/`: a lock file for npm, or a requirements file for pip. A folder that
holds the same already is used as it is; one that was left half made is made again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = HERE / "packages"

_PATIENCE = 900  # seconds for one install


class CannotInstall(Exception):
    """It is not possible here; the text says why and what to do."""


def cache() -> Path:
    """Where they stand: `$ACP_WIDGET_AGENTS_CACHE`, else `.agents` in the checkout."""
    return Path(os.environ.get("ACP_WIDGET_AGENTS_CACHE") or ROOT / ".agents")


def installed(package: str) -> Path:
    """The package's folder, installed first if need be. Raises `CannotInstall`."""
    wanted = PACKAGES / package
    folder = cache() / package
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{package}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run in several processes
        stamp = folder / "installed.txt"
        content = _content(wanted)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != content:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _with_pip(wanted, folder) if (wanted / "requirements.txt").exists() else _with_npm(wanted, folder)
            stamp.write_text(content, encoding="utf-8")
    return folder


def program(package: str, name: str) -> str:
    """The path of a program that the package brings."""
    folder = installed(package)
    return str((folder / "node_modules" / ".bin" if (folder / "node_modules").exists() else folder / "bin") / name)


def _content(wanted: Path) -> str:
    files = sorted(path for path in wanted.iterdir() if path.is_file())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return f"{digest}\n{sys.version if (wanted / 'requirements.txt').exists() else ''}"


def _with_npm(wanted: Path, folder: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise CannotInstall("Node.js 20 or newer, with npm, is missing: install it to test the agents written for it.")
    for path in wanted.iterdir():
        shutil.copy(path, folder)
    # Not `npm ci`: a registry need not have the optional packages of other platforms, and `npm ci` refuses a lock
    # file without them. `npm install` keeps to the lock file too.
    _run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], folder)


def _with_pip(wanted: Path, folder: Path) -> None:
    venv.create(folder, with_pip=True, symlinks=True)
    pip = [
        str(folder / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    _run([*pip, "--requirement", str(wanted / "requirements.txt")], folder)


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"`{command[0]}` did not end within {_PATIENCE} s in {folder}.") from None
    if done.returncode != 0:
        told = (done.stderr or done.stdout)[-2000:]
        raise CannotInstall(f"`{' '.join(command)}` failed in {folder}; is the registry reachable?\n{told}")
