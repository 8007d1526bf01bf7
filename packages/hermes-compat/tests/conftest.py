"""Every test has a home of its own, and the adapters of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """These tests are about the plugin of this package: all other installed plugins are hidden."""
    return "hermes-compat"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's."""
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


@pytest.fixture
def host() -> Iterator[Callable[..., Hermes]]:
    """Makes hosts, and closes them when the test is over."""
    made: list[Hermes] = []

    def make(**options: Any) -> Hermes:
        made.append(Hermes(**options))
        return made[-1]

    yield make
    for each in made:
        each.close()
