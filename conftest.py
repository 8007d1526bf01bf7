"""What holds for every test run."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a test may import what it needs, and a machine may be busy: a deadline would measure that.
settings.register_profile("hermes", settings(), deadline=None)
settings.load_profile("hermes")


def pytest_configure() -> None:
    """Undo what a background job or `nohup` leaves to the tests and their children: ignored signals."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """On the machine that decides about changes, a test that lacks its program is a failure, not a gap."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The distributions whose plugins the tests of a package need, in one text; none of them by default."""
    return ""


@pytest.fixture(scope="session")
def veils(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Makes a folder in which the plugins of this environment, but for some, seem to be distributions without any."""

    @cache
    def make(needed: str) -> str:
        folder = tmp_path_factory.mktemp("veil")
        for found in distributions():
            if found.name not in needed.split() and found.entry_points.select(group="hermes.plugins"):
                info = folder / f"{found.name.replace('-', '_')}-{found.version}.dist-info"
                info.mkdir(exist_ok=True)
                (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {found.name}\nVersion: {found.version}\n")
        return str(folder) if any(Path(folder).iterdir()) else ""

    return make


@pytest.fixture
def veil(veils: Callable[[str], str], tested_distribution: str) -> str:
    """A folder in which the plugins that a test does not need seem to be distributions without any."""
    return veils(tested_distribution)


@pytest.fixture(autouse=True)
def no_plugins_but_those_of_the_test(veil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a developer has installed, the families of this workspace among it, is no part of a test."""
    if veil:
        monkeypatch.syspath_prepend(veil)
        others = os.environ.get("PYTHONPATH")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([veil, others] if others else [veil]))
