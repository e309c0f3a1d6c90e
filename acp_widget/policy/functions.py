"""A function of the user's that answers permission requests."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from .words import ASK, Decision, decide

Function = Callable[[Any], Any]
_LIMIT = 30.0  # seconds that a function may take; then the user is asked


async def call_function(function: Function, permission: Any, limit: float = _LIMIT) -> Any:
    """What it returns for a `Permission`, from a thread of its own. Raises what it raises, and `TimeoutError`."""
    answer: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def work() -> None:
        try:
            result = function(permission)
            value = asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result
        except BaseException as error:  # also SystemExit: it is told to whoever waits
            if not answer.cancelled():
                answer.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))
        else:
            if not answer.cancelled():
                answer.set_result(value)

    threading.Thread(target=work, name="acp-widget-permissions", daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(answer)), limit)
    except asyncio.TimeoutError:
        raise TimeoutError(f"It took longer than {limit:g} s.") from None


async def _awaited(result: Any) -> Any:
    return await result


def of_answer(answer: Any, permission: Mapping[str, Any], name: str) -> Decision:
    """True allows once, False rejects, an option id chooses it; anything else asks. Nothing unreadable is allowed."""
    if isinstance(answer, Decision):
        answer = answer.option_id if answer.action == "select" else False if answer.action == "cancel" else None
    if answer is True or answer is False:
        made = decide("allow" if answer else "reject", permission)
        return Decision(made.action, made.option_id, name if made.action != "ask" else "", name)
    offered = [option for option in permission["options"] if option["optionId"] == answer]
    if not offered or (permission.get("problem") and not all(each["kind"].startswith("reject") for each in offered)):
        return ASK
    return Decision("select", str(answer), name, name)


def name_of(function: Function) -> str:
    return str(getattr(function, "__name__", type(function).__name__))[:100]
