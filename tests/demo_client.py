"""A small ACP client for the tests of the demo agent: a real process, plain JSON lines, nothing of acp_widget."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

Json = dict[str, Any]
Answer = Callable[["DemoAgent", Json], Json | None]

ROOT = Path(__file__).parent.parent
PATIENCE = 20  # seconds for any one thing to happen


def option(request: Json, kind: str) -> str:
    """The id of the option of a kind."""
    return next(o["optionId"] for o in request["params"]["options"] if o["kind"] == kind)


def choose(*kinds: str) -> Answer:
    """Answer the first request by the first kind, and so on; the last kind answers the rest."""
    left = list(kinds)

    def answer(_: DemoAgent, request: Json) -> Json:
        kind = left.pop(0) if len(left) > 1 else left[0]
        return {"result": {"outcome": {"outcome": "selected", "optionId": option(request, kind)}}}

    return answer


ALLOW = choose("allow_once")


def dismiss(_: DemoAgent, request: Json) -> Json:
    """Answer that the question was dismissed."""
    return {"result": {"outcome": {"outcome": "cancelled"}}}


class Turn:
    """What came between a prompt and idle."""

    def __init__(self, messages: Iterable[Json]) -> None:
        self.messages = list(messages)
        self.requests = [m for m in self.messages if m.get("method") == "session/request_permission"]
        self.updates = [m["params"]["update"] for m in self.messages if m.get("method") == "session/update"]
        known = [u for u in self.updates if isinstance(u, dict) and isinstance(u.get("sessionUpdate"), str)]
        self.idle = next((u for u in reversed(known) if u["sessionUpdate"] == "state_update"), {})
        self.stop_reason = self.idle.get("stopReason")
        self.states = [u.get("state") for u in known if u["sessionUpdate"] == "state_update"]
        self.text = "".join(u["content"].get("text", "") for u in known if u["sessionUpdate"] == "agent_message_chunk")
        self.thoughts = "".join(
            u["content"].get("text", "") for u in known if u["sessionUpdate"] == "agent_thought_chunk"
        )
        self.plans = [u["plan"] for u in known if u["sessionUpdate"] == "plan_update"]
        self.calls: dict[str, Json] = {}
        self.terminals: dict[str, Json] = {}
        for message in self.messages:
            subject = message.get("params", {}).get("subject") or {}
            if subject.get("type") == "tool_call":
                self._call(subject["toolCall"])
            update = message.get("params", {}).get("update")
            if isinstance(update, dict):
                self._update(update)

    def of_type(self, kind: str) -> list[Json]:
        """The updates of one type."""
        return [u for u in self.updates if isinstance(u, dict) and u.get("sessionUpdate") == kind]

    def _update(self, update: Json) -> None:
        if update.get("sessionUpdate") == "tool_call_update" and "toolCallId" in update:
            self._call(update)
        elif update.get("sessionUpdate") == "tool_call_content_chunk":
            self._call(update, update["content"])
        elif update.get("sessionUpdate") == "terminal_update":
            self._terminal(update)
        elif update.get("sessionUpdate") == "terminal_output_chunk" and not update["data"].startswith("*"):
            self._terminal({"terminalId": update["terminalId"]})["bytes"] += base64.b64decode(update["data"])

    def _call(self, update: Json, chunk: Json | None = None) -> None:
        call = self.calls.setdefault(update["toolCallId"], {"status": "pending", "content": []})
        if chunk is None:
            call.update({key: value for key, value in update.items() if key != "sessionUpdate"})
        else:
            call["content"] = [*(call["content"] or []), chunk]

    def _terminal(self, update: Json) -> Json:
        terminal = self.terminals.setdefault(update["terminalId"], {"bytes": b""})
        if update.get("output"):
            terminal["bytes"] = base64.b64decode(update["output"]["data"])
        terminal.update({key: value for key, value in update.items() if key not in ("sessionUpdate", "output")})
        return terminal


class DemoAgent:
    """A running demo agent, as a context manager.

    `received` holds every message it sent, `garbage` every line that was none, `methods` what our ids asked for.
    """

    def __init__(self, cwd: Path, pace: str = "0", **env: str) -> None:
        self.cwd = cwd
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "ACP_WIDGET_DEMO_PACE": pace, **env}
        command = [sys.executable, "-m", "acp_widget.demo"]
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        self._stdin = self.process.stdin
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reading = threading.Event()
        self._reading.set()
        self._next_id = 0
        self.stderr = ""
        self.received: list[Json] = []
        self.garbage: list[bytes] = []
        self.methods: dict[int, str] = {}
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> DemoAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> int:
        """Close its stdin and wait for its end; gives the exit status."""
        self._reading.set()
        if not self._stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._stdin.close()
        try:
            return self.wait()
        finally:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdout, self.process.stderr):
                assert pipe is not None
                pipe.close()

    def wait(self) -> int:
        """Wait for its end and for the last of its output; gives the exit status."""
        status = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return status

    def stop_reading(self) -> None:
        """Let its output pile up, as a client that hangs would."""
        self._reading.clear()

    def send(self, message: Any) -> None:
        """Send one message, or bytes as they are."""
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self._stdin.write(line)
        self._stdin.flush()

    def next(self) -> Json:
        """The next message."""
        while True:
            line = self._lines.get(timeout=PATIENCE)
            if line is None:
                raise EOFError(f"The agent closed its stdout. Its stderr: {self.stderr}")
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict):
                self.received.append(message)
                return message
            self.garbage.append(line)

    def until(self, wanted: Callable[[Json], bool]) -> list[Json]:
        """The messages up to the first wanted one."""
        messages = [self.next()]
        while not wanted(messages[-1]):
            messages.append(self.next())
        return messages

    def request(self, method: str, params: Json) -> int:
        """Send a request; gives its id."""
        self._next_id += 1
        self.methods[self._next_id] = method
        self.send({"id": self._next_id, "method": method, "params": params})
        return self._next_id

    def answer_to(self, request_id: int | None) -> Json:
        """The response to a request."""
        return self.until(lambda m: m.get("id") == request_id and "method" not in m)[-1]

    def call(self, method: str, params: Json) -> Json:
        """The result of a request."""
        response = self.answer_to(self.request(method, params))
        assert "result" in response, response
        return dict(response["result"])

    def error(self, method: str, params: Json) -> Json:
        """The error of a request."""
        response = self.answer_to(self.request(method, params))
        assert "error" in response, response
        return dict(response["error"])

    def initialize(self) -> Json:
        """Say hello."""
        return self.call("initialize", {"protocolVersion": 2, "info": {"name": "tests", "version": "1"}})

    def new(self, cwd: Path | None = None) -> str:
        """Say hello and begin a session; gives its id."""
        self.initialize()
        return str(self.call("session/new", {"cwd": str(cwd or self.cwd), "mcpServers": []})["sessionId"])

    def prompt(self, session: str, text: str) -> Json:
        """Send a prompt; gives the result."""
        return self.call("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": text}]})

    def cancel(self, session: str) -> None:
        """Stop the turn."""
        self.send({"method": "session/cancel", "params": {"sessionId": session}})

    def idle(self, answer: Answer = ALLOW) -> Turn:
        """Answer what is asked until the session is idle. An answer of None leaves the request open."""
        messages = []
        while True:
            message = self.next()
            messages.append(message)
            if message.get("method") == "session/request_permission":
                if (reply := answer(self, message)) is not None:
                    self.send({"id": message["id"], **reply})
            elif "id" in message and "method" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "unknown"}})
            update = message.get("params", {}).get("update")
            if isinstance(update, dict) and update.get("state") == "idle":
                return Turn(messages)

    def play(self, session: str, text: str, answer: Answer = ALLOW) -> Turn:
        """Send a prompt and answer what is asked until the session is idle."""
        self.prompt(session, text)
        return self.idle(answer)

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            while line := self.process.stdout.readline():
                self._lines.put(line)
                self._reading.wait()
        finally:
            self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.stderr = self.process.stderr.read().decode(errors="replace")
