"""Messages between kernel and page get lost. Each loss is repaired, and the button appears."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from .comms import Message, Sieve
from .conftest import OpenNotebook
from .session import PROMPT, START, answer, expect_end, turn_view


def has_question(message: Message) -> bool:
    return message.get("type") == "ops" and '"permissions"' in json.dumps(message["ops"])


def play(open_notebook: OpenNotebook, sieve: Sieve) -> None:
    notebook = open_notebook([START, f"{PROMPT}\nturn.wait()"], prepare=sieve.install)
    notebook.run(0)
    notebook.start(1)
    view = turn_view(notebook, 1)
    answer(view, "Edit stats.py?", "Allow once")
    answer(view, "Run the tests?", "Allow once")
    expect_end(view)
    notebook.finish(1)
    assert sieve.dropped, "something was lost, or this test shows nothing"


def first(count: int, of: Callable[[Message], bool]) -> Callable[[Message], bool]:
    seen = 0

    def drop(message: Message) -> bool:
        nonlocal seen
        seen += of(message)
        return of(message) and seen <= count

    return drop


def test_the_permission_requests_own_message(open_notebook: OpenNotebook) -> None:
    play(open_notebook, Sieve(first(1, has_question)))


@pytest.mark.slow
def test_the_last_messages_before_the_agent_waits(open_notebook: OpenNotebook) -> None:
    """From the question on nothing arrives but the kernel's reminder, and the first reminder is lost, too."""
    asked = False

    def drop(message: Message) -> bool:
        nonlocal asked
        asked = asked or has_question(message)
        return asked and message.get("type") == "ops" and len(sieve.dropped) < 5

    reminder = first(1, lambda message: message.get("type") == "seq")
    sieve = Sieve(lambda message: drop(message) or (asked and reminder(message)))
    play(open_notebook, sieve)


@pytest.mark.slow
def test_the_first_messages_before_the_page_is_ready(open_notebook: OpenNotebook) -> None:
    play(open_notebook, Sieve(first(4, lambda message: message.get("type") in ("ops", "snapshot"))))
