"""`%%acp` in the cells of real kernels: its buttons answer while the cell waits, an interrupt, and Tab."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .client import Kernel
from .test_agent_in_kernel import FIX, Page

pytestmark = pytest.mark.kernel

PLAIN_V1 = Path(__file__).resolve().parent.parent / "agents" / "plain_v1.py"
MODES = {
    "currentModeId": "ask",
    "availableModes": [
        {"id": "ask", "name": "Ask first"},
        {"id": "go", "name": "Go on", "description": "Asks nothing"},
    ],
}
MODELS = {
    "currentModelId": "small",
    "availableModels": [{"modelId": "small", "name": "Small"}, {"modelId": "large", "name": "Large"}],
}


def option(name: str, category: str, *values: str) -> dict[str, Any]:
    """A config option of v1 whose first value is the current one."""
    offered = [{"value": value, "name": value.title()} for value in values]
    about = {"id": name, "name": name, "category": category, "type": "select"}
    return {**about, "currentValue": values[0], "options": offered}


OPTIONS = [option("approval", "mode", "ask", "go"), option("llm", "model", "small", "large")]
BY_OPTION = [
    ("session/set_config_option", {"sessionId": "s", "configId": "approval", "value": "go"}),
    ("session/set_config_option", {"sessionId": "s", "configId": "llm", "value": "large"}),
]
BY_METHOD = [
    ("session/set_mode", {"sessionId": "s", "modeId": "go"}),
    ("session/set_model", {"sessionId": "s", "modelId": "large"}),
]


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


@pytest.mark.parametrize(
    ("offers", "sent"),
    [
        ({"modes": MODES, "models": MODELS}, BY_METHOD),
        ({"configOptions": OPTIONS}, BY_OPTION),
        ({"modes": MODES, "models": MODELS, "configOptions": OPTIONS}, BY_OPTION),
    ],
    ids=["modes and models", "config options", "both"],
)
def test_mode_and_model_of_an_agent_of_version_1(
    kernel: Kernel, tmp_path: Path, offers: dict[str, Any], sent: list[Any]
) -> None:
    log = tmp_path / "wire.jsonl"
    command = shlex.join([sys.executable, "-S", "-E", str(PLAIN_V1), str(log), json.dumps(offers)])
    kernel.run("%load_ext acp_widget")
    try:
        kernel.run(f"get_ipython().run_line_magic('acp', {f'use {command}'!r})")
        for word, first, second in (("mode", "ask", "go"), ("model", "small", "large")):
            listed = f"print(get_ipython().run_line_magic('acp', '{word}'))"
            assert current(kernel.run(listed).text) == first
            kernel.run(f"%acp {word} {second}")
            assert current(kernel.run(listed).text) == second
        wrong = kernel.start("%acp mode gone").finish()
        assert "UsageError: The agent offers no mode 'gone'. Did you mean 'go'? It offers: ask, go." in wrong.text
        code = "%acp model la"
        reply = kernel.request("complete_request", {"code": code, "cursor_pos": len(code)}).finish().reply
        assert reply is not None
        assert reply["content"]["matches"] == ["large"]
        status = kernel.run("print(get_ipython().run_line_magic('acp', 'status').rows[0][4:6])").text
        assert status == "('go', 'large')\n"
    finally:
        kernel.run("%unload_ext acp_widget")
    read = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    set_by = [(each["method"], each["params"]) for each in read if each.get("method", "").startswith("session/set_")]
    assert set_by == sent


def test_an_agent_of_version_1_without_modes_says_what_it_has(kernel: Kernel, tmp_path: Path) -> None:
    offers = {"configOptions": [option("effort", "thought_level", "low", "high")]}
    command = [sys.executable, "-S", "-E", str(PLAIN_V1), str(tmp_path / "wire.jsonl"), json.dumps(offers)]
    kernel.run("%load_ext acp_widget")
    try:
        kernel.run(f"get_ipython().run_line_magic('acp', {f'use {shlex.join(command)}'!r})")
        told = kernel.start("%acp mode").finish()
        assert told.text == "UsageError: The agent offers no mode. Its settings: effort.\n"
    finally:
        kernel.run("%unload_ext acp_widget")


def current(table: str) -> str:
    """The value with the mark in a printed table."""
    (line,) = [line for line in table.splitlines() if line.startswith("*")]
    return line.split()[1]
