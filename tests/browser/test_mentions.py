"""`@` in the prompt box: variables and files are chosen by keyboard, shown as chips, and go with the prompt."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from .conftest import OpenNotebook
from .lab import NotebookPage
from .session import panel

START = """from pathlib import Path
from acp_widget import Agent
import pandas as pd
df = pd.DataFrame({"a": range(120), "b": 1.5})
data = [1, 2, 3]
agent = Agent("demo")
Path(agent.cwd, "my notes.md").write_text("Three lines.")
agent"""

FRAME = "DataFrame 120\N{MULTIPLICATION SIGN}2"


def opened(open_notebook: OpenNotebook, *cells: str) -> tuple[NotebookPage, Locator, Locator]:
    notebook = open_notebook([START, *cells], height=1600)
    notebook.run(0)
    view = panel(notebook, 0)
    prompt = view.get_by_role("textbox", name="Prompt")
    expect(prompt).to_be_enabled()
    prompt.focus()
    return notebook, view, prompt


def chips(view: Locator) -> Locator:
    return view.get_by_role("list", name="Goes with the prompt").get_by_role("listitem")


def attached(view: Locator) -> Locator:
    return view.locator(".acp-you .acp-attached")


def option(view: Locator, name: str) -> Locator:
    return view.get_by_role("option", name=re.compile(rf"^{re.escape(name)} "))


def test_a_variable_and_a_file_are_chosen_by_keyboard_and_go_with_the_prompt(open_notebook: OpenNotebook) -> None:
    notebook, view, prompt = opened(open_notebook, "[(each.name, each.kind) for each in agent.turns[0].attached]")
    keyboard = notebook.page.keyboard

    keyboard.type("why is @d")
    expect(option(view, "@df")).to_contain_text(FRAME)
    expect(option(view, "@data")).to_contain_text("list, 3 items")
    expect(option(view, "@df")).to_have_attribute("aria-selected", "true")
    keyboard.press("ArrowDown")
    expect(option(view, "@data")).to_have_attribute("aria-selected", "true")
    keyboard.press("ArrowUp")
    keyboard.press("Enter")
    expect(prompt).to_have_value("why is @df ")
    expect(view.get_by_role("listbox")).to_have_count(0)

    keyboard.type("not as in @my")
    expect(option(view, '@"my notes.md"')).to_contain_text("file, 12 B")
    keyboard.press("Tab")
    keyboard.type("or @data, @nobody ")
    expect(prompt).to_have_value('why is @df not as in @"my notes.md" or @data, @nobody ')
    expect(chips(view)).to_have_text([f"@df {FRAME}", "@my notes.md file, 12 B", "@data list, 3 items"])

    view.get_by_role("button", name="Leave out data").click()
    expect(chips(view)).to_have_count(2)
    expect(prompt).to_be_focused()
    keyboard.press("Enter")
    expect(attached(view)).to_have_text([re.compile("^df pandas DataFrame"), re.compile("^my notes.md file, 12 B")])
    expect(view.locator(".acp-you")).to_contain_text('why is @df not as in @"my notes.md" or @data, @nobody')
    expect(prompt).to_have_value("")
    expect(chips(view)).to_have_count(0)
    assert notebook.count_cells() == 2, "no key reached the notebook"
    assert notebook.run(1) == "[('df', 'pandas DataFrame'), ('my notes.md', 'file')]"


@pytest.mark.slow
def test_escape_closes_the_list_and_the_prompt_goes_as_it_was_typed(open_notebook: OpenNotebook) -> None:
    notebook, view, prompt = opened(open_notebook)
    keyboard = notebook.page.keyboard
    keyboard.type("who is @nobody or @d")
    expect(option(view, "@df")).to_be_visible()
    keyboard.press("Escape")
    expect(view.get_by_role("listbox")).to_have_count(0)
    expect(prompt).to_be_focused()
    keyboard.press("Enter")
    expect(view.locator(".acp-you")).to_contain_text("who is @nobody or @d")
    expect(attached(view)).to_have_count(0)


@pytest.mark.slow
def test_a_prompt_whose_variable_is_gone_is_refused_and_stays_to_be_mended(open_notebook: OpenNotebook) -> None:
    notebook, view, prompt = opened(open_notebook, "del df")
    keyboard = notebook.page.keyboard
    keyboard.type("why is @df odd")
    expect(chips(view)).to_have_text([f"@df {FRAME}"])
    notebook.run(1)

    prompt.press("Enter")
    expect(view.get_by_role("alert")).to_contain_text("@df is no variable of the notebook")
    expect(prompt).to_have_value("why is @df odd")
    expect(view.locator(".acp-you")).to_have_count(0)

    expect(chips(view)).to_have_text(["@df not there any more"])
    view.get_by_role("button", name="Leave out df").click()
    prompt.press("Enter")
    expect(view.locator(".acp-you")).to_contain_text("why is @df odd")
    expect(attached(view)).to_have_count(0)
