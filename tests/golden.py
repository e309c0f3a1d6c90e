"""Golden files that pytest and vitest both read. `python -m tests.golden` writes them anew."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

from .terminal_cases import CASES

FOLDER = Path(__file__).parent / "golden"


def terminal_text() -> str:
    """`[{name, chunks: [base64], text}]`."""
    return _lines(
        {"name": name, "chunks": [b64encode(c).decode() for c in chunks], "text": text} for name, chunks, text in CASES
    )


def _lines(items: Any) -> str:
    return "[\n" + ",\n".join(json.dumps(item, ensure_ascii=True, separators=(",", ":")) for item in items) + "\n]\n"


FILES = {"terminal_text.json": terminal_text}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")
        print("wrote", FOLDER / name)


if __name__ == "__main__":
    main()
