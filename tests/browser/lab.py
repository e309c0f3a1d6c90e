"""A real JupyterLab, Notebook 7 and Chromium for tests and screenshots. Knows nothing of acp-widget."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Locator, Page
from playwright.sync_api import TimeoutError as NotInTime

ROOT = Path(__file__).resolve().parents[2]

# No news, no updates, and nothing saved but by us.
SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}

# Without the machine's configuration, nothing says that the package `notebook` is an extension of the server.
NOTEBOOK_7 = ["--ServerApp.jpserver_extensions=notebook=True", "--JupyterNotebookApp.expose_app_in_browser=True"]

# The front ends of the server, and where a notebook is in each.
ADDRESSES = {"JupyterLab": "lab/tree/{}?reset", "Notebook 7": "notebooks/{}"}

# What JupyterLab itself logs as an error in a clean profile, with nothing of ours on the page.
HARMLESS = "Failed to load resource: the server responded with a status of 404"
# What Notebook 7 throws while it opens, likewise.
NOTEBOOK_7_THROWS = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)
# What JupyterLab logs where a widget was and its kernel is gone.
WITHOUT_KERNEL = "Error: widget model not found"


class Lab:
    """A JupyterLab server on a free port of this machine, with a home of its own, that serves one folder."""

    def __init__(
        self,
        home: Path,
        settings: dict[str, dict[str, Any]] | None = None,
        python: str = sys.executable,
        environment: dict[str, str] | None = None,
        *,
        notebook7: bool = False,
    ) -> None:
        self.home = home
        self._python = python
        self._added = environment or {}
        self._notebook7 = notebook7
        self.notebooks = home / "notebooks"
        self.notebooks.mkdir(parents=True)
        self._log = home / "server.log"
        for name, values in {**SETTINGS, **(settings or {})}.items():
            file = home / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Lab:
        command = [
            *(self._python, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={self._port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"),
            *("--LabApp.news_url=", f"--ServerApp.root_dir={self.notebooks}"),
            "--ServerApp.disable_check_xsrf=True",  # `end_kernels` is no browser
            *(NOTEBOOK_7 if self._notebook7 else []),
            *(["--allow-root"] if os.geteuid() == 0 else []),
        ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, env=self._environment(), cwd=self.home, stdout=log, stderr=log)
        wait_until(self._answers, "JupyterLab answers", timeout=90, details=self.log)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def log(self) -> str:
        """The end of what the server wrote."""
        return self._log.read_text(errors="replace")[-3000:]

    def _environment(self) -> dict[str, str]:
        scratch = {
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "COV_", "PYTEST"))}
        return {
            **kept,
            **{name: str(self.home / folder) for name, folder in scratch.items()},
            "JUPYTER_NO_CONFIG": "1",
            "JUPYTER_PREFER_ENV_PATH": "1",
            "PYTHONPATH": str(ROOT),
            **self._added,
        }

    def _answers(self) -> bool:
        assert self._process is not None
        if self._process.poll() is not None:
            raise RuntimeError(f"JupyterLab did not start:\n{self.log()}")
        try:
            with urllib.request.urlopen(f"{self.url}/api", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def write(self, name: str, cells: Sequence[str]) -> Path:
        """A notebook of code cells."""
        notebook = {
            "cells": [
                {
                    "cell_type": "code",
                    "id": f"c{n}",
                    "execution_count": None,
                    "metadata": {},
                    "outputs": [],
                    "source": text,
                }
                for n, text in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = self.notebooks / name
        path.write_text(json.dumps(notebook))
        return path

    def kernels(self) -> list[dict[str, Any]]:
        """The kernels that run on the server."""
        with urllib.request.urlopen(f"{self.url}/api/kernels", timeout=10) as answer:
            found: list[dict[str, Any]] = json.load(answer)
        return found

    def end_kernels(self) -> None:
        """End every kernel. The server refuses while one of them restarts, so it is asked until none is left."""
        wait_until(self._has_ended_kernels, "every kernel ended", details=self.log)

    def _has_ended_kernels(self) -> bool:
        for kernel in self.kernels():
            request = urllib.request.Request(f"{self.url}/api/kernels/{kernel['id']}", method="DELETE")
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(request, timeout=20).close()
        return self.kernels() == []


class NotebookPage:
    """One notebook open in JupyterLab or Notebook 7, as a user has it in front of them."""

    def __init__(
        self,
        lab: Lab,
        context: BrowserContext,
        name: str,
        height: int = 1000,
        harmless: str | None = None,
        front_end: str = "JupyterLab",
    ) -> None:
        self.lab = lab
        self.name = name
        self._address = f"{lab.url}/{ADDRESSES[front_end].format(name)}"
        self._harmless = (HARMLESS, harmless or HARMLESS)
        self.complaints: list[str] = []
        self.left_this_machine: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.set_viewport_size({"width": 1200, "height": height})
        self.page.on("console", self._on_console)
        self._thrown = NOTEBOOK_7_THROWS if front_end == "Notebook 7" else ()
        self.page.on("pageerror", self._on_exception)
        self.page.on("dialog", self._on_dialog)
        self.page.on("request", lambda request: self._on_address(request.url))
        self.page.on("websocket", lambda socket: self._on_address(socket.url.replace("ws:", "http:", 1)))

    # --- what must not happen --------------------------------------------------------------------------------------

    def _is_ours(self, url: str) -> bool:
        return url.startswith((self.lab.url + "/", "data:", "blob:", "about:"))

    def _on_address(self, url: str) -> None:
        if not self._is_ours(url):
            self.left_this_machine.append(url)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(self._harmless):
            self.complaints.append(f"console: {message.text}")

    def _on_exception(self, error: object) -> None:
        if str(error) not in self._thrown:
            self.complaints.append(f"exception: {error}")

    def _on_dialog(self, dialog: Dialog) -> None:
        if dialog.type != "beforeunload":  # JupyterLab's own "leave page?"
            self.complaints.append(f"dialog: {dialog.message}")
        dialog.accept()

    def assert_quiet(self) -> None:
        """No error on the console, no dialog, and no request but to our own server."""
        assert self.complaints == [], self.complaints
        assert self.left_this_machine == [], self.left_this_machine

    # --- opening and closing ---------------------------------------------------------------------------------------

    def open(self) -> NotebookPage:
        self.page.goto(self._address)
        try:
            self._ready(45_000)
        except NotInTime:
            # On a busy machine the front end now and then never hears of the new kernel. A user would reload.
            self.reload()
        return self

    def reload(self) -> None:
        """Reload the page; the kernel stays."""
        self.page.reload()
        self._ready()

    def _ready(self, timeout: float = 90_000) -> None:
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp?.shell?.currentWidget;
                return panel?.context?.isReady && panel.sessionContext?.session?.kernel?.status === "idle";
            }""",
            timeout=timeout,
        )

    def close(self) -> None:
        self.page.close()

    # --- cells -----------------------------------------------------------------------------------------------------

    def cell(self, index: int) -> Locator:
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]')

    def output(self, index: int) -> Locator:
        """All that a cell has put out."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def start(self, index: int) -> None:
        """Run a cell without waiting for its end."""
        self.page.evaluate(
            """index => {
                const panel = window.jupyterapp.shell.currentWidget;
                panel.content.activeCellIndex = index;
                void window.jupyterapp.commands.execute("notebook:run-cell");
            }""",
            index,
        )

    def run(self, index: int, timeout: float = 60) -> str:
        """Run a cell to its end and return the text it put out."""
        self.start(index)
        return self.finish(index, timeout)

    def finish(self, index: int, timeout: float = 60) -> str:
        """Wait for the end of a cell and return the text it put out."""
        self.page.wait_for_function(
            """index => {
                const cell = window.jupyterapp.shell.currentWidget.content.widgets[index];
                return cell.model.executionState === "idle" && cell.model.executionCount !== null;
            }""",
            arg=index,
            timeout=timeout * 1000,
        )
        return self.text(index)

    def is_running(self, index: int) -> bool:
        script = "index => window.jupyterapp.shell.currentWidget.content.widgets[index].model.executionState"
        return bool(self.page.evaluate(script, index) == "running")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """The cell's outputs as the notebook would save them."""
        script = "index => window.jupyterapp.shell.currentWidget.content.widgets[index].model.outputs.toJSON()"
        found: list[dict[str, Any]] = self.page.evaluate(script, index)
        return found

    def text(self, index: int) -> str:
        """What the cell printed and returned, and its error, as plain text."""
        parts: list[str] = []
        for output in self.outputs(index):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            parts.append("".join(text) if isinstance(text, list) else text)
            if output["output_type"] == "error":
                parts.append(f"{output['ename']}: {output['evalue']}")
        return "".join(parts)

    # --- the notebook ----------------------------------------------------------------------------------------------

    def save(self) -> None:
        self._command("docmanager:save")

    def interrupt(self) -> None:
        self._command("notebook:interrupt-kernel")

    def _command(self, name: str) -> None:
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def saved(self) -> dict[str, Any]:
        """The notebook's file."""
        content: dict[str, Any] = json.loads((self.lab.notebooks / self.name).read_text())
        return content

    def count_cells(self) -> int:
        return int(self.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length"))


def wait_until(
    condition: Callable[[], bool], what: str, timeout: float = 30, details: Callable[[], str] = lambda: ""
) -> None:
    """Wait for a condition that no event tells of."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"Not within {timeout:g} s: {what}\n{details()}")
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The Chromium of $CHROMIUM, or one that is on the machine."""
    from playwright.sync_api import sync_playwright

    from scripts.chromium import find, launch_arguments

    path = find()
    if path is None:
        raise RuntimeError("There is no Chromium. `make test` gets one; CHROMIUM=/path/to/chromium names one.")
    with sync_playwright() as playwright:
        # Requests to other machines fail. They are not caught by Playwright's routes, which switch the cache off: with
        # it, JupyterLab opens in half the time.
        alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=path, args=[*launch_arguments(), alone])
        try:
            yield browser
        finally:
            browser.close()
