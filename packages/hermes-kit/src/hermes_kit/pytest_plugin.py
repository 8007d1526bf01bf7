"""The fixtures of the test kit. pytest loads them in every run; a test that uses one imports the core.

If installed pytest plugins are disabled, write `pytest_plugins = ["hermes_kit.pytest_plugin"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hermes_core import Hermes
    from hermes_kit import FakeApprover, FakeClock, Kit


@pytest.fixture
def hermes_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory as `HERMES_HOME`."""
    folder = tmp_path / "hermes-home"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


@pytest.fixture
def hermes_host(hermes_home: Path) -> Iterator[Callable[..., Hermes]]:
    """Makes Hermes hosts with the options of `Hermes`, and `clock`; closes them after the test."""
    from hermes_core import Hermes
    from hermes_kit.clock import set_clock

    with ExitStack() as made:

        def make(*, clock: FakeClock | None = None, **options: Any) -> Hermes:
            host = made.enter_context(closing(Hermes(**{"home": hermes_home, **options})))
            if clock is not None:
                set_clock(host, clock)
            return host

        yield make


@pytest.fixture
def hermes(hermes_host: Callable[..., Hermes]) -> Hermes:
    """An empty Hermes host."""
    return hermes_host()


@pytest.fixture
def hermes_kit(hermes_home: Path) -> Iterator[Callable[..., Kit]]:
    """`hermes_kit.load_plugin` with the temporary home; closes the kits after the test."""
    from hermes_kit import load_plugin

    with ExitStack() as made:

        def load(plugin: object, **options: Any) -> Kit:
            return made.enter_context(load_plugin(plugin, **{"home": hermes_home, **options}))

        yield load


@pytest.fixture
def fake_clock() -> FakeClock:
    """A monotonic clock for Hermes hosts that only moves when the test moves it."""
    from hermes_kit import FakeClock

    return FakeClock()


@pytest.fixture
def approver() -> FakeApprover:
    """A Hermes plugin that approves and denies calls as the test queued it."""
    from hermes_kit import FakeApprover

    return FakeApprover()
