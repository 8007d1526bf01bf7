"""Every test has a home of its own, and closes the hosts it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Approval
from hermes_core import Hermes

_OPTIONS = {"approver": "approver", "policy": "policy", "approvals": "mode", "grants": "grants"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's."""
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The commands of this package are found as users find them: by its entry point."""
    return "hermes-approval hermes-kit hermes-search"


@pytest.fixture
def host() -> Iterator[Callable[..., Hermes]]:
    """Makes hosts with approval, and closes them when the test is over. Options of `Approval` can be given, too."""
    made: list[Hermes] = []

    def make(*, load: bool = False, plugins: Any = (), **options: Any) -> Hermes:
        given = {_OPTIONS[name]: options.pop(name) for name in list(options) if name in _OPTIONS}
        hermes = (Hermes.load if load else Hermes)(plugins=[Approval(**given), *plugins], **options)
        made.append(hermes)
        return hermes

    yield make
    for hermes in made:
        hermes.close()
