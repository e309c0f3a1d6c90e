"""`python -m acp_widget export`: a recording, or the transcripts of a saved notebook, as a file that needs nothing."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .export import notebook, page, pdf, transcript
from .export.words import day_and_clock
from .recording import trace

_ENDINGS = {"html": ".html", "markdown": ".md", "pdf": ".pdf"}


def add_to(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the command line of it."""
    export = verbs.add_parser("export", help="a recording, or the turns in a notebook, as HTML, markdown or PDF")
    export.add_argument("file", help="a recording (.jsonl), or a saved notebook (.ipynb)")
    export.add_argument("--to", choices=list(_ENDINGS), help="default: what -o ends with, else html")
    export.add_argument("-o", "--output", metavar="FILE", help="default: beside it; - is stdout. It is overwritten")
    export.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Write it, and say where; the exit status."""
    given = Path(chosen.file)
    form = chosen.to or _form_of(chosen.output)
    output = chosen.output or str(given.with_suffix(_ENDINGS[form]))
    if output == "-" and form == "pdf":
        return _refused("A PDF goes into a file: name one with -o.")
    if output != "-" and _same(Path(output), given):
        return _refused(f"{output} is what is to be exported. Name another file with -o.")
    try:
        text = _of_notebook(given, form) if given.suffix == ".ipynb" else _of_recording(given, form)
    except OSError as error:
        return _refused(f"{given} cannot be read: {error.strerror or error}")
    except ValueError as error:
        return _refused(str(error))
    try:
        if output == "-":
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            sys.stdout.flush()
        elif form == "pdf":
            pdf.write(text, Path(output))
        else:
            Path(output).write_text(text, encoding="utf-8", errors="replace")
    except pdf.NoPdf as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"{output} cannot be written: {error.strerror or error}")
    if output != "-":
        print(f"Written: {output}")
    return 0


def _of_recording(path: Path, form: str) -> str:
    listener = trace.play(trace.read(path))
    snapshot = listener.state.snapshot()
    if not snapshot["turns"] and not snapshot["timeline"]:
        why = next((each["message"] for each in snapshot["diagnostics"]), "it holds no message")
        raise ValueError(f"{path} shows no turn of an agent: {why}")
    if form == "markdown":
        return transcript.session_markdown(snapshot)
    return page.session_page(snapshot, written=time.time())


def _of_notebook(path: Path, form: str) -> str:
    found = notebook.transcripts(path)
    if not found:
        raise ValueError(f"{path} holds no turn of an agent. Was it saved after its cells had run?")
    if form == "markdown":
        return notebook.as_markdown(found)
    return notebook.as_page(found, path.name, f"Written by acp-widget on {day_and_clock(time.time())}.")


def _form_of(output: str | None) -> str:
    ending = Path(output).suffix.lower() if output else ""
    return {".md": "markdown", ".markdown": "markdown", ".pdf": "pdf"}.get(ending, "html")


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _refused(why: str) -> int:
    print(why, file=sys.stderr)
    return 2
