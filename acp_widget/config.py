"""The settings and slash commands that an agent offers (ACP v2, Session Config Options, Slash Commands)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .entities import quoted, word


class Reader(Protocol):
    """Where the settings are read from."""

    def part(self, name: str) -> Any: ...


class Setter(Protocol):
    """Sets one, and returns when the agent has accepted."""

    def configure(self, config_id: str, value: str | bool) -> None: ...


@dataclass(frozen=True)
class Choice:
    """A value that a setting can have, with the agent's words for it. `group` when the agent groups them."""

    value: str | bool
    name: str
    description: str | None = None
    group: str | None = None

    def __str__(self) -> str:
        return f"{_short(self.value)} ({quoted(self.name)[1:-1]})" if self.name else _short(self.value)


class Config(Mapping[str, "str | bool"]):
    """An agent's settings by their ids, live. Printing it lists them with their choices.

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     _ = agent.start().wait()
    ...     before = agent.config["mode"]
    ...     agent.config["mode"] = "accept-edits"
    ...     before, agent.config["mode"]
    ('ask', 'accept-edits')

    Setting returns when the agent has accepted; buttons work meanwhile. It raises `NotOffered` for an id or a value
    that the agent does not offer, `RequestError` with the agent's words when it refuses, `NoAnswer` when it does not
    answer, and `ConnectionClosed` when it does not run; the value is then what it was. In a coroutine use
    `await agent.set_config(id, value)`. On the thread that the agent runs on (in a handler of `observe`, for instance)
    setting does not wait: a refusal is told in `agent.diagnostics`.
    """

    def __init__(self, reader: Reader, setter: Setter) -> None:
        self._reader, self._setter = reader, setter

    @property
    def raw(self) -> list[Mapping[str, Any]]:
        """The options as the agent sent them, also those of types that this version does not know."""
        return list(self._reader.part("configOptions"))

    def choices(self, config_id: str) -> list[Choice]:
        """The values that a setting can have, in the agent's order; `True` and `False` for a switch."""
        return choices(self._option(config_id))

    def __getitem__(self, config_id: str) -> str | bool:
        value: str | bool = self._option(config_id)["currentValue"]
        return value

    def __setitem__(self, config_id: str, value: str | bool) -> None:
        __tracebackhide__ = True  # IPython shows the user's own lines and the message
        self._setter.configure(config_id, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._options())

    def __len__(self) -> int:
        return len(self._options())

    def _options(self) -> dict[str, Mapping[str, Any]]:
        return {option["configId"]: option for option in self.raw if is_known(option)}

    def _option(self, config_id: str) -> Mapping[str, Any]:
        options = self._options()
        if config_id not in options:
            known = ", ".join(quoted(name) for name in options) or "none (an agent tells them when it has started)"
            raise KeyError(f"The agent has no setting {quoted(str(config_id))}. It has: {known}.")
        return options[config_id]

    def __repr__(self) -> str:
        lines = [_line(option) for option in self._options().values()]
        return "\n ".join(["<Config:", *lines]) + ">" if lines else "<Config: no settings>"


def _line(option: Mapping[str, Any]) -> str:
    offered = " | ".join(str(choice) for choice in choices(option))
    return f"{word(option['configId'])} = {_short(option['currentValue'])}  # {quoted(option['name'])[1:-1]}: {offered}"


def _short(value: str | bool) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _of_select(option: Mapping[str, Any]) -> list[Choice]:
    found = []
    for item in option["options"]:
        group = str(item["name"]) if "groupId" in item else None
        found += [
            Choice(str(each["value"]), str(each["name"]), each.get("description"), group)
            for each in (item["options"] if "groupId" in item else [item])
        ]
    return found


_CHOICES: Mapping[str, Callable[[Mapping[str, Any]], list[Choice]]] = {
    "select": _of_select,
    "boolean": lambda option: [Choice(True, ""), Choice(False, "")],
}


def is_known(option: Mapping[str, Any]) -> bool:
    """Whether this version knows how to set a config option of that type."""
    return option["type"] in _CHOICES


def choices(option: Mapping[str, Any]) -> list[Choice]:
    """The values of a config option of a known type, however they are nested."""
    return _CHOICES[option["type"]](option)


@dataclass(frozen=True)
class Command:
    """A slash command: `agent.prompt("/name text")` runs it. `hint` says what the text may be; None without any."""

    name: str
    description: str
    hint: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Command:
        """From the agent's words."""
        given = raw.get("input")
        hint = given.get("hint") if isinstance(given, Mapping) else None
        return cls(str(raw["name"]), str(raw["description"]), hint if isinstance(hint, str) else None, raw)

    def __repr__(self) -> str:
        return f"<Command /{quoted(self.name)[1:-1]}: {quoted(self.description)}>"
