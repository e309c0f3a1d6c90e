"""Permission requests (ACP v2, Requesting Permission): asked by the agent, settled exactly once.

Nothing here ever approves: an approval comes only by `respond`, which names a pending request and one of its options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import former, tool_calls, turns
from .blocks import fit_list, fit_option
from .edit import Edit
from .memory import RequestKey
from .values import is_absolute, is_text
from .words import INVALID_PARAMS, INVALID_REQUEST

Event = dict[str, Any]

GENERIC_TITLE = "The agent asks for permission"
NO_ANSWER = "The agent asked this but offered no answer to choose. It was told so, and nothing was allowed."
_KNOWN = frozenset({"sessionId", "title", "description", "subject", "options"})


def requested(edit: Edit, event: Event) -> None:
    """`session/request_permission` came."""
    request_id, params = event.get("id"), event.get("params")
    wanted = _request_key(request_id)
    if wanted is None:
        edit.diagnose("a request whose id is neither a number nor a text cannot be answered; dropped")
        return
    if wanted in edit.memory.pending:
        edit.diagnose(f"the id {request_id!r} is that of a request still pending; refused")
        edit.refuse(request_id, INVALID_REQUEST, "A request with this id is still pending.")
        return
    given: dict[str, Any] = params if type(params) is dict else {}
    options = _options(edit, given.get("options"))
    if not options:
        edit.diagnose("a permission request without a usable option; refused")
        edit.refuse(request_id, INVALID_PARAMS, "The request has no usable option.")
        _show_refused(edit, params)
        return
    subject, problem, call_id = _read_subject(edit, given.get("subject"))
    key = f"p:{edit.memory.number('p')}"
    call = None if call_id is None else former.find(edit, "toolCalls", f"t:{call_id}")
    nobody_asks = call is not None and edit.memory.active is None and not edit.memory.replaying
    permission = {
        "requestId": request_id,
        "title": _title(edit, given.get("title")),
        "description": _description(edit, given.get("description")),
        "subject": subject,
        **tool_calls.read_further(given, _KNOWN, None),
        "options": options,
        "status": "pending",
        "optionId": None,
        "toolCallId": call_id,
        "problem": problem,
        "by": None,
        "why": None,
        # Work in the background asks for its own call, which is no new work.
        "turn": call["turn"] if call is not None and nobody_asks else turns.turn_of_new(edit),
        "at": edit.times(),
    }
    edit.create("permissions", key, permission, place=call is None)
    if call is None and call_id is not None:
        edit.memory.unplaced.setdefault(call_id, []).append(key)
    edit.memory.pending[wanted] = key
    if edit.data["session"]["cancelling"]:
        _settle(edit, key, by="stop", why="It came after the turn was stopped.")


def responded(edit: Edit, event: Event) -> None:
    """Somebody chose an option."""
    key, option_id = event.get("permission"), event.get("optionId")
    permission = _pending(edit, key)
    if permission is None:
        return
    if not any(option["optionId"] == option_id for option in permission["options"]):
        edit.diagnose("the answer names an option that was not offered; not sent, the request stays open")
        return
    _settle(edit, str(key), by=_by(event), why=_why(event), option_id=option_id)


def told(edit: Edit, event: Event) -> None:
    """While it waits: why it is asked and not decided by a rule, and the rule that a user may make of it."""
    key = event.get("permission")
    if _pending(edit, key) is not None:
        rule, why = event.get("rule"), _why(event)
        edit.patch(("permissions", str(key)), {"why": why, "rule": rule if type(rule) is str else None})


def dismissed(edit: Edit, event: Event) -> None:
    """Somebody closed the request without choosing, or a policy declined it."""
    key = event.get("permission")
    if _pending(edit, key) is not None:
        _settle(edit, str(key), by=_by(event), why=_why(event))


def withdrawn(edit: Edit, event: Event) -> None:
    """`$/cancel_request` came. Unknown and answered ids are ignored."""
    wanted = _request_key(event.get("requestId"))
    key = None if wanted is None else edit.memory.pending.get(wanted)
    if key is not None:
        _settle(edit, key, by="agent", why="The agent withdrew the request.")


def settle_all(edit: Edit, *, by: str, why: str | None = None, answer: bool = True) -> None:
    """Every pending request becomes `cancelled`; without `answer` nobody is there to be told."""
    for key in list(edit.memory.pending.values()):
        _settle(edit, key, by=by, why=why, answer=answer)


def stand_alone(edit: Edit) -> None:
    """The tool calls are gone: requests that wait for an answer get places of their own, until their calls are back."""
    placed = set(edit.data["timeline"])
    for key in edit.memory.pending.values():
        if key not in placed:
            edit.append(("timeline",), key)
            call_id = edit.data["permissions"][key]["toolCallId"]
            edit.memory.unplaced.setdefault(call_id, []).append(key)


# --- inside ----------------------------------------------------------------------------------------------------------


def _request_key(request_id: Any) -> RequestKey | None:
    """5 and "5" are two ids; a bool or a broken number is none."""
    kind = type(request_id)
    return (kind.__name__, request_id) if kind in (int, str, float) else None


def _settle(
    edit: Edit, key: str, *, by: str, why: str | None = None, option_id: str | None = None, answer: bool = True
) -> None:
    permission = edit.data["permissions"][key]
    wanted = _request_key(permission["requestId"])
    if wanted is not None:
        edit.memory.pending.pop(wanted, None)
    changes = {
        "status": "cancelled" if option_id is None else "selected",
        "optionId": option_id,
        "by": by,
        "why": why,
        "at": {**permission["at"], "end": edit.at},
    }
    edit.patch(("permissions", key), changes)
    if answer:
        outcome = {"outcome": "cancelled"} if option_id is None else {"outcome": "selected", "optionId": option_id}
        edit.answer(permission["requestId"], {"outcome": outcome})


def _show_refused(edit: Edit, params: Any) -> None:
    """A question that nobody can answer is no question any more, but the reader sees that it was asked."""
    given: dict[str, Any] = params if type(params) is dict else {}
    description = _description(edit, given.get("description"))
    notice = {
        "severity": "warning",
        "title": _title(edit, given.get("title")),
        "description": f"{NO_ANSWER}\n{description}" if description else NO_ANSWER,
        "request": params,
        "turn": turns.turn_now(edit),
        "at": edit.times(),
    }
    edit.create("notices", f"n:{edit.memory.number('n')}", notice)


def _pending(edit: Edit, key: Any) -> dict[str, Any] | None:
    permission: dict[str, Any] | None = edit.data["permissions"].get(key) if type(key) is str else None
    if permission is None:
        edit.diagnose("an answer to a permission request that is not there; ignored")
    elif permission["status"] != "pending":
        edit.diagnose("an answer to a permission request that is settled; ignored")
        return None
    return permission


def _by(event: Event) -> str:
    by = event.get("by")
    return by if type(by) is str else "you"


def _why(event: Event) -> str | None:
    why = event.get("why")
    return why if type(why) is str else None


def _title(edit: Edit, title: Any) -> str:
    if type(title) is str:
        return title
    edit.diagnose("a permission request without a title")
    return GENERIC_TITLE


def _description(edit: Edit, description: Any) -> str | None:
    if description is None or type(description) is str:
        return description
    edit.diagnose("description is no text; left out")
    return None


def _options(edit: Edit, options: Any) -> list[dict[str, Any]]:
    if type(options) is not list:
        return []
    usable = fit_list(options, fit_option, edit, "options")
    if len({option["optionId"] for option in usable}) < len(usable):
        edit.diagnose("two options have the same id: the agent cannot tell which of them is chosen")
    return usable


# --- subjects: what the request is about; (problem or None, id of the tool call or None) -----------------------------

Reading = tuple[str | None, str | None]


def _read_subject(edit: Edit, subject: Any) -> tuple[dict[str, Any] | None, str | None, str | None]:
    if subject is None:
        return None, None, None
    word = subject.get("type") if type(subject) is dict else None
    if type(word) is not str:
        edit.diagnose("the subject is no object with a type; left out")
        return None, "What it is about could not be read.", None
    read = _SUBJECTS.get(word)
    if read is None:
        return subject, "What it is about is of a kind that this version does not know.", None
    problem, call_id = read(edit, subject)
    return subject, problem, call_id


def _about_tool_call(edit: Edit, subject: dict[str, Any]) -> Reading:
    """A full patch of the call, applied before the question is shown."""
    patch = subject.get("toolCall")
    call_id = patch.get("toolCallId") if type(patch) is dict else None
    if type(patch) is not dict or type(call_id) is not str:
        edit.diagnose("the subject's tool call has no id; applied to nothing")
        return "The tool call it is about has no id.", None
    before = edit.notes
    tool_calls.update(edit, patch)
    problem = None if edit.notes == before else "Part of the tool call it is about could not be read."
    return problem, call_id


def _about_command(edit: Edit, subject: dict[str, Any]) -> Reading:
    """A description that stands by itself; its ids only associate."""
    missing = [name for name in ("command", "cwd") if not is_text(subject.get(name))]
    if missing:
        edit.diagnose(f"the subject is a command without {' and '.join(missing)}")
        return f"The command it is about has no readable {' and '.join(missing)}.", None
    if not is_absolute(subject["cwd"]):
        edit.diagnose("the command's cwd is not absolute; shown as it is")
    for name in ("toolCallId", "terminalId"):
        if subject.get(name) is not None and not is_text(subject[name]):
            edit.diagnose(f"the command's {name} is no text; taken as none")
    call_id = subject.get("toolCallId")
    return None, call_id if type(call_id) is str else None


_SUBJECTS: Mapping[str, Callable[[Edit, dict[str, Any]], Reading]] = {
    "tool_call": _about_tool_call,
    "command": _about_command,
}
