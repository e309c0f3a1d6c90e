"""Colours and marks of terminal text ("select graphic rendition") as CSS, made from numbers (js/src/lib/sgr.ts)."""

from __future__ import annotations

from typing import Final

GROUND: Final = "#16191d"
"""What a screen is drawn on, in light and dark pages alike: its colours are made for it."""
INK: Final = "#e3e6ea"

_TEXT: Final = (
    *("#8b949e", "#ff7b72", "#4cc26b", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd", "#d7dbe0"),
    *("#9aa3ad", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#7fe3ea", "#ffffff"),
)
_BACK: Final = (
    *("#30363d", "#a1260d", "#1a7f37", "#7d5c00", "#1158a8", "#6e40c9", "#0f6c75", "#b1bac4"),
    *("#57606a", "#cf222e", "#2da44e", "#bf8700", "#218bff", "#a475f9", "#3192aa", "#ffffff"),
)
_FLAGS: Final[dict[int, tuple[str, bool]]] = {
    1: ("bold", True),
    2: ("dim", True),
    3: ("italic", True),
    4: ("underline", True),
    7: ("inverse", True),
    9: ("strike", True),
    21: ("underline", True),
    23: ("italic", False),
    24: ("underline", False),
    27: ("inverse", False),
    29: ("strike", False),
}
_MARKS: Final = {"bold": "font-weight:bold", "dim": "opacity:0.75", "italic": "font-style:italic"}
_LINES: Final = {"underline": "underline", "strike": "line-through"}

Colour = int | str | None


class Pen:
    """Reads codes; `style` is how the next text looks, as CSS declarations, "" for plain text.

    >>> pen = Pen()
    >>> pen.read("1;31")
    >>> pen.style
    'color:#ff7b72;font-weight:bold'
    >>> pen.read("0")
    >>> pen.style
    ''
    """

    def __init__(self) -> None:
        self.style = ""
        self._flags: dict[str, bool] = {}
        self._text: Colour = None
        self._back: Colour = None

    def read(self, parameters: str) -> None:
        """The parameters between `ESC [` and `m`."""
        parts = parameters.split(";")
        at = 0
        while at < len(parts):
            sub = [_number(part) for part in parts[at].split(":")]
            at += 1
            if sub[0] in (38, 48, 58):
                # "38:2:<space>:r:g:b" and "38:2:r:g:b" are both written.
                inside = [sub[1], *sub[3:]] if len(sub) >= 6 and sub[1] == 2 else sub[1:]
                colour, used = _extended(inside or [_number(part) for part in parts[at : at + 4]])
                at += 0 if inside else used
                if colour is not None and sub[0] != 58:
                    self._paint(sub[0] - 8, colour)
            else:
                self._change(24 if sub[:2] == [4, 0] else sub[0])
        self.style = self._css()

    def _change(self, code: int) -> None:
        if code == 0:
            self._flags, self._text, self._back = {}, None, None
        elif code in _FLAGS:
            name, on = _FLAGS[code]
            self._flags[name] = on
        elif code == 22:
            self._flags.update(bold=False, dim=False)
        elif code in (39, 49):
            self._paint(code - 9, None)
        elif 30 <= code <= 37 or 40 <= code <= 47:
            self._paint(code // 10 * 10, code % 10)
        elif 90 <= code <= 97 or 100 <= code <= 107:
            self._paint(code // 10 * 10 - 60, code % 10 + 8)

    def _paint(self, what: int, colour: Colour) -> None:
        """30 for the text, 40 for what is behind it."""
        if what == 30:
            self._text = colour
        else:
            self._back = colour

    def _css(self) -> str:
        text, back = self._text, self._back
        ink = _TEXT[text] if isinstance(text, int) else text
        ground = _BACK[back] if isinstance(back, int) else back
        if self._flags.get("inverse"):
            ink, ground = ground or GROUND, ink or INK
        elif ground and not ink:
            ink = _ink_on(ground)
        declarations = [f"color:{ink}"] if ink else []
        declarations += [f"background-color:{ground}"] if ground else []
        declarations += [css for name, css in _MARKS.items() if self._flags.get(name)]
        lines = " ".join(css for name, css in _LINES.items() if self._flags.get(name))
        return ";".join([*declarations, *([f"text-decoration:{lines}"] if lines else [])])


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else 0


def _extended(codes: list[int]) -> tuple[Colour, int]:
    """The colour after a 38 or 48, and how many codes it took."""
    codes = [*codes, 0, 0, 0, 0]
    if codes[0] == 5:
        return _of_256(min(255, codes[1])), 2
    if codes[0] == 2:
        return _hex(*codes[1:4]), 4
    return None, 0


def _of_256(index: int) -> Colour:
    if index < 16:
        return index
    if index >= 232:
        grey = 8 + (index - 232) * 10
        return _hex(grey, grey, grey)
    cube = index - 16
    red, green, blue = (0 if step == 0 else 55 + step * 40 for step in (cube // 36, cube // 6 % 6, cube % 6))
    return _hex(red, green, blue)


def _hex(red: int, green: int, blue: int) -> str:
    return f"#{min(255, red):02x}{min(255, green):02x}{min(255, blue):02x}"


def _ink_on(ground: str) -> str:
    """Black or white, whichever is read better."""
    red, green, blue = (int(ground[at : at + 2], 16) for at in (1, 3, 5))
    return "#000000" if 299 * red + 587 * green + 114 * blue > 125_000 else "#ffffff"
