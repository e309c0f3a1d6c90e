"""What a scene can do in a turn: think, speak, plan, call tools, ask."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import permission
from .settings import PAUSES
from .wire import RpcError

if TYPE_CHECKING:
    from .session import Session

Json = dict[str, Any]

CAN_STOP: Json = {"cancel": {}}
"""The capabilities of a call or terminal that can be stopped alone."""

_WORD_PAUSE = 0.025  # seconds between two streamed words

_WHAT_ALWAYS_MEANS = {
    "edit": "An answer with “always” counts for every edit in this session.",
    "execute": "An answer with “always” counts for every command in this session.",
}


def pace() -> float:
    """The factor for every pause, from ``ACP_WIDGET_DEMO_PACE``: 1 where it is missing or no number."""
    try:
        return max(0.0, float(os.environ.get("ACP_WIDGET_DEMO_PACE", "1")))
    except ValueError:
        return 1.0


def text_block(text: str) -> Json:
    """A text content block."""
    return {"type": "text", "text": text}


def text_item(text: str) -> Json:
    """A tool call content item that holds text."""
    return {"type": "content", "content": text_block(text)}


class Dismissed(Exception):
    """A permission request was answered `cancelled`: the turn ends as cancelled."""


class Call:
    """One tool call of a turn. It remembers whether it is over, so that a cancelled turn can close it."""

    _FINAL = ("completed", "failed", "cancelled")

    def __init__(self, turn: Turn, call_id: str) -> None:
        self._turn = turn
        self.id = call_id
        self.finished = False
        self._offers_stop = False

    async def update(self, **fields: Any) -> None:
        """Patch the tool call: wire names, as in ``status="completed"``."""
        self.finished = fields.get("status") in self._FINAL if "status" in fields else self.finished
        if "capabilities" in fields:
            self._offers_stop = fields["capabilities"] is not None
        elif self.finished and self._offers_stop:
            fields["capabilities"] = None  # what is over cannot be stopped
            self._offers_stop = False
        await self._turn.send("tool_call_update", toolCallId=self.id, **fields)

    async def add(self, content: Json) -> None:
        """Append one content item."""
        await self._turn.send("tool_call_content_chunk", toolCallId=self.id, content=content)


class Plan:
    """A plan of steps that are done one after the other."""

    def __init__(self, turn: Turn, plan_id: str, steps: Sequence[str]) -> None:
        self._turn = turn
        self._id = plan_id
        self._steps = list(steps)
        self._states = ["pending"] * len(steps)

    async def start(self, step: int) -> None:
        """Step number `step` begins, so the ones before it are done."""
        self._states[:step] = ["completed"] * step
        self._states[step] = "in_progress"
        await self._send()

    async def finish(self) -> None:
        """Everything is done."""
        self._states = ["completed"] * len(self._steps)
        await self._send()

    async def drop(self) -> None:
        """What is not done will not be done."""
        if all(state in ("completed", "cancelled") for state in self._states):
            return
        self._states = [state if state == "completed" else "cancelled" for state in self._states]
        await self._send()

    async def _send(self) -> None:
        entries = [
            {"content": step, "priority": "medium", "status": state}
            for step, state in zip(self._steps, self._states, strict=True)
        ]
        await self._turn.send("plan_update", plan={"type": "items", "planId": self._id, "entries": entries})


class Turn:
    """One turn of a session, from the prompt to idle."""

    def __init__(self, session: Session, prompt: Sequence[Json]) -> None:
        self.session = session
        self.cwd: Path = session.cwd
        self.prompt = prompt
        self.text = " ".join(
            b["text"] for b in prompt if b.get("type") == "text" and isinstance(b.get("text"), str)
        ).strip()
        self._calls: list[Call] = []
        self._plans: list[Plan] = []

    async def send(self, kind: str, /, **fields: Any) -> None:
        """Send one update of any kind."""
        await self.session.update({"sessionUpdate": kind, **fields})

    async def pause(self, seconds: float) -> None:
        """Wait for the reader's sake."""
        await asyncio.sleep(seconds * pace() * PAUSES[self.session.settings["model"]])

    async def think(self, text: str) -> None:
        """Stream a thought, unless the user does not want to see any."""
        if not self.session.settings["thoughts"]:
            return
        await self._stream("agent_thought_chunk", self.session.next_id("thought"), text)

    async def say(self, text: str) -> None:
        """Stream a message in markdown."""
        await self._stream("agent_message_chunk", self.session.next_id("msg"), text)

    async def plan(self, *steps: str) -> Plan:
        """Show a plan whose first step begins now."""
        plan = Plan(self, self.session.next_id("plan"), steps)
        self._plans.append(plan)
        await plan.start(0)
        return plan

    async def call(self, *, title: str, kind: str, status: str = "pending", **fields: Any) -> Call:
        """Announce a tool call."""
        call = Call(self, self.session.next_id("call"))
        self._calls.append(call)
        await call.update(title=title, kind=kind, status=status, **fields)
        return call

    def remembered(self, kind: str) -> bool | None:
        """What the user said "always" to for this kind of tool call, if anything."""
        return self.session.remembered(kind)

    async def ask(self, kind: str, *, title: str, description: str, subject: Json) -> permission.Decision:
        """Ask for permission and give the decision, which may be remembered from an earlier "always".

        Raises `Dismissed` when the answer is `cancelled`. Everything but one of our allow options is not allowed.
        """
        remembered = self.remembered(kind)
        if remembered is not None:
            why = "You always allow this." if remembered else "You chose to always reject this in this session."
            return permission.Decision(remembered, why, always=True)
        await self.send("state_update", state="requires_action")
        params: Json = {"title": title, "description": f"{description} {_WHAT_ALWAYS_MEANS[kind]}", "subject": subject}
        try:
            answer = await self.session.request(
                "session/request_permission", {**params, "options": permission.options()}
            )
            decision = permission.decision(answer)
        except RpcError as error:
            decision = permission.Decision(
                False, f"The answer was an error ({error.message}), so this counts as not allowed."
            )
        if decision.cancelled:
            raise Dismissed
        await self.send("state_update", state="running")
        if decision.always:
            self.session.remember(kind, decision.allowed)
        return decision

    async def wind_up(self) -> None:
        """Close what a turn leaves open that did not come to its end."""
        for call in self._calls:
            if not call.finished:
                await call.update(status="cancelled")
        for plan in self._plans:
            await plan.drop()

    async def _stream(self, kind: str, message_id: str, text: str) -> None:
        for word in re.findall(r"\s*\S+\s*", text):
            await self.send(kind, messageId=message_id, content=text_block(word))
            await self.pause(_WORD_PAUSE)
