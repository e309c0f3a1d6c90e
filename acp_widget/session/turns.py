"""Turns: a prompt and all that came of it, or work that no prompt began.

A turn owns what is first seen in it. Of a prompt it ends at the first `idle` that follows, since it was sent, a report
that the agent works, the prompt's echo or our stop, or that has a stop reason after the prompt's result; on an error;
or with the agent. What comes while the session is idle belongs to a turn without a prompt that is over already.
"""

from __future__ import annotations

from typing import Any

from .edit import Edit
from .operations import frozen
from .words import CANCELLED_CODE, TURN_OVER

Event = dict[str, Any]


# --- what other entities ask -----------------------------------------------------------------------------------------


def turn_of_new(edit: Edit) -> str:
    """The turn that an entity seen first now belongs to; begins one where there is none."""
    memory = edit.memory
    if memory.replaying:
        if memory.replay_turn is None:
            memory.replay_turn = _begin_without_prompt(edit, "done")
        return memory.replay_turn
    if memory.active is not None:
        _mark_running(edit, memory.active)
        return memory.active
    if edit.state.busy():
        return _begin_work(edit)
    if memory.ambient is None:
        memory.ambient = _begin_without_prompt(edit, "done")
    return memory.ambient


def turn_now(edit: Edit) -> str | None:
    """The turn that something belongs to which begins none of itself: a notice, for instance."""
    memory = edit.memory
    return memory.replay_turn or memory.active or memory.ambient or memory.latest


def turn_of_user_message(edit: Edit, key: str, message_id: str, content: list[Any]) -> str:
    """The turn of a user message seen first now; a replayed one begins a turn that is over already."""
    memory = edit.memory
    if not memory.replaying:
        return turn_of_new(edit)
    close_replayed(edit)
    memory.replay_turn = memory.told.get(key)
    if memory.replay_turn is not None:
        memory.before.pop(memory.replay_turn, None)
        return memory.replay_turn
    # Ids that the client made for an agent without them are not the same again, but the words are.
    memory.replay_turn = _turn_with(edit, content) or _begin_without_prompt(edit, "done")
    edit.patch(("turns", memory.replay_turn), {"echo": key, "messageId": message_id})
    return memory.replay_turn


def begin_replay(edit: Edit) -> None:
    """What comes now was told before: find the turns that its user messages belong to."""
    memory = edit.memory
    memory.replaying, memory.replay_turn, memory.ambient = True, None, None
    memory.told = {}
    memory.before = {key: None for key, turn in edit.data["turns"].items() if turn["status"] in TURN_OVER}
    for turn, entity in edit.data["turns"].items() if not memory.replay_of_other else ():
        if entity["echo"] is not None:
            memory.told[entity["echo"]] = turn
        elif entity["messageId"] is not None:
            memory.told[f"u:{entity['messageId']}"] = turn


def close_replayed(edit: Edit) -> None:
    """Keep the text of a replayed user message as the prompt of its turn, now that all of it is there."""
    turn = edit.memory.replay_turn
    if turn is not None:
        entity = edit.data["turns"][turn]
        message = edit.data["messages"].get(entity["echo"])
        if entity["prompt"] is None and message is not None:
            edit.set(("turns", turn, "prompt"), frozen(message["content"]))
    edit.memory.replay_turn = None


def _turn_with(edit: Edit, content: list[Any]) -> str | None:
    """The next turn from before the replay whose prompt begins so."""
    said = content[0].get("text") if content else None
    if type(said) is not str or not said:
        return None
    before = edit.memory.before
    for key in before:
        prompt = edit.data["turns"][key]["prompt"]
        text = prompt[0].get("text") if prompt else None
        if type(text) is str and text.startswith(said):
            del before[key]
            return key
    return None


def _forget_untold(edit: Edit) -> None:
    """What a replay does not mention is gone (R75): turns from before it too, but for those that own what stays."""
    before, edit.memory.before = edit.memory.before, {}
    groups = ("messages", "toolCalls", "terminals", "permissions", "plans", "notices", "compactions", "unknownUpdates")
    owners = {entity["turn"] for group in groups for entity in edit.data[group].values()}
    for key in before:
        if key not in owners:
            edit.delete(("turns", key))


def adopt_replayed(edit: Edit) -> None:
    """After a replay: when the agent says that it still works, the last turn goes on."""
    memory = edit.memory
    memory.told = {}
    _forget_untold(edit)
    last = memory.replay_turn
    close_replayed(edit)
    if memory.active is None and edit.state.busy():
        if last is None:
            _begin_work(edit)
        else:
            memory.active, memory.began, memory.ambient = last, True, None
            at = edit.data["turns"][last]["at"]
            edit.patch(("turns", last), {"status": "running", "at": {**at, "end": None}})


