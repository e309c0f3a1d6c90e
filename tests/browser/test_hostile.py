"""Whatever an agent says is text: 216 hostile texts in every text field do nothing, anywhere that they are shown."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from acp_widget import Turn
from acp_widget.export import transcript
from acp_widget.export.page import session_page
from acp_widget.session.state import State
from scripts import stories
from tests.hostile.corpus import (
    EVENTS,
    HEADER,
    LIVES,
    Json,
    Mixed,
    Words,
    canary,
    crowd,
    heard,
    ids,
    made_up,
    named,
    opening,
    payloads,
    recorded,
    waiting,
)
from tests.test_hostile import as_nbconvert, replayed, results, turns

from .conftest import OpenNotebook
from .session import expect_end, turn_view
from .traps import LIVE, Contents, Trapped, Traps

AGENT = Path(__file__).parents[1] / "hostile" / "agent.py"
SHIFTS = range(0, len(payloads()), len(payloads()) // 4)

# --- the traps


# What a page with an agent's words as HTML would do, and what is caught of it.
ACTING = {
    "<script>__pwned = 1</script>": "script: 1",
    "<img src=x onerror='__pwned = 2'>": "script: 2",
    "<p onclick='__pwned = 3' tabindex=0>x</p>": "script: 3",
    "<a href='javascript:__pwned = 4'>x</a>": "script: 4",
    "<iframe srcdoc='<script>__pwned = 5</script>'></iframe>": "script: 5",
    "<script>alert(6)</script>": "dialog: 6",
    "<img src=http://evil.example/7.png>": "request: http://evil.example/7.png",
    "<b style='background:url(http://evil.example/8.png)'>x</b>": "request: http://evil.example/8.png",
    "<img src=770000000001-x>": "request: http://page.test/770000000001-x",
    "<p oninput=''>x</p>": "policy: script-src-attr inline",
    "<a href='#x'>x</a>": "navigation: http://page.test/#x",
    "<object data='data:text/html,x'></object>": "frame: ",
    "<script>open('http://evil.example/9')</script>": "window: http://evil.example/9",
    "<script>console.error('10')</script>": "console: 10",
    "<script>throw 11</script>": "exception: 11",
    "<script>document.execCommand('copy')</script>": "clipboard: copy",
    "<script>document.title = '12'</script>": "title: 12",
    "<a download=13 href='data:,x'>x</a>": "download: 13",
}
LEAVING = (
    "<meta http-equiv=refresh content='0;url=http://evil.example/14'>",
    "<form action=http://evil.example/14><button>x</button></form>",
)
WRONG = (
    "<script>",
    "<iframe>",
    "onerror",
    "a href=javascript:__pwned = 4",
    "background:url(http://evil.example/8.png)",
)


def test_each_trap_springs(static: Trapped) -> None:
    static.show(f"<!doctype html><title>x</title><div class=here>{''.join(ACTING)}</div>", "x")
    static.settle()
    wrong = Contents(static.page, ".here", links=True).wrong
    assert [each for each in WRONG if each not in wrong] == []
    static.click_all(".here")
    caught = static.settle()
    assert [html for html, what in ACTING.items() if not any(each.startswith(what) for each in caught)] == [], caught


@pytest.mark.parametrize("html", LEAVING)
def test_a_page_that_leaves_is_caught(static: Trapped, html: str) -> None:
    static.show(f"<!doctype html><title>x</title><div class=here>{html}</div>", "x")
    static.settle()
    if "<form" in html:
        static.click_all(".here")
    assert any(each.startswith("request: http://evil.example/14") for each in static.settle())


@pytest.fixture
def static(context: BrowserContext) -> Iterator[Trapped]:
    page = Trapped(context)
    yield page
    page.close()


# --- the live view


def story(name: str, state: State) -> dict[str, Any]:
    return {"name": name, "title": name, "group": "hostile", "state": {"seq": 1, **state.snapshot()}}


def everybody() -> Iterator[Json]:
    """One session with every payload in what is read in a way of its own."""
    yield from opening(Words(payloads()[0]))
    yield from crowd(payloads(), 10)


class Drawn:
    """The story page with sessions of its own, everything in it open."""

    def __init__(self, page: Trapped, folder: Path, told: list[dict[str, Any]]) -> None:
        self.trapped, self.page = page, page.page
        stories.write(folder, told)

    def open(self, address: str) -> None:
        self.trapped.open(address)
        self.page.locator("html[data-ready]").wait_for(state="attached", timeout=60_000)
        self.page.evaluate("() => window.openAll(document.body)")

    def expect_inert(self) -> dict[str, str]:
        """Nothing happened, nothing stands in it that could, and nothing happens when all of it is pressed.

        What each session says, labels too.
        """
        assert self.trapped.settle() == []
        assert Contents(self.page, ".here", links=True).wrong == []
        texts: dict[str, str] = self.page.evaluate(_TEXTS)
        for tab in ("Raw input", "Raw output"):
            self.page.evaluate(_RAW, tab)
            assert Contents(self.page, ".here", links=True).wrong == []
            texts = {name: texts[name] + text for name, text in self.page.evaluate(_TEXTS).items()}
        assert self.trapped.click_all(".here") > 100
        assert self.trapped.settle() == []
        return texts


_TEXTS = """() => Object.fromEntries([...document.querySelectorAll(".story")].map(story => {
    const here = story.querySelector(".here");
    const said = [...here.querySelectorAll("*")].flatMap(element => [...element.attributes].map(({ value }) => value));
    return [story.id, [here.textContent, ...said].join("\\n")];
}))"""
# One of the tabs that show one raw value at a time.
_RAW = """async name => {
    for (const button of document.querySelectorAll(".acp-tabs button"))
        if (button.textContent === name && button.getAttribute("aria-expanded") === "false") button.click();
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.all([...document.querySelectorAll(".acp-tabs + .acp-item")].map(item => window.openAll(item)));
}"""


@contextmanager
def drawn(context: BrowserContext, folder: Path, told: list[dict[str, Any]]) -> Iterator[Drawn]:
    with stories.served(folder) as address:
        page = Trapped(context, own=address, policy=LIVE, harmless=lambda what: what.startswith("download: "))
        try:
            shown = Drawn(page, folder, told)
            shown.open(address)
            yield shown
        finally:
            page.close()


# Never drawn: what nobody is told, or only in Python.
UNSEEN = {
    "all": "auth. session.label mcp.type agent.name prompt state thought.id message.id loose.id compaction.id "
    "permission.more notice.key notice.more wrong state._meta error.key error.data",
    "died": "auth. session.label mcp.type agent.name config.grouped death.name option.yes option.about permission.more",
    "login": "session.label mcp.type agent.name auth.id auth.type config.grouped",
}
UNSEEN_OF_BLOCKS = (".audience", ".noteKey", ".link.name", ".icon.src", ".icon.mimeType", ".icon.theme")


CROWD = ("message", "uri", "name", "image", "line", "title", "location", "text", "key", "input", "command", "output")


def is_unseen(life: str, field: str) -> bool:
    return field.startswith(tuple(UNSEEN[life].split())) or field.endswith(UNSEEN_OF_BLOCKS)


def player(path: Path) -> dict[str, Any]:
    """A recording that somebody made up, with the bar that plays it."""
    with replayed(path, Mixed(0)) as agent:
        return story("player", agent._driver.state)


def test_the_live_view_shows_it_all_as_text(context: BrowserContext, tmp_path: Path) -> None:
    mixed = {f"{life}-{shift}": (life, Mixed(shift)) for life in LIVES for shift in SHIFTS}
    told = [story(name, heard(LIVES[life](words))) for name, (life, words) in mixed.items()]
    told += [story("crowd", heard(everybody())), story("ids", heard(named())), player(tmp_path / "made up.jsonl")]
    with drawn(context, tmp_path, told) as shown:
        texts = shown.expect_inert()
    every = [
        (life, field, words.canaries[field] in texts[name])
        for name, (life, words) in mixed.items()
        for field in words.canaries
    ]
    seen = {(life, field) for life, field, is_there in every if is_there}
    assert {(life, field) for life, field, _ in every if not is_unseen(life, field)} - seen == set()
    crowded = [(payload, field) for payload in payloads() for field in (*CROWD, "step")]
    lost = [
        (payload.id, field)
        for payload, field in crowded
        if canary(payload.number, f"crowd.{field}") not in texts["crowd"]
    ]
    for number in range(len(ids())):
        for said in (f"Said under the name {number}.", f"Call {number}", f"screen {number}", f"Question {number}"):
            assert said in texts["ids"]
    # What a terminal obeys leaves no trace, a file's address has no query, and of a code's language a word is shown.
    known = [("links: file", "uri"), ("markdown: many backquotes", "message"), ("markdown: many backquotes", "text")]
    assert [each for each in lost if each[1] != "output" and each not in known] == []


# --- what stands in a saved notebook


def outputs(shifts: Iterable[int]) -> Iterator[dict[str, str]]:
    """Outputs of cells that show turns and their results: some as they are, some only as markdown or as plain text."""
    for life in LIVES:
        for shift in shifts:
            state = heard(LIVES[life](Mixed(shift)))
            whole = state.snapshot()
            yield {"text/html": transcript.session_html(whole, "u")}
            yield {"text/markdown": transcript.session_markdown(whole)}
            for turn in turns(state):
                yield {"text/html": transcript.turn_html(whole, turn._key, "u")}
                for result in results(turn):
                    bundle = result._repr_mimebundle_()
                    yield {name: bundle[name] for name in ("text/plain", "text/html")}
                    if not isinstance(result, Turn):
                        yield {"text/markdown": bundle["text/markdown"]}
                        yield {"text/plain": bundle["text/plain"]}
    state = heard(everybody())
    yield {"text/html": transcript.session_html(state.snapshot(), "u")}
    yield {"text/markdown": transcript.session_markdown(state.snapshot())}


def notebook_of(shown: Iterable[dict[str, str]]) -> Any:
    data = [nbformat.v4.new_output("display_data", data=each) for each in shown]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("turn", outputs=data)])


def converted(notebook: Any) -> str:
    from nbconvert import HTMLExporter

    html, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
    return str(html)


def test_a_notebook_of_it_converts_to_text(context: BrowserContext) -> None:
    empty = Trapped(context, policy="")
    empty.show(converted(notebook_of([{"text/plain": "x"}])), "Notebook")
    own = set(empty.settle())  # what nbconvert's own page wants from other servers
    empty.close()
    assert own
    page = Trapped(context, policy="", harmless=own.__contains__)
    page.show(converted(notebook_of(outputs(SHIFTS[:2]))), "Notebook")
    assert page.settle() == []
    for part in (".jp-OutputArea-output", ".acp-transcript", ".acp-result"):
        assert Contents(page.page, part, links=False).wrong == []
    page.click_all(".jp-OutputArea-output")
    assert page.settle() == []
    page.close()


# --- JupyterLab

CELLS = (
    f"from acp_widget import Agent\nagent = Agent({[sys.executable, str(AGENT)]!r}, permissions='reject')",
    "turn = agent.prompt('mixed 0')\nturn.wait().status",
    "turn = agent.prompt('crowd')\nturn.wait().status",
    # As HTML, and as the markdown of other front ends; `turn` is the transcript that stands beside its view.
    "from IPython.display import display\nfirst = agent.turns[0]\n"
    "lists = [first.messages, first.tool_calls, first.permissions, first.terminals, first.diffs, first.code_blocks]\n"
    "for shown in [*lists, first.plan, agent.config, agent.commands, agent.diagnostics]: display(shown)\n"
    "for shown in [first, turn]: display({'text/html': shown._repr_html_()}, raw=True)\n"
    "for shown in [*lists, first, *turn.code_blocks]: display({'text/markdown': shown._repr_markdown_()}, raw=True)",
    "for shown in lists: display(shown.to_frame())",
)
# What JupyterLab itself says.
ITS_OWN = (
    "console: Disabling terminals plugin",
    "console: Plugin @jupyter",  # "… is taking too long to activate": the machine is busy
    "console: Failed to load resource: the server responded with a status",
)


def test_in_jupyterlab_it_is_text(open_notebook: OpenNotebook) -> None:
    traps: list[Traps] = []

    def prepare(page: Page) -> None:
        traps.append(Traps(page, harmless=lambda what: what.startswith(ITS_OWN)))

    notebook = open_notebook(CELLS, height=2000, prepare=prepare)
    (trapped,) = traps
    trapped.stay()
    for cell in range(len(CELLS)):
        notebook.run(cell)
        assert not any(each["output_type"] == "error" for each in notebook.outputs(cell)), notebook.text(cell)
    assert notebook.text(1).endswith("'done'")
    expect_end(turn_view(notebook, 2))
    expect(turn_view(notebook, 2)).to_contain_text(canary(1, "crowd.message"))
    open_all(turn_view(notebook, 1))
    assert trapped.settle() == []
    for cell in (1, 2, 3):
        part = f'.jp-Notebook .jp-Cell[data-windowed-list-index="{cell}"] .jp-Cell-outputArea'
        assert Contents(notebook.page, part, links=True).wrong == []
        assert notebook.page.locator(f"{part} mjx-container, {part} .jp-RenderedMermaid").count() == 0
    for cell in (1, 3):
        assert trapped.click_all(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{cell}"] .jp-Cell-outputArea') > 0
    # What a reader saves is saved.
    assert [each for each in trapped.settle() if not each.startswith("download: ")] == []


def open_all(view: Locator) -> None:
    """Open every fold, as a curious user would."""
    view.evaluate(
        """async view => {
            for (let round = 0; round < 3; round += 1) {
                for (const fold of view.querySelectorAll("[aria-expanded=false]:not([role=combobox])")) fold.click();
                await new Promise(done => requestAnimationFrame(done));
            }
        }"""
    )


# --- a page of its own, and recordings that somebody made up


def test_a_page_of_its_own_is_text(static: Trapped) -> None:
    for life, shift in (("all", SHIFTS[0]), ("all", SHIFTS[1]), ("died", SHIFTS[2])):
        static.show(session_page(heard(LIVES[life](Mixed(shift))).snapshot(), written=0.0), None)
        assert Contents(static.page, "main", links=False).wrong == []
        static.click_all("main")
        assert static.settle() == []
    static.show(session_page(heard(everybody()).snapshot(), written=0.0), None)
    assert canary(1, "crowd.message") in (static.page.text_content("main") or "")
    assert static.settle() == []


def odd_events() -> Iterator[dict[str, Any]]:
    """Sessions each of which ends with an event that no session of ours tells."""
    for number, event in enumerate(EVENTS):
        words = Mixed(number)
        last = {"t": 1, "event": event}
        yield story(f"early-{number}", recorded([HEADER, last]))
        yield story(f"late-{number}", recorded([HEADER, *opening(words), *waiting(words, 30), last]))
    for shift in SHIFTS:
        yield story(f"made-up-{shift}", recorded(made_up(Mixed(shift))))


@pytest.mark.slow
def test_the_live_view_of_a_made_up_recording_is_text(context: BrowserContext, tmp_path: Path) -> None:
    with drawn(context, tmp_path, list(odd_events())) as shown:
        broken = shown.page.locator(".story").filter(has_text="cannot be drawn.")
        assert [each.get_attribute("id") for each in broken.all()] == []
        texts = shown.expect_inert()
        assert [name for name, text in texts.items() if len(text.strip()) < 10] == []


# --- each text alone, in every field

BATCHES = range(0, len(payloads()), 12)


@pytest.mark.slow
@pytest.mark.parametrize("first", BATCHES)
def test_each_text_alone_is_text_in_the_live_view(context: BrowserContext, tmp_path: Path, first: int) -> None:
    told = [
        story(f"{life}-{payload.number}", heard(LIVES[life](Words(payload))))
        for payload in payloads()[first : first + 12]
        for life in LIVES
    ]
    with drawn(context, tmp_path, told) as shown:
        shown.expect_inert()


@pytest.mark.slow
@pytest.mark.parametrize("first", BATCHES)
def test_each_text_alone_is_text_where_nothing_is_live(static: Trapped, first: int) -> None:
    for payload in payloads()[first : first + 12]:
        for life in LIVES:
            state = heard(LIVES[life](Words(payload)))
            whole = state.snapshot()
            shown = [result._repr_html_() for turn in turns(state) for result in results(turn)]
            shown += [transcript.session_html(whole, "u"), as_nbconvert(transcript.session_markdown(whole))]
            static.show(f"<!doctype html><title>x</title><div class=here>{''.join(shown)}</div>", "x")
            assert Contents(static.page, ".here", links=False).wrong == []
            static.click_all(".here")
            static.show(session_page(whole, written=0.0), None)
            assert Contents(static.page, "main", links=False).wrong == []
            assert static.settle() == []


# Texts that do nothing as the HTML of a page: they wait for another reader, or for one that is not there any more.
HARMLESS_AS_HTML = 0.3


@pytest.mark.slow
def test_most_of_the_texts_would_do_something_as_html(context: BrowserContext) -> None:
    """As HTML, and not as text, they spring the traps: else it would say little that they do not."""
    chosen = [payload for payload in payloads() if payload.kind in ("html", "svg")]
    idle = [payload.id for payload in chosen if not acts(context, Words(payload)("raw"))]
    assert len(idle) < HARMLESS_AS_HTML * len(chosen), idle


def acts(context: BrowserContext, html: str) -> bool:
    page = Trapped(context)
    try:
        page.show(f"<!doctype html><title>x</title><div class=here>{html}", "x")
        page.settle()
        page.click_all("body")
        return bool(page.settle())
    finally:
        page.close()
