"""Objects that say themselves what is attached of them: `__acp_content__`, as `_repr_html_` is for what is shown."""

from __future__ import annotations

import inspect
from typing import Final

from .parts import brief, clean

METHOD: Final = "__acp_content__"
_DEPTH: Final = 10
_LONGEST: Final = 300  # characters of an error's own words
_EMPTY: Final = frozenset(
    {
        *("module", "function", "method", "builtin_function_or_method", "method-wrapper", "wrapper_descriptor"),
        *("method_descriptor", "classmethod_descriptor", "getset_descriptor", "member_descriptor", "property"),
        *("staticmethod", "classmethod", "partial", "_lru_cache_wrapper", "ufunc", "_ArrayFunctionDispatcher"),
        *("coroutine", "generator", "async_generator", "map", "filter", "zip"),
    }
)
"""What is called or run, by the name of its type: its `repr()` would say nothing but its name."""
_HOMES: Final = ("builtins", "functools", "numpy")


def told(value: object, name: str) -> object:
    """What goes in the place of `value`: what its `__acp_content__()` returns, the value itself where it has none.

    Raises `ValueError` when the method fails, `TypeError` when it returns what nothing can be read from.
    """
    for _ in range(_DEPTH):
        method = None if issubclass(type(value), type) else getattr(type(value), METHOD, None)
        if method is None:
            return value
        whose = f"{_beginning(name)}{METHOD}() of {type(value).__name__}"
        try:
            given = method(value)
        except Exception as error:
            said = clean(words(error))
            raise ValueError(f"{whose} raised {type(error).__name__}{': ' if said else ''}{said}") from error
        if given is value:
            raise TypeError(f"{whose} returned the object itself. It shall return a text, a frame, a figure, a Path …")
        if given is None or is_empty(given):
            if inspect.iscoroutine(given):
                given.close()  # nobody will await it
            what = "None" if given is None else f"a {type(given).__name__}"
            raise TypeError(f"{whose} returned {what}. It shall return a text, a frame, a figure, a Path …")
        value = given
    raise TypeError(f"{_beginning(name)}what its {METHOD}() returns has one, too, and so on {_DEPTH} times.")


def is_empty(value: object) -> bool:
    """Whether there is nothing in it to send: a class, a module, code."""
    kind = type(value)
    # By its type: what it says itself of its class may be anything, or an error.
    return issubclass(kind, type) or (kind.__name__ in _EMPTY and kind.__module__.partition(".")[0] in _HOMES)


def refused(name: str, why: str) -> ValueError:
    """The error for what cannot be attached."""
    return ValueError(f"{_beginning(name)}{why}")


def unreadable(value: object, name: str, error: BaseException) -> ValueError:
    """The same for an error that the object's own library raised."""
    said = clean(words(error))
    what = f"{type(error).__name__}{': ' if said else ''}{said}"
    return refused(name, f"this {type(value).__name__} cannot be read. {what}")


def is_ours(error: BaseException, name: str) -> bool:
    """Whether the error names the object already."""
    try:
        return str(error).startswith(_beginning(name))
    except Exception:
        return False


def _beginning(name: str) -> str:
    return f"{name} cannot be attached: "


def words(error: BaseException) -> str:
    """The message of an error in one line, however long it is and whatever its `str()` does."""
    try:
        words = " ".join(str(error)[: 10 * _LONGEST].split())
    except Exception:
        return brief(error)
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
