"""How the magics tell what went wrong: in the words of what failed, without the frames of the magic itself."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import TypeVar

from ..errors import AcpError

E = TypeVar("E", bound=BaseException)


@contextlib.contextmanager
def plainly(stopped: str) -> Iterator[None]:
    """Errors of agents keep their kind and words; an interrupt says what it `stopped`, and still ends a Run All."""
    try:
        yield
    except KeyboardInterrupt:
        raise brief(KeyboardInterrupt(stopped)) from None
    except AcpError as error:
        raise brief(error) from None


def brief(error: E) -> E:
    """The error, told by IPython with its name and message alone."""
    # IPython asks an exception that has this method for what to show. `partial`: the error can still be pickled.
    error._render_traceback_ = functools.partial(_lines, type(error).__name__, str(error))  # type: ignore[attr-defined]
    return error


def _lines(name: str, message: str) -> list[str]:
    return f"{name}: {message}".splitlines()
