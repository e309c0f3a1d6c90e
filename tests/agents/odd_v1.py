"""Agents of ACP v1 with the oddities of real ones: `python odd_v1.py BEHAVIOUR`. Standard library only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

INFO = {"name": "odd", "version": "1"}
ALLOW = {"optionId": "proceed_once", "name": "Allow", "kind": "allow_once"}
ALWAYS = {"optionId": "proceed_always", "name": "Always", "kind": "allow_always"}
CANCEL = {"optionId": "cancel", "name": "No", "kind": "reject_once"}
COMMAND = {"toolCallId": "c1", "title": "ls", "kind": "execute", "status": "pending"}


# --- words -----------------------------------------------------------------------------------------------------------


def read() -> Any:
    """The next message; ends when there is none."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(variant: str, **fields: Any) -> None:
    params = {"sessionId": "s", "update": {"sessionUpdate": variant, **fields}}
    say({"method": "session/update", "params": params})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def chunk(words: str, role: str = "agent_message") -> None:
    update(f"{role}_chunk", content=text(words))


def initialize(**result: Any) -> None:
    request = read()
    given = {"protocolVersion": 1, "agentInfo": INFO, "agentCapabilities": {}, **result}
    shown = {name: value for name, value in given.items() if value is not None}
    say({"id": request["id"], "result": shown})


def session(**result: Any) -> None:
    say({"id": until("session/new")["id"], "result": {"sessionId": "s", **result}})


def start(**result: Any) -> None:
    initialize()
    session(**result)


def until(method: str) -> Any:
    """The next request or notification with this method; answers the requests before it."""
    while (message := read()).get("method") != method:
        if "id" in message and "method" in message:
            say({"id": message["id"], "result": {}})
    return message


def prompt() -> Any:
    return until("session/prompt")["id"]


def end(request_id: Any, reason: str = "end_turn", **more: Any) -> None:
    say({"id": request_id, "result": {"stopReason": reason, **more}})


def ask(request_id: Any, call: Any, *options: dict[str, Any]) -> Any:
    """The option that was chosen; None for none."""
    params = {"sessionId": "s", "toolCall": call, "options": options or [ALWAYS, ALLOW, CANCEL]}
    say({"id": request_id, "method": "session/request_permission", "params": params})
    return answer_to(request_id)["result"]["outcome"].get("optionId")


def answer_to(request_id: Any) -> Any:
    while (message := read()).get("id") != request_id or "method" in message:
        pass
    return message


def serve() -> None:
    """Answers every request with {}."""
    until("nothing that is ever sent")


def live_on() -> None:
    while True:
        time.sleep(60)


# --- transport and lifecycle -----------------------------------------------------------------------------------------


def long_line() -> None:
    """One line of 561 kB, as qwen-code 0.24 writes."""
    start()
    request = prompt()
    update("available_commands_update", availableCommands=[], _meta={"availableSkillDetails": "x" * 561_000})
    chunk("after the long line")
    end(request)
    serve()


def garbage_in_the_turn() -> None:
    """A sentence on stdout, then the end, while a prompt waits."""
    start()
    prompt()
    print("kimi-cli is no longer maintained.", flush=True)


def stubborn() -> None:
    """Ends neither with its stdin nor by TERM, and has a child."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-S", "-E", __file__, "live_on"], stdout=subprocess.DEVNULL)
    start()
    request = prompt()
    chunk(f"{os.getpid()} {child.pid}")
    end(request)
    live_on()


def silent_session() -> None:
    """Answers `initialize`, and never `session/new`."""
    initialize()
    live_on()


def noisy_stderr() -> None:
    """Source code on stderr before it says anything."""
    sys.stderr.write("INFO starting\n" + "at Object.<anonymous> (/x.js:1:1)\n" * 200)
    sys.stderr.flush()
    start()
    request = prompt()
    chunk("fine")
    end(request)
    serve()


def model_fails() -> None:
    """The model's error as text and a refusal, as fast-agent has it."""
    start()
    request = prompt()
    chunk("I hit an internal error while calling the model")
    end(request, "refusal")
    serve()


# --- negotiation -----------------------------------------------------------------------------------------------------


def echoes_two() -> None:
    """Says version 2 and speaks 1, as fast-agent and deepagents do."""
    initialize(protocolVersion=2)
    session()
    request = prompt()
    chunk("I speak version 1")
    end(request)
    serve()


def only_one() -> None:
    """Refuses version 2 with the versions that it has."""
    first = read()
    data = {"requested": first["params"]["protocolVersion"], "supported": [1]}
    say({"id": first["id"], "error": {"code": -32022, "message": "Unsupported protocol version", "data": data}})
    start()
    serve()


