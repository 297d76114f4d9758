from __future__ import annotations

import pytest

from tests.engine.cli.calls import caller


@pytest.fixture
def call(capsys):
    """Carries out a command line in this process."""
    return caller(capsys)
