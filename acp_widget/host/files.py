"""`fs/read_text_file` and `fs/write_text_file` for agents that leave files to the client (ACP v1, File System)."""

from __future__ import annotations

import asyncio
import concurrent.futures
import errno
import os
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ..errors import RequestError
from ..protocol.connection import INTERNAL_ERROR, INVALID_PARAMS
from ..protocol.git_patch import END_OF_FILE, END_OF_TEXT, git_patch
from ..protocol.refusals import NOT_FOUND
from ..protocol.transport import Json
from .roots import Folder, Place, Roots, folder_of, is_file

MB: Final = 1_000_000
LARGEST_FILE: Final = 50 * MB
"""Bytes of a file that is read, or written."""
LARGEST_ANSWER: Final = 10 * MB
"""Bytes of one answer to `fs/read_text_file`."""
_LARGEST_PATCH = 2 * MB  # characters of a patch that is shown
_UNSUCCESSFUL = ("failed", "cancelled")
_UNFINISHED = ("pending", "in_progress", "paused")

T = TypeVar("T")


@dataclass(frozen=True)
class _Written:
    """What a write did: the text before, None when there was no file, and whether it could be read as text."""

    old: str | None
    readable: bool


class Files:
    """The files of one session. One request at a time, in the order they came, in a thread of its own.

    `emit(event)` shows writes. `calls()` gives the tool calls of the turn under way, as the state holds them.
    `before_write(path)` is awaited before each write.
    `missing_is_empty`: a missing file is read as an empty one, for agents that cannot make one otherwise.
    """

    def __init__(
        self,
        roots: Roots,
        emit: Callable[[Json], object],
        *,
        calls: Callable[[], Iterable[Mapping[str, Any]]],
        before_write: Callable[[str], Awaitable[None]] | None = None,
        missing_is_empty: bool = False,
    ) -> None:
        self._roots, self._emit, self._calls = roots, emit, calls
        self._before_write = before_write
        self._missing_is_empty = missing_is_empty
        self._worker: concurrent.futures.ThreadPoolExecutor | None = None
        self._accounted: set[str] = set()  # finished calls whose diff was that of an earlier write
        self._shown: dict[str, Place] = {}  # calls of ours in the turn under way
        self._closed = False

    async def read(self, params: Json) -> Json:
        """`{path, line?, limit?}` → `{content}`; `line` counts from 1. Lines end at a line feed and keep their ends.

        Raises `RequestError`: -32002 for a missing file.
        """
        place = self._roots.find(params.get("path"))
        line, limit = _count(params, "line"), _count(params, "limit")
        try:
            text = await self._work(_read, place)
        except RequestError as error:
            if error.code != NOT_FOUND or not self._missing_is_empty:
                raise
            text = ""
        return {"content": _lines(text, line, limit, place)}

    async def write(self, params: Json) -> Json:
        """`{path, content}` → `{}`. Missing folders are made. The file is replaced in one step, or left as it was.

        Raises `RequestError`; notebooks are refused.
        """
        place = self._roots.find(params.get("path"))
        content = params.get("content")
        if not isinstance(content, str):
            raise RequestError(INVALID_PARAMS, "`content` must be text.")
        if any(name.lower().rstrip(" .").endswith(".ipynb") for name in place.names):
            raise RequestError(INVALID_PARAMS, _NOTEBOOK.format(place.asked[:500]), {"path": place.asked})
        try:
            data = content.encode()
        except UnicodeEncodeError as error:
            raise RequestError(INVALID_PARAMS, f"`content` is no valid Unicode text: {error}.") from None
        if len(data) > LARGEST_FILE:
            raise RequestError(INVALID_PARAMS, f"`content` is larger than {_size(LARGEST_FILE)}.")
        if self._before_write is not None:
            await self._before_write(place.path)
        call = await self._work(_write, place, data, content, self._roots.shown(place))
        if not self._is_shown(place):
            self._emit({"type": "update", "update": call})
            self._shown[call["toolCallId"]] = place
        return {}

    def look(self, call_id: str) -> None:
        """A call of the agent changed: one that is done and shows just what a call of ours shows takes its place."""
        if not self._shown or call_id in self._shown or call_id in self._accounted:
            return
        calls = {str(call.get("toolCallId")): call for call in self._calls()}
        self._shown = {ours: place for ours, place in self._shown.items() if ours in calls}
        call = calls.get(call_id)
        if call is None or call.get("status") != "completed":
            return
        same = (ours for ours, place in self._shown.items() if self._is_same(calls[ours], call, place))
        found = next(same, None)
        if found is not None:
            self._accounted.add(call_id)
            del self._shown[found]
            self._emit({"type": "callWithdrawn", "toolCallId": found})

    def _is_same(self, ours: Mapping[str, Any], call: Mapping[str, Any], place: Place) -> bool:
        """Whether a call shows one change, of this file, with the same lines at the same numbers."""
        return self._shows(call, place) and (hunks := _hunks(call)) is not None and hunks == _hunks(ours)

    async def _work(self, function: Callable[..., T], *args: Any) -> T:
        if self._closed:
            raise RequestError(INTERNAL_ERROR, "The session is closed.")
        if self._worker is None:
            self._worker = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="acp-widget-files")
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *args)

    def _is_shown(self, place: Place) -> bool:
        """Whether a call of the turn under way shows a diff of this file. A finished call shows one write, not two."""
        for call in self._calls():
            status, call_id = call.get("status"), str(call.get("toolCallId"))
            if status in _UNSUCCESSFUL or call_id in self._accounted or not self._shows(call, place):
                continue
            if status not in _UNFINISHED:
                self._accounted.add(call_id)
            return True
        return False

    def _shows(self, call: Mapping[str, Any], place: Place) -> bool:
        return any(
            self._roots.same(change.get("path"), place)
            for item in call.get("content") or ()
            if isinstance(item, Mapping) and item.get("type") == "diff"
            for change in item.get("changes") or ()
            if isinstance(change, Mapping)
        )

    def close(self) -> None:
        """End the thread. What waits is not done."""
        self._closed = True
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)


