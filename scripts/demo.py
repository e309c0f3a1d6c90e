"""Opens the quickstart in JupyterLab, on this machine only. Arguments go on to JupyterLab.

The notebooks are copied to .cache/demo first, so that what you try and save there changes nothing in the repository.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAYGROUND = ROOT / ".cache" / "demo"
FIRST = "notebooks/01_quickstart.ipynb"


def main(arguments: list[str]) -> None:
    copy_notebooks()
    command = [
        *(sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", f"--ServerApp.root_dir={PLAYGROUND}"),
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        f"--LabApp.default_url=/lab/tree/{FIRST}",  # part of the address it prints, for those who open it by hand
        *arguments,
    ]
    print(f"JupyterLab opens {FIRST}. Choose Run, Run All Cells. Ctrl+C twice here ends it.", flush=True)
    os.execv(command[0], command)


def copy_notebooks() -> None:
    """Fresh copies; one that you changed is kept, under a dated name when the original is newer."""
    target = PLAYGROUND / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    notebooks = ROOT / "notebooks"
    for source in sorted([*notebooks.glob("*.ipynb"), *notebooks.glob("lessons/*.json*")]):
        copy = target / source.relative_to(notebooks)
        copy.parent.mkdir(exist_ok=True)
        if copy.exists() and copy.stat().st_mtime >= source.stat().st_mtime:
            continue
        if copy.exists() and copy.read_bytes() != source.read_bytes():
            copy.rename(copy.with_stem(f"{copy.stem}-{time.strftime('%Y%m%d-%H%M%S')}"))
        shutil.copyfile(source, copy)


if __name__ == "__main__":
    main(sys.argv[1:])
