"""The payloads of the data files, and sessions of an agent that has one of them in every text field it can fill."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from acp_widget.recording.hearing import Hearing
from acp_widget.recording.listener import Listener
from acp_widget.session.state import State

Json = dict[str, Any]

HERE = Path(__file__).parent
KINDS = ("html", "svg", "links", "markdown", "terminal", "characters", "templates")
PLACE = "CANARY"
"""What stands in the data files where each text has a number of its own."""
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CWD = "/home/user/project"


class Payload(NamedTuple):
    kind: str
    name: str
    text: str
    number: int

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.name}"


@cache
def payloads() -> tuple[Payload, ...]:
    """All of them; each text has its canary where it says so."""
    found = [
        (kind, name, text)
        for kind in KINDS
        for name, text in json.loads((HERE / f"{kind}.json").read_text("ascii")).items()
    ]
    return tuple(Payload(*each, number) for number, each in enumerate(found, 1))


def ids() -> list[str]:
    """Ids and keys that are names of something else."""
    return list(json.loads((HERE / "ids.json").read_text("ascii")))


class Words:
    """`words("toolCall.title")` is the payload, with a number that tells this payload in this field from all others."""

    def __init__(self, payload: Payload) -> None:
        self.own = str(payload.number)
        """For ids that are no payload: no other `Words` has it."""
        self._payload = payload
        self.canaries: dict[str, str] = {}

    def payload(self, field: str) -> Payload:
        return self._payload

    def __call__(self, field: str) -> str:
        payload = self.payload(field)
        self.canaries[field] = canary(payload.number, field)
        return payload.text.replace(PLACE, self.canaries[field])


class Mixed(Words):
    """Another payload in each field: where there are more fields than payloads, all of them stand somewhere."""

    def __init__(self, shift: int) -> None:
        super().__init__(payloads()[shift])
        self.own = f"mixed{shift}"
        self._shift = shift
        self._places: dict[str, int] = {}

    def payload(self, field: str) -> Payload:
        place = self._places.setdefault(field, len(self._places))
        return payloads()[(place + self._shift) % len(payloads())]


def canary(number: int, field: str) -> str:
    return f"77{number:03}{zlib.crc32(field.encode()) % 10_000_000:07}"


def b64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode()


# --- parts that stand in several places -------------------------------------------------------------------------------


def _blocks(words: Words, where: str) -> list[Json]:
    """Each type of content block."""

    def say(field: str) -> str:
        return words(f"{where}.{field}")

    notes = {"audience": [say("audience")], "lastModified": say("lastModified"), "priority": 1, say("noteKey"): 1}
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" onload="__pwned={canary(0, where)}"/>'
    return [
        {"type": "text", "text": say("text"), "annotations": notes},
        {"type": "image", "data": say("image.data"), "mimeType": "image/png"},
        {"type": "image", "data": PNG, "mimeType": say("image.mimeType"), "uri": say("image.uri")},
        {"type": "image", "data": PNG, "mimeType": "image/png", "uri": say("picture.uri"), "annotations": notes},
        {"type": "image", "data": "", "mimeType": "image/png", "uri": say("remote.uri")},
        {"type": "image", "data": b64(svg), "mimeType": "image/svg+xml"},
        {"type": "image", "data": b64(svg), "mimeType": "image/png"},
        {"type": "audio", "data": PNG, "mimeType": say("audio.mimeType")},
        {"type": "audio", "data": say("audio.data"), "mimeType": "audio/wav"},
        {
            "type": "resource_link",
            "uri": say("link.uri"),
            "name": say("link.name"),
            "title": say("link.title"),
            "description": say("link.description"),
            "mimeType": say("link.mimeType"),
            "icons": [{"src": say("icon.src"), "mimeType": say("icon.mimeType"), "theme": say("icon.theme")}],
        },
        {"type": "resource_link", "uri": say("bare.uri"), "name": say("bare.name"), "size": 3},
        {"type": "resource", "resource": {"uri": say("uri"), "mimeType": say("mimeType"), "text": say("embedded")}},
        {"type": "resource", "resource": {"uri": say("blob.uri"), "mimeType": say("blob.mimeType"), "blob": b64(svg)}},
        {"type": "resource", "resource": {"uri": "file:///a.svg", "mimeType": "image/svg+xml", "text": svg}},
        {"type": say("type"), say("key"): say("value")},
    ]


def _diff(words: Words, where: str) -> list[Json]:
    """Changes with and without a patch that can be read."""

    def say(field: str) -> str:
        return words(f"{where}.{field}")

    # In a patch what has several lines stands as lines of its own.
    lines = "\n".join(f"+{line}" for line in say("patch.line").split("\n"))
    count = lines.count("\n") + 1
    good = f"--- {CWD}/a.py\n+++ {CWD}/a.py\n@@ -1,1 +1,{count} @@ {one_line(say('patch.section'))}\n-old\n{lines}\n"
    path = one_line(say("patch.path"))
    named = f"diff --git {CWD}/{path} {CWD}/{path}\n--- {CWD}/{path}\n+++ {CWD}/{path}\n@@ -1 +1 @@\n-old\n+new\n"
    return [
        {
            "type": "diff",
            "changes": [{"operation": "modify", "path": f"{CWD}/a.py", "fileType": "text", "mimeType": say("mime")}],
            "patch": {"format": "git_patch", "text": good},
        },
        {
            "type": "diff",
            "changes": [{"operation": "modify", "path": f"{CWD}/{path}", "fileType": say("fileType")}],
            "patch": {"format": "git_patch", "text": named},
        },
        {
            "type": "diff",
            "changes": [
                {"operation": "move", "path": say("path"), "oldPath": say("oldPath")},
                {"operation": say("operation"), "path": say("odd.path")},
            ],
            "patch": {"format": say("format"), "text": say("odd.patch")},
        },
        {"type": "diff", "changes": [], "patch": {"format": "git_patch", "text": say("broken")}},
    ]


def one_line(text: str) -> str:
    return " ".join(text.splitlines())


def _options(words: Words, where: str) -> list[Json]:
    def say(field: str) -> str:
        return words(f"{where}.{field}")

    return [
        {"optionId": say("yes"), "name": say("allow"), "kind": "allow_once", "description": say("about")},
        {"optionId": "no", "name": say("reject"), "kind": "reject_once"},
        {"optionId": "odd", "name": say("odd"), "kind": say("kind")},
    ]


def _config(words: Words) -> list[Json]:
    def say(field: str) -> str:
        return words(f"config.{field}")

    option = {"value": say("value"), "name": say("value.name"), "description": say("value.description")}
    more = {"groupId": say("group"), "name": say("group.name"), "options": [{"value": "2", "name": say("grouped")}]}
    about = {"name": say("name"), "description": say("description"), "category": say("category")}
    return [
        {"configId": say("id"), **about, "type": "select", "currentValue": say("value"), "options": [option, more]},
        {"configId": "flag", **about, "type": "boolean", "currentValue": True},
        {"configId": "odd", **about, "type": say("type"), say("key"): say("more")},
    ]


def _commands(words: Words) -> list[Json]:
    about = {"name": words("command.name"), "description": words("command.description")}
    return [
        {**about, "input": {"type": "text", "hint": words("command.hint")}},
        {"name": words("odd command"), "description": "x", "type": words("command.type")},
    ]


# --- a session, as a recording ----------------------------------------------------------------------------------------


def said(update: Json) -> Json:
    return {"dir": "in", "msg": {"method": "session/update", "params": {"sessionId": "s", "update": update}}}


def asked(number: int, method: str, **params: Any) -> Json:
    return {"dir": "out", "msg": {"id": number, "method": method, "params": params}}


def answered(number: int, **what: Any) -> Json:
    return {"dir": "in", "msg": {"id": number, **what}}


def opening(words: Words) -> Iterator[Json]:
    """The agent starts and makes a session."""
    login = {
        "name": words("auth.name"),
        "description": words("auth.description"),
        "link": f"https://{words('auth.link')}",
    }
    variables = {"vars": [{"name": words("auth.var")}], "args": [words("auth.arg")], "env": {words("auth.env"): "x"}}
    yield asked(1, "initialize", protocolVersion=2)
    yield {
        "event": {
            "type": "starting",
            "command": ["agent", words("session.command")],
            "cwd": CWD,
            "label": words("session.label"),
            "temporary": False,
            "policy": "ask",
            "mcpServers": [{"name": words("mcp.name"), "type": words("mcp.type")}],
            "additionalDirectories": [words("session.directory")],
        }
    }
    yield answered(
        1,
        result={
            "protocolVersion": 2,
            "info": {"name": words("agent.name"), "title": words("agent.title"), "version": words("agent.version")},
            "capabilities": {"session": {"prompt": {"image": {}}}},
            "authMethods": [
                {"methodId": words("auth.id"), "type": "agent", **login},
                {"methodId": "env", "type": "env_var", **login, **variables},
                {"methodId": "terminal", "type": "terminal", **login, **variables},
                {"methodId": "odd", "type": words("auth.type"), **login},
            ],
        },
    )
    yield asked(2, "session/new", cwd=CWD)
    yield answered(
        2,
        result={
            "sessionId": "s",
            "configOptions": _config(words),
            "availableCommands": _commands(words),
        },
    )


def turn(words: Words, first: int) -> Iterator[Json]:
    """A prompt and all that an agent can tell, its questions answered. `first`: an id that was not used."""
    own = words.own
    yield asked(first, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": words("prompt")}])
    yield answered(first, result={"messageId": own})
    yield said({"sessionUpdate": "user_message", "messageId": own, "content": _blocks(words, "user")})
    yield said({"sessionUpdate": "state_update", "state": words("state")})
    text = {"type": "text", "text": words("thought")}
    yield said({"sessionUpdate": "agent_thought_chunk", "messageId": words("thought.id"), "content": text})
    yield said({"sessionUpdate": "agent_message", "messageId": f"m{own}", "content": _blocks(words, "message")})
    # In pieces, as models speak: what a reader of markdown makes of the beginning must be inert, too.
    streamed = words("streamed")
    for piece in (streamed[: len(streamed) // 2], streamed[len(streamed) // 2 :]):
        content = {"type": "text", "text": piece}
        yield said({"sessionUpdate": "agent_message_chunk", "messageId": words("message.id"), "content": content})
    code = {"type": "text", "text": f"```{one_line(words('code.language'))}\n{words('code')}\n```\n"}
    yield said({"sessionUpdate": "agent_message_chunk", "messageId": f"code{own}", "content": code})
    yield from _calls(words, own)
    yield from _questions(words, own, first)
    yield from _reports(words, own)
    end = {"state": "idle", "stopReason": words("stopReason"), "_meta": {words("state._meta"): 1}}
    yield said({"sessionUpdate": "state_update", **end})


def _calls(words: Words, own: str) -> Iterator[Json]:
    def say(field: str) -> str:
        return words(f"call.{field}")

    yield said(
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": say("id"),
            "title": say("title"),
            "name": say("name"),
            "kind": "edit",
            "status": "completed",
            "locations": [{"path": say("location"), "line": 3}, {"path": f"{CWD}/{one_line(say('inside'))}"}],
            "content": [
                *_diff(words, "diff"),
                {"type": "terminal", "terminalId": f"x{own}"},
                *({"type": "content", "content": block} for block in _blocks(words, "tool")),
                {"type": say("item.type"), say("item.key"): say("item")},
            ],
            "rawInput": {say("rawInput.key"): say("rawInput"), "list": [say("rawInput.item"), {"__proto__": 1}]},
            "rawOutput": {"stdout": say("stdout"), "stderr": say("stderr"), say("rawOutput.key"): 1},
            "_meta": {say("_meta.key"): say("_meta")},
            say("more.key"): say("more"),
        }
    )
    shapes: list[Json] = [
        {"name": say("only.name"), "kind": say("kind"), "status": say("status"), "rawOutput": say("rawOutput")},
        {"title": say("run"), "kind": "execute", "status": "failed", "rawInput": {"command": say("command")}},
        {"title": "x", "kind": "fetch", "status": "in_progress", "rawInput": {"url": say("url"), "cwd": say("cwd")}},
        {
            "title": "x",
            "kind": "edit",
            "status": "pending",
            "rawInput": {"file_path": say("file_path"), "old_string": say("old"), "new_string": say("new")},
            "rawOutput": [{"type": "text", "text": say("output.block")}],
        },
        {"kind": "search", "rawInput": say("input"), "rawOutput": {"error": say("error"), "signal": say("signal")}},
    ]
    for number, fields in enumerate(shapes):
        yield said({"sessionUpdate": "tool_call_update", "toolCallId": f"{own}-{number}", **fields})
    chunk = {"type": "content", "content": {"type": "text", "text": say("chunk")}}
    yield said({"sessionUpdate": "tool_call_content_chunk", "toolCallId": f"{own}-1", "content": chunk})
    for terminal, field in ((f"x{own}", "terminal"), (words("loose.id"), "loose")):
        yield said(
            {
                "sessionUpdate": "terminal_update",
                "terminalId": terminal,
                "command": words(f"{field}.command"),
                "cwd": words(f"{field}.cwd"),
                "output": {"data": b64(words(f"{field}.output"))},
            }
        )
        chunk = {"terminalId": terminal, "data": b64("\r\n" + words(f"{field}.chunk"))}
        yield said({"sessionUpdate": "terminal_output_chunk", **chunk})
        ended = {"exitCode": None, "signal": words(f"{field}.signal")}
        yield said({"sessionUpdate": "terminal_update", "terminalId": terminal, "exitStatus": ended})


def _questions(words: Words, own: str, first: int) -> Iterator[Json]:
    """One that is answered with each option, and those of other subjects, which the end of the turn finds open."""

    def say(field: str) -> str:
        return words(f"permission.{field}")

    asking = {"title": say("title"), "description": say("description"), "options": _options(words, "option")}
    subjects: list[Json | None] = [
        {"type": "command", "command": say("command"), "cwd": say("cwd")},
        {"type": "tool_call", "toolCall": {"toolCallId": f"{own}-0"}},
        {"type": "tool_call", "toolCall": {"toolCallId": f"{own}-new", "title": say("call"), "kind": "edit"}},
        {"type": say("type"), say("key"): say("value")},
        None,
    ]
    for number, subject in enumerate(subjects):
        params = {"sessionId": "s", **asking, "subject": subject, say("more.key"): say("more")}
        ask = 1000 + first * 10 + number
        yield {"dir": "in", "msg": {"id": ask, "method": "session/request_permission", "params": params}}
        chosen = {"outcome": "selected", "optionId": (words("option.yes"), "no", "odd")[number % 3]}
        yield {"dir": "out", "msg": {"id": ask, "result": {"outcome": chosen}}}


def _reports(words: Words, own: str) -> Iterator[Json]:
    step = {"content": words("plan.entry"), "priority": words("plan.priority"), "status": words("plan.status")}
    plans: list[Json] = [
        {"type": "items", "planId": f"{own}i", "entries": [step, {"content": words("plan.second")}]},
        {"type": "markdown", "planId": f"{own}m", "content": words("plan.markdown")},
        {"type": "file", "planId": f"{own}f", "uri": words("plan.uri")},
        {"type": words("plan.type"), "planId": words("plan.id"), words("plan.key"): words("plan.value")},
    ]
    for plan in plans:
        yield said({"sessionUpdate": "plan_update", "plan": plan})
    for severity in ("error", words("notice.severity")):
        told = {"severity": severity, "title": words("notice.title"), "description": words("notice.description")}
        yield said({"sessionUpdate": "notice", **told, words("notice.key"): words("notice.more")})
    compaction = {"compactionId": words("compaction.id"), "summary": _blocks(words, "summary")}
    yield said({"sessionUpdate": "compaction_update", **compaction, "status": "completed"})
    failed = {"compactionId": f"c{own}", "status": words("compaction.status"), "error": words("compaction.error")}
    yield said({"sessionUpdate": "compaction_update", **failed})
    yield said(
        {"sessionUpdate": words("unknown.type"), words("unknown.key"): {words("unknown.deep"): words("unknown")}}
    )
    cost = {"amount": 1.5, "currency": words("usage.currency")}
    yield said({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": cost})
    info = {"title": words("session.title"), "updatedAt": words("session.updatedAt"), "_meta": {words("info.key"): 1}}
    yield said({"sessionUpdate": "session_info_update", **info})
    yield said({"sessionUpdate": "available_commands_update", "availableCommands": _commands(words)})
    yield said({"sessionUpdate": "config_option_update", "configOptions": _config(words)})
    yield {"dir": "in", "raw": words("line")}
    yield said({"sessionUpdate": "notice", "severity": 5, words("wrong.key"): words("wrong")})
    yield {"event": {"type": "diagnostic", "message": words("diagnostic"), "where": words("diagnostic.where")}}


def refused(words: Words, first: int) -> Iterator[Json]:
    """Prompts that end in errors, of both kinds."""
    error = {"code": -32603, "message": words("error.message"), "data": {words("error.key"): words("error.data")}}
    yield asked(first, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": words("refused")}])
    yield answered(first, error=error)
    yield asked(first + 1, "session/prompt", sessionId="s", prompt=[{"type": words("prompt.type"), "x": 1}])
    yield answered(first + 1, result={})
    yield said({"sessionUpdate": "state_update", "state": "running"})
    failed = {**error, "message": words("stop.message")}
    yield said({"sessionUpdate": "state_update", "state": "idle", "stopReason": "error", "error": failed})


def waiting(words: Words, first: int) -> Iterator[Json]:
    """A prompt whose questions nobody answers."""
    yield asked(first, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "x"}])
    yield answered(first, result={})
    yield said({"sessionUpdate": "state_update", "state": "running"})
    for record in _questions(words, f"w{words.own}", first):
        if record["dir"] == "in":
            yield record


def death(words: Words) -> Iterator[Json]:
    """The agent ends by itself."""
    fields = ("name", "title", "message", "hint", "stderr")
    error = {field: words(f"death.{field}") for field in fields}
    yield {"event": {"type": "ended", "connection": "failed", "error": error}}


def login(words: Words) -> Iterator[Json]:
    """It wants a login, and one failed."""
    error = {"message": words("login.message"), "hint": words("login.hint")}
    yield {"event": {"type": "loginNeeded", "error": error}}
    yield {"event": {"type": "loginFailed", "message": words("login.failed")}}


LIVES: dict[str, Callable[[Words], Iterable[Json]]] = {
    "all": lambda words: [*opening(words), *turn(words, 10), *refused(words, 20), *waiting(words, 30)],
    "died": lambda words: [*opening(words), *waiting(words, 30), *death(words)],
    "login": lambda words: [*opening(words), *login(words)],
}
"""Ways in which a session may end."""


def crowd(chosen: Iterable[Payload], first: int) -> Iterator[Json]:
    """One turn with many payloads, each in what is read in its own way: prose, a diff, a terminal, a link."""
    chosen = list(chosen)
    yield asked(first, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "All of it, please."}])
    yield answered(first, result={})
    yield said({"sessionUpdate": "state_update", "state": "running"})
    for words in map(Words, chosen):
        own = words.own
        links = [
            {"type": "resource_link", "uri": words("crowd.uri"), "name": words("crowd.name")},
            {"type": "image", "data": "", "mimeType": "image/png", "uri": words("crowd.image")},
        ]
        text = {"type": "text", "text": words("crowd.message")}
        yield said({"sessionUpdate": "agent_message", "messageId": f"crowd {own}", "content": [text, *links]})
        lines = "\n".join(f"+{line}" for line in words("crowd.line").split("\n"))
        patch = f"--- {CWD}/a.py\n+++ {CWD}/a.py\n@@ -0,0 +1,{lines.count(chr(10)) + 1} @@\n{lines}\n"
        diff = {
            "changes": [{"operation": "add", "path": f"{CWD}/a.py"}],
            "patch": {"format": "git_patch", "text": patch},
        }
        yield said(
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": f"crowd {own}",
                "title": words("crowd.title"),
                "kind": "edit",
                "status": "completed",
                "locations": [{"path": words("crowd.location")}],
                "content": [
                    {"type": "diff", **diff},
                    {"type": "terminal", "terminalId": f"crowd {own}"},
                    {"type": "content", "content": {"type": "text", "text": words("crowd.text")}},
                ],
                "rawInput": {words("crowd.key"): words("crowd.input")},
            }
        )
        terminal = {"terminalId": f"crowd {own}", "command": words("crowd.command")}
        output = {"data": b64(words("crowd.output"))}
        yield said({"sessionUpdate": "terminal_update", **terminal, "output": output, "exitStatus": {"exitCode": 0}})
    steps = [{"content": Words(payload)("crowd.step")} for payload in chosen]
    yield said(
        {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": f"crowd {first}", "entries": steps}}
    )
    yield said({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})


def named() -> Iterator[Json]:
    """A turn in which names of something else are ids and keys."""
    yield from opening(Words(payloads()[0]))
    yield asked(10, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "x"}])
    yield answered(10, result={})
    yield said({"sessionUpdate": "state_update", "state": "running"})
    for number, name in enumerate(ids()):
        text = {"type": "text", "text": f"Said under the name {number}."}
        yield said({"sessionUpdate": "agent_message_chunk", "messageId": name, "content": text})
        values = {"rawInput": {name: {name: number}}, "rawOutput": {name: [number]}, "_meta": {name: number}}
        shown = [{"type": "terminal", "terminalId": name}]
        call = {"toolCallId": name, "title": f"Call {number}", "content": shown, "status": "completed"}
        yield said({"sessionUpdate": "tool_call_update", **call, **values, name: number})
        yield said(
            {"sessionUpdate": "terminal_update", "terminalId": name, "output": {"data": b64(f"screen {number}")}}
        )
        steps = [{"content": f"Step {number}"}]
        yield said({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": name, "entries": steps}})
        summary = {"compactionId": name, "status": "completed", "summary": [text]}
        yield said({"sessionUpdate": "compaction_update", **summary})
        yield said({"sessionUpdate": name or "x", name: number})
        options = [{"optionId": name, "name": f"Option {number}", "kind": "allow_once"}]
        params = {"sessionId": "s", "title": f"Question {number}", "subject": None, "options": options}
        yield {"dir": "in", "msg": {"id": name, "method": "session/request_permission", "params": params}}
    options = [{"configId": name, "name": "x", "type": "boolean", "currentValue": True} for name in ids()]
    yield said({"sessionUpdate": "config_option_update", "configOptions": options})
    commands = [{"name": name, "description": "x"} for name in ids()]
    yield said({"sessionUpdate": "available_commands_update", "availableCommands": commands})


def heard(records: Iterable[Json]) -> State:
    """The state after all of it, through dialect and reducer."""
    listener = Listener()
    hearing = Hearing(listener)
    for record in records:
        if "event" in record:
            listener.tell(record["event"])
        else:
            hearing.hear(record)
    return listener.state


# --- a recording that somebody made up

HEADER: Json = {"cassette": 1, "at": 1_790_000_000.0}


def recorded(records: Iterable[Json | str]) -> State:
    """The state after the lines of a recording, in which not every event may be told."""
    hearing = Hearing()
    for record in records:
        if isinstance(record, dict) and "note" not in record:
            hearing.hear(record)
    return hearing.listener.state


_DEEP = "[" * 3000 + "]" * 3000


def made_up(words: Words) -> Iterator[Json | str]:
    """Lines of a file that calls itself a recording: notes, events of odd types, odd times, what is no JSON at all."""
    note = {name: words(f"note.{name}") for name in ("title", "text", "question", "answer")}
    yield {
        "cassette": 1,
        "at": 1_790_000_000.0,
        "label": words("cassette.label"),
        "agent": words("cassette.agent"),
        "cwd": words("cassette.cwd"),
        "command": [words("cassette.command"), 5, {}],
        "acpWidget": [words("cassette.version")],
    }
    for event in EVENTS:
        yield {"t": 0.1, "event": event}
    yield {"t": 0.2, "note": note}
    yield {"t": 0.2, "note": {**note, "answer": None, "options": [words("note.option"), words("note.other")]}}
    yield {"t": 0.2, "note": {"text": words("note.alone")}}
    for strange in (5, [], {"text": 5}, {"text": "x", "options": ["x"] * 20}, {"text": "x" * 30_000}, {"options": [5]}):
        yield {"t": 0.2, "note": strange}
    for number, record in enumerate(LIVES["all"](words)):
        yield {"t": number / 100, **record}
    for time in ("soon", -5, 1e308, True, None, [], 10**400):
        yield {
            "t": time,
            "dir": "in",
            "msg": {"method": "session/update", "params": {"sessionId": "s", "update": time}},
        }
    for strange in (5, "x", [], [[]], None, {"dir": "sideways", "msg": {}}, {"dir": "in"}, {"msg": {}}, {"event": 5}):
        yield json.dumps(strange)
    yield from (words("cassette.line"), _DEEP, '{"t": NaN, "dir": "in", "msg": {"id": Infinity}}', '{"t": 1, "t": 2')
    for event in EVENTS:
        said = words("event.said")
        yield {"t": 9, "event": {**event, "message": said, "why": said, "note": said, "label": said, "cwd": said}}
    error = {name: words(f"event.{name}") for name in ("name", "title", "message", "hint", "stderr")}
    yield {"t": 9, "event": {"type": "policy", "policy": words("event.policy")}}
    yield {"t": 9, "event": {"type": "rules", "rules": [{"word": words("rule.word"), "text": words("rule.text")}]}}
    yield {"t": 9, "event": {"type": "ended", "connection": words("event.connection"), "error": error}}


EVENTS: list[Json] = [
    {"type": []},
    {"type": "__proto__"},
    {"type": "initialized", "result": {"info": {"name": "x"}}},
    {"type": "loginNeeded", "error": {"message": "x"}},
    {"type": "starting", "command": "x", "cwd": 5, "label": {}, "policy": {"x": 1}, "mcpServers": [5, {"name": []}]},
    {"type": "starting", "command": [5, {}, None], "additionalDirectories": [5, "x"], "policy": None},
    {"type": "launching", "command": [[], "x"], "note": []},
    {"type": "policy", "policy": ["x", {}]},
    {"type": "rules", "rules": [5, None, {"word": [], "text": {}}, {}]},
    {"type": "rules", "rules": "x"},
    {"type": "permissionTold", "permission": 5, "rule": {}},
    {"type": "permissionTold", "permission": "p:1", "rule": "Run('*')", "why": "x"},
    {"type": "respond", "permission": "p:1", "optionId": {}, "by": {}, "why": []},
    {"type": "respond", "permission": "__proto__", "optionId": "yes", "by": "you"},
    {"type": "dismiss", "permission": ["p:1"], "by": "you"},
    {"type": "promptQueued", "turn": "__proto__", "prompt": "x", "source": "x"},
    {"type": "promptQueued", "turn": "constructor", "prompt": [5, {"type": []}], "source": {}},
    {"type": "promptQueued", "turn": 5},
    {"type": "promptQueued"},
    {"type": "promptDropped", "turn": "r:1", "why": {}},
    {"type": "callWithdrawn", "toolCallId": {}},
    {"type": "update", "update": []},
    {"type": "update", "update": {"sessionUpdate": "terminal_update", "terminalId": "z", "output": {"data": "\ud800"}}},
    {"type": "diagnostic", "message": {}, "where": []},
    {"type": "ended", "connection": {}, "error": {"message": 5, "stderr": [], "title": {}, "name": 5, "hint": None}},
    {"type": "ended", "connection": "failed", "error": "x"},
    {"type": "ended", "connection": "closed"},
]
