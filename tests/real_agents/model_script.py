"""What the scripted model says next. There is no model: the conversation itself tells how far its script has got.

The number of tool results since the last prompt is the step, and the tools that the request offers, with their JSON
schemas, say how a call is spelt. A word in the prompt chooses the script:

    #text     only words: markdown with a heading, a list, a code fence, a table
    #read     reads notes.txt
    #edit     reads notes.txt, then changes its second line
    #run      one shell command
    #slow     a long answer, slowly: for a stop
    #fail     a shell command that exits with 3
    (none)    only words
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

SHELL = [
    "run_shell_command",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "bash",
    "execute",
    "run_command",
    "execute_command",
    "terminal",
]
EDIT = ["replace", "edit", "edit_file", "strreplacefile", "str_replace", "search_replace"]
READ = ["read_file", "readfile", "read", "read_text_file", "view"]
PATCH = ["apply_patch"]

NOTES = "first line\nsecond line\nthird line\n"
BEFORE = "second line"
AFTER = "SECOND line, edited"
COMMAND = "touch ran.txt && echo hello from the shell"

MARKDOWN = (
    "# Result\n\nSome *words*, **strong** ones and `code`.\n\n- one\n- two\n  - nested\n\n"
    "```python\nprint('hi <b>there</b>')\n```\n\n| a | b |\n|---|---|\n| 1 | é ✓ 漢字 🙂 |\n\n"
    "<script>alert(1)</script> [link](javascript:alert(3)) $x^2$\n"
)


@dataclass
class Tool:
    """A tool that the request offers."""

    name: str
    schema: Json
    kind: str | None = None


@dataclass
class Conversation:
    """What a request of any of the APIs says: the last prompt, tool results since then, the tools, a wanted shape."""

    user: str
    results: int
    tools: list[Tool]
    shape: Any = None  # a JSON schema that the answer must fit


@dataclass
class Step:
    """One answer of the model: words, then perhaps one call of a tool; `input` is text for tools that take text."""

    text: str
    tool: Tool | None = None
    input: Json | str = ""
    thought: str | None = None
    pause: float = 0.002  # seconds between pieces of the text

    @property
    def arguments(self) -> Json:
        return self.input if isinstance(self.input, dict) else {"input": self.input}


Call = tuple[Tool, "Json | str"]


def next_step(conversation: Conversation, cwd: Path) -> Step:
    """The model's next answer."""
    if conversation.shape is not None:
        return Step(json.dumps(sample(conversation.shape)))
    prompt, tools = conversation.user, conversation.tools
    if not tools:
        return Step("Scripted title")
    if "#slow" in prompt:
        return Step("".join(f"word{number} " for number in range(600)), pause=0.05)
    calls: list[tuple[str, Call | None]] = []
    if "#read" in prompt:
        calls = [("Reading the notes. ", _read(tools, cwd))]
    elif "#edit" in prompt:
        calls = [("Reading the notes. ", _read(tools, cwd)), ("Changing them. ", _edit(tools, cwd))]
    elif "#run" in prompt:
        calls = [("Running a command. ", _shell(tools, cwd, COMMAND, beyond=True))]
    elif "#fail" in prompt:
        calls = [("Running a command that fails. ", _shell(tools, cwd, "echo oops >&2; exit 3"))]
    possible = [(text, call) for text, call in calls if call is not None]
    done = conversation.results
    if done < len(possible):
        text, (tool, given) = possible[done]
        return Step(text, tool, given, thought="Thinking of what to do." if done == 0 else None)
    if calls:
        return Step(f"All done: **{done}** tool call(s) finished.\n")
    return Step(MARKDOWN, thought="I only have to talk.")


def _find(tools: list[Tool], names: list[str]) -> Tool | None:
    by_name: dict[str, Tool] = {}
    for tool in tools:
        by_name.setdefault(re.sub(r"^.*__", "", tool.name).lower(), tool)
    return next((by_name[name] for name in names if name in by_name), None)


def _shell(tools: list[Tool], cwd: Path, command: str, *, beyond: bool = False) -> Call | None:
    """`beyond`: outside of the agent's sandbox, where its tool lets the model ask for that: the user is asked then."""
    tool = _find(tools, SHELL)
    known = {
        **dict.fromkeys(("command", "cmd"), command),
        **dict.fromkeys(("workdir", "cwd"), str(cwd)),
        "description": "Run a scripted command",
        "is_background": False,
        "timeout": 10_000,
    }
    if beyond:
        known |= {"sandbox_permissions": "require_escalated", "justification": "It makes a file."}
    return tool and (tool, _filled(tool, known))


def _read(tools: list[Tool], cwd: Path) -> Call | None:
    tool = _find(tools, READ)
    if tool is None:
        return _shell(tools, cwd, "cat notes.txt")
    return tool, _filled(tool, _path(cwd))


def _edit(tools: list[Tool], cwd: Path) -> Call | None:
    tool = _find(tools, EDIT)
    if tool is not None:
        known: Json = {
            **_path(cwd),
            "instruction": "edit the second line",
            "edits": [{"oldText": BEFORE, "newText": AFTER}],
        }
        known.update(dict.fromkeys(("old_string", "oldString", "old_str", "oldText"), BEFORE))
        known.update(dict.fromkeys(("new_string", "newString", "new_str", "newText"), AFTER))
        return tool, _filled(tool, known)
    patch = (
        "*** Begin Patch\n*** Update File: notes.txt\n@@\n first line\n"
        f"-{BEFORE}\n+{AFTER}\n third line\n*** End Patch\n"
    )
    tool = _find(tools, PATCH)
    if tool is not None:
        return tool, patch
    # codex without a tool for patches understands them inside a shell command
    return _shell(tools, cwd, f"apply_patch <<'EOF'\n{patch}EOF")


def _path(cwd: Path) -> Json:
    names = ("file_path", "path", "filePath", "filename", "absolute_path", "abs_path", "file")
    return dict.fromkeys(names, str(cwd / "notes.txt"))


def _filled(tool: Tool, known: Json) -> Json:
    """Arguments for a tool: what is known by the name of a property, and samples for others that it requires."""
    filled = {}
    required = tool.schema.get("required", [])
    for name, schema in (tool.schema.get("properties") or {}).items():
        if name in known:
            value = known[name]
            listed = str((schema or {}).get("type")).lower() == "array"
            filled[name] = ["bash", "-lc", value] if listed and isinstance(value, str) else value
        elif name in required:
            filled[name] = sample(schema)
    return filled


def sample(schema: Any) -> Any:
    """A small value that fits a JSON schema."""
    if not isinstance(schema, dict):
        return "x"
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            return sample(schema[word][0])
    kind = schema.get("type", "string")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: sample(each) for name, each in properties.items() if name in schema.get("required", properties)}
    return {"array": [], "integer": 1, "number": 1, "boolean": False}.get(kind, "scripted")