def user_message_seen(edit: Edit, key: str, message_id: str) -> None:
    """A user message is there for the first time: it may be the echo of the prompt."""
    active = edit.memory.active
    if active is None or edit.memory.replaying:
        return
    turn = edit.data["turns"][active]
    if turn["prompt"] is None or turn["echo"] is not None or turn["messageId"] not in (None, message_id):
        return
    edit.memory.began = True
    edit.set(("turns", active, "echo"), key)
    _mark_running(edit, active)


def close_thought(edit: Edit) -> None:
    """Something else came: the streamed thought has an end."""
    key = edit.memory.thought
    edit.memory.thought = None
    entity = edit.data["messages"].get(key)
    if key is not None and entity is not None:
        edit.set(("messages", key, "at"), {**entity["at"], "end": edit.at})


# --- reports of the agent --------------------------------------------------------------------------------------------


def works(edit: Edit) -> None:
    """The agent reported a state that is not `idle`."""
    memory = edit.memory
    if memory.replaying:
        return
    if memory.active is None:
        _begin_work(edit)
    else:
        memory.began = True
        _mark_running(edit, memory.active)


def is_idle(edit: Edit, stop_reason: str | None, error: dict[str, Any] | None, *, cancelling: bool) -> None:
    """The agent reported `idle`: perhaps the turn is over."""
    memory = edit.memory
    if memory.replaying:
        return
    memory.idle_reported = True
    memory.work.clear()
    memory.local = None
    if memory.active is None:
        return
    turn = edit.data["turns"][memory.active]
    reported = memory.began or cancelling or (stop_reason is not None and memory.answered)
    if turn["prompt"] is not None and not reported:
        return
    if stop_reason is None and cancelling and turn["prompt"] is not None:
        stop_reason = "cancelled"
    if stop_reason == "error":
        _end(edit, memory.active, "failed", stop_reason, turn_error(error, "The agent stopped with an error."))
    else:
        _end(edit, memory.active, "done", stop_reason)


# --- events of ours --------------------------------------------------------------------------------------------------


def prompt_queued(edit: Edit, event: Event) -> None:
    """A prompt waits for the agent."""
    key = _key_of(edit, event)
    if key is None:
        return
    if key in edit.data["turns"]:
        edit.diagnose(f"the turn {key} is there already")
        return
    edit.set(("turns", key), _turn(key, _prompt_of(edit, event), event.get("source"), "queued", queued=edit.at))


def prompt_sent(edit: Edit, event: Event) -> None:
    """A prompt was handed to the agent; its turn begins."""
    key = _key_of(edit, event)
    if key is None:
        return
    memory = edit.memory
    turn = edit.data["turns"].get(key)
    if turn is not None and turn["status"] != "queued":
        edit.diagnose(f"the turn {key} was sent already")
        return
    if memory.active is not None:
        _end(edit, memory.active, "done", None)
    if turn is None:
        new = _turn(key, _prompt_of(edit, event), event.get("source"), "sent", sent=edit.at)
        edit.set(("turns", key), new)
    else:
        # What is sent may differ from what was queued: it was not known yet which blocks the agent takes.
        edit.patch(
            ("turns", key),
            {"prompt": _prompt_of(edit, event), "status": "sent", "at": {**turn["at"], "sent": edit.at}},
        )
    _begin(edit, key, began=False)
    memory.local = None
    edit.patch(("session",), {"cancelling": False})


def prompt_result(edit: Edit, event: Event) -> None:
    """The agent accepted the prompt. That says nothing about its end."""
    key = _key_of(edit, event)
    turn = edit.data["turns"].get(key)
    if key is None or turn is None:
        edit.diagnose("a prompt result for a turn that is not there")
        return
    if key == edit.memory.active:
        edit.memory.answered = True
    result = event.get("result")
    message_id = result.get("messageId") if type(result) is dict else None
    if type(message_id) is not str:
        if type(result) is not dict or message_id is not None:
            edit.diagnose("the prompt result is not as ACP has it")
        return
    edit.patch(("turns", key), {"messageId": message_id})
    echo = f"u:{message_id}"
    # One of that id that an earlier session left is the echo of another prompt.
    is_there = echo in edit.data["messages"] and echo not in edit.memory.former.get("messages", ())
    if turn["echo"] not in (None, echo) or is_there:
        # The message taken for the echo was another one, or the echo came before we could know it.
        edit.patch(("turns", key), {"echo": echo if is_there else None})


def prompt_error(edit: Edit, event: Event) -> None:
    """The agent refused the prompt, or it could not be sent."""
    key = _key_of(edit, event)
    turn = edit.data["turns"].get(key)
    if key is None or turn is None or turn["status"] in TURN_OVER:
        edit.diagnose("a prompt error for a turn that is not there, or is over")
        return
    error = event.get("error")
    if type(error) is dict and error.get("code") == CANCELLED_CODE:
        _end(edit, key, "done", "cancelled")
    else:
        _end(edit, key, "failed", None, turn_error(error, "The agent refused the prompt."))


