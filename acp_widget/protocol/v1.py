"""The v1 dialect: its messages as the events of v2, so that nobody behind it asks for the version (docs/internals.md).

What v2 agents report and v1 agents leave to the client is derived here: the state, the user's message, which chunks
belong together, modes as config options.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from . import v1_shapes as shapes
from .transport import Json

_ROLES: Final = {"user_message_chunk": "user", "agent_message_chunk": "agent", "agent_thought_chunk": "thought"}
_SETTERS: Final = {"mode": ("session/set_mode", "modeId"), "model": ("session/set_model", "modelId")}


# Of all connections of this process: a session that goes on in a new one must not get an id of ours again.
_numbers = itertools.count(1)


class V1:
    """What was said so far, as far as it says what the next message means."""

    version = 1
    closes = False

    def __init__(self, numbers: Iterator[int] | None = None) -> None:
        """`numbers`: for ids of our own, where they must be the same each time."""
        self._numbers = _numbers if numbers is None else numbers
        self._prompt: list[Any] | None = None  # of the turn under way
        self._turn: Any = None  # its key
        self._echo: _Echo | None = None
        self._open: tuple[str, str] | None = None  # role and id of the message that takes chunks without an id
        self._titles: dict[str, str] = {}  # of the tool calls that were seen
        self._anchors: dict[str, set[Any]] = {}  # terminals that stand in a call's content, by the call's id
        self._asked: Counter[tuple[type, Any]] = Counter()  # permission requests without an answer
        self._options: list[Any] | None = None  # real config options
        self._reported = False  # by an update, which no answer to an earlier request overwrites
        self._chosen: dict[str, str] = {}  # by category: what was reported before the choices were known
        self._selections: dict[str, Json] = {}  # by category: the option made of modes or models

    # --- events in, events out -------------------------------------------------------------------------------------

    def events(self, event: Json) -> Iterator[Json]:
        """The events of v2 that an event with v1 shapes stands for, in order.

        They are to be applied one by one: what comes of one decides on the next.
        """
        handle = _EVENTS.get(event.get("type"))
        if handle is None:
            yield event
        else:
            yield from handle(self, event)

    def answered(self, request_id: Any) -> Iterator[Json]:
        """After an answer to a permission request was sent: the last one lets the work go on (N10)."""
        key = (type(request_id), request_id)
        if self._asked[key] > 0:
            self._asked[key] -= 1
        if self._prompt is not None and not self._waits():
            yield _state("running")

    def _waits(self) -> bool:
        return any(self._asked.values())

    # --- responses -------------------------------------------------------------------------------------------------

    def _initialized(self, event: Json) -> Iterator[Json]:
        result = event.get("result")
        if isinstance(result, dict):
            result = shapes.initialize_result(result)
            self.closes = shapes.supports(result["capabilities"]["session"].get("close"))
        yield {**event, "result": result}

    def _session(self, event: Json) -> Iterator[Json]:
        """`session/new`, `session/load` or `session/resume` was answered."""
        self._open = None
        result = event.get("result")
        if not isinstance(result, dict):
            yield event
            return
        for category, (field, *_) in shapes.SELECTIONS.items():
            option = shapes.selection(category, result.get(field))
            if option is not None:
                self._selections[category] = self._with_chosen(category, option)
        options = shapes.config_options(result.get("configOptions"))
        if isinstance(options, list) and not self._reported:
            self._options = options
        shown = self._config()
        yield {**event, "result": {**result, "configOptions": shown} if shown is not None else result}
        if self._reported and self._selections:
            # An update was first and stands; what it cannot know comes to it.
            yield _update(sessionUpdate="config_option_update", configOptions=shown)

    def _begin(self, event: Json) -> Iterator[Json]:
        """`session/load` or `session/resume` was sent: what comes now was said before."""
        self._open = None
        self._titles.clear()
        self._chosen.clear()
        self._reported = False
        if event.get("other"):
            self._options = None
            self._selections.clear()
        yield event

    def _config_result(self, event: Json) -> Iterator[Json]:
        result = event.get("result")
        given = result.get("configOptions") if isinstance(result, dict) else None
        if isinstance(given, list):
            self._options = shapes.config_options(given)
        yield {**event, "result": {"configOptions": self._config() or []}}

    def setting(self, config_id: str, value: str | bool) -> tuple[str, Json]:
        """The request that sets a config option: modes and models have one of their own (N12)."""
        if config_id in _SETTERS and self.is_selection(config_id):
            method, name = _SETTERS[config_id]
            return method, {name: value}
        kind = {"type": "boolean"} if isinstance(value, bool) else {}
        return "session/set_config_option", {"configId": config_id, "value": value, **kind}

    def took(self, config_id: str, value: Any) -> None:
        """The agent took a value that was set; its answer to a mode or a model does not repeat it."""
        if config_id in self._selections:
            self._selections[config_id] = {**self._selections[config_id], "currentValue": value}
        for option in self._options or []:
            if isinstance(option, dict) and option.get("configId") == config_id:
                option["currentValue"] = value

    def is_selection(self, config_id: str) -> bool:
        """Whether an option is none of the agent's config options: it is set by a method of its own."""
        return any(option["configId"] == config_id for option in self._made())

    def _with_chosen(self, category: str, option: Json) -> Json:
        chosen = self._chosen.get(category)
        return option if chosen is None else {**option, "currentValue": chosen}

    def _made(self) -> list[Json]:
        """The options made of modes and models, where no real one of that category stands."""
        real = [option for option in self._options or [] if isinstance(option, dict)]
        taken = {option.get("category") for option in real} | {option.get("configId") for option in real}
        return [option for category, option in self._selections.items() if category not in taken]

    def _config(self) -> list[Any] | None:
        made = self._made()
        return None if self._options is None and not made else [*made, *(self._options or [])]

    # --- prompts and questions -------------------------------------------------------------------------------------

    def _prompt_sent(self, event: Json) -> Iterator[Json]:
        blocks = event.get("prompt")
        yield event
        self._open = None
        self._turn = event.get("turn")
        self._prompt = blocks if isinstance(blocks, list) else []
        self._echo = _Echo(self._prompt)
        if self._prompt and not event.get("again"):  # it is in the transcript since the first time
            yield _update(sessionUpdate="user_message", messageId=self._new_id(), content=self._prompt)
        yield _state("running")

    def _prompt_result(self, event: Json) -> Iterator[Json]:
        result = event.get("result")
        yield {**event, "result": {}}
        told = {}
        if isinstance(result, dict):
            told = {name: result[name] for name in ("stopReason", "usage") if result.get(name) is not None}
        yield from self._over(event, told)

    def _prompt_error(self, event: Json) -> Iterator[Json]:
        yield event
        yield from self._over(event, {})

    def _over(self, event: Json, told: Json) -> Iterator[Json]:
        if self._prompt is not None and event.get("turn") != self._turn:
            return  # an answer to an earlier prompt: another one is under way
        self._prompt = self._echo = self._open = None
        yield _state("idle", **told)

    def _request(self, event: Json) -> Iterator[Json]:
        request_id, params = event.get("id"), event.get("params")
        if isinstance(params, dict) and "subject" not in params:
            event = {**event, "params": self._question(params)}
        if not isinstance(request_id, (int, float, str)):
            yield event  # nobody can answer it
            return
        self._asked[type(request_id), request_id] += 1
        yield event
        if self._prompt is not None and self._asked[type(request_id), request_id] > 0:
            yield _state("requires_action")

    def _question(self, params: Json) -> Json:
        rest = {name: value for name, value in params.items() if name != "toolCall"}
        given = params.get("toolCall")
        if not isinstance(given, dict):
            return rest if given is None else {**rest, "subject": {"type": "tool_call", "toolCall": given}}
        call = shapes.tool_call(given)
        title = call.get("title") or self._titles.get(str(call.get("toolCallId"))) or "The agent asks for permission"
        self._see_call(call)
        return {"title": title, **rest, "subject": {"type": "tool_call", "toolCall": call}}

    # --- updates ---------------------------------------------------------------------------------------------------

    def _session_update(self, event: Json) -> Iterator[Json]:
        update = event.get("update")
        word = update.get("sessionUpdate") if isinstance(update, dict) else None
        handle = _UPDATES.get(word) if isinstance(word, str) else None
        if handle is None or not isinstance(update, dict):
            yield event
        else:
            yield from handle(self, update)

    def _chunk(self, update: Json) -> Iterator[Json]:
        role = _ROLES[update["sessionUpdate"]]
        if role != "user":
            self._echo = None
        elif self._echo is not None:
            withheld = self._echo.hears(update.get("content"))
            if withheld is None:
                return
            self._echo = None
            for block in withheld:
                yield _update(**self._with_id("user", {**update, "content": block}))
        yield _update(**self._with_id(role, update))

    def _with_id(self, role: str, update: Json) -> Json:
        if isinstance(update.get("messageId"), str):
            self._open = None
            return update
        if self._open is None or self._open[0] != role:
            self._open = (role, self._new_id())
        return {**update, "messageId": self._open[1]}

    def _new_id(self) -> str:
        return f"acp-widget:{next(self._numbers)}"

    def _call(self, update: Json) -> Iterator[Json]:
        self._echo = None
        call = shapes.tool_call(update)
        self._see_call(call)
        yield _update(**{**call, "sessionUpdate": "tool_call_update"})
        yield from self._terminals(call)

    def _terminals(self, call: Json) -> Iterator[Json]:
        """What a call tells of a terminal beside its content, with an anchor where the content has none."""
        content = call.get("content")
        if isinstance(content, list):
            self._anchors[str(call.get("toolCallId"))] = {
                item.get("terminalId") for item in content if _is_anchor(item)
            }
        for told in shapes.terminal_updates(call.get("_meta")):
            anchors = self._anchors.setdefault(str(call.get("toolCallId")), set())
            if told["terminalId"] not in anchors:
                anchors.add(told["terminalId"])
                anchor = {"type": "terminal", "terminalId": told["terminalId"]}
                yield _update(
                    sessionUpdate="tool_call_content_chunk", toolCallId=call.get("toolCallId"), content=anchor
                )
            yield _update_of(told)

    def _see_call(self, call: Json) -> None:
        """Keep its title; a new one ends the message before it (N7)."""
        call_id, title = call.get("toolCallId"), call.get("title")
        if not isinstance(call_id, str):
            return
        if call_id not in self._titles:
            self._open = None
            self._titles[call_id] = ""
        if isinstance(title, str):
            self._titles[call_id] = title

    def _plan(self, update: Json) -> Iterator[Json]:
        rest = {name: value for name, value in update.items() if name not in ("sessionUpdate", "_meta")}
        meta = {"_meta": update["_meta"]} if "_meta" in update else {}
        yield _update(sessionUpdate="plan_update", plan={"type": "items", "planId": "default", **rest}, **meta)

    def _commands(self, update: Json) -> Iterator[Json]:
        given = update.get("availableCommands")
        if isinstance(given, list):
            shaped = [shapes.command(item) if isinstance(item, dict) else item for item in given]
            update = {**update, "availableCommands": shaped}
        yield _update(**update)

    def _config_update(self, update: Json) -> Iterator[Json]:
        given = update.get("configOptions")
        if isinstance(given, list):
            self._options = shapes.config_options(given)
            self._reported = True
            update = {**update, "configOptions": self._config()}
        yield _update(**update)

    def _mode(self, update: Json) -> Iterator[Json]:
        chosen = update.get("currentModeId")
        if not isinstance(chosen, str):
            yield {
                "type": "diagnostic",
                "where": "current_mode_update",
                "message": "currentModeId is missing or no text",
            }
            return
        self._chosen["mode"] = chosen
        if "mode" in self._selections:
            self._selections["mode"] = {**self._selections["mode"], "currentValue": chosen}
        if self.is_selection("mode"):
            yield _update(sessionUpdate="config_option_update", configOptions=self._config())


