"""The kernel side of the front end: one model for a session, and small ones for the views of its turns."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import anywidget
import traitlets

from .. import runtime
from .actions import ACTIONS, Action, SessionActions, sentence
from .bundle import asset
from .incoming import MESSAGES, kind_of, problem
from .model import Model
from .pending import Operation, clean
from .scalars import scalars
from .sync import StateSource, Sync

log = logging.getLogger(__name__)

TRAIT_INTERVAL = 0.1
"""Seconds between two messages that bring scalar traits to the browser, at least."""
SEQ_INTERVAL = 1.0
"""The same when only `seq` changed: it does with every message."""
SNAPSHOT_TIMEOUT = 10.0
"""Seconds that another thread waits for a snapshot before it takes the last one."""


class SessionWidget(Model):
    """A session as an ipywidget: a live panel in a notebook, and traits for `observe`, `link` and `jslink`.

    The kernel owns all traits below; what a browser writes to them is put right again. They change on a thread of
    acp-widget, and so do handlers of `observe` run there.
    """

    _esm = asset("widget.js")
    _css = asset("widget.css")

    state = traitlets.Dict(
        read_only=True, help="A snapshot of the session as of the last settled turn, with its seq."
    ).tag(sync=True, echo_update=False)
    status = traitlets.Unicode(
        "new", read_only=True, help="new, starting, idle, running, waiting, stopping, closed or failed."
    ).tag(sync=True)
    busy = traitlets.Bool(False, read_only=True, help="True while a turn is under way.").tag(sync=True)
    stop_reason = traitlets.Unicode(
        "", read_only=True, help="ACP's stop reason of the newest turn; empty while it runs."
    ).tag(sync=True)
    agent_name = traitlets.Unicode("", read_only=True, help="What the agent calls itself.").tag(sync=True)
    title = traitlets.Unicode("", read_only=True, help="The session's title; empty when the agent gave none.").tag(
        sync=True
    )
    usage = traitlets.Dict(read_only=True, help="`used` and `size` of the context in tokens, and `cost`.").tag(
        sync=True
    )
    pending_count = traitlets.Int(0, read_only=True, help="Permission requests that wait for an answer.").tag(sync=True)
    turn_count = traitlets.Int(0, read_only=True, help="Turns so far.").tag(sync=True)
    error = traitlets.Unicode("", read_only=True, help="Why the agent failed; empty when it did not.").tag(sync=True)
    seq = traitlets.Int(0, read_only=True, help="The number of the newest message to the browser.").tag(sync=True)

    _closed = True  # until it is open

    def __init__(
        self,
        source: StateSource,
        actions: SessionActions,
        *,
        transcript: Callable[[Mapping[str, Any]], Mapping[str, str]] | None = None,
        report: Callable[[str], None] | None = None,
        on_views: Callable[[], None] = lambda: None,
        **kwargs: Any,
    ) -> None:
        """`transcript` makes texts by MIME type from a snapshot, for where no widget can be drawn. `report` takes
        sentences about messages that could not be used. `on_views` is called when `open_views` has changed."""
        self._loop = runtime.loop()
        self._actions: SessionActions | None = actions
        self._source = source
        self._sync = Sync(source, self._send_message, scheduler=self._loop)
        self._transcript = transcript
        self._report: Callable[[str], None] = report or log.warning
        self._on_views = on_views
        self.greeted = False
        """Whether a page has said that it has this model."""
        self._failing = False
        self._wait_message: dict[str, Any] | None = None
        self._unsent: set[str] = set()
        self._traits_sent = -SEQ_INTERVAL
        self._trait_timer: asyncio.TimerHandle | None = None
        self.open_views: set[str] = set()
        """Names of the views that are drawn now. A page that was closed cannot say so: its views stay here."""
        self.views_seen = 0
        """How many views were drawn ever."""
        for name, value in scalars(source).items():
            self.set_trait(name, value)
        super().__init__(**kwargs)
        self._closed = False
        self.on_msg(self._on_message)
        self.refresh()

    # --- for the agent -----------------------------------------------------------------------------------------------

    def push(self, ops: Iterable[Operation]) -> None:
        """Take operations that were just applied to the state. On the private thread only."""
        self._sync.push(ops)

    def anew(self) -> None:
        """The state is another one: the browsers get it whole. On the private thread only."""
        self._sync.anew()
        self._refresh()

    def refresh(self) -> None:
        """Bring the traits up to date with the state. From any thread."""
        self._hop(self._refresh)

    def set_wait(self, waiting: bool, *, clicks: bool = True) -> None:
        """Tell the browsers that a cell waits for a turn, and whether clicks arrive meanwhile. From any thread."""
        self._hop(self._set_wait, {"type": "wait", "waiting": waiting, "clicks": clicks} if waiting else None)

    def leave(self, on_views: Callable[[], None]) -> None:
        """The agent is gone for good: what is shown stays, its buttons do nothing. On the private thread only."""
        self._actions, self._report, self._on_views = None, log.debug, on_views

    def close(self) -> None:
        """Close the model and end its timers; all views go away. Can be called again, from any thread."""
        if not self._closed:
            self._closed = True
            self._hop(self._close_here)
            self.on_msg(self._on_message, remove=True)
        super().close()

    # --- traits ------------------------------------------------------------------------------------------------------

    def get_state(self, key: str | Iterable[str] | None = None, drop_defaults: bool = False) -> dict[str, Any]:
        """As in ipywidgets; `state` and `seq` are fresh: at open, after a page reload, for saving and embedding."""
        names = [key] if isinstance(key, str) else list(self.keys if key is None else key)
        values: dict[str, Any] = super().get_state(names, drop_defaults=drop_defaults)
        if "state" in names:
            values["state"] = self._fresh_state()
            if "seq" in names:
                values["seq"] = values["state"]["seq"]
        for name in {"_esm", "_css"} & set(names):  # their text is the default value: dropped, nothing could be drawn
            values[name] = getattr(self, name)
        return values

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """What a browser wrote, by `jslink` for instance. Runs on the private thread, whichever thread brings it."""
        self._hop(self._set_state, sync_data)

    def _set_state(self, sync_data: dict[str, Any]) -> None:
        theirs = {name: value for name, value in sync_data.items() if name not in _OURS}
        if theirs:
            super().set_state(theirs)
        for name in sync_data.keys() & _OURS - {"state"}:
            self._send_trait_soon(name)

    def notify_change(self, change: Any) -> None:
        """Tell observers. When one of our own traits goes to the browser is decided here, not by ipywidgets."""
        if change["name"] in _OURS:
            traitlets.HasTraits.notify_change(self, change)
        else:
            super().notify_change(change)

    def _refresh(self) -> None:
        if self._closed:
            return
        was_busy, before = self.busy, self.status
        for name, value in scalars(self._source).items():
            self._set(name, value)
        self._sync.set_waiting(self.pending_count > 0)
        if (was_busy and not self.busy) or (self.status != before and self.status in ("closed", "failed")):
            self._settle()

    def _set(self, name: str, value: Any) -> None:
        """Set a trait; a handler of `observe` that fails harms nobody else."""
        if getattr(self, name) == value:
            return
        try:
            self.set_trait(name, value)
        except Exception:
            log.warning("A handler of SessionWidget.%s failed", name, exc_info=True)
        if name != "state":
            self._send_trait_soon(name)

    def _settle(self) -> None:
        """Keep a snapshot as the trait `state`. A live page has it already; who saves without one needs it sent."""
        seq, state = self._sync.snapshot()
        self._set("state", {"seq": seq, **state})
        if not self.greeted:
            self._send_trait_soon("state")

    def _send_trait_soon(self, name: str) -> None:
        """Several changes at once are one message, and many in a row are few."""
        self._unsent.add(name)
        pause = SEQ_INTERVAL if self._unsent == {"seq"} else TRAIT_INTERVAL
        due = max(self._loop.time(), self._traits_sent + pause)
        if self._trait_timer is not None and self._trait_timer.when() > due:
            self._trait_timer.cancel()
            self._trait_timer = None
        if self._trait_timer is None:
            self._trait_timer = self._loop.call_at(due, self._send_traits)

    def _send_traits(self) -> None:
        self._trait_timer = None
        names, self._unsent = self._unsent, set()
        self._traits_sent = self._loop.time()
        if not self._closed:
            self._try_to_send(self.send_state, names)

    def _fresh_state(self) -> dict[str, Any]:
        """A snapshot with its number. Made on the private thread, where state and numbers agree."""
        if runtime.here():
            return self._snapshot_here()
        made: concurrent.futures.Future[dict[str, Any]] = concurrent.futures.Future()

        def make() -> None:
            try:
                made.set_result(self._snapshot_here())
            except BaseException as error:
                made.set_exception(error)

        if self._hop(make):
            try:
                return made.result(timeout=SNAPSHOT_TIMEOUT)
            except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
                self._report("A snapshot took too long; an older one was used.")
        return {"seq": self.seq, **self.state}

    def _snapshot_here(self) -> dict[str, Any]:
        if self._sync.closed:
            return {"seq": self.seq, **self.state}
        seq, state = self._sync.snapshot()
        return {"seq": seq, **state}

    # --- messages ----------------------------------------------------------------------------------------------------

    def _send_message(self, content: dict[str, Any], buffers: list[bytes]) -> None:
        if content["type"] in ("ops", "snapshot"):
            self._set("seq", content["seq"])
        if not self._try_to_send(self.send, content, buffers):
            self._try_to_send(self.send, clean(content), buffers)

    def _try_to_send(self, send: Callable[..., None], *arguments: Any) -> bool:
        if self._closed:
            return True
        try:
            send(*arguments)
        except Exception as error:
            if not self._failing:  # said once: the report itself may become the next message
                self._failing = True
                self._report(f"A message to the browser could not be sent: {type(error).__name__}: {error}")
            return False
        self._failing = False
        return True

    def _set_wait(self, message: dict[str, Any] | None) -> None:
        over = {"type": "wait", "waiting": False, "clicks": True} if self._wait_message else None
        self._wait_message = message
        if message or over:
            self._send_message(message or over or {}, [])

    def _on_message(self, widget: object, content: Any, buffers: object) -> None:
        """A custom message, on whichever thread the kernel handles it: hand it over, touch nothing else."""
        self._hop(self._handle, content)

    def _handle(self, content: Any) -> None:
        if self._closed:
            return
        name = kind_of(content)
        if name is None:
            kind = content.get("type") if isinstance(content, Mapping) else None
            self._report(f"The browser sent a message of an unknown type: {str(kind)[:80]!r}")
            return
        fault = problem(MESSAGES[name], content)
        action = ACTIONS.get(name)
        if action is not None:
            self._act(action, content, fault)
        elif fault:
            self._report(f"The browser sent a {name!r} that cannot be read: {fault}")
        else:
            _HANDLERS[name](self, content)

    def _act(self, action: Action, content: Mapping[str, Any], fault: str) -> None:
        """Do what a button asks for, and say what became of it: at once, or when the agent has answered."""
        actions = self._actions
        if fault or actions is None:
            if fault:
                self._report(f"The browser sent a message that cannot be read: {fault}")
            self._say_result(content, f"The message cannot be read: {fault}" if fault else None)
            return
        try:
            answer = action(actions, content)
        except Exception as error:
            self._say_result(content, sentence(error))
        else:
            if answer is None:
                self._say_result(content, None)
            else:
                answer.add_done_callback(lambda done: self._answered(content, done))

    def _answered(self, content: Mapping[str, Any], answer: asyncio.Future[Any]) -> None:
        if content["type"] != "mention":
            self._sync.flush()  # what the agent changed is seen before the button is free again
        if answer.cancelled():
            self._say_result(content, "The agent was ended before it answered.")
        elif (error := answer.exception()) is not None:
            self._say_result(content, sentence(error))
        else:
            self._say_result(content, None, answer.result())

    def _say_result(self, content: Mapping[str, Any], error: str | None, value: Any = None) -> None:
        identity = content.get("id")
        if isinstance(identity, str) and len(identity) <= 200:
            result = {"type": "result", "id": identity, "ok": error is None, "error": error}
            self._send_message(result if value is None else {**result, "value": value}, [])

    def _hello(self, content: Mapping[str, Any]) -> None:
        self.greeted = True
        self._sync.hello(content["seq"])
        if self._wait_message:
            self._send_message(self._wait_message, [])

    def _ack(self, content: Mapping[str, Any]) -> None:
        self._sync.ack(content["seq"])

    def _view(self, content: Mapping[str, Any]) -> None:
        if not content["open"]:
            self.open_views.discard(content["view"])
        elif content["view"] not in self.open_views:
            self.views_seen += 1
            if len(self.open_views) < 1000:
                self.open_views.add(content["view"])
        self._on_views()

    # --- threads -----------------------------------------------------------------------------------------------------

    def _hop(self, function: Callable[..., object], *arguments: Any) -> bool:
        """Run on the private thread: now when we are there, else soon. False when that thread has ended."""
        if runtime.here():
            function(*arguments)
            return True
        try:
            # Without the context of the cell that runs now, as in `runtime.call`.
            self._loop.call_soon_threadsafe(function, *arguments, context=contextvars.Context())
        except RuntimeError:
            return False
        return True

    def _close_here(self) -> None:
        self._sync.close()
        if self._trait_timer is not None:
            self._trait_timer.cancel()
            self._trait_timer = None
        self._actions = self._transcript = None
        self.open_views.clear()
        self._on_views()

    # --- drawing -----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        name = self.agent_name or "agent"
        count = f"{self.turn_count} turn{'' if self.turn_count == 1 else 's'}"
        waiting = f", {self.pending_count} waiting for an answer" if self.pending_count else ""
        return f"<SessionWidget {name[:80]!r}, {self.status}, {count}{waiting}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """anywidget's own bundle, and a static transcript for readers without widgets."""
        bundle = super()._repr_mimebundle_(**kwargs)
        # In Colab exactly what anywidget gives: it draws one of several representations, not surely the widget.
        if bundle is None or self._transcript is None or "google.colab.output" in sys.modules:
            return bundle
        data, metadata = bundle
        return {**self._transcript(self._fresh_state()), **data}, metadata


