"""A recording as a lesson: its records, when each comes, what is one step, where it asks, and its author's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..session.operations import Operation
from . import beats, shapes, trace
from .notes import Note, note_of
from .playback import Playback, Step

Json = dict[str, Any]

_TITLE = 80  # characters
_QUESTION = "What would you do?"


@dataclass(frozen=True)
class Question:
    """At `position` the agent asked (`permission`), or a note does. `options`: ids and names."""

    position: int
    permission: str | None
    text: str
    options: tuple[tuple[str, str], ...]
    recorded: str | None = None
    """The id of the option that was chosen then; None: none of them."""
    answer: str | None = None
    judged: bool = False
    """Whether there is a right one: then it is `answer`."""

    def name(self, option_id: str | None) -> str | None:
        """What an option is called."""
        return dict(self.options).get(option_id) if option_id is not None else None

    def option(self, word: str) -> str | None:
        """The option with this id, else the one with this name."""
        names = {name: option_id for option_id, name in reversed(self.options)}
        return word if word in dict(self.options) else names.get(word)


@dataclass(frozen=True)
class Mark:
    """Where one may want to go: `kind` is `prompt`, `permission`, `note` or `end`."""

    position: int
    kind: str
    title: str


@dataclass
class Script:
    """What is in the file; plain data."""

    name: str
    steps: list[Step] = field(default_factory=list)
    header: Json = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """When each record comes, in seconds from the first one."""
    clocks: list[float | None] = field(default_factory=list)
    """What time it was then, as the state has times; None where no record told any."""
    beats: list[int] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    ending: str = "empty"

    @property
    def count(self) -> int:
        """How many records there are: positions go from 0 to it."""
        return len(self.steps)

    def at(self, position: int) -> float:
        """Seconds that are played up to a position."""
        return self.times[position - 1] if position > 0 else 0.0


def read(path: str | Path, *, max_pause: float) -> Script:
    """Read a cassette or trace, whatever is in it. Pauses longer than `max_pause` seconds are made as long as that.

    Raises `OSError` when the file cannot be read.
    """
    script = Script(Path(path).name)
    _sort(script, trace.read(path))
    _time(script, max_pause)
    _rehearse(script)
    return script


def _sort(script: Script, records: Iterable[Json]) -> None:
    """Which records are steps; the notes between them."""
    before: list[Json] = []
    for record in records:
        if shapes.is_header(record):
            script.header = script.header or record
            before.append(record)
        elif shapes.is_note(record):
            try:
                script.notes.append(note_of(record["note"], position=len(script.steps)))
            except ValueError as wrong:
                script.problems.append(f"A note cannot be read: {wrong}")
        else:
            if "problem" in record:
                script.problems.append(str(record["problem"]))
            script.steps.append([*before, record])
            before = []


def _time(script: Script, max_pause: float) -> None:
    base, last, played = 0.0, None, 0.0
    for step in script.steps:
        for header in step[:-1]:
            base = shapes.began(header)
        told = shapes.time_of(step[-1])
        now = last if told is None else base + told
        if now is not None and last is not None:
            played += min(max(0.0, now - last), max_pause)
        last = now
        script.times.append(played)
        script.clocks.append(now)


def _rehearse(script: Script) -> None:
    """Play it once, to see what comes of it."""
    done: list[Operation] = []
    playback = Playback(script.steps, on_outcome=lambda outcome: done.extend(outcome.ops))
    state = playback.state
    told: list[beats.Beat | None] = []
    open_questions: dict[str, int] = {}
    for position in range(1, script.count + 1):
        playback.hear()
        told.append(beats.beat_of(done))
        for key in _prompts(done):
            script.marks.append(Mark(position, "prompt", first_line(_said(state.get("turns", key)))))
        if any(path[0] == "permissions" for _, path, *_ in done):
            pending = state.pending_permissions()
            for key in pending:
                if key not in open_questions:
                    open_questions[key] = len(script.questions)
                    script.questions.append(_question(position, key, state.get("permissions", key) or {}))
                    title = script.questions[-1].text
                    script.marks.append(Mark(position, "permission", title))
            for key in [key for key in open_questions if key not in pending]:
                number = open_questions.pop(key)
                script.questions[number] = _answered(script.questions[number], state.get("permissions", key) or {})
        done.clear()
    playback.hear_nothing()
    script.beats = beats.ends(told)
    script.ending = _ending(script, playback)


def _ending(script: Script, playback: Playback) -> str:
    last = script.steps[-1][-1] if script.steps else {}
    return "cut short" if playback.ending == "complete" and "problem" in last else playback.ending


def _prompts(operations: Sequence[Operation]) -> Iterator[str]:
    """Turns that were prompted just now."""
    for name, path, *values in operations:
        if name == "set" and path[0] == "turns":
            made = len(path) == 2 and values[0]["prompt"] is not None and values[0]["status"] == "sent"
            if made or (path[2:] == ("status",) and values == ["sent"]):
                yield path[1]


def _said(turn: Any) -> str:
    texts = [block.get("text") for block in (turn or {}).get("prompt") or [] if block.get("type") == "text"]
    return next((text for text in texts if isinstance(text, str)), "")


def _question(position: int, key: str, request: Any) -> Question:
    options = tuple((each["optionId"], first_line(each.get("name") or each["optionId"])) for each in request["options"])
    return Question(position, key, first_line(request.get("title") or "") or _QUESTION, options)


def _answered(question: Question, request: Any) -> Question:
    return replace(question, recorded=request.get("optionId") if request.get("status") == "selected" else None)


def first_line(text: Any) -> str:
    """The beginning of a text that may be anything, for one line."""
    line = " ".join(text[: 4 * _TITLE].split()) if isinstance(text, str) else ""
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
