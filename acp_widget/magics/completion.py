"""What Tab offers behind `%acp` and `%%acp`. It reads what is there, and never starts an agent."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from IPython.core.interactiveshell import InteractiveShell

from .. import registry
from .agents import DEMO, Agents
from .magics import COMMANDS, OPTIONS
from .settings import WORDS, option_of


class Completer:
    """Called by IPython with the line so far; gives the words that may stand at its end."""

    def __init__(self, agents: Agents, shell: InteractiveShell) -> None:
        self._agents, self._shell = agents, shell

    def __call__(self, shell: Any, event: Any) -> list[str]:
        """IPython hands over the shell, and the event with the line; an error here would be shown to nobody."""
        before = event.text_until_cursor
        words = before.split()
        last = "" if before.endswith((" ", "\t")) else words[-1]
        done = words[1:] if last == "" else words[1:-1]
        if last.startswith("--") and "=" in last:  # IPython replaces what stands behind it
            option, _, last = last.partition("=")
            done = [*done, option]
        offered = self._of_prompt(done, last) if words[0] == "%%acp" else self._of_line(done)
        return [each for each in offered if each.startswith(last)]

    def _of_line(self, done: list[str]) -> Iterable[str]:
        if not done:
            return filter(None, COMMANDS)
        offer = _VALUES.get(done[0])
        return offer(self) if offer is not None and len(done) == 1 else ()

    def _of_prompt(self, done: list[str], last: str) -> Iterable[str]:
        option = next((each for each in reversed(done) if each.startswith("--")), "")
        if last.startswith("-"):
            return OPTIONS
        if option.partition("=")[0] == "--attach":
            return self._variables()
        if done and done[-1] == "--agent":
            return self._names()
        if done and done[-1] == "--permissions":
            return (*WORDS, *self._variables())
        return () if done and done[-1] in ("--out", "--cwd", "--record") else OPTIONS

    def _names(self) -> Iterable[str]:
        try:
            own = list(registry.entries.user_entries())
        except ValueError:  # `%acp agents` says what is wrong with the file
            own = []
        return dict.fromkeys([*(name for name, _ in self._agents.items), DEMO, *registry.AGENTS, *own])

    def _variables(self) -> Iterable[str]:
        names = dict(self._shell.user_ns)
        hidden = getattr(self._shell, "user_ns_hidden", {})
        return [
            name
            for name, value in names.items()
            if not name.startswith("_") and name not in hidden and not isinstance(value, types.ModuleType)
        ]

    def _choices(self, word: str) -> Iterable[str]:
        current = dict(self._agents.items).get(self._agents.current or "")
        if current is None:
            return ()
        option = option_of(current, word)
        return [str(each.value) for each in current.config.choices(option)] if option is not None else ()


_VALUES: Final[Mapping[str, Callable[[Completer], Iterable[str]]]] = {
    "use": Completer._names,
    "close": lambda completer: [name for name, _ in completer._agents.items],
    "load": lambda completer: completer._agents.session_ids,
    "resume": lambda completer: completer._agents.session_ids,
    "mode": lambda completer: completer._choices("mode"),
    "model": lambda completer: completer._choices("model"),
    "policy": lambda completer: (*WORDS, *completer._variables()),
}