_OURS = frozenset(
    [
        "state",
        "status",
        "busy",
        "stop_reason",
        "agent_name",
        "title",
        "usage",
        "pending_count",
        "turn_count",
        "error",
        "seq",
    ]
)
_HANDLERS: dict[str, Callable[[SessionWidget, Mapping[str, Any]], None]] = {
    "hello": SessionWidget._hello,
    "ack": SessionWidget._ack,
    "view": SessionWidget._view,
}


class TurnView(Model):
    """A live view of one turn, drawn with the code of its session's model: a few hundred bytes of its own."""

    _esm = asset("turn.js")

    session = anywidget.WidgetTrait().tag(sync=True)
    """The session's `SessionWidget`."""
    turn = traitlets.Unicode("", help="The key of the turn in the session's state.").tag(sync=True)
    uid = traitlets.Unicode("", help="What the static transcript beside it is found by.").tag(sync=True)

    def __repr__(self) -> str:
        # What is read where widgets are not drawn.
        number = self.turn.partition(":")[2] or "?"
        name = getattr(self.session, "agent_name", "") or "the agent"
        return f"Turn {number} with {name[:80]}: its live view is a widget. The same as text stands below."


class OwnLooksTurnView(TurnView):
    """The same for front ends that keep each widget's CSS to its own view: marimo."""

    _css = asset("widget.css")
