"""A prompt with what is attached to it: a snapshot at the call, blocks when the agent's capabilities are known."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from .adapters import snapshot
from .cells import Cells, cell_parts
from .doubts import BRACES, doubt
from .parts import Json, Part, size

PARTS: Final = 50
TOTAL: Final = 20_000_000
EVERYTHING: Final[Mapping[str, Any]] = {"image": {}, "embeddedContext": {}}
"""What is assumed of an agent that has not started: only for what is shown meanwhile."""

Attach = Mapping[str, object] | Sequence[object] | None


class Attached:
    """The text of a prompt and its parts, as they were when it was made."""

    def __init__(self, text: str, parts: Sequence[Part]) -> None:
        self.text, self._parts = text, parts
        self.doubt = ""
        """A sentence about a name that is perhaps not what was meant."""

    def blocks(self, capabilities: Mapping[str, Any] = EVERYTHING) -> list[Json]:
        """The content blocks for an agent with these prompt capabilities."""
        return [{"type": "text", "text": self.text}, *(part.block(capabilities) for part in self._parts)]


def attached(
    text: str,
    parts: Sequence[object],
    attach: Attach,
    named: Mapping[str, object],
    cells: Cells = None,
    *,
    known: Callable[[], Container[str]] = frozenset,
) -> Attached:
    """`{name}` in the text becomes a mention of what is attached by that name; other braces stay as they are.

    `known` gives the names of which it is told when nothing is attached for them: the variables of the notebook.

    Raises `TypeError` and `ValueError` for what cannot be attached, `OSError` for a file that cannot be read.

    >>> attached("Sum {xs}, not {ys}", [], None, {"xs": [1, 2]}).blocks()[0]["text"]
    'Sum `xs`, not {ys}'
    """
    objects: dict[str, object] = {}
    if attach is not None and not isinstance(attach, (Mapping, list, tuple)):
        raise TypeError(f"attach= takes a mapping from names to objects, or a list, not {type(attach).__name__}.")
    letters = next((each for each in attach or () if type(each) is str and each.isidentifier()), None)
    if letters is not None and not isinstance(attach, Mapping):
        raise ValueError(
            f"attach=[{letters!r}] would send these letters and no object. With its name: "
            f"attach={{{letters!r}: {letters}}}; without: attach=[{letters}]."
        )
    unnamed = [*parts, *(attach if isinstance(attach, (list, tuple)) else ())]
    for source in (attach if isinstance(attach, Mapping) else {}, named):
        for name, value in source.items():
            if not isinstance(name, str):
                raise TypeError(f"The names of attach= are texts, not {type(name).__name__}.")
            if name in objects:
                raise ValueError(f"{name!r} is attached twice.")
            objects[name] = value
    for number, value in enumerate(unnamed, 1):
        is_path = issubclass(type(value), PurePath)  # what it says itself of its class may be an error
        name = (value.name or str(value)) if is_path and isinstance(value, PurePath) else f"part {number}"
        while name in objects:
            name += "'"
        objects[name] = value
    ran = cell_parts(cells)
    if (number := len(objects) + len(ran)) > PARTS:
        raise ValueError(f"{number} objects are attached; at most {PARTS} go with one prompt.")
    mentioned = BRACES.sub(lambda match: f"`{match[1]}`" if match[1] in objects else match[0], text)
    given = together(mentioned, [*ran, *(snapshot(value, name) for name, value in objects.items())])
    nameless = any(not issubclass(type(value), PurePath) for value in unnamed)
    given.doubt = doubt(text, objects, named, nameless=nameless, known=known)
    return given


def together(text: str, parts: Sequence[Part]) -> Attached:
    """A text and its parts as one prompt. Raises `ValueError` when they are too large."""
    if (total := sum(part.size for part in parts)) > TOTAL:
        raise ValueError(f"What is attached has {size(total)}; at most {size(TOTAL)} go with one prompt.")
    return Attached(text, parts)
