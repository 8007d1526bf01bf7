"""Fixtures for the tests of all rule groups."""

import time
from collections.abc import Callable

import pytest

from hermes_guard import judge


@pytest.fixture
def seconds() -> Callable[[str], float]:
    """The processor's time for one judgement, once everything is loaded."""
    judge("ls")

    def measured(command: str) -> float:
        started = time.process_time()
        judge(command, home="/home/user")
        return time.process_time() - started

    return measured
