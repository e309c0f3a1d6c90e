"""What is asked of somebody who watches a recording, what was chosen, and how far it may be seen."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from .notes import Note
from .script import Mark, Question, Script, first_line

Json = dict[str, Any]

_BEATS: Final = 2000  # that are shown
_MARKS: Final = 500
DISMISSED: Final = "Dismiss"
"""What the choice of none of the options is called."""


@dataclass(frozen=True)
class Choice:
    """What was chosen, beside what was recorded. `right`: None where nobody said what is."""

    position: int
    question: str
    chosen: str
    recorded: str | None
    right: bool | None

    def to_dict(self) -> Json:
        """As it is shown."""
        return dict(vars(self))


class Lesson:
    """A script and one who watches it. `asks`: whether it stops at questions; `predict`: nothing is seen before.

    >>> lesson = Lesson(Script("empty"), asks=True, predict=True)
    >>> lesson.limit, lesson.open(0)
    (0, None)
    """

    def __init__(self, script: Script, *, asks: bool, predict: bool) -> None:
        self.script, self.asks, self.predict = script, asks or predict, predict
        self.choices: list[Choice] = []
        self._passed: set[tuple[int, str | None, str]] = set()
        self.look_at_notes()

    def look_at_notes(self) -> None:
        """The notes of the script have changed."""
        script = self.script
        notes = script.notes = sorted((_within(note, script.count) for note in script.notes), key=_position)
        asked = [_with_notes(question, notes) for question in script.questions]
        own = [_of_note(note) for note in notes if note.question is not None and note.options]
        # What a note asks comes first: it may be about the question of the agent.
        self.questions = sorted([*own, *asked], key=_position)
        stops = {*script.beats, *map(_position, notes), *map(_position, self.questions)}
        self.stops = sorted(stops - {0} | ({script.count} if script.count else set()))
        said = [Mark(note.position, "note", first_line(note.title or note.text or note.question)) for note in notes]
        end = Mark(script.count, "end", script.ending)
        self.marks = sorted([*script.marks, *said, end], key=_position)

    # --- questions -------------------------------------------------------------------------------------------------

    def open(self, position: int) -> Question | None:
        """What is asked here and was not answered."""
        return next((each for each in self._open_ones() if each.position == position), None)

    def first_open(self, after: int) -> int:
        """Where something is asked next that was not answered; the end when nothing is."""
        return next((each.position for each in self._open_ones() if each.position > after), self.script.count)

    @property
    def limit(self) -> int:
        """How far it may be seen now."""
        return self.first_open(-1) if self.predict else self.script.count

    def _open_ones(self) -> list[Question]:
        return [each for each in self.questions if _key(each) not in self._passed] if self.asks else []

    def choose(self, question: Question, option_id: str | None) -> Choice:
        """One of its options was chosen; None: none of them."""
        self._passed.add(_key(question))
        chosen = question.name(option_id) or DISMISSED
        right = option_id == question.answer if question.judged else None
        recorded = question.name(question.recorded if question.permission is not None else question.answer)
        self.choices.append(Choice(question.position, question.text, chosen, recorded, right))
        return self.choices[-1]

    def pass_by(self, question: Question) -> None:
        """Nobody is there who could choose."""
        self._passed.add(_key(question))

    # --- where to go -----------------------------------------------------------------------------------------------

    def forward(self, position: int, beats: int) -> int:
        """Where so many beats end."""
        return self.stops[min(bisect_right(self.stops, position) + beats, len(self.stops)) - 1] if self.stops else 0

    def backward(self, position: int, beats: int) -> int:
        """Where so many beats began."""
        found = bisect_left(self.stops, position) - beats
        return self.stops[found] if found >= 0 else 0

    def mark(self, position: int, kind: str | None, *, forward: bool) -> Mark | None:
        """The nearest mark of that kind (None: any) behind a position, or before it."""
        fit = [each for each in self.marks if kind in (None, each.kind)]
        if forward:
            return next((each for each in fit if each.position > position), None)
        return next((each for each in reversed(fit) if each.position < position), None)

    # --- as it is shown --------------------------------------------------------------------------------------------

    def note(self, position: int) -> Json | None:
        """The note that holds here."""
        said = [note for note in self.script.notes if note.position <= position]
        if not said:
            return None
        return {"position": said[-1].position, "title": said[-1].title, "text": said[-1].text}

    def ask(self, position: int) -> Json | None:
        """What is asked here."""
        question = self.open(position)
        if question is None:
            return None
        options = [{"optionId": option_id, "name": name} for option_id, name in question.options]
        return {
            **{"position": position, "permission": question.permission, "question": question.text},
            **{"options": options, "predict": self.predict},
        }

    def seen_marks(self) -> list[Json]:
        """All of them; what they are called only as far as it may be seen."""
        limit = self.limit
        return [{**vars(each), "title": each.title if each.position <= limit else ""} for each in self.marks]

    def map(self) -> Json:
        """What is drawn of the whole: not more than one can tell apart."""
        limit = self.limit
        beats = [position for position in self.stops if position <= limit]
        marks = self.seen_marks()
        if len(marks) > _MARKS:
            marks = [*marks[: _MARKS - 1], marks[-1]]
        return {"limit": limit, "beats": beats[:: -(-len(beats) // _BEATS) or 1], "marks": marks}


def _position(thing: Note | Question | Mark) -> int:
    return thing.position


def _key(question: Question) -> tuple[int, str | None, str]:
    return question.position, question.permission, "" if question.permission is not None else question.text


def _within(note: Note, count: int) -> Note:
    return note if note.position <= count else replace(note, position=count)


def _with_notes(question: Question, notes: Sequence[Note]) -> Question:
    """A note without options, where the agent asks, puts the question in its author's words."""
    for note in notes:
        if note.position == question.position and note.question is not None and not note.options:
            named = {name: option_id for option_id, name in reversed(question.options)}
            ids = {option_id for option_id, _ in question.options}
            answer = note.answer if note.answer in ids else named.get(note.answer or "")
            return replace(question, text=note.question, answer=answer, judged=answer is not None)
    return question


def _of_note(note: Note) -> Question:
    options = tuple((str(index), option) for index, option in enumerate(note.options))
    answer = str(note.options.index(note.answer)) if note.answer is not None else None
    return Question(note.position, None, note.question or "", options, None, answer, judged=answer is not None)
