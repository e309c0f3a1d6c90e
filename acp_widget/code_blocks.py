"""The fenced code blocks of what an agent said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .entities import Result, quoted
from .export.entries import Entry, Literal

if TYPE_CHECKING:
    from .parts import Message

_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,40}")


@dataclass(frozen=True, repr=False)
class CodeBlock(Result):
    """A fenced code block of a message: its `language` as the agent wrote it (None when it did not), and its `code`.

    `code` ends with a newline unless it is empty. `print(block)` gives the code alone.

    >>> from acp_widget import Agent
    >>> with Agent("demo") as agent:
    ...     turn = agent.run("hello")
    >>> [block.language for block in turn.code_blocks]
    []
    """

    language: str | None
    code: str
    message: Message = field(compare=False)

    _columns = (("language", "text"), ("code", "text"), ("lines", "count"), ("message_id", "text"))

    @property
    def lines(self) -> int:
        """How many lines the code has."""
        return len(self.code.splitlines())

    @property
    def message_id(self) -> str:
        """The id of the message that it stands in."""
        return self.message.id

    def to_dict(self) -> dict[str, Any]:
        return {"language": self.language, "code": self.code, "messageId": self.message_id}

    def _drawn(self) -> Sequence[Entry]:
        word = self.language or ""
        return [Literal(word or "Code", self.code, language=word if _LANGUAGE.fullmatch(word) else "")]

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        size = "1 line" if self.lines == 1 else f"{self.lines} lines"
        return f"<CodeBlock {quoted(self.language or 'no language')}, {size}: {quoted(self.code)}>"


def fenced(text: str) -> list[tuple[str | None, str]]:
    """Language and code of each fenced block of a markdown text, as CommonMark has them: in lists and quotes too, with
    backticks or tildes; one that is not closed goes on to the end. Indented code has no fence and is not meant.

    >>> fenced("See:\\n\\n- ```python\\n  x = 1\\n  ```\\n\\n~~~\\n```\\n")
    [('python', 'x = 1\\n'), (None, '```\\n')]
    """
    if "```" not in text and "~~~" not in text:
        return []
    import mistune  # when first needed: an import of acp_widget stays cheap

    markdown = mistune.create_markdown(renderer=None)
    state = markdown.block.state_cls()
    state.process(text.replace("\r\n", "\n").replace("\r", "\n"))
    markdown.block.parse(state)
    return list(_blocks(state.tokens))


def _blocks(tokens: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str | None, str]]:
    for token in tokens:
        if token["type"] == "block_code" and token.get("style") == "fenced":
            words = str((token.get("attrs") or {}).get("info") or "").split()
            code = str(token["raw"])
            yield (words[0] if words else None), code if code.endswith("\n") or not code else f"{code}\n"
        yield from _blocks(token.get("children") or ())
