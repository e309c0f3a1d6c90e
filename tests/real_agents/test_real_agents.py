"""Every step of the script, with every real agent that can do it: what a user finds in the notebook afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from . import agents
from .agents import RealAgent
from .conftest import Session
from .model_script import AFTER, BEFORE, NOTES

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.timeout(400)]

Json = dict[str, Any]


def well(told: Json, stop: str = "end_turn") -> None:
    """The turn ended so, the session is idle, nothing was left open and nothing was not understood."""
    assert (told["status"], told["stop"], told["idle"]) == ("done", stop, "idle"), told
    assert [call for call in told["calls"] if call["runs"]] == []
    assert (told["diagnostics"], told["unknown"]) == ([], [])
    assert [each for each in told["permissions"] if each["by"] != "python" or each["problem"]] == []


def asked(told: Json, about: RealAgent, step: str) -> None:
    """It asked first, and was allowed, from Python; or it is known not to ask."""
    assert [each["allowed"] for each in told["permissions"]] == ([] if step in about.unasked else [True]), told


def only_call(told: Json, status: str = "completed") -> Json:
    """The call that did it: the last one."""
    call: Json = told["calls"][-1]
    assert call["status"] == status, told
    return call


def test_text(session: Session, about: RealAgent) -> None:
    told = session.work("Say something. #text")
    well(told)
    assert told["version"] == about.version
    assert "# Result" in told["text"], told
    assert "漢字 🙂" in told["text"]
    assert told["calls"] == []


def test_read(session: Session, about: RealAgent) -> None:
    told = session.work("Read the notes. #read")
    well(told)
    asked(told, about, "read")
    only_call(told)
    assert "All done: **1** tool call(s) finished." in told["text"]


def test_edit(session: Session, about: RealAgent) -> None:
    told = session.work("Change the notes. #edit")
    well(told)
    asked(told, about, "edit")
    assert session.notes == NOTES.replace(BEFORE, AFTER)
    assert any(f"+{AFTER}" in patch for call in told["calls"] for patch in call["patches"]), told


def test_command(session: Session, about: RealAgent) -> None:
    told = session.work("Run something. #run")
    well(told)
    asked(told, about, "command")
    assert ("hello from the shell" in only_call(told)["output"]) is about.tells_output, told
    assert (session.folder / "ran.txt").exists()


def test_reject(session: Session, about: RealAgent) -> None:
    told = session.work("Change the notes. #edit", "reject")
    assert told["stop"] in ("end_turn", "cancelled", "refusal"), told
    well(told, told["stop"])
    assert [each["allowed"] for each in told["permissions"]] == [False]
    assert session.notes == NOTES
    well(session.work("Go on. #text"))


def test_cancel(session: Session, about: RealAgent) -> None:
    told = session.run("user.stopped(agent, 'Talk for long. #slow')")
    well(told, "cancelled")
    assert "word0 " in told["text"]
    well(session.work("Go on. #text"))


def test_load(session: Session, about: RealAgent) -> None:
    told = session.work("Change the notes. #edit")
    well(told)
    session.until_kept(told["session"], "All done: **")
    again = session.loaded(told["session"])
    assert (again["session"], again["idle"], again["diagnostics"], again["unknown"]) == (
        told["session"],
        "idle",
        [],
        [],
    )
    said = [text for role, text in again["messages"] if role == "user"]
    assert [("#edit" in text) for text in said] == [True], again
    assert "".join(text for role, text in again["messages"] if role == "agent").count("All done: **") == 1, again
    assert {call["id"] for call in told["calls"]} == {call["id"] for call in again["calls"]}, again
    assert [call for call in again["calls"] if call["runs"]] == []
    well(session.work("Go on. #text"))


@pytest.mark.parametrize("name", sorted(agents.KNOWN))
def test_every_step_that_an_agent_cannot_do_has_a_reason(name: str) -> None:
    about = agents.KNOWN[name]
    assert set(about.cannot) | set(about.can) == set(agents.STEPS)
    assert all(about.cannot.values())
