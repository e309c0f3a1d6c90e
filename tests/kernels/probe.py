"""What the tests load into a kernel: three widgets, and a future that a click completes."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import anywidget
import ipywidgets

from acp_widget.widget import waiting


class Probe(anywidget.AnyWidget):
    _esm = "export default { render() {} }"

    def __init__(self) -> None:
        super().__init__()
        self.on_msg(self._clicked)

    @property
    def id(self) -> str:
        return str(self.comm.comm_id)

    def _clicked(self, _: Any, content: Any, buffers: Any) -> None:
        order.append(content.get("name"))
        threads.add(threading.current_thread().name)
        if "print" in content:
            print(content["print"])
        if "call" in content:
            calls[content["call"]]()
        if content.get("done") and not future.done():
            future.set_result(content["name"])


ours = Probe()
ours_too = Probe()
other = Probe()
slider = ipywidgets.IntSlider(value=1)
slider.observe(lambda change: order.append(f"slider {change['new']}"), "value")

order: list[Any] = []  # what happened: names of clicks, moves of the slider, and what cells add
threads: set[str] = set()  # that handled clicks
calls: dict[str, Any] = {}  # for clicks that call something
future: Future[Any] = Future()


def ids() -> set[str]:
    return {ours.id, ours_too.id}


def fresh() -> None:
    """Forget what happened; a new future."""
    global future
    future = Future()
    order.clear()
    threads.clear()
    calls.clear()


def wait(timeout: float | None = None) -> Any:
    """The blocking form. Prints `ready` first: from then on a click belongs to the wait."""
    print("ready", flush=True)
    return waiting.wait(future, ids, timeout, what="the click")


async def wait_async() -> Any:
    print("ready", flush=True)
    return await waiting.wait_async(future, ids)
