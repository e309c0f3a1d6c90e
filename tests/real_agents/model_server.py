"""A loopback stand-in for the model APIs that agents talk to: OpenAI's two, Anthropic's, Gemini's. No model behind it.

with ModelServer(folder) as server:
    … start an agent with server.port …

`folder` is where the agent works. Each test has a server of its own, on a free port of 127.0.0.1. Standard library
only; written for acp-widget and under its licence, BSD-3-Clause.
"""

from __future__ import annotations

import gzip
import json
import threading
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from . import model_apis as apis
from .model_script import Conversation, Json, Step, next_step

MODEL = "scripted-1"


class ModelServer:
    """Answers on `port` until the block ends."""

    def __init__(self, cwd: Path) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.cwd = cwd
        self._thread = threading.Thread(target=self._server.serve_forever, name="scripted model", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def asked(self) -> list[str]:
        """What was asked for, as `prompt → tool` lines: for the message of a test that fails."""
        return self._server.asked

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._server.ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.cwd = Path()
        self.asked: list[str] = []
        self.ending = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that was stopped closes its connection: nothing to tell of."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        if "/models" not in self.path:
            return self._json({"error": {"message": "not here"}}, 404)
        model = {
            "id": MODEL,
            "object": "model",
            "created": 0,
            "owned_by": "loopback",
            "type": "model",
            "display_name": MODEL,
            "created_at": "2025-01-01T00:00:00Z",
        }
        return self._json({"object": "list", "data": [model], "models": [], "has_more": False})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        for suffix, counted in apis.COUNTED.items():
            if path.endswith(suffix):
                return self._json(counted)
        for suffix, (read, write) in apis.APIS.items():
            if path.endswith(suffix):
                conversation = read(body)
                step = next_step(conversation, self.server.cwd)
                self._note(conversation, step)
                try:
                    write(_Reply(self, body, step))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                return None
        self.server.asked.append(f"unknown {path}")
        return self._json({}, 404)

    def _note(self, conversation: Conversation, step: Step) -> None:
        tool = f"{step.tool.name} {json.dumps(step.input)[:200]}" if step.tool else step.text[:40]
        self.server.asked.append(f"{conversation.user[-80:]!r}, {conversation.results} results → {tool}")

    def _body(self) -> Json:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _json(self, content: Any, code: int = 200) -> None:
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Reply:
    """How an API writes its answer: whole, or as server-sent events."""

    def __init__(self, handler: _Handler, body: Json, step: Step) -> None:
        self._handler = handler
        self.body = body
        self.step = step
        self.model = str(body.get("model", MODEL))
        self.streams = bool(body.get("stream")) or ":stream" in handler.path

    def whole(self, content: Json) -> None:
        self._handler._json(content)

    def begin(self) -> None:
        self._handler.send_response(200)
        self._handler.send_header("content-type", "text/event-stream")
        self._handler.send_header("connection", "close")
        self._handler.end_headers()
        self._handler.close_connection = True

    def send(self, content: Json | str, event: str | None = None) -> None:
        data = content if isinstance(content, str) else json.dumps(content)
        head = f"event: {event}\n" if event else ""
        self._handler.wfile.write(f"{head}data: {data}\n\n".encode())
        self._handler.wfile.flush()

    def speak(self, say: Callable[[str], object]) -> None:
        """The step's text, piece by piece, at its pace."""
        for piece in apis.pieces(self.step.text):
            if self._handler.server.ending.wait(self.step.pause):
                raise BrokenPipeError
            say(piece)

    @staticmethod
    def new_id(prefix: str) -> str:
        return f"{prefix}{uuid.uuid4().hex[:12]}"
