"""Tells a `Listener` what a recording says, message by message, as the live connection would have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from ..protocol import handshake
from ..protocol.reports import is_content
from ..session.running import is_running
from ..session.values import plain
from . import shapes
from .listener import Listener
from .neutral import neutral
from .own_side import OwnSide

Json = dict[str, Any]

_STRANGERS: Final = 50  # unknown session ids that are reported


@dataclass(slots=True)
class _Asked:
    """A request without an answer so far."""

    method: str
    params: Json
    request_id: Any
    message: Json
    turn: str | None = None
    before: str | None = None  # the session that was open when another one was asked for
    shown: Json | None = None  # what stood there then


class Hearing:
    """Hears one record after the other, then `end`. Neither raises: what cannot be understood is a diagnostic.

    Several sessions in one recording make one transcript, as they do in one panel.
    """

    def __init__(self, listener: Listener | None = None) -> None:
        self.listener = Listener() if listener is None else listener
        self._ours: dict[Any, _Asked] = {}
        self._theirs: dict[Any, _Asked] = {}
        self._heard = False
        self._began = False  # `initialize` was sent, and perhaps answered
        self._is_version_known = False  # while it is not, the first shape that only one version has tells it
        self._session: str | None = None
        self._sessions: set[str] = set()  # all that were opened on this connection
        self._early: list[tuple[_Asked, Json]] = []
        self._strangers: set[str] = set()
        self._unread_last: Json | None = None
        self._own = OwnSide()
        self.ending = "complete"
        """After `end`: how much of the session there is, `complete`, `cut short`, `no session` or `empty`."""

    def hear(self, record: Any) -> None:
        """One record of the file."""
        try:
            self._hear(record if isinstance(record, dict) else {"problem": "a record that is no object"})
        except Exception as fault:  # a fault of ours: one record is lost, not the rest
            self._diagnose(f"A record could not be handled: {type(fault).__name__}: {fault}"[:500], "recording")

    def end(self) -> None:
        """Nothing comes any more: what still runs is over."""
        self._flush()
        before = self._shown()
        self._end()
        self._drop(before)

    def _end(self) -> None:
        session = self.listener.state.part("session")
        if session["sessionId"] is None and not self._any_work():
            self.ending = "no session" if self._heard else "empty"
        if not self._heard:
            self._diagnose("The recording holds no message.", "recording")
        elif self._own.ended:
            return
        elif any(asked.method == "session/close" for asked in self._ours.values()):
            self._tell("ended", connection="closed", error=None)
        elif self.listener.state.busy() or self._ours or self._calls_run():
            waits = ", ".join(f"`{asked.method}`" for asked in self._ours.values())
            end = f"without an answer to {waits}" if waits else "before the agent was done"
            self.ending = "cut short" if self.ending == "complete" else self.ending
            self._fail(f"The recording ends {end}.")
            self._diagnose(f"The recording ends {end}.", "recording")
        elif session["connection"] == "starting":
            self._fail("No session was opened.")

    def _any_work(self) -> bool:
        turns = self.listener.state.snapshot()["turns"].values()
        return any(turn["status"] not in ("queued", "not_sent") for turn in turns)

    def _calls_run(self) -> bool:
        snapshot = self.listener.state.snapshot()
        return any(is_running(snapshot, key) for key in snapshot["toolCalls"])

    def _fail(self, message: str) -> None:
        self._tell("ended", connection="failed", error={"name": "AgentExited", "message": message})

    # --- records and messages --------------------------------------------------------------------------------------

    def _hear(self, record: Json) -> None:
        if shapes.is_header(record):
            self._own.begin(record)
            return
        if shapes.is_note(record):
            return
        at = shapes.time_of(record)
        if at is not None:
            self.listener.at = self._own.began_at + at
        direction = record.get("dir")
        if record.get("late") is True:
            return  # said to nobody: the agent was on its way out
        if "event" in record and direction is None:
            self._event(record["event"])
        elif "problem" in record:
            self._diagnose(str(record["problem"])[:2000], "recording")
        elif isinstance(record.get("msg"), str):
            self._raw(direction == "out", record["msg"])
        elif "msg" in record and direction in ("in", "out"):
            self._messages(direction == "out", record["msg"])
        elif "raw" in record:
            self._raw(direction == "out", record["raw"], record.get("reason"))
        elif "cut" in record:
            self._diagnose(f"A message was cut out of the recording: {str(record['cut'])[:500]}", "recording")
        else:
            self._diagnose("A record without a direction and a message.", "recording")

    def _raw(self, ours: bool, raw: Any, reason: Any = None) -> None:
        """A line that was no object for the recorder: no JSON, or a batch."""
        try:
            parsed = json.loads(raw) if isinstance(raw, str) else None
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, (list, dict)):
            self._messages(ours, parsed)
        elif not self._own.ended:
            self._heard = True
            why = f", {reason[:500]}" if isinstance(reason, str) else ""
            self._diagnose(f"A line that is no message{why}: {str(raw)[:2000]}", "stdout")
            if not ours:
                self._unread({"raw": raw})

    def _messages(self, ours: bool, message: Any) -> None:
        batch = message if isinstance(message, list) else [message]  # R71
        if not batch:
            self._diagnose("An empty batch.", "recording")
        for each in batch:
            if isinstance(each, dict):
                self._heard = True
                wrong = len(self.listener.diagnostics)
                self._message(ours, each)
                if not ours and len(self.listener.diagnostics) > wrong:
                    self._unread(each)
            else:
                self._diagnose(f"A message that is no object: {str(each)[:200]}", "recording")
                if not ours:
                    self._unread({"raw": each})

    def _message(self, ours: bool, message: Json) -> None:
        method, params = message.get("method"), message.get("params")
        if self._own.ended and not (ours and method == "initialize"):
            return  # last words to nobody
        given: Json = params if isinstance(params, dict) else {}
        if not self._is_version_known and (version := shapes.version_told(message)) is not None:
            self._speak(version)
        if isinstance(method, str):
            asked = _Asked(method, given, message.get("id"), message)
            if "id" in message and (key := _key(message["id"])) is not None:
                (self._ours if ours else self._theirs)[key] = asked
            handle = (_WE_SAY if ours else _THEY_SAY).get(method)
            if handle is not None:
                handle(self, asked)
            elif not ours and not method.startswith(_SERVED):
                self._unread(message)
            return
        answered = (self._theirs if ours else self._ours).pop(_key(message.get("id")), None)
        if answered is None:
            if not ours:
                self._diagnose("An answer to no request of ours.", "recording")
        elif ours:
            answer = _WE_ANSWER.get(answered.method)
            if answer is not None:
                answer(self, answered, message)
        else:
            self._take(answered, message)

    def _take(self, asked: _Asked, message: Json) -> None:
        """The agent's answer to a request of ours."""
        error = message.get("error")
        failed = error is not None or "result" not in message
        if failed and not isinstance(error, dict):
            self._diagnose(f"An error that is no object: {error}"[:2000], asked.method)
        handle = (_THEY_REFUSE if failed else _THEY_ANSWER).get(asked.method)
        if handle is not None:
            handle(self, asked, error if failed else message["result"])
        if failed and asked.method != "session/prompt" and not self._own.wants_login(error, self.listener.state):
            words = error.get("message") if isinstance(error, dict) else None
            self._diagnose(f"The agent refused `{asked.method}`: {words or error}"[:2000], asked.method)

    def _speak(self, version: int) -> None:
        self._is_version_known = True
        if self.listener.dialect.version != version:
            self.listener.speak(version)

    def _tell(self, kind: str, **fields: Any) -> None:
        self.listener.tell({"type": kind, **fields})

    def _diagnose(self, message: str, where: str) -> None:
        self._tell("diagnostic", message=message, where=where)

    def _updates(self, updates: Iterator[Json]) -> None:
        for update in updates:
            self._tell("update", update=update)

    def _event(self, event: Any) -> None:
        """What happened on our side."""
        told = self._own.event(event, self.listener.state)
        if told is None:
            self._diagnose(f"An event that no recording tells of: {str(event)[:100]}", "recording")
        else:
            self._heard = True
            self.listener.tell(told)

    # --- what is in the state no more, or never was -------------------------------------------------------------------

    def _unread(self, message: Json) -> None:
        if self._unread_last is not message:
            self._unread_last = message
            self.listener.unread.append(plain(message))

    def _shown(self) -> Json:
        told = neutral(self.listener.state)
        return {name: told[name] for name in _SHOWN if told[name]}

    def _drop(self, before: Json | None) -> None:
        """Keep what stood there, when it is not all there any more."""
        if before and _is_less(self._shown(), before):
            self.listener.dropped.append(before)

    # --- sessions --------------------------------------------------------------------------------------------------

    def _of_session(self, asked: _Asked, event: Json) -> None:
        """Tell what belongs to a session of this recording; keep what may belong to the one that is being made."""
        session_id = asked.params.get("sessionId")
        if not isinstance(session_id, str) or self._session in (None, session_id):
            self.listener.tell(event)
        elif session_id in self._sessions:
            if is_content(event):  # of an earlier one: what it reports of itself does not hold any more
                self.listener.tell(event)
        elif any(each.method == "session/new" for each in self._ours.values()):
            self._early.append((asked, event))
        else:
            self._unread(asked.message)
            if session_id not in self._strangers and len(self._strangers) < _STRANGERS:
                self._strangers.add(session_id)
                self._diagnose(f"Messages of another session are not shown: {session_id[:100]!r}", str(event["type"]))

    def _flush(self) -> None:
        early, self._early = self._early, []
        for asked, event in early:
            self._of_session(asked, event)

    def _enter(self, session_id: Any) -> bool:
        """Another session is the one that is talked about; True when one was before, on this connection."""
        other = self._session is not None and self._session != session_id
        self._session = session_id if isinstance(session_id, str) else None
        if self._session is not None:
            self._sessions.add(self._session)
        return other

    def _go_over(self, session_id: Any, result: Any) -> bool:
        """Enter a session that tells no history; False when it is no other one: then nothing was told."""
        other = self._enter(session_id)
        if other:
            self._tell("resumeBegin", other=True)
            self._tell("resumeEnd", result=result)
        return other

    # --- what we said ----------------------------------------------------------------------------------------------

    def _initialize(self, asked: _Asked) -> None:
        if self._began:
            self._flush()
            if not self._own.started:
                self._tell("ended", connection="closed", error=None)
            own = _key(asked.request_id)
            self._ours = {key: each for key, each in self._ours.items() if key == own and each is asked}
            self._theirs.clear()
            self._sessions.clear()
            self._session = None
        self._began = True
        self._is_version_known = False
        self.listener.speak(1 if asked.params.get("protocolVersion") == 1 else 2)
        if not self._own.started:
            self._tell("starting", **shapes.start(self._own.header))
        self._own.connect()

    def _open(self, asked: _Asked) -> None:
        asked.before, asked.shown = self._session, self._shown()
        other = self._enter(asked.params.get("sessionId"))
        self._tell("replayBegin" if shapes.replays(asked.method, asked.params) else "resumeBegin", other=other)

    def _prompt(self, asked: _Asked) -> None:
        session_id = asked.params.get("sessionId")
        if isinstance(session_id, str) and self._session is not None and session_id not in self._sessions:
            self._go_over(session_id, {"sessionId": session_id})  # made in a way not known here, by a fork for instance
        asked.turn = self._own.turn_of(asked.params.get("prompt"), self.listener.state)
        again = asked.turn in self._own.held
        self._tell("promptSent", turn=asked.turn, prompt=asked.params.get("prompt"), source="python", again=again)

    def _cancel(self, asked: _Asked) -> None:
        self._tell("cancel")

    def _configure(self, asked: _Asked) -> None:
        self._tell("configSent", configId=shapes.setting(asked.method, asked.params)[0])

    # --- what they said --------------------------------------------------------------------------------------------

    def _session_update(self, asked: _Asked) -> None:
        self._of_session(asked, {"type": "update", "update": asked.params.get("update")})

    def _ask(self, asked: _Asked) -> None:
        rest = {name: value for name, value in asked.params.items() if name != "sessionId"}
        self._of_session(asked, {"type": "request", "id": asked.request_id, "params": rest})

    def _withdraw(self, asked: _Asked) -> None:
        self._tell("cancelRequest", requestId=asked.params.get("requestId"))

    # --- what they answered ----------------------------------------------------------------------------------------

    def _initialized(self, asked: _Asked, result: Any) -> None:
        if isinstance(result, dict):
            self._speak(2 if handshake.speaks_v2(result) else 1)
            self._tell("initialized", result=result)
        else:
            self._diagnose("The agent answered `initialize` with something that is no object.", "initialize")

    def _not_initialized(self, asked: _Asked, error: Any) -> None:
        self._began = False  # the next `initialize` is another try, not another agent

    def _session_new(self, asked: _Asked, result: Any) -> None:
        if not self._go_over(result.get("sessionId") if isinstance(result, dict) else None, result):
            self._tell("sessionNew", result=result)
        self._flush()

    def _opened(self, asked: _Asked, result: Any) -> None:
        if result is None:
            result = {}  # as early versions of v1 had it
        if isinstance(result, dict):
            result = {"sessionId": asked.params.get("sessionId"), **result}
        self._tell("replayEnd" if shapes.replays(asked.method, asked.params) else "resumeEnd", result=result)
        self._drop(asked.shown)

    def _not_opened(self, asked: _Asked, error: Any) -> None:
        self._session, told = asked.before, self._shown()
        self._tell("replayFailed")
        self._drop(told)

    def _prompted(self, asked: _Asked, result: Any) -> None:
        self._tell("promptResult", turn=asked.turn, result=result)

    def _not_prompted(self, asked: _Asked, error: Any) -> None:
        held = self._own.wants_login(error, self.listener.state)
        self._own.held |= {asked.turn} if held else set()
        self._tell("promptHeld" if held else "promptError", turn=asked.turn, error=error)

    def _configured(self, asked: _Asked, result: Any) -> None:
        config_id, value = shapes.setting(asked.method, asked.params)
        self.listener.dialect.took(str(config_id), value)
        self._tell("configResult", configId=config_id, result=result)

    # --- what we answered ------------------------------------------------------------------------------------------

    def _answered(self, asked: _Asked, answer: Json) -> None:
        key = self.listener.permission(asked.request_id)
        permission = self.listener.state.get("permissions", key) if key is not None else None
        if permission is None or permission["status"] != "pending":
            return  # refused, withdrawn, or cancelled with the turn
        option_id = shapes.chosen(answer)
        if any(option["optionId"] == option_id for option in permission["options"]):
            self._tell("respond", permission=key, optionId=option_id, by="you", why="recorded")
        else:
            self._tell("dismiss", permission=key, by="you", why="recorded")

    def _terminal_made(self, asked: _Asked, answer: Json) -> None:
        if self._own.header is None:
            self._updates(shapes.terminal_made(asked.params, answer.get("result")))

    def _terminal_said(self, asked: _Asked, answer: Json) -> None:
        if self._own.header is None:
            self._updates(shapes.terminal_said(asked.method, asked.params, answer.get("result")))