def prompt_held(edit: Edit, event: Event) -> None:
    """The agent did not take the prompt for now: it waits as it did before it was sent."""
    key = _key_of(edit, event)
    turn = edit.data["turns"].get(key)
    if key is None or turn is None or key != edit.memory.active:
        edit.diagnose("a prompt was held that is not under way")
        return
    edit.patch(("turns", key), {"status": "queued", "at": {**turn["at"], "sent": None}})
    _leave(edit, key)


def prompt_dropped(edit: Edit, event: Event) -> None:
    """A queued prompt will not be sent."""
    key = _key_of(edit, event)
    turn = edit.data["turns"].get(key)
    if key is None or turn is None:
        edit.diagnose("a prompt was dropped that is not there")
    elif turn["status"] == "queued":
        why = event.get("why")
        drop(edit, key, why if type(why) is str else None)
    elif turn["status"] not in TURN_OVER:
        edit.diagnose(f"the turn {key} was sent already and cannot be dropped")


def drop(edit: Edit, key: str, why: str | None) -> None:
    """Mark a queued turn as not sent."""
    _end(edit, key, "not_sent", None, None if why is None else turn_error({"message": why}, why))


def drop_queued(edit: Edit, why: str) -> None:
    """Mark every queued turn as not sent."""
    for key in edit.state.queued_turns():
        drop(edit, key, why)


def fail_active(edit: Edit, error: dict[str, Any] | None, message: str) -> None:
    """The agent is gone: the turn under way, if there is one, failed."""
    if edit.memory.active is not None:
        _end(edit, edit.memory.active, "failed", None, turn_error(error, message))


def turn_error(error: Any, message: str) -> dict[str, Any]:
    """An error as a turn shows it: `{message, code, data}`."""
    given: dict[str, Any] = error if type(error) is dict else {}
    said = given.get("message")
    return {
        "message": said if type(said) is str and said else message,
        "code": given.get("code"),
        "data": given.get("data"),
    }


# --- inside ----------------------------------------------------------------------------------------------------------


def _turn(
    key: str,
    prompt: list[Any] | None,
    source: Any,
    status: str,
    *,
    queued: float | None = None,
    sent: float | None = None,
    end: float | None = None,
) -> dict[str, Any]:
    return {
        "number": int(key[2:]),
        "prompt": prompt,
        "source": source if type(source) is str else None,
        "status": status,
        "echo": None,
        "messageId": None,
        "stopReason": None,
        "error": None,
        "at": {"queued": queued, "sent": sent, "end": end},
    }


def _begin(edit: Edit, key: str, *, began: bool) -> None:
    memory = edit.memory
    memory.active, memory.latest = key, key
    memory.began, memory.answered, memory.ambient = began, False, None


def _begin_without_prompt(edit: Edit, status: str) -> str:
    key = edit.state.next_turn()
    while key in edit.data["turns"]:  # a key that did not come from next_turn()
        key = edit.state.next_turn()
    over = status in TURN_OVER
    edit.set(("turns", key), _turn(key, None, None, status, sent=edit.at, end=edit.at if over else None))
    edit.memory.latest = key
    return key


def _begin_work(edit: Edit) -> str:
    key = _begin_without_prompt(edit, "running")
    _begin(edit, key, began=True)
    return key


def _mark_running(edit: Edit, key: str) -> None:
    if edit.data["turns"][key]["status"] == "sent":
        edit.set(("turns", key, "status"), "running")


def _end(edit: Edit, key: str, status: str, stop_reason: str | None, error: dict[str, Any] | None = None) -> None:
    at = edit.data["turns"][key]["at"]
    changes = {"status": status, "stopReason": stop_reason, "error": error, "at": {**at, "end": edit.at}}
    edit.patch(("turns", key), changes)
    _leave(edit, key)


def _leave(edit: Edit, key: str) -> None:
    memory = edit.memory
    if memory.active == key:
        memory.active = None
        memory.began = memory.answered = False
        memory.local = None
        if memory.thought is not None:
            close_thought(edit)


def _key_of(edit: Edit, event: Event) -> str | None:
    key = event.get("turn")
    if type(key) is str and key[:2] == "r:" and key[2:].isascii() and key[2:].isdecimal() and len(key) < 20:
        return key
    edit.diagnose("the event names no turn")
    return None


def _prompt_of(edit: Edit, event: Event) -> list[Any]:
    prompt = event.get("prompt")
    if type(prompt) is list:
        return [block for block in prompt if type(block) is dict]
    edit.diagnose("the event has no prompt")
    return []
