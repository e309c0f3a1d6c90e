"""Which blocks of a prompt are objects that were attached to it, and what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Attachment(NamedTuple):
    """An object that went with a prompt, as one of `turn.attached`.

    `name`: the variable, the file's name, or `part 1` for what had none. `kind`: what it was, `pandas DataFrame` for
    instance. `size`: bytes as it was sent, before base64; of a link, of the file. `note`: what of it was left out, `""`
    when all of it went.

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     turn = agent.run("Look at {primes}.", primes=[2, 3, 5], show=False)
    >>> turn.attached
    [Attachment(name='primes', kind='list', size=9, note='')]
    """

    name: str
    kind: str
    size: int
    note: str


def own_words(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The blocks of a turn's prompt that a user wrote."""
    return [block for block in _blocks(turn) if not _ours(turn) or attachment(block) is None]


def attachments(turn: Mapping[str, Any]) -> list[Attachment]:
    """What was attached to a turn's prompt."""
    blocks = _blocks(turn) if _ours(turn) else []
    return [each for block in blocks if (each := attachment(block)) is not None]


def _blocks(turn: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    prompt = turn.get("prompt")
    return [block for block in prompt if isinstance(block, Mapping)] if isinstance(prompt, (list, tuple)) else []


def _ours(turn: Mapping[str, Any]) -> bool:
    """Whether we sent the prompt. One that an agent replays is its own words, whatever its `_meta` says."""
    return turn.get("source") is not None


def attachment(block: Mapping[str, Any]) -> Attachment | None:
    """What a block of a prompt attaches; None when the user wrote it.

    >>> attachment({"type": "text", "text": "abc", "_meta": {"acp-widget": {"name": "df", "kind": "DataFrame"}}})
    Attachment(name='df', kind='DataFrame', size=3, note='')
    """
    meta = block.get("_meta")
    ours = meta.get("acp-widget") if isinstance(meta, Mapping) else None
    if not isinstance(ours, Mapping):
        return None
    return Attachment(str(ours.get("name", "")), str(ours.get("kind", "")), _size(block), str(ours.get("note") or ""))


def _size(block: Mapping[str, Any]) -> int:
    resource = block.get("resource")
    holds = resource if isinstance(resource, Mapping) else block
    if isinstance(holds.get("text"), str):
        return len(holds["text"].encode("utf-8", "replace"))
    data = holds.get("blob") or holds.get("data")
    size = holds.get("size")
    return len(data) * 3 // 4 if isinstance(data, str) else size if isinstance(size, int) else 0
