"""What a user types into the cells of a notebook. It runs in the kernel."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from acp_widget import Agent, Permission, ToolCall, Turn
from acp_widget.session.running import is_running

PATIENCE = 100.0  # seconds until a cell gives up


def make(command: list[str], services: bool, config: Mapping[str, str], **options: Any) -> Agent:
    """An agent that asks, started, with its settings set; with `services` it may use the client's files and terminals.

    Raises why it did not start.
    """
    agent = Agent(command, permissions="ask", client_files=services, client_terminals=services, **options)
    error = agent.start().wait(PATIENCE).error
    if error is not None:
        raise error
    for name, value in config.items():
        agent.config[name] = value
    return agent


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"Waited {PATIENCE:g} s for {what}.")
        time.sleep(0.02)


def work(agent: Agent, prompt: str, answer: str = "allow") -> Turn:
    """Prompt, and answer each request with the agent's option for `answer` (`allow` or `reject`), once."""
    turn = agent.prompt(prompt)

    def over() -> bool:
        for permission in agent.pending:
            agent.answer(permission, option(permission, answer))
        return turn.done

    until(over, f"the end of {turn!r}")
    return turn.wait(PATIENCE)


def stopped(agent: Agent, prompt: str) -> Turn:
    """Prompt, and stop the turn as soon as the agent speaks."""
    turn = agent.prompt(prompt)
    until(lambda: "word" in turn.text or turn.done, "the agent's first words")
    turn.cancel()
    return turn.wait(PATIENCE)


def option(permission: Permission, answer: str) -> str:
    chosen = [each["optionId"] for each in permission.options if each.get("kind") == f"{answer}_once"]
    if not chosen:
        raise LookupError(f"{permission!r} offers no {answer}_once: {permission.options}")
    return str(chosen[0])


def tell(found: Mapping[str, Any]) -> None:
    """Print it as one line of JSON."""
    print("\n@@" + json.dumps(found, default=str))


def of_turn(agent: Agent, turn: Turn) -> dict[str, Any]:
    """What came of a turn."""
    return {
        **_of_agent(agent),
        "status": turn.status,
        "stop": turn.stop_reason,
        "text": turn.text,
        "thoughts": [thought.text for thought in turn.thoughts],
        "calls": [_call(agent, call) for call in turn.tool_calls],
        "permissions": [_permission(each) for each in turn.permissions],
        "terminals": [[each.id, each.text, each.exit_code] for each in turn.terminals],
    }


def of_session(agent: Agent) -> dict[str, Any]:
    """What stands in the whole session."""
    return {
        **_of_agent(agent),
        "messages": [[each.role, each.text] for each in agent.messages],
        "calls": [_call(agent, call) for call in agent.tool_calls],
    }


def _of_agent(agent: Agent) -> dict[str, Any]:
    session = agent._driver.state.part("session")
    return {
        "agent": session["agent"],
        "version": session["protocolVersion"],
        "session": session["sessionId"],
        "diagnostics": [dict(each) for each in agent.diagnostics],
        "unknown": [
            dict(agent._reader.get("unknownUpdates", key) or {}) for key in agent._reader.keys("unknownUpdates")
        ],
        "config": {name: agent.config[name] for name in agent.config},
        "commands": len(agent.commands),
        "idle": agent.status,
    }


def _call(agent: Agent, call: ToolCall) -> dict[str, Any]:
    output = "\n".join([call.text, *(terminal.text for terminal in call.terminals), str(call.raw_output or "")])
    return {
        "id": call.id,
        "kind": call.kind,
        "status": call.status,
        "runs": is_running(agent._driver.state.snapshot(), call._key),
        "title": call.title,
        "output": output,
        "content": [str(item.get("type")) for item in call.content],
        "patches": [str(diff) for diff in call.diffs],
        "locations": [path for path, _ in call.locations],
        "asked": call.asked,
    }


def _permission(permission: Permission) -> dict[str, Any]:
    return {
        "title": permission.title,
        "by": permission.by,
        "allowed": permission.allowed,
        "kinds": [each.get("kind") for each in permission.options],
        "call": permission.tool_call_id,
        "problem": permission.raw.get("problem"),
    }
