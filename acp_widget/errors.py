"""What can go wrong, by name. Every message says what happened and what to do."""

from __future__ import annotations

import re
import unicodedata
from typing import Any


class AcpError(Exception):
    """Base of every error that acp-widget raises on purpose.

    `title` is one short line, `hint` what to do about it, `stderr` the tail of the agent's own log.
    """

    title = "Something went wrong"

    def __init__(self, message: str, *, hint: str = "", stderr: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.stderr = stderr

    def __str__(self) -> str:
        parts = [self.message]
        if self.hint:
            parts.append(self.hint)
        if self.stderr:
            parts.append("The end of what it wrote to stderr:\n" + self.stderr.rstrip())
        return _printable("\n".join(parts))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # As the last line of a cell: with what to do about it.
        printer.text(f"{type(self).__name__}: {self}")

    def __reduce__(self) -> tuple[Any, ...]:
        # As it is, for copies and other processes: not every kind can be made of its message alone.
        return _restored, (type(self), self.args, self.__dict__)

    def as_dict(self) -> dict[str, Any]:
        """The error as the state and the front end show it."""
        return {
            "name": type(self).__name__,
            "title": self.title,
            "message": self.message,
            "hint": self.hint,
            "stderr": self.stderr,
        }


class AgentNotFound(AcpError):
    """The agent's command is not there."""

    title = "The agent did not start"


class StartTimeout(AcpError):
    """The agent did not answer `initialize` or `session/new` in time."""

    title = "The agent did not answer"


class ProtocolVersionError(AcpError):
    """The agent speaks a version of ACP that this version of acp-widget does not."""

    title = "The agent speaks another version of ACP"


class AgentExited(AcpError):
    """The agent's process ended, or closed its output, while it was needed."""

    title = "The agent ended"


class AuthRequired(AcpError):
    """The agent wants a login first (JSON-RPC error -32000)."""

    title = "The agent wants you to log in"


class RequestError(AcpError):
    """The agent answered a request with a JSON-RPC error."""

    title = "The agent reported an error"

    def __init__(self, code: int, message: str, data: Any = None, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.data = data


class ConnectionClosed(AcpError):
    """The connection to the agent is closed, so nothing can be sent or answered."""

    title = "The connection is closed"


class AgentClosed(AcpError):
    """`close()` or `restart()` was called on this Agent, or it belongs to another process."""

    title = "The agent was closed"


class AgentBusy(AcpError):
    """A prompt while the agent works or starts, of an `Agent(…, queue=False)`; nothing was sent."""

    title = "The agent is busy"


class WaitNotPossible(AcpError):
    """A blocking wait cannot work here (uvloop, for instance); the message says what can."""

    title = "Cannot wait here"


class AnswerRefused(AcpError):
    """An answer that names no pending permission request, or none of its options."""

    title = "The answer was refused"


class NotOffered(AcpError):
    """The agent does not offer that: to stop this call or terminal, or such a config option or value."""

    title = "The agent does not offer that"


class NoAnswer(AcpError):
    """The agent did not answer a request in time. It may still do what was asked."""

    title = "The agent did not answer"


class SessionNotFound(AcpError):
    """The agent does not know the session that was to be loaded or resumed, or could not open it."""

    title = "The session is gone"


class NobodyWatching(UserWarning):
    """A permission request was answered by the fallback (a rejection), because nobody could see it."""


class PermissionsFailed(UserWarning):
    """The function given as `permissions` raised, or returned what is no answer: the user was asked instead."""


def _restored(kind: type[AcpError], args: tuple[Any, ...], fields: dict[str, Any]) -> AcpError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


# Colours, titles and cursor movements: ESC [ … m, ESC ] … BEL, and ESC with one character.
_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -Z\\^-~])")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _printable(text: str) -> str:
    """What agents said, safe for a terminal: escape sequences gone, other unseen characters as `\\x07`."""
    if text.isprintable():
        return text
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in _UNSEEN else char.encode("unicode_escape").decode()
        for char in _SEQUENCES.sub("", text.replace("\r\n", "\n"))
    )