def _key(request_id: Any) -> Any:
    """5 and "5" are two ids; None for what is none."""
    kind = type(request_id)
    return (kind, request_id) if kind in (int, str, float) else None


def _is_less(now: Json, before: Json) -> bool:
    """Whether a message or an entity of `before` is not there now."""
    said = {repr(each["content"]) for each in now.get("messages", ())}
    if any(repr(each["content"]) not in said for each in before.get("messages", ())):
        return True
    return any(before[name].keys() - now.get(name, {}).keys() for name in before if name != "messages")


_SHOWN: Final = ("messages", "toolCalls", "terminals", "plans", "compactions")
_SERVED: Final = ("fs/", "terminal/")
"""Requests of agents of version 1 that a host serves, and that are told by what became of them."""
_SETTERS: Final = ("session/set_config_option", "session/set_mode", "session/set_model")

_WE_SAY: Final[dict[str, Callable[[Hearing, _Asked], None]]] = {
    "initialize": Hearing._initialize,
    "session/load": Hearing._open,
    "session/resume": Hearing._open,
    "session/prompt": Hearing._prompt,
    "session/cancel": Hearing._cancel,
    **dict.fromkeys(_SETTERS, Hearing._configure),
}
_THEY_SAY: Final[dict[str, Callable[[Hearing, _Asked], None]]] = {
    "session/update": Hearing._session_update,
    "session/request_permission": Hearing._ask,
    "$/cancel_request": Hearing._withdraw,
}
_THEY_ANSWER: Final[dict[str, Callable[[Hearing, _Asked, Any], None]]] = {
    "initialize": Hearing._initialized,
    "session/new": Hearing._session_new,
    "session/load": Hearing._opened,
    "session/resume": Hearing._opened,
    "session/prompt": Hearing._prompted,
    **dict.fromkeys(_SETTERS, Hearing._configured),
}
_THEY_REFUSE: Final[dict[str, Callable[[Hearing, _Asked, Any], None]]] = {
    "initialize": Hearing._not_initialized,
    "session/load": Hearing._not_opened,
    "session/resume": Hearing._not_opened,
    "session/prompt": Hearing._not_prompted,
}
_WE_ANSWER: Final[dict[str, Callable[[Hearing, _Asked, Json], None]]] = {
    "session/request_permission": Hearing._answered,
    "terminal/create": Hearing._terminal_made,
    "terminal/output": Hearing._terminal_said,
    "terminal/wait_for_exit": Hearing._terminal_said,
}
