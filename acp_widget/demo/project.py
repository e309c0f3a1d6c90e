"""The small project that the agent makes in an empty folder, and what it recognises of it in a folder."""

from __future__ import annotations

import contextlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from . import files

_STATS = '''\
def mean(xs):
    """The arithmetic mean of xs."""
    return sum(xs) / len(xs)


def median(xs):
    """The middle value of xs, or the mean of the two middle ones."""
    xs = sorted(xs)
    half = len(xs) // 2
    if len(xs) % 2:
        return xs[half]
    return mean(xs[half - 1 : half + 1])


def spread(xs):
    """The distance from the smallest value to the largest."""
    return max(xs) - min(xs)
'''

_TESTS = """\
import math
import unittest

from stats import mean, median, spread


class TestMean(unittest.TestCase):
    def test_whole_numbers(self):
        self.assertEqual(mean([1, 2, 6]), 3)
        self.assertEqual(mean([-4, 4]), 0)

    def test_empty_list(self):
        self.assertTrue(math.isnan(mean([])))

    def test_fractions(self):
        self.assertAlmostEqual(mean([0.1, 0.2, 0.6]), 0.3)


class TestMedian(unittest.TestCase):
    def test_odd_count(self):
        self.assertEqual(median([7, 1, 3]), 3)

    def test_even_count(self):
        self.assertEqual(median([4, 1, 3, 2]), 2.5)


class TestSpread(unittest.TestCase):
    def test_spread(self):
        self.assertEqual(spread([3, -1, 8]), 9)


if __name__ == "__main__":
    unittest.main()
"""

_README = """\
# stats

A package of three small functions, and a test that fails.
The demo agent of acp-widget made it in an empty folder. Run the tests with `python -m unittest` or `pytest -q`.
"""

_PYPROJECT = """\
[project]
name = "stats"
version = "0.1.0"
description = "Three small functions"
requires-python = ">=3.9"

[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[tool.setuptools]
py-modules = ["stats"]
"""

FILES = {
    "README.md": _README,
    "pyproject.toml": _PYPROJECT,
    "stats.py": _STATS,
    "tests/__init__.py": "",
    "tests/test_stats.py": _TESTS,
}

# `mean` as it divides without looking, however its argument is called and whether or not it kept its docstring.
_UNGUARDED = re.compile(
    r"^(?P<head>def mean\((?P<xs>\w+)\):\n)"
    r'(?P<doc>    """[^"\n]*"""\n)?'
    r"(?P<body>    return sum\((?P=xs)\) / len\((?P=xs)\)\n)",
    re.MULTILINE,
)
_OUR_DOC = '    """The arithmetic mean of xs."""\n'
_NEW_DOC = '    """The arithmetic mean of xs, nan when there are none."""\n'


def create(cwd: Path) -> None:
    """Make the project in a folder that is empty. Any other folder is left as it is."""
    if any(cwd.iterdir()):
        return
    try:
        for name, text in FILES.items():
            path = cwd / name
            path.parent.mkdir(exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        # Without its project the agent still answers; it will say that it found nothing to fix.
        print(f"demo agent: no project in {cwd}: {error}", file=sys.stderr)


@dataclass(frozen=True)
class Project:
    """The two files that the agent knows how to handle, as it read them."""

    source: Path
    tests: Path
    source_bytes: bytes
    tests_text: str
    line: int  # of the test for an empty list, from 1

    @property
    def function_line(self) -> int:
        """Where `mean` begins in the source, from 1."""
        match = re.search(r"^def mean\b", self.source_bytes.decode(), re.MULTILINE)
        return self.source_bytes[: match.start()].count(b"\n") + 1 if match else 1

    @property
    def fixed(self) -> bytes | None:
        """The source with the bug mended, or None where the bug is not there."""
        source = self.source_bytes.decode()
        match = _UNGUARDED.search(source)
        if match is None:
            return None
        doc = _NEW_DOC if match["doc"] == _OUR_DOC else match["doc"] or ""
        guard = f'    if not {match["xs"]}:\n        return float("nan")\n'
        return (source[: match.start()] + match["head"] + doc + guard + match["body"] + source[match.end() :]).encode()


def find(cwd: Path) -> Project | None:
    """The project in a folder, or None when it is not there or not readable."""
    source, tests = cwd / "stats.py", cwd / "tests" / "test_stats.py"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        source_bytes, tests_bytes = files.read(source), files.read(tests)
        if source_bytes is None or tests_bytes is None:
            return None
        source_text, tests_text = source_bytes.decode(), tests_bytes.decode()
        test = re.search(r"^ +def test_empty_list\b", tests_text, re.MULTILINE)
        if test and re.search(r"^def mean\b", source_text, re.MULTILINE):
            line = tests_text[: test.start()].count("\n") + 1
            return Project(source, tests, source_bytes, tests_text, line)
    return None


def listing(cwd: Path, limit: int = 20) -> tuple[list[str], int]:
    """The names in a folder (folders end in a slash), at most `limit`, and how many there are. Raises `OSError`."""
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in cwd.iterdir())
    return names[:limit], len(names)
