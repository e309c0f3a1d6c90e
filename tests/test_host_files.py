"""Files for an agent, with hostile paths and odd contents: what is inside is done, all else refused and untouched."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from acp_widget.errors import RequestError
from acp_widget.host import files as limits
from acp_widget.host import roots as holding
from acp_widget.host.files import Files
from acp_widget.host.roots import Roots

from .processes import run

Json = dict[str, Any]
SECRET = "secret\n"


class Project:
    """A project inside a folder with a secret beside it."""

    def __init__(self, base: Path, **options: Any) -> None:
        self.base, self.root = base, base / "project"
        self.root.mkdir()
        (base / "secret.txt").write_text(SECRET)
        (base / "elsewhere").mkdir()
        (base / "elsewhere" / "secret.txt").write_text(SECRET)
        self.roots = [str(self.root)]
        self.options = options
        self.events: list[Json] = []
        self.calls: list[Mapping[str, Any]] = []

    def do(self, *requests: tuple[str, Json]) -> list[Json | RequestError]:
        """What each request is answered, one after the other."""

        async def story() -> list[Json | RequestError]:
            files = Files(Roots(self.roots), self.events.append, calls=lambda: self.calls, **self.options)
            found: list[Json | RequestError] = []
            try:
                for kind, params in requests:
                    try:
                        found.append(await getattr(files, kind)(params))
                    except RequestError as error:
                        found.append(error)
            finally:
                files.close()
            return found

        return run(story())

    def read(self, path: Any, **params: Any) -> str:
        (answer,) = self.do(("read", {"path": path, **params}))
        if isinstance(answer, RequestError):
            raise answer
        return str(answer["content"])

    def write(self, path: Any, content: Any = "new\n") -> None:
        (answer,) = self.do(("write", {"path": path, "content": content}))
        if isinstance(answer, RequestError):
            raise answer
        assert answer == {}

    def outside(self) -> dict[str, str]:
        """Everything that is not the project's."""
        return {
            str(path.relative_to(self.base)): path.read_text()
            for path in self.base.rglob("*")
            if path.is_file() and not path.is_relative_to(self.root)
        }


@pytest.fixture(params=["held", "by name"])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """With folders held open, and as where the system has no such thing."""
    if request.param == "by name":
        monkeypatch.setattr(holding, "_HELD", False)
    return Project(tmp_path)


# --- reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "content"),
    [
        ({}, "one\r\ntwo\u2028\n\nfour"),
        ({"line": None, "limit": None}, "one\r\ntwo\u2028\n\nfour"),
        ({"line": 1, "limit": 1}, "one\r\n"),
        ({"line": 2, "limit": 2}, "two\u2028\n\n"),
        ({"line": 4}, "four"),
        ({"line": 4, "limit": 100}, "four"),
        ({"limit": 0}, ""),
        ({"line": 0, "limit": 1}, "one\r\n"),
        ({"line": 5}, ""),
        ({"line": 10**30, "limit": 10**30}, ""),
    ],
)
def test_lines_count_from_one_and_keep_their_ends(project: Project, asked: Json, content: str) -> None:
    (project.root / "a").write_bytes("one\r\ntwo\u2028\n\nfour".encode())
    assert project.read("a", **asked) == content


@pytest.mark.parametrize("asked", [{"line": -1}, {"limit": -1}, {"line": 1.5}, {"limit": True}, {"line": "2"}])
def test_a_line_that_is_no_number_is_refused(project: Project, asked: Json) -> None:
    (project.root / "a").write_text("one")
    with pytest.raises(RequestError, match="whole number") as refused:
        project.read("a", **asked)
    assert refused.value.code == -32602


def test_a_missing_file_is_told_with_its_path(project: Project) -> None:
    (project.root / "file").write_text("x")
    for path in ("no/such/file", "file/below"):
        with pytest.raises(RequestError, match="There is no file") as missing:
            project.read(path)
        assert missing.value.code == -32002
        assert missing.value.data == {"path": path}


