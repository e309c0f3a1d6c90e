"""A scripted agent behind the real `pydantic-acp` adapter, with no model: `python pydantic_agent.py`.

The adapter and the ACP library under it are other people's; only this script is ours (BSD-3-Clause). It runs commands
in the client's terminal and reads and writes files through the client, after asking. It runs in an environment of its
own, so it imports nothing of the tests.

Words of a prompt: `#run`, `#fail`, `#read`, `#edit`, `#slow`, as in `model_script.py`; else only words.
"""

import asyncio
import json
import re
from pathlib import Path

from pydantic_acp import (
    AcpSessionContext,
    AdapterConfig,
    ClientHostContext,
    FileSessionStore,
    FileSystemProjectionMap,
    NativeApprovalBridge,
    run_acp,
)
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.tools import DeferredToolRequests

BEFORE = "first line\nsecond line\nthird line\n"
AFTER = "first line\nSECOND line, edited\nthird line\n"
MARKDOWN = "# Result\n\nSome *words* and `code`. é ✓ 漢字 🙂 <b>not html</b>\n"


def progress(messages: list[ModelMessage]) -> tuple[str, int]:
    """The last prompt, and how many tools have answered since."""
    user, results = "", 0
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = part.content
                texts = [content] if isinstance(content, str) else [each for each in content if isinstance(each, str)]
                user, results = " ".join(texts), 0
            elif isinstance(part, ToolReturnPart):
                results += 1
    return user, results


def plan(prompt: str, notes: str) -> list[tuple[str, str, dict]]:
    if "#run" in prompt:
        return [("Running a command. ", "shell", {"command": "touch ran.txt && echo hello from the shell"})]
    if "#fail" in prompt:
        return [("Running a command that fails. ", "shell", {"command": "echo oops >&2; exit 3"})]
    if "#read" in prompt:
        return [("Reading the notes. ", "read_file", {"path": notes})]
    if "#edit" in prompt:
        return [("Changing the notes. ", "write_file", {"path": notes, "content": AFTER, "old_text": BEFORE})]
    return []


def build(session: AcpSessionContext) -> Agent:
    host = ClientHostContext.from_bound_session(session)
    notes = str(session.cwd / "notes.txt")

    async def shell(command: str) -> str:
        """Run a command in the client's terminal."""
        terminal = await host.terminal.create_terminal("bash", args=["-c", command], cwd=str(session.cwd))
        ended = await host.terminal.wait_for_terminal_exit(terminal.terminal_id)
        told = await host.terminal.terminal_output(terminal.terminal_id)
        await host.terminal.release_terminal(terminal.terminal_id)
        return f"{told.output}[exit {ended.exit_code}]"

    async def read_file(path: str) -> str:
        """Read a text file through the client."""
        return (await host.filesystem.read_text_file(path)).content

    async def write_file(path: str, content: str, old_text: str = "") -> str:
        """Write a text file through the client."""
        await host.filesystem.write_text_file(path, content)
        return f"wrote {path}"

    async def script(messages: list[ModelMessage], info: AgentInfo):
        prompt, done = progress(messages)
        if "#slow" in prompt:
            for number in range(600):
                yield f"word{number} "
                await asyncio.sleep(0.05)
            return
        steps = plan(prompt, notes)
        text = MARKDOWN if not steps else f"All done: **{done}** tool call(s) finished.\n"
        if done < len(steps):
            text, tool, given = steps[done]
        for word in re.findall(r"\S+\s*", text):
            yield word
        if done < len(steps):
            yield {
                0: DeltaToolCall(name=tool, json_args=json.dumps(given), tool_call_id=f"call_{len(messages)}_{done}")
            }

    return Agent(
        FunctionModel(stream_function=script, model_name="scripted-1"),
        name="scripted",
        output_type=[str, DeferredToolRequests],
        tools=[Tool(shell, requires_approval=True), Tool(read_file), Tool(write_file, requires_approval=True)],
    )


run_acp(
    agent_factory=build,
    config=AdapterConfig(
        session_store=FileSessionStore(Path.home() / "sessions"),
        approval_bridge=NativeApprovalBridge(enable_persistent_choices=True),
    ),
    projection_maps=[
        FileSystemProjectionMap(
            default_read_tool="read_file",
            default_write_tool="write_file",
            default_bash_tool="shell",
            path_arg="path",
            content_arg="content",
            old_text_arg="old_text",
            command_arg="command",
        )
    ],
)
