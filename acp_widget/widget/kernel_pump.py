"""The pump: clicks on our widgets reach Python while a cell of an ipykernel is still running.

A kernel reads the messages of its main shell one after the other, so a click waits behind the cell that waits for the
click. The pump reads that inbox itself during a wait: messages for our own comms go to the kernel's own handlers, and
so do the first questions of a reloaded page, which could not draw the button otherwise. All others stay with the
kernel, in order. Other people's widgets too: a click handled here gets no busy and idle, and a slider of ipywidgets
would hold back its later changes without them.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any

from . import kernel as kernels
from .kernel import Inbox, Message

log = logging.getLogger(__name__)

_TICK = 0.02  # seconds; how late the end of a blocking wait may be noticed

CommIds = Callable[[], set[str]]


class Interrupts:
    """Holds an interrupt back while messages are in our hands: in the middle of reading one it would be lost.

    It is raised at the next `check()`, at once while a handler runs, and at the end of the block.
    """

    def __enter__(self) -> Interrupts:
        self._came = self._raised = self._allowed = False
        self._before = signal.getsignal(signal.SIGINT)
        outer = getattr(self._before, "__self__", None)
        self._kernels: Any = outer._kernels if isinstance(outer, Interrupts) else self._before
        # Where the kernel ignores interrupts, no cell runs: an exception would end the kernel's loop.
        self._ours = callable(self._before)
        if self._ours:
            signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, self._before)
        if kind is None:
            self.check()

    def check(self) -> None:
        if self._came and not self._raised:
            self._raised = True
            raise self._error()

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Here an interrupt is raised at once."""
        self._allowed = True
        try:
            yield
        finally:
            self._allowed = False

    def _on_signal(self, number: int, frame: Any) -> None:
        self._came = True
        if self._allowed:
            self.check()

    def _error(self) -> BaseException:
        if self._kernels is signal.default_int_handler or _task_is_a_cell():
            return KeyboardInterrupt()
        # We block a task in the background of an async cell, and KeyboardInterrupt out of a task ends the kernel.
        # The kernel's own handler cancels the cell.
        self._kernels(signal.SIGINT, None)
        return asyncio.CancelledError()


def _task_is_a_cell() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and getattr(task.get_coro(), "__name__", "") == "run_cell_async"


