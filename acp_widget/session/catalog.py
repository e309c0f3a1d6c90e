"""What is kept beside messages and calls: plans, commands, config options, session info, usage, notices, compactions.

And what nobody knows: updates of unknown type, kept as they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import former, turns
from .blocks import COST, Fit, fit_block, fit_command, fit_config, fit_entry, fit_list, fit_shape, shape
from .edit import Edit
from .tool_calls import Fields, Unfit, known_fields, read_patch, read_text
from .values import is_list, is_number, is_text

Update = dict[str, Any]

# --- plans -----------------------------------------------------------------------------------------------------------

_PLANS = {
    "items": shape({"entries": is_list}),
    "markdown": shape({"content": is_text}),
    "file": shape({"uri": is_text}),
}


def plan(edit: Edit, update: Update) -> None:
    """`plan_update`: replaces the plan of that id; plans of unknown types are kept whole."""
    given = fit_shape(update.get("plan"), shape({"type": is_text, "planId": is_text}), edit, "plan")
    if given is None:
        return
    wanted = _PLANS.get(given["type"])
    fitting = given if wanted is None else fit_shape(given, wanted, edit, f"plan {given['planId']}")
    if fitting is None:
        return
    if fitting["type"] == "items":
        fitting = {**fitting, "entries": fit_list(fitting["entries"], fit_entry, edit, "entries")}
    key = f"l:{fitting['planId']}"
    _something_came(edit)
    if former.find(edit, "plans", key) is None:
        edit.create("plans", key, {"plan": fitting, "turn": turns.turn_of_new(edit), "at": edit.times()})
    else:
        edit.patch(("plans", key), {"plan": fitting})


def plan_removed(edit: Edit, update: Update) -> None:
    """`plan_removed`: an unknown id is fine."""
    plan_id = update.get("planId")
    if type(plan_id) is not str:
        edit.diagnose("planId is missing or no text; dropped")
        return
    key = f"l:{plan_id}"
    if former.find(edit, "plans", key) is not None:
        edit.displace(key)
        edit.delete(("plans", key))


# --- whole lists -----------------------------------------------------------------------------------------------------

LISTS: Mapping[str, tuple[str, Fit]] = {
    "commands": ("availableCommands", fit_command),
    "configOptions": ("configOptions", fit_config),
}
"""Name in the state → the field that brings it, and what its items must be."""


def commands(edit: Edit, update: Update) -> None:
    """`available_commands_update` replaces the list."""
    _replace_list(edit, "commands", update)


def config_options(edit: Edit, update: Update) -> None:
    """`config_option_update` replaces the list; its order matters."""
    edit.memory.config_updates += 1
    _replace_list(edit, "configOptions", update)


def config_sent(edit: Edit, event: Update) -> None:
    """`session/set_config_option` was sent."""
    config_id = event.get("configId")
    if type(config_id) is str:
        edit.memory.config_sent[config_id] = edit.memory.config_updates


def config_result(edit: Edit, event: Update) -> None:
    """It was answered with the whole list, which replaces ours.

    Unless the agent reported its options meanwhile with the same value for this one: that report is as new as the
    answer or newer. One with another value may have been on its way before the agent read what we set.
    """
    config_id, result = event.get("configId"), event.get("result")
    items = result.get("configOptions") if type(result) is dict else None
    memory = edit.memory
    reported = memory.config_sent.get(str(config_id), memory.config_updates) < memory.config_updates
    if reported and type(items) is list and _value(items, config_id) == _value(edit.data["configOptions"], config_id):
        return
    if _set_list(edit, "configOptions", items):
        memory.reported.add("configOptions")


def _value(items: list[Any], config_id: Any) -> Any:
    """The current value of an option in a list of them."""
    named = (item for item in items if type(item) is dict and item.get("configId") == config_id)
    return next((item.get("currentValue") for item in named), None)


def fill_gaps(edit: Edit, result: Mapping[str, Any]) -> None:
    """Take the lists of a response where no update brought newer ones."""
    for name, (field, _) in LISTS.items():
        if result.get(field) is not None and name not in edit.memory.reported:
            _set_list(edit, name, result[field])


def _replace_list(edit: Edit, name: str, update: Update) -> None:
    if _set_list(edit, name, update.get(LISTS[name][0])):
        edit.memory.reported.add(name)


def _set_list(edit: Edit, name: str, items: Any) -> bool:
    field, fit = LISTS[name]
    if type(items) is not list:
        edit.diagnose(f"{field} is missing or no list; dropped")
        return False
    edit.set((name,), fit_list(items, fit, edit, field))
    return True


# --- session info and usage ------------------------------------------------------------------------------------------

_USAGE_KNOWN = known_fields({}, "used", "size", "cost")
_INFO: Fields = {"title": (None, read_text), "updatedAt": (None, read_text)}
_INFO_KNOWN = known_fields(_INFO)


def session_info(edit: Edit, update: Update) -> None:
    """`session_info_update`: omitted stays, null clears."""
    changes = read_patch(edit, update, _INFO, edit.data["sessionInfo"], _INFO_KNOWN)
    edit.patch(("sessionInfo",), changes)


def usage(edit: Edit, update: Update) -> None:
    """`usage_update`: an omitted cost keeps the last, null clears it."""
    used, size = update.get("used"), update.get("size")
    if not is_number(used) or not is_number(size):
        edit.diagnose("used or size is missing or no number; dropped")
        return
    changes = {"used": used, "size": size, **read_patch(edit, update, {}, edit.data["usage"], _USAGE_KNOWN)}
    if "cost" in update:
        cost = update["cost"]
        if cost is None or (cost := fit_shape(cost, COST, edit, "cost")) is not None:
            changes["cost"] = cost
    edit.patch(("usage",), changes)


# --- notices, compactions, unknown updates ---------------------------------------------------------------------------

_NOTICE = shape({"severity": is_text, "title": is_text}, description=is_text)


def notice(edit: Edit, update: Update) -> None:
    """`notice`: an event that changes nothing else."""
    given = fit_shape(update, _NOTICE, edit, "notice")
    if given is None:
        return
    verbatim = {name: value for name, value in given.items() if name != "sessionUpdate"}
    entity = {"description": None, **verbatim, "turn": turns.turn_now(edit), "at": edit.times()}
    edit.create("notices", f"n:{edit.memory.number('n')}", entity)


def _read_summary(value: Any, edit: Edit) -> list[Any]:
    if type(value) is not list:
        raise Unfit
    return fit_list(value, fit_block, edit, "summary")


_COMPACTION: Fields = {
    "status": ("in_progress", read_text),
    "summary": ([], _read_summary),
    "error": (None, read_text),
}
_COMPACTION_KNOWN = known_fields(_COMPACTION, "compactionId")


def compaction(edit: Edit, update: Update) -> None:
    """`compaction_update`: an upsert; the messages before it stay."""
    compaction_id = update.get("compactionId")
    if type(compaction_id) is not str or type(update.get("status")) is not str:
        edit.diagnose("compactionId or status is missing or no text; dropped")
        return
    key = f"c:{compaction_id}"
    found = former.find(edit, "compactions", key)
    changes = read_patch(edit, update, _COMPACTION, found, _COMPACTION_KNOWN)
    _something_came(edit)
    if found is None:
        _create_compaction(edit, compaction_id, changes)
    else:
        edit.patch(("compactions", key), changes)


def compaction_chunk(edit: Edit, update: Update) -> None:
    """`compaction_summary_chunk`: one block more."""
    compaction_id = update.get("compactionId")
    if type(compaction_id) is not str:
        edit.diagnose("compactionId is missing or no text; dropped")
        return
    block = fit_block(update.get("content"), edit, "summary")
    if block is None:
        return
    key = f"c:{compaction_id}"
    _something_came(edit)
    if former.find(edit, "compactions", key) is None:
        _create_compaction(edit, compaction_id, {"summary": [block]})
    else:
        edit.append(("compactions", key, "summary"), block)


def _create_compaction(edit: Edit, compaction_id: str, known: dict[str, Any]) -> None:
    entity = {
        "compactionId": compaction_id,
        "status": "in_progress",
        "summary": [],
        "error": None,
        "_meta": {},
        **known,
        "turn": turns.turn_of_new(edit),
        "at": edit.times(),
    }
    edit.create("compactions", f"c:{compaction_id}", entity)


def unknown(edit: Edit, update: Update) -> None:
    """An update of a type that nobody here knows: kept raw, in order."""
    entity = {"raw": update, "turn": turns.turn_now(edit), "at": edit.times()}
    edit.create("unknownUpdates", f"k:{edit.memory.number('k')}", entity)


def _something_came(edit: Edit) -> None:
    if edit.memory.thought is not None:
        turns.close_thought(edit)
