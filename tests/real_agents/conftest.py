"""One kernel for all agents, and for each test an agent with a HOME, a folder and a model server of its own."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from ..kernels import environments
from ..kernels.client import Kernel
from ..processes import seconds_until_gone
from . import agents
from .agents import RealAgent
from .installing import CannotInstall
from .model_script import NOTES
from .model_server import ModelServer

MAKE = "agent = user.make(command, services, config, **options)"
PATIENCE = 120.0  # seconds: the first start of some takes ten on a busy machine
IPYKERNEL = "7.4.0"

# What a user may have set for the agents of their own.
FOREIGN = ("ANTHROPIC", "CLAUDE", "CODEX", "GEMINI", "GOOGLE", "OPENAI", "OPENCODE", "QWEN", "XDG")


@dataclass
class Session:
    """An Agent named `agent` in the kernel, and what it works with."""

    about: RealAgent
    kernel: Kernel
    home: Path
    folder: Path
    model: ModelServer

    @property
    def notes(self) -> str:
        return (self.folder / "notes.txt").read_text(encoding="utf-8")

    def run(self, code: str) -> dict[str, Any]:
        """Run a cell that makes a `turn`; what came of the turn."""
        return self._told(f"turn = {code}", "user.of_turn(agent, turn)")

    def until_kept(self, session_id: str, text: str) -> None:
        """Wait until the agent has written that down, where it does so only after the turn."""
        pattern = self.about.writes_late
        if pattern is None:
            return
        end = time.monotonic() + PATIENCE
        while not any(
            text in path.read_text(encoding="utf-8") for path in self.home.glob(pattern.format(session_id=session_id))
        ):
            assert time.monotonic() < end, f"{text!r} is in no {pattern} in the agent's HOME"
            time.sleep(0.02)

    def loaded(self, session_id: str) -> dict[str, Any]:
        """End the agent and load the session in a new one, in the same place; what stands in it."""
        return self._told(f"agent.close()\n{MAKE}\nagent.load({session_id!r})", "user.of_session(agent)")

    def _told(self, code: str, found: str) -> dict[str, Any]:
        cell = self.kernel.start(f"{code}\nuser.tell({found})").finish()
        assert cell.status == "ok", self._explained(cell.text)
        told: dict[str, Any] = json.loads(cell.text.rpartition("\n@@")[2].strip())
        self._record(code, told)
        return told

    def work(self, prompt: str, answer: str = "allow") -> dict[str, Any]:
        return self.run(f"user.work(agent, {prompt!r}, {answer!r})")

    def _explained(self, text: str) -> str:
        asked = "\n".join(self.model.asked) or "nothing"
        error = self.kernel.run(
            "e = agent.error; print(e, getattr(e, 'stderr', ''), list(agent.diagnostics)[-5:])"
        ).text
        return f"{text}\n--- the model was asked:\n{asked}\n--- the agent: {error}"

    def _record(self, code: str, told: Mapping[str, Any]) -> None:
        """Into the file that `scripts/agents.py --record FILE` names: for whoever writes what was seen."""
        name = os.environ.get("ACP_WIDGET_AGENTS_RECORD")
        if name:
            with Path(name).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"name": self.about.name, "code": code, **told}) + "\n")


@pytest.fixture(scope="session")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A running kernel, without the variables by which a user's own agents are told what to do."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN) or name.endswith("_API_KEY")]:
            patch.delenv(name)
        made = Kernel(environments.python(IPYKERNEL), cwd=tmp_path_factory.mktemp("kernel"), patience=PATIENCE)
    with made as running:
        running.run("from tests.real_agents import user")
        yield running


@pytest.fixture
def session(kernel: Kernel, about: RealAgent, tmp_path: Path) -> Iterator[Session]:
    """An agent in the kernel, started; it and all of its processes are gone afterwards."""
    if sys.version_info < about.python:
        pytest.skip(f"{about.name} needs Python {'.'.join(map(str, about.python))} or newer")
    try:
        command = about.command()
    except CannotInstall as error:
        pytest.fail(str(error))
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    (folder / "notes.txt").write_text(NOTES, encoding="utf-8")
    with ModelServer(folder) as model:
        url = f"http://127.0.0.1:{model.port}"
        for name, text in about.files(url).items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, encoding="utf-8")
        env = {"HOME": str(home), **about.variables(url)}
        kernel.run(f"options = { {'cwd': str(folder), 'env': env}!r}")
        kernel.run(f"command, services, config = {command!r}, {about.services!r}, {dict(about.config)!r}")
        kernel.run(MAKE)
        yield Session(about, kernel, home, folder, model)
        children = [child.pid for child in psutil.Process(kernel.pid).children(recursive=True)]
        kernel.run("agent.close()")
        seconds_until_gone(children, limit=10)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each agent that was chosen; one that cannot do the step must fail, or the table is wrong."""
    if "about" not in metafunc.fixturenames:
        return
    step = metafunc.function.__name__.removeprefix("test_")
    chosen = [_case(agent, step) for agent in agents.chosen()]
    metafunc.parametrize("about", chosen)


def _case(agent: RealAgent, step: str) -> Any:
    why = agent.cannot.get(step)
    marks = [] if why is None else [pytest.mark.xfail(strict=True, raises=AssertionError, reason=why)]
    return pytest.param(agent, id=agent.name, marks=marks)
