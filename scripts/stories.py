"""The story page: every view in every state, from the cases of tests/stories. `make stories` serves it on 127.0.0.1.

A case is driven through the reducer as the test vectors are (tests/stories/README.md); what comes out is mounted by the
built front end on a model that stands still. `--pictures` takes the pictures of it that are in docs/images.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import conformance  # noqa: E402

CASES = ROOT / "tests" / "stories"
JS = ROOT / "js"
STATIC = Path(os.environ.get("ACP_WIDGET_STATIC", ROOT / "acp_widget" / "static"))
IMAGES = ROOT / "docs" / "images"

NOW = 1_764_680_500.0
"""When the last step of each case happens; the page's clock begins here."""

# What comes before the steps of a case, unless it is `bare`.
READY: list[dict[str, Any]] = [
    {
        "event": {
            "type": "starting",
            "command": ["python", "-m", "acp_widget.demo"],
            "cwd": "/home/ada/project",
            "label": "demo",
            "temporary": False,
            "policy": "ask",
        }
    },
    {
        "event": {
            "type": "initialized",
            "result": {
                "protocolVersion": 2,
                "info": {"name": "demo", "title": "demo agent", "version": "0.1.0"},
                "capabilities": {"session": {"prompt": {"image": {}}}},
            },
        }
    },
    {"sessionNew": {"sessionId": "s1"}},
]

# Shown in the docs: the case, its theme, the file.
PICTURES = (
    ("call_content_order", "light", "tool-call-light"),
    ("diff_modify", "light", "diff-light"),
    ("terminal_failed", "light", "terminal-light"),
    ("ask_command", "dark", "permission-dark"),
)


@dataclass(frozen=True)
class Story:
    group: str
    case: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.case["name"])


class Told(conformance.Session):
    """A session whose steps happen one second after the other, the last of them now."""

    def __init__(self, seconds: list[float]) -> None:
        super().__init__()
        self._seconds = iter(seconds)
        self.at = NOW

    def step(self, step: dict[str, Any]) -> None:
        self.at = next(self._seconds)
        if "event" in step:  # an event as it is, for what has no step of its own
            self.tell(step["event"])
        else:
            super().step(step)


def stories(folder: Path = CASES) -> list[Story]:
    """All cases, by the files they stand in."""
    return [Story(file.stem, case) for file in sorted(folder.glob("*.json")) for case in json.loads(file.read_text())]


def tell(case: dict[str, Any]) -> dict[str, Any]:
    """The state at the end of a case.

    `at`: seconds before now of its last steps, oldest first, where one second a step says the wrong thing.
    """
    steps = case["steps"] if "steps" in case else [{"update": update} for update in case["updates"]]
    steps = steps if case.get("bare") else [*READY, *steps]
    ago = [float(n) for n in range(len(steps) - 1, -1, -1)]
    given = case.get("at", [])
    session = Told([NOW - each for each in [*ago[: len(ago) - len(given)], *given]])
    for step in steps:
        session.step(step)
    snapshot: dict[str, Any] = session.state.snapshot()
    return {"seq": 1, **snapshot}


def make(folder: Path) -> None:
    """Write the page and all it needs into a folder."""
    told = [
        {key: value for key, value in story.case.items() if key not in ("steps", "updates")}
        | {"group": story.group, "state": tell(story.case)}
        for story in stories()
    ]
    write(folder, told)


def write(folder: Path, told: list[dict[str, Any]]) -> None:
    """Write the page with these stories: each has a name, a title, a group and a state."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stories.json").write_text(json.dumps({"now": NOW, "stories": told}))
    shutil.copy(JS / "dev" / "stories.html", folder / "index.html")
    for name in ("widget.js", "widget.css"):
        shutil.copy(STATIC / name, folder / name)
    esbuild = JS / "node_modules" / ".bin" / "esbuild"
    bundle = [str(esbuild), "dev/stories.ts", "--bundle", "--format=esm", "--target=es2022", "--log-level=warning"]
    subprocess.run([*bundle, f"--outfile={folder / 'stories.js'}"], cwd=JS, check=True)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of what is asked for."""


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve a folder to this machine; gives its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def take_pictures(address: str) -> None:
    """The main pictures of the docs."""
    from tests.browser.lab import chromium

    IMAGES.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name, theme, file in PICTURES:
            page = browser.new_page(viewport={"width": 800, "height": 900}, device_scale_factor=1.5)
            page.goto(f"{address}?only={name}#{theme}")
            page.locator("html[data-ready]").wait_for()
            target = IMAGES / f"{file}.png"
            page.locator(".story .here").screenshot(path=target, animations="disabled")
            print(target.relative_to(ROOT), flush=True)
            page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8766)
    parser.add_argument("--folder", type=Path, default=ROOT / "test-results" / "stories", help="where it is written")
    parser.add_argument("--pictures", action="store_true", help="take the pictures in docs/images instead of serving")
    arguments = parser.parse_args()
    make(arguments.folder)
    with served(arguments.folder, 0 if arguments.pictures else arguments.port) as address:
        if arguments.pictures:
            take_pictures(address)
            return
        print(f"{address}  (#dark, ?group=diffs, ?only=diff_modify); Ctrl+C ends it", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
