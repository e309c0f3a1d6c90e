"""A fake agent that keeps sessions and wants a login (`agents/keeper.py`), and what it was asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from acp_widget import Agent

_PROGRAM = Path(__file__).parent / "agents" / "keeper.py"


class Keeper:
    """`version` of the protocol; further names as `keeper.py` has them."""

    def __init__(self, folder: Path, version: int, **how: Any) -> None:
        self.folder, self.version, self.how = folder / "keeper", version, how
        self.cwd = folder / "work"
        self.folder.mkdir(exist_ok=True)
        self.cwd.mkdir(exist_ok=True)

    def agent(self, **options: Any) -> Agent:
        # In a file: what it knows, a key for instance, must not stand in the command, which is shown.
        (self.folder / "how.json").write_text(json.dumps({"version": self.version, **self.how}))
        return Agent([sys.executable, str(_PROGRAM), str(self.folder)], **{"cwd": self.cwd, **options})

    def method(self, method_id: str, kind: str = "agent", **fields: Any) -> dict[str, Any]:
        """A way to log in, as this version has it."""
        named = {"id": method_id} if self.version == 1 else {"methodId": method_id}
        typed = {} if kind == "agent" and self.version == 1 else {"type": kind}
        return {**named, **typed, "name": f"With {method_id}", **fields}

    def wants(self, where: str, *methods: dict[str, Any]) -> Keeper:
        """It refuses `session/new` ("new"), or prompts ("prompt"), until a login."""
        self.how.update(auth=where, methods=list(methods))
        return self

    def keeps(self, *session_ids: str, told: tuple[tuple[str, str], ...] = ()) -> Keeper:
        file = self.folder / "sessions.json"
        before = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**before, **{each: [list(say) for say in told] for each in session_ids}}))
        return self

    @property
    def log(self) -> list[dict[str, Any]]:
        file = self.folder / "log.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def asked(self, method: str) -> list[dict[str, Any]]:
        """The params of each such request."""
        return [entry["params"] for entry in self.log if entry["method"] == method]

    @property
    def login(self) -> str:
        return "authenticate" if self.version == 1 else "auth/login"


def part(agent: Agent, name: str = "session") -> dict[str, Any]:
    """What the page is told."""
    shown: dict[str, Any] = agent._driver.state.part(name)
    return shown
