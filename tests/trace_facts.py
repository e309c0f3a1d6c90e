"""What each recording in `traces/` holds, as a person reads it in the file: nothing here comes from our own code."""

from __future__ import annotations

from dataclasses import dataclass

NOTES = "/home/user/project/notes.txt"
THREE = ("first line", "second line", "third line")
EDITED = ("SECOND line, edited",)

HELLO = "echo hello from the shell; ls"
OOPS = "echo oops >&2; exit 3"
LOOP = r"for i in 1 2 3 4 5 6 7 8 9 10; do printf '\033[3%sm line %s é 🙂\033[0m\r\n' $((i%8)) $i; sleep 0.1; done"

ALL_DONE = "All done: **3** tool call(s) finished."
ONE_DONE = "All done: **1** tool call(s) finished."
MARKDOWN = """# Result

Some *words*, **strong** ones and `code`.

- one
- two
  - nested

```python
print('hi <b>there</b>')
```

| a | b |
|---|---|
| 1 | é ✓ 漢字 🙂 |

<script>alert(1)</script> <img src=x onerror=alert(2)> [link](javascript:alert(3)) $x^2$"""
HIGH_DEMAND = "re currently experiencing high demand, which may cause temporary errors."


def words(last: int) -> str:
    """What an agent says that counts until it is stopped."""
    return " ".join(f"word{number}" for number in range(last + 1))


Call = tuple[str | None, str, str]
"""Title, kind, status."""
Diff = tuple[str, str, tuple[str, ...]]
"""Operation, path, added lines."""


