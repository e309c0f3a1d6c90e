"""How the magics tell what went wrong: in the words of what failed, without the frames of the magic itself."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from typing import Final, TypeVar

from ..errors import AcpError

E = TypeVar("E", bound=BaseException)


@contextlib.contextmanager
def plainly(stopped: str) -> Iterator[None]:
    """Errors of agents, and warnings that are errors, keep their kind and words.

    An interrupt says what it `stopped`, and still ends a Run All.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise brief(KeyboardInterrupt(stopped)) from None
    except (AcpError, Warning) as error:
        raise brief(error) from None


def brief(error: E) -> E:
    """The error, told by IPython with its name and message alone."""
    # IPython asks an exception that has this method for what to show. `partial`: the error can still be pickled.
    error._render_traceback_ = functools.partial(_lines, type(error).__name__, in_magics(str(error)))  # type: ignore[attr-defined]
    return error


def in_magics(text: str) -> str:
    """Advice about calls of Python as advice about the magics, which is what the user of a magic has.

    >>> in_magics("agent.restart() ends its process. Extend the search: env={'PATH': …}.")
    '%acp restart ends its process. Extend the search: %env PATH=….'
    """
    for pattern, instead in _INSTEAD:
        text = pattern.sub(instead, text)
    return text


_INSTEAD: Final = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\bpass (?=(\w+)=\1\b)", "--attach "),
        (r"(?<=[ ,])(\w+)=\1(?:,(?= )|(?=\.$))", r"\1"),
        (r"\bagent\.(restart|sessions)\(\)", r"%acp \1"),
        (r"\bagent\.cancel\(\)", "%acp stop"),
        (r"\bagent\.(load|resume)\(id\)", r"%acp \1 ID"),
        (r"\bagent\.start\(\)\.wait\(\)", "A prompt"),
        (r"\bPass a name, a command line or a list: Agent\('demo'\)", "Give a name or a command: %acp use demo"),
        (r"\bAgent\(('?[\w.-]+'?)\)", r"%acp use \1"),
        (r"\b([Pp])ass cwd=", r"\1ass --cwd FOLDER"),
        (r"\bcwd=('[^']*') is no folder", r"--cwd: \1 is no folder"),
        (r"\benv=\{'PATH': …\}", "%env PATH=…"),
        (r"\bpermissions='allow' or 'reject'", "--permissions allow or --permissions reject"),
    )
)


def _lines(name: str, message: str) -> list[str]:
    return f"{name}: {message}".splitlines()
