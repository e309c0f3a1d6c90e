"""The reference in docs/ has every public name, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import acp_widget

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference.md"


def test_every_public_name_is_in_the_reference() -> None:
    named = re.findall(r"^::: acp_widget\.(\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == set(acp_widget.__all__) - {"__version__"}
