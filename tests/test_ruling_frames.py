"""`agent.policy.decisions` as a pandas table."""

from __future__ import annotations

import pytest

from acp_widget import Agent, Edit

pandas = pytest.importorskip("pandas", reason="tables are made where pandas is installed: pip install pandas")


def test_a_table_has_a_row_for_each_decision_with_who_which_rule_and_when() -> None:
    with Agent("demo", permissions="reject") as agent:
        agent.policy.add(Edit("*.py"))
        assert agent.policy.decisions.to_frame().empty
        agent.run("The test for mean() fails on an empty list. Fix it.", show=False, timeout=60)
        frame = agent.policy.decisions.to_frame()
    assert frame[["title", "allowed", "by", "why"]].values.tolist() == [
        ["Edit stats.py?", True, "policy", "allowed by Edit('*.py')"],
        ["Run the tests?", False, "policy", "permissions='reject'"],
    ]
    assert (frame["answered"] >= frame["asked"]).all()
    assert frame["answered"].dt.tz is not None
