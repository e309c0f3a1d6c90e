"""What we lean on inside ipykernel: all of its private names, and those of the zmq stream it reads.

`self_test` looks at each of them before the first use: another version means a plain wait, never a broken kernel.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

# Versions of ipykernel that tests/kernels passed: from, up to but without.
TESTED = (((6, 29), (7, 0)), ((7, 1), (7, 5)))

# Between these, a front end with subshells (JupyterLab) has its comm messages read on a thread of their own.
_COMMS_ON_SUBSHELLS = ((7, 1), (7, 4))

_SERVED = {"comm_msg", "comm_close"}

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
    """True for a message to another widget that the kernel would handle at once, while a cell awaits.

    It would get no busy and idle then (ipykernel 7.4), and a slider of ipywidgets sends nothing more without them.
    Not for the comm by which a reloaded page asks for its widgets.
    """
    found = comm_id(kernel.session, message) if comms_pass_an_await() else None
    if found is None:
        return False
    comm = kernel.comm_manager.comms.get(found)
    return getattr(comm, "target_name", None) != "jupyter.widget.control"


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
            self.stream = kernel.shell_stream
        else:
            self.stream = thread.manager._shell_channel_to_main.to_stream
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


def comm_id(session: Any, message: Message) -> str | None:
    """The id of the comm that a message is for, or None for every message that the pump never serves.

    The signature is not checked: `deserialize` does that, and refuses a signature that it sees twice.
    """
    try:
        _, frames = session.feed_identities(message, copy=False)
        if session.unpack(frames[1].bytes)["msg_type"] not in _SERVED:
            return None
        found = session.unpack(frames[4].bytes)["comm_id"]
    except Exception:
        return None  # not for us; the kernel says what it thinks of it
    return found if isinstance(found, str) else None


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
            "the handlers": all(callable(kernel.shell_handlers[name]) for name in _SERVED),
            "the thread": inbox.loop_is_here(),
            "the lock": not comms_pass_an_await() or isinstance(kernel._main_asyncio_lock, asyncio.Lock),
        }
    except Exception as error:
        raise Unfit(f"{type(error).__name__}: {error}") from error
    for name, good in checks.items():
        if not good:
            raise Unfit(f"{name} is not as expected")
    return inbox
