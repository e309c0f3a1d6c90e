"""A page as PDF: printed by a Chromium that is there, without network. The page itself allows no script."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Final

_NAMES: Final = (
    *("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge", "msedge"),
    *(
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    ),
)
_TIMEOUT: Final = 120.0  # seconds
_FLAGS: Final = (
    *("--headless", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer"),
)


class NoPdf(Exception):
    """Why there is no PDF, and what to do."""


def browser() -> str:
    """The Chromium, Chrome or Edge to print with: `$CHROMIUM`, else one of the usual names. Raises `NoPdf`."""
    named = os.environ.get("CHROMIUM")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        what = f"CHROMIUM={named} is no program" if named else "No Chromium, Chrome or Edge was found"
        raise NoPdf(f"{what}. Install one, or set CHROMIUM to its path; or write --to html and print that.")
    return found


def write(page: str, path: Path) -> None:
    """Print the page into a file. Raises `NoPdf`, and `OSError` where the file cannot be written."""
    program = browser()
    with tempfile.TemporaryDirectory(prefix="acp-widget-pdf-", ignore_cleanup_errors=True) as folder:
        source, made = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        root = hasattr(os, "geteuid") and os.geteuid() == 0  # who cannot use Chromium's sandbox
        command = [program, *_FLAGS, *(["--no-sandbox"] if root else []), f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={made}", source.as_uri()]
        said = Path(folder, "said")
        try:
            code = _run(command, said)
        except subprocess.TimeoutExpired:
            raise NoPdf(f"{program} did not print the page within {_TIMEOUT:g} s.") from None
        except OSError as error:
            raise NoPdf(f"{program} cannot be started: {error.strerror or error}") from None
        if not made.exists():
            last = "\n".join(said.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:])
            raise NoPdf(f"{program} printed nothing (exit code {code}).\n{last}".rstrip())
        shutil.copyfile(made, path)


def _run(command: list[str], said: Path) -> int:
    """The exit code. Its whole group is gone afterwards: a browser that hangs has children that would outlive it."""
    with said.open("wb") as file:  # no pipe: a child that is left would hold it open
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=os.name == "posix"
        )
    try:
        return process.wait(_TIMEOUT)
    finally:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
