"""The model APIs, each as two functions: what a request says, and how an answer is written."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .model_script import Conversation, Json, Step, Tool


class Reply(Protocol):
    body: Json
    step: Step
    model: str
    streams: bool

    def whole(self, content: Json) -> None: ...
    def begin(self) -> None: ...
    def send(self, content: Json | str, event: str | None = None) -> None: ...
    def speak(self, say: Callable[[str], object]) -> None: ...
    @staticmethod
    def new_id(prefix: str) -> str: ...


def pieces(text: str, size: int = 12) -> list[str]:
    """The text in pieces of some words each."""
    found, current = [], ""
    for word in re.findall(r"\s*\S+\s*", text):
        current += word
        if len(current) >= size:
            found.append(current)
            current = ""
    return [*found, current] if current else found


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_text, content))
    if isinstance(content, dict):
        text = content.get("text")
        return text if isinstance(text, str) else _text(content.get("content"))
    return ""


def _pieces_of(text: str, size: int = 24) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


# --- OpenAI, chat completions ---------------------------------------------------------------------------------------


def read_chat(body: Json) -> Conversation:
    user, results = "", 0
    for message in body.get("messages", []):
        if message["role"] == "user":
            user, results = _text(message.get("content")), 0
        elif message["role"] == "tool":
            results += 1
    offered = [tool["function"] for tool in body.get("tools") or [] if "function" in tool]
    tools = [Tool(tool["name"], tool.get("parameters") or {}) for tool in offered]
    wanted = body.get("response_format") or {}
    shapes = {"json_schema": (wanted.get("json_schema") or {}).get("schema"), "json_object": {}}
    return Conversation(user, results, tools, shapes.get(wanted.get("type")))


def write_chat(reply: Reply) -> None:
    step = reply.step
    base = {"id": reply.new_id("chatcmpl-"), "created": int(time.time()), "model": reply.model}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    finish = "tool_calls" if step.tool else "stop"
    arguments = json.dumps(step.arguments)
    call_id = reply.new_id("call_")
    if not reply.streams:
        message: Json = {"role": "assistant", "content": step.text}
        if step.tool:
            function = {"name": step.tool.name, "arguments": arguments}
            message["tool_calls"] = [{"id": call_id, "type": "function", "function": function}]
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        return reply.whole({**base, "object": "chat.completion", "choices": choices, "usage": usage})

    def chunk(delta: Json, finish: str | None = None) -> None:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        reply.send({**base, "object": "chat.completion.chunk", "choices": choices})

    reply.begin()
    chunk({"role": "assistant", "content": ""})
    if step.thought:
        chunk({"reasoning_content": step.thought})
    reply.speak(lambda piece: chunk({"content": piece}))
    if step.tool:
        function = {"name": step.tool.name, "arguments": ""}
        chunk({"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]})
        for piece in _pieces_of(arguments):
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    chunk({}, finish)
    reply.send({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    reply.send("[DONE]")
    return None


# --- OpenAI, responses ----------------------------------------------------------------------------------------------


def read_responses(body: Json) -> Conversation:
    user, results = "", 0
    given = body.get("input", [])
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        if item.get("role") == "user":
            user, results = _text(item.get("content")), 0
        elif str(item.get("type", "")).endswith("_output"):
            results += 1
    tools = [
        Tool(tool.get("name") or tool.get("type"), tool.get("parameters") or {}, tool.get("type"))
        for tool in body.get("tools") or []
    ]
    wanted = (body.get("text") or {}).get("format") or {}
    return Conversation(user, results, tools, wanted.get("schema") if wanted.get("type") == "json_schema" else None)


def write_responses(reply: Reply) -> None:
    items = _items(reply)
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 120,
    }
    response = {
        "id": reply.new_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "model": reply.model,
        "status": "completed",
        "output": items,
        "usage": usage,
    }
    if not reply.streams:
        return reply.whole(response)
    count = 0

    def event(kind: str, **fields: Any) -> None:
        nonlocal count
        reply.send({"type": kind, "sequence_number": count, **fields}, kind)
        count += 1

    reply.begin()
    event("response.created", response={**response, "status": "in_progress", "output": [], "usage": None})
    for index, item in enumerate(items):
        where = {"output_index": index, "item_id": item["id"]}
        _ITEM_EVENTS.get(item["type"], _plain_item)(reply, event, where, item)
        event("response.output_item.done", output_index=index, item=item)
    event("response.completed", response=response)
    return None


def _items(reply: Reply) -> list[Json]:
    step, items = reply.step, []
    if step.thought:
        summary = [{"type": "summary_text", "text": step.thought}]
        items.append({"type": "reasoning", "id": reply.new_id("rs_"), "summary": summary, "content": []})
    if step.text:
        part = {"type": "output_text", "text": step.text, "annotations": []}
        made = {"id": reply.new_id("msg_"), "role": "assistant", "status": "completed", "content": [part]}
        items.append({"type": "message", **made})
    if step.tool:
        call_id = reply.new_id("call_")
        call = {"call_id": call_id, "name": step.tool.name, "status": "completed"}
        if step.tool.kind == "custom":
            given = step.input if isinstance(step.input, str) else json.dumps(step.input)
            items.append({"type": "custom_tool_call", "id": f"ctc_{call_id}", **call, "input": given})
        else:
            arguments = json.dumps(step.arguments)
            items.append({"type": "function_call", "id": f"fc_{call_id}", **call, "arguments": arguments})
    return items


def _message_item(reply: Reply, event: Callable[..., None], where: Json, item: Json) -> None:
    [part] = item["content"]
    event("response.output_item.added", output_index=where["output_index"], item={**item, "content": []})
    event("response.content_part.added", **where, content_index=0, part={**part, "text": ""})
    reply.speak(lambda piece: event("response.output_text.delta", **where, content_index=0, delta=piece))
    event("response.output_text.done", **where, content_index=0, text=part["text"])
    event("response.content_part.done", **where, content_index=0, part=part)


def _thought_item(reply: Reply, event: Callable[..., None], where: Json, item: Json) -> None:
    [part] = item["summary"]
    event("response.output_item.added", output_index=where["output_index"], item={**item, "summary": []})
    event("response.reasoning_summary_part.added", **where, summary_index=0, part={**part, "text": ""})
    event("response.reasoning_summary_text.delta", **where, summary_index=0, delta=part["text"])
    event("response.reasoning_summary_text.done", **where, summary_index=0, text=part["text"])
    event("response.reasoning_summary_part.done", **where, summary_index=0, part=part)


def _call_item(reply: Reply, event: Callable[..., None], where: Json, item: Json) -> None:
    _plain_item(reply, event, where, item)
    event("response.function_call_arguments.delta", **where, delta=item["arguments"])
    event("response.function_call_arguments.done", **where, arguments=item["arguments"])


def _plain_item(reply: Reply, event: Callable[..., None], where: Json, item: Json) -> None:
    event("response.output_item.added", output_index=where["output_index"], item=item)


_ITEM_EVENTS = {"message": _message_item, "reasoning": _thought_item, "function_call": _call_item}


# --- Anthropic, messages --------------------------------------------------------------------------------------------


def read_messages(body: Json) -> Conversation:
    user, results = "", 0
    for message in body.get("messages", []):
        if message["role"] != "user":
            continue
        content = message["content"]
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        answers = sum(block.get("type") == "tool_result" for block in blocks)
        if answers:
            results += answers
        else:
            user, results = _text(content), 0
    tools = [Tool(tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools") or [] if "name" in tool]
    wanted = body.get("output_format") or (body.get("output_config") or {}).get("format") or {}
    return Conversation(user, results, tools, wanted.get("schema") if wanted.get("type") == "json_schema" else None)


def write_messages(reply: Reply) -> None:
    step, blocks = reply.step, []
    if step.thought and (reply.body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        blocks.append({"type": "thinking", "thinking": step.thought, "signature": "c2NyaXB0ZWQ="})
    if step.text:
        blocks.append({"type": "text", "text": step.text})
    if step.tool:
        call = {"id": reply.new_id("toolu_"), "name": step.tool.name, "input": step.arguments}
        blocks.append({"type": "tool_use", **call})
    caches = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {
        "id": reply.new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": blocks,
        "stop_reason": "tool_use" if step.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20, **caches},
    }
    if not reply.streams:
        return reply.whole(message)

    def event(kind: str, **fields: Any) -> None:
        reply.send({"type": kind, **fields}, kind)

    reply.begin()
    event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(blocks):
        _block(reply, event, index, block)
        event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    event("message_delta", delta=ending, usage={"output_tokens": 20})
    event("message_stop")
    return None


def _block(reply: Reply, event: Callable[..., None], index: int, block: Json) -> None:
    def delta(kind: str, **fields: Any) -> None:
        event("content_block_delta", index=index, delta={"type": kind, **fields})

    if block["type"] == "text":
        event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        reply.speak(lambda piece: delta("text_delta", text=piece))
    elif block["type"] == "thinking":
        event("content_block_start", index=index, content_block={"type": "thinking", "thinking": "", "signature": ""})
        delta("thinking_delta", thinking=block["thinking"])
        delta("signature_delta", signature=block["signature"])
    else:
        event("content_block_start", index=index, content_block={**block, "input": {}})
        for piece in _pieces_of(json.dumps(block["input"])):
            delta("input_json_delta", partial_json=piece)


# --- Gemini ---------------------------------------------------------------------------------------------------------


def read_gemini(body: Json) -> Conversation:
    user, results = "", 0
    for message in body.get("contents", []):
        if message.get("role", "user") != "user":
            continue
        parts = message.get("parts", [])
        answers = sum("functionResponse" in part for part in parts)
        texts = [part.get("text", "") for part in parts]
        said = "".join(text for text in texts if not text.lstrip().startswith("<session_context>"))
        if answers:
            results += answers
        elif said:
            user, results = said, 0
    tools = [
        Tool(tool["name"], tool.get("parametersJsonSchema") or tool.get("parameters") or {})
        for group in body.get("tools") or []
        for tool in group.get("functionDeclarations", [])
    ]
    wanted = body.get("generationConfig") or {}
    shape = wanted.get("responseJsonSchema") or wanted.get("responseSchema") or {}
    return Conversation(user, results, tools, shape if wanted.get("responseMimeType") == "application/json" else None)


def write_gemini(reply: Reply) -> None:
    step = reply.step

    def answer(parts: list[Json], finish: str | None = None) -> Json:
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
        told = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": reply.model}
        return {**told, "responseId": "scripted"}

    calls: list[Json] = [{"functionCall": {"name": step.tool.name, "args": step.arguments}}] if step.tool else []
    if not reply.streams:
        return reply.whole(answer([{"text": step.text}, *calls], "STOP"))
    reply.begin()
    if step.thought:
        reply.send(answer([{"text": f"**Thinking**\n{step.thought}", "thought": True}]))
    reply.speak(lambda piece: reply.send(answer([{"text": piece}])))
    reply.send(answer(calls or [{"text": ""}], "STOP"))
    return None


APIS: Mapping[str, tuple[Callable[[Json], Conversation], Callable[[Reply], None]]] = {
    "/chat/completions": (read_chat, write_chat),
    "/responses": (read_responses, write_responses),
    "/messages": (read_messages, write_messages),
    ":generateContent": (read_gemini, write_gemini),
    ":streamGenerateContent": (read_gemini, write_gemini),
}

COUNTED: Mapping[str, Json] = {
    "/count_tokens": {"input_tokens": 10},
    ":countTokens": {"totalTokens": 10},
}
