"""The house holds: who may import whom, what is public, how long a module may be, and no HTML from strings."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import acp_widget

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "acp_widget"

# Room (a module or package of acp_widget) → the rooms it may import. Everybody may use `errors`, but not `session`.
ARROWS: dict[str, set[str]] = {
    "__init__": {"agent", "config", "deliveries", "log", "magics", "player", "policy", "results", "sessions"},
    "__main__": {"commands"},
    "magics": {"agent", "entities", "policy", "registry"},
    "commands": {"commands_export", "recording", "registry"},
    "commands_export": {"export", "recording"},
    "exporting": {"export", "results"},
    "recording": {"protocol", "session"},
    "agent": {
        "arguments",
        "content",
        "controls",
        "driver",
        "editing",
        "ending",
        "exporting",
        "folders",
        "lent",
        "opening",
        "policy",
        "recorded",
        "registry",
        "replaying",
        "results",
        "ruling",
        "runtime",
        "sessions",
        "stage",
        "tape",
        "undo",
        "widget",
        "asking",
    },
    "recorded": {"driver", "entities", "log", "runtime"},
    "log": {"entities", "export", "frames", "frozen", "recording"},
    "ruling": {"asking", "entities", "policy", "results", "runtime"},
    "lent": {"controls", "driver", "results", "runtime", "stage", "undo", "widget"},
    "held": {"policy"},
    "callbacks": {"deliveries", "driver", "entities", "held", "opening", "parts", "results", "runtime", "session"},
    "editing": {"callbacks", "entities", "results"},
    "deliveries": set(),
    "opening": {"arguments", "reading", "runtime", "sessions"},
    "reading": {"cells", "config", "driver", "results"},
    "cells": {"code_blocks"},
    "content": {"entities", "host"},
    "composer": {"content", "driver", "host", "runtime"},
    "replaying": {"arguments", "buttons", "callbacks", "player", "policy", "recording", "replay", "runtime", "stage"},
    "player": {"playing", "recording", "runtime"},
    "replay": {
        "asking",
        "controls",
        "driver",
        "playing",
        "policy",
        "recording",
        "registry",
        "runtime",
        "session",
        "tape",
    },
    "playing": {"asking", "recording", "session"},
    "stage": {"buttons", "driver", "export", "runtime", "widget"},
    "buttons": {"composer", "driver", "playing", "replay"},
    "driver": {
        "asking",
        "controls",
        "ending",
        "held",
        "host",
        "login",
        "policy",
        "prompts",
        "protocol",
        "registry",
        "runtime",
        "session",
        "sessions",
        "tape",
        "undo",
    },
    "tape": {"protocol", "recording"},
    "login": {"asking", "prompts", "protocol", "runtime", "session"},
    "prompts": {"protocol", "runtime", "session"},
    "sessions": {"login", "prompts", "protocol", "session"},
    "ending": {"runtime", "session"},
    "asking": {"policy", "runtime", "session"},
    "controls": {"config", "protocol", "runtime", "session"},
    "config": {"entities"},
    "undo": {"frames", "host", "protocol", "session", "temporary"},
    "results": {
        "arguments",
        "code_blocks",
        "entities",
        "export",
        "files",
        "frames",
        "frozen",
        "parts",
        "session",
        "tool_calls",
        "usage",
        "undo",
    },
    "files": {"entities", "export", "parts", "tool_calls", "undo"},
    "tool_calls": {"entities", "export", "frozen", "parts", "session", "shown"},
    "parts": {"code_blocks", "entities", "export", "frozen", "shown"},
    "code_blocks": {"entities", "export", "parts"},
    "usage": {"entities", "export"},
    "entities": {"export", "frames", "frozen", "shown"},
    "shown": {"export"},
    "frozen": {"session"},
    "arguments": set(),
    "frames": set(),
    "policy": set(),
    "registry": set(),
    "folders": {"temporary"},
    "temporary": set(),
    "host": {"protocol"},
    "runtime": set(),
    "errors": set(),
    "protocol": set(),
    "session": set(),
    "widget": {"session", "runtime"},
    "export": {"session"},
    "demo": set(),
}
USE_NO_ERRORS = {"session", "demo", "errors"}

# What each room may import beside the standard library.
LIBRARIES: dict[str, set[str]] = {
    "code_blocks": {"mistune"},
    "export": {"mistune"},
    "__init__": {"IPython"},  # for the checker of types alone
    "magics": {"IPython"},
    "registry": {"platformdirs"},
    "widget": {
        "anywidget",
        "comm",
        "ipykernel",
        "ipywidgets",
        "IPython",
        "nest_asyncio",
        "nest_asyncio2",
        "traitlets",
        "zmq",
    },
}

PUBLIC = """
    AcpError Agent AgentBusy AgentClosed AgentExited AgentNotFound AnswerRefused Attachment AuthRequired Budget Change
    Choice CodeBlock Command Config ConnectionClosed Diff Edit Entities Fetch LogEntry Message NoAnswer NobodyWatching
    NotOffered Permission PermissionsFailed Plan PlanEntry Player Policy ProtocolVersionError Read RequestError Rule Run
    SessionInfo SessionNotFound StartTimeout Subscription Terminal Tool ToolCall TouchedFile Turn Usage Verdict
    WaitNotPossible
    __version__
""".split()  # noqa: SIM905

MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = 450  # a module that is longer holds two things


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def imports(path: Path) -> Iterator[str]:
    """The full names of all that a module imports, wherever in it."""
    package = ["acp_widget", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def test_arrows_point_one_way() -> None:
    wrong = []
    for path in MODULES:
        room = room_of(path)
        assert room in ARROWS, f"{room} is a new room: say in ARROWS what it may import"
        ours = {name.split(".")[1] for name in imports(path) if name.startswith("acp_widget.")} - {"__version__"}
        allowed = ARROWS[room] | {room} | (set() if room in USE_NO_ERRORS else {"errors"})
        wrong += [f"{name_of(path)} imports {other}" for other in sorted(ours - allowed)]
    assert wrong == []


def test_only_the_widget_knows_jupyter() -> None:
    ours_and_standard = {"acp_widget", "__future__", *sys.stdlib_module_names}
    wrong = []
    for path in MODULES:
        others = (
            {name.split(".")[0] for name in imports(path)} - ours_and_standard - LIBRARIES.get(room_of(path), set())
        )
        wrong += [f"{name_of(path)} imports {other}" for other in sorted(others)]
    assert wrong == []


def test_the_public_names_are_these() -> None:
    assert sorted(acp_widget.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(acp_widget, name) is not None


def test_a_module_holds_one_thing() -> None:
    lines = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: count for name, count in lines.items() if count > LINES} == {}


# No string becomes HTML or code in the browser.
FORBIDDEN = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|DOMParser|srcdoc"
    r"|eval|new Function|document\.write|setHTMLUnsafe|localStorage|sessionStorage|XMLHttpRequest|WebSocket|EventSource"
    r"|sendBeacon)\b|\bfetch\("
)


def test_the_front_end_makes_no_html_from_strings_and_asks_nobody() -> None:
    wrong = []
    for path in sorted((ROOT / "js" / "src").rglob("*.*s*")):
        code = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
        wrong += [f"{path.name}: {found[0]}" for found in FORBIDDEN.finditer(code)]
    assert wrong == []
