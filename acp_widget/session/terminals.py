"""Display-only terminals (ACP v2, Terminals): upserts by id, and output that comes in chunks of bytes."""

from __future__ import annotations

from typing import Any

from . import former, turns
from .blocks import SIZE, fit_shape
from .edit import Edit
from .tool_calls import Fields, Unfit, known_fields, read_capabilities, read_patch, read_text
from .values import clean_text, decoded, is_text, is_whole

Update = dict[str, Any]


def update(edit: Edit, update: Update) -> None:
    """`terminal_update`: omitted fields stay, null clears, a value replaces; `output` is all that is to be kept."""
    terminal_id = update.get("terminalId")
    if type(terminal_id) is not str:
        edit.diagnose("terminalId is missing or no text; dropped")
        return
    key = f"x:{terminal_id}"
    terminal = former.find(edit, "terminals", key)
    changes = read_patch(edit, update, _FIELDS, terminal, _KNOWN)
    snapshot = changes.pop("output", None)
    if "exitStatus" in changes:
        at = edit.times() if terminal is None else terminal["at"]
        ended = at["end"] if at["end"] is not None else edit.at
        changes["at"] = {**at, "end": None if changes["exitStatus"] is None else ended}
    if terminal is None:
        _create(edit, key, terminal_id, changes)
    else:
        edit.patch(("terminals", key), changes)
    if snapshot is not None:
        _replace_output(edit, key, *snapshot)
    elif "output" in update and update["output"] is None and terminal is not None:
        _replace_output(edit, key, b"", None)


def chunk(edit: Edit, update: Update) -> None:
    """`terminal_output_chunk`: bytes at the end. Takes the update as it came: only what is kept is cleaned."""
    terminal_id = update.get("terminalId")
    data = update.get("data")
    new = decoded(data) if type(data) is str else None
    if type(terminal_id) is not str or new is None:
        what = "terminalId is missing or no text" if type(terminal_id) is not str else "data is no base64"
        edit.diagnose(f"{what}; dropped")
        return
    key = "x:" + (terminal_id if terminal_id.isascii() else clean_text(terminal_id))
    if former.find(edit, "terminals", key) is None:
        _create(edit, key, key[2:], {})
    if new:
        edit.bytes(key, new)


def _create(edit: Edit, key: str, terminal_id: str, known: dict[str, Any]) -> None:
    terminal = {
        "terminalId": terminal_id,
        "command": None,
        "cwd": None,
        "output": {"data": "", "_meta": None, "cut": 0},
        "exitStatus": None,
        "size": None,
        "capabilities": None,
        "_meta": {},
        "turn": turns.turn_of_new(edit),
        "at": edit.times(),
        **known,
    }
    edit.create("terminals", key, terminal, place=False)


def _replace_output(edit: Edit, key: str, data: bytes, meta: dict[str, Any] | None) -> None:
    """A new output, even where the bytes are the same: readers begin with a fresh decoder and screen."""
    cut = max(0, len(data) - edit.state.terminal_cap)
    edit.set(("terminals", key, "output"), {"data": "", "_meta": meta, "cut": cut})
    if data:
        edit.bytes(key, data[cut:])


def _read_output(value: Any, edit: Edit) -> tuple[bytes, dict[str, Any] | None]:
    data = value.get("data") if type(value) is dict else None
    new = decoded(data) if type(data) is str else None
    if new is None:
        raise Unfit
    meta = value.get("_meta")
    if meta is not None and type(meta) is not dict:
        edit.diagnose("_meta of the output is no object; left out")
        meta = None
    return new, meta


def _read_exit(value: Any, edit: Edit) -> dict[str, Any]:
    if type(value) is not dict:
        raise Unfit
    status = {**value, "exitCode": value.get("exitCode"), "signal": value.get("signal")}
    for name, check in (("exitCode", is_whole), ("signal", is_text)):
        if status[name] is not None and not check(status[name]):
            edit.diagnose(f"{name} is of the wrong type; taken as not told")
            status[name] = None
    return status


def _read_size(value: Any, edit: Edit) -> dict[str, Any]:
    size = fit_shape(value, SIZE, edit, "size")
    if size is None:
        raise Unfit
    return size


_FIELDS: Fields = {
    "command": (None, read_text),
    "cwd": (None, read_text),
    "output": (None, _read_output),
    "exitStatus": (None, _read_exit),
    "size": (None, _read_size),
    "capabilities": (None, read_capabilities),
}
_KNOWN = known_fields(_FIELDS, "terminalId")
