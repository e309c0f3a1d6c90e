"""Runs the notebooks that are kept with their outputs, and writes what people can read without a kernel into them.

What differs from run to run is left out: folders, times, ids, views that need a kernel. A second run changes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import nbclient
import nbformat

FOLDER: Final = Path(__file__).resolve().parent.parent / "notebooks"
KEPT: Final = ("01_quickstart", "02_tool_outputs", "03_permissions", "04_teaching")
LESSONS: Final = FOLDER / "lessons"

PRESSES: Final = {"01_quickstart": ("start", '\nagent.permissions = "allow"')}
"""Where a reader presses buttons, what is kept was answered so: a line at the end of a cell, that is not kept."""

_TYPES: Final = ("text/html", "text/plain")  # what GitHub shows, the first one that is there
_SAME: Final = (
    (r"(?:/private)?" + re.escape(tempfile.gettempdir()) + r"/acp-demo-[\w-]+", "/demo"),
    (re.escape(sys.executable), "python"),
    (r"\S*/ipykernel_\d+/\d+\.py:\d+", "cell"),
    (r" ?acp-transcript-[0-9a-f]{32}", ""),
    (r"\b\d+\.\d+ ?s\b", "0.1 s"),
    (r"\b\d\d:\d\d:\d\d\b", "12:00:00"),
    (r"context \d+ of", "context 560 of"),  # the agent counts the letters of its folder, too
    (r"Python 3\.\d+\.\d+\S*?(?=[\s<]|$)", "Python 3"),
)


def run(path: Path, folder: Path, *, pressed: bool = False) -> Any:
    """The notebook after a run in that folder, where nobody answers, with its outputs as they came.

    `pressed`: somebody answers, where a reader would.
    """
    notebook = nbformat.read(path, as_version=4)
    shutil.copytree(LESSONS, folder / LESSONS.name, dirs_exist_ok=True)
    where, line = PRESSES.get(path.stem, ("", "")) if pressed else ("", "")
    for cell in notebook.cells:
        cell.pop("outputs", None)
        if cell.id == where:
            cell.source += line
    client = nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3", store_widget_state=False)
    client.resources = {"metadata": {"path": str(folder)}}
    client.execute()
    for cell in notebook.cells:
        if cell.id == where:
            cell.source = cell.source.removesuffix(line)
    return notebook


def readable(notebook: Any) -> Any:
    """The same notebook with what is kept of its outputs."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
        if cell.cell_type == "code":
            cell.outputs = [kept for output in cell.outputs if (kept := _output(output)) is not None]
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def steady(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, same in _SAME:
        text = re.sub(pattern, same, text)
    return text


def _output(output: Any) -> Any:
    if output.output_type == "stream":
        output.text = steady(output.text)
    elif output.output_type in ("display_data", "execute_result"):
        if set(output.data) <= {"application/vnd.jupyter.widget-view+json", "text/plain"} and len(output.data) > 1:
            return None  # the live view; the transcript beside it stays
        output.data = _readable(output.data)
        output.metadata = {}
    return output


def _readable(data: Mapping[str, Any]) -> dict[str, str]:
    kept = {mime: steady(str(data[mime])) for mime in _TYPES if mime in data}
    if "text/html" in kept and len(kept.get("text/plain", "")) > 1000:
        del kept["text/plain"]  # a transcript, the same again
    return kept


def main() -> None:
    os.environ["ACP_WIDGET_DEMO_PACE"] = "0"
    for name in sys.argv[1:] or KEPT:
        with tempfile.TemporaryDirectory() as folder:
            notebook = readable(run(FOLDER / f"{name}.ipynb", Path(folder), pressed=True))
        nbformat.write(notebook, FOLDER / f"{name}.ipynb")
        print(f"notebooks/{name}.ipynb")


if __name__ == "__main__":
    main()
