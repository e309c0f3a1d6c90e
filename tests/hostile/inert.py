"""What HTML of ours may be made of, read by a parser: everything else, and every word of an agent in it, is found."""

from __future__ import annotations

import re
from html.parser import HTMLParser

PARTS = frozenset(
    ["div", "span", "pre", "code", "b", "p", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"]
)
PARTS |= {"strong", "em", "del", "br", "blockquote", "ul", "ol", "li"}
"""Elements of a transcript, a result, a table."""
WHOLE = PARTS | {"html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "article"}
WHOLE |= {"h1", "h2", "h3", "hr", "time"}
"""Elements of a page of its own."""
ATTRIBUTES = {"*": {"class", "style", "dir", "lang"}, "details": {"open"}, "img": {"src", "alt"}, "ol": {"start"}}
METAS = {"charset", "name", "content", "http-equiv"}
VOID = ("meta", "hr", "br", "img")
RASTER = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")
STYLE = re.compile(r"(?:[a-z-]+: ?[a-zA-Z0-9#.,()% -]+(?:;|$) ?)+")
CANARY = re.compile(r"77\d{10}")
_CARRIES = re.compile(r"url|expression|image|import|src|@|\\", re.IGNORECASE)


class Inert(HTMLParser):
    """Parsed HTML; `wrong` is what must not be in it, `text` what a reader sees."""

    def __init__(self, source: str, tags: frozenset[str] = PARTS) -> None:
        super().__init__(convert_charrefs=True)
        self._tags = tags
        self.wrong: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._tags and tag != "img":
            self.wrong.append(f"<{tag}>")
        allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(tag, set()) | (METAS if tag == "meta" else set())
        self.wrong += [
            f"<{tag} {name}={value!r:.200}>"
            for name, value in attrs
            if name not in allowed or not _is_ours(name, value or "")
        ]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"</{tag}> ends nothing")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("style", "script") and CANARY.search(data):
            self.wrong.append(f"<{self._open[-1]}> holds a word of the agent")
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data:.100}")

    def handle_decl(self, decl: str) -> None:
        if not (self._tags is WHOLE and decl.lower() == "doctype html" and not self._open):
            self.wrong.append(f"<!{decl:.100}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data:.100}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"<![{data:.100}")


def _is_ours(name: str, value: str) -> bool:
    """Whether an attribute is one that we write, with no word of an agent in it but as the name of a picture."""
    if name == "style":
        return bool(STYLE.fullmatch(value)) and not _CARRIES.search(value)
    if name == "src":
        return bool(RASTER.fullmatch(value))
    return name == "alt" or not (CANARY.search(value) or (name == "http-equiv" and value.lower() == "refresh"))


# Lone halves of a character, control characters but line end and tab, and what turns the text around.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def hidden(text: str) -> list[str]:
    """Characters that a reader cannot see but a terminal or the text around them obeys."""
    return sorted({f"U+{ord(char):04X}" for char in _HIDDEN.findall(text)})
