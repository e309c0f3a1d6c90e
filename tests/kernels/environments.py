"""An environment of its own for each ipykernel that the tests start: `python -m tests.kernels.environments 7.4.0`.
`marimo` makes the one of that front end.

They stand in `.cache/kernels` (or in `$ACP_WIDGET_CACHE/kernels`) and are used again while what they hold is the same.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ORDINARY = ("6.31.0", "7.4.0")
SLOW = ("6.29.5", "7.1.0", "7.3.0")

# ipykernel brings one of the two nest-asyncios, depending on its version. Both are there, as they may be for a user.
PINS = (
    *("ipywidgets>=8.1,<9", "anywidget>=0.11,<0.12", "mistune>=3,<4", "platformdirs>=3.2,<5"),
    *("nest-asyncio>=1.6,<2", "nest-asyncio2>=1.7,<2"),
)

MARIMO = "0.25.2"


def python(version: str) -> str:
    """The interpreter of the environment with that version of ipykernel; makes it first when it is not there."""
    return _with(version, f"ipykernel=={version}")


def marimo() -> str:
    """The same with marimo, and without ipykernel."""
    return _with(f"marimo-{MARIMO}", f"marimo=={MARIMO}")


def _with(name: str, package: str) -> str:
    folder = _cache() / name
    interpreter = folder / "bin" / "python"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run in several processes
        stamp = folder / "holds.txt"
        holds = "\n".join([sys.version, str(ROOT), package, *PINS])
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != holds:
            _make(folder, interpreter, package)
            stamp.write_text(holds, encoding="utf-8")
    return str(interpreter)


def _make(folder: Path, interpreter: Path, package: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True, symlinks=True)
    command = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, package, *PINS], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "acp_widget_checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")


def _cache() -> Path:
    return Path(os.environ.get("ACP_WIDGET_CACHE") or ROOT / ".cache") / "kernels"


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ORDINARY:
        print(wanted, marimo() if wanted == "marimo" else python(wanted))
