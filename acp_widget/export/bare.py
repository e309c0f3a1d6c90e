"""HTML that somebody else wrote → the same words between plain tags: no attribute, nothing but what is listed here."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Final

_BLOCKS: Final = frozenset(["div", "pre", "p", "li", "tr", "summary", "details", "blockquote"])
_TAGS: Final = _BLOCKS | {"span", "code", "b", "strong", "em", "del", "ul", "ol", "table", "th", "td"}
_UNSEEN: Final = frozenset(["script", "style", "template", "head", "title", "noscript", "iframe", "textarea"])


class _Bare(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.html: list[str] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _TAGS and not self._unseen:
            self.html.append(f"<{tag}>")
            self._open.append(tag)
        elif tag == "br":
            self.html.append("<br>")
            self._break()

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in self._open:
            while self._open:
                last = self._open.pop()
                self.html.append(f"</{last}>")
                if last == tag:
                    break
            if tag in _BLOCKS:
                self._break()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.html.append(escape(data))
            self.text.append(data)

    def _break(self) -> None:
        if self.text and not self.text[-1].endswith("\n"):
            self.text.append("\n")

    def close(self) -> None:
        super().close()
        self.html += [f"</{tag}>" for tag in reversed(self._open)]
        self._open.clear()


def bare(source: str) -> tuple[str, str]:
    """The HTML without attributes and unknown tags, and its words as text.

    >>> bare('<div class="x" onclick="go()">a <img src=x onerror=y><b>b</b><script>c</script></div>')
    ('<div>a <b>b</b></div>', 'a b\\n')
    """
    parser = _Bare()
    parser.feed(source)
    parser.close()
    return "".join(parser.html), "".join(parser.text)
