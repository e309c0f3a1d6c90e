"""What the messages of a recording say, whatever they hold."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator
from typing import Any, Final

Json = dict[str, Any]

_V1_UPDATES: Final = frozenset({"tool_call", "plan", "current_mode_update"})
_V1_METHODS: Final = ("fs/", "terminal/create", "session/load", "session/set_mode", "session/set_model", "authenticate")
_V1_RESULTS: Final = ("stopReason", "modes", "models")
_V2_UPDATES: Final = frozenset(
    {
        *("state_update", "user_message", "agent_message", "agent_thought", "terminal_update", "notice"),
        *("terminal_output_chunk", "tool_call_content_chunk", "plan_update", "compaction_update"),
    }
)


def seconds(at: float) -> float | None:
    """A time of a record; None for what no clock says."""
    value = float(at) if abs(at) < 1e15 else None
    return value if value is not None and value == value else None


def time_of(record: Json) -> float | None:
    """When a record was made, in seconds; None when it does not say."""
    at = record.get("t")
    return seconds(at) if isinstance(at, (int, float)) and not isinstance(at, bool) else None


def is_header(record: Json) -> bool:
    """Whether it is the first line of a cassette, which says what it is."""
    return "cassette" in record and "dir" not in record and "event" not in record


def is_note(record: Json) -> bool:
    """Whether it is a note of its author: no part of the session."""
    return "note" in record and "dir" not in record and "event" not in record


def began(header: Json) -> float:
    """What the times of a cassette count from, in seconds since the epoch."""
    return time_of({"t": header.get("at")}) or 0.0


def start(header: Json | None) -> Json:
    """What is known of the start of an agent that no event tells of."""
    given = header or {}
    return {
        "command": given.get("command"),
        "cwd": given.get("cwd"),
        "label": given["label"] if isinstance(given.get("label"), str) else "recording",
        "temporary": False,
    }


def version_told(message: Json) -> int | None:
    """The version of a recording without its beginning, by the first message whose shape only one version has.

    >>> version_told({"method": "fs/read_text_file"}), version_told({"method": "session/new"})
    (1, None)
    """
    method, params, result = message.get("method"), message.get("params"), message.get("result")
    given: Json = params if isinstance(params, dict) else {}
    update = given.get("update")
    word = update.get("sessionUpdate") if isinstance(update, dict) else None
    known = word if isinstance(word, str) else ""
    if known in _V2_UPDATES or "subject" in given:
        return 2
    marks = (
        known in _V1_UPDATES,
        method == "session/request_permission" and "toolCall" in given,
        isinstance(method, str) and method.startswith(_V1_METHODS),
        isinstance(result, dict) and any(name in result for name in _V1_RESULTS),
    )
    return 1 if any(marks) else None


def replays(method: str, params: Json) -> bool:
    """Whether opening a session tells its history."""
    return method == "session/load" or params.get("replayFrom") is not None


def setting(method: str, params: Json) -> tuple[Any, Any]:
    """Id and value of the config option that a request sets."""
    named: dict[str, tuple[Any, Any]] = {
        "session/set_mode": ("mode", params.get("modeId")),
        "session/set_model": ("model", params.get("modelId")),
    }
    return named.get(method, (params.get("configId"), params.get("value")))


def chosen(answer: Json) -> str | None:
    """The option that an answer to a permission request names; None when it chooses none."""
    result = answer.get("result")
    outcome = result.get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
        return None
    option_id = outcome.get("optionId")
    return option_id if isinstance(option_id, str) else None


def terminal_made(params: Json, result: Any) -> Iterator[Json]:
    """The updates that an answered `terminal/create` stands for (N6)."""
    if isinstance(result, dict):
        args = params.get("args")
        words = [params.get("command"), *(args if isinstance(args, list) else [])]
        command = shlex.join([word for word in words if isinstance(word, str)])
        yield _terminal(result.get("terminalId"), command=command, cwd=params.get("cwd"))


def terminal_said(method: str, params: Json, result: Any) -> Iterator[Json]:
    """The updates that an answered `terminal/output` or `terminal/wait_for_exit` stands for."""
    if not isinstance(result, dict):
        return
    fields: Json = {}
    output = result.get("output")
    if isinstance(output, str):
        fields["output"] = {"data": base64.b64encode(output.encode("utf-8", "replace")).decode()}
    if result.get("exitStatus") is not None:
        fields["exitStatus"] = result["exitStatus"]
    elif method == "terminal/wait_for_exit":
        fields["exitStatus"] = {"exitCode": result.get("exitCode"), "signal": result.get("signal")}
    if fields:
        yield _terminal(params.get("terminalId"), **fields)


def _terminal(terminal_id: Any, **fields: Any) -> Json:
    return {"sessionUpdate": "terminal_update", "terminalId": terminal_id, **fields}
