"""Each payload in every text field: in every repr and every export it is text, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import mistune
import pytest

from acp_widget import Agent, Turn
from acp_widget.export import transcript
from acp_widget.export.page import session_page
from acp_widget.session.state import State

from .hostile.corpus import KINDS, LIVES, Json, Mixed, Payload, Words, heard, ids, made_up, named, payloads
from .hostile.inert import CANARY, WHOLE, Inert, hidden
from .state_host import Host


def of(kind: str) -> list[Payload]:
    return [payload for payload in payloads() if payload.kind == kind]


@cache
def lived(payload: Payload, life: str) -> tuple[State, dict[str, str]]:
    words = Words(payload)
    return heard(LIVES[life](words)), words.canaries


def turns(state: State) -> list[Turn]:
    host = Host()
    host.reader = state
    return [Turn(host, key) for key in state.keys("turns")]  # type: ignore[arg-type]


def results(turn: Turn) -> Iterator[Any]:
    """All that a user reads of a turn, each by itself and in its list."""
    yield turn
    lists = (turn.messages, turn.thoughts, turn.tool_calls, turn.terminals, turn.permissions)
    for found in (*lists, turn.diffs, turn.files, turn.code_blocks):
        yield found
        yield from found
    for diff in turn.diffs:
        yield from diff.changes
    if turn.plan is not None:
        yield turn.plan
        yield from turn.plan.entries
    if turn.usage is not None:
        yield turn.usage


def wrong(payload: Payload, where: str, found: Iterable[object]) -> list[str]:
    return [f"{payload.id}, {where}: {each}" for each in found]


# --- the corpus itself


def test_each_text_has_a_canary_of_its_own() -> None:
    seen: dict[str, str] = {}
    for payload in payloads():
        for life in LIVES:
            _, canaries = lived(payload, life)
            for field, canary in canaries.items():
                assert seen.setdefault(canary, f"{payload.id} {field}") == f"{payload.id} {field}"
                assert CANARY.fullmatch(canary)
    assert len(payloads()) > 200


def strings_of_the_schema() -> set[str]:
    """The names of all fields that hold text in what an agent sends."""
    definitions = json.loads((Path(__file__).parent / "schema" / "acp-v2.schema.json").read_text())["$defs"]
    sent = [
        "UpdateSessionNotification",
        "RequestPermissionRequest",
        "InitializeResponse",
        "NewSessionResponse",
        "Error",
    ]
    names: set[str] = set()
    todo, seen = list(sent), set()

    def is_text(value: Json) -> bool:
        if "const" in value:
            return False
        kind = value.get("type")
        if kind == "string" or (isinstance(kind, list) and "string" in kind):
            return True
        inner = [*value.get("anyOf", ()), *value.get("oneOf", ()), *value.get("allOf", ())]
        if "$ref" in value:
            inner.append(definitions[value["$ref"].rpartition("/")[2]])
        return any(map(is_text, inner))

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for name, field in value.get("properties", {}).items():
                if is_text(field) or (field.get("type") == "array" and is_text(field["items"])):
                    names.add(name)
            if "$ref" in value:
                todo.append(value["$ref"].rpartition("/")[2])
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            walk(definitions[name])
    return names


def filled(value: Any, name: str = "") -> Iterator[str]:
    """The names of the fields that hold a canary."""
    if isinstance(value, str):
        if CANARY.search(value):
            yield name
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from filled(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from filled(each, name)


def test_every_text_field_of_the_protocol_is_filled() -> None:
    words = Words(payloads()[0])
    records = [record for life in LIVES.values() for record in life(words)]
    # `data` of terminals, and `blob`, are base64; sizes are those of icons; `sessionId` is never shown.
    known = {"sessionId", "sessionUpdate", "sizes", "blob"}
    assert strings_of_the_schema() - set(filled(records)) - known == set()


# --- HTML


@pytest.mark.parametrize("kind", KINDS)
def test_a_transcript_holds_nothing_but_text(kind: str) -> None:
    found = []
    for payload in of(kind):
        for life in LIVES:
            state, _ = lived(payload, life)
            page = Inert(transcript.session_html(state.snapshot(), payload.text))
            found += wrong(payload, life, [*page.wrong, *hidden(page.text)])
    assert found == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_its_own_holds_nothing_but_text(kind: str) -> None:
    found = []
    for number, payload in enumerate(of(kind)):
        for life in ("died", "all") if number % 6 == 0 else ("died",):
            source = session_page(lived(payload, life)[0].snapshot(), written=0.0)
            source.encode()  # a file can hold it
            page = Inert(source, WHOLE)
            found += wrong(payload, life, [*page.wrong, *hidden(page.text)])
    assert found == []


def check_results(chosen: Iterable[Payload]) -> None:
    found = []
    for payload in chosen:
        for turn in turns(lived(payload, "all")[0]):
            for result in results(turn):
                bundle = result._repr_mimebundle_()
                page = Inert(bundle["text/html"])
                plain = bundle["text/plain"] + bundle["text/markdown"]
                found += wrong(payload, repr(result)[:80], [*page.wrong, *hidden(page.text), *hidden(plain)])
    assert found == []


def test_results_hold_nothing_but_text() -> None:
    check_results(payloads()[::9])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_results_hold_nothing_but_text(kind: str) -> None:
    check_results(of(kind))


def test_what_is_tested_is_there() -> None:
    """The fields that a transcript shows are there, as text: what is never drawn cannot fail."""
    payload = payloads()[0]
    shown = "prompt thought message.text message.type message.value code call.title call.only.name call.run diff.path "
    shown += "diff.oldPath diff.patch.line diff.patch.section diff.odd.patch diff.broken diff.fileType diff.mime "
    shown += "terminal.command terminal.cwd terminal.output terminal.chunk terminal.signal tool.text call.item "
    shown += "permission.title permission.command permission.cwd permission.value option.allow option.odd plan.entry "
    shown += "plan.markdown plan.value notice.title notice.description notice.severity compaction.error unknown "
    shown += "unknown.type stopReason error.message stop.message refused call.location message.uri message.bare.uri"
    state, canaries = lived(payload, "all")
    text = Inert(transcript.session_html(state.snapshot(), "u")).text
    assert [field for field in shown.split() if canaries[field] not in text] == []


def test_ids_that_are_names_of_something_else_are_only_ids() -> None:
    state = heard(named())
    page = Inert(transcript.session_html(state.snapshot(), "u"))
    assert [*page.wrong, *hidden(page.text)] == []
    for number in range(len(ids())):
        for told in (f"Said under the name {number}.", f"Call {number}", f"screen {number}", f"Step {number}"):
            assert told in page.text
    assert len(state.pending_permissions()) == len(ids())
    (turn,) = turns(state)
    for name in (name.replace("\ud800", "\ufffd") for name in ids()):  # half of a character is none
        assert turn.tool_calls[name].id == name
        page = Inert(turn.tool_calls[name]._repr_html_())
        assert [*page.wrong, *hidden(repr(turn.tool_calls[name]))] == []


# --- markdown

MARKDOWN = frozenset(["p", "strong", "em", "pre", "code", "ul", "li", "hr", "span", "div"])


def as_nbconvert(markdown: str) -> str:
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    return str(markdown2html_mistune(markdown))


def as_others(markdown: str) -> str:
    plugins = ["table", "url", "strikethrough", "task_lists", "footnotes", "math"]
    return str(mistune.create_markdown(escape=False, plugins=plugins)(markdown))


def check_markdown(chosen: Iterable[Payload], render: Callable[[str], str]) -> None:
    found = []
    for payload in chosen:
        told = transcript.session_markdown(lived(payload, "all")[0].snapshot())
        page = Inert(render(told).replace("<hr />", "<hr>"), MARKDOWN)
        found += wrong(payload, render.__name__, [*page.wrong, *hidden(told)])
    assert found == []


def test_markdown_becomes_nothing_but_text() -> None:
    check_markdown(payloads()[::18], as_nbconvert)


@pytest.mark.slow
@pytest.mark.parametrize("render", [as_nbconvert, as_others])
@pytest.mark.parametrize("kind", KINDS)
def test_all_markdown_becomes_nothing_but_text(kind: str, render: Callable[[str], str]) -> None:
    check_markdown(of(kind), render)


# --- what is drawn of it elsewhere


@pytest.mark.parametrize("language", ["mermaid", "math", "Mermaid", "geojson", "stl", "plantuml", "{mermaid}", "raw"])
def test_a_block_of_code_never_becomes_a_picture(language: str) -> None:
    """Front ends draw some languages, and what stands in them may load pictures from anywhere."""
    text = {"type": "text", "text": f"```{language}\nA@{{ img: 'https://evil.example' }}\n```\n"}
    host = Host()
    turn = host.turn()
    host.feed({"sessionUpdate": "agent_message", "messageId": "m", "content": [text]})
    (block,) = turn.code_blocks
    assert "```text\n" in block._repr_markdown_()
    assert f"```{language}" not in block._repr_markdown_()
    assert block.language == language


# --- recordings that somebody made up


def replayed(path: Path, words: Words) -> Agent:
    with path.open("wb") as file:
        for record in made_up(words):
            line = record if isinstance(record, str) else json.dumps(record)
            file.write(" ".join(line.splitlines()).encode("utf-8", "replace") + b"\n")
    agent = Agent.replay(path, speed=float("inf"))
    with ThreadPoolExecutor(1) as pool:  # in a thread with a loop, as Playwright's, a wait would patch asyncio for all
        pool.submit(agent.wait, 30).result()
    return agent


@pytest.mark.parametrize("shift", [0, 72, 144])
def test_a_made_up_recording_plays_to_its_end_and_is_only_text(tmp_path: Path, shift: int) -> None:
    words = Mixed(shift)
    with replayed(tmp_path / "made up.jsonl", words) as agent:
        assert agent.player is not None
        assert agent.player.end == "complete"
        assert agent.status == "failed"
        assert len(agent.player.notes) == 3
        data, _ = agent.widget._repr_mimebundle_()
        pages = [Inert(data["text/html"]), Inert(agent.to_html(), WHOLE)]
        shown = [agent.messages, agent.tool_calls, agent.terminals, agent.permissions, agent.log, *agent.turns]
        bundles = [each._repr_mimebundle_() for each in shown if hasattr(each, "_repr_mimebundle_")]
        pages += [Inert(bundle["text/html"]) for bundle in bundles]
        assert [each for page in pages for each in page.wrong] == []
        told = [page.text for page in pages] + [bundle["text/plain"] for bundle in bundles]
        told += [repr(each) for each in (agent, agent.player, agent.player.notes, agent.config, agent.commands)]
        told += [data["text/markdown"], agent.to_markdown(), str(agent.error), repr(agent.diagnostics)]
        assert [each for text in told for each in hidden(text)] == []
        assert words.canaries["event.said"] in agent.to_html()


def test_a_made_up_rule_is_none() -> None:
    state = heard([{"event": {"type": "rules", "rules": [5, None, {}, {"word": "allow", "text": 5}]}}])
    assert state.part("session")["rules"] == []
