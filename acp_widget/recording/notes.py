"""Notes of a lesson's author, in a recording or beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]

_TEXT: Final = 20_000  # characters
_LINE: Final = 300
_OPTIONS: Final = 9
_NAMES: Final = ("position", "title", "text", "question", "options", "answer")


@dataclass(frozen=True)
class Note:
    """What is told from `position` on. With a `question` it may ask; `answer` is the right one of `options`."""

    position: int
    text: str
    title: str = ""
    question: str | None = None
    options: tuple[str, ...] = ()
    answer: str | None = None

    def to_dict(self) -> Json:
        """As it is written: what is not there is left out."""
        told: Json = {"position": self.position, "title": self.title, "text": self.text}
        if self.question is not None:
            told["question"] = self.question
        if self.options:
            told["options"] = list(self.options)
        if self.answer is not None:
            told["answer"] = self.answer
        return told


def note_of(given: object, *, position: int | None = None) -> Note:
    """A note from plain data. Raises `ValueError` that says what is wrong.

    >>> note_of({"position": 3, "text": "Look."})
    Note(position=3, text='Look.', title='', question=None, options=(), answer=None)
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"a note is an object with `position` and `text`, not {type(given).__name__}")
    at = given.get("position", position) if position is None else position
    if isinstance(at, bool) or not isinstance(at, int) or at < 0:
        raise ValueError(f"`position` is a number from 0 on, not {at!r}")
    options = given.get("options") or ()
    if isinstance(options, (str, bytes)) or not isinstance(options, Sequence):
        raise ValueError("`options` is a list of texts")
    if len(options) > _OPTIONS:
        raise ValueError(f"`options` has {len(options)} texts; at most {_OPTIONS} can be chosen from")
    text, title = _text(given, "text", _TEXT) or "", _text(given, "title", _LINE) or ""
    question, answer = _text(given, "question", _LINE), _text(given, "answer", _LINE)
    if not text and not title and not question:
        raise ValueError("it has no `text`")
    each = tuple(_text({"options": option}, "options", _LINE) or "" for option in options)
    if each and answer is not None and answer not in each:
        raise ValueError(f"`answer` is none of its `options`: {answer!r}")
    return Note(at, text, title, question, each, answer)


def _text(given: Mapping[str, Any], name: str, longest: int) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"`{name}` is a text, not {type(value).__name__}")
    if len(value) > longest:
        raise ValueError(f"`{name}` has {len(value):,} characters; {longest:,} can be shown")
    return value


def notes_of(given: object) -> list[Note]:
    """Notes from a list of plain data, by position. Raises `ValueError` that says which one is wrong, and how."""
    if isinstance(given, Mapping):
        given = given.get("notes")
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ValueError("notes are a list of objects with `position` and `text`")
    notes = []
    for number, each in enumerate(given):
        try:
            notes.append(note_of(each))
        except ValueError as wrong:
            raise ValueError(f"notes[{number}]: {wrong}") from None
    return sorted(notes, key=lambda note: note.position)


def beside(path: str | os.PathLike[str]) -> Path:
    """Where the notes of a recording stand when they are not in it: `fix.notes.json` of `fix.jsonl`."""
    return Path(path).with_suffix(".notes.json")


def read(path: str | os.PathLike[str]) -> list[Note]:
    """The notes of a file. Raises `OSError`, and `ValueError` that says what is wrong with it."""
    try:
        return notes_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as wrong:
        raise ValueError(f"{os.fspath(path)}: {wrong}") from None


def write(notes: Iterable[Note], path: str | os.PathLike[str]) -> None:
    """Write the notes, all or nothing: the file is what it was when that fails. Raises `OSError`."""
    target = Path(path)
    text = json.dumps([note.to_dict() for note in notes], indent=2, ensure_ascii=False) + "\n"
    made = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        made.write_text(text, encoding="utf-8")
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
