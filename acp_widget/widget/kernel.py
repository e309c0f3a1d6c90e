"""What we lean on inside ipykernel: all of its private names, and those of the zmq stream it reads.

`self_test` looks at each of them before the first use: another version means a plain wait, never a broken kernel.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

# Versions of ipykernel that tests/kernels passed: from, up to but without.
TESTED = (((6, 29), (7, 0)), ((7, 1), (7, 5)))

# Between these, a front end with subshells (JupyterLab) has its comm messages read on a thread of their own.
_COMMS_ON_SUBSHELLS = ((7, 1), (7, 4))

_COMM = {"comm_msg", "comm_close"}
_PAGE = {"kernel_info_request", "comm_info_request"}
_CONTROL = "jupyter.widget.control"  # the comm by which a page asks ipywidgets for all widgets

Message = list[Any]  # of zmq.Frame, as it came from the socket


class Unfit(Exception):
    """This kernel is not built the way the pump expects; the text says where."""


def running_kernel() -> Any | None:
    """The ipykernel that runs this process, or None. A process forked from it has none: the sockets are not its own."""
    module = sys.modules.get("ipykernel.kernelbase")
    ipython = sys.modules.get("IPython")
    if module is None or ipython is None:
        return None
    kernel = getattr(ipython.get_ipython(), "kernel", None)
    if not isinstance(kernel, module.Kernel):
        return None
    owner = getattr(getattr(kernel, "iopub_thread", None), "_master_pid", os.getpid())
    return kernel if owner == os.getpid() else None


def version() -> tuple[int, int]:
    """Major and minor version of the imported ipykernel."""
    major, minor = sys.modules["ipykernel"].version_info[:2]
    return int(major), int(minor)


def tested() -> bool:
    """True when this version of ipykernel lies in a range that the kernel tests passed."""
    return any(first <= version() < last for first, last in TESTED)


def takes_input(kernel: Any) -> bool:
    """False when who sent the newest cell said that `input()` cannot be answered; True where that is not known."""
    return getattr(kernel, "_allow_stdin", True) is not False


def comms_have_their_own_thread(kernel: Any) -> bool:
    """True when comm messages are read on a subshell, whatever the cell on the main shell does."""
    first, last = _COMMS_ON_SUBSHELLS
    if not first <= version() < last:
        return False
    try:
        return bool(kernel.shell_channel_thread.manager.list_subshell())
    except AttributeError:
        return False


def comms_pass_an_await() -> bool:
    """True when the kernel itself handles comm messages while a cell awaits."""
    return version() >= (7, 4)


def needs_its_turn(kernel: Any, message: Message) -> bool:
    """True for a message to a comm that the kernel would handle at once, while a cell awaits.

    It would get no busy and idle then (ipykernel 7.4), and a slider of ipywidgets sends nothing more without them.
    """
    return comms_pass_an_await() and peek(kernel.session, message)[0] in _COMM


async def handle_in_turn(kernel: Any, message: Message) -> None:
    """Let the kernel handle a message after the running cell and what is queued before it (ipykernel 7)."""
    await asyncio.sleep(0)  # cells that came earlier take two steps to stand in the queue
    async with kernel._main_asyncio_lock:
        await kernel.dispatch_shell(message, subshell_id=None)


def main_shell_is_free(kernel: Any) -> bool:
    """True when the main shell waits for its next message. False where that cannot be told."""
    lock = getattr(kernel, "_main_asyncio_lock", None)  # ipykernel 7 holds it while it handles a message
    if lock is not None:
        return not lock.locked()
    waiting = getattr(getattr(kernel, "msg_queue", None), "_getters", ())  # ipykernel 6 waits for its queue
    return len(waiting) > 0


class Inbox:
    """Where the messages for the main shell arrive.

    ipykernel 6: the ROUTER socket itself; what its loop has read already stands in `backlog`, behind the running cell.
    ipykernel 7: the main thread's end of the pair of sockets that a thread of the kernel fills.
    """

    def __init__(self, kernel: Any) -> None:
        thread = getattr(kernel, "shell_channel_thread", None)
        if thread is None:
            self.stream = self.replies = kernel.shell_stream
        else:
            self.stream = thread.manager._shell_channel_to_main.to_stream
            self.replies = thread.manager.get_subshell_to_shell_channel_socket(None)
        self.socket = self.stream.socket
        self.backlog = getattr(kernel, "msg_queue", None)
        self.loop: asyncio.AbstractEventLoop = kernel.io_loop.asyncio_loop

    @property
    def callback(self) -> Callable[[Message], Any]:
        """What the stream calls with each message."""
        return self.stream._recv_callback  # type: ignore[no-any-return]

    def read_with(self, callback: Callable[[Message], Any]) -> None:
        """Let the stream call this from now on. It also looks at the socket again, which we may have read."""
        self.stream.on_recv(callback, copy=False)

    def loop_is_here(self) -> bool:
        """True when the kernel's loop runs in this thread (perhaps with another loop nested in it)."""
        owner = getattr(self.loop, "_thread_id", None)
        if owner is not None:
            return bool(owner == threading.get_ident())
        return asyncio._get_running_loop() is self.loop


