"""The independent v2 agent on the official SDK, installed once from its lock file."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", "sdk_v2_agent.mjs")


def sdk_v2_command() -> list[str]:
    """The command that starts it. Installs what it needs into `.cache/` first; fails where that is not possible."""
    content = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in FILES)).hexdigest()[:12]
    place = HERE.parents[1] / ".cache" / f"sdk-v2-agent-{content}"
    if not place.exists():
        _install(place)
    return ["node", str(place / "sdk_v2_agent.mjs")]


def _install(place: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.fail("This test runs an agent of the official SDK: install Node.js 20 or newer, with npm.")
    place.parent.mkdir(exist_ok=True)
    made = Path(f"{place}.{id(place)}")
    made.mkdir()
    try:
        for name in FILES:
            shutil.copy(HERE / name, made)
        command = ["npm", "ci", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            pytest.fail(f"`npm ci` of the SDK agent failed; is the npm registry reachable?\n{done.stderr[-2000:]}")
        made.rename(place)
    except OSError:
        if not place.exists():  # another worker may have been first
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
