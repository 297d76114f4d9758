"""What every test gets: a home of its own, and Hypothesis without a clock."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine must not fail a law: no deadline, and slow generation is no fault.
settings.register_profile(
    "quick",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)
# `pytest --hypothesis-profile=thorough` takes precedence.
settings.load_profile("quick")


@pytest.fixture(autouse=True)
def loopwright_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that this test's flows, settings and runs are kept in."""
    home = tmp_path / "loopwright-home"
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(home))
    return home
