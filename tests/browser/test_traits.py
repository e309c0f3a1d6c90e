"""The session's scalar traits are ordinary widget traits: `observe`, `link` and `jslink` work."""

from __future__ import annotations

from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import PROMPT, START, answer, expect_end, turn_view

LINKS = """import ipywidgets as widgets
seen = []
agent.widget.observe(lambda change: seen.append(change.new), "status")
in_kernel, in_page, number = widgets.Label(), widgets.Label(), widgets.IntText(description="turns")
widgets.link((agent.widget, "status"), (in_kernel, "value"))
widgets.jslink((agent.widget, "status"), (in_page, "value"))
widgets.jslink((agent.widget, "turn_count"), (number, "value"))
widgets.VBox([in_kernel, in_page, number])"""


def test_observe_link_and_jslink_follow_the_session(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, LINKS, PROMPT, "seen"])
    for cell in (0, 1, 2):
        notebook.run(cell)
    labels = notebook.output(1).locator(".widget-label").filter(has_text="waiting")
    expect(labels).to_have_count(2)
    view = turn_view(notebook, 2)
    answer(view, "Edit stats.py?", "Reject")
    expect_end(view)
    expect(notebook.output(1).locator(".widget-label").filter(has_text="idle")).to_have_count(2)
    expect(notebook.output(1).get_by_role("spinbutton")).to_have_value("1")
    seen = notebook.run(3)
    for status in ("running", "waiting", "idle"):
        assert f"'{status}'" in seen
