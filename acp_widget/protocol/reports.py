"""Which updates say or do something, and which only report how the session itself stands."""

from __future__ import annotations

from typing import Final

from .transport import Json

_OF_ITSELF: Final = frozenset(
    {
        *("state_update", "available_commands_update", "config_option_update", "current_mode_update"),
        *("session_info_update", "usage_update"),
    }
)


def is_content(event: Json) -> bool:
    """Whether an event is something said or done, not a report of the session on itself."""
    update = event.get("update")
    word = update.get("sessionUpdate") if isinstance(update, dict) else None
    return not (isinstance(word, str) and word in _OF_ITSELF)
