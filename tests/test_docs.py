"""The examples on the pages run as they are written, cell by cell, with the demo agent in the place of other ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from acp_widget import Agent, errors
from scripts.notebooks import LESSONS

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
    "docs/teaching.md": f"import shutil\nshutil.copytree({str(LESSONS)!r}, 'lessons')",
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


def test_troubleshooting_has_every_error_and_warning() -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    kinds = [*_below(errors.AcpError), *(kind for kind in vars(errors).values() if _is_warning(kind))]
    assert {"FrontEndMissing", "NobodyWatching", "StartTimeout"} <= {kind.__name__ for kind in kinds}
    assert [kind.__name__ for kind in kinds if f"`{kind.__name__}`" not in text] == []


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("There is neither a command", "nor `npx` that could run it"),
        ("npx needs a folder of its own", "npx needs a folder of its own"),
        ("There is no command", "There is no command"),
        ("npx could not reach the npm registry", "npx could not reach the npm registry"),
        ("The npm registry refused npx", "The npm registry refused npx"),
        ("does not have this package or version", "does not have this package or version"),
        ("npx cannot write to its cache", "npx cannot write to its cache"),
        ("This package wants another version of Node.js", "This package wants another version of Node.js"),
        ("it stands alone, without more words", "it stands alone, without more words"),
    ],
)
def test_troubleshooting_has_what_the_registry_says(said: str, asked: str) -> None:
    page = " ".join((ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8").split())
    sources = (ROOT / "acp_widget" / "registry").glob("*.py")
    assert said in page
    assert any(asked in source.read_text(encoding="utf-8") for source in sources), "the sentence has changed"


def _below(kind: type) -> list[type]:
    return [each for child in kind.__subclasses__() for each in (child, *_below(child))]


def _is_warning(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Warning) and kind.__module__ == errors.__name__
