"""Cells of the notebook that ran: their code, and what they printed, gave or raised, as IPython keeps it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from .parts import TEXT_BYTES, Part, cut

Cells = int | Iterable[int] | None

_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")


def cell_parts(cells: object) -> list[Part]:
    """A Part of each cell, by the numbers of their runs.

    Raises `TypeError` for what is no number or list of them, `ValueError` for a cell that did not run, and outside of
    IPython.
    """
    if cells is None:
        return []
    numbers = [cells] if isinstance(cells, int) else list(cells) if isinstance(cells, (list, tuple, range)) else None
    if numbers is None or any(type(number) is not int for number in numbers):
        raise TypeError(
            "cells= takes the number of a cell's run, or a list of them: 3 for In[3]. "
            "To attach something of that name: attach={'cells': …}."
        )
    module = sys.modules.get("IPython")  # it is not imported for this
    shell = None if module is None else module.get_ipython()
    if shell is None:
        raise ValueError("There are no cells here: cells= works in a notebook, and in IPython.")
    return [_part(shell.history_manager, number) for number in dict.fromkeys(numbers)]


def _part(history: Any, number: int) -> Part:
    sources = history.input_hist_raw
    if not 0 < number < len(sources):
        ran = f"the last one is In[{len(sources) - 1}]" if len(sources) > 1 else "none ran yet"
        raise ValueError(f"There is no In[{number}]: {ran}.")
    said = [f"{what}\n{text}" for what, text in _outputs(history, number) if text]
    source, note = cut(sources[number].rstrip("\n"), TEXT_BYTES // 2)
    notes = [f"Its code: {note}"] if note else []
    if not hasattr(history, "outputs"):
        notes.append("What it printed is not known: this IPython keeps results only.")
    # Of what it said the end: an error stands there.
    told, note = cut(_COLOUR.sub("", "\n".join(said)), TEXT_BYTES // 2, end=True)
    notes += [f"Its output: {note}"] if note else []
    text = f"{source}\n\n{told}" if told else source
    return Part(f"In[{number}]", "cell", text, note=" ".join(notes))


def _outputs(history: Any, number: int) -> Iterator[tuple[str, str]]:
    kept = getattr(history, "outputs", None)
    if kept is None:
        yield f"Out[{number}]:", str(history.output_hist_reprs.get(number, ""))
        return
    # `.get`: asked for with brackets, a number that is not there would be made.
    for output in kept.get(number, ()):
        held = output.bundle
        words = "".join(held["stream"]) if "stream" in held else str(held.get("text/plain", ""))
        yield _TITLES.get(output.output_type, "Showed:").format(number), words.rstrip("\n")
    error = getattr(history, "exceptions", {}).get(number)
    if error:
        yield "Raised:", "\n".join(error.get("traceback") or [f"{error.get('ename')}: {error.get('evalue')}"])


_TITLES: Final = {"out_stream": "Printed:", "err_stream": "Printed to stderr:", "execute_result": "Out[{}]:"}
