"""What all tests share: one hypothesis profile, and an environment without a user's own Jupyter and agents."""

from __future__ import annotations

import os

import hypothesis
import pytest

# No deadline: two busy cores make any single example slow now and then. What failed is printed to be tried again.
hypothesis.settings.register_profile("suite", deadline=None, print_blob=True)
hypothesis.settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _no_jupyter_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No configuration, profile or kernel of the user takes part."""
    home = tmp_path_factory.mktemp("jupyter")
    for name in [name for name in os.environ if name.startswith(("JUPYTER", "IPYTHON"))]:
        del os.environ[name]
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[name] = str(home / name.lower())
    os.environ["JUPYTER_PLATFORM_DIRS"] = "1"


@pytest.fixture(scope="session", autouse=True)
def _no_agents_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No settings of the user choose an agent."""
    for name in ("ACP_WIDGET_AGENT", "ACP_WIDGET_DEMO_PACE", "ACP_WIDGET_PUMP"):
        os.environ.pop(name, None)
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("settings"))