def test_a_missing_file_is_empty_only_for_agents_that_need_it(tmp_path: Path) -> None:
    project = Project(tmp_path, missing_is_empty=True)
    assert project.read("no/such/file") == ""
    assert not (project.root / "no").exists()
    for path in ("../none", str(project.base / "none")):
        with pytest.raises(RequestError, match="outside"):
            project.read(path)


@pytest.mark.parametrize("data", [b"a\xff\n", b"\xff\xfea\0", b"PK\x03\x04\0\0", b"cut \xc3"])
def test_what_is_no_text_is_refused(project: Project, data: bytes) -> None:
    (project.root / "a").write_bytes(data)
    with pytest.raises(RequestError, match="no UTF-8 text") as refused:
        project.read("a")
    assert refused.value.code == -32602


def test_what_is_no_file_is_refused_at_once(project: Project) -> None:
    os.mkfifo(project.root / "pipe")
    (project.root / "folder").mkdir()
    for path in ("pipe", "folder", ".", str(project.root)):
        with pytest.raises(RequestError):
            project.read(path)
        with pytest.raises(RequestError):
            project.write(path)
    assert sorted(path.name for path in project.root.iterdir()) == ["folder", "pipe"]
    assert stat.S_ISFIFO((project.root / "pipe").stat().st_mode)


def test_too_large_a_file_is_refused_and_a_large_one_is_read_in_parts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGEST_FILE", 1000)
    monkeypatch.setattr(limits, "LARGEST_ANSWER", 100)
    (project.root / "large").write_text("line\n" * 200)
    (project.root / "larger").write_text("line\n" * 201)
    assert project.read("large", line=200) == "line\n"
    with pytest.raises(RequestError, match="`line` and `limit`"):
        project.read("large")
    with pytest.raises(RequestError, match="larger than"):
        project.read("larger", line=1, limit=1)
    with pytest.raises(RequestError, match="larger than"):
        project.write("new", "x" * 1001)


# --- where -----------------------------------------------------------------------------------------------------------


