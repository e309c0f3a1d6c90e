"""Builds the front end into the package when it is missing or older than its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
BUILT = ROOT / "acp_widget" / "static" / "widget.js"


class FrontEndHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if os.environ.get("ACP_WIDGET_SKIP_JS") == "1" or is_fresh():
            return
        npm = shutil.which("npm")
        if npm is None:
            raise RuntimeError(
                "acp-widget's front end must be built and npm is not there: install Node.js 20 or newer (with npm), "
                "or install a release of acp-widget, which needs neither. ACP_WIDGET_SKIP_JS=1 builds without it."
            )
        for command in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([npm, *command], cwd=ROOT / "js", check=True)


def is_fresh() -> bool:
    """True when the built file is there and no source is newer. An sdist brings it, whatever the clock says."""
    if not BUILT.exists():
        return False
    if (ROOT / "PKG-INFO").exists():
        return True
    js = ROOT / "js"
    sources = [js / "package.json", js / "package-lock.json", *(js / "scripts").glob("*"), *(js / "src").rglob("*")]
    return all(source.stat().st_mtime <= BUILT.stat().st_mtime for source in sources if source.is_file())