@dataclass(frozen=True)
class Facts:
    """The end of a recording."""

    version: int | None
    stop: str | None
    """Why the last turn ended."""
    last: str
    """How the last message of the agent ends."""
    calls: tuple[Call, ...] = ()
    decisions: tuple[tuple[str, str | None], ...] = ()
    """Title of the question, and the chosen option; None for one that was withdrawn."""
    exits: tuple[int | None, ...] = ()
    """Of terminals, in order of first sight."""
    diffs: tuple[Diff, ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    """Config options and their values."""
    commands: int = 0
    turns: int = 1
    """Prompts that were sent."""
    sessions: str = "ready"
    """How it stands with the connection."""


def add(path: str = NOTES) -> Diff:
    return ("add", path, THREE)


def fill(path: str = NOTES) -> Diff:
    """An empty old text: nothing says whether the file was there."""
    return ("modify", path, THREE)


def edit(path: str = NOTES) -> Diff:
    return ("modify", path, EDITED)


CLAUDE_CALLS: tuple[Call, ...] = (
    (HELLO, "execute", "completed"),
    ("Write notes.txt", "edit", "completed"),
    ("Edit notes.txt", "edit", "completed"),
)
CLAUDE_REFUSED: tuple[Call, ...] = (
    (HELLO, "execute", "completed"),
    ("Write notes.txt", "edit", "failed"),
    ("Edit notes.txt", "edit", "failed"),
)
CLAUDE_101 = (("mode", "auto"), ("model", "default"), ("effort", "default"), ("fast", False), ("ultracode", False))
CLAUDE_101_ASKING = (("mode", "default"), *CLAUDE_101[1:])
CLAUDE_49 = (("mode", "default"), ("model", "default"), ("effort", "default"))
CLAUDE_49_ASKED = (("Write notes.txt", "allow"), ("Edit notes.txt", "allow"))

CODEX = (("mode", "agent"), ("collaboration_mode", "default"), ("model", "gpt-5.1-codex"))
CODEX_ASKING = (("mode", "read-only"), *CODEX[1:])
CODEX_EDITS: tuple[Call, ...] = (
    ("List files", "read", "completed"),
    ("Edit files", "edit", "completed"),
    ("Edit files", "edit", "completed"),
)
FAILED_AND_DONE: tuple[Call, ...] = ((OOPS, "execute", "failed"), (LOOP, "execute", "completed"))

FAST = (("mode", "agent"),)
GEMINI = (("mode", "default"), ("model", "auto"))
GEMINI_EDIT = "notes.txt: second line => SECOND line, edited"
GEMINI_CALLS: tuple[Call, ...] = (
    (HELLO, "execute", "completed"),
    ("Writing to notes.txt", "edit", "completed"),
    (GEMINI_EDIT, "edit", "completed"),
)
GEMINI_ASKED = (
    (HELLO, "proceed_once"),
    ("Writing to notes.txt", "proceed_once"),
    (GEMINI_EDIT, "proceed_once"),
)
OPENCODE = (("model", "loop/scripted-1"), ("mode", "build"))
OPENCODE_CALLS: tuple[Call, ...] = (
    (HELLO, "execute", "completed"),
    ("home/user/project/notes.txt", "edit", "completed"),
    ("home/user/project/notes.txt", "edit", "completed"),
)
OPENCODE_ASKED = ((HELLO, "once"), (NOTES, "once"), (NOTES, "once"))
QWEN_MODEL = ("model", "$runtime|openai|scripted-1(openai)")
QWEN = (("mode", "default"), QWEN_MODEL)
QWEN_SHELL = f"Shell: {HELLO} [timeout: 10000ms] (Run a scripted command)"
QWEN_ASKED = (("Writing to notes.txt", "proceed_once"), (GEMINI_EDIT, "proceed_once"))
QWEN_REFUSED: tuple[Call, ...] = (
    (QWEN_SHELL, "execute", "completed"),
    ("Writing to notes.txt", "edit", "pending"),
    (None, "other", "failed"),
)
SDK = (("model", "scripted-a"),)
DEEP_HELLO, DEEP_WRITE, DEEP_EDIT = f"Execute: `{HELLO}`", f"Write `{NOTES}`", f"Edit `{NOTES}`"
FINAL = "# Final text\n\nThis **replaces** what was streamed. é 漢字 🙂 <b>not html</b>"

FACTS: dict[str, Facts] = {
    "claude-agent-acp-0.101-v1-auto": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CLAUDE_CALLS,
        diffs=(add(), edit()),
        options=(*CLAUDE_101[:3], ("fast", "off"), ("ultracode", "off")),
        commands=40,
    ),
    "claude-agent-acp-0.101-v2-ask": Facts(
        2,
        "end_turn",
        ALL_DONE,
        # The last one comes after the end of the turn, and is never finished.
        calls=(*CLAUDE_CALLS, ("Write notes.txt", "edit", "pending")),
        decisions=(("Write notes.txt", "allow-once"), ("Edit notes.txt", "allow-once")),
        exits=(0,),
        diffs=(add(), edit(), ("modify", NOTES, ("second line",))),
        options=CLAUDE_101_ASKING,
        commands=40,
    ),
    "claude-agent-acp-0.101-v2-resume": Facts(
        2,
        "end_turn",  # the second process replays what the first one did
        ALL_DONE,
        calls=CLAUDE_CALLS,
        exits=(0,),
        options=CLAUDE_101,
        commands=44,
    ),
    "claude-agent-acp-0.101-v2-terminal": Facts(
        2,
        "end_turn",
        ONE_DONE,
        calls=(
            ("Write notes.txt", "edit", "pending"),
            (OOPS, "execute", "failed"),
            ("Write notes.txt", "edit", "pending"),
            (LOOP, "execute", "completed"),
        ),
        decisions=((OOPS, "allow-once"), (LOOP, "allow-once")),
        exits=(3, 0),
        diffs=(add(), add()),
        options=CLAUDE_101_ASKING,
        commands=40,
        turns=3,
    ),
    "claude-agent-acp-0.49-cancel": Facts(1, "cancelled", words(75), options=CLAUDE_49, commands=24),
    "claude-agent-acp-0.49-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CLAUDE_CALLS,
        decisions=CLAUDE_49_ASKED,
        diffs=(add(), edit()),
        options=CLAUDE_49,
        commands=24,
    ),
    "claude-agent-acp-0.49-load": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CLAUDE_CALLS,
        decisions=CLAUDE_49_ASKED,
        diffs=(add(), edit()),
        options=CLAUDE_49,
        commands=24,
    ),
    "claude-agent-acp-0.49-permission-cancelled": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CLAUDE_REFUSED,
        decisions=(("Write notes.txt", None),),
        options=CLAUDE_49,
        commands=24,
    ),
    "claude-agent-acp-0.49-reject": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CLAUDE_REFUSED,
        decisions=(("Write notes.txt", "reject"),),
        options=CLAUDE_49,
        commands=24,
    ),
    "codex-acp-2.6-v1-ask": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=CODEX_EDITS,
        decisions=(("Edit files", "allow_once"), ("Edit files", "allow_once")),
        exits=(None,),  # told in `_meta` of "List files"
        diffs=(add(), edit()),
        options=CODEX_ASKING,
        commands=16,
    ),
    "codex-acp-2.6-v1-terminal-http500": Facts(
        1,
        "end_turn",
        HIGH_DEMAND,
        calls=FAILED_AND_DONE,
        exits=(3, 0),
        options=CODEX,
        commands=16,
        turns=4,
    ),
    "codex-acp-2.6-v2-ask": Facts(
        2,
        "end_turn",
        ALL_DONE,
        calls=CODEX_EDITS,
        decisions=(("Make edits?", "allow_once"), ("Make edits?", "allow_once")),
        diffs=(add(), edit()),
        options=CODEX_ASKING,
        commands=16,
    ),
    "codex-acp-2.6-v2-cancel": Facts(2, "cancelled", words(77), options=CODEX, commands=16),
    "codex-acp-2.6-v2-full": Facts(
        2,
        "end_turn",
        ALL_DONE,
        calls=(
            ("List files", "read", "completed"),
            ("Editing files", "edit", "completed"),
            ("Editing files", "edit", "completed"),
        ),
        diffs=(add(), edit()),
        options=CODEX,
        commands=16,
    ),
    "codex-acp-2.6-v2-permission-cancelled": Facts(
        2,
        "cancelled",
        "Now the file.",
        calls=(("List files", "read", "completed"), ("Edit files", "edit", "pending")),
        decisions=(("Make edits?", None),),
        diffs=(add(),),
        options=CODEX_ASKING,
        commands=16,
    ),
    "codex-acp-2.6-v2-terminal": Facts(
        2, "end_turn", ONE_DONE, calls=FAILED_AND_DONE, exits=(3, 0), options=CODEX, commands=16, turns=3
    ),
    "deepagents-acp-0.0.13-asked-v2": Facts(1, "end_turn", MARKDOWN),
    "deepagents-acp-0.0.13-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        # It asks about ids that are no calls of its own, and never finishes its edit.
        calls=(
            (HELLO, "execute", "completed"),
            (DEEP_HELLO, "other", "pending"),
            (DEEP_WRITE, "edit", "completed"),
            (DEEP_WRITE, "other", "pending"),
            (DEEP_EDIT, "edit", "pending"),
            (DEEP_EDIT, "other", "pending"),
        ),
        decisions=((DEEP_HELLO, "approve"), (DEEP_WRITE, "approve"), (DEEP_EDIT, "approve")),
        diffs=(edit(),),
    ),
    "fast-agent-0.10-asked-v2": Facts(1, "end_turn", MARKDOWN, options=FAST, commands=17),
    "fast-agent-0.10-cancel": Facts(1, "cancelled", words(57), options=FAST, commands=17),
    "fast-agent-0.10-full": Facts(
        1,
        "end_turn",
        "All done: **2** tool call(s) finished.",
        calls=(("execute", "execute", "completed"), ("write_text_file", "edit", "completed")),
        decisions=(("execute", "allow_once"), ("write_text_file", "allow_once")),
        exits=(0,),
        diffs=(add(),),
        options=FAST,
        commands=17,
    ),
    "fast-agent-0.10-nocaps": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            ("bash", "execute", "pending"),
            ("environment/write_text_file", "edit", "completed"),
            ("environment/edit_file", "edit", "completed"),
        ),
        options=FAST,
        commands=17,
    ),
    "fast-agent-0.10-passthrough": Facts(
        1,
        "end_turn",
        "hi\nREADME.md\nnotes0.txt\n\n\n[Exit code: 0]",
        calls=(("execute", "execute", "pending"), ("execute", "execute", "completed")),
        decisions=(("execute", "allow_once"),),
        exits=(0,),
        options=FAST,
        commands=17,
        turns=2,
    ),
    "fast-agent-0.10-text-fail-output-http500": Facts(
        1,
        "refusal",
        "",  # a long sentence about the model that failed
        calls=(("execute", "execute", "failed"), ("execute", "execute", "completed")),
        decisions=(("execute", "allow_once"), ("execute", "allow_once")),
        exits=(3, 0),
        options=FAST,
        commands=17,
        turns=4,
    ),
    "gemini-cli-0.61-asked-v2": Facts(1, "end_turn", MARKDOWN, options=GEMINI, commands=20),
    "gemini-cli-0.61-cancel": Facts(1, "cancelled", words(77), options=GEMINI, commands=20),
    "gemini-cli-0.61-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=GEMINI_CALLS,
        decisions=GEMINI_ASKED,
        diffs=(fill(), edit()),
        options=GEMINI,
        commands=20,
    ),
    "gemini-cli-0.61-load-error": Facts(
        1,
        "end_turn",
        ALL_DONE,  # the second process knows nothing of the session: what was shown stays
        calls=GEMINI_CALLS,
        decisions=GEMINI_ASKED,
        diffs=(fill(), edit()),
        sessions="failed",
    ),
    "gemini-cli-0.61-missing-file": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            (HELLO, "execute", "completed"),
            ("Writing to notes.txt", "edit", "failed"),
            (GEMINI_EDIT, "edit", "failed"),
        ),
        decisions=((HELLO, "proceed_once"),),
        options=GEMINI,
        commands=20,
    ),
    "gemini-cli-0.61-nocaps": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=GEMINI_CALLS,
        decisions=GEMINI_ASKED,
        diffs=(fill(), edit()),
        options=GEMINI,
        commands=20,
    ),
    "gptme-acp-0.35-text": Facts(1, "end_turn", "Scripted title", options=(("mode", "default"),), commands=44),
    "kimi-cli-1.52-stdout-garbage": Facts(None, None, "", turns=0, sessions="failed"),
    "opencode-1.18-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=OPENCODE_CALLS,
        decisions=OPENCODE_ASKED,
        diffs=(edit(),),
        options=OPENCODE,
        commands=3,
    ),
    "opencode-1.18-nocaps": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=OPENCODE_CALLS,
        decisions=OPENCODE_ASKED,
        diffs=(edit(),),
        options=OPENCODE,
        commands=3,
    ),
    "opencode-1.18-reject": Facts(
        1,
        "end_turn",
        "I will run a command, write a file and edit it.",
        calls=((HELLO, "execute", "failed"),),
        decisions=((HELLO, "reject"),),
        options=OPENCODE,
        commands=3,
    ),
    "opencode-1.18-text-fail-output": Facts(
        1,
        "end_turn",
        ONE_DONE,
        calls=((OOPS, "execute", "completed"), (LOOP, "execute", "completed")),
        decisions=((OOPS, "once"), (LOOP, "once")),
        options=OPENCODE,
        commands=3,
        turns=3,
    ),
    "pydantic-acp-1.10-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            (f"Execute {HELLO}", "execute", "completed"),
            ("write_file", "edit", "completed"),
            ("write_file", "edit", "completed"),
        ),
        decisions=((f"Execute {HELLO}", "allow_once"), ("write_file", "allow_once"), ("write_file", "allow_once")),
        exits=(0,),
        diffs=(fill(), edit()),
        commands=3,
    ),
    "pydantic-acp-1.10-text-fail": Facts(
        1,
        "end_turn",
        ONE_DONE,
        calls=((f"Execute {OOPS}", "execute", "completed"),),
        decisions=((f"Execute {OOPS}", "allow_once"),),
        exits=(3,),
        commands=3,
        turns=2,
    ),
    "qwen-code-0.15-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            (QWEN_SHELL, "execute", "completed"),
            ("Writing to notes.txt", "edit", "completed"),
            (GEMINI_EDIT, "edit", "completed"),
        ),
        decisions=QWEN_ASKED,
        diffs=(fill("notes.txt"), edit("notes.txt")),
        options=QWEN,
        commands=20,
    ),
    "qwen-code-0.15-load": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            (QWEN_SHELL, "execute", "completed"),
            ("WriteFile: Writing to notes.txt", "edit", "completed"),
            (f"Edit: {GEMINI_EDIT}", "edit", "completed"),
        ),
        decisions=QWEN_ASKED,
        diffs=(fill("notes.txt"), edit("notes.txt")),
        options=QWEN,
        commands=20,
    ),
    "qwen-code-0.15-permission-cancelled": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=QWEN_REFUSED,
        decisions=(("Writing to notes.txt", None),),
        diffs=(fill(),),
        options=QWEN,
        commands=20,
    ),
    "qwen-code-0.15-reject": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=QWEN_REFUSED,
        decisions=(("Writing to notes.txt", "cancel"),),
        diffs=(fill(),),
        options=QWEN,
        commands=20,
    ),
    "qwen-code-0.24-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            (QWEN_SHELL, "execute", "completed"),
            ("WriteFile: Writing to notes.txt", "edit", "completed"),
            ("Edit: notes.txt", "edit", "completed"),
        ),
        diffs=(fill(), edit()),
        options=(("mode", "auto"), QWEN_MODEL),
        commands=51,
    ),
    "sdk-v2-agent-asked-v1": Facts(None, None, "", turns=0, sessions="failed"),
    "sdk-v2-agent-cancel": Facts(2, "cancelled", words(10), options=SDK, commands=1),
    "sdk-v2-agent-config": Facts(2, "end_turn", FINAL, options=(("model", "scripted-b"),), commands=1),
    "sdk-v2-agent-main": Facts(
        2,
        "end_turn",
        "All done: **3** tool calls finished.",
        calls=(
            ("printf", "execute", "completed"),
            ("Edit notes.txt", "edit", "completed"),
            ("Move and delete", "move", "completed"),
        ),
        decisions=(("Run this command?", "once"), ("Edit notes.txt?", "yes")),
        exits=(0,),
        options=SDK,
        commands=1,
    ),
    "sdk-v2-agent-odd": Facts(
        2,
        "_vendor_reason",
        "",  # a link, and no text
        calls=((None, "teleport", "completed"),),
        exits=(None,),
        options=SDK,
        commands=1,
    ),
    "sdk-v2-agent-permission-cancelled": Facts(
        2,
        "cancelled",
        "I will run a command, change two files and ask twice.",
        calls=(("printf", "execute", "cancelled"),),
        decisions=(("Run this command?", None),),
        options=SDK,
        commands=1,
    ),
    "sdk-v2-agent-text-error": Facts(2, "error", FINAL, options=SDK, commands=1, turns=2),
    "zed-codex-acp-0.16-full": Facts(
        1,
        "end_turn",
        ALL_DONE,
        calls=(
            ("List /home/user/project", "search", "completed"),
            (f"Edit {NOTES}", "edit", "completed"),
            (f"Edit {NOTES}", "edit", "completed"),
        ),
        decisions=((f"Edit {NOTES}", "approved"), (f"Edit {NOTES}", "approved")),
        diffs=(add(), edit()),
        options=(("model", "gpt-5.1-codex"),),
        commands=6,
    ),
}
