"""What the buttons of a session's widget do. Everything here runs on the private thread (`runtime.py`)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import errors
from .composer import Composer
from .driver import Driver
from .playing import Playing
from .replay import ReplayDriver


class Buttons:
    """Of a live session."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._composer = Composer(driver)

    def answer(self, permission: str, option_id: str) -> None:
        self._driver.asking.answer(permission, option_id, by="you")

    def remember(self, permission: str, option_id: str, rule: str) -> None:
        self._driver.asking.answer_and_remember(permission, option_id, rule)

    def revoke(self, rule: str) -> None:
        self._driver.asking.revoke(rule)

    def dismiss(self, permission: str) -> None:
        self._driver.asking.dismiss(permission, by="you")

    def prompt(self, text: str, mentions: Mapping[str, bool]) -> asyncio.Future[None] | None:
        return self._composer.prompt(text, mentions)

    def again(self, turn: str) -> None:
        self._composer.again(turn)

    def mention(self, typed: str | None, names: Sequence[str]) -> asyncio.Future[dict[str, Any]]:
        return asyncio.ensure_future(self._composer.mention(typed, names))

    def cancel(self) -> None:
        self._driver.cancel("you stopped the turn")

    def restart(self) -> None:
        self._driver.restart()

    def unqueue(self, turn: str) -> None:
        self._driver.unqueue(turn)

    def cancel_call(self, call: str) -> asyncio.Future[None]:
        return self._driver.controls.cancel_call(call)

    def cancel_terminal(self, terminal: str) -> asyncio.Future[None]:
        return self._driver.controls.cancel_terminal(terminal)

    def configure(self, config_id: str, value: str | bool) -> asyncio.Future[None]:
        return self._driver.controls.configure(config_id, value)

    def login(self, method_id: str) -> asyncio.Future[None]:
        return asyncio.ensure_future(self._driver.login.log_in(method_id))

    def player(self, do: str, value: Any) -> None:
        raise errors.NotOffered("This session is no replay: there is nothing to play.")


class ReplayButtons:
    """Of a replay: what is asked of an agent is refused, because there is none."""

    def __init__(self, driver: ReplayDriver) -> None:
        self._driver = driver

    def answer(self, permission: str, option_id: str) -> None:
        self._driver.playing.answer(permission, option_id)

    def dismiss(self, permission: str) -> None:
        self._driver.playing.answer(permission, None)

    def cancel(self) -> None:
        self._driver.playing.pause()

    def player(self, do: str, value: Any) -> asyncio.Future[None] | None:
        return _DO[do](self._driver.playing, value)

    def _refuse(self, *_: object) -> Any:
        self._driver.check_live()

    remember = revoke = prompt = again = mention = restart = unqueue = _refuse
    cancel_call = cancel_terminal = configure = login = _refuse


def _is_message(value: Any) -> bool:
    return bool(value == "message")


def _speed(value: Any) -> float:
    if value is None:
        return math.inf
    if not isinstance(value, (int, float)) or value <= 0:
        raise errors.NotOffered("A speed is a number above 0.")
    return float(value)


def _position(value: Any) -> int:
    if not isinstance(value, (int, float)):
        raise errors.NotOffered("A position is a number.")
    return int(value)


def _kind(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise errors.NotOffered("A kind of mark is a word.")
    return value


def _option(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise errors.NotOffered("An option is named by its id.")
    return value


_DO: Mapping[str, Callable[[Playing, Any], asyncio.Future[None] | None]] = {
    "play": lambda playing, value: playing.play(),
    "pause": lambda playing, value: playing.pause(),
    "step": lambda playing, value: playing.step(message=_is_message(value)),
    "back": lambda playing, value: playing.back(message=_is_message(value)),
    "seek": lambda playing, value: playing.seek(_position(value)),
    "speed": lambda playing, value: playing.set_speed(_speed(value)),
    "next": lambda playing, value: playing.leap(_kind(value), forward=True),
    "previous": lambda playing, value: playing.leap(_kind(value), forward=False),
    "choose": lambda playing, value: playing.choose(_option(value)),
}
"""What each word of the player's bar does."""
