"""What the composer of the front end asks for: what `@` can mention, prompts with mentions, a prompt once more.

Everything here runs on the private thread (`runtime.py`), except what reads files and the user's objects: each time a
thread of its own, which ends with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from . import errors, runtime
from .content.attached import attached
from .content.mentions import found, mentioned, offers
from .driver import Driver
from .host.roots import Roots

_LOOK = 10.0  # seconds that a look for names may take
_ATTACH = 60.0  # seconds that it may take to read what is attached
_AT_ONCE = 8  # threads; objects whose own code does not come back keep theirs

T = TypeVar("T")


class Composer:
    """The composers of one session, in however many views."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._aside = 0

    async def mention(self, typed: str | None, names: Sequence[str]) -> dict[str, Any]:
        """`{"items", "more", "found"}`: what fits `typed`, behind an `@` (None: no list); what `names` would attach."""
        roots = self._roots()

        def look() -> dict[str, Any]:
            items, more = ([], "") if typed is None else offers(roots, typed)
            return {"items": items, "more": more, "found": found(roots, names)}

        return await self._apart(look, _LOOK, "To look for names")

    def prompt(self, text: str, mentions: Mapping[str, bool]) -> asyncio.Future[None] | None:
        """Prompt the agent with what is mentioned, or queue the prompt; done at once where nothing is."""
        self._driver.check_free()
        if mentions:
            return asyncio.ensure_future(self._attach(text, mentions))
        self._driver.prompt(self._driver.state.next_turn(), attached(text, (), None, {}).blocks, "composer")
        return None

    def again(self, turn: str) -> None:
        """Send what a turn was prompted with once more. Raises `AcpError` for a turn that has no prompt."""
        self._driver.check_free()
        blocks = self._driver.prompts.again(turn)
        if blocks is None:
            raise errors.AcpError("This turn is not in the session any more.", hint="Write the prompt again.")
        self._driver.prompt(self._driver.state.next_turn(), blocks, "composer")

    async def _attach(self, text: str, mentions: Mapping[str, bool]) -> None:
        roots = self._roots()
        what = "To read " + ", ".join(f"@{name[:80]}" for name in mentions)[:500]
        given = await self._apart(lambda: mentioned(text, mentions, roots), _ATTACH, what)
        self._driver.check_free()
        self._driver.prompt(self._driver.state.next_turn(), given.blocks, "composer")

    def _roots(self) -> Roots:
        place = self._driver.sessions.place
        return Roots([place["cwd"], *place.get("additionalDirectories", ())])

    async def _apart(self, work: Callable[[], T], seconds: float, what: str) -> T:
        if self._aside >= _AT_ONCE:
            raise errors.AcpError(
                f"{what} is not possible now: {_AT_ONCE} objects are being read, and do not come to an end.",
                hint="Interrupt or restart the kernel.",
            )
        self._aside += 1
        try:
            return await runtime.aside(work, "acp-widget-mentions", seconds, self._came_back)
        except TimeoutError:
            raise errors.AcpError(
                f"{what} took longer than {seconds:g} seconds.", hint="Nothing was sent. Try it again."
            ) from None

    def _came_back(self) -> None:
        self._aside -= 1
