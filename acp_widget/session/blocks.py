"""What lists of content may hold, and what becomes of items that do not fit (protocol rules M2 and M3).

An item of an unknown type is kept verbatim. A known one that lacks what it needs is dropped; optional fields of the
wrong type are left out of it. Each is written down as a diagnostic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .edit import Edit
from .values import is_flag, is_list, is_number, is_object, is_text, is_whole

Item = dict[str, Any]
Check = Callable[[object], bool]
Fit = Callable[[Any, Edit, str], Item | None]
"""Takes any JSON, gives the item to keep or None; `str` says where, for the diagnostic."""


class Shape(NamedTuple):
    """The fields that an item must have and may have. A null optional field is one that is absent."""

    needs: Mapping[str, Check]
    may: Mapping[str, Check]


def shape(needs: Mapping[str, Check], **may: Check) -> Shape:
    """A shape; every item may have `_meta`."""
    return Shape(needs, {**may, "_meta": is_object})


def fit_shape(item: Any, wanted: Shape, edit: Edit, where: str) -> Item | None:
    """The item without the optional fields that do not fit, or None when it lacks what it needs."""
    if type(item) is not dict:
        edit.diagnose(f"{where}: not an object, skipped")
        return None
    for name, check in wanted.needs.items():
        if not check(item.get(name)):
            edit.diagnose(f"{where}: {name} is missing or of the wrong type, skipped")
            return None
    for name, value in list(item.items()):
        if value is not None and name in wanted.may and not wanted.may[name](value):
            edit.diagnose(f"{where}: {name} is of the wrong type, left out")
            item = {field: value for field, value in item.items() if field != name}
    fitting: Item = item
    return fitting


def fit_list(items: list[Any], fit: Fit, edit: Edit, where: str) -> list[Item]:
    """The items that fit, in their order."""
    kept = (fit(item, edit, where) for item in items)
    return [item for item in kept if item is not None]


def by_word(field: str, fits: Mapping[str, Fit]) -> Fit:
    """Items that a word tells apart; those with an unknown word are kept verbatim."""

    def fit(item: Any, edit: Edit, where: str) -> Item | None:
        word = item.get(field) if type(item) is dict else None
        if type(word) is not str:
            edit.diagnose(f"{where}: not an object with a text {field}, skipped")
            return None
        known = fits.get(word)
        return item if known is None else known(item, edit, f"{where}, {word}")

    return fit


def of_shape(wanted: Shape) -> Fit:
    """A fit of one shape."""
    return lambda item, edit, where: fit_shape(item, wanted, edit, where)


# --- content blocks, in messages and in tool calls -------------------------------------------------------------------


def _is_resource(value: object) -> bool:
    return isinstance(value, dict) and (is_text(value.get("text")) or is_text(value.get("blob")))


_EMBEDDED = shape({"resource": _is_resource}, annotations=is_object)
_RESOURCE = shape({"uri": is_text}, mimeType=is_text)


def _fit_embedded(item: Any, edit: Edit, where: str) -> Item | None:
    fitting = fit_shape(item, _EMBEDDED, edit, where)
    if fitting is None:
        return None
    resource = fit_shape(fitting["resource"], _RESOURCE, edit, where)
    return None if resource is None else {**fitting, "resource": resource}


fit_block = by_word(
    "type",
    {
        "text": of_shape(shape({"text": is_text}, annotations=is_object)),
        "image": of_shape(shape({"data": is_text, "mimeType": is_text}, uri=is_text, annotations=is_object)),
        "audio": of_shape(shape({"data": is_text, "mimeType": is_text}, annotations=is_object)),
        "resource_link": of_shape(
            shape(
                {"uri": is_text, "name": is_text},
                title=is_text,
                description=is_text,
                mimeType=is_text,
                size=is_whole,
                icons=is_list,
                annotations=is_object,
            )
        ),
        "resource": _fit_embedded,
    },
)
"""A ContentBlock (ACP v2, Content)."""


# --- content of tool calls -------------------------------------------------------------------------------------------

_ONE_PATH = of_shape(shape({"path": is_text}, fileType=is_text, mimeType=is_text))
_TWO_PATHS = of_shape(shape({"oldPath": is_text, "path": is_text}, fileType=is_text, mimeType=is_text))

fit_change = by_word(
    "operation",
    {"add": _ONE_PATH, "delete": _ONE_PATH, "modify": _ONE_PATH, "move": _TWO_PATHS, "copy": _TWO_PATHS},
)
"""One file of a diff."""

_WRAPPED = shape({"content": is_object})
_DIFF = shape({"changes": is_list})
_PATCH = shape({"format": is_text, "text": is_text})


def _fit_wrapped(item: Any, edit: Edit, where: str) -> Item | None:
    fitting = fit_shape(item, _WRAPPED, edit, where)
    if fitting is None:
        return None
    block = fit_block(fitting["content"], edit, where)
    return None if block is None else {**fitting, "content": block}


def _fit_diff(item: Any, edit: Edit, where: str) -> Item | None:
    fitting = fit_shape(item, _DIFF, edit, where)
    if fitting is None:
        return None
    fitting = {**fitting, "changes": fit_list(fitting["changes"], fit_change, edit, f"{where}, changes")}
    if fitting.get("patch") is not None:
        patch = fit_shape(fitting["patch"], _PATCH, edit, f"{where}, patch")
        if patch is None:
            del fitting["patch"]
        else:
            fitting["patch"] = patch
    return fitting


fit_tool_content = by_word(
    "type",
    {"content": _fit_wrapped, "diff": _fit_diff, "terminal": of_shape(shape({"terminalId": is_text}))},
)
"""An item of a tool call's content (ACP v2, Tool Calls)."""

