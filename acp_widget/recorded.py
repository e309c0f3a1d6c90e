"""The part of `Agent` that is about its recording: the log, the file, notes in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import runtime
from .driver import Driver
from .entities import Entities
from .log import LogEntry, entries


class Recorded:
    """What passed between us and the agent, in memory and in a file (docs/recording.md)."""

    _driver: Driver

    @property
    def log(self) -> Entities[LogEntry]:
        """The messages between us and the agent so far, oldest first, secrets and home folders hidden.

        Kept without `record=`, too: the newest 10,000, of at most about 8 MB together. `to_frame()` is a table.
        """
        return Entities(entries(self._driver.tape.traffic.kept()), LogEntry)

    @property
    def recording(self) -> Path | None:
        """The file that is being written; None without `record=`, after `close()`, and when the disk failed.

        In the last case `agent.diagnostics` says why.
        """
        return self._driver.tape.path

    def note(
        self,
        text: str,
        *,
        title: str | None = None,
        question: str | None = None,
        options: Sequence[str] = (),
        answer: str | None = None,
    ) -> None:
        """Put a note into the recording, for this moment: whoever plays it reads it here.

        `text`: markdown. `question` with `options` is asked when the recording comes to this place; `answer` is the
        right one of them. Raises `ValueError` for a question without options or an answer that is none of them,
        `AgentClosed` after `close()`, and `AcpError` where nothing is recorded.

        >>> from acp_widget import Agent
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, Agent("demo", record=Path(folder, "fix.jsonl")) as agent:
        ...     agent.note("The plan comes first.", title="Watch")
        ...     '"note":{"text":"The plan comes first.","title":"Watch"}' in Path(folder, "fix.jsonl").read_text()
        True
        """
        __tracebackhide__ = True
        note = _checked(text, title, question, options, answer)
        self._driver.check_usable()
        runtime.run(self._driver.tape.note, note)


def _checked(text: object, title: object, question: object, options: Sequence[str], answer: object) -> dict[str, Any]:
    given = {"text": text, "title": title, "question": question, "answer": answer}
    for name, value in given.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"note(): {name} is text, not {type(value).__name__}.")
    if isinstance(options, str) or not all(isinstance(option, str) and option for option in options):
        raise TypeError("note(): options is a list of texts, none of them empty.")
    listed = list(options)
    if question and len(listed) < 2:
        raise ValueError("note(): a question needs at least two options.")
    if listed and not question:
        raise ValueError("note(): options belong to a question.")
    if answer is not None and answer not in listed:
        raise ValueError(
            f"note(): the answer {answer!r} is none of the options: {', '.join(map(repr, listed)) or '-'}."
        )
    if not text and not question:
        raise ValueError("note(): the note is empty.")
    told = {**given, "options": listed or None, "text": text or ""}
    return {name: value for name, value in told.items() if value is not None}
