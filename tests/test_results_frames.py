"""Results as pandas tables: the same columns and types for any number of rows."""

from __future__ import annotations

import pytest

from acp_widget import Agent, Turn

from .state_host import Host
from .test_results_shown import busy

pandas = pytest.importorskip("pandas", reason="tables are made where pandas is installed: pip install pandas")

TIMES = {"first": "datetime64[ns, UTC]", "ended": "datetime64[ns, UTC]", "seconds": "float64"}
COLUMNS = {
    "messages": {
        **{"id": "object", "turn": "Int64", "role": "object", "text": "object", "code_blocks": "Int64"},
        **{"first": TIMES["first"], "ended": TIMES["ended"]},
    },
    "tool_calls": {
        **{"id": "object", "turn": "Int64", "kind": "object", "status": "object", "title": "object", "name": "object"},
        **{"paths": "object", "asked": "boolean", "text": "object", "first": TIMES["first"]},
        **{"started": TIMES["first"], "ended": TIMES["ended"], "seconds": "float64"},
    },
    "terminals": {
        **{"id": "object", "turn": "Int64", "command": "object", "cwd": "object", "exit_code": "Int64"},
        **{"signal": "object", "size": "Int64", "cut": "Int64", "text": "object", **TIMES},
    },
    "permissions": {
        **{"id": "object", "turn": "Int64", "title": "object", "status": "object", "option_id": "object"},
        **{"allowed": "boolean", "by": "object", "why": "object", "tool_call_id": "object"},
        **{"asked": TIMES["first"], "answered": TIMES["first"], "seconds": "float64"},
    },
    "diffs": {
        **{"paths": "object", "operations": "object", "added": "Int64", "removed": "Int64"},
        **{"patch_format": "object", "patch": "object"},
    },
    "files": {"path": "object", "operations": "object", "tool_call_ids": "object"},
    "code_blocks": {"language": "object", "code": "object", "lines": "Int64", "message_id": "object"},
}


@pytest.fixture
def turn() -> Turn:
    return busy(Host())


@pytest.mark.parametrize("name", list(COLUMNS))
def test_columns_and_types_do_not_depend_on_what_is_there(turn: Turn, name: str) -> None:
    results = getattr(turn, name)
    for listed in (results, results[:0]):
        frame = listed.to_frame()
        assert {column: str(kind) for column, kind in frame.dtypes.items()} == COLUMNS[name]
        assert list(frame.columns) == list(COLUMNS[name])
        assert len(frame) == len(listed)


def test_a_row_says_what_the_result_says(turn: Turn) -> None:
    row = turn.tool_calls.to_frame().iloc[0]
    call = turn.tool_calls[0]
    assert (row.id, row.turn, row.kind, row.status, row.text) == ("c", 1, "edit", "in_progress", call.text)
    assert row["first"] == pandas.Timestamp(call.raw["at"]["first"], unit="s", tz="UTC")
    assert pandas.isna(row.ended)
    terminal = turn.terminals.to_frame().iloc[0]
    assert (terminal.exit_code, terminal["size"]) == (0, len(turn.terminals[0].bytes))


def test_a_turn_is_a_table_of_its_steps_in_order(turn: Turn) -> None:
    frame = turn.to_frame()
    assert list(frame.columns) == ["what", "id", "kind", "status", "text", "first", "ended", "seconds"]
    assert list(frame.what) == ["thought", "message", "plan", "tool_call", "permission"]
    assert frame["first"].is_monotonic_increasing
    assert frame.set_index("what").loc["tool_call", "kind"] == "edit"


def test_the_turns_of_an_agent_are_a_table_and_a_list() -> None:
    with Agent("demo", permissions="allow", env={"ACP_WIDGET_DEMO_PACE": "0"}) as agent:
        assert list(agent.turns.to_frame().columns)[:2] == ["number", "prompt"]
        turns = [agent.run(text, show=False) for text in ("hello", "The test for mean() fails. Fix it.")]
        assert agent.turns == turns
        assert agent.turns[-1] == turns[1]
        assert agent.turns.where(status="done") == turns
        frame = agent.turns.to_frame().set_index("number")
        assert {str(frame[name].dtype) for name in ("sent", "ended")} == {TIMES["first"]}
        last = frame.loc[2]
        assert (last.status, last.stop_reason, last.tool_calls) == ("done", "end_turn", len(turns[1].tool_calls))
        assert last.files == [f"{agent.cwd}/stats.py"]
        assert last.seconds == pytest.approx((last.ended - last.sent).total_seconds(), abs=0.01)