_NOTEBOOK = (
    "{!r} is a notebook and was not written: a change on disk would break what is open in Jupyter and lose cells that "
    "are not saved. Say in your message which cells to change instead."
)


# --- in the thread -------------------------------------------------------------------------------------------------


def _read(place: Place) -> str:
    if not place.parts:
        raise _error(IsADirectoryError(errno.EISDIR, "is a folder"), place)
    try:
        with folder_of(place) as folder:
            return _text(_bytes(folder, place), place)
    except OSError as error:
        raise _error(error, place, missing=(FileNotFoundError, NotADirectoryError)) from None


def _bytes(folder: Folder, place: Place) -> bytes:
    descriptor = folder.open(place.parts[-1], os.O_RDONLY)
    with open(descriptor, "rb") as file:  # noqa: PTH123 (a descriptor)
        status = os.fstat(descriptor)
        if not is_file(status):
            raise RequestError(INVALID_PARAMS, f"{place.asked!r} is no regular file.", {"path": place.asked})
        data = file.read(LARGEST_FILE + 1) if status.st_size <= LARGEST_FILE else None
    if data is None or len(data) > LARGEST_FILE:
        raise RequestError(
            INVALID_PARAMS,
            f"{place.asked!r} is larger than {_size(LARGEST_FILE)}. Read a part of it with a command.",
            {"path": place.asked, "size": status.st_size},
        )
    return data


def _text(data: bytes, place: Place) -> str:
    try:
        if b"\0" in data[:8192]:
            raise ValueError("it is binary")
        return data.decode()
    except ValueError as error:
        reason = f"byte {error.start} is wrong" if isinstance(error, UnicodeDecodeError) else str(error)
        raise RequestError(
            INVALID_PARAMS, f"{place.asked!r} is no UTF-8 text: {reason}.", {"path": place.asked}
        ) from None


def _write(place: Place, data: bytes, content: str, shown: str) -> Json:
    """Write, and give the tool call that shows it."""
    if not place.parts:
        raise _error(IsADirectoryError(errno.EISDIR, "is a folder"), place)
    try:
        with folder_of(place, make=True) as folder:
            written = _replace(folder, place, data)
    except OSError as error:
        raise _error(error, place) from None
    return _call(place, written, content, shown)


