"""Keeps what an agent's turns do to files: sees them begin, name files and end; tells and takes back.

What the driver calls runs on the private thread and hands all work with files to one thread of its own; `changes` and
`revert` may be called from any other thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..session.running import is_rejected
from ..session.state import State
from ..session.words import TURN_OVER
from .below import copy_below
from .changes import Changes, FileChange
from .conclusion import Conclusion
from .records import Named, Record, folders_above, is_late, paths_of, takes_folders
from .reverting import Revert, Reverted
from .store import Store
from .trees import Found, Limits, Looker, Tree, inside

_MOST_NAMED = 2_000  # files of one turn that calls may name
_QUICK = 0.1  # seconds that a question of the agent waits for the copy of what it is about
_NOT_RECORDED = (
    "Nothing was recorded for this turn: it was told by the agent when its session was opened again, or no prompt "
    "began it, or it was never sent."
)
_RUNS = "The turn is not over: wait for its end, or stop it."


Watch = bool | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
"""What may be given as `watch=`."""


class Undo:
    """The files of one agent. `roots`: the folders it works in, its own first. `watch`: those watched whole."""

    def __init__(
        self,
        state: State,
        *,
        roots: Sequence[str],
        watch: Sequence[str] = (),
        limits: Limits | None = None,
        report: Callable[[str], None] = lambda message: None,
    ) -> None:
        real = [os.path.realpath(root) for root in roots]
        self._state, self._cwd, self._report = state, real[0], report
        self._watch = _outermost([os.path.realpath(folder) for folder in watch])
        self._roots = _outermost([*real, *self._watch])
        self._looker = Looker(Store(), limits or Limits())
        self._records: dict[str, Record] = {}
        self._lock = threading.RLock()
        self._worker: concurrent.futures.ThreadPoolExecutor | None = None
        self._ends: dict[str, concurrent.futures.Future[None]] = {}
        self._begins: dict[str, concurrent.futures.Future[None]] = {}
        self._copying: concurrent.futures.Future[None] | None = None
        self._closed = False

    # --- what the driver tells -------------------------------------------------------------------------------------

    def begin(self, turn: str, ready: Callable[[], object]) -> bool:
        """Whether the prompt can be sent. If not, the folders are being looked at, and `ready()` is called after it."""
        if not self._watch or self._closed:
            self._records.setdefault(turn, Record(_number(turn)))
            return True
        begun = self._begins.get(turn)
        if begun is None:
            self._records[turn] = Record(_number(turn))
            begun = self._begins[turn] = self._work(self._look_before, self._records[turn])
            _then(begun, ready)
        return begun.done()

    def heard(self, event: Mapping[str, Any]) -> None:
        """An event was reduced: files that a call names are copied as soon as it does."""
        kind, update = event.get("type"), event.get("update")
        if kind == "request":
            params = event.get("params")
            subject = params.get("subject") if isinstance(params, Mapping) else None
            asked = subject.get("toolCall") if isinstance(subject, Mapping) else None
            copied = (self._name(asked) if isinstance(asked, Mapping) else None) or self._copying
            if copied is not None:  # the answer may follow at once, and the agent's change after it
                concurrent.futures.wait([copied], timeout=_QUICK)
        elif kind == "update" and isinstance(update, Mapping):
            told = update.get("sessionUpdate")
            if isinstance(told, str) and told.startswith("tool_call") and isinstance(update.get("toolCallId"), str):
                call = self._state.get("toolCalls", f"t:{update['toolCallId']}")
                if call is not None:
                    self._name(call)

    async def before_write(self, path: str) -> None:
        """We are about to write a file for the agent."""
        record = self._active()
        if record is not None and not self._closed:
            record.touched = True
            await asyncio.wrap_future(self._work(self._look_at, record, [path], "write", False, False))

    def end(self, turn: str, ready: Callable[[], object]) -> bool:
        """Whether all is known of a turn that is over. If not, `ready()` is called when it is."""
        record = self._records.get(turn)
        entity = self._state.get("turns", turn)
        if record is None or entity is None or entity["status"] not in TURN_OVER:
            return True
        if entity["status"] == "not_sent":
            self._records.pop(turn, None)
            return True
        ended = self._ends.get(turn)
        if ended is None:
            if self._closed or (not self._watch and not record.touched):
                record.changes = []
                return True
            ended = self._ends[turn] = self._work(self._look_after, record, self._allowed_calls(turn))
            _then(ended, ready)
        return ended.done()

    @property
    def busy(self) -> bool:
        """Whether the end of a turn is being looked at."""
        return any(not each.done() for each in self._ends.values())

    async def close(self) -> None:
        """End the thread. What is known stays, and so do the copies that it needs, as long as somebody holds this."""
        self._closed = True
        if self._worker is not None:
            last = self._work(self._forget)
            self._worker.shutdown(wait=False)
            await asyncio.wait([asyncio.wrap_future(last)])

    def release(self) -> None:
        """Nobody asks any more. The copies go with the last `FileChange` that somebody holds."""
        self._closed = True
        if self._worker is not None:
            self._worker.shutdown(wait=False)
        self._records, self._begins, self._ends = {}, {}, {}
        self._looker = Looker(Store(), self._looker.limits)

    # --- what a turn tells -----------------------------------------------------------------------------------------

    def changes(self, turn: str) -> Changes:
        """What the turn did to files. Waits for the last look; while the turn runs: what is known so far is nothing."""
        record = self._over(turn)
        if record is None or record.changes is None:
            return Changes([], cwd=self._cwd, left_out={}, note=self._why_none(turn))
        return Changes(record.changes, cwd=self._cwd, left_out=record.left_out)

    def revert(self, turn: str, paths: Sequence[str | os.PathLike[str]] | None, *, dry_run: bool) -> Reverted:
        """Put files back; None: all.

        Raises `ValueError` while the turn runs, where nothing was recorded, and for other paths.
        """
        __tracebackhide__ = True
        record = self._over(turn)
        if record is None or record.changes is None:
            raise ValueError(self._why_none(turn))
        changes = Changes(record.changes, cwd=self._cwd, left_out=record.left_out)
        chosen = list(changes) if paths is None else list(map(partial(_chosen, changes, record), paths))
        with self._lock:
            work = Revert(record, self._looker, self._roots, self._cwd, lambda *what: self._blamed(record, *what))
            return work.run(list(dict.fromkeys(chosen)), dry_run=dry_run)

    def _over(self, turn: str) -> Record | None:
        begun, ended = self._begins.get(turn), self._ends.get(turn)
        concurrent.futures.wait([each for each in (begun, ended) if each is not None], timeout=60)
        return self._records.get(turn)

    def _why_none(self, turn: str) -> str:
        entity = self._state.get("turns", turn)
        return _NOT_RECORDED if entity is not None and entity["status"] in TURN_OVER else _RUNS

    def _blamed(self, record: Record, path: str, found: Found) -> int | None:
        for later in self._records.values():
            if later.number > record.number:
                for change in later.changes or ():
                    if (change.path == path and change._now.same(found)) or (
                        change.old_path == path and found.kind == "nothing"
                    ):
                        return later.number
        return None

    # --- in the thread ---------------------------------------------------------------------------------------------

    def _work(self, function: Callable[..., None], *args: Any) -> concurrent.futures.Future[None]:
        if self._worker is None:
            self._worker = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="acp-widget-undo")
        try:
            return self._worker.submit(function, *args)
        except RuntimeError:  # the process ends, and its threads have gone first
            nothing: concurrent.futures.Future[None] = concurrent.futures.Future()
            nothing.set_result(None)
            return nothing

    def _look_before(self, record: Record) -> None:
        with self._lock:
            record.before = self._looker.scan(self._watch)
        record.folders.update(record.before.folders)
        for folder in self._watch:
            record.folders.setdefault(folder, 0o777)
        record.left_out.update(record.before.left_out)
        record.unseen.update(record.before.unseen)
        self._tell(record.before)

    def _look_at(self, record: Record, paths: Sequence[str], source: str, late: bool, deep: bool) -> None:
        for path in (place for told in paths for place in _places(self._cwd, told)):
            if inside(path, self._roots) is None and not (deep and path in self._roots):
                record.left_out[path] = "it lies outside of the folders of this session"
                continue
            known = record.named.get(path)
            if known is None and record.by_calls >= _MOST_NAMED:
                record.left_out[self._cwd] = f"tool calls named more than {_MOST_NAMED:,} files: the rest is not known"
                continue
            with self._lock:
                if known is None:
                    record.by_calls += 1
                    record.folders = {**folders_above(path), **record.folders}
                    known = record.named[path] = Named(self._looker.look(path), source, late)
                if deep and not late:
                    copy_below(record, self._looker, path, known.found, source)

    def _look_after(self, record: Record, calls: Sequence[Mapping[str, Any]]) -> None:
        with self._lock:
            after = self._looker.scan(self._watch) if record.before is not None else None
            conclusion = Conclusion(record, self._looker, self._cwd, after)
            try:
                record.changes = conclusion.draw(calls, self._roots)
            except Exception as error:  # never the end of a turn
                record.changes = []
                record.left_out[self._cwd] = f"the comparison failed: {type(error).__name__}: {error}"
        record.before = None  # not needed any more; the next turn has its own

    def _forget(self) -> None:
        changes = [change for record in self._records.values() for change in record.changes or ()]
        named = {found.blob for change in changes for found in (change._was, change._now)}
        with self._lock:
            self._looker.store.keep({name for name in named if name is not None})

    # --- inside ----------------------------------------------------------------------------------------------------

    def _active(self) -> Record | None:
        turn = self._state.active_turn()
        return None if turn is None else self._records.get(turn)

    def _name(self, call: Mapping[str, Any]) -> concurrent.futures.Future[None] | None:
        record = self._active()
        if record is None or self._closed or call.get("turn", self._state.active_turn()) != self._state.active_turn():
            return None
        deep = takes_folders(call)
        new = [path for path in dict.fromkeys(paths_of(call)) if (path, deep) not in record.told]
        if not new:
            return None
        record.touched = True
        record.told.update((path, deep) for path in new)
        self._copying = self._work(self._look_at, record, new, "tool call", is_late(call), deep)
        return self._copying

    def _allowed_calls(self, turn: str) -> list[Mapping[str, Any]]:
        """The tool calls of a turn, but those that were asked for and not allowed, whatever the agent says of them."""
        calls, permissions = (
            [found for key in self._state.keys(group, turn) if (found := self._state.get(group, key)) is not None]
            for group in ("toolCalls", "permissions")
        )
        about: dict[object, list[Mapping[str, Any]]] = {}
        for permission in permissions:
            about.setdefault(permission.get("toolCallId"), []).append(permission)
        allowed = []
        for call in calls:
            asked = about.get(call.get("toolCallId"), [])
            if not is_rejected(call, asked) and not (asked and asked[-1].get("status") != "selected"):
                allowed.append(call)
        return allowed

    def _tell(self, tree: Tree) -> None:
        if tree.left_out:
            path, why = next(iter(tree.left_out.items()))
            more = len(tree.left_out) - 1
            also = f", and {more:,} more" if more else ""
            self._report(f"Not all of the watched folders can be reverted: {path!r}{also} ({why}).")


def watched(given: Watch, cwd: str, *, own: bool) -> list[str]:
    """The folders that `watch=` means. None: `cwd` when it is the agent's `own`. Raises `ValueError` for no folder.

    >>> watched(None, "/", own=False), watched(True, "/", own=False)
    ([], ['/'])
    """
    if given is None:
        given = own
    if isinstance(given, bool):
        return [cwd] if given else []
    folders = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    found = [os.path.join(cwd, os.path.expanduser(os.fspath(folder))) for folder in folders]
    for folder in found:
        if not os.path.isdir(folder):
            raise ValueError(f"watch: {folder!r} is no folder.")
    return found


def _chosen(changes: Changes, record: Record, path: str | os.PathLike[str]) -> FileChange:
    __tracebackhide__ = True
    found = changes.named(path)
    if found is None:
        above = changes.place(path)
        while above not in record.unseen and above != os.path.dirname(above):
            above = os.path.dirname(above)
        if above in record.unseen:
            raise ValueError(
                f"No change of {os.fspath(path)!r} is known, since it was not copied: {record.unseen[above]}. "
                "See turn.changes().left_out."
            )
        raise ValueError(f"The turn changed no file {os.fspath(path)!r}: see turn.changes().{changes.near(path)}")
    return found


def _outermost(folders: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(folders))
    return [each for each in unique if inside(each, unique) is None]


def _places(cwd: str, told: str) -> list[str]:
    """Where a path leads; and where it stands, when a link does: an agent may write through it, or replace it."""
    try:
        path = os.path.join(cwd, told)
        real = os.path.realpath(path)
        own = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        return [real, own] if own != real and os.path.islink(own) else [real]
    except (OSError, ValueError):
        return []


def _number(turn: str) -> int:
    return int(turn.partition(":")[2])


def _then(future: concurrent.futures.Future[None], ready: Callable[[], object]) -> None:
    """Call back on this loop; a loop that has ended meanwhile needs to know nothing."""
    loop = asyncio.get_running_loop()

    def tell(_: object) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(ready)

    future.add_done_callback(tell)
