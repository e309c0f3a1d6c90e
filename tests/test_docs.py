"""The examples on the pages run as they are written, cell by cell, with the demo agent in the place of other ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from acp_widget import Agent

ROOT = Path(__file__).resolve().parent.parent
FIX = 'turn = agent.run("The test for mean() fails on an empty list. Fix it.", show=False)'
AGENT = 'from acp_widget import Agent\nagent = Agent("demo", permissions="allow")\n'

BEFORE = {
    "README.md": "import pandas as pd\ndf = pd.DataFrame({'x': [1]})",
    "docs/attaching.md": f"""
{AGENT}
import sys
from pathlib import Path
import matplotlib.figure
import pandas as pd
df = pd.DataFrame({{"price": [1, 2, 9]}})
fig = matplotlib.figure.Figure(figsize=(1, 1))
Path("a.py").write_text("print(1)")
Out[3] = "some text"
try:
    1 / 0
except ZeroDivisionError as error:
    sys.last_value = error
""",
    "docs/automation.md": "import os\nos.makedirs('project', exist_ok=True)",
    "docs/cells.md": f"{AGENT}text = '1 + 1'",
    "docs/magics.md": "df = fig = 1",
    "docs/permissions.md": "from acp_widget import Agent",
    "docs/results.md": f"{AGENT}{FIX}\ncall = turn.tool_calls[0]\nnotify = print",
    "docs/recording.md": "from acp_widget import Agent",
    "docs/undo.md": AGENT,
}
"""What a reader of the page has already."""

STANDS_FOR = {
    '"claude"': '"demo"',
    "--agent codex": "--agent demo",
    'Agent("demo")  ': 'Agent("demo", permissions="allow")  ',  # a press of the button
}


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("ACP_WIDGET_DEMO_PACE", "0")
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.run_cell("%load_ext acp_widget")
    yield made
    for value in [*made.user_ns.values()]:
        if isinstance(value, Agent):
            value.close()
    made.run_line_magic("unload_ext", "acp_widget")
    made.history_manager.end_session()
    InteractiveShell.clear_instance()


def examples(page: str) -> list[str]:
    """The blocks of Python, and those that are a cell with a magic, as a reader would run them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    cells = [code for language, code in blocks if language == "python" or code.startswith("%")]
    return [re.sub("|".join(map(re.escape, STANDS_FOR)), lambda match: STANDS_FOR[match[0]], code) for code in cells]


@pytest.mark.parametrize("page", BEFORE)
@pytest.mark.filterwarnings("ignore::acp_widget.NobodyWatching")
def test_the_examples_of_a_page_run(shell: InteractiveShell, page: str) -> None:
    cells = examples(page)
    assert cells
    for code in [BEFORE[page], *cells]:
        with capture_output() as captured:
            result = shell.run_cell(code)
        result.raise_error()
        if shown := re.search(r"# (\[.*\])$", code.rstrip()):
            assert repr(result.result) == shown[1]
        assert "Error" not in captured.stderr, code
