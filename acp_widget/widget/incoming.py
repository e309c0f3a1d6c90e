"""What a browser may send: the fields of every message type, and how each is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], str]
"""Says what is wrong with a value; the empty string when nothing is."""


def text(longest: int) -> Check:
    """A string of at most so many characters."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            return "is no text"
        return f"is longer than {longest} characters" if len(value) > longest else ""

    return check


def number(value: Any) -> str:
    """A whole number from -1 on, within what JSON carries exactly; -1 says "I know nothing"."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return "" if whole and -1 <= value < 2**53 else "is no number of a message"


def flag(value: Any) -> str:
    """True or false."""
    return "" if isinstance(value, bool) else "is neither true nor false"


def setting(value: Any) -> str:
    """What a config option can be set to."""
    return "" if isinstance(value, bool) else _AGENTS(value)


def or_none(check: Check) -> Check:
    """The same, or nothing at all."""
    return lambda value: "" if value is None else check(value)


def names(value: Any) -> str:
    """What is mentioned in a draft."""
    if not isinstance(value, list) or len(value) > MENTIONS:
        return f"is no list of at most {MENTIONS} names"
    return next((f"has one that {fault}" for each in value if (fault := _PATH(each))), "")


def mentions(value: Any) -> str:
    """What is mentioned in a prompt, and whether it must be there."""
    if not isinstance(value, dict):
        return "is no object"
    return names(list(value)) or next((f"of {name!r} {fault}" for name in value if (fault := flag(value[name]))), "")


def word(value: Any) -> str:
    """What a player shall do."""
    return "" if value in PLAYER else f"is none of {' '.join(PLAYER)}"


def place(value: Any) -> str:
    """Where or how to play: a position, a speed, a kind of mark, an option; or nothing."""
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        return "" if abs(value) < 2**53 else "is no number of a place"
    return "" if value is None else _AGENTS(value)


PLAYER = ("play", "pause", "step", "back", "seek", "speed", "next", "previous", "choose")
MENTIONS = 50
_NAME = text(200)
_PATH = text(4096)
_AGENTS = text(100_000)  # an id that an agent made

MESSAGES: dict[str, dict[str, Check]] = {
    "hello": {"seq": number},
    "ack": {"seq": number},
    "view": {"view": _NAME, "open": flag},
    "answer": {"id": _NAME, "permission": _NAME, "optionId": _AGENTS},
    "remember": {"id": _NAME, "permission": _NAME, "optionId": _AGENTS, "rule": _AGENTS},
    "revoke": {"id": _NAME, "rule": _AGENTS},
    "dismiss": {"id": _NAME, "permission": _NAME},
    "prompt": {"id": _NAME, "text": text(1_000_000), "mentions": or_none(mentions)},
    "prompt again": {"id": _NAME, "again": _NAME},
    "mention": {"id": _NAME, "typed": or_none(_PATH), "names": names},
    "cancel": {"id": _NAME},
    "restart": {"id": _NAME},
    "unqueue": {"id": _NAME, "turn": _NAME},
    "cancelCall": {"id": _NAME, "call": _AGENTS},
    "cancelTerminal": {"id": _NAME, "terminal": _AGENTS},
    "configure": {"id": _NAME, "configId": _AGENTS, "value": setting},
    "login": {"id": _NAME, "methodId": _AGENTS},
    "player": {"id": _NAME, "do": word, "value": place},
}


def kind_of(content: Any) -> str | None:
    """Which row of the table a message belongs to; None for one of a type that is not known."""
    name = content.get("type") if isinstance(content, Mapping) else None
    if name == "prompt" and "again" in content:
        return "prompt again"
    return name if isinstance(name, str) and name in MESSAGES else None


def problem(fields: Mapping[str, Check], content: Mapping[str, Any]) -> str:
    """What is wrong with a message, in words; the empty string when nothing is. Further fields do not matter."""
    for name, check in fields.items():
        fault = check(content.get(name))
        if fault:
            return f"{name} {fault}"
    return ""
