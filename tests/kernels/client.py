"""A real kernel as a test sees it: run cells, click on widgets, interrupt, kill.

with Kernel(environments.python("7.4.0")) as kernel:
    cell = kernel.start("agent.run('…')")
    cell.until_text("ready")
    kernel.click(comm_id, {"type": "answer"})
    assert "done" in cell.finish().text
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

PATIENCE = 30.0  # seconds until a test gives up; nothing here waits that long on purpose

Json = dict[str, Any]


@dataclass
class Cell:
    """A message of ours to the kernel (a cell, or a comm message), and all that came back for it so far."""

    kernel: Kernel
    id: str
    messages: list[Json] = field(default_factory=list)  # from iopub, as they came
    reply: Json | None = None

    @property
    def text(self) -> str:
        """All that was printed, then the error, if any."""
        return "".join(
            m["content"]["text"] if m["msg_type"] == "stream" else f"{m['content']['ename']}: {m['content']['evalue']}"
            for m in self.messages
            if m["msg_type"] in ("stream", "error")
        )

    @property
    def kinds(self) -> list[str]:
        """What came back, in order: message types; `status` by its state."""
        return [m["content"].get("execution_state", m["msg_type"]) for m in self.messages]

    @property
    def status(self) -> str | None:
        """`ok`, `error` or `aborted`; None while there is no reply."""
        return self.reply["content"]["status"] if self.reply else None

    @property
    def over(self) -> bool:
        return self.reply is not None and "idle" in self.kinds

    def until_text(self, text: str) -> Cell:
        """Wait until that was printed."""
        self.kernel.until(lambda: text in self.text or self.over, f"the cell to print {text!r}")
        assert text in self.text, self.text
        return self

    def finish(self) -> Cell:
        """Wait until the cell is over."""
        self.kernel.until(lambda: self.over, "the cell to end")
        return self


class Kernel:
    """A kernel process of its own. The cells of a test run in it one after the other, as in a notebook."""

    def __init__(
        self,
        python: str,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._python = python
        self._patience = patience
        self._cwd = cwd
        self._env = {**os.environ, **(env or {})}
        self._sent: dict[str, Cell] = {}
        self._stuck = ""  # what was waited for in vain
        self.allow_stdin = True  # as the front ends of people say; a program that runs notebooks says False
        self.comm_messages: list[Json] = []  # all comm_open, comm_msg and comm_close of the kernel, in order

    def __enter__(self) -> Kernel:
        self._manager = KernelManager()
        self._manager.kernel_cmd = [self._python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        # Without this, jupyter_client asks for an installed kernel spec, only to replace its command.
        spec = self._manager.kernel_spec
        assert spec is not None
        spec.argv = list(self._manager.kernel_cmd)
        self._manager.start_kernel(cwd=str(self._cwd) if self._cwd else None, env=self._env)
        self.client: BlockingKernelClient = self._manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()

    @property
    def pid(self) -> int:
        return int(self._manager.provisioner.pid)  # type: ignore[union-attr]

    # Sending.

    def run(self, code: str) -> Cell:
        """Run a cell to its end. It must not fail."""
        cell = self.start(code).finish()
        assert cell.status == "ok", cell.text
        return cell

    def start(self, code: str, *, subshell: str | None = None) -> Cell:
        """Send a cell; it may run now or be queued."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "allow_stdin": self.allow_stdin,
            "stop_on_error": True,
        }
        return self._send("execute_request", {**content, "user_expressions": {}}, subshell=subshell)

    def click(self, comm_id: str, content: Any, *, subshell: str | None = None) -> Cell:
        """Send a custom message from a widget's front end, as `model.send(content)` does."""
        return self.comm(comm_id, {"method": "custom", "content": content}, subshell=subshell)

    def move(self, comm_id: str, **state: Any) -> Cell:
        """Change traits in a widget's front end, as `model.set(…)` and `model.save_changes()` do."""
        return self.comm(comm_id, {"method": "update", "state": state, "buffer_paths": []})

    def comm(self, comm_id: str, data: Json, *, subshell: str | None = None) -> Cell:
        return self._send("comm_msg", {"comm_id": comm_id, "data": data}, subshell=subshell)

    def request(self, kind: str, content: Json, metadata: Json | None = None) -> Cell:
        """Any other request on the shell channel."""
        return self._send(kind, content, metadata=metadata)

    @contextlib.contextmanager
    def subshell(self) -> Iterator[str]:
        """The id of a subshell (ipykernel 7), which is deleted at the end."""
        subshell = self.control("create_subshell_request", {})["subshell_id"]
        yield subshell
        self.control("delete_subshell_request", {"subshell_id": subshell})

    def control(self, kind: str, content: Json) -> Json:
        """A request on the control channel; the content of its reply."""
        self.client.control_channel.send(self.client.session.msg(kind, content))
        reply: Json = self.client.get_control_msg(timeout=PATIENCE)["content"]
        assert reply["status"] == "ok", reply
        return reply

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def kill(self) -> None:
        """SIGKILL, to the kernel's process alone."""
        os.kill(self.pid, signal.SIGKILL)

    def restart(self) -> None:
        """As the button of a front end does: the process is asked to end, and another one starts."""
        self._manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=PATIENCE)

    # Receiving.

    def until(self, condition: Callable[[], bool], what: str = "a condition") -> None:
        """Read what the kernel says until the condition holds."""
        assert not self._stuck, f"This kernel hangs since a test before: it waited in vain for {self._stuck}."
        end = time.monotonic() + self._patience
        while not condition():
            if time.monotonic() > end:
                self._stuck = what
                said = "\n".join(f"{cell.id[-6:]} {cell.kinds} {cell.text!r}" for cell in self._sent.values())
                raise AssertionError(f"Waited {self._patience:g} s for {what}. The kernel said:\n{said}")
            self._read(0.05)

    def sent_to_front_end(self, comm_id: str, method: str = "custom") -> list[Any]:
        """What a widget has sent so far: contents of custom messages, or states (`update`, `echo_update`)."""
        inside = "content" if method == "custom" else "state"
        found = (m["content"] for m in self.comm_messages if m["msg_type"] == "comm_msg")
        return [c["data"][inside] for c in found if c["comm_id"] == comm_id and c["data"].get("method") == method]

    def _send(self, kind: str, content: Json, *, subshell: str | None = None, metadata: Json | None = None) -> Cell:
        message = self.client.session.msg(kind, content, metadata=metadata)
        if subshell is not None:
            message["header"]["subshell_id"] = subshell
        cell = self._sent[message["header"]["msg_id"]] = Cell(self, message["header"]["msg_id"])
        self.client.shell_channel.send(message)
        return cell

    def _read(self, timeout: float) -> None:
        for message in self._received(timeout):
            parent = self._sent.get(message["parent_header"].get("msg_id"))
            if message["channel"] == "shell":
                if parent is not None:
                    parent.reply = message
                continue
            if parent is not None:
                parent.messages.append(message)
            if message["msg_type"].startswith("comm_"):
                self.comm_messages.append(message)

    def _received(self, timeout: float) -> Sequence[Json]:
        found: list[Json] = []
        for channel, get in (("iopub", self.client.get_iopub_msg), ("shell", self.client.get_shell_msg)):
            try:
                while True:
                    found.append({**get(timeout=0 if found else timeout), "channel": channel})
            except queue.Empty:
                timeout = 0
        return found
