"""Which tool calls still run: the same cases as in `js/test/views/ToolCall.test.tsx`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_widget.session.running import is_running

Json = dict[str, Any]
OVER = {"at": {"queued": None, "sent": 0.0, "end": 60.0}}
UNDER_WAY = {"at": {"queued": None, "sent": 0.0, "end": None}}
LATE = {"first": 100.0, "start": 100.0, "end": None}
EARLY = {"first": 1.0, "start": 1.0, "end": None}
OPTIONS = [{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]


def snapshot(
    call: Json, turn: Json = UNDER_WAY, background: Any = None, asked: Json | None = None, **session: Any
) -> Json:
    return {
        "session": {"connection": "ready", "at": {"ready": 0.5}, **session},
        "state": {"background": background},
        "turns": {"r:1": turn},
        "toolCalls": {"t:c": {"toolCallId": "c", "status": "in_progress", "turn": "r:1", "at": EARLY, **call}},
        "permissions": {} if asked is None else {"p:1": {"toolCallId": "c", "options": OPTIONS, **asked}},
    }


def selected(option_id: str, end: float) -> Json:
    return {"status": "selected", "optionId": option_id, "at": {"end": end}}


LISTED = [{"type": "tool_call", "toolCallId": "c"}]
CASES: list[tuple[str, Json, bool]] = [
    ("in its turn", snapshot({}), True),
    ("waiting to begin in its turn", snapshot({"status": "pending", "at": {**EARLY, "start": None}}), True),
    ("with a status nobody knows", snapshot({"status": "_waiting_for_quota"}), True),
    ("completed", snapshot({"status": "completed"}), False),
    ("failed", snapshot({"status": "failed"}), False),
    ("cancelled", snapshot({"status": "cancelled"}), False),
    ("left by its turn", snapshot({}, OVER), False),
    ("in the background", snapshot({}, OVER, LISTED), True),
    ("not in the background", snapshot({"at": LATE}, OVER, []), False),
    ("begun after its turn", snapshot({"at": LATE}, OVER), True),
    ("announced after its turn", snapshot({"status": "pending", "at": {**LATE, "start": None}}, OVER), False),
    ("told by a replay", snapshot({"at": LATE}, OVER, at={"ready": 200.0}), False),
    ("of an agent that ended", snapshot({}, connection="failed"), False),
    ("of an agent that was closed", snapshot({}, OVER, LISTED, connection="closed"), False),
    ("asking", snapshot({}, asked={"status": "pending"}), False),
    ("allowed", snapshot({}, asked=selected("y", 2.0)), True),
    ("rejected", snapshot({}, asked=selected("n", 2.0)), False),
    ("rejected, and begun since", snapshot({"at": {**EARLY, "start": 3.0}}, asked=selected("n", 2.0)), True),
    ("without a turn", snapshot({"turn": None}), True),
    ("not there", {"toolCalls": {}}, False),
]


@pytest.mark.parametrize(("state", "runs"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_call(state: Json, runs: bool) -> None:
    assert is_running(state, "t:c") is runs


anything = st.recursive(
    st.none() | st.integers() | st.sampled_from(["c", "r:1", "t:c", "ready", "in_progress"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["t:c", "toolCallId", "at", "end", "status", "turn", "options"]), inner, max_size=4
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["toolCalls", "turns", "state", "session", "permissions"]), anything))
def test_of_what_cannot_be_read_it_is_told_too(state: Json) -> None:
    assert is_running(state, "t:c") in (True, False)
