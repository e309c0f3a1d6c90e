"""Entries → markdown in which an agent's words stand only inside code spans and fences.

There they can be no HTML, link, image or formula in any renderer, and the source reads well as plain text.
"""

from __future__ import annotations

import re
import textwrap
from functools import singledispatch
from typing import Final

from .entries import Call, Decision, Diff, Entry, Line, Literal, Picture, Said, Screen
from .visible import literal, running
from .words import duration

_SPEAKERS = {"user": "You", "agent": "Agent"}
# Other words may be more than a name: a block of `mermaid` is drawn as a picture, which may load others, one of `math`
# is set as a formula.
_LANGUAGES: Final = frozenset(
    {
        *("ada", "asm", "awk", "bash", "bat", "bibtex", "c", "c#", "c++", "clojure", "cmake", "cmd", "cobol"),
        *("console", "cpp", "cs", "csharp", "css", "csv", "cuda", "cython", "dart", "diff", "docker"),
        *("dockerfile", "elixir", "elm", "erlang", "f#", "fish", "fortran", "fsharp", "go", "graphql"),
        *("groovy", "haskell", "hcl", "html", "http", "ini", "ipython", "java", "javascript", "jl", "js"),
        *("json", "json5", "jsonc", "jsonl", "jsx", "julia", "kotlin", "latex", "less", "lisp", "log", "lua"),
        *("make", "makefile", "markdown", "matlab", "md", "nim", "nix", "objective-c", "ocaml", "octave"),
        *("pascal", "patch", "perl", "php", "powershell", "prolog", "proto", "protobuf", "ps1", "py", "pycon"),
        *("python", "python3", "r", "racket", "rb", "regex", "rs", "rst", "ruby", "rust", "sass", "scala"),
        *("scheme", "scss", "sh", "shell", "sql", "swift", "tcl", "terraform", "tex", "text", "toml", "ts"),
        *("tsx", "txt", "typescript", "vb", "verilog", "vhdl", "vim", "wasm", "xml", "yaml", "yml", "zig"),
        "zsh",
    }
)
"""The languages that a block of code names: there they colour it, and do nothing else."""
WIDTH = 110
"""Longer lines of running text are broken at spaces: a code block does not wrap them."""


def draw_all(entries: list[Entry]) -> list[str]:
    """Each entry as a piece of markdown that ends in an empty line."""
    return [draw(entry) for entry in entries]


def separator() -> str:
    """What stands between two turns."""
    return "---\n\n"


def note(text: str) -> str:
    """A line of our own."""
    return f"*{text}*\n\n"


@singledispatch
def draw(entry: object) -> str:
    """One entry as markdown."""
    raise TypeError(f"no such entry: {entry!r}")


@draw.register
def _said(entry: Said) -> str:
    if entry.role == "thought":
        time = f" for {duration(entry.seconds)}" if entry.seconds is not None else ""
        return note(f"Thought{time}")
    speaker = _SPEAKERS.get(entry.role, "")
    return (f"**{speaker}**\n\n" if speaker else "") + fence(_wrapped(running(entry.text)))


@draw.register
def _line(entry: Line) -> str:
    return f"**{_label(entry.label)}**" + (f" {code(entry.text)}" if entry.text else "") + "\n\n"


@draw.register
def _literal(entry: Literal) -> str:
    return (f"{_label(entry.label)}\n\n" if entry.label else "") + fence(
        literal(entry.text), entry.language if entry.language.lower() in _LANGUAGES else "text"
    )


@draw.register
def _picture(entry: Picture) -> str:
    return f"Picture {code(entry.name)} · {code(entry.about)}\n\n"


@draw.register
def _diff(entry: Diff) -> str:
    rows = "".join(
        f"- {code(operation)} {code(path)}{' ' + code(aside) if aside else ''}\n"
        for operation, path, aside in entry.changes
    )
    patch = (
        note("No patch was sent.")
        if entry.patch is None
        else fence(literal(entry.patch), "diff" if entry.is_git else "text")
    )
    if entry.patch == "":
        patch = ""
    return f"{rows}\n{patch}" if rows else patch


@draw.register
def _screen(entry: Screen) -> str:
    command = code("$ " + entry.command) if entry.command else "Terminal"
    where = f" in {code(entry.cwd)}" if entry.cwd else ""
    left_out = note(f"… {entry.left_out}") if entry.left_out else ""
    text = fence(literal(entry.text)) if entry.text else ""
    return f"{command}{where} · {_label(entry.state)}\n\n{left_out}{text}"


@draw.register
def _decision(entry: Decision) -> str:
    option = f" ({code(entry.option)})" if entry.option else ""
    why = f" · {code(entry.why)}" if entry.why else ""
    subject = fence(literal(entry.subject)) if entry.subject else ""
    return f"Asked: {code(entry.title)}\n\n{subject}**{entry.outcome}**{option}{why}\n\n"


@draw.register
def _call(entry: Call) -> str:
    places = "".join(f" {code(place)}" for place in entry.places)
    return f"**Tool call** {code(entry.title)}{places} · {_label(entry.state)}\n\n" + "".join(map(draw, entry.parts))


def code(text: str) -> str:
    """A code span of one line with the text in it, whatever the text is."""
    line = " ".join(literal(text.replace("\r\n", "\n").replace("\n", " ⏎ "), one_line=True).split())
    if not line:
        return "(empty)"
    ticks = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(text: str, info: str = "text") -> str:
    """A fenced block with the text in it, whatever the text is."""
    ticks = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{ticks}{info}\n{text.rstrip()}\n{ticks}\n\n"


_PLAIN = re.compile(r"(?:[A-Za-z0-9 ,]|\d\.\d)*")


def _label(text: str) -> str:
    """For labels that are ours but may carry a word of the agent: plain letters, or nothing else than a code span."""
    return text if _PLAIN.fullmatch(text) else code(text)


def _wrapped(text: str) -> str:
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        inside ^= line.lstrip().startswith(("```", "~~~"))
        if inside or len(line) <= WIDTH:
            lines.append(line)
        else:
            lines += textwrap.wrap(
                line, WIDTH, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
            ) or [line]
    return "\n".join(lines)
