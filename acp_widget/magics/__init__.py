"""`%acp` and `%%acp`: `%load_ext acp_widget`. The one place that imports IPython."""

from __future__ import annotations

import re

from IPython.core.interactiveshell import InteractiveShell

from .completion import Completer
from .magics import AcpMagics

_NAME = "acp"
_KEYS = (f"%{_NAME}", f"%%{_NAME}")
_ALONE = re.compile(rf"%%{_NAME}(?!\S)")


def load(shell: InteractiveShell) -> None:
    """Register the magics and their completion; loaded twice they are there once."""
    if isinstance(shell.magics_manager.registry.get(AcpMagics.__name__), AcpMagics):
        return
    magics = AcpMagics(shell)
    shell.register_magics(magics)
    shell.input_transformers_cleanup.append(_with_a_body)
    completer = Completer(magics.agents, shell)
    for key in _KEYS:
        shell.set_hook("complete_command", completer, str_key=key)


def unload(shell: InteractiveShell) -> None:
    """Take both away, and end the agents that the magics started."""
    manager = shell.magics_manager
    magics = manager.registry.pop(AcpMagics.__name__, None)
    if isinstance(magics, AcpMagics):
        magics.agents.close_all()
    while _with_a_body in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(_with_a_body)
    for kind in ("line", "cell"):
        manager.magics[kind].pop(_NAME, None)
    hooks = shell.strdispatchers.get("complete_command")
    if hooks is not None:
        for key in _KEYS:
            hooks.strs.pop(key, None)


def _with_a_body(lines: list[str]) -> list[str]:
    """A line `%%acp …` without anything below it gets an empty one: IPython itself would advise `%acp` for it."""
    return [*lines, "\n"] if len(lines) == 1 and _ALONE.match(lines[0]) else lines


# Whether a cell is complete is asked without it: a terminal goes on to the next line.
_with_a_body.has_side_effects = True  # type: ignore[attr-defined]
