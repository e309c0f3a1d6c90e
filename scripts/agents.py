"""Tests real agents, one after the other, and says at the end what each did of the script. No key, no model, no login.

python scripts/agents.py [NAME…] [--record FILE]    without names: all of them

What an agent needs is installed into `.agents` the first time (`$ACP_WIDGET_AGENTS_CACHE` chooses another folder).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test-results"
sys.path.insert(0, str(ROOT))

from tests.real_agents.agents import KNOWN, STEPS, RealAgent  # noqa: E402

WORDS = {"error": "failed", "failure": "failed", "skipped": "skipped"}


def outcomes(report: Path) -> dict[str, str]:
    """`passed`, `failed` or `skipped` by step, from a JUnit file; nothing when there is none."""
    if not report.exists():
        return {}
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        step = case.get("name", "").partition("[")[0].removeprefix("test_")
        found[step] = next((WORDS[part.tag] for part in case if part.tag in WORDS), "passed")
    return found


def run(agent: RealAgent, record: str | None) -> dict[str, str]:
    """What became of each of its steps; a step that was not reached is `failed`."""
    report = RESULTS / f"agent-{agent.name}.xml"
    report.unlink(missing_ok=True)
    env = {**os.environ, "ACP_WIDGET_REAL_AGENTS": agent.name}
    if record is not None:
        env["ACP_WIDGET_AGENTS_RECORD"] = str(Path(record).absolute())
    print(f"\n=== {agent.name}", flush=True)
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/real_agents"]
    subprocess.run([*pytest, f"--junitxml={report}"], cwd=ROOT, env=env)
    found = outcomes(report)
    return {step: found.get(step, "failed") for step in agent.can}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *KNOWN], metavar="NAME", help=f"of {', '.join(KNOWN)}")
    parser.add_argument("--record", metavar="FILE", help="append what was seen, one line of JSON a turn")
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    done: dict[str, dict[str, str]] = {}
    seconds: dict[str, float] = {}
    for name in arguments.names or KNOWN:
        start = time.monotonic()
        done[name] = run(KNOWN[name], arguments.record)
        seconds[name] = time.monotonic() - start

    width = max(map(len, done)) + 2
    print("\n=== summary\n" + " " * width + "".join(f"{step:<9}" for step in STEPS))
    for name, found in done.items():
        row = "".join(f"{found.get(step, '-'):<9}" for step in STEPS)
        print(f"{name:<{width}}{row}{seconds[name]:6.0f} s", flush=True)
    for name in done:
        for step, why in KNOWN[name].cannot.items():
            print(f"- {name}, {step}: {why}")
    return 1 if any(word == "failed" for found in done.values() for word in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
