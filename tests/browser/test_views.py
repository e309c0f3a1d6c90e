"""Several views of one session, the panel with its composer, and the page reloaded."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .conftest import OpenNotebook
from .session import FIX, PROMPT, START, answer, expect_end, panel, question, transcript, turn_view

TALL = 2600  # pixels, for several views in one window


def test_two_views_agree_and_one_answer_settles_both(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, "agent", "agent", PROMPT], height=TALL)
    for cell in (0, 1, 2):
        notebook.run(cell)
    notebook.start(3)
    first, second, below = panel(notebook, 1), panel(notebook, 2), turn_view(notebook, 3)
    for view in (first, second, below):
        expect(question(view, "Edit stats.py?")).to_be_visible()
    answer(first, "Edit stats.py?", "Allow once")
    for view in (first, second, below):
        expect(question(view, "Edit stats.py?")).to_have_count(0)
        expect(view).to_contain_text("Allowed once by you")
    answer(below, "Run the tests?", "Allow once")
    for view in (first, second, below):
        expect(question(view, "Run the tests?")).to_have_count(0)
        expect_end(view)
    assert transcript(first) == transcript(second)
    assert transcript(below) in transcript(first)


@pytest.mark.slow
def test_a_second_click_is_refused_and_the_first_stands(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, "agent", PROMPT, "[p.option_id for p in turn.permissions]"], height=TALL)
    for cell in (0, 1):
        notebook.run(cell)
    notebook.start(2)
    views = (panel(notebook, 1), turn_view(notebook, 2))
    buttons = [
        question(views[0], "Edit stats.py?").get_by_role("button", name="Reject", exact=True),
        question(views[1], "Edit stats.py?").get_by_role("button", name="Allow once", exact=True),
    ]
    for button in buttons:
        expect(button).to_be_enabled()
    reject, allow = (button.element_handle() for button in buttons)
    assert reject is not None
    assert allow is not None
    # Both in one task of the page: the second goes out before the first can come back.
    notebook.page.evaluate("([first, second]) => { first.click(); second.click(); }", [reject, allow])
    for view in views:
        expect_end(view)
        expect(view).to_contain_text("Rejected by you")
    assert notebook.run(3) == "['no']"


@pytest.mark.slow
def test_a_reloaded_page_shows_the_same_transcript(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT, "agent"], height=TALL)
    notebook.run(0)
    notebook.run(1)
    notebook.run(2)
    view = turn_view(notebook, 1)
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    expect_end(panel(notebook, 2))
    before = transcript(view), transcript(panel(notebook, 2))
    notebook.save()
    notebook.reload()
    expect_end(view)
    expect_end(panel(notebook, 2))
    assert (transcript(view), transcript(panel(notebook, 2))) == before
    # The static transcript beside the view stays hidden while the view lives.
    expect(notebook.output(1).locator(".acp-transcript")).to_be_hidden()


def test_a_question_survives_a_reload_and_can_be_answered(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, PROMPT, "[p.option_id for p in turn.permissions]"])
    notebook.run(0)
    notebook.run(1)
    view = turn_view(notebook, 1)
    expect(question(view, "Edit stats.py?")).to_be_visible()
    notebook.save()
    notebook.reload()
    answer(view, "Edit stats.py?", "Reject")
    expect_end(view)
    assert notebook.run(2) == "['no']"


def test_what_is_typed_in_the_composer_never_reaches_the_notebook(open_notebook: OpenNotebook) -> None:
    notebook = open_notebook([START, "agent", "1"])
    notebook.run(0)
    notebook.run(1)
    view = panel(notebook, 1)
    box = view.get_by_role("textbox", name="Prompt")
    box.click()
    # In JupyterLab's command mode these insert, delete, split and run cells.
    box.press_sequentially("a b dd m x y z 00 ii")
    box.press("Shift+Enter")
    box.press_sequentially("second line")
    box.press("Escape")
    box.press_sequentially("!")
    assert notebook.count_cells() == 3
    assert notebook.outputs(2) == []
    expect(box).to_have_value("a b dd m x y z 00 ii\nsecond line!")


def test_a_prompt_from_the_composer_runs_and_keys_answer(open_notebook: OpenNotebook) -> None:
    cells = [START, "agent", "[(turn.prompt, [p.option_id for p in turn.permissions]) for turn in agent.turns]"]
    notebook = open_notebook(cells)
    notebook.run(0)
    notebook.run(1)
    view = panel(notebook, 1)
    box = view.get_by_role("textbox", name="Prompt")
    box.fill(FIX)
    box.press("Enter")
    ask = question(view, "Edit stats.py?")
    expect(ask.get_by_role("button", name="Reject", exact=True)).to_be_enabled()
    ask.focus()
    ask.press("3")
    expect_end(view)
    expect(box).to_have_value("")
    assert notebook.run(2) == f"[({FIX!r}, ['no'])]"
