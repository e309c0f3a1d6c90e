"""Runs every check, the quick ones first, and says at the end what passed. `--slow` adds the tests marked slow.

Arguments name the steps to run; none means all. All of them run even when one failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test-results"
PYTHON = sys.executable
PYTEST = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider")
ELSEWHERE = ("--ignore=tests/kernels", "--ignore=tests/browser", "--ignore=tests/real_agents")


@dataclass(frozen=True)
class Step:
    """One command; `tests` when it writes a JUnit file, whose counts are added up."""

    name: str
    command: Sequence[str]
    tests: bool = False
    folder: str = "."


def steps(slow: bool) -> list[Step]:
    chosen = () if slow else ("-m", "not slow")
    vitest = ("npx", "vitest", "run", "--reporter=default", "--reporter=junit")
    # Agents that other people wrote: those that are quick to install. `make agents` has the others.
    agents = [Step("agents", (*PYTEST, "tests/real_agents"), tests=True)] if slow else []
    docs = [Step("docs", (PYTHON, "-m", "mkdocs", "build", "--strict", "--quiet"))] if slow else []
    return [
        Step("ruff", (PYTHON, "-m", "ruff", "check", ".")),
        Step("format", (PYTHON, "-m", "ruff", "format", "--check", ".")),
        Step("mypy", (PYTHON, "-m", "mypy")),
        Step("biome", ("npm", "run", "--silent", "lint"), folder="js"),
        Step("tsc", ("npm", "run", "--silent", "typecheck"), folder="js"),
        Step("python", (*PYTEST, "-n", "3", *chosen, *ELSEWHERE, "tests"), tests=True),
        Step("front-end", vitest, tests=True, folder="js"),
        Step("kernels", (*PYTEST, "-n", "2", "--dist", "loadfile", *chosen, "tests/kernels"), tests=True),
        Step("browser", (*PYTEST, "-n", "3", *chosen, "tests/browser"), tests=True),
        *docs,
        *agents,
    ]


@dataclass
class Outcome:
    step: Step
    seconds: float
    passed: int
    failed: int
    skipped: int


def run(step: Step) -> Outcome:
    report = RESULTS / f"{step.name}.xml"
    report.unlink(missing_ok=True)
    command = [*step.command]
    if step.tests:
        command.append(f"--outputFile.junit={report}" if "vitest" in command else f"--junitxml={report}")
    print(f"\n=== {step.name}: {' '.join(command)}", flush=True)
    start = time.monotonic()
    code = subprocess.run(command, cwd=ROOT / step.folder).returncode
    passed, failed, skipped = counts(report) if step.tests else (int(code == 0), 0, 0)
    if code != 0 and failed == 0:
        failed = 1  # it ended badly without a failing test: a crash, a syntax error, a linter's finding
    return Outcome(step, time.monotonic() - start, passed, failed, skipped)


def counts(report: Path) -> tuple[int, int, int]:
    """Passed, failed and skipped tests of a JUnit file."""
    if not report.exists():
        return 0, 0, 0
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return len(cases) - failed - skipped, failed, skipped


def chromium() -> str:
    """The browser for all tests; ends with a plain line when there is none."""
    answer = subprocess.run([PYTHON, str(ROOT / "scripts" / "chromium.py")], stdout=subprocess.PIPE, text=True)
    if answer.returncode != 0:
        sys.exit(answer.returncode)
    return answer.stdout.strip()


def main() -> int:
    known = [step.name for step in steps(slow=True)]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true", help="also the tests marked slow")
    parser.add_argument("names", nargs="*", choices=[[], *known], help=f"of {', '.join(known)}")
    arguments = parser.parse_args()
    slow = arguments.slow or "agents" in arguments.names
    chosen = [step for step in steps(slow) if not arguments.names or step.name in arguments.names]
    RESULTS.mkdir(exist_ok=True)
    if any(step.tests for step in chosen):
        os.environ["CHROMIUM"] = chromium()
    outcomes = [run(step) for step in chosen]

    print("\n=== summary")
    for outcome in outcomes:
        word = "failed" if outcome.failed else "ok"
        print(f"{outcome.step.name:<10} {word:<6} {outcome.passed:>5} passed {outcome.seconds:7.1f} s")
    passed, failed, skipped = (
        sum(getattr(each, word) for each in outcomes) for word in ("passed", "failed", "skipped")
    )
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
