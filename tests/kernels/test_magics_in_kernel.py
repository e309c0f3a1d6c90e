"""`%%acp` in the cells of real kernels: its buttons answer while the cell waits, an interrupt, and Tab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .client import Kernel
from .test_agent_in_kernel import FIX, Page

pytestmark = pytest.mark.kernel


@pytest.fixture
def magics(kernel: Kernel) -> Iterator[Kernel]:
    """A kernel with the magics and an agent whose page is open."""
    assert kernel.run("%load_ext acp_widget\n%acp use demo").status == "ok"
    yield kernel
    kernel.run("%unload_ext acp_widget")


def page_of(kernel: Kernel) -> Page:
    agent = "get_ipython().magics_manager.registry['AcpMagics'].agents.need()"
    page = Page(kernel, kernel.run(f"print({agent}.widget.model_id)").text.strip())
    page.open()
    return page


def test_buttons_answer_while_the_cell_waits(magics: Kernel) -> None:
    page = page_of(magics)
    cell = magics.start(f"%%acp --out turn\n{FIX}")
    assert page.press("yes") == "Edit stats.py?"
    assert not cell.over, "the cell waits"
    page.press("yes")
    assert cell.finish().status == "ok"
    assert magics.run("print(turn.stop_reason, turn.permissions[0].by)").text == "end_turn you\n"


def test_an_interrupt_stops_the_turn_in_one_line(magics: Kernel) -> None:
    page = page_of(magics)
    cell = magics.start(f"%%acp --out turn\n{FIX}")
    magics.until(lambda: bool(page.requests()), "a permission request")
    queued = magics.start("print('went on')")
    magics.interrupt()
    assert cell.finish().text == "KeyboardInterrupt: The turn was stopped; the session goes on."
    assert queued.finish().status == "aborted", "Run All ends"
    assert magics.run("turn.wait(20); print(turn.done)").text == "True\n"


def test_tab_completes(magics: Kernel) -> None:
    magics.run("primes = [2, 3]")
    for code, word in (("%acp sta", "status"), ("%acp use cla", "claude"), ("%%acp --attach pri", "primes")):
        reply = magics.request("complete_request", {"code": code, "cursor_pos": len(code)}).finish().reply
        assert reply is not None
        assert word in reply["content"]["matches"]
