"""Tool calls (ACP v2, Tool Calls): upserts by id, and content that comes in chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any

from . import former, turns
from .blocks import fit_list, fit_location, fit_tool_content
from .edit import Edit
from .values import clean_text, is_text, merged_meta, plain
from .words import TOOL_KINDS, is_final

Update = dict[str, Any]


FIELDS: Fields = {
    "title": (None, read_text),
    "name": (None, read_text),
    "kind": ("other", read_text),
    "status": ("pending", read_text),
    "content": ([], _read_content),
    "locations": ([], _read_locations),
    "rawInput": (None, _read_any),
    "rawOutput": (None, _read_any),
    "capabilities": (None, read_capabilities),
}
_KNOWN = known_fields(FIELDS, "toolCallId")
