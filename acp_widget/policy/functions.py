"""A function of the user's that answers permission requests."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from .words import Decision, decide

Function = Callable[[Any], Any]
_LIMIT = 30.0  # seconds that a function may take; then the user is asked
_SHOWN = 200  # characters of what a function said
_LISTED = 10  # option ids in a sentence


class Late(Exception):
    """A function did not answer in time."""


async def call_function(function: Function, permission: Any, limit: float = _LIMIT) -> Any:
    """What it returns for a `Permission`, from a thread of its own. Raises what it raises, and `Late`."""
    # Value and error in one: a future takes neither a StopIteration nor what is no Exception.
    answer: concurrent.futures.Future[tuple[Any, BaseException | None]] = concurrent.futures.Future()

    def work() -> None:
        outcome: tuple[Any, BaseException | None]
        try:
            result = function(permission)
            outcome = (asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result), None
        except BaseException as error:  # also SystemExit: it is told to whoever waits
            outcome = None, error
        with contextlib.suppress(concurrent.futures.InvalidStateError):  # nobody waits any more
            answer.set_result(outcome)

    threading.Thread(target=work, name="acp-widget-permissions", daemon=True).start()
    waited = asyncio.wrap_future(answer)
    done, _ = await asyncio.wait([waited], timeout=limit)
    if not done:
        waited.cancel()
        raise Late(f"it took longer than {limit:g} s")
    value, error = waited.result()
    if error is not None:
        raise error if isinstance(error, Exception) and not isinstance(error, StopIteration) else Ended(error)
    return value


class Ended(Exception):
    """A function ended by something that cannot be raised here as it is."""


async def _awaited(result: Any) -> Any:
    return await result


def of_answer(answer: Any, permission: Mapping[str, Any], name: str) -> Decision:
    """True allows once, False rejects, an option id chooses it; anything else asks. Nothing unreadable is allowed.

    Where it asks, `why` says for what reason.
    """
    if isinstance(answer, Decision):
        answer = answer.option_id if answer.action == "select" else False if answer.action == "cancel" else None
    if answer is None:
        return Decision("ask", None, f"{name}(…) returned None, which leaves it to you")
    if answer is True or answer is False:
        made = decide("allow" if answer else "reject", permission)
        if made.action == "ask":
            return Decision("ask", None, f"{name}(…) returned True, but {_no_once(permission)}")
        return Decision(made.action, made.option_id, name, name)
    options = permission["options"]
    offered = [each for each in options if isinstance(answer, str) and each["optionId"] == answer]
    if not offered:
        ids = ", ".join(repr(each["optionId"][:_SHOWN]) for each in options[:_LISTED])
        return Decision(
            "ask",
            None,
            f"{name}(…) returned {_said(answer)}, which is no answer: True allows once, False rejects, None asks you; "
            f"or one of {ids}{', …' if len(options) > _LISTED else ''}",
            failed=True,
        )
    if permission.get("problem") and not all(each["kind"].startswith("reject") for each in offered):
        return Decision("ask", None, f"{name}(…) returned {_said(answer)}, but {_no_once(permission)}")
    return Decision("select", offered[0]["optionId"], name, name)


def _no_once(permission: Mapping[str, Any]) -> str:
    return (
        "what is asked about is unknown or cannot be read in full"
        if permission.get("problem")
        else "the agent offers no way to allow it once"
    )


def of_failure(error: Exception, name: str) -> Decision:
    """What to do when a function raised: ask, and say what it raised."""
    if isinstance(error, Late):
        return Decision("ask", None, f"{name}(…) gave no answer: {error}", failed=True)
    raised = error.args[0] if isinstance(error, Ended) else error
    try:
        text = " ".join(str(raised).split())
    except Exception:  # it may be of any class
        text = "its message cannot be read"
    kind = type(raised).__name__
    return Decision("ask", None, f"{name}(…) raised {kind}{': ' if text else ''}{text[:_SHOWN]}", failed=True)


def _said(answer: Any) -> str:
    """A value and its class, for a sentence: `'maybe'`, `1 (int)`."""
    try:
        text = repr(answer)
    except Exception:  # it may be of any class
        text = "a value"
    text = " ".join(text.split())
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return text if isinstance(answer, str) else f"{text} ({type(answer).__name__})"


def name_of(function: Function) -> str:
    """What a function is called: its own name, or its class's."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None)
    return (name if isinstance(name, str) else type(function).__name__)[:100]


def takes(function: Function) -> str | None:
    """A sentence when a function cannot be called with one argument, as far as its signature tells."""
    try:
        signature = inspect.signature(function).replace(return_annotation=inspect.Signature.empty)
    except (TypeError, ValueError):  # of those written in C, some tell nothing
        return None
    try:
        signature.bind(None)
    except TypeError:
        name = name_of(function)
        return (
            f"permissions={name}: it is called with one argument, the Permission, but it is {name}{signature}. "
            f"Write, for instance, def {name if name.isidentifier() else 'decide'}(request): …"
        )
    return None
