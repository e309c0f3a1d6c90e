"""Messages and thoughts (ACP v2, Prompt Lifecycle): whole updates, and chunks that append one block each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import former, turns
from .blocks import fit_block, fit_list
from .edit import Edit
from .tool_calls import read_further
from .values import clean_text, merged_meta, plain

Update = dict[str, Any]
Handler = Callable[[Edit, Update], None]

LETTERS = {"user": "u:", "agent": "a:", "thought": "h:"}
"""The keys of messages begin with one of these, by role: agents give a thought and its answer the same id."""
_KNOWN = frozenset({"sessionUpdate", "messageId", "content", "_meta"})


def whole(role: str) -> Handler:
    """The handler of `user_message`, `agent_message` or `agent_thought`: an upsert with patches."""

    def handle(edit: Edit, update: Update) -> None:
        message_id = update.get("messageId")
        if type(message_id) is not str:
            edit.diagnose("messageId is missing or no text; dropped")
            return
        key = LETTERS[role] + message_id
        message = former.find(edit, "messages", key)
        changes: dict[str, Any] = {}
        if "content" in update:
            content = update["content"]
            if content is None:
                changes["content"] = []
            elif type(content) is list:
                changes["content"] = fit_list(content, fit_block, edit, f"content of {message_id}")
            else:
                edit.diagnose("content is no list; unchanged")
        if "_meta" in update:
            meta = update["_meta"]
            if meta is None or type(meta) is dict:
                changes["_meta"] = merged_meta(message["_meta"] if message else {}, meta)
            else:
                edit.diagnose("_meta is no object; unchanged")
        changes |= read_further(update, _KNOWN, message)
        edit.memory.local = None
        _streaming(edit, role, key)
        if message is None:
            _create(edit, role, key, message_id, changes)
        else:
            for name, value in changes.items():
                edit.set(("messages", key, name), value)

    return handle


def chunk(role: str) -> Handler:
    """The handler of `user_message_chunk`, `agent_message_chunk` or `agent_thought_chunk`.

    The hottest path of the reducer. It takes the update as it came: only what is kept is cleaned.
    """
    letter = LETTERS[role]
    thinking = role == "thought"

    def handle(edit: Edit, update: Update) -> None:
        message_id = update.get("messageId")
        block = update.get("content")
        if (
            type(message_id) is str
            and type(block) is dict
            and len(block) == 2
            and block.get("type") == "text"
            and type(text := block.get("text")) is str
        ):
            memory = edit.memory
            key = letter + message_id
            message = edit.data["messages"].get(key)
            if message is not None and not memory.former and (content := message["content"]):
                last = content[-1]
                if len(last) == 2 and last["type"] == "text":
                    memory.local = None
                    if memory.thought is not None if not thinking else memory.thought != key:
                        _streaming(edit, role, key)
                    if text:
                        place = ("messages", key, "content", len(content) - 1, "text")
                        edit.text(place, text if text.isascii() else clean_text(text))
                    return
        _other_chunk(edit, role, message_id, block)

    return handle


def _other_chunk(edit: Edit, role: str, message_id: Any, block: Any) -> None:
    fitting = fit_block(plain(block), edit, "content")
    if fitting is None:
        return
    if type(message_id) is str:
        message_id = clean_text(message_id)
        key = LETTERS[role] + message_id
        edit.memory.local = None
    else:
        message_id, key = _local(edit, role)
    message = former.find(edit, "messages", key)
    _streaming(edit, role, key)
    if message is None:
        _create(edit, role, key, message_id, {"content": [fitting]})
        return
    content = message["content"]
    if _is_plain_text(fitting) and content and _is_plain_text(content[-1]):
        if fitting["text"]:
            edit.text(("messages", key, "content", len(content) - 1, "text"), fitting["text"])
    else:
        edit.append(("messages", key, "content"), fitting)


def _is_plain_text(block: dict[str, Any]) -> bool:
    """Neighbours of exactly these two fields are one running text."""
    return len(block) == 2 and block["type"] == "text"


def _local(edit: Edit, role: str) -> tuple[str, str]:
    """The id and key for a chunk without an id: the message that such chunks built last, or a new one."""
    memory = edit.memory
    edit.diagnose("a chunk without a messageId: shown in a message with an id of our own")
    if memory.local is not None and memory.local[0] == role:
        key = memory.local[1]
        return key[2:], key
    while True:
        message_id = f"local-{memory.number('local')}"
        key = LETTERS[role] + message_id
        if key not in edit.data["messages"]:
            memory.local = (role, key)
            return message_id, key


def _streaming(edit: Edit, role: str, key: str) -> None:
    """This message is what comes now: a thought that came before it has ended."""
    memory = edit.memory
    if memory.thought is not None and memory.thought != key:
        turns.close_thought(edit)
    if role == "thought":
        memory.thought = key


def _create(edit: Edit, role: str, key: str, message_id: str, known: dict[str, Any]) -> None:
    if role == "user":
        turn = turns.turn_of_user_message(edit, key, message_id, known.get("content", []))
    else:
        turn = turns.turn_of_new(edit)
    message = {
        "messageId": message_id,
        "role": role,
        "content": [],
        "_meta": {},
        **known,
        "turn": turn,
        "at": edit.times(),
    }
    edit.create("messages", key, message)
    if role == "user":
        turns.user_message_seen(edit, key, message_id)
