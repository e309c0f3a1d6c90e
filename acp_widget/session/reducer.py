"""The reducer: (state, event) → operations. The only code that changes the state; it never raises.

A new update type is one line in a table here, and one function in the module of its topic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import activity, catalog, lifecycle, logins, messages, permissions, playing, terminals, tool_calls, turns
from .edit import Answer, Edit, Outcome
from .state import State
from .values import plain

__all__ = ["Answer", "Outcome", "reduce"]

Handler = Callable[[Edit, dict[str, Any]], None]

_STREAMED: Mapping[str, Handler] = {
    "user_message_chunk": messages.chunk("user"),
    "agent_message_chunk": messages.chunk("agent"),
    "agent_thought_chunk": messages.chunk("thought"),
    "terminal_output_chunk": terminals.chunk,
    "tool_call_content_chunk": tool_calls.chunk,
}
"""Updates that come by the thousand: their handlers get them as they came and copy what they keep."""

_UPDATES: Mapping[str, Handler] = {
    "user_message": messages.whole("user"),
    "agent_message": messages.whole("agent"),
    "agent_thought": messages.whole("thought"),
    "tool_call_update": tool_calls.update,
    "terminal_update": terminals.update,
    "state_update": activity.update,
    "plan_update": catalog.plan,
    "plan_removed": catalog.plan_removed,
    "available_commands_update": catalog.commands,
    "config_option_update": catalog.config_options,
    "session_info_update": catalog.session_info,
    "usage_update": catalog.usage,
    "notice": catalog.notice,
    "compaction_update": catalog.compaction,
    "compaction_summary_chunk": catalog.compaction_chunk,
}
"""`params.update` of `session/update`, by `sessionUpdate`: handlers get a clean copy that is theirs to keep."""

_STAYING = {
    *("state_update", "available_commands_update", "config_option_update"),
    *("session_info_update", "usage_update", "notice"),
}
"""Updates of what a replay does not tell anew (R75)."""

_EVENTS: Mapping[str, Handler] = {
    "starting": lifecycle.starting,
    "launching": lifecycle.launching,
    "initialized": lifecycle.initialized,
    "sessionNew": lifecycle.session_new,
    "replayBegin": lifecycle.replay_begin,
    "replayFailed": lifecycle.replay_failed,
    "replayEnd": lifecycle.replay_end,
    "resumeBegin": lifecycle.resume_begin,
    "resumeEnd": lifecycle.resume_end,
    "ended": lifecycle.ended,
    "policy": lifecycle.policy,
    "rules": lifecycle.rules,
    "diagnostic": lifecycle.diagnostic,
    "loginNeeded": logins.needed,
    "loginBegun": logins.begun,
    "loginFailed": logins.failed,
    "loginDone": logins.done,
    "callWithdrawn": tool_calls.withdrawn,
    "request": permissions.requested,
    "cancelRequest": permissions.withdrawn,
    "respond": permissions.responded,
    "dismiss": permissions.dismissed,
    "permissionTold": permissions.told,
    "promptQueued": turns.prompt_queued,
    "promptSent": turns.prompt_sent,
    "promptResult": turns.prompt_result,
    "promptError": turns.prompt_error,
    "promptHeld": turns.prompt_held,
    "promptDropped": turns.prompt_dropped,
    "cancel": activity.cancel,
    "configSent": catalog.config_sent,
    "configResult": catalog.config_result,
    "player": playing.player,
}
"""Events by `type`, all but `update`."""


def reduce(state: State, event: Any) -> Outcome:
    """Apply one event to the state: the operations, already applied, and the answers that must go to the agent.

    Events are dicts with `type` and `at` (docs/internals.md). Anything else, and whatever an agent sends, is at worst a
    diagnostic. The event is not kept and not changed.

    >>> state = State()
    >>> chunk = {"sessionUpdate": "terminal_output_chunk", "terminalId": "1", "data": "aGk="}
    >>> reduce(state, {"type": "update", "at": 0.0, "update": chunk}).ops[-1]
    ('bytes', 'x:1', b'hi')
    """
    with state.lock:
        is_dict = type(event) is dict
        at = event.get("at") if is_dict else None
        edit = Edit(state, at if type(at) is float and at - at == 0 else _seconds(at))
        try:
            if is_dict and event.get("type") == "update":
                _reduce_update(edit, event.get("update"))
            else:
                _reduce_event(edit, event)
        except Exception as fault:
            # A fault of ours. What was changed before it is in the operations, so nobody loses step.
            edit.diagnose(f"it could not be handled: {type(fault).__name__}: {fault}"[:500])
        return Outcome(edit.ops, edit.answers)


def _reduce_update(edit: Edit, update: Any) -> None:
    if type(update) is dict:
        word = update.get("sessionUpdate")
        if type(word) is str:
            edit.where = word
            if edit.memory.taking is not None:
                lifecycle.take(edit)
            if edit.memory.replay_due and word not in _STAYING:
                lifecycle.begin_told_anew(edit)
            handle = _STREAMED.get(word)
            if handle is not None:
                handle(edit, update)
            else:
                _UPDATES.get(word, catalog.unknown)(edit, plain(update))
            return
    edit.where = "session/update"
    edit.diagnose("an update that is no object with a text sessionUpdate; dropped")


def _seconds(at: Any) -> float | None:
    return float(at) if type(at) is int and abs(at) < 1 << 53 else None


def _reduce_event(edit: Edit, event: Any) -> None:
    event = plain(event)
    word = event.get("type") if type(event) is dict else None
    handle = _EVENTS.get(word) if type(word) is str else None
    if handle is None:
        edit.diagnose("an event of no known type; ignored")
        return
    edit.where = word
    handle(edit, event)