OUTSIDE = [
    "../secret.txt",
    "a/../../secret.txt",
    "{base}/secret.txt",
    "{base}/project/../secret.txt",
    "{base}/projectile",
    "{base}",
    "/etc/passwd",
    "/",
    "link.txt",
    "links/secret.txt",
    "links/new/deep.txt",
    "dangling",
    "chain",
    "up/secret.txt",
    "/proc/self/root/{base}/secret.txt",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_is_read_or_written(project: Project, path: str) -> None:
    (project.root / "link.txt").symlink_to(project.base / "secret.txt")
    (project.root / "links").symlink_to(project.base / "elsewhere")
    (project.root / "dangling").symlink_to(project.base / "new.txt")
    (project.root / "chain").symlink_to("link.txt")
    (project.root / "up").symlink_to("..")
    before = project.outside()
    asked = path.format(base=project.base)
    for kind in ("read", "write"):
        (answer,) = project.do((kind, {"path": asked, "content": "new"}))
        assert isinstance(answer, RequestError)
        assert answer.code == -32602
        assert "outside of the folders" in answer.message
    assert project.outside() == before
    assert project.events == []


ODD: list[Any] = [
    None,
    "",
    5,
    True,
    [],
    {},
    "a\0b",
    "\ud800",
    "x" * 5000,
    "a/" * 3000 + "b",
    "loop",
    "file:///a",
    "~",
    "~/a",
]


@pytest.mark.parametrize("path", ODD, ids=[str(number) for number in range(len(ODD))])
def test_what_is_no_path_is_refused(project: Project, path: Any) -> None:
    (project.root / "loop").symlink_to("loop")
    for kind in ("read", "write"):
        (answer,) = project.do((kind, {"path": path, "content": "new"}))
        assert isinstance(answer, RequestError), kind
    assert [each.name for each in project.root.iterdir()] == ["loop"]


def test_links_inside_are_followed(project: Project) -> None:
    (project.root / "real").mkdir()
    (project.root / "real" / "a").write_text("old\n")
    (project.root / "file").symlink_to("real/a")
    (project.root / "folder").symlink_to(project.root / "real")
    (project.root / "next").symlink_to("real/new")
    assert project.read("file") == "old\n"
    project.write("file")
    project.write("folder/b")
    project.write("next")
    assert (project.root / "file").is_symlink()
    assert {path.name: path.read_text() for path in (project.root / "real").iterdir()} == dict.fromkeys(
        ["a", "b", "new"], "new\n"
    )


def test_a_root_that_is_a_link_is_one_place_by_both_names(project: Project) -> None:
    link = project.base / "link"
    link.symlink_to(project.root)
    project.roots = [str(link)]
    project.write(str(link / "a"))
    assert project.read(str(project.root / "a")) == "new\n"
    assert project.read("a") == "new\n"
    with pytest.raises(RequestError, match="outside"):
        project.read(str(link / ".." / "secret.txt"))


def test_a_second_root_is_reached_by_its_own_name_only(project: Project) -> None:
    project.roots.append(str(project.base / "elsewhere"))
    assert project.read(str(project.base / "elsewhere" / "secret.txt")) == SECRET
    assert project.read("../elsewhere/secret.txt") == SECRET
    with pytest.raises(RequestError, match="outside"):
        project.read(str(project.base / "secret.txt"))


def test_a_link_swapped_in_after_the_check_is_not_followed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    folder = project.root / "folder"
    folder.mkdir()
    (folder / "secret.txt").write_text("mine\n")
    roots = Roots(project.roots)
    place, new = roots.find("folder/secret.txt"), roots.find("folder/made/new.txt")
    (folder / "secret.txt").unlink()
    folder.rmdir()
    folder.symlink_to(project.base / "elsewhere")
    before = project.outside()
    for at in (place, new):
        with pytest.raises(RequestError):
            limits._read(at)
        with pytest.raises(RequestError):
            limits._write(at, b"bad", "bad", "shown")
    assert project.outside() == before


def test_a_file_swapped_for_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (project.root / "a").write_text("mine\n")
    place = Roots(project.roots).find("a")
    (project.root / "a").unlink()
    (project.root / "a").symlink_to(project.base / "secret.txt")
    with pytest.raises(RequestError):
        limits._read(place)
    with pytest.raises(RequestError):
        limits._write(place, b"bad", "bad", "a")
    assert (project.base / "secret.txt").read_text() == SECRET


def test_links_that_change_all_the_time_let_nothing_out(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (project.root / "real").mkdir()
    (project.root / "real" / "secret.txt").write_text("mine\n")
    before, over = project.outside(), threading.Event()

    def swap() -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            temporary = project.root / "swap"
            temporary.symlink_to(project.base / "elsewhere" if turn % 2 else project.root / "real")
            temporary.replace(project.root / "link")

    swapping = threading.Thread(target=swap)
    (project.root / "link").symlink_to(project.root / "real")
    swapping.start()
    try:
        requests = [("read", {"path": "link/secret.txt"}), ("write", {"path": "link/secret.txt", "content": "mine\n"})]
        answers = project.do(*requests * 300)
    finally:
        over.set()
        swapping.join()
    assert project.outside() == before
    contents = {answer.get("content") for answer in answers if not isinstance(answer, RequestError)}
    assert contents <= {"mine\n", None}


# --- writing ---------------------------------------------------------------------------------------------------------


def test_missing_folders_are_made(project: Project) -> None:
    project.write("a/b/c.txt", "text")
    assert (project.root / "a" / "b" / "c.txt").read_text() == "text"
    with pytest.raises(RequestError):
        project.write("a/b/c.txt/d", "text")


def test_a_file_keeps_its_mode_and_nothing_else_is_left(project: Project) -> None:
    script = project.root / "run.sh"
    script.write_text("old")
    script.chmod(0o751)
    project.write("run.sh", "new")
    assert stat.S_IMODE(script.stat().st_mode) == 0o751
    assert [path.name for path in project.root.iterdir()] == ["run.sh"]


def test_a_write_that_fails_leaves_the_file_as_it_was(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.root / "a").write_text("old")

    def full(*args: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(holding.Folder, "replace", full)
    with pytest.raises(RequestError, match="No space left") as failed:
        project.write("a")
    assert failed.value.code == -32603
    assert (project.root / "a").read_text() == "old"
    assert [path.name for path in project.root.iterdir()] == ["a"]
    assert project.events == []


def test_a_read_only_file_stays(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.root / "a").write_text("old")
    (project.root / "a").chmod(0o444)
    # As it is for all but root, who may write everything and may be who runs this.
    monkeypatch.setattr(os, "access", lambda path, mode, **where: False)
    with pytest.raises(RequestError, match="read-only"):
        project.write("a")
    assert (project.root / "a").read_text() == "old"


NOTEBOOKS = ["a.ipynb", "A.IPYNB", "deep/a.ipynb", "./a.ipynb", "link.txt", "other.ipynb", "a.ipynb "]


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_notebooks_are_read_but_not_written(project: Project, path: str) -> None:
    (project.root / "a.ipynb").write_text("{}")
    (project.root / "a.txt").write_text("text")
    (project.root / "link.txt").symlink_to("a.ipynb")
    (project.root / "other.ipynb").symlink_to("a.txt")
    with pytest.raises(RequestError, match="is a notebook and was not written"):
        project.write(path)
    assert project.read("a.ipynb") == "{}"
    assert (project.root / "a.txt").read_text() == "text"
    assert not (project.root / "deep").exists()


@pytest.mark.parametrize("content", [None, 5, b"", ["a"], "\ud800"])
def test_what_is_no_text_is_not_written(project: Project, content: Any) -> None:
    with pytest.raises(RequestError, match="`content`"):
        project.write("a", content)
    assert list(project.root.iterdir()) == []


def test_requests_are_done_in_the_order_they_came(tmp_path: Path) -> None:
    project = Project(tmp_path)

    async def story() -> None:
        files = Files(Roots(project.roots), project.events.append, calls=list)
        try:
            writes = [files.write({"path": "a", "content": f"{number}\n" * 1000}) for number in range(20)]
            *_, last = await asyncio.gather(*writes, files.read({"path": "a", "limit": 1}))
            assert last == {"content": "19\n"}
        finally:
            files.close()

    run(story())


# --- what is shown ---------------------------------------------------------------------------------------------------


def shown(project: Project) -> tuple[Json, Json]:
    """The newest call that was shown, and its diff."""
    call = project.events[-1]["update"]
    return call, call["content"][0]


def test_a_new_file_is_shown_as_added(project: Project) -> None:
    project.write("deep/a.txt", "one\n")
    call, diff = shown(project)
    path = str(project.root / "deep" / "a.txt")
    assert call["title"] == "Write deep/a.txt"
    assert (call["kind"], call["status"], call["locations"]) == ("edit", "completed", [{"path": path}])
    assert call["_meta"] == {"acp-widget": {"by": "client", "method": "fs/write_text_file"}}
    assert diff["changes"] == [{"operation": "add", "path": path}]
    assert diff["patch"]["text"] == (
        f"diff --git {path} {path}\nnew file mode 100644\n--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+one\n"
    )


def test_what_was_no_text_before_is_shown_without_a_patch(project: Project) -> None:
    (project.root / "a").write_bytes(b"\0\xff")
    project.write("a", "one\n")
    call, diff = shown(project)
    assert diff == {"type": "diff", "changes": [{"operation": "modify", "path": str(project.root / "a")}]}
    assert "no text" in call["content"][1]["content"]["text"]


def test_a_write_of_the_same_and_a_huge_one_say_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a", "one\n")
    project.write("a", "one\n")
    assert "same content" in shown(project)[0]["content"][1]["content"]["text"]
    monkeypatch.setattr(limits, "_LARGEST_PATCH", 50)
    project.write("a", "two\n")
    assert "too large" in shown(project)[0]["content"][1]["content"]["text"]


def test_odd_calls_of_the_agent_do_not_hide_a_write(project: Project) -> None:
    project.calls = [
        {"toolCallId": "1", "status": "pending", "content": None},
        {"toolCallId": "2", "status": "pending", "content": ["x", {"type": "diff"}, {"type": "diff", "changes": [5]}]},
        {"toolCallId": "3", "status": "pending", "content": [{"type": "diff", "changes": [{"path": "a\0"}, {}]}]},
    ]
    project.write("a")
    assert len(project.events) == 1