def _replace(folder: Folder, place: Place, data: bytes) -> _Written:
    name = place.parts[-1]
    before = folder.stat(name)
    written = _Written(None, True)
    if before is not None:
        if not is_file(before):
            raise RequestError(INVALID_PARAMS, f"{place.asked!r} is no regular file.", {"path": place.asked})
        if not folder.writable(name):
            raise PermissionError(errno.EACCES, "it is read-only")
        try:
            written = _Written(_text(_bytes(folder, place), place), True)
        except (RequestError, PermissionError):
            written = _Written(None, False)
    temporary = f".acp-widget-{secrets.token_hex(8)}.tmp"
    descriptor = folder.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if before is None else 0o600)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
            file.write(data)
            if before is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, before.st_mode & 0o777)
        folder.replace(temporary, name)
    except BaseException:
        folder.remove(temporary)
        raise
    return written


def _call(place: Place, written: _Written, content: str, shown: str) -> Json:
    change = {"operation": "add" if written.readable and written.old is None else "modify", "path": place.path}
    diff: Json = {"type": "diff", "changes": [change]}
    patch = git_patch(place.path, written.old, content) if written.readable else ""
    items: list[Json] = [diff]
    if 0 < len(patch) <= _LARGEST_PATCH:
        diff["patch"] = {"format": "git_patch", "text": patch}
    else:
        reason = _WITHOUT_PATCH[bool(patch)] if written.readable else "What was there before was no text."
        items.append({"type": "content", "content": {"type": "text", "text": reason}})
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": f"acp-widget:write:{secrets.token_hex(8)}",
        "title": f"Write {shown}",
        "kind": "edit",
        "status": "completed",
        "content": items,
        "locations": [{"path": place.path}],
        "_meta": {"acp-widget": {"by": "client", "method": "fs/write_text_file"}},
    }


_WITHOUT_PATCH = {False: "Written with the same content as before.", True: "The change is too large to be shown."}


def _error(error: OSError, place: Place, missing: tuple[type[OSError], ...] = ()) -> RequestError:
    data = {"path": place.asked}
    if isinstance(error, missing):
        return RequestError(NOT_FOUND, f"There is no file {place.asked!r}.", data)
    if error.errno == errno.ELOOP:
        return RequestError(INVALID_PARAMS, f"{place.asked!r} became a link meanwhile; it was not followed.", data)
    reason = error.strerror or type(error).__name__
    code = INVALID_PARAMS if isinstance(error, (IsADirectoryError, NotADirectoryError)) else INTERNAL_ERROR
    return RequestError(code, f"{place.asked!r}: {reason}.", data)


def _hunks(call: Mapping[str, Any]) -> str | None:
    """What the only diff of a call says of lines; None where there are several, or none with a patch of one change."""
    diffs = [item for item in call.get("content") or () if isinstance(item, Mapping) and item.get("type") == "diff"]
    changes, patch = (diffs[0].get("changes"), diffs[0].get("patch")) if len(diffs) == 1 else (None, None)
    if not isinstance(changes, Sequence) or len(changes) != 1 or not isinstance(patch, Mapping):
        return None
    _, found, hunks = str(patch.get("text")).partition("\n@@ ")
    return hunks.replace(f"\n{END_OF_TEXT}\n", f"\n{END_OF_FILE}\n") if found else None


# --- small things --------------------------------------------------------------------------------------------------


def _count(params: Json, name: str) -> int | None:
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RequestError(INVALID_PARAMS, f"`{name}` must be a whole number, 0 or more.", {name: value})
    return value


def _lines(text: str, line: int | None, limit: int | None, place: Place) -> str:
    if line is not None or limit is not None:
        start = max(0, (line or 1) - 1)
        lines = text.split("\n")
        end = len(lines) if limit is None else start + limit
        text = "\n".join(lines[start:end]) + ("\n" if start < end < len(lines) else "")
    if len(text.encode()) > LARGEST_ANSWER:
        raise RequestError(
            INVALID_PARAMS,
            f"{place.asked!r}: more than {_size(LARGEST_ANSWER)} at once. Ask for a part, with `line` and `limit`.",
            {"path": place.asked},
        )
    return text


def _size(count: int) -> str:
    return f"{count // MB} MB"
