"""A recorded session is played in JupyterLab: by keyboard alone, in two views, and after a reload."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .conftest import OpenNotebook
from .lab import NotebookPage
from .session import panel

TRACE = Path(__file__).parent.parent / "traces" / "sdk-v2-agent-main.jsonl"
NOTES = [
    {"position": 3, "title": "Look", "text": "It says *hello* first."},
    {"position": 6, "question": "What comes next?", "options": ["A plan", "Nothing"], "answer": "A plan"},
]
LESSON = f"""from acp_widget import Agent
agent = Agent.replay({str(TRACE)!r}, paused=True, predict=True, notes={NOTES!r})
agent"""
CHOICES = "import json\njson.dumps([agent.player.position, agent.player.end, agent.player.choices])"


def bar(notebook: NotebookPage, cell: int) -> Locator:
    return notebook.output(cell).get_by_role("group", name="Player")


def tab_to(notebook: NotebookPage, place: Locator) -> None:
    """Press Tab until the focus is there, as one does without a mouse."""
    for _ in range(60):
        notebook.page.keyboard.press("Tab")
        if place.evaluate("element => element.contains(document.activeElement)"):
            return
    raise AssertionError("Tab does not lead there")


def test_a_lesson_is_walked_through_by_keyboard_alone(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([LESSON, CHOICES])
    notebook.run(0)
    player, keys = bar(notebook, 0), notebook.page.keyboard
    expect(player).to_contain_text("message 0 of 51")
    keys.press("Escape")
    tab_to(notebook, player)

    keys.press("Shift+ArrowRight")
    expect(player).to_contain_text("message 1 of 51")
    keys.press("n")
    expect(player).to_contain_text("Look")
    keys.press("ArrowLeft")
    expect(player).not_to_contain_text("It says hello first.")
    keys.press("k")  # plays until the question
    expect(player.get_by_role("group", name="Question")).to_contain_text("What comes next?")
    keys.press("End")
    expect(player).to_contain_text("message 6 of 51")
    keys.press("2")
    expect(player).to_contain_text("You chose Nothing.")
    expect(player).to_contain_text("It was another.")

    # What the agent asks is asked again, and nothing of what came is seen before.
    asked = panel(notebook, 0).get_by_role("group", name="Permission:")
    for place in (24, 37):  # it played before, so it goes on after each choice
        expect(player).to_contain_text(f"message {place} of 51")
        expect(asked).to_be_visible()
        keys.press("End")
        keys.press("1")
        expect(player).not_to_contain_text(f"message {place} of 51")
        expect(player).to_contain_text("In the recording:")
    expect(player).to_contain_text("message 51 of 51")
    position, end, choices = json.loads(ast.literal_eval(notebook.run(1)))
    assert (position, end) == (51, "complete")
    assert choices[0]["chosen"] == "Nothing"
    assert choices[0]["right"] is False
    assert notebook.count_cells() == 2  # no key reached the notebook


@pytest.mark.slow
def test_two_views_stay_in_step_and_a_reload_keeps_the_place(open_notebook: OpenNotebook) -> None:
    source = f"from acp_widget import Agent\nagent = Agent.replay({str(TRACE)!r}, paused=True)\nagent"
    notebook = open_notebook([source, "agent"])
    notebook.run(0)
    notebook.run(1)
    bar(notebook, 0).get_by_role("button", name="Next mark").click()
    for cell in (0, 1):
        expect(bar(notebook, cell)).not_to_contain_text("message 0 of 51")
    place = bar(notebook, 1).locator(".acp-player-about").inner_text()
    expect(bar(notebook, 0).locator(".acp-player-about")).to_have_text(place)
    notebook.save()
    notebook.reload()
    expect(bar(notebook, 1).locator(".acp-player-about")).to_have_text(place)
    bar(notebook, 1).get_by_label("Speed").select_option("at once")
    bar(notebook, 1).get_by_role("button", name="Play").click()
    expect(bar(notebook, 0)).to_contain_text("message 51 of 51 · the end")
