"""A session as one file that needs nothing: `agent.to_html()`, `agent.to_markdown()`, and the command."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from acp_widget import Agent, commands
from acp_widget.export import page, pdf
from acp_widget.export.prose import LIMIT, prose
from acp_widget.recording import trace
from acp_widget.session.reducer import reduce
from acp_widget.session.state import State

from .hostile.inert import WHOLE, Inert

FIX = "The test for mean() fails on an empty list. Fix it."
TRACE = Path(__file__).parent / "traces" / "claude-agent-acp-0.49-full.jsonl"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Agent("demo", env={"ACP_WIDGET_DEMO_PACE": "0"}, permissions="allow") as agent:
        agent.run(FIX, show=False)
        agent.permissions = "reject"
        agent.run("/edit one more line", show=False)
        yield agent


def told(*updates: dict[str, Any], start: int = 0) -> dict[str, Any]:
    state = State()
    for update in updates:
        reduce(state, {"type": "update", "update": update, "at": float(start)})
    return state.snapshot()


def message(*blocks: dict[str, Any], message_id: str = "m") -> dict[str, Any]:
    return {"sessionUpdate": "agent_message", "messageId": message_id, "content": list(blocks)}


# --- the page ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        FIX,
        "demo agent 1.0.0",
        "2 turns",
        "3 of 3 done",
        '+        return float("nan")',
        "6 passed",
        "Allowed once by the policy",
        "Rejected by the policy",
        "Create NOTES.md?",
    ],
)
def test_the_page_tells_the_session(agent: Agent, words: str) -> None:
    shown = Inert(agent.to_html(), tags=WHOLE)
    assert shown.wrong == []
    assert words in shown.text


@pytest.mark.parametrize(
    "words", [FIX, "3 of 3 done", '+        return float("nan")', "6 passed", "Rejected by the policy"]
)
def test_the_markdown_tells_it_too(agent: Agent, words: str) -> None:
    assert words in agent.to_markdown()


def test_the_page_lets_nothing_in_and_nothing_out(agent: Agent) -> None:
    source = agent.to_html()
    assert "default-src 'none'" in source
    assert not re.search(r"<script|<link|@import|url\(|https?://", source)


def test_a_file_is_written_and_written_over(agent: Agent, tmp_path: Path) -> None:
    for path, write in ((tmp_path / "a.html", agent.to_html), (tmp_path / "a.md", agent.to_markdown)):
        path.write_text("old")
        assert write(path)[:200] == path.read_text(encoding="utf-8")[:200]
    with pytest.raises(OSError, match=r"No such"):
        agent.to_html(tmp_path / "nowhere" / "a.html")


def test_a_terminal_has_its_colours(agent: Agent) -> None:
    assert re.search(r'<span style="color:#[0-9a-f]{6}[^"]*">✓ passed</span>', agent.to_html())


def test_pictures_are_drawn_when_their_bytes_are_what_they_say() -> None:
    real = {"type": "image", "mimeType": "image/png", "data": PNG}
    svg = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"<svg onload=alert(1)>").decode()}
    source = page.session_page(told(message({"type": "text", "text": "Look"}, real, svg)), written=0)
    assert re.findall(r'<img src="([^"]*)"', source) == [f"data:image/png;base64,{PNG}"]
    assert "[image: image/png, 21 B]" in source


def test_what_is_too_long_is_cut_and_said() -> None:
    count = 400
    updates = [message({"type": "text", "text": f"{n} {'x' * 19_000}"}, message_id=str(n)) for n in range(count)]
    source = page.session_page(told(*updates), written=0)
    assert len(source) < page.LIMIT * 1.2
    assert "entries are not shown: this turn is cut" in source
    assert ">399 x" in source


def test_a_long_output_is_folded_and_nothing_of_it_lost() -> None:
    text = "\n".join(f"line {n}" for n in range(30))
    call = {"sessionUpdate": "tool_call_update", "toolCallId": "1", "title": "Read", "kind": "read"}
    block = {"type": "content", "content": {"type": "text", "text": text}}
    source = page.session_page(told({**call, "content": [block]}), written=0)
    assert "<summary>30 lines of output</summary>" in source
    assert text in source


# --- markdown of an agent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("**b** *e* ~~s~~ `c`", "<strong>b</strong> <em>e</em> <del>s</del> <code>c</code>"),
        ("[x](https://a.example/?q=1&r=2)", "x (https://a.example/?q=1&amp;r=2)"),
        ("[x](javascript:alert(1))", "x (javascript:alert(1))"),
        ("![p](http://a.example/p.png)", "[picture: p http://a.example/p.png]"),
        ("<b onclick=alert(1)>x</b>", "&lt;b onclick=alert(1)&gt;x&lt;/b&gt;"),
        ("[r]: http://a.example", "[r]: http://a.example"),
        ("# Head", "<b>Head</b></div>"),
        ("- [x] done\n- b", "<li>"),
        ("3. c", '<ol start="3"'),
        ("| a |\n|---|\n| <i> |", "&lt;i&gt;</td>"),
        ("```\n<script>\n```", "&lt;script&gt;</pre>"),
    ],
)
def test_markdown_is_drawn_and_stays_text(text: str, drawn: str) -> None:
    source = prose(text)
    assert drawn in source
    assert Inert(source).wrong == []


@pytest.mark.parametrize("piece", ["[", "![", "*a **b ", "`", "> ", "- ", "<a ", "|a|\n|-|\n", "[a](", "_*", "&", "\\"])
def test_markdown_that_is_made_to_be_slow_is_not(piece: str) -> None:
    """What would take minutes is shown as it is; the suite's time limit notices when it is not."""
    assert Inert(prose(piece * (LIMIT // len(piece)))).wrong == []


# --- the command ------------------------------------------------------------------------------------------------------


def test_a_recording_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jsonl"
    shutil.copy(TRACE, file)
    assert commands.main(["export", str(file)]) == 0
    assert commands.main(["export", str(file), "-o", str(tmp_path / "b.md")]) == 0
    assert (tmp_path / "b.md").read_text(encoding="utf-8").startswith("**You**")
    words = trace.play(trace.read(file)).state.snapshot()["messages"]
    said = next(each for each in words.values() if each["role"] == "agent")["content"][0]["text"]
    assert said.split()[0] in Inert((tmp_path / "a.html").read_text(encoding="utf-8"), tags=WHOLE).text
    assert capsys.readouterr().out == f"Written: {tmp_path / 'a.html'}\nWritten: {tmp_path / 'b.md'}\n"


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (None, "a.jsonl", "cannot be read"),
        ("", "a.jsonl", "shows no turn"),
        ("garbage\n", "a.jsonl", "is no JSON"),
        ("{}", "a.ipynb", "is no notebook"),
        ('{"cells": []}', "a.ipynb", "holds no turn"),
    ],
)
def test_what_cannot_be_exported_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, name: str, why: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    assert commands.main(["export", str(tmp_path / name)]) == 2
    assert why in capsys.readouterr().err
    assert not list(tmp_path.glob("*.html"))


def test_a_file_is_never_written_over_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jsonl"
    shutil.copy(TRACE, file)
    assert commands.main(["export", str(file), "-o", str(file)]) == 2
    assert file.read_bytes() == TRACE.read_bytes()


def test_turns_of_a_saved_notebook_are_exported_from_their_markdown_alone(tmp_path: Path, agent: Agent) -> None:
    bundle = agent.turns[0]._repr_mimebundle_()
    html = '<div class="acp-transcript acp-transcript-1"><script>alert(1)</script></div>'
    data = {"text/html": [html], "text/markdown": bundle["text/markdown"]}
    cell = {"cell_type": "code", "source": "", "outputs": [{"output_type": "display_data", "data": data}]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "x"}, cell]}))
    assert commands.main(["export", str(tmp_path / "a.ipynb")]) == 0
    shown = Inert((tmp_path / "a.html").read_text(encoding="utf-8"), tags=WHOLE)
    assert shown.wrong == []
    assert "Cell 2" in shown.text
    assert "alert" not in shown.text
    assert '+        return float("nan")' in shown.text