def peek(session: Any, message: Message) -> tuple[str, dict[str, Any]]:
    """Type and content of a message; an empty type for one that the pump has no business with.

    The signature is not checked: `deserialize` does that, and refuses a signature that it sees twice.
    """
    try:
        _, frames = session.feed_identities(message, copy=False)
        kind = session.unpack(frames[1].bytes)["msg_type"]
        if kind in _COMM or kind in _PAGE or kind == "comm_open":
            return kind, dict(session.unpack(frames[4].bytes))
    except Exception:
        pass  # the kernel says what it thinks of it
    return "", {}


def comm_id(session: Any, message: Message) -> str | None:
    """The id of the open comm that a message is for; None for a message of another kind."""
    kind, content = peek(session, message)
    return content.get("comm_id") if kind in _COMM else None


def is_from_a_new_page(kernel: Any, message: Message) -> bool:
    """True for what a page asks when it was reloaded: what the kernel is, and which widgets there are in which state.

    While these wait behind a cell, the reloaded page cannot draw the button that the cell waits for.
    """
    kind, content = peek(kernel.session, message)
    if kind in _PAGE:
        return True
    target = content.get("target_name")
    if kind in _COMM:
        data = content.get("data")
        if isinstance(data, dict) and data.get("method") == "request_state":
            return True
        target = getattr(kernel.comm_manager.comms.get(content.get("comm_id")), "target_name", None)
    return kind != "" and target == _CONTROL


def answer(kernel: Any, inbox: Inbox, identities: list[bytes], request: dict[str, Any]) -> None:
    """Let the kernel answer a request in the middle of a cell, with the busy and idle that a page waits for.

    Afterwards the running cell is the parent of all output again, and the kernel busy with it.
    """
    import zmq

    parent, parent_identities = kernel.get_parent("shell"), kernel._parent_ident["shell"]
    kernel.set_parent(identities, request, channel="shell")
    try:
        kernel._publish_status("busy", "shell")
        result = kernel.shell_handlers[request["header"]["msg_type"]](inbox.replies, identities, request)
        if inspect.iscoroutine(result):  # the loop may stand still; the kernel's handlers await nothing
            with contextlib.suppress(StopIteration):
                result.send(None)
            result.close()
    finally:
        kernel._publish_status("idle", "shell")
        if inbox.replies is inbox.stream:  # ipykernel 6: the loop that would send it stands still
            inbox.stream.flush(zmq.POLLOUT)
        kernel.set_parent(parent_identities, parent, channel="shell")
        if not main_shell_is_free(kernel):
            kernel._publish_status("busy", "shell")


def self_test(kernel: Any) -> Inbox:
    """The kernel's inbox, when everything the pump leans on is there and a message goes through. Raises `Unfit`."""
    import zmq
    from zmq.eventloop.zmqstream import ZMQStream

    try:
        inbox = Inbox(kernel)
        session = kernel.session
        parts = session.serialize(session.msg("comm_msg", {"comm_id": "self-test", "data": {}}))
        message = [zmq.Frame(part) for part in parts]
        seen = comm_id(session, message)
        _, frames = session.feed_identities(message, copy=False)
        content = session.deserialize(frames, content=True, copy=False)["content"]
        kind = inbox.socket.getsockopt(zmq.TYPE)
        queue = inbox.backlog
        checks = {
            "the stream": isinstance(inbox.stream, ZMQStream) and callable(inbox.callback),
            "the socket": kind in (zmq.ROUTER, zmq.PAIR),
            "the queue": queue is None or all(hasattr(queue, n) for n in ("qsize", "get_nowait", "put_nowait")),
            "the message": seen == "self-test" and content["comm_id"] == "self-test",
            "the handlers": all(callable(kernel.shell_handlers[name]) for name in _COMM | _PAGE | {"comm_open"}),
            "the parent": isinstance(kernel.get_parent("shell"), dict) and "shell" in kernel._parent_ident,
            "the status": callable(kernel._publish_status),
            "the comms": isinstance(kernel.comm_manager.comms, dict),
            "the thread": inbox.loop_is_here(),
            "the lock": not comms_pass_an_await() or isinstance(kernel._main_asyncio_lock, asyncio.Lock),
        }
    except Exception as error:
        raise Unfit(f"{type(error).__name__}: {error}") from error
    for name, good in checks.items():
        if not good:
            raise Unfit(f"{name} is not as expected")
    return inbox