class _Echo:
    """Whether the agent only repeats the prompt that was just sent, in one chunk or in several (N9)."""

    def __init__(self, prompt: list[Any]) -> None:
        self._left = list(prompt)
        self._heard: list[Any] = []

    def hears(self, block: Any) -> list[Any] | None:
        """None while it may be the echo; else what was withheld of a message that is none after all."""
        if not self._left:
            return []  # all of it was heard
        if block == self._left[0]:
            del self._left[0]
        elif not self._repeats(_text(block)):
            return self._heard
        self._heard.append(block)
        return None

    def _repeats(self, said: str | None) -> bool:
        """Whether a text goes on with the prompt's, in however many blocks; then it is taken off what is left."""
        if said is None:
            return False
        left = list(self._left)
        while said:
            text = _text(left[0]) if left else None
            if not text or not (said.startswith(text) or text.startswith(said)):
                return False
            left[:1] = [{"type": "text", "text": text[len(said) :]}] if len(text) > len(said) else []
            said = said[len(text) :]
        self._left = left
        return True


def _text(block: Any) -> str | None:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _is_anchor(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "terminal" and isinstance(item.get("terminalId"), str)


def _update(**update: Any) -> Json:
    return _update_of(update)


def _update_of(update: Json) -> Json:
    return {"type": "update", "update": update}


def _state(state: str, **told: Any) -> Json:
    return _update(sessionUpdate="state_update", state=state, **told)


Handler = Callable[[V1, Json], Iterator[Json]]

_EVENTS: dict[Any, Handler] = {
    "initialized": V1._initialized,
    "sessionNew": V1._session,
    "replayBegin": V1._begin,
    "resumeBegin": V1._begin,
    "replayEnd": V1._session,
    "resumeEnd": V1._session,
    "configResult": V1._config_result,
    "promptSent": V1._prompt_sent,
    "promptResult": V1._prompt_result,
    "promptError": V1._prompt_error,
    "promptHeld": V1._prompt_error,
    "request": V1._request,
    "update": V1._session_update,
}

_UPDATES: dict[str, Handler] = {
    **dict.fromkeys(_ROLES, V1._chunk),
    "tool_call": V1._call,
    "tool_call_update": V1._call,
    "plan": V1._plan,
    "available_commands_update": V1._commands,
    "config_option_update": V1._config_update,
    "current_mode_update": V1._mode,
}