fit_location = of_shape(shape({"path": is_text}, line=is_whole))

# --- other lists -----------------------------------------------------------------------------------------------------

fit_option = of_shape(shape({"optionId": is_text, "name": is_text, "kind": is_text}))
"""An option of a permission request."""

# Priority and status belong to an entry too, but one without them still says what will be done.
fit_entry = of_shape(shape({"content": is_text}, priority=is_text, status=is_text))
"""An entry of a plan."""


def _is_input(value: object) -> bool:
    """What a command takes: text with a hint (as it also is without a type), or something of another type."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type", "text")
    return is_text(value.get("hint")) if kind == "text" else is_text(kind)


_COMMAND = of_shape(shape({"name": is_text, "description": is_text}, input=_is_input))


def fit_command(item: Any, edit: Edit, where: str) -> Item | None:
    """A slash command. Without a type it is a command; those of other types are kept verbatim."""
    kind = item.get("type") if type(item) is dict else None
    if kind is not None and type(kind) is not str:
        edit.diagnose(f"{where}: type is of the wrong type, skipped")
        return None
    return _COMMAND(item, edit, where) if kind in (None, "command") else item


_VALUE = of_shape(shape({"value": is_text, "name": is_text}, description=is_text))
_GROUP = shape({"groupId": is_text, "name": is_text, "options": is_list})
_SELECT = shape({"currentValue": is_text, "options": is_list})
_FLAG = shape({"currentValue": is_flag})
_CONFIG = shape({"configId": is_text, "name": is_text, "type": is_text}, description=is_text, category=is_text)


def _fit_value(item: Any, edit: Edit, where: str) -> Item | None:
    """A value of a select, or a group of them."""
    if type(item) is not dict or "groupId" not in item:
        return _VALUE(item, edit, where)
    group = fit_shape(item, _GROUP, edit, where)
    return None if group is None else {**group, "options": fit_list(group["options"], _VALUE, edit, where)}


def _fit_select(item: Any, edit: Edit, where: str) -> Item | None:
    select = fit_shape(item, _SELECT, edit, where)
    return None if select is None else {**select, "options": fit_list(select["options"], _fit_value, edit, where)}


_CONFIG_TYPES: Mapping[str, Fit] = {"select": _fit_select, "boolean": of_shape(_FLAG)}


def fit_config(item: Any, edit: Edit, where: str) -> Item | None:
    """A config option (ACP v2, Session Config Options); those of unknown types are kept verbatim."""
    option = fit_shape(item, _CONFIG, edit, where)
    if option is None:
        return None
    known = _CONFIG_TYPES.get(option["type"])
    return option if known is None else known(option, edit, where)


COST = shape({"amount": is_number, "currency": is_text})
SIZE = shape({"cols": is_whole, "rows": is_whole})


def fit_background(items: Any) -> list[Item] | None:
    """The list of background work, or None when it is malformed: a partial list would claim that it is all there is."""
    if type(items) is not list:
        return None
    for item in items:
        if type(item) is not dict or type(item.get("type")) is not str:
            return None
        needed = {"terminal": "terminalId", "tool_call": "toolCallId"}.get(item["type"])
        if needed is not None and type(item.get(needed)) is not str:
            return None
    return items
