"""What `@` offers in the composer, and what of it goes with the prompt."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_widget import Agent, composer
from acp_widget.content import files, mentions
from acp_widget.content.attached import TOTAL
from acp_widget.content.walk import below
from acp_widget.errors import AcpError
from acp_widget.host.roots import Roots
from acp_widget.prompts import Prompts

from .agents.scripted import scripted, until
from .agents.telling import ALL, telling
from .state_host import Host


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    yield made
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What an agent works in, beside other things."""
    made = tmp_path / "project"
    made.mkdir()
    return made


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")


def texts(folder: Path, typed: str) -> list[str]:
    return [item["text"] for item in mentions.offers(Roots([str(folder)]), typed)[0]]


class Page:
    """The front end of a session: what it sends, and the results that it gets."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._results: dict[str, Any] = {}
        self._count = 0
        self._widget = agent.widget
        self._widget.send = self._receive

    def _receive(self, content: Any, buffers: object = None) -> None:
        if content["type"] == "result":
            self._results[content["id"]] = content

    def send(self, **message: Any) -> str:
        self._count += 1
        identity = str(self._count)
        content = {"id": identity, **message}
        self._widget._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
        return identity

    def result(self, identity: str) -> Any:
        until(lambda: identity in self._results)
        return self._results[identity]

    def act(self, **message: Any) -> Any:
        return self.result(self.send(**message))

    def prompt(self, text: str, **must: bool) -> list[dict[str, Any]]:
        """The blocks that reached the agent."""
        result = self.act(type="prompt", text=text, mentions=must)
        assert result["ok"], result["error"]
        return self.blocks()

    def blocks(self) -> list[dict[str, Any]]:
        """What the agent was sent last."""
        self.agent.wait(20)
        blocks: list[dict[str, Any]] = json.loads(self.agent.turns[-1].text)
        return blocks


def open_page(tmp_path: Path, folder: Path, capabilities: object = ALL, **options: Any) -> Page:
    return Page(Agent(scripted(tmp_path, telling(capabilities)), cwd=folder, **options))


@pytest.fixture
def page(shell: InteractiveShell, tmp_path: Path, folder: Path) -> Iterator[Page]:
    made = open_page(tmp_path, folder)
    with made.agent:
        yield made


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "acp-widget-mentions"]


# --- the list


def test_the_list_has_your_variables_the_newest_first_then_files_near_ones_first(page: Page, folder: Path) -> None:
    write(folder, "b.py", "a.txt", "src/stats.py")
    shell = InteractiveShell.instance()
    shell.run_cell("import os\ndef f(): pass\nclass C: pass\n_private = 1\nxs = [1]\nname = 'a b'\nxs")
    result = page.act(type="mention", typed="", names=["xs", "a.txt", "src", "nobody"])
    assert result["value"] == {
        "items": [
            {"text": "name", "kind": "variable", "detail": "str, 3 characters"},
            {"text": "xs", "kind": "variable", "detail": "list, 1 item"},
            {"text": "a.txt", "kind": "file", "detail": "5 B"},
            {"text": "b.py", "kind": "file", "detail": "4 B"},
            {"text": "src/", "kind": "folder", "detail": ""},
            {"text": "src/stats.py", "kind": "file", "detail": "12 B"},
        ],
        "more": "",
        "found": {
            "xs": {"kind": "variable", "detail": "list, 1 item"},
            "a.txt": {"kind": "file", "detail": "5 B"},
            "src": {"kind": "folder", "detail": ""},
            "nobody": None,
        },
    }
    asked_for_names_only = page.act(type="mention", typed=None, names=["xs"])["value"]
    assert (asked_for_names_only["items"], list(asked_for_names_only["found"])) == ([], ["xs"])
    assert [item["text"] for item in page.act(type="mention", typed="_p", names=[])["value"]["items"]] == ["_private"]


def test_outside_of_ipython_there_are_files_only(folder: Path) -> None:
    write(folder, "a.py")
    InteractiveShell.clear_instance()
    assert texts(folder, "") == ["a.py"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("stats", ["stats", "statsmodel", "stats.py", "lib/stats.py", "old_stats", "lib/s_tats_ex"]),
        ("STATS.PY", ["stats.py", "lib/stats.py"]),
        ("lib/st", ["lib/stats.py", "lib/s_tats_ex"]),
        ("lib", ["lib/", "lib/stats.py", "lib/s_tats_ex"]),
        ("./st", ["./stats.py", "./lib/stats.py", "./lib/s_tats_ex"]),
        ("zzz", []),
        ("lib/nothing/", []),
    ],
)
def test_what_fits_best_comes_first(shell: InteractiveShell, folder: Path, typed: str, expected: list[str]) -> None:
    write(folder, "stats.py", "lib/stats.py", "lib/s_tats_ex", "other.txt")
    shell.user_ns.update(stats=1, statsmodel=2, old_stats=3)
    assert texts(folder, typed) == expected


@pytest.mark.parametrize(("variables", "files_there"), [(30, 30), (30, 3), (3, 30)])
def test_twenty_are_shown_some_of_each_and_it_says_how_many_more(
    shell: InteractiveShell, folder: Path, variables: int, files_there: int
) -> None:
    write(folder, *(f"file{number}" for number in range(files_there)))
    shell.user_ns.update({f"var{number}": number for number in range(variables)})
    items, more = mentions.offers(Roots([str(folder)]), "")
    kinds = [item["kind"] for item in items]
    assert len(items) == 20
    assert kinds.count("file") >= min(files_there, 8)
    assert kinds.count("variable") >= min(variables, 12)
    assert more == f"{variables + files_there - 20} more: type on."


def test_hidden_files_and_those_that_programs_made_come_only_when_they_are_typed(folder: Path) -> None:
    write(folder, ".env", ".github/ci.yml", "node_modules/x/y.js", "__pycache__/a.pyc", "a.py")
    assert texts(folder, "") == ["a.py"]
    assert texts(folder, "x") == []
    assert texts(folder, ".e")[0] == ".env"
    assert texts(folder, ".")[:2] == [".env", ".github/"]
    assert texts(folder, ".github/") == [".github/ci.yml"]
    assert texts(folder, "node_m") == ["node_modules/"]
    assert texts(folder, "node_modules/") == ["node_modules/x/", "node_modules/x/y.js"]


def test_a_huge_folder_is_looked_at_in_part_and_the_list_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, *(f"deep/{number}.txt" for number in range(300)), "near.txt")
    roots = Roots([str(folder)])
    found, whole = below(roots, "", entries=100)
    assert (len(found), whole) == (100, False)
    assert "near.txt" in [each.text for each in found]
    assert below(roots, "", seconds=-1)[1] is False
    found, whole = below(roots, "", entries=400)
    assert (len(found), whole) == (302, True)
    monkeypatch.setattr(mentions, "below", lambda roots, typed: below(roots, typed, entries=100))
    assert mentions.offers(roots, "")[1] == "80 more: type on. Not all files were looked at."


def test_names_that_no_mention_can_hold_or_that_show_as_others_are_left_out(folder: Path) -> None:
    names = ["a\nb", 'a"b', "a\u202eb", "a\u2028b", "ok é 漢", "a\x07b"]
    write(folder, *names)
    (folder / os.fsdecode(b"a\xffb")).write_text("")
    assert texts(folder, "") == ["ok é 漢"]


def test_links_that_lead_out_and_what_is_no_file_are_neither_listed_nor_found(
    page: Page, tmp_path: Path, folder: Path
) -> None:
    write(tmp_path, "secret/key")
    write(folder, "in/a.txt")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "key").symlink_to(tmp_path / "secret" / "key")
    (folder / "near").symlink_to(folder / "in")
    (folder / "gone").symlink_to(folder / "nothing")
    (folder / "round").symlink_to(folder / "round")
    os.mkfifo(folder / "pipe")
    assert texts(folder, "") == ["in/", "near/", "in/a.txt"]
    assert texts(folder, "out/") == []
    assert texts(folder, "near/") == ["near/a.txt"]
    names = ["out", "out/key", "key", "gone", "round", "pipe", "near/a.txt"]
    assert [name for name, what in mentions.found(Roots([str(folder)]), names).items() if what] == ["near/a.txt"]
    for name in names[:-1]:
        result = page.act(type="prompt", text="x", mentions={name: True})
        assert f"@{name} is no variable" in result["error"]
    assert page.agent.turns == []


@pytest.mark.parametrize(
    "name",
    ["", "..", "../secret", "/etc/passwd", "a\0b", "~/x", "file:///etc/passwd", "x" * 4000, "\ud800", "a/" * 2000],
    ids=lambda name: repr(name[:12]),
)
def test_names_that_lead_out_or_are_no_paths_attach_nothing(page: Page, tmp_path: Path, name: str) -> None:
    write(tmp_path, "secret")
    result = page.act(type="mention", typed=name, names=[name])
    assert result["ok"]
    assert result["value"]["found"] == {name: None}
    result = page.act(type="prompt", text="x", mentions={name: True})
    assert not result["ok"]
    assert len(result["error"]) < 600
    [block] = page.prompt("x", **{name: False})
    assert block == {"type": "text", "text": "x"}


def test_additional_folders_are_listed_by_their_absolute_paths(
    shell: InteractiveShell, tmp_path: Path, folder: Path
) -> None:
    write(tmp_path, "more/notes.md", "else/x")
    write(folder, "a.py")
    roots = Roots([str(folder), str(tmp_path / "more")])
    notes = str(tmp_path / "more" / "notes.md")
    assert [item["text"] for item in mentions.offers(roots, "")[0]] == ["a.py", notes]
    assert [item["text"] for item in mentions.offers(roots, "notes")[0]] == [notes]
    assert [item["text"] for item in mentions.offers(roots, f"{tmp_path}/more/n")[0]] == [notes]
    assert mentions.offers(roots, f"{tmp_path}/else/")[0] == []
    assert mentions.found(roots, [notes, f"{tmp_path}/else/x"])[f"{tmp_path}/else/x"] is None


# --- objects


class _Frame(pd.DataFrame):
    @property
    def shape(self) -> Any:
        raise AssertionError


class _List(list[Any]):
    def __len__(self) -> int:
        raise AssertionError


class _Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in ("__name__", "__mro__", "__module__", "__dict__"):
            raise AssertionError(name)
        return super().__getattribute__(name)

    def __hash__(cls) -> int:
        raise AssertionError

    def __instancecheck__(cls, instance: object) -> bool:
        raise AssertionError


class _Broken(metaclass=_Meta):
    """All that could be asked of it fails."""

    def _fail(self, *_: object) -> Any:
        raise AssertionError

    __repr__ = __str__ = __len__ = __iter__ = __hash__ = __eq__ = __bool__ = __getattr__ = _fail  # type: ignore[assignment]
    __class__ = shape = __fspath__ = property(_fail)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: pd.DataFrame({"a": range(1200), "b": 1}), "DataFrame 1,200x2"),
        (lambda: pd.Series(range(3)), "Series 3"),
        (lambda: pl.DataFrame({"a": [1]}), "DataFrame 1x1"),
        (lambda: np.zeros((2, 3, 4)), "ndarray 2x3x4"),
        (lambda: np.float64(1.5), "float64"),
        (lambda: b"ab", "bytes, 2 bytes"),
        (lambda: {"a": 1}, "dict, 1 item"),
        (lambda: None, "NoneType"),
        (lambda: _Frame({"a": [1, 2]}), "_Frame 2x1"),
        (lambda: _List([1]), "_List, 1 item"),
        (lambda: _Broken(), "_Broken"),
    ],
)
def test_objects_are_told_by_type_and_size_without_their_own_code(
    shell: InteractiveShell, folder: Path, make: Callable[[], object], told: str
) -> None:
    shell.user_ns["thing"] = make()
    told = told.replace("x", "\N{MULTIPLICATION SIGN}") if told[-1:].isdigit() else told
    roots = Roots([str(folder)])
    [item] = [item for item in mentions.offers(roots, "thing")[0] if item["text"] == "thing"]
    assert item == {"text": "thing", "kind": "variable", "detail": told}
    assert mentions.found(roots, ["thing"]) == {"thing": {"kind": "variable", "detail": told}}


def test_what_is_mentioned_goes_with_the_prompt_as_it_is_then_and_the_text_stays(page: Page, folder: Path) -> None:
    write(folder, "src/a b.py")
    shell = InteractiveShell.instance()
    xs = [1, 2]
    shell.user_ns.update(xs=xs, df=pd.DataFrame({"a": [1]}))
    blocks = page.prompt("Look at @xs, {xs} and @df", **{"xs": True, "df": False, "src/a b.py": True})
    xs.append(3)
    assert blocks[0] == {"type": "text", "text": "Look at @xs, {xs} and @df"}
    assert blocks[1]["resource"] == {"uri": "notebook:///xs", "mimeType": "text/plain", "text": "[1, 2]"}
    assert "1 rows x 1 columns" in blocks[2]["resource"]["text"]
    assert blocks[3]["resource"]["uri"] == (folder / "src/a b.py").as_uri()
    assert blocks[3]["resource"]["text"] == "src/a b.py"
    [turn] = page.agent.turns
    assert [(each.name, each.kind) for each in turn.attached] == [
        ("xs", "list"),
        ("df", "pandas DataFrame"),
        ("src/a b.py", "file"),
    ]


def test_of_a_variable_and_a_file_of_one_name_the_variable_is_meant(page: Page, folder: Path) -> None:
    write(folder, "data")
    InteractiveShell.instance().user_ns["data"] = [1]
    assert texts(folder, "data") == ["data", "./data"]
    blocks = page.prompt("x", **{"data": True, "./data": True})
    assert [block["resource"]["text"] for block in blocks[1:]] == ["[1]", "data"]


@pytest.mark.parametrize("name", ["os", "len_", "Class", "In", "exit", "get_ipython", "gone"])
def test_what_must_be_there_and_is_not_is_refused_by_name_and_nothing_is_sent(page: Page, name: str) -> None:
    InteractiveShell.instance().user_ns.update(os=os, len_=len, Class=Page, xs=[1])
    result = page.act(type="prompt", text=f"@xs @{name}", mentions={"xs": True, name: True})
    assert not result["ok"]
    assert f"@{name} is no variable of the notebook, and no file" in result["error"]
    assert "Nothing was sent." in result["error"]
    assert page.agent.turns == []
    blocks = page.prompt(f"@xs @{name}", **{"xs": True, name: False})
    assert len(blocks) == 2


def test_an_object_that_cannot_be_shown_says_so_in_its_block(page: Page) -> None:
    class Mute:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    InteractiveShell.instance().user_ns["it"] = Mute()
    assert page.prompt("@it", it=True)[1]["resource"]["text"] == "<Mute whose repr() failed: ZeroDivisionError>"


@pytest.mark.parametrize("error", [RuntimeError("no"), SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_an_object_that_fails_refuses_the_prompt(page: Page, error: BaseException) -> None:
    class Fails:
        def __repr__(self) -> str:
            raise error

        def __acp_content__(self) -> str:
            raise error

    InteractiveShell.instance().user_ns["it"] = Fails()
    result = page.act(type="prompt", text="@it", mentions={"it": True})
    assert result["error"].startswith("@it cannot be attached: ")
    assert page.agent.turns == []
    assert page.prompt("still here") == [{"type": "text", "text": "still here"}]


def test_more_than_a_prompt_may_have_is_refused(page: Page) -> None:
    class Large:
        def __acp_content__(self) -> tuple[bytes, str]:
            return b"\x89PNG\r\n\x1a\n" + bytes(TOTAL // 5), "image/png"

    names = [f"it{number}" for number in range(6)]
    InteractiveShell.instance().user_ns.update(dict.fromkeys(names, Large()))
    result = page.act(type="prompt", text="x", mentions=dict.fromkeys(names, True))
    assert "at most 20.0 MB go with one prompt. Nothing was sent." in result["error"]


def test_a_prompt_with_mentions_to_an_agent_that_was_closed_says_so(page: Page) -> None:
    InteractiveShell.instance().user_ns["xs"] = [1]
    page.agent.close()
    assert page.act(type="prompt", text="@xs", mentions={"xs": True})["ok"]
    [turn] = page.agent.turns
    assert turn.status == "not_sent"
    assert turn.error is not None
    assert turn.error["message"] == "the agent was closed"


def test_an_object_that_does_not_come_back_stops_nothing_else_and_leaves_nothing(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    class Slow:
        def __repr__(self) -> str:
            go_on.wait(30)
            return "at last"

    monkeypatch.setattr(composer, "_ATTACH", 0.1)
    InteractiveShell.instance().user_ns["slow"] = Slow()
    try:
        stuck = [page.act(type="prompt", text="@slow", mentions={"slow": True}) for _ in range(8)]
        assert {result["error"] for result in stuck} == {
            "To read @slow took longer than 0.1 seconds. Nothing was sent. Try it again."
        }
        assert "8 objects are being read" in page.act(type="mention", typed="", names=[])["error"]
        assert page.prompt("Are you there?") == [{"type": "text", "text": "Are you there?"}]
        assert len(page.agent.turns) == 1
    finally:
        go_on.set()
    until(lambda: threads() == [])
    until(lambda: page.act(type="mention", typed="", names=[])["ok"])
    assert page.prompt("@slow", slow=True)[1]["resource"]["text"] == "at last"
    until(lambda: threads() == [])


def test_a_link_that_takes_the_place_of_a_file_is_not_followed(tmp_path: Path, folder: Path) -> None:
    write(tmp_path, "secret/a.txt")
    write(folder, "a.txt", "in/a.txt")
    roots = Roots([str(folder)])
    file, below_folder = roots.find("a.txt"), roots.find("in/a.txt")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "secret/a.txt")
    (folder / "in/a.txt").unlink()
    (folder / "in").rmdir()
    (folder / "in").symlink_to(tmp_path / "secret")
    for place in (file, below_folder):
        with pytest.raises((OSError, ValueError)):
            files.place_part(place, "a.txt")
    with pytest.raises(AcpError, match="@a cannot be attached"):
        _mention_place(roots, file)


def _mention_place(roots: Roots, place: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mentions, "_place", lambda *_: place)
        mentions.mentioned("x", {"a": True}, roots)


# --- once more


def again(page: Page, turn: str) -> list[dict[str, Any]]:
    result = page.act(type="prompt", again=turn)
    assert result["ok"], result["error"]
    return page.blocks()


def test_a_turn_is_sent_once_more_with_what_was_attached(page: Page, folder: Path) -> None:
    write(folder, "a.py")
    namespace = InteractiveShell.instance().user_ns
    namespace["xs"] = [1]
    first = page.prompt("@xs @a.py", **{"xs": True, "a.py": True})
    namespace["xs"] = [2]
    (folder / "a.py").unlink()
    assert again(page, page.agent.turns[0]._key) == first
    assert page.agent.turns[1].attached == page.agent.turns[0].attached
    page.agent.run("{xs}", xs={"a": 1}, show=False)
    assert again(page, page.agent.turns[2]._key)[1]["resource"]["text"] == "{'a': 1}"


@pytest.mark.parametrize("stop", [lambda agent, turn: agent.cancel(), lambda agent, turn: agent.restart()])
def test_a_prompt_that_was_never_sent_goes_in_the_blocks_that_the_agent_takes(
    shell: InteractiveShell, tmp_path: Path, folder: Path, stop: Callable[[Agent, Any], None]
) -> None:
    page = open_page(tmp_path, folder, {})
    with page.agent as agent:
        # It has not started: nobody knows yet which blocks it takes.
        turn = agent.prompt("{xs}", xs=[1], show=False)
        stop(agent, turn)
        until(lambda: turn.raw.get("status") == "not_sent")
        blocks = again(page, turn._key)
    assert [block["type"] for block in blocks] == ["text", "text"]
    assert "[1]" in blocks[1]["text"]


@pytest.mark.parametrize("turn", ["r:99", "", "__proto__"])
def test_a_turn_that_is_not_there_cannot_be_sent_again(page: Page, turn: str) -> None:
    result = page.act(type="prompt", again=turn)
    assert result["error"] == "This turn is not in the session any more. Write the prompt again."
    assert page.agent.turns == []


def test_what_an_agent_replayed_is_sent_again_as_its_words_not_as_what_you_attached() -> None:
    host = Host()
    said = {"type": "text", "text": "Hello", "_meta": {"acp-widget": {"name": "secrets.env", "kind": "file"}}}
    host.event("replayBegin")
    host.feed({"sessionUpdate": "user_message", "messageId": "u", "content": [said]})
    host.event("replayEnd")
    [turn] = host.reader.keys("turns")
    blocks = Prompts(host.reader, lambda event: None).again(turn)
    assert blocks is not None
    assert blocks() == [{"type": "text", "text": "Hello"}]