def test_a_notebook_without_markdown_tells_the_words_of_its_html(tmp_path: Path, agent: Agent) -> None:
    evil = '<script>alert(1)</script><p onclick="alert(2)" style="x:url(http://a)">words</p>'
    evil += '<iframe srcdoc="alert(3)"></iframe>'
    html = agent.turns[0]._repr_mimebundle_()["text/html"].replace("</div>", f"{evil}</div>", 1)
    html = f'<div class="acp-transcript acp-transcript-1">{html}</div>'
    cell = {"cell_type": "code", "outputs": [{"output_type": "display_data", "data": {"text/html": html}}]}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell]}))
    for form in ("html", "markdown"):
        assert commands.main(["export", str(tmp_path / "a.ipynb"), "--to", form]) == 0
    shown = Inert((tmp_path / "a.html").read_text(encoding="utf-8"), tags=WHOLE)
    assert shown.wrong == []
    for text in (shown.text, (tmp_path / "a.md").read_text(encoding="utf-8")):
        assert '+        return float("nan")' in text
        assert "words" in text
        assert "alert" not in text


def test_without_a_browser_a_pdf_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(pdf, "_NAMES", ())
    assert commands.main(["export", str(TRACE), "-o", str(tmp_path / "a.pdf")]) == 2
    assert "Install one, or set CHROMIUM" in capsys.readouterr().err


def test_a_pdf_is_printed(tmp_path: Path) -> None:
    assert commands.main(["export", str(TRACE), "-o", str(tmp_path / "a.pdf")]) == 0
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    assert b"/Type /Page" in (tmp_path / "a.pdf").read_bytes()
