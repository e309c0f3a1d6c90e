"""The static transcript says what happened, and no word of an agent is anything but text in it."""

from __future__ import annotations

import base64
import copy
import re
from html.parser import HTMLParser
from typing import Any

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_widget import AcpError, Agent
from acp_widget.export import html, markdown, prose, transcript
from acp_widget.export.patches import relative_patch
from acp_widget.export.visible import literal, running

AT = {"first": 1_700_000_000.0, "start": 1_700_000_000.0, "end": 1_700_000_002.5}
PATCH = """diff --git /home/me/project/stats.py /home/me/project/stats.py
--- /home/me/project/stats.py
+++ /home/me/project/stats.py
@@ -1,3 +1,4 @@
 def mean(xs):
--- an odd line
+    if not xs:
+        return float("nan")
     return sum(xs) / len(xs)
"""


def output(text: str, cut: int = 0) -> dict[str, Any]:
    return {"data": base64.b64encode(text.encode()).decode(), "_meta": None, "cut": cut}


def snapshot() -> dict[str, Any]:
    """A finished turn with one of everything."""
    return {
        "version": 1,
        "session": {"label": "demo", "cwd": "/home/me/project"},
        "timeline": ["u:1", "h:1", "l:1", "a:1", "t:call_1", "t:call_2", "n:1", "k:1", "p:3"],
        "messages": {
            "u:1": {"role": "user", "content": [{"type": "text", "text": "Fix it."}], "turn": "r:1", "at": AT},
            "h:1": {"role": "thought", "content": [{"type": "text", "text": "Hm."}], "turn": "r:1", "at": AT},
            "a:1": {
                "role": "agent",
                "content": [
                    {"type": "text", "text": "It divides by **zero**:\n\n```python\nsum([]) / 0\n```\n\nI mend it."},
                    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                ],
                "turn": "r:1",
                "at": AT,
            },
        },
        "toolCalls": {
            "t:call_1": {
                "toolCallId": "call_1",
                "title": "Edit stats.py",
                "kind": "edit",
                "status": "completed",
                "locations": [{"path": "/home/me/project/stats.py", "line": 2}],
                "content": [
                    {
                        "type": "diff",
                        "changes": [
                            {"operation": "modify", "path": "/home/me/project/stats.py"},
                            {"operation": "move", "oldPath": "/old.png", "path": "/new.png", "fileType": "binary"},
                        ],
                        "patch": {"format": "git_patch", "text": PATCH},
                    }
                ],
                "turn": "r:1",
                "at": AT,
            },
            "t:call_2": {
                "toolCallId": "call_2",
                "title": None,
                "name": "run",
                "kind": "execute",
                "status": "failed",
                "locations": [],
                "content": [
                    {"type": "terminal", "terminalId": "1"},
                    {"type": "content", "content": {"type": "text", "text": "See:\n```\nx = 1\n```"}},
                    {"type": "later", "x": 1},
                ],
                "turn": "r:1",
                "at": AT,
            },
        },
        "terminals": {
            "x:1": {
                "command": "pytest -q",
                "cwd": "/home/me/project",
                "output": output("10%\r100%\n\x1b[31m1 failed\x1b[0m\n", cut=5000),
                "exitStatus": {"exitCode": 1},
                "turn": "r:1",
            }
        },
        "permissions": {
            "p:1": {
                "title": "Edit the file?",
                "subject": {"type": "tool_call", "toolCall": {"toolCallId": "call_1"}},
                "toolCallId": "call_1",
                "options": [{"optionId": "a", "name": "Yes, do", "kind": "allow_once"}],
                "status": "selected",
                "optionId": "a",
                "by": "you",
                "why": None,
                "turn": "r:1",
                "at": AT,
            },
            "p:2": {
                "title": "Run the tests?",
                "subject": {"type": "command", "command": "pytest -q", "cwd": "/home/me/project"},
                "toolCallId": "call_2",
                "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}],
                "status": "selected",
                "optionId": "n",
                "by": "nobody",
                "why": "the first reject_once",
                "turn": "r:1",
                "at": AT,
            },
            "p:3": {
                "title": "Go on?",
                "subject": None,
                "toolCallId": None,
                "options": [],
                "status": "cancelled",
                "optionId": None,
                "by": "stop",
                "why": None,
                "turn": "r:1",
                "at": AT,
            },
        },
        "plans": {
            "l:1": {
                "plan": {"type": "items", "entries": [{"content": "Read", "status": "completed"}, {"content": "Fix"}]},
                "turn": "r:1",
            }
        },
        "notices": {"n:1": {"severity": "warning", "title": "Slow", "description": "The model is busy", "turn": "r:1"}},
        "compactions": {},
        "unknownUpdates": {"k:1": {"raw": {"sessionUpdate": "_new", "a": 1}, "turn": "r:1"}},
        "turns": {
            "r:1": {
                "number": 1,
                "prompt": [{"type": "text", "text": "Fix it."}],
                "echo": "u:1",
                "status": "done",
                "stopReason": "end_turn",
                "error": None,
                "at": {"queued": None, "sent": 1_700_000_000.0, "end": 1_700_000_075.0},
            }
        },
    }


