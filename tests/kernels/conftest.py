"""Kernels for the tests: one a version and module, started when the first test needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from . import environments
from .client import Kernel

VERSIONS = [
    *environments.ORDINARY,
    *(pytest.param(version, marks=pytest.mark.slow) for version in environments.SLOW),
]


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The version of ipykernel."""
    return str(request.param)


@pytest.fixture(scope="module")
def kernel(version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A running kernel with that version. All tests of a module share it, as the cells of a notebook do."""
    folder: Path = tmp_path_factory.mktemp("kernel")
    env = {"ACP_WIDGET_DEMO_PACE": "0"}  # the demo agent pauses for readers only
    with Kernel(environments.python(version), cwd=folder, env=env) as running:
        yield running
