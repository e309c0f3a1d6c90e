"""What the buttons of the front end do: one line a message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..errors import AcpError

log = logging.getLogger(__name__)


class SessionActions(Protocol):
    """What the buttons do. Called on the private thread; an `AcpError` is shown where the button is.

    What returns a future was sent to the agent: its result is the agent's.
    """

    def answer(self, permission: str, option_id: str) -> None:
        """Answer a pending permission request; refuses an unknown one and an option it does not offer."""

    def remember(self, permission: str, option_id: str, rule: str) -> None:
        """The same with an *allow once*, and make the rule that was shown."""

    def revoke(self, rule: str) -> None:
        """Take back a rule that was made so."""

    def dismiss(self, permission: str) -> None:
        """Answer a pending permission request `cancelled`."""

    def prompt(self, text: str, mentions: Mapping[str, bool]) -> asyncio.Future[None] | None:
        """Prompt the agent, or queue the prompt. What is mentioned goes with it; with True it must be there."""

    def again(self, turn: str) -> None:
        """Send the prompt of a turn once more, with what was attached to it."""

    def mention(self, typed: str | None, names: Sequence[str]) -> asyncio.Future[dict[str, Any]]:
        """What can be mentioned, of what fits `typed`, and what each of `names` would attach."""

    def cancel(self) -> None:
        """Stop the work in progress."""

    def restart(self) -> None:
        """Start the agent again after it ended."""

    def unqueue(self, turn: str) -> None:
        """Take back a queued prompt."""

    def cancel_call(self, call: str) -> asyncio.Future[None]:
        """Ask the agent to stop one tool call."""

    def cancel_terminal(self, terminal: str) -> asyncio.Future[None]:
        """Ask the agent to stop one terminal."""

    def configure(self, config_id: str, value: str | bool) -> asyncio.Future[None]:
        """Set one of the agent's config options."""

    def login(self, method_id: str) -> asyncio.Future[None]:
        """Log in by one of the agent's methods, or try again after a login in a terminal."""

    def player(self, do: str, value: Any) -> asyncio.Future[None] | None:
        """Play a replay: `play pause step back seek speed next previous choose`, each with its `value`."""


Action = Callable[[SessionActions, Mapping[str, Any]], "asyncio.Future[Any] | None"]
"""What a future gives goes to the front end as the `value` of the result."""

ACTIONS: Mapping[str, Action] = {
    "answer": lambda actions, content: actions.answer(content["permission"], content["optionId"]),
    "remember": lambda actions, content: actions.remember(content["permission"], content["optionId"], content["rule"]),
    "revoke": lambda actions, content: actions.revoke(content["rule"]),
    "dismiss": lambda actions, content: actions.dismiss(content["permission"]),
    "prompt": lambda actions, content: actions.prompt(content["text"], content.get("mentions") or {}),
    "prompt again": lambda actions, content: actions.again(content["again"]),
    "mention": lambda actions, content: actions.mention(content["typed"], content["names"]),
    "cancel": lambda actions, content: actions.cancel(),
    "restart": lambda actions, content: actions.restart(),
    "unqueue": lambda actions, content: actions.unqueue(content["turn"]),
    "cancelCall": lambda actions, content: actions.cancel_call(content["call"]),
    "cancelTerminal": lambda actions, content: actions.cancel_terminal(content["terminal"]),
    "configure": lambda actions, content: actions.configure(content["configId"], content["value"]),
    "login": lambda actions, content: actions.login(content["methodId"]),
    "player": lambda actions, content: actions.player(content["do"], content.get("value")),
}
"""What each message of a button does."""


def sentence(error: BaseException) -> str:
    """What went wrong, for the one who pressed the button."""
    if isinstance(error, AcpError):
        return " ".join(part for part in (error.message, error.hint) if part)
    log.error("An action of the widget failed", exc_info=error)
    return f"{type(error).__name__}: {error}"