class Page(HTMLParser):
    """A parsed transcript: its tags, attributes and text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.styles: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.values += [value or "" for name, value in attrs if name != "style"]
        self.styles |= {value or "" for name, value in attrs if name == "style"}
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration")

    handle_pi = unknown_decl = handle_decl


TAGS = {"div", "span", "pre", "code", "b", "details", "summary", "img"}
TAGS |= {"strong", "em", "del", "br", "blockquote", "ul", "ol", "li", "table", "tr", "th", "td"}  # of markdown
ATTRIBUTES = {"class", "style", "dir", "start", "src", "alt"}
OURS = [html._BOX, html._QUIET, html._BAD, html._PRE, html._USER, html._ADDED, html._REMOVED]
STYLES = {*OURS, f"{html._BOX};{html._BAD}", f"white-space:pre-wrap;{html._BAD}", f"white-space:pre-wrap;{html._QUIET}"}
STYLES |= {
    "border-top:1px solid rgba(128,128,128,0.35);margin:10px 0",
    html._PICTURE,
    html._SCREEN,
    *prose._LINES.values(),
}
STYLES |= {prose.PARAGRAPH, prose._PRE, prose._LIST, prose._QUOTE, prose._CELL, prose.HEADING}
STYLES |= {html._WORDS, html._HEAD, html._STATE, html._ASKED}
STYLES |= {"border-top:1px solid rgba(128,128,128,0.35);margin:8px 0", "border-collapse:collapse;margin:0 0 6px 0"}


# How a run of a terminal's text looks.
COLOUR = re.compile(
    r"(?:(?:color|background-color):#[0-9a-f]{6};?|font-weight:bold;?|opacity:[0-9.]+;?|[a-z-]+:[a-z -]+;?)+"
)


def check(source: str) -> Page:
    page = Page(source)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert {style for style in page.styles if not COLOUR.fullmatch(style)} <= STYLES
    return page


# --- what it says


@pytest.mark.parametrize(
    "words",
    [
        "Fix it.",
        "It divides by",
        "sum([]) / 0",
        "[image: image/png, 3 B]",
        "Thought for 2.5 s",
        "Plan, 1 of 2 done",
        "✓ Read",
        "Edit stats.py",
        "done, 2.5 s",
        "stats.py:2",
        "/old.png → /new.png",
        "binary",
        '+        return float("nan")',
        "run",
        "failed, 2.5 s",
        "$ pytest -q",
        "exit 1",
        "5.0 kB at the beginning were not kept",
        "100%\n1 failed",
        "See:",
        "Unknown item later",
        "Edit the file?",
        "Allowed once by you at ",
        "Yes, do",
        "Rejected because nobody was watching at ",
        "the first reject_once",
        "Answered “cancelled” because the turn was stopped at ",
        "Slow: The model is busy",
        "Unknown update _new",
        "Done after 1 min 15 s",
    ],
)
def test_a_transcript_says_what_happened(words: str) -> None:
    page = check(transcript.turn_html(snapshot(), "r:1", "uid"))
    assert words in page.text
    plain = re.sub(r"[`*]", "", transcript.turn_markdown(snapshot(), "r:1"))
    assert re.sub(r"[`*]", "", words) in plain


def test_the_root_has_the_classes_the_live_view_looks_for() -> None:
    source = transcript.turn_html(snapshot(), "r:1", 'a-1_"> <b')
    assert source.startswith('<div class="acp-transcript acp-transcript-a-1_b ')
    check(source)


def test_the_prompt_stands_once_although_the_agent_echoed_it() -> None:
    assert Page(transcript.turn_html(snapshot(), "r:1", "u")).text.count("Fix it.") == 1


@pytest.mark.parametrize("end", ["restart", "crash"])
def test_each_prompt_stands_once_although_a_new_process_uses_the_ids_again(end: str) -> None:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        turns = [agent.run("first words", show=False)]
        if end == "restart":
            agent.restart()
        else:
            with pytest.raises(AcpError):
                agent.run("/fail crash", show=False)
        turns += [agent.run(words, show=False) for words in ("second words", "third words")]
        for turn, words in zip(turns, ("first words", "second words", "third words"), strict=True):
            for told in (turn._repr_mimebundle_()["text/html"], turn._repr_markdown_()):
                assert told.count(words) == 1
        whole = agent._reader.snapshot()
    for told in (transcript.session_html(whole, "x"), transcript.session_markdown(whole)):
        assert [told.count(f"{which} words") for which in ("first", "second", "third")] == [1, 1, 1]


def test_paths_in_the_headers_of_a_patch_are_relative_to_the_folder_of_the_session() -> None:
    for told in (transcript.turn_html(snapshot(), "r:1", "x"), transcript.turn_markdown(snapshot(), "r:1")):
        assert "diff --git stats.py stats.py" in told
        assert "+++ stats.py" in told
        assert "/home/me/project/stats.py" not in told


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("--- /me/a b\t", "--- a b\t"),
        ('+++ "/me/\\303"', '+++ "\\303"'),
        ("diff --git /me/a b /me/a b", "diff --git a b a b"),
        ('diff --git "/me/a b" "/me/c"', 'diff --git "a b" "c"'),
        ("diff --git /me/a b /me/c d", "diff --git /me/a b /me/c d"),
        ("rename from /me/a", "rename from a"),
        ("+++ /me/../you/a", "+++ /me/../you/a"),
        ("--- /meadow/a", "--- /meadow/a"),
        ("@@ -1 +1 @@\n--- /me/a\n+++ /me/b", "@@ -1 +1 @@\n--- /me/a\n+++ /me/b"),
    ],
)
def test_only_a_path_that_certainly_stands_in_the_folder_is_made_relative(header: str, shown: str) -> None:
    assert relative_patch(f"{header}\n/me/", "/me") == f"{shown}\n/me/"


def test_code_fences_become_blocks_in_messages_and_tool_calls() -> None:
    source = transcript.turn_html(snapshot(), "r:1", "u")
    assert f'<pre style="{html._PRE}">sum([]) / 0</pre>' in source
    assert f'<pre style="{html._PRE}">x = 1</pre>' in source
    assert "```" not in source


def test_only_the_patch_lines_that_change_something_are_coloured() -> None:
    source = transcript.turn_html(snapshot(), "r:1", "u")
    removed = re.findall(rf'<span style="{re.escape(html._REMOVED)}">(.*?)</span>', source)
    added = re.findall(rf'<span style="{re.escape(html._ADDED)}">(.*?)</span>', source)
    assert removed == ["--- an odd line"]
    assert len(added) == 2


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ({"status": "failed", "error": {"message": "it broke"}}, "Failed after 1 min 15 s it broke"),
        ({"status": "not_sent"}, "Not sent"),
        ({"status": "not_sent", "error": {"message": "There is no command"}}, "Not sent There is no command"),
        ({"status": "running"}, "Not finished when this was written"),
        ({"stopReason": "cancelled"}, "Stopped after 1 min 15 s"),
        ({"stopReason": "refusal"}, "The agent refused after 1 min 15 s"),
        ({"stopReason": "_odd"}, "Ended after 1 min 15 s _odd"),
        ({"stopReason": None}, "Done after 1 min 15 s"),
    ],
)
def test_the_end_of_a_turn_is_told_in_words(turn: dict[str, Any], words: str) -> None:
    state = snapshot()
    state["turns"]["r:1"].update(turn)
    assert words in check(transcript.turn_html(state, "r:1", "u")).text
    assert words in re.sub(r"[`*]", "", transcript.turn_markdown(state, "r:1"))


def test_two_options_of_one_id_are_both_named_and_neither_is_called_allowing() -> None:
    state = snapshot()
    state["permissions"]["p:1"]["options"].append({"optionId": "a", "name": "Never", "kind": "reject_once"})
    text = Page(transcript.turn_html(state, "r:1", "u")).text
    assert "Answered by you at" in text
    assert "Yes, do / Never" in text
    assert "Allowed" not in text


def test_a_request_about_a_call_of_an_earlier_turn_stands_in_its_own_turn_too() -> None:
    state = snapshot()
    state["turns"]["r:2"] = {**state["turns"]["r:1"], "number": 2, "prompt": None, "echo": None}
    state["permissions"]["p:1"]["turn"] = "r:2"
    for key in ("r:1", "r:2"):
        assert "Edit the file?" in Page(transcript.turn_html(state, key, "u")).text


def test_a_session_holds_what_came_before_the_first_turn_and_all_turns_in_order() -> None:
    state = snapshot()
    state["notices"]["n:0"] = {"severity": "info", "title": "Welcome", "description": None, "turn": None}
    state["timeline"].insert(0, "n:0")
    state["turns"]["r:2"] = {**state["turns"]["r:1"], "prompt": [{"type": "text", "text": "Thanks."}], "echo": None}
    for text in (check(transcript.session_html(state, "u")).text, transcript.session_markdown(state)):
        assert text.index("Welcome") < text.index("Fix it.") < text.index("Thanks.")


@pytest.mark.parametrize("key", ["r:1", "r:9"])
def test_an_empty_state_gives_a_transcript_that_says_so(key: str) -> None:
    assert "Nothing yet." in check(transcript.turn_html({}, key, "u")).text
    assert "Nothing yet." in transcript.turn_markdown({}, key)
    assert "Nothing yet." in check(transcript.session_html({}, "u")).text


# --- what is left out is told


def test_a_terminal_shows_its_last_200_lines_and_says_so() -> None:
    state = snapshot()
    state["terminals"]["x:1"]["output"] = output("\n".join(f"line {number}" for number in range(1000)))
    text = Page(transcript.turn_html(state, "r:1", "u")).text
    assert "line 999" in text
    assert "line 800" in text
    assert "line 799" not in text
    assert "only the last 200 lines are shown" in text


def test_a_huge_turn_is_bounded_and_says_what_is_missing() -> None:
    state = snapshot()
    call = state["toolCalls"]["t:call_1"]
    call["content"] = [{"type": "content", "content": {"type": "text", "text": "z" * 1000}} for _ in range(500)]
    for number in range(2000):
        key = f"a:{number + 2}"
        text = f"message {number} " + "y" * 30_000 * (number == 7) + "x" * 500
        state["messages"][key] = {"role": "agent", "content": [{"type": "text", "text": text}], "turn": "r:1"}
        state["timeline"].append(key)
    for text in (transcript.turn_html(state, "r:1", "u"), transcript.turn_markdown(state, "r:1")):
        assert len(text) < 1.1 * transcript.LIMIT
        assert "entries are not shown: this transcript is cut to about 300 kB" in text
        assert "message 1999" in text
        assert "Fix it." in text
        assert "more characters]" in text
        assert "items are not shown" in text


# --- nothing but text

CORPUS = [
    "<script>alert(1)</script>",
    "</pre></div><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<svg/onload=alert(1)>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<style>*{background:url(https://evil.example)}</style>",
    '" onmouseover="alert(1)" x="',
    "' style='position:fixed' '",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<!--><script>alert(1)</script-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php x ?>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "<javascript:alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "x\n````\n<img src=x onerror=alert(1)>\n````",
    "```\n</pre><script>alert(1)</script>\n```\n[y](javascript:alert(1))",
    "`````\n``````\n`~~~`\n~~~\n<b>x</b>",
    "~~~\n<b>x</b>\n~~~\n",
    "`` ` `` <b>x</b> `",
    "`" * 40,
    "$\\href{javascript:alert(1)}{x}$ \\(\\href{javascript:alert(1)}{x}\\)",
    "$$\\class{evil}{x}$$",
    "\u202egpj.exe\u2066\u2069",
    "rm\u200b -rf \u00a0/\ufeff",
    "\x00\x07\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07",
    "a\r\nb\rc\u2028d\u2029e",
    "\ud800",
    "    indented <b>x</b>",
    "> quote <b>x</b>",
    "- item\n\n      ```\n      <b>x</b>",
    "| a | b |\n|---|---|\n| <b>x</b> | ![y](z) |",
    "www.evil.example https://evil.example ftp://evil.example",
    "# Heading\n---\n**bold** <b>x</b>",
    "&lt;script&gt;",
]


def poison(value: Any, evil: str) -> Any:
    """Every string that an agent chose, replaced."""
    if isinstance(value, str):
        return evil
    if isinstance(value, list):
        return [poison(item, evil) for item in value]
    if isinstance(value, dict):
        return {key: item if key in _OURS else poison(item, evil) for key, item in value.items()}
    return value


_OURS = {"type", "turn", "toolCallId", "terminalId", "output", "by", "format", "role", "echo", "optionId"}


def poisoned(evil: str, keep: tuple[str, ...] = ()) -> dict[str, Any]:
    state = snapshot()
    for group in ("messages", "toolCalls", "terminals", "permissions", "plans", "notices", "unknownUpdates", "turns"):
        for entity in state[group].values():
            status = entity.get("status")
            entity.update({key: item if key in _OURS else poison(item, evil) for key, item in entity.items()})
            if "status" in keep:
                entity["status"] = status
    state["terminals"]["x:1"]["output"] = output(evil.encode("utf-8", "replace").decode())
    return state


@pytest.mark.parametrize("keep", [(), ("status",)])
@pytest.mark.parametrize("evil", CORPUS)
def test_html_holds_agents_words_as_text_only(evil: str, keep: tuple[str, ...]) -> None:
    state = poisoned(evil, keep)
    page = check(transcript.turn_html(state, "r:1", "u"))
    assert set(page.values) <= {"acp-transcript acp-transcript-u mathjax_ignore tex2jax_ignore", "auto"}
    check(transcript.session_html(state, evil))


RENDER = mistune.create_markdown(
    escape=False, plugins=["table", "url", "strikethrough", "task_lists", "footnotes", "math"]
)
MARKDOWN_TAGS = {"p", "strong", "em", "pre", "code", "ul", "li", "hr"}


def check_markdown(source: str) -> None:
    page = Page(str(RENDER(source)).replace("<hr />", "<hr></hr>"))
    assert page.tags <= MARKDOWN_TAGS
    assert page.attributes <= {"class"}
    assert set(page.values) <= {"language-text", "language-diff"}


@pytest.mark.parametrize("keep", [(), ("status",)])
@pytest.mark.parametrize("evil", CORPUS)
def test_markdown_holds_agents_words_in_code_only(evil: str, keep: tuple[str, ...]) -> None:
    check_markdown(transcript.turn_markdown(poisoned(evil, keep), "r:1"))
    check_markdown(transcript.session_markdown(poisoned(evil, keep)))


@settings(max_examples=25, deadline=None)
@given(st.text(st.sampled_from("`~<>&\"'[]()!$\\*_#- \n\rabc\u202e\u2028"), max_size=40))
def test_no_mix_of_special_characters_gets_out_of_its_place(evil: str) -> None:
    state = poisoned(evil)
    check(transcript.turn_html(state, "r:1", "u"))
    check_markdown(transcript.turn_markdown(state, "r:1"))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["messages", "toolCalls", "terminals", "permissions", "plans", "notices", "turns"]),
    _JSON,
    st.data(),
)
def test_fields_of_any_shape_never_stop_a_transcript(group: str, value: Any, data: st.DataObject) -> None:
    state = snapshot()
    entity = state[group][data.draw(st.sampled_from(sorted(state[group])))]
    field = data.draw(st.sampled_from(sorted(set(entity) - {"turn", "toolCallId"})))
    items = entity[field]
    if isinstance(items, list) and items and isinstance(items[0], dict) and data.draw(st.booleans()):
        items[0][data.draw(st.sampled_from(sorted(items[0])))] = value
    else:
        entity[field] = value
    check(transcript.turn_html(state, "r:1", "u"))
    check_markdown(transcript.turn_markdown(state, "r:1"))


def test_hidden_characters_are_seen_in_what_runs_and_what_is_asked() -> None:
    state = snapshot()
    state["permissions"]["p:2"]["subject"]["command"] = "ls \u202e fr-\u200bmr"
    state["permissions"]["p:2"]["title"] = "Li\u2066st?\n"
    for text in (Page(transcript.turn_html(state, "r:1", "u")).text, transcript.turn_markdown(state, "r:1")):
        assert "ls ⟨U+202E⟩ fr-⟨U+200B⟩mr" in text
        assert "Li⟨U+2066⟩st?" in text


def test_running_text_keeps_the_joiners_of_emoji_and_languages_but_not_what_turns_it_around() -> None:
    family = "👩\u200d👧 \u200f\u05d0\u05d1\u00a0"
    assert running(family) == family
    assert running("a\u202eb\x1b") == "a⟨U+202E⟩b⟨U+001B⟩"
    assert literal("a\tb\n\u00a0") == "a\tb\n⟨U+00A0⟩"
    assert literal("a\tb", one_line=True) == "a⟨U+0009⟩b"


def test_a_snapshot_is_only_read() -> None:
    state = snapshot()
    before = copy.deepcopy(state)
    transcript.session_html(state, "u")
    transcript.session_markdown(state)
    assert state == before


def test_long_lines_of_prose_are_broken_and_code_is_not() -> None:
    code = "x = " + "1 + " * 60
    text = markdown._wrapped("word " * 60 + "\n```\n" + code + "\n```")
    assert max(len(line) for line in text.split("\n") if not line.startswith("x")) <= markdown.WIDTH
    assert code in text
