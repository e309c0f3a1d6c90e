"""`%acp` and `%%acp`: `%load_ext acp_widget`. The one place that imports IPython."""

from __future__ import annotations

from IPython.core.interactiveshell import InteractiveShell

from .completion import Completer
from .magics import AcpMagics

_NAME = "acp"
_KEYS = (f"%{_NAME}", f"%%{_NAME}")


def load(shell: InteractiveShell) -> None:
    """Register the magics and their completion; loaded twice they are there once."""
    if isinstance(shell.magics_manager.registry.get(AcpMagics.__name__), AcpMagics):
        return
    magics = AcpMagics(shell)
    shell.register_magics(magics)
    completer = Completer(magics.agents, shell)
    for key in _KEYS:
        shell.set_hook("complete_command", completer, str_key=key)


def unload(shell: InteractiveShell) -> None:
    """Take both away, and end the agents that the magics started."""
    manager = shell.magics_manager
    magics = manager.registry.pop(AcpMagics.__name__, None)
    if isinstance(magics, AcpMagics):
        magics.agents.close_all()
    for kind in ("line", "cell"):
        manager.magics[kind].pop(_NAME, None)
    hooks = shell.strdispatchers.get("complete_command")
    if hooks is not None:
        for key in _KEYS:
            hooks.strs.pop(key, None)
