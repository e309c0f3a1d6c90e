"""Records the lessons of notebooks/lessons anew, with the demo agent: `python -m scripts.lessons`.

A lesson is a cassette with notes beside it. Where the notes stand is told by marks, not by numbers, so that they fit a
new recording. What differs from machine to machine is left out.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from acp_widget import Agent, Permission

FOLDER: Final = Path(__file__).resolve().parent.parent / "notebooks" / "lessons"
FIX: Final = "The test for mean() fails on an empty list. Fix it."

ANSWERS: Final = ("no", "yes", "yes")
"""What somebody answers to each question of the agent's."""

# Which mark a note stands at, counted by kind, and how many beats after it.
NOTES: Final[tuple[tuple[str, int, int, dict[str, Any]], ...]] = (
    (
        "prompt",
        0,
        0,
        {
            "title": "Somebody asks",
            "text": "You watch a session that was recorded. Nothing runs now: there is no agent, no key and no "
            "network.\n\n*Play* goes on, *step* goes one step on, and at each question the recording waits for you.",
        },
    ),
    (
        "permission",
        0,
        0,
        {
            "title": "An edit",
            "text": "Read the diff line by line. `mean([])` divides by zero today. With the edit it returns `nan`, as "
            "numpy does. Is that what whoever calls `mean()` expects?",
            "question": "Would you allow this edit? Choose what you would press.",
        },
    ),
    (
        "prompt",
        1,
        0,
        {
            "title": "It was rejected",
            "text": "The file is as it was: an agent that asks does nothing before the answer, and the rest of its "
            "plan is off. The user has thought about it, and asks again.",
        },
    ),
    (
        "permission",
        2,
        0,
        {
            "title": "A command",
            "text": "This is no edit: code runs on your machine, with your rights. Read the whole command, and the "
            "folder in which it runs.",
            "question": "The command runs the tests in a temporary folder. What would you press?",
            "answer": "Allow once",
        },
    ),
    (
        "end",
        0,
        0,
        {
            "title": "What is left",
            "text": "Two turns, three questions, one edit, one command. Now look at them as data: the exercises are "
            "below.",
        },
    ),
)


def record(path: Path) -> None:
    """A session of two turns: the edit is rejected first, and allowed when asked again."""
    path.unlink(missing_ok=True)
    answers = iter(ANSWERS)

    def somebody(request: Permission) -> str:
        return next(answers)

    with Agent("demo", record=path, permissions=somebody, env={"ACP_WIDGET_DEMO_PACE": "0.4"}) as agent:
        for _ in range(2):
            agent.prompt(FIX, show=False).wait(60)
        private = {agent.cwd: "/demo", sys.executable: "python"}
    path.write_text(steady(path.read_text(encoding="utf-8"), private), encoding="utf-8")
    path.chmod(0o644)


def steady(text: str, private: dict[str, str]) -> str:
    """A recording without what belongs to this machine."""
    lines = (json.dumps(_steady(json.loads(line), private), ensure_ascii=False) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _steady(value: Any, private: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _steady(_decoded(name, each, private), private) for name, each in value.items()}
    if isinstance(value, list):
        return [_steady(each, private) for each in value]
    return _replaced(value, private) if isinstance(value, str) else value


def _decoded(name: str, value: Any, private: dict[str, str]) -> Any:
    """The output of terminals is base64."""
    if name != "data" or not isinstance(value, str):
        return value
    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return value
    return base64.b64encode(_replaced(said, private).encode()).decode()


def _replaced(text: str, private: dict[str, str]) -> str:
    for mine, same in private.items():
        text = text.replace(mine, same)
    return re.sub(r"Python 3\.\d+\.\d+\S*", "Python 3", text)


def notes(path: Path) -> list[dict[str, Any]]:
    """The notes where they belong in that recording."""
    agent = Agent.replay(path, paused=True, notes=[])
    assert agent.player is not None
    placed = []
    for kind, number, beats, note in NOTES:
        marks = [mark for mark in agent.player.marks if mark["kind"] == kind]
        agent.player.seek(marks[number]["position"])
        placed.append({"position": (agent.player.step(beats) if beats else agent.player).position, **note})
    agent.close()
    return placed


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    cassette = folder / "fix.jsonl"
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "fix.jsonl"
        record(made)
        cassette.write_bytes(made.read_bytes())
    target = cassette.with_suffix(".notes.json")
    target.write_text(json.dumps(notes(cassette), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(cassette.name, target.name, sep="\n")


if __name__ == "__main__":
    main()
