"""What programs printed, and what they could print: bytes for the screens of both languages to agree on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

RECORDINGS = Path(__file__).parent / "terminal_recordings"

_WORDS = ["a", "ok", "warning: ", "  ", "日本", "größe", "e\u0301", "━━━", "x" * 13, "コ\u0301!", "😀"]
_ODD = [
    "\x1b]0;title\x07",
    "\x1b[?25l",
    "\x1b[1;31m",
    "\x1b(B",
    "\x1b(0",
    "\x1b)0",
    "\x0e",
    "\x0f",
    "\x07",
    "\x1b[3J",
    "\x1bc",
    "\x1b[?1049h",
    "\x1b[?1049l",
]
_MOVES = ["\r", "\n", "\r\n", "\b", "\t", "\x1b7", "\x1b8", "\x1bD", "\x1bE", "\x1bM", "\x1b[s", "\x1b[u"]


def recordings() -> Iterator[tuple[str, int, int, bytes]]:
    """Name, rows, columns and bytes of every recording; the size stands in the name of the file."""
    for path in sorted(RECORDINGS.iterdir()):
        columns, rows = path.name.split(".")[1].split("x")
        yield path.name, int(rows), int(columns), path.read_bytes()


def random_stream(seed: int) -> tuple[int, int, bytes]:
    """Rows, columns and bytes."""
    random = Random(seed)
    rows, columns = random.randint(2, 9), random.randint(8, 50)

    def piece() -> str:
        numbers = random.choice(
            ["", "0", "1", "2", "3", "7", f"{random.randint(1, rows)};{random.randint(1, columns)}"]
        )
        sequence = f"\x1b[{numbers}{random.choice('ABCDEFGHIJKLMPSTXZ@`abdefr')}"
        kinds = [_WORDS, _WORDS, _WORDS, _MOVES, _MOVES, _ODD, [sequence], [sequence]]
        return random.choice(random.choice(kinds))

    return rows, columns, "".join(piece() for _ in range(random.randint(20, 60))).encode()