class Pump:
    """Serves the comms of all waits of the process. Used on the kernel's main thread only."""

    def __init__(self, kernel: Any, inbox: Inbox, before_change: Callable[[], None]) -> None:
        self._kernel = kernel
        self._before_change = before_change  # called when `active` is about to change
        self._inbox = inbox
        self._serving: dict[object, tuple[CommIds, contextvars.Context]] = {}
        self._intercepting = 0
        self._polling = 0
        self._interception: tuple[Callable[[Message], Any], Callable[[Message], Any]] | None = None
        self._due: deque[Message] = deque()  # for us, and not yet handled
        self._kept: deque[Message] = deque()  # for the kernel, when nothing reads any more
        self._tasks: set[asyncio.Future[Any]] = set()

    # Blocking: the loop stands still, so we read the socket.

    def wait(self, future: Future[Any], comm_ids: CommIds, deadline: float) -> None:
        """Handle our messages until the future is done or `time.monotonic()` reaches the deadline."""
        with Interrupts() as interrupts, self.polling(comm_ids):
            while not future.done():
                interrupts.check()
                left = deadline - time.monotonic()
                if left <= 0:
                    return
                self._step(min(_TICK, left), interrupts)

    @contextlib.contextmanager
    def polling(self, comm_ids: CommIds) -> Iterator[None]:
        """Between here and there `step` may read; then what was kept goes to the kernel, in order."""
        with self._served(comm_ids):
            self._polling += 1
            try:
                yield
            finally:
                self._polling -= 1
                if self._polling == 0:
                    with Interrupts():
                        self._hand_back()

    def step(self) -> None:
        """Handle what is for us and was read already, and what one more message brings, if there is one."""
        with Interrupts() as interrupts:
            self._step(0, interrupts)

    def _step(self, timeout: float, interrupts: Interrupts) -> None:
        import zmq

        self._sort_backlog()
        if not self._due:
            if not self._inbox.socket.poll(round(timeout * 1000), zmq.POLLIN):
                return
            try:
                message = self._inbox.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            (self._due if self._is_due(message) else self._kept).append(message)
        while self._due:
            self._handle(self._due.popleft(), interrupts)
            interrupts.check()

    def _hand_back(self) -> None:
        callback = self._inbox.callback
        for queue in (self._due, self._kept):
            while queue:
                try:
                    self._pass_on(queue.popleft(), callback)
                except Exception:
                    log.exception("A message could not be handed back to the kernel")
        self._inbox.read_with(callback)

    # Awaiting: the loop turns, so we stand between its stream and the kernel, and nothing is held up.

    @contextlib.contextmanager
    def intercepting(self, comm_ids: CommIds) -> Iterator[None]:
        """Between here and there our messages are handled as they arrive; all others pass."""
        with self._served(comm_ids):
            if self._intercepting == 0:
                self._stand_between()
            self._intercepting += 1
            try:
                self.serve_backlog()
                yield
            finally:
                self._intercepting -= 1
                if self._intercepting == 0:
                    self._step_aside()

    def _stand_between(self) -> None:
        original = self._inbox.callback

        def intercept(message: Message) -> None:
            # A kernel without a cell handles everything by itself, at once.
            if self._is_due(message) and not kernels.main_shell_is_free(self._kernel):
                self._handle(message)
            else:
                self._pass_on(message, original)

        self._interception = (intercept, original)
        self._inbox.read_with(intercept)

    def _step_aside(self) -> None:
        assert self._interception is not None
        intercept, original = self._interception
        self._interception = None
        # When somebody else stands before us by now, we stay: nothing is ours any more, and everything passes.
        if self._inbox.callback is intercept:
            self._inbox.read_with(original)

    def serve_backlog(self) -> None:
        """Handle our messages that ipykernel 6 has queued behind the running cell."""
        self._sort_backlog()
        while self._due:
            self._handle(self._due.popleft())

    # Both.

    def loop_is_current(self) -> bool:
        """True when the kernel's loop is the one that runs now; False inside a loop nested in it."""
        return asyncio._get_running_loop() is self._inbox.loop

    def active(self) -> bool:
        """True while comm messages of ours are handled as they arrive."""
        return bool(self._serving)

    @contextlib.contextmanager
    def _served(self, comm_ids: CommIds) -> Iterator[None]:
        key = object()
        self._before_change()
        self._serving[key] = (comm_ids, contextvars.copy_context())
        try:
            yield
        finally:
            self._before_change()
            del self._serving[key]

    def _sort_backlog(self) -> None:
        queue = self._inbox.backlog
        if queue is None:
            return
        for _ in range(queue.qsize()):
            item = queue.get_nowait()
            _, dispatch, arguments = item
            if dispatch == self._kernel.dispatch_shell and arguments and self._is_due(arguments[0]):
                self._due.append(arguments[0])
            else:
                queue.put_nowait(item)

    def _is_due(self, message: Message) -> bool:
        """True for a message that is handled now; all others are the kernel's, in their turn."""
        return self._is_ours(message) or (bool(self._serving) and kernels.is_from_a_new_page(self._kernel, message))

    def _is_ours(self, message: Message) -> bool:
        found = kernels.comm_id(self._kernel.session, message)
        return found is not None and any(found in comm_ids() for comm_ids, _ in list(self._serving.values()))

    def _handle(self, message: Message, interrupts: Interrupts | None = None) -> None:
        session = self._kernel.session
        identities, frames = session.feed_identities(message, copy=False)
        try:
            request = session.deserialize(frames, content=True, copy=False)
        except Exception:
            log.error("A message was refused", exc_info=True)
            return
        # In the context of the wait, so that what a handler prints or sends belongs to the waiting cell.
        # A copy, because a handler may wait too, and a context cannot be entered twice.
        context = next(reversed(self._serving.values()))[1].copy()
        try:
            if kernels.is_from_a_new_page(self._kernel, message):
                context.run(kernels.answer, self._kernel, self._inbox, identities, request)
                return
            handler = self._kernel.shell_handlers[request["header"]["msg_type"]]
            with interrupts.allowed() if interrupts else contextlib.nullcontext():
                self._follow(context.run(handler, self._inbox.replies, identities, request))
        except Exception:
            log.exception("A message could not be handled")

    def _pass_on(self, message: Message, to_kernel: Callable[[Message], Any]) -> None:
        if kernels.needs_its_turn(self._kernel, message):
            self._follow(kernels.handle_in_turn(self._kernel, message))
        else:
            self._follow(to_kernel(message))

    def _follow(self, result: object) -> None:
        """Let an awaitable answer of the kernel run on its loop, as its stream does."""
        if not inspect.isawaitable(result):
            return
        task = asyncio.ensure_future(_awaited(result), loop=self._inbox.loop)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _awaited(result: Awaitable[object]) -> None:
    try:
        await result
    except Exception:
        log.exception("A message that was handed back to the kernel failed")
