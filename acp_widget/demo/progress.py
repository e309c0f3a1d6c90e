"""Something to watch in a terminal: ``python -m acp_widget.demo.progress`` draws bars over themselves, in colour."""

from __future__ import annotations

import os
import sys
import time

_STEPS = (("Fetching the data", 12), ("Fitting the model", 30), ("Writing the report", 8))
_WIDTH = 28


def _pause(seconds: float) -> None:
    try:
        time.sleep(seconds * max(0.0, float(os.environ.get("ACP_WIDGET_DEMO_PACE", "1"))))
    except ValueError:
        time.sleep(seconds)


def main() -> None:
    """Draw the bars."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for title, count in _STEPS:
        for step in range(count + 1):
            full = _WIDTH * step // count
            bar = f"\x1b[36m{'█' * full}\x1b[90m{'░' * (_WIDTH - full)}\x1b[0m"
            print(f"\r{title:<19} {bar} {step:>3}/{count}", end="", flush=True)
            _pause(0.05)
        print(f"\r\x1b[2K\x1b[32m✓\x1b[0m {title} \x1b[2m({count} steps)\x1b[0m", flush=True)
    print("\x1b[1;32mDone.\x1b[0m Nothing was fetched, fitted or written: this only shows what a terminal can show.")


if __name__ == "__main__":
    main()
