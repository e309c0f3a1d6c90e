"""A small test runner in colour: ``python -m acp_widget.demo.runner`` runs the tests of the folder it stands in.

It prints a line a test and waits a moment at each, so that there is something to watch, but not with
``ACP_WIDGET_DEMO_PACE=0``.
The exit status is 0 when all passed, 1 when one failed and 5 when there were none. ``NO_COLOR`` is respected.
"""

from __future__ import annotations

import io
import os
import sys
import time
import traceback
import unittest
from pathlib import Path
from types import TracebackType

Problem = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}
_PAUSE = 0.22  # seconds
_WIDTH = 72


def paint(colour: str, text: str) -> str:
    """The text in a colour of the terminal."""
    return text if os.environ.get("NO_COLOR") else f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def _pause() -> None:
    try:
        time.sleep(_PAUSE * max(0.0, float(os.environ.get("ACP_WIDGET_DEMO_PACE", "1"))))
    except ValueError:
        time.sleep(_PAUSE)


class _Result(unittest.TestResult):
    """Prints every test as it ends."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total
        self._problems: list[tuple[str, str]] = []
        self._word = ""

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._word = paint("green", "✓ passed")
        print(f"{_name(test):<50} ", end="", flush=True)
        _pause()

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        print(self._word, paint("dim", f"{self.testsRun * 100 // self._total:>4}%"), flush=True)

    def addFailure(self, test: unittest.TestCase, err: Problem) -> None:
        super().addFailure(test, err)
        self._broken(test, err)

    def addError(self, test: unittest.TestCase, err: Problem) -> None:
        super().addError(test, err)
        self._broken(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Problem | None) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._broken(subtest, err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._word = paint("yellow", "- skipped")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self._word = paint("red", "✗ passed, unexpectedly")

    def _broken(self, test: unittest.TestCase, err: Problem) -> None:
        self._word = paint("red", "✗ failed")
        # From the test's own frame on: the frames of unittest tell nothing.
        frames = [frame for frame in traceback.extract_tb(err[2]) if f"{os.sep}unittest{os.sep}" not in frame.filename]
        what = traceback.format_exception_only(err[0], err[1]) if err[0] else []
        self._problems.append((_name(test), "".join([*traceback.format_list(frames), *what])))

    def report(self, seconds: float) -> int:
        for name, text in self._problems:
            print("\n" + paint("red", f"── {name} ".ljust(_WIDTH, "─")))
            print(text.rstrip())
        failed = len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)
        passed = self.testsRun - failed - len(self.skipped)
        parts = [paint("green", f"{passed} passed")] if passed else []
        parts += [paint("red", f"{failed} failed")] if failed else []
        parts += [paint("yellow", f"{len(self.skipped)} skipped")] if self.skipped else []
        print("\n" + paint("bold", ", ".join(parts) or "no tests") + paint("dim", f" in {seconds:.2f} s"))
        return 1 if failed else 0 if self.testsRun else 5


def _name(test: unittest.TestCase) -> str:
    module, _, rest = test.id().partition(".Test")
    return f"{module.replace('.', '/')}.py::Test{rest}" if rest else test.id()


def main() -> int:
    """Run the tests of the working folder; gives the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    here = str(Path.cwd())
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here, str(Path(__file__).parent)))]
    sys.dont_write_bytecode = True  # a test run leaves nothing behind in somebody's folder
    suite = unittest.TestLoader().discover(here, top_level_dir=here)
    total = suite.countTestCases()
    print(
        paint("bold", f"{total} test{'' if total == 1 else 's'}") + paint("dim", f", Python {sys.version.split()[0]}")
    )
    result = _Result(total)
    began = time.monotonic()
    suite.run(result)
    return result.report(time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
