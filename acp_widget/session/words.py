"""The words of ACP v2 that the reducer, the policies and the views act on. Every list is open: others are kept too."""

from __future__ import annotations

from typing import Final

TOOL_KINDS: Final = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
)
TOOL_STATUSES: Final = ("pending", "in_progress", "paused", "completed", "failed", "cancelled")
FINAL_STATUSES: Final = frozenset({"completed", "failed", "cancelled"})

OPTION_KINDS: Final = ("allow_once", "allow_always", "reject_once", "reject_always")
SUBJECT_TYPES: Final = ("tool_call", "command")

STATES: Final = ("running", "idle", "requires_action", "unknown")
STOP_REASONS: Final = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error")

TURN_OVER: Final = frozenset({"done", "failed", "not_sent"})
"""Statuses of a turn that nothing more comes to."""

CANCELLED_CODE: Final = -32800
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602


def display_kind(kind: object) -> str:
    """The kind whose icon a tool call gets: itself when ACP knows it, else `other` (ACP v2, Tool Calls).

    >>> display_kind("edit"), display_kind("_acme_paint")
    ('edit', 'other')
    """
    return kind if isinstance(kind, str) and kind in TOOL_KINDS else "other"


def is_final(status: object) -> bool:
    """True for `completed`, `failed` and `cancelled`. An unknown status is progress, never an end.

    >>> is_final("failed"), is_final("_acme_queued")
    (True, False)
    """
    return isinstance(status, str) and status in FINAL_STATUSES
