"""Where an agent is seen: the session's widget, and the turns that were drawn into cells."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any

from . import runtime
from .buttons import Buttons
from .driver import Driver
from .export import transcript
from .widget import display, marimo, waiting
from .widget.actions import SessionActions
from .widget.widget import OwnLooksTurnView, SessionWidget, TurnView

_NOBODY_AFTER = 10.0  # seconds for a view to come
_NOBODY_ASKED = 1.0  # the same where a program runs the cells: what cannot be asked by input() has no buttons
_LOOK = 0.5  # seconds between two looks at whether a page still comes
_DRAFT_AFTER = 1.0  # seconds from a change to the static transcript of a turn that still runs


class Audience:
    """Whether somebody can press a button: asked by the driver, told by the widget."""

    def __init__(self) -> None:
        self.widget: SessionWidget | None = None
        self.in_marimo = marimo.here()
        """Asked where the Agent is made: other threads know nothing of the cell that runs."""

    def possible(self) -> bool:
        return self.in_marimo or waiting.in_ipykernel()

    def seen(self) -> bool:
        return self.widget is not None and self.widget.views_seen > 0

    def readable_seconds(self) -> float:
        # Where nothing was ever drawn no page can say hello, so it does not matter whether the kernel reads messages.
        unknown = self.widget is None or self.in_marimo
        return time.monotonic() if unknown else waiting.readable_seconds()

    def patience(self, nobody_after: float | None) -> float:
        if nobody_after is not None:
            return nobody_after
        if self.in_marimo:  # a view says hello when no cell runs, and when that is nobody can tell
            return math.inf
        return _NOBODY_AFTER if waiting.somebody_types() else _NOBODY_ASKED


class Stage:
    """Made with its Agent; the widget is made when it is first needed. For any thread."""

    def __init__(
        self, driver: Driver, audience: Audience, *, nobody_after: float | None, actions: SessionActions | None = None
    ) -> None:
        self._driver = driver
        self._actions = Buttons(driver) if actions is None else actions
        self._audience = audience
        self._making = threading.RLock()
        self._lock = threading.Lock()  # of _outputs
        self._widget: SessionWidget | None = None
        self._outputs: dict[str, list[display.TurnOutput]] = {}
        self._panel = False
        self._waits: list[bool] = []
        self._drafts: dict[str, object] = {}
        self._drafting = False
        self._nobody_after = nobody_after
        self._unseen_since: float | None = None
        self._looking: asyncio.TimerHandle | None = None
        driver.remote.wait = self._wait_for_answer
        driver.at_last.append(self._leave)
        if audience.in_marimo:
            # It lives as long as the output of the cell that makes it: that of the Agent, not of a view.
            self.widget()

    def panel(self) -> SessionWidget:
        """The widget, for somebody who may prompt in it from now on."""
        self._panel = True
        return self.widget()

    def widget(self) -> SessionWidget:
        """The session's widget; the same one every time, until somebody closes it."""
        with self._making:
            if self._widget is None or not self._widget.alive:
                driver = self._driver
                self._widget = widget = SessionWidget(
                    driver.state,
                    self._actions,
                    transcript=_session_texts,
                    report=driver.report,
                    on_views=driver.settle,
                )
                self._audience.widget = widget
                driver.on_operations = widget.push
                driver.on_change = self._changed
                driver.on_anew = widget.anew
                driver.prompts.on_over = self._turn_over
                driver.in_use = self._in_use
                # What happened before these lines is in no operation.
                widget.refresh()
            return self._widget

    def _in_use(self) -> bool:
        """True while the panel is drawn somewhere, or is yet to be drawn."""
        widget = self._widget
        if not self._panel or widget is None or not widget.alive:
            return False
        return bool(widget.open_views) or not widget.views_seen

    # --- nobody holds the agent any more ---------------------------------------------------------------------------

    def _leave(self) -> None:
        """On the private thread. What a page shows stays as it is; the rest is closed, once no page can still come."""
        if self._widget is not None and waiting.in_ipykernel():
            self._widget.leave(self._close_unseen)
            self._close_unseen()
        elif self._widget is not None:  # where nothing is drawn, whoever asked for a widget closes it
            self._widget.leave(lambda: None)

    def _close_unseen(self) -> None:
        """Close the widget and its turns when no view of them was open for long enough."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        widget = self._widget
        if widget is None or widget.comm is None:
            return
        if widget.open_views:
            self._unseen_since = None  # `on_views` tells when they are gone
            return
        now = self._audience.readable_seconds()
        if self._unseen_since is None:
            self._unseen_since = now
        # A page that has the models and has not drawn all of them yet does so when one scrolls to them.
        to_draw = widget.greeted and widget.views_seen < len(self._outputs)
        if not to_draw and now - self._unseen_since >= self._audience.patience(self._nobody_after):
            self._close()
        elif not to_draw:
            self._looking = asyncio.get_running_loop().call_later(_LOOK, self._close_unseen)

    def _close(self) -> None:
        with self._lock:
            outputs, self._outputs = self._outputs, {}
        widget, self._widget, self._audience.widget = self._widget, None, None
        for model in [widget, *(output.view for each in outputs.values() for output in each)]:
            if model is not None:
                runtime.tell(model.close)

    # ---------------------------------------------------------------------------------------------------------------

    def comm_ids(self) -> set[str]:
        """The comms whose messages may be handled during a wait: the session's and its turn views'."""
        with self._lock:
            views = [output.view for outputs in self._outputs.values() for output in outputs]
        return {comm_id for model in [self._widget, *views] if model and (comm_id := model.model_id)}

    @contextlib.contextmanager
    def waiting(self, *, awaiting: bool = False) -> Iterator[None]:
        """Meanwhile the views say that a cell waits, and whether their buttons answer before it ends."""
        if self._widget is None:
            yield
            return
        clicks = waiting.clicks_arrive(awaiting=awaiting)
        self._waits.append(clicks)
        self._tell_waits(self._widget)
        try:
            yield
        finally:
            self._waits.remove(clicks)
            self._tell_waits(self._widget)

    def _wait_for_answer(self, answer: Future[None]) -> None:
        with self.waiting():
            waiting.wait_plainly(answer, self.comm_ids)

    def _tell_waits(self, widget: SessionWidget) -> None:
        waits = list(self._waits)
        widget.set_wait(bool(waits), clicks=all(waits))

    def show(self, turn: str, *, otherwise: str | None = None) -> None:
        """Draw the turn in the cell that runs now, with room for its static transcript beside it."""
        if marimo.here():
            marimo.append(self.view_in_marimo(turn))
            return
        if not waiting.in_ipykernel():
            if otherwise is not None:
                print(otherwise)
            return
        uid = uuid.uuid4().hex
        view = TurnView(session=self.widget(), turn=turn, uid=uid)
        output = display.show(view, *self._transcript(turn, uid))
        with self._lock:
            self._outputs.setdefault(turn, []).append(output)
        if self._driver.prompts.over(turn).done():
            runtime.call(self._turn_over, turn)

    def view_in_marimo(self, turn: str) -> TurnView:
        """A live view of the turn, without a transcript beside it. Raises `NotImplementedError` elsewhere."""
        if not marimo.here():
            raise NotImplementedError
        return OwnLooksTurnView(session=self.widget(), turn=turn, uid="")

    def shown_here(self, turn: str) -> bool:
        """True when the turn was drawn already by the run of the cell that runs now."""
        with self._lock:
            return any(output.cell == display.current_cell() for output in self._outputs.get(turn, ()))

    def _changed(self) -> None:
        """On the private thread, after a change that is worth a look."""
        if self._widget is not None:
            self._widget.refresh()
        if not self._drafting and self._stale():
            self._drafting = True
            asyncio.get_running_loop().call_later(_DRAFT_AFTER, self._draft)

    def _stale(self) -> dict[str, object]:
        """Running turns that began, asked or were answered since their static transcript was written."""
        with self._lock:
            shown = list(self._outputs)
        # A kernel that dies now leaves what it wrote last.
        running = [turn for turn in shown if not self._driver.prompts.over(turn).done()]
        if not running:
            return {}
        state = self._driver.state
        asked = state.pending_permissions()
        looks = {turn: ((state.get("turns", turn) or {}).get("status"), asked) for turn in running}
        return {turn: look for turn, look in looks.items() if self._drafts.get(turn) != look}

    def _draft(self) -> None:
        self._drafting = False
        stale = self._stale()
        looks = {**self._drafts, **stale}
        self._drafts = {turn: look for turn, look in looks.items() if not self._driver.prompts.over(turn).done()}
        for turn in stale:
            self._turn_over(turn)

    def _turn_over(self, turn: str) -> None:
        with self._lock:
            outputs = list(self._outputs.get(turn, ()))
        for output in outputs:
            output.update(*self._transcript(turn, output.view.uid))

    def _transcript(self, turn: str, uid: str) -> tuple[str, str]:
        snapshot = self._driver.state.snapshot()
        return transcript.turn_html(snapshot, turn, uid), transcript.turn_markdown(snapshot, turn)


def _session_texts(snapshot: Mapping[str, Any]) -> dict[str, str]:
    """The whole session for readers that draw no widgets."""
    return {
        "text/html": transcript.session_html(snapshot, uuid.uuid4().hex),
        "text/markdown": transcript.session_markdown(snapshot),
    }
