"""The code blocks of a message, as CommonMark has them."""

from __future__ import annotations

import pytest

from acp_widget import CodeBlock
from acp_widget.code_blocks import fenced

from .state_host import Host, said


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("no code, `only` this", []),
        ("```python\na\n```", [("python", "a\n")]),
        ("```\na\n\n\nb\n```\n", [(None, "a\n\n\nb\n")]),
        ("~~~ js title=x\nb\n~~~", [("js", "b\n")]),
        ("````md\n```py\nx\n```\n````", [("md", "```py\nx\n```\n")]),
        ("```py\na\n~~~\nb\n```", [("py", "a\n~~~\nb\n")]),
        ("```py\na\n``` x\nb\n```", [("py", "a\n``` x\nb\n")]),
        ("- item\n\n  ```py\n  x = 1\n    y\n  ```\n", [("py", "x = 1\n  y\n")]),
        ("1. a\n   - b\n     ```py\n     z\n     ```\n", [("py", "z\n")]),
        ("> ```sh\n> ls\n> ```\n", [("sh", "ls\n")]),
        ("> ```py\n> a\nb", [("py", "a\n")]),
        ("   ```py\n   a\n  b\n   ```", [("py", "a\nb\n")]),
        ("    ```\n    x\n", []),
        ("text\n```py\ncode\n```\nmore", [("py", "code\n")]),
        ("```py\nopen\nto the end", [("py", "open\nto the end\n")]),
        ("```py\r\na\r\nb\r\n```\r\n", [("py", "a\nb\n")]),
        ("```a\n1\n```\n```b\n2\n```", [("a", "1\n"), ("b", "2\n")]),
        ("<div>\n```py\nx\n```\n</div>", []),
        ("``` a`b\nx", []),
        ("```\n```", [(None, "")]),
    ],
)
def test_fences_are_found_wherever_commonmark_has_them(text: str, blocks: list[tuple[str | None, str]]) -> None:
    assert fenced(text) == blocks


@pytest.mark.parametrize("piece", ["> ", "- ", "```\n", "  - a\n", "*", "[", "<!--", "~", "1. ", "| a "])
def test_no_message_takes_long(piece: str) -> None:
    assert isinstance(fenced(piece * 8_000 + "\n```\nx\n```"), list)


def test_a_turn_has_the_blocks_of_what_the_agent_said_while_it_says_it() -> None:
    host = Host()
    turn = host.turn()
    host.feed(
        said("u", "```py\nmine\n```", "user_message_chunk"), said("h", "```\nthought\n```", "agent_thought_chunk")
    )
    host.feed(said("a", "Try:\n```py\nx"))
    assert [block.code for block in turn.code_blocks] == ["x\n"]
    host.feed(said("a", " = 1\n```\n"), said("b", "```sh\nls\n```"))
    first, second = turn.code_blocks
    assert (first.language, first.code, first.message.id, first.lines) == ("py", "x = 1\n", "a", 1)
    assert str(second) == "ls\n"
    assert turn.code_blocks.where(language="sh") == [second]
    assert second == CodeBlock("sh", "ls\n", turn.messages[0])
    assert first.to_dict() == {"language": "py", "code": "x = 1\n", "messageId": "a"}
    assert repr(first) == "<CodeBlock 'py', 1 line: 'x = 1'>"