def bare() -> None:
    """Neither info nor capabilities."""
    initialize(agentInfo=None, agentCapabilities=None)
    session()
    request = prompt()
    chunk("hello")
    end(request)
    serve()


# --- order -----------------------------------------------------------------------------------------------------------


def early() -> None:
    """Updates before the answer to `session/new`."""
    initialize()
    request = until("session/new")
    update("available_commands_update", availableCommands=[{"name": "tools", "description": "Tools", "input": None}])
    update("usage_update", used=7, size=100)
    say({"id": request["id"], "result": {"sessionId": "s"}})
    serve()


def after_the_result() -> None:
    """It goes on to tell when the turn is over."""
    start()
    end(prompt())
    update("session_info_update", title="Later")
    update("usage_update", used=9, size=100)
    update("available_commands_update", availableCommands=[{"name": "late", "description": "Late"}])
    serve()


def after_the_cancel() -> None:
    """Words and a call's end that were under way when it was stopped."""
    start()
    request = prompt()
    update("tool_call", **COMMAND)
    chunk("before")
    until("session/cancel")
    chunk(" after")
    update("tool_call_update", toolCallId="c1", status="in_progress")
    end(request, "cancelled")
    serve()


def late_call() -> None:
    """After the turn, an edit that was done goes back to pending with a reversed diff, as claude 0.101 has it."""
    start()
    request = prompt()
    there = {"type": "diff", "path": "/p/a", "oldText": "old\n", "newText": "new\n"}
    update("tool_call", toolCallId="e", title="Edit a", kind="edit", status="completed", content=[there])
    end(request)
    back = {"type": "diff", "path": "/p/a", "oldText": "new\n", "newText": "old\n"}
    update("tool_call_update", toolCallId="e", status="pending", content=[back])
    update("tool_call_update", toolCallId="new", title="Write a", kind="edit", status="pending")
    serve()


# --- unknown things --------------------------------------------------------------------------------------------------


def unknown_requests() -> None:
    """Methods outside the protocol, and services that were not offered; tells the codes that came back."""
    start()
    request = prompt()
    say({"method": "_auth/status_update", "params": {"authStatus": {}}})
    say({"method": "qwen/notify/session/prompt-suggestion", "params": {"v": 1}})
    codes = []
    for number, method in enumerate(
        ("craft/drainMidTurnQueue", "fs/write_text_file", "fs/read_text_file", "terminal/create")
    ):
        say({"id": number, "method": method, "params": {"sessionId": "s", "path": "/etc/passwd", "content": ""}})
        codes.append(answer_to(number)["error"]["code"])
    chunk(json.dumps(codes))
    end(request)
    serve()


def nulls() -> None:
    """null wherever v1 allows a field to be missing."""
    start(modes=None, models=None, configOptions=None, _meta=None)
    request = prompt()
    update("available_commands_update", availableCommands=[{"name": "a", "description": "A", "input": None}])
    update("tool_call", toolCallId="c", title="Edit", kind="edit", status="pending", content=None, locations=None)
    location = {"path": "/p/a", "line": None}
    new = {"type": "diff", "path": "/p/a", "oldText": None, "newText": "1\n"}
    absent = {"type": "diff", "path": "/p/b", "newText": "1\n"}
    empty = {"type": "diff", "path": "/p/c", "oldText": "", "newText": "1\n"}
    update("tool_call_update", toolCallId="c", locations=[location], content=[new, absent, empty])
    update("tool_call_update", toolCallId="c", title=None, kind=None, status="completed", content=None, rawInput=None)
    update("agent_message_chunk", messageId=None, content=text("done"))
    end(request, usage=None, _meta=None)
    serve()


def modes_and_options() -> None:
    """The mode twice: as `modes` and as a config option, with categories that nobody knows."""
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Go"}]}
    values = [{"value": "ask", "name": "Ask"}, {"value": "go", "name": "Go"}]
    mode = {
        "id": "mode",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "ask",
        "options": values,
    }
    other = {**mode, "id": "collaboration_mode", "category": "collaboration_mode"}
    start(modes=modes, configOptions=[mode, other])
    request = until("session/set_config_option")
    mode = {**mode, "currentValue": request["params"]["value"]}
    say({"id": request["id"], "result": {"configOptions": [mode, other]}})
    serve()


# --- tool calls and permissions --------------------------------------------------------------------------------------


