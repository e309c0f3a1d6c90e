"""Errors say what happened and what to do, are safe to print, and survive a copy."""

from __future__ import annotations

import copy
import pickle

import pytest
from IPython.lib.pretty import pretty

from acp_widget import AcpError, Agent, AgentExited, AgentNotFound, RequestError


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
@pytest.mark.parametrize(
    "error",
    [
        RequestError(7, "no tokens left", {"retry": 30}, hint="Wait."),
        AgentExited("The agent ended.", hint="Look.", stderr="Segmentation fault"),
    ],
)
def test_a_copy_is_the_same_error(error: AcpError, again: object) -> None:
    copied = again(error)  # type: ignore[operator]
    assert copied is not error
    assert (type(copied), str(copied), vars(copied)) == (type(error), str(error), vars(error))


def test_what_an_agent_wrote_cannot_move_the_terminals_cursor() -> None:
    error = AgentExited(
        "It ended.", stderr="\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2J\ttab\r\nnext \x00\u202e\u200b é 日本 😀"
    )
    said = str(error)
    assert said.endswith("red \ttab\nnext \\x00\\u202e\\u200b é 日本 😀")
    assert all(char.isprintable() or char in "\n\t" for char in said)
    assert error.stderr.startswith("\x1b[31m"), "what was written is still there"


def test_as_the_last_line_of_a_cell_it_says_what_to_do() -> None:
    error = AgentNotFound("There is no `x`.", hint="Install it.")
    assert pretty(error) == "AgentNotFound: There is no `x`.\nInstall it."


def test_the_end_of_an_agent_is_told_with_the_way_on() -> None:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        with pytest.raises(AgentExited, match=r"The next prompt starts it again; so does agent\.restart\(\)\."):
            agent.run("/fail crash", show=False)
        assert agent.run("hello", show=False).stop_reason == "end_turn", "it does"
