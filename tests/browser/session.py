"""What a user looks for in a session's view: found by role and name, as a screen reader would."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from .lab import NotebookPage

FIX = "The test for mean() fails on an empty list. Fix it."
START = """from acp_widget import Agent
agent = Agent("demo")"""
PROMPT = f"turn = agent.prompt({FIX!r})"

# What the results say, as JSON: read by `report()`.
REPORT = """import json, pathlib
json.dumps({
    "stop_reason": turn.stop_reason,
    "text": turn.text,
    "calls": [[call.id, call.status] for call in turn.tool_calls],
    "patch": turn.diffs[0].patch if turn.diffs else None,
    "terminal": turn.terminals[0].text if turn.terminals else None,
    "answers": [[each.title, each.status, each.option_id, each.by] for each in turn.permissions],
    "file": (pathlib.Path(agent.cwd) / "stats.py").read_text() if (pathlib.Path(agent.cwd) / "stats.py").exists() else
            next(pathlib.Path(agent.cwd).rglob("stats.py")).read_text(),
})"""


def report(notebook: NotebookPage, cell: int) -> dict[str, Any]:
    """Run a cell that holds REPORT, and read what it says."""
    import ast
    import json

    found: dict[str, Any] = json.loads(ast.literal_eval(notebook.run(cell)))
    return found


def turn_view(notebook: NotebookPage, cell: int) -> Locator:
    """The live view of the turn below a cell."""
    return notebook.output(cell).get_by_role("region", name=re.compile(r"^Turn"))


def panel(notebook: NotebookPage, cell: int) -> Locator:
    """The whole session below a cell."""
    return notebook.output(cell).get_by_role("region", name="Agent session")


def question(view: Locator, title: str) -> Locator:
    """A permission request that waits for an answer."""
    return view.get_by_role("group", name=f"Permission: {title}")


def answer(view: Locator, title: str, option: str) -> None:
    """Press the button with the agent's words."""
    question(view, title).get_by_role("button", name=option, exact=True).click()
    expect(question(view, title)).to_have_count(0)


def expect_end(view: Locator, words: str | re.Pattern[str] = "Done in") -> None:
    """The line that says how the turn ended."""
    expect(view.locator(".acp-done").filter(has_text=words)).to_be_visible()


def turn_answered_while_it_runs(notebook: NotebookPage, *, waits: bool) -> dict[str, Any]:
    """START, PROMPT and REPORT run as cells 0 to 2, both questions allowed by clicks: what REPORT says."""
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible()
    if waits:
        assert notebook.is_running(1), "the cell waits while the button is pressed"
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    notebook.finish(1)
    expect(view).to_have_count(1)

    result = report(notebook, 2)
    assert result["stop_reason"] == "end_turn"
    assert result["answers"] == [
        ["Edit stats.py?", "selected", "yes", "you"],
        ["Run the tests?", "selected", "yes", "you"],
    ]
    assert '+        return float("nan")' in result["patch"]
    assert "passed" in result["terminal"]
    return result


def transcript(view: Locator) -> str:
    """What the view holds, the parts that are scrolled out of sight too."""
    return view.get_by_role("log").text_content() or ""
