"""marimo with its server and Chromium: a turn is drawn, answered by clicks between cells, and read."""

from __future__ import annotations

import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from ..kernels import environments
from .lab import ROOT, free_port, wait_until
from .session import FIX, answer, expect_end, question

CELLS = (
    'from acp_widget import Agent\nagent = Agent("demo")',
    f"turn = agent.prompt({FIX!r})",
    "await turn\nturn.diffs",
    "turn.wait()\nturn.text",
    "agent",
)
pytestmark = pytest.mark.slow


def app(cells: tuple[str, ...]) -> str:
    """A notebook of marimo's with these cells, each of which sees what the others made."""
    made = {0: "agent", 1: "turn"}
    needs = {1: "agent", 2: "turn", 3: "turn", 4: "agent"}
    functions = []
    for number, cell in enumerate(cells):
        word = "async def" if "await " in cell else "def"
        body = "\n".join(f"    {line}" for line in cell.splitlines())
        gives = f"return ({made[number]},)" if number in made else "return"
        functions.append(f"@app.cell\n{word} _({needs.get(number, '')}):\n{body}\n    {gives}\n")
    return "import marimo\n\napp = marimo.App()\n\n\n" + "\n\n".join(functions)


@pytest.fixture
def page(tmp_path: Path, context: BrowserContext) -> Iterator[Page]:
    """The notebook, run from top to bottom."""
    (tmp_path / "notebook.py").write_text(app(CELLS))
    port = free_port()
    command = [environments.marimo(), "-m", "marimo", "edit", "notebook.py", "--headless", "--no-token"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ACP_WIDGET_DEMO_PACE": "0.2", "HOME": str(tmp_path)}
    log = tmp_path / "server.log"
    with log.open("wb") as writes:
        server = subprocess.Popen(
            [*command, "--skip-update-check", "--host", "127.0.0.1", "--port", str(port)],
            cwd=tmp_path,
            env=environment,
            stdout=writes,
            stderr=writes,
        )
    try:
        wait_until(lambda: answers(port), "marimo answers", timeout=60, details=log.read_text)
        opened = context.new_page()
        opened.set_viewport_size({"width": 1200, "height": 3000})
        with opened.expect_websocket():
            opened.goto(f"http://127.0.0.1:{port}/")
        expect(opened.get_by_test_id("run-button").last).to_be_enabled()
        yield opened
        opened.close()
    finally:
        children = psutil.Process(server.pid).children(recursive=True)
        server.terminate()
        server.wait(timeout=20)
        psutil.wait_procs(children, timeout=20)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def cell(page: Page, number: int) -> Locator:
    return page.locator(".marimo-cell").nth(number)


def pressed(page: Page) -> bool:
    """Press the button that runs all cells. It did not help so far."""
    page.get_by_test_id("run-button").last.click()
    page.wait_for_timeout(500)
    return False


def run(page: Page, number: int) -> None:
    """Run one cell, with the keys for it."""
    cell(page, number).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


@pytest.mark.timeout(400)  # the first time it installs marimo
def test_a_turn_is_drawn_answered_and_read_in_marimo(page: Page) -> None:
    ran: list[str] = []
    page.on("response", lambda response: ran.append(response.url) if "/api/kernel/run" in response.url else None)
    wait_until(lambda: bool(ran) or pressed(page), "the cells run")  # a press that comes too early is lost
    turn = cell(page, 1).get_by_role("region", name="Turn")
    expect(question(turn, "Edit stats.py?")).to_be_visible()
    assert "rgb" in turn.evaluate("view => getComputedStyle(view).borderTopColor")
    expect(cell(page, 2)).to_contain_text("no button answers while this cell runs")
    answer(turn, "Edit stats.py?", "Allow once")
    session = cell(page, 4).get_by_role("region", name="Agent session")
    answer(session, "Run the tests?", "Allow once")
    expect_end(turn)
    run(page, 2)
    expect(cell(page, 2)).to_contain_text('return float("nan")')
    run(page, 3)
    expect(cell(page, 3)).to_contain_text("All 6 tests pass")

    session.get_by_role("textbox", name="Prompt").fill("hello")
    session.get_by_role("button", name="Send").click()
    expect(session.locator(".acp-done")).to_have_count(2)

    before = session.locator(".acp-cwd").inner_text()
    run(page, 0)
    expect(question(turn, "Edit stats.py?")).to_be_visible()
    assert session.locator(".acp-cwd").inner_text() != before, "another agent, and all views are its"