def never_announced() -> None:
    """Asks about a call that no `tool_call` announced, and only updates it, as gemini does."""
    start()
    request = prompt()
    content = [{"type": "content", "content": text("[in /p]")}]
    ask(0, {**COMMAND, "content": content})
    update("tool_call_update", toolCallId="c1", status="completed", content=[])
    end(request)
    serve()


def other_id() -> None:
    """Asks about an id that is no call's, then announces another one."""
    start()
    request = prompt()
    ask(0, {"toolCallId": "pending", "kind": "execute", "status": "pending", "title": "execute"})
    update("tool_call", **COMMAND)
    update("tool_call_update", toolCallId="c1", status="completed")
    end(request)
    serve()


def only_an_id() -> None:
    """The question holds nothing but the call's id, as vibe has it."""
    start()
    request = prompt()
    update("tool_call", **COMMAND)
    ask(0, {"toolCallId": "c1"})
    ask("two", {"toolCallId": "nobody knows"})
    end(request)
    serve()


def two_of_a_kind() -> None:
    """Two options with one kind; tells which was chosen."""
    start()
    request = prompt()
    second = {"optionId": "approved", "name": "Always, here", "kind": "allow_always"}
    chunk(str(ask(0, COMMAND, ALWAYS, second, CANCEL)))
    end(request)
    serve()


def rejected_and_cancelled() -> None:
    """After a no the turn ends as cancelled, as codex has it; the call stays as it was."""
    start()
    request = prompt()
    update("tool_call", **{**COMMAND, "status": "in_progress"})
    ask(0, COMMAND)
    end(request, "cancelled")
    serve()


def rejected_in_silence() -> None:
    """After a no nothing more is said of the call."""
    start()
    request = prompt()
    ask(0, COMMAND)
    chunk("as you like")
    end(request)
    serve()


def never_finished() -> None:
    """A call that runs, one that waits, and a turn that is over."""
    start()
    request = prompt()
    update("tool_call", **{**COMMAND, "status": "in_progress"})
    update("tool_call", toolCallId="c2", title="Write a", kind="edit", status="pending")
    end(request)
    serve()


def jumps() -> None:
    """From pending to completed, told twice, with another title and kind."""
    start()
    request = prompt()
    update("tool_call", toolCallId="c1", title="Terminal", kind="other", status="pending", content=[])
    update("tool_call", **COMMAND)
    update("tool_call_update", toolCallId="c1", status="completed")
    end(request)
    serve()


def growing_snapshots() -> None:
    """The whole output again with each line, as opencode has it."""
    start()
    request = prompt()
    update("tool_call", **COMMAND)
    lines = ""
    for number in range(1, 11):
        lines += f"\x1b[3{number % 8}m line {number} é 🙂\x1b[0m\r\n"
        update("tool_call_update", toolCallId="c1", content=[{"type": "content", "content": text(lines)}])
    end(request)
    serve()


def relative_path() -> None:
    """A diff whose path is relative, as qwen-code 0.15 has it; the same one twice, with the full path first."""
    start()
    request = prompt()
    texts = {"type": "diff", "oldText": "", "newText": "one\n"}
    ask(
        0,
        {"toolCallId": "e", "title": "Write notes.txt", "kind": "edit", "content": [{**texts, "path": "/p/notes.txt"}]},
    )
    update("tool_call_update", toolCallId="e", status="completed", content=[{**texts, "path": "notes.txt"}])
    end(request)
    serve()


def unknown_terminal() -> None:
    """A terminal that nobody made, with its output in `_meta`, as codex 2.6 has it; and one without."""
    start()
    request = prompt()
    update("tool_call", **COMMAND, content=[{"type": "terminal", "terminalId": "c1"}])
    told = {"terminal_output_delta": {"terminal_id": "c1", "data": "hi\n"}}
    update("tool_call_update", toolCallId="c1", _meta=told)
    ended: dict[str, Any] = {"terminal_exit": {"terminal_id": "c1", "exit_code": 0, "signal": None}}
    update("tool_call_update", toolCallId="c1", status="completed", _meta=ended)
    update("tool_call", toolCallId="c2", title="ls", content=[{"type": "terminal", "terminalId": "gone"}])
    end(request)
    serve()


def prompt_error() -> None:
    """The first prompt is answered with an error, the second one well."""
    start()
    error = {"code": -32603, "message": "Internal error", "data": {"details": "quota"}}
    say({"id": prompt(), "error": error})
    request = prompt()
    chunk("better")
    end(request)
    serve()


def echoes_the_prompt() -> None:
    """Repeats what the user said, in pieces, before it speaks."""
    start()
    request = prompt()
    for piece in ("Fix ", "it."):
        chunk(piece, "user_message")
    chunk("Fixed.")
    end(request)
    serve()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
