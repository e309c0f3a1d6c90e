"""An agent that wants a login: the card below the cell, its buttons, and a key that stays out of the notebook."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from ..keeping import Keeper
from .conftest import OpenNotebook
from .session import expect_end, turn_view

SECRET = "sk-very-secret-4711"


def making(keeper: Keeper) -> str:
    """The cell that makes this agent."""
    with keeper.agent() as there:
        command = list(there._driver._launch.command)
    return f"from acp_widget import Agent\nagent = Agent({command!r}, cwd={str(keeper.cwd)!r})"


def test_a_button_logs_in_and_the_prompt_goes_on(open_notebook: OpenNotebook, tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, 2)
    keeper.wants("prompt", keeper.method("broken"), keeper.method("web"))
    notebook = open_notebook([making(keeper), "turn = agent.prompt('hello')\nturn.wait().text"])
    notebook.run(0)
    notebook.start(1)
    card = turn_view(notebook, 1).get_by_role("alert")
    expect(card).to_contain_text("The agent wants you to log in first: Authentication required")
    card.get_by_role("button", name="With broken").click()
    expect(card).to_contain_text("The browser did not open")
    assert notebook.is_running(1), "the cell waits for the next try"
    card.get_by_role("button", name="With web").click()
    expect(card).to_have_count(0)
    expect_end(turn_view(notebook, 1))
    assert notebook.finish(1).endswith("'You said hello'")
    assert len(keeper.asked("session/prompt")) == 2, "refused once, sent once more"


def test_a_key_is_given_in_a_cell_and_is_nowhere_in_the_notebook(open_notebook: OpenNotebook, tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, 1, key="KEEPER_KEY", secret=SECRET)
    keeper.wants("new", keeper.method("key", "env_var", vars=[{"name": "KEEPER_KEY", "secret": True}]))
    (tmp_path / "key.txt").write_text(SECRET)
    login = f"agent.login('key', env={{'KEEPER_KEY': open({str(tmp_path / 'key.txt')!r}).read()}})"
    notebook = open_notebook([making(keeper), "turn = agent.prompt('hello')", login, "turn.wait().text"])
    notebook.run(0)
    notebook.run(1)
    card = turn_view(notebook, 1).get_by_role("alert")
    expect(card).to_contain_text("""agent.login('key', env={"KEEPER_KEY": "…"})""")
    expect(card.get_by_role("textbox")).to_have_count(0)
    notebook.run(2)
    assert notebook.run(3) == "'You said hello'"
    expect(card).to_have_count(0)
    notebook.save()
    assert SECRET not in json.dumps(notebook.saved())
