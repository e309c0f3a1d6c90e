"""Drive any coding agent that speaks the Agent Client Protocol (ACP) from a notebook cell.

>>> from acp_widget import Agent
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Agent": "agent",
    "Attachment": "results",
    "Change": "results",
    "Choice": "config",
    "Command": "config",
    "CodeBlock": "results",
    "Config": "config",
    "Diff": "results",
    "Entities": "results",
    "LogEntry": "log",
    "Message": "results",
    "Permission": "results",
    "Plan": "results",
    "PlanEntry": "results",
    "Terminal": "results",
    "ToolCall": "results",
    "TouchedFile": "results",
    "Turn": "results",
    "Usage": "results",
    "Budget": "policy",
    "Edit": "policy",
    "Fetch": "policy",
    "Policy": "policy",
    "Read": "policy",
    "Rule": "policy",
    "Run": "policy",
    "Tool": "policy",
    "Verdict": "policy",
    "Player": "player",
    "SessionInfo": "sessions",
    "Subscription": "deliveries",
    "AcpError": "errors",
    "AgentBusy": "errors",
    "AgentClosed": "errors",
    "AgentExited": "errors",
    "AgentNotFound": "errors",
    "AnswerRefused": "errors",
    "AuthRequired": "errors",
    "ConnectionClosed": "errors",
    "NoAnswer": "errors",
    "NotOffered": "errors",
    "ProtocolVersionError": "errors",
    "RequestError": "errors",
    "SessionNotFound": "errors",
    "StartTimeout": "errors",
    "WaitNotPossible": "errors",
    "NobodyWatching": "errors",
    "PermissionsFailed": "errors",
}

__all__ = [*sorted(_HOMES), "__version__"]

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from .agent import Agent as Agent
    from .config import Choice as Choice, Command as Command, Config as Config
    from .deliveries import Subscription as Subscription
    from .errors import (
        AcpError as AcpError,
        AgentBusy as AgentBusy,
        AgentClosed as AgentClosed,
        AgentExited as AgentExited,
        AgentNotFound as AgentNotFound,
        AnswerRefused as AnswerRefused,
        AuthRequired as AuthRequired,
        ConnectionClosed as ConnectionClosed,
        NoAnswer as NoAnswer,
        NobodyWatching as NobodyWatching,
        NotOffered as NotOffered,
        PermissionsFailed as PermissionsFailed,
        ProtocolVersionError as ProtocolVersionError,
        RequestError as RequestError,
        SessionNotFound as SessionNotFound,
        StartTimeout as StartTimeout,
        WaitNotPossible as WaitNotPossible,
    )
    from .log import LogEntry as LogEntry
    from .player import Player as Player
    from .policy import (
        Budget as Budget,
        Edit as Edit,
        Fetch as Fetch,
        Policy as Policy,
        Read as Read,
        Rule as Rule,
        Run as Run,
        Tool as Tool,
        Verdict as Verdict,
    )
    from .results import (
        Attachment as Attachment,
        Change as Change,
        CodeBlock as CodeBlock,
        Diff as Diff,
        Entities as Entities,
        Message as Message,
        Permission as Permission,
        Plan as Plan,
        PlanEntry as PlanEntry,
        Terminal as Terminal,
        ToolCall as ToolCall,
        TouchedFile as TouchedFile,
        Turn as Turn,
        Usage as Usage,
    )
    from .sessions import SessionInfo as SessionInfo

logging.getLogger(__name__).addHandler(logging.NullHandler())


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext acp_widget`: the magics `%acp` and `%%acp` (docs/magics.md)."""
    from .magics import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """`%unload_ext acp_widget`: take them away again, and end their agents."""
    from .magics import unload

    unload(shell)


def __getattr__(name: str) -> object:
    # Names are imported when first used: `import acp_widget` stays cheap, and so does the demo agent's start.
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
