"""Recordings of both sides of a connection, one JSON object a line: `{"t", "dir", "msg"}`, or `raw` for no JSON."""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ..protocol import handshake
from .listener import Listener

Json = dict[str, Any]


def read(path: str | Path) -> Iterator[Json]:
    """The records of a file, one by one. What is no record becomes one with `problem`: nothing is dropped quietly.

    Raises `OSError` when the file cannot be read.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield {"problem": f"line {number} is no JSON: {error}"}
                continue
            if isinstance(record, dict):
                yield record
            else:
                yield {"problem": f"line {number} is no object"}


def play(records: Iterable[Json]) -> Listener:
    """Hear a whole recording, and what was made of it."""
    player = Player()
    for record in records:
        player.hear(record)
    player.end()
    return player.listener


class Player:
    """Tells a `Listener` what a recording says, message by message, as the live connection would have."""

    def __init__(self) -> None:
        self.listener = Listener()
        self._ours: dict[str, Json] = {}  # our requests without an answer, by their id as JSON
        self._theirs: dict[str, Json] = {}
        self._turn: str | None = None
        self._began = False

    def hear(self, record: Json) -> None:
        """One line. Anything is heard; what cannot be understood is a diagnostic."""
        at = record.get("t")
        if isinstance(at, (int, float)) and not isinstance(at, bool):
            self.listener.at = float(at)
        if "problem" in record:
            self._diagnose(str(record["problem"]), "recording")
        elif "raw" in record and "msg" not in record:
            self._diagnose(f"A line that is no JSON: {str(record['raw'])[:2000]}", "stdout")
        else:
            message = record.get("msg")
            for each in message if isinstance(message, list) else [message]:  # a batch (R71)
                self._message(record.get("dir"), each)

    def end(self) -> None:
        """Nothing comes any more: what still runs is over."""
        state = self.listener.state
        if state.busy() or self._ours or state.part("session")["connection"] == "starting":
            message = "The recording ends before the agent was done."
            self._tell("ended", connection="failed", error={"name": "AgentExited", "message": message})

    # --- messages --------------------------------------------------------------------------------------------------

    def _message(self, direction: Any, message: Any) -> None:
        if not isinstance(message, dict) or direction not in ("in", "out"):
            self._diagnose("A record without a direction and a message.", "recording")
            return
        method, params = message.get("method"), message.get("params")
        given: Json = params if isinstance(params, dict) else {}
        ours = direction == "out"
        if isinstance(method, str):
            if "id" in message:
                (self._ours if ours else self._theirs)[encoded_id(message["id"])] = message
            handle = (_WE_SAY if ours else _THEY_SAY).get(method)
            if handle is not None:
                handle(self, message, given)
            return
        asked = (self._theirs if ours else self._ours).pop(encoded_id(message.get("id")), None)
        if asked is None:
            if not ours:
                self._diagnose("An answer to no request of ours.", "recording")
            return
        answer = (_WE_ANSWER if ours else _THEY_ANSWER).get(asked["method"])
        if answer is not None:
            answer(self, asked, message)

    def _tell(self, kind: str, **fields: Any) -> None:
        self.listener.tell({"type": kind, **fields})

    def _diagnose(self, message: str, where: str) -> None:
        self._tell("diagnostic", message=message, where=where)

    def _update(self, **update: Any) -> None:
        self._tell("update", update=update)

    # --- what we said ----------------------------------------------------------------------------------------------

    def _initialize(self, message: Json, params: Json) -> None:
        if self._began:
            self._tell("ended", connection="closed", error=None)
            self._ours = {encoded_id(message["id"]): message}
            self._theirs.clear()
        self._began = True
        self._tell("starting", command=None, cwd=None, label="recording", temporary=False)

    def _open(self, message: Json, params: Json) -> None:
        self._tell("replayBegin" if self._replays(message) else "resumeBegin")

    @staticmethod
    def _replays(message: Json) -> bool:
        params = message.get("params")
        from_start = isinstance(params, dict) and params.get("replayFrom") is not None
        return message["method"] == "session/load" or from_start

    def _prompt(self, message: Json, params: Json) -> None:
        self._turn = message["turn"] = self.listener.state.next_turn()
        self._tell("promptSent", turn=self._turn, prompt=params.get("prompt"), source="python")

    def _cancel(self, message: Json, params: Json) -> None:
        self._tell("cancel")

    def _configure(self, message: Json, params: Json) -> None:
        self._tell("configSent", configId=_setting(message)[0])

    # --- what they said --------------------------------------------------------------------------------------------

    def _session_update(self, message: Json, params: Json) -> None:
        self._tell("update", update=params.get("update"))

    def _ask(self, message: Json, params: Json) -> None:
        rest = {name: value for name, value in params.items() if name != "sessionId"}
        self._tell("request", id=message.get("id"), params=rest)

    def _withdraw(self, message: Json, params: Json) -> None:
        self._tell("cancelRequest", requestId=params.get("requestId"))

    # --- what they answered ----------------------------------------------------------------------------------------

    def _initialized(self, asked: Json, answer: Json) -> None:
        result = answer.get("result")
        if not isinstance(result, dict):
            self._refused(asked, answer)
            return
        self.listener.speak(2 if handshake.speaks_v2(result) else 1)
        self._tell("initialized", result=result)

    def _session_new(self, asked: Json, answer: Json) -> None:
        if "error" in answer:
            self._refused(asked, answer)
        else:
            self._tell("sessionNew", result=answer.get("result"))

    def _opened(self, asked: Json, answer: Json) -> None:
        if "error" in answer:
            self._tell("replayFailed")
            self._refused(asked, answer)
        else:
            result, params = answer.get("result"), asked.get("params")
            if isinstance(result, dict) and isinstance(params, dict):
                result = {"sessionId": params.get("sessionId"), **result}
            self._tell("replayEnd" if self._replays(asked) else "resumeEnd", result=result)

    def _prompted(self, asked: Json, answer: Json) -> None:
        if "error" in answer:
            self._tell("promptError", turn=asked["turn"], error=answer["error"])
        else:
            self._tell("promptResult", turn=asked["turn"], result=answer.get("result"))

    def _configured(self, asked: Json, answer: Json) -> None:
        if "error" in answer:
            self._refused(asked, answer)
            return
        config_id, value = _setting(asked)
        self.listener.dialect.took(str(config_id), value)
        self._tell("configResult", configId=config_id, result=answer.get("result"))

    def _refused(self, asked: Json, answer: Json) -> None:
        error = answer.get("error")
        words = error.get("message") if isinstance(error, dict) else None
        self._diagnose(f"The agent refused `{asked['method']}`: {words or error}", asked["method"])

    # --- what we answered ------------------------------------------------------------------------------------------

    def _answered(self, asked: Json, answer: Json) -> None:
        result = answer.get("result")
        outcome = result.get("outcome") if isinstance(result, dict) else None
        key = self.listener.permission(asked.get("id"))
        if not isinstance(outcome, dict) or key is None:
            return
        if outcome.get("outcome") == "selected":
            self._tell("respond", permission=key, optionId=outcome.get("optionId"), by="you", why="recorded")
        else:
            self._tell("dismiss", permission=key, by="you", why="recorded")

    def _terminal_made(self, asked: Json, answer: Json) -> None:
        result, params = answer.get("result"), asked.get("params")
        if isinstance(result, dict) and isinstance(params, dict):
            words = [params.get("command"), *(params.get("args") or [])]
            command = shlex.join([word for word in words if isinstance(word, str)])
            self._terminal(result.get("terminalId"), command=command, cwd=params.get("cwd"))

    def _terminal_said(self, asked: Json, answer: Json) -> None:
        result, params = answer.get("result"), asked.get("params")
        if not isinstance(result, dict) or not isinstance(params, dict):
            return
        fields: Json = {}
        if isinstance(result.get("output"), str):
            fields["output"] = {"data": base64.b64encode(result["output"].encode("utf-8", "replace")).decode()}
        if result.get("exitStatus") is not None:
            fields["exitStatus"] = result["exitStatus"]
        elif asked["method"] == "terminal/wait_for_exit":
            fields["exitStatus"] = {"exitCode": result.get("exitCode"), "signal": result.get("signal")}
        self._terminal(params.get("terminalId"), **fields)

    def _terminal(self, terminal_id: Any, **fields: Any) -> None:
        self._update(sessionUpdate="terminal_update", terminalId=terminal_id, **fields)


def encoded_id(request_id: Any) -> str:
    """5 and "5" are two ids."""
    return json.dumps(request_id)


def _setting(asked: Json) -> tuple[Any, Any]:
    params = asked.get("params")
    given: Json = params if isinstance(params, dict) else {}
    named: dict[str, tuple[Any, Any]] = {
        "session/set_mode": ("mode", given.get("modeId")),
        "session/set_model": ("model", given.get("modelId")),
    }
    return named.get(asked["method"], (given.get("configId"), given.get("value")))


Handler = Callable[[Player, Json, Json], None]
_SETTERS: Final = ("session/set_config_option", "session/set_mode", "session/set_model")

_WE_SAY: Final[dict[str, Handler]] = {
    "initialize": Player._initialize,
    "session/load": Player._open,
    "session/resume": Player._open,
    "session/prompt": Player._prompt,
    "session/cancel": Player._cancel,
    **dict.fromkeys(_SETTERS, Player._configure),
}
_THEY_SAY: Final[dict[str, Handler]] = {
    "session/update": Player._session_update,
    "session/request_permission": Player._ask,
    "$/cancel_request": Player._withdraw,
}
_THEY_ANSWER: Final[dict[str, Handler]] = {
    "initialize": Player._initialized,
    "session/new": Player._session_new,
    "session/load": Player._opened,
    "session/resume": Player._opened,
    "session/prompt": Player._prompted,
    **dict.fromkeys(_SETTERS, Player._configured),
}
_WE_ANSWER: Final[dict[str, Handler]] = {
    "session/request_permission": Player._answered,
    "terminal/create": Player._terminal_made,
    "terminal/output": Player._terminal_said,
    "terminal/wait_for_exit": Player._terminal_said,
}
