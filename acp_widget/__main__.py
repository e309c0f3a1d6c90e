"""`python -m acp_widget`: what can be had without a notebook."""

from __future__ import annotations

import sys

from .commands import main

if __name__ == "__main__":
    sys.exit(main())
