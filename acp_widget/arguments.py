"""Whether arguments are what they shall be: told in words, before anything is started, sent or waited for."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from typing import Any, Final

_ATTACH: Final = " To attach something of that name: attach={{{!r}: …}}."


def check_agent(**given: Any) -> None:
    """The arguments of `Agent(…)` that nothing else looks at. Raises `TypeError` and `ValueError`.

    >>> check_agent(cwd=3)
    Traceback (most recent call last):
    TypeError: cwd= takes a folder, a text or a Path, not int.
    """
    for name, value in given.items():
        _CHECKS[name](value, name)


def check_env(value: object, name: str = "env") -> None:
    """Raise `TypeError` for what is no text by name."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}= takes a mapping from names to values, not {_kind(value)}.")
    for variable, content in value.items():
        if not isinstance(variable, str) or not isinstance(content, str):
            # Never the value: it may be a secret.
            raise TypeError(
                f"{name}: the name and the value of {variable!r} must be text, not {type(content).__name__}."
            )


def check_seconds(value: object, name: str = "timeout", *, attach: bool = False) -> None:
    """Raise `TypeError` for what is no number of seconds and not None. `attach`: something else may be meant by it."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        hint = _ATTACH.format(name) if attach else ""
        raise TypeError(f"{name}= takes seconds, a number or None, not {_kind(value)}.{hint}")
    if math.isnan(value):
        raise ValueError(f"{name}= takes seconds, and nan is no number of them.")


def check_switch(value: object, name: str, *, attach: bool = False) -> None:
    """Raise `TypeError` for what is neither True nor False."""
    __tracebackhide__ = True
    if not isinstance(value, bool):
        hint = _ATTACH.format(name) if attach else ""
        raise TypeError(f"{name}= takes True or False, not {_kind(value)}.{hint}")


def check_folder(value: object, name: str = "cwd") -> None:
    """Raise `TypeError` for what is no path and not None, `ValueError` for an empty one."""
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}= takes a folder, a text or a Path, not {_kind(value)}.")
    if value == "":
        raise ValueError(f"{name}= is empty. Leave it out, or name a folder.")


def _check_file(value: object, name: str) -> None:
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}= takes the name of a file, a text or a Path, not {_kind(value)}.")
    if value == "":
        raise ValueError(f"{name}= is empty. Leave it out, or name a file.")


def _check_span(value: object, name: str) -> None:
    check_seconds(value, name)
    if isinstance(value, numbers.Real) and value < 0:
        raise ValueError(f"{name}= takes seconds from 0 on, not {value!r}.")


def _check_session(value: object, name: str) -> None:
    if value is not None and (not isinstance(value, str) or not value):
        what = "an empty text" if isinstance(value, str) else _kind(value)
        raise TypeError(f"{name}= takes the id of a session, a text, not {what}: agent.sessions() lists them.")


def _check_folders(value: object, name: str) -> None:
    if isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is a list of folders, not one.")
    for each in _items(value, name, "a list of folders"):
        if not isinstance(each, (str, os.PathLike)):
            raise TypeError(f"{name}= takes a list of folders, each a text or a Path; {_kind(each)} is none.")


def _check_servers(value: object, name: str) -> None:
    if not isinstance(value, Mapping):
        _items(value, name, "servers by name, or a list of them")


def _check_watch(value: object, name: str) -> None:
    if value is not None and not isinstance(value, (bool, str, os.PathLike)):
        for each in _items(value, name, "True, False, a folder or a list of folders"):
            if not isinstance(each, (str, os.PathLike)):
                raise TypeError(f"{name}= takes folders, each a text or a Path; {_kind(each)} is none.")


def _items(value: object, name: str, what: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple, set, frozenset)):
        raise TypeError(f"{name}= takes {what}, not {_kind(value)}.")
    return tuple(value)


def _kind(value: object) -> str:
    return type(value).__name__


_CHECKS: Final = {
    "cwd": check_folder,
    "env": check_env,
    "start_timeout": _check_span,
    "nobody_after": _check_span,
    "session": _check_session,
    "additional_directories": _check_folders,
    "mcp_servers": _check_servers,
    "client_files": check_switch,
    "client_terminals": check_switch,
    "watch": _check_watch,
    "queue": check_switch,
    "record": _check_file,
}
