"""Finds a Chromium that works, and gets one when there is none. Prints its path.

In this order: $CHROMIUM; one on PATH; the system's package manager, as root or with a sudo that asks nothing;
Playwright's own download.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find() -> str | None:
    """The path of a Chromium that starts, or None. $CHROMIUM rules; nothing is installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if works(named) else None
    return next((path for path in candidates() if works(path)), None)


def launch_arguments() -> list[str]:
    """Root cannot use Chromium's sandbox, and containers have a small /dev/shm."""
    quiet = ["--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]
    return ["--no-sandbox", *quiet] if is_root() else quiet


def candidates() -> Iterator[str]:
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            yield path
    downloaded = playwrights_own()
    if downloaded is not None:
        yield downloaded


def works(path: str) -> bool:
    """True when it tells its version: Ubuntu's `chromium-browser` may be a script that only asks for a snap."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own() -> str | None:
    """The path of the browser that Playwright downloaded, if it did."""
    code = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    path = answer.stdout.strip()
    return path if answer.returncode == 0 and Path(path).exists() else None


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def as_root() -> list[str] | None:
    """What to put before a command to run it as root without a question, or None."""
    if is_root():
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install_from_system() -> None:
    """Debian has it as a package. Ubuntu's package is a snap, which a container cannot run: not there."""
    prefix = as_root()
    if prefix is None or shutil.which("apt-get") is None or "ID=ubuntu" in os_release():
        return
    say("Installing Chromium with apt-get …")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        if subprocess.run([*prefix, "apt-get", *command], stdout=sys.stderr, env=quiet).returncode != 0:
            return


def download() -> None:
    """Playwright's own build, with the libraries it needs where we may install them."""
    say("Downloading Playwright's Chromium …")
    for libraries in ([] if as_root() is None else ["--with-deps"], []):
        command = [sys.executable, "-m", "playwright", "install", *libraries, "chromium"]
        if subprocess.run(command, stdout=sys.stderr).returncode == 0:
            return


def os_release() -> str:
    file = Path("/etc/os-release")
    return file.read_text() if file.exists() else ""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    named = os.environ.get("CHROMIUM")
    if named and not works(named):
        say(f"acp-widget: CHROMIUM={named} does not start. Correct or unset it.")
        return 1
    for get in (lambda: None, install_from_system, download):
        get()
        path = find()
        if path is not None:
            print(path)
            return 0
    say(
        "acp-widget: there is no Chromium and none could be installed. "
        "Install one (sudo apt-get install chromium), or name one: CHROMIUM=/path/to/chromium make test"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
