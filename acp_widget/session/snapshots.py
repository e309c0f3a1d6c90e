"""Snapshots as JSON data, and snapshots that fit into a limit."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, Final

CUT_NOTE: Final = "Shortened: this snapshot was too big to be kept whole."
_SHORTEST: Final = 40
"""Strings of at most this many characters are never cut."""
_RAW: Final = frozenset({"rawInput", "rawOutput"})


def with_base64(state: dict[str, Any]) -> dict[str, Any]:
    """The frozen parts of a state with terminal bytes as base64."""
    terminals = {}
    for key, terminal in state["terminals"].items():
        output = {**terminal["output"], "data": b64encode(terminal["output"]["data"]).decode("ascii")}
        terminals[key] = {**terminal, "output": output}
    return {**state, "terminals": terminals}


def limited(snapshot: dict[str, Any], limit: int) -> dict[str, Any]:
    """The snapshot in at most `limit` bytes of JSON (UTF-8), as far as cutting text can bring it.

    Terminals lose their front first, then raw values and long strings are cut at ever shorter lengths.
    """
    size = json_size(snapshot)
    if size <= limit:
        return snapshot
    snapshot = {**snapshot, "cutNote": CUT_NOTE}
    # `cut` grows by some digits where a terminal loses its front.
    excess = json_size(snapshot) - limit + 12 * len(snapshot["terminals"])
    snapshot = {**snapshot, "terminals": _cut_terminals(snapshot["terminals"], excess)}
    whole = {name: part for name, part in snapshot.items() if name not in ("terminals", "timeline")}
    room = limit - json_size(snapshot) + json_size(whole)
    rest, longest = whole, 262_144
    while longest >= _SHORTEST and json_size(rest) > room:
        rest = _shortened(whole, longest)
        longest //= 4
    return {name: rest.get(name, part) for name, part in snapshot.items()}


def json_size(value: Any) -> int:
    """The length of the value as compact JSON, in bytes of UTF-8."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def _cut_terminals(terminals: dict[str, Any], excess: int) -> dict[str, Any]:
    """Take `excess` characters of base64 from the longest outputs, as evenly as it goes."""
    sizes = [len(terminal["output"]["data"]) for terminal in terminals.values()]
    kept = _level(sizes, sum(sizes) - excess) // 4 * 4  # whole groups of base64
    return {key: _with_last(terminal, kept) for key, terminal in terminals.items()}


def _level(sizes: Iterable[int], goal: int) -> int:
    """The biggest n for which the sizes, none counted beyond n, add up to at most `goal`."""
    rising = sorted(sizes)
    left, waiting = max(0, goal), len(rising)
    for size in rising:
        if size * waiting > left:
            return left // waiting
        left -= size
        waiting -= 1
    return rising[-1] if rising else 0


def _with_last(terminal: dict[str, Any], kept: int) -> dict[str, Any]:
    output = terminal["output"]
    data: str = output["data"]
    if len(data) <= kept:
        return terminal
    dropped = (len(data) - kept) // 4 * 3
    return {**terminal, "output": {**output, "data": data[len(data) - kept :], "cut": output["cut"] + dropped}}


def _shortened(value: Any, longest: int, name: str = "") -> Any:
    if isinstance(value, str):
        if len(value) <= longest or name.endswith("Id"):
            return value
        # Half of an image is none, and a mark in its base64 would be an error in the reader.
        return "" if name in ("data", "blob") else f"{value[:longest]}… [cut: {len(value) - longest} characters]"
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value]
    if isinstance(value, dict):
        return {
            key: _cut_raw(item, longest * 4) if key in _RAW else _shortened(item, longest, key)
            for key, item in value.items()
        }
    return value


def _cut_raw(value: Any, longest: int) -> Any:
    """A raw value is replaced by the beginning of its JSON when that is too long: it is any JSON already."""
    if isinstance(value, str):
        return _shortened(value, longest)
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= longest else _shortened(text, longest)
