"""Results show themselves without kernel or script: each as what it is, and an agent's words as text only."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import mistune
import pytest

from acp_widget import CodeBlock, Diff, Turn, Usage
from acp_widget.session.sgr import GROUND, INK
from acp_widget.shown import LIMIT

from .session_events import events
from .state_host import PATCH, Host, chunk, said
from .test_export import ATTRIBUTES, TAGS, Page

HOSTILE = "</pre><script>alert(1)</script> <img src=x onerror=y> [a](javascript:b) ``` $\\href{x}{y}$ \u202e &lt; `x` "
OPTIONS = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
DIFF = {
    "type": "diff",
    "changes": [{"operation": "modify", "path": "/p/a.py"}],
    "patch": {"format": "git_patch", "text": PATCH},
}


@pytest.fixture
def host() -> Host:
    return Host()


def busy(host: Host, words: str = "") -> Turn:
    """A turn with one of everything, with these words wherever an agent may put words."""
    turn = host.turn()
    host.feed({"sessionUpdate": "state_update", "state": "running"})
    host.feed(said("h", f"I think {words}", "agent_thought_chunk"))
    host.feed(said("a", f"Look: {words}\n\n```python\nx = 1  # {words}\n```\n"))
    host.feed(
        {
            "sessionUpdate": "plan_update",
            "plan": {
                **{"type": "items", "planId": "1"},
                "entries": [
                    {"content": f"Read {words}", "priority": "high", "status": "completed"},
                    {"content": "Edit", "priority": "low", "status": "pending"},
                ],
            },
        },
        {
            **{"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": f"Edit {words}", "kind": "edit"},
            **{"status": "in_progress", "locations": [{"path": f"/p/{words}", "line": 3}]},
            "content": [
                {**DIFF, "changes": [{"operation": "modify", "path": f"/p/a.py{words}"}]},
                {"type": "terminal", "terminalId": "t"},
                {"type": "content", "content": {"type": "text", "text": f"all good {words}"}},
                {"type": "later", "words": words},
            ],
        },
        {"sessionUpdate": "terminal_update", "terminalId": "t", "command": f"pytest {words}", "cwd": f"/p{words}"},
        chunk(f"10%\r\x1b[32m100%\x1b[0m {words}\n".encode()),
        {"sessionUpdate": "terminal_update", "terminalId": "t", "exitStatus": {"exitCode": 0}},
    )
    command = {"type": "command", "command": f"rm -r build {words}", "cwd": "/p"}
    options = [{**option, "name": f"{option['name']} {words}"} for option in OPTIONS]
    host.event("request", id=1, params={"title": f"Run it? {words}", "subject": command, "options": options})
    return turn


def everything(turn: Turn) -> dict[str, Any]:
    return {
        **{"message": turn.messages[-1], "thought": turn.thoughts[0], "code": turn.code_blocks[0]},
        **{"plan": turn.plan, "call": turn.tool_calls[0], "diff": turn.diffs[0], "file": turn.files[0]},
        **{"terminal": turn.terminals[0], "permission": turn.permissions[0], "turn": turn},
        **{"change": turn.diffs[0].changes[0], "step": turn.plan.entries[0]},
        "usage": Usage(2252, 200_000, 0.5, "EUR", input_tokens=1200, output_tokens=80),
    }


def check(source: str) -> Page:
    page = Page(source)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert "\u202e" not in source
    return page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("message", ["Look:", "x = 1"]),
        ("thought", ["Thought", "I think"]),
        ("code", ["python", "x = 1"]),
        ("plan", ["Plan, 1 of 2 done", "✓ Read", "○ Edit"]),
        ("call", ["Edit", "running", "/p/:3", "modify", "-old", "+new", "$ pytest", "100%", "all good", "later"]),
        ("diff", ["modify", "/p/a.py", "-old", "+new"]),
        ("file", ["modify", "/p/a.py"]),
        ("change", ["modify", "/p/a.py"]),
        ("step", ["Step: completed, high priority", "Read"]),
        ("terminal", ["$ pytest", "exit 0", "100%"]),
        ("permission", ["Run it?", "$ rm -r build", "Not answered", "'yes' (Allow once )", "'no' (Reject )"]),
        ("usage", ["1,200 input tokens", "80 output tokens", "context 2,252 of 200,000 tokens (1%)", "cost 0.5 EUR"]),
        ("turn", ["do it", "Look:", "Edit", "Plan", "Not finished when this was written"]),
    ],
)
def test_each_result_is_shown_as_what_it_is(host: Host, name: str, words: list[str]) -> None:
    result = everything(busy(host))[name]
    bundle = result._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "text/markdown"}
    assert bundle["text/plain"] == repr(result)
    assert (bundle["text/html"], bundle["text/markdown"]) == (result._repr_html_(), result._repr_markdown_())
    page, plain = check(bundle["text/html"]), re.sub("[`*]", "", bundle["text/markdown"])
    for word in words:
        assert word in page.text
        assert word.replace("Thought", "") in plain


@pytest.mark.parametrize(
    "name",
    ["message", "thought", "code", "plan", "call", "diff", "file", "terminal", "permission", "turn", "change", "step"],
)
def test_no_word_of_an_agent_is_more_than_text(host: Host, name: str) -> None:
    result = everything(busy(host, HOSTILE))[name]
    assert "<script>" in check(result._repr_html_()).text, "it is shown, as text"
    html = str(mistune.create_markdown(escape=False)(result._repr_markdown_()))
    assert not re.search("<(script|img|a)\\b", html)


def test_a_list_shows_all_that_is_in_it(host: Host) -> None:
    turn = busy(host)
    assert "Look:" in check(turn.messages._repr_html_()).text
    assert "I think" in turn.messages._repr_mimebundle_()["text/markdown"]
    assert "None yet." in check(turn.tool_calls.where(kind="read")._repr_html_()).text


def test_added_and_removed_lines_of_a_diff_have_colours() -> None:
    source = Diff(DIFF)._repr_html_()
    coloured = dict(re.findall(r'<span style="[^"]*background-color:rgba\(([\d,.]+)\)">(.)', source))
    assert sorted(coloured.values()) == ["+", "-"]


def test_a_terminal_keeps_its_colours_on_a_ground_of_its_own(host: Host) -> None:
    source = busy(host).terminals[0]._repr_html_()
    assert f"background-color:{GROUND};color:{INK}" in source
    assert '<span style="color:#4cc26b">100%</span>' in source


def test_a_code_block_keeps_its_language_only_where_that_is_a_word(host: Host) -> None:
    message = busy(host).messages[-1]
    assert CodeBlock("python", "x\n", message)._repr_markdown_().endswith("```python\nx\n```\n")
    assert "```text\nx\n```" in CodeBlock("a`b", "x\n", message)._repr_markdown_()


def test_a_pending_request_becomes_its_decision(host: Host) -> None:
    request = busy(host).permissions[0]
    host.event("respond", permission="p:1", optionId="no", by="you", why=None)
    page = check(request._repr_html_())
    assert "Rejected by you at" in page.text
    assert "Options" not in page.text


def test_a_request_about_a_call_shows_what_would_change(host: Host) -> None:
    turn = host.turn()
    call = {"toolCallId": "c", "title": "Edit a.py", "kind": "edit", "content": [DIFF]}
    host.feed({"sessionUpdate": "tool_call_update", **call})
    subject = {"type": "tool_call", "toolCall": call}
    host.event("request", id=1, params={"title": "May I?", "subject": subject, "options": OPTIONS})
    text = check(turn.permissions[0]._repr_html_()).text
    assert "Edit a.py" in text
    assert "+new" in text


@pytest.mark.parametrize("many", ["messages", "tool_calls"])
def test_what_is_too_long_is_cut_and_says_so(host: Host, many: str) -> None:
    turn = host.turn()
    for number in range(12):
        host.feed(said(f"m{number}", '"<' * 15_000))
        content = [{"type": "content", "content": {"type": "text", "text": '"<' * 5_000}}] * 80
        host.feed({"sessionUpdate": "tool_call_update", "toolCallId": f"c{number}", "content": content})
    results = getattr(turn, many)
    for shown in (results, results[0]):
        for source in (shown._repr_html_(), shown._repr_markdown_()):
            assert len(source) < 1.1 * LIMIT
    assert re.search(
        r"\d+ (entries|more) are not shown: what is shown here is cut to about 100 kB", results._repr_html_()
    )
    assert re.search(r"more characters|items are not shown", results[0]._repr_html_())


def test_one_long_thing_is_cut_itself(host: Host) -> None:
    lines = "\n".join("+" * 2 for _ in range(9_000))
    patch = f"--- a\n+++ b\n@@ -0,0 +1,9000 @@\n{lines}"
    diff = Diff({"type": "diff", "changes": [], "patch": {"format": "git_patch", "text": patch}})
    colours = b"".join(b"\x1b[3%dm%d" % (number % 8, number) for number in range(60_000))
    host.turn()
    host.feed(chunk(colours))
    for source in (diff._repr_html_(), Turn(host, "r:1").terminals[0]._repr_html_()):  # type: ignore[arg-type]
        assert len(source) < 1.1 * LIMIT
        assert len(check(source).text) > 100
    assert "more characters" in diff._repr_html_()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_an_agent_sends_can_be_shown(host: Host, seed: int) -> None:
    for event in events(Random(seed), 80):
        host.event(event.pop("type"), **{name: value for name, value in event.items() if name != "at"})
    for key in host.reader.keys("turns"):
        turn = Turn(host, key)  # type: ignore[arg-type]
        lists = (turn.messages, turn.tool_calls, turn.terminals, turn.permissions, turn.diffs, turn.files)
        for shown in (turn, *lists, *(each for results in lists for each in results)):
            bundle = shown._repr_mimebundle_()
            check(bundle["text/html"])
            assert bundle["text/markdown"]
