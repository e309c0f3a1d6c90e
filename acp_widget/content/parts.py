"""What is attached to a prompt: a snapshot of one object, and the content block that an agent can take of it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from .values import written

ROWS: Final = 20
COLUMNS: Final = 30
TABLE_BYTES: Final = 8 * 1024
CELL: Final = 200  # characters
TEXT_BYTES: Final = 64 * 1024
IMAGE_BYTES: Final = 5_000_000
BLOB_BYTES: Final = 1_000_000

Json = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One object as it was when it was attached. `note` says what of it was left out, or is not shown.

    `image`: its mime type and bytes, for agents that take pictures. `blob`: bytes for agents that take embedded
    resources. `link`: the fields of a `resource_link`, for what every agent can read by itself. `text`: for all others.
    """

    name: str
    kind: str
    text: str = ""
    mime: str = "text/plain"
    note: str = ""
    uri: str | None = None
    image: tuple[str, bytes] | None = None
    blob: bytes | None = None
    link: Mapping[str, Any] | None = None

    @property
    def size(self) -> int:
        """Bytes that it takes at most, before base64."""
        return len(self.text.encode("utf-8", "replace")) + len(self.blob or b"") + len((self.image or ("", b""))[1])

    def block(self, capabilities: Mapping[str, Any]) -> Json:
        """The content block for an agent with these prompt capabilities (ACP v2, Content)."""
        meta = {"acp-widget": {"name": self.name, "kind": self.kind, **({"note": self.note} if self.note else {})}}
        uri = self.uri or f"notebook:///{quote(self.name, safe='')}"
        if self.image is not None and _takes(capabilities, "image"):
            return {"type": "image", "mimeType": self.image[0], "data": _base64(self.image[1]), "_meta": meta}
        embeds = _takes(capabilities, "embeddedContext")
        if self.link is not None and not (embeds and self.text):
            return {"type": "resource_link", **self.link, "_meta": meta}
        if embeds and self.blob is not None:
            resource = {"uri": uri, "mimeType": self.mime, "blob": _base64(self.blob)}
            return {"type": "resource", "resource": resource, "_meta": meta}
        if embeds:
            resource = {"uri": uri, "mimeType": self.mime, "text": self._said()}
            return {"type": "resource", "resource": resource, "_meta": meta}
        return {"type": "text", "text": f"\n\n{self.name} ({self.kind}):\n{fenced(self._said())}\n", "_meta": meta}

    def _said(self) -> str:
        return f"{self.note}\n{self.text}" if self.note else self.text


def _takes(capabilities: Mapping[str, Any], name: str) -> bool:
    """`{}` says yes (v2), as True does (v1)."""
    return capabilities.get(name) not in (None, False)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def fenced(text: str) -> str:
    """A text between fences that it cannot close."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def size(number: int) -> str:
    """`8.2 kB`, as the transcript says it."""
    amount, unit = float(number), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{number} B" if unit == "B" else f"{amount:.1f} {unit}"


def clean(text: str) -> str:
    """Without the halves of characters that no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, limit: int, *, end: bool = False) -> tuple[str, str]:
    """The beginning (or the `end`) of a text within `limit` bytes, and what to say of the rest: `""` when it fits."""
    if len(text) <= limit // 4:
        return clean(text), ""
    total = len(text)
    taken = text[-limit:] if end else text[:limit]  # no more than that fits, however large the text is
    data = taken.encode("utf-8", "replace")
    kept = (data[-limit:] if end else data[:limit]).decode("utf-8", "ignore")
    if len(kept) == total:
        return kept, ""
    return kept, f"Shown: the {'last' if end else 'first'} {len(kept):,} of {total:,} characters."


def cell(value: object) -> str:
    """One value of a table, short whatever it holds."""
    return told_in_part(value)[0]


def told_in_part(value: object) -> tuple[str, bool]:
    """The same, and whether something of it was left out."""
    left_out = ""
    if issubclass(type(value), str):  # not by what it says itself of its class, which may be an error
        text = str.__getitem__(value, slice(0, CELL + 1))  # type: ignore[index]
    elif type(value).__module__.partition(".")[0] in ("numpy", "pandas", "datetime", "decimal"):
        text = str(value)  # as people write it: 1.0, not np.float64(1.0)
    else:
        text, left_out = written(value, 4 * CELL)
    short = text if len(text) <= CELL else text[: CELL - 1] + "…"
    return clean(short), bool(left_out) or short is not text


def brief(value: object) -> str:
    """`repr()`, of containers only the beginning. What cannot be shown says so."""
    return clean(written(value, TABLE_BYTES)[0])
