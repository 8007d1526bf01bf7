"""The fixtures are there in every test run, and cost nothing where nobody asks for them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

from hermes_core import Hermes, hookimpl, tool
from hermes_kit import FakeApprover, FakeClock, Kit

FIXTURES = ("approver", "fake_clock", "hermes", "hermes_home", "hermes_host", "hermes_kit")


@tool
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


def run(folder: Path, source: str, *options: str, **environ: str) -> str:
    """What pytest prints about a file with these tests, in a process of its own; they all pass."""
    (folder / "test_it.py").write_text(textwrap.dedent(source))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", *options, "test_it.py"],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -- the fixtures ------------------------------------------------------------------------------------------------


def test_hermes_home_is_a_scratch_folder(hermes_home: Path, tmp_path: Path) -> None:
    assert hermes_home.is_dir()
    assert hermes_home.is_relative_to(tmp_path)
    assert os.environ["HERMES_HOME"] == str(hermes_home)


def test_hermes_is_an_empty_host_at_the_scratch_home(hermes: Hermes, hermes_home: Path) -> None:
    assert hermes.definitions() == []
    assert hermes.home == hermes_home


def test_hermes_host_makes_hosts_with_options(hermes_host: Callable[..., Hermes], hermes_home: Path) -> None:
    first, second = hermes_host(tools=[shout]), hermes_host()
    assert (len(first.tools()), len(second.tools())) == (1, 0)
    assert first.home == second.home == hermes_home


def test_hermes_host_takes_a_clock(hermes_host: Callable[..., Hermes], fake_clock: FakeClock) -> None:
    asked: list[float] = []

    def check() -> bool:
        asked.append(fake_clock())
        return True

    @tool(check=check)
    def tick() -> int:
        """Tick once."""
        return 1

    host = hermes_host(tools=[tick], clock=fake_clock)
    host.call("tick")
    host.call("tick")
    fake_clock.advance(31)
    host.call("tick")
    assert asked == [1000.0, 1031.0]


def test_hermes_kit_loads_plugins_at_the_scratch_home(
    hermes_kit: Callable[..., Kit], hermes_home: Path, approver: FakeApprover
) -> None:
    class Loud:
        @hookimpl
        def hermes_tools(self) -> object:
            return [shout]

    kit = hermes_kit(Loud(), plugins=[approver])
    assert kit.call("shout", {"text": "hi"}).value == "HI"
    assert kit.host.home == hermes_home


# -- what it does to a test run ----------------------------------------------------------------------------------


def test_the_entry_point_has_the_name_of_its_module() -> None:
    (entry,) = (entry for entry in entry_points(group="pytest11") if entry.name == "hermes_kit.pytest_plugin")
    assert {name for name in FIXTURES if hasattr(entry.load(), name)} == set(FIXTURES)


def test_a_run_with_fixtures_of_its_own_uses_those_and_does_not_import_the_core(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        import sys

        import pytest

        @pytest.fixture
        def approver():
            return "mine"

        def test_mine(approver):
            assert approver == "mine"
            assert "hermes_kit.pytest_plugin" in sys.modules
            assert not [name for name in sys.modules if name.split(".")[0] == "hermes_core"]
        """,
    )


def test_hosts_are_closed_and_naming_the_module_beside_the_entry_point_does_no_harm(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        import pytest
        from hermes_core.errors import HostClosedError

        seen = []

        def test_use(hermes, hermes_host):
            seen.extend([hermes, hermes_host()])

        def test_closed():
            for host in seen:
                with pytest.raises(HostClosedError):
                    host.call("anything")
        """,
        "-p",
        "hermes_kit.pytest_plugin",
    )


def test_where_installed_plugins_are_off_the_module_can_be_named(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        def test_home(hermes_home, hermes):
            assert hermes.home == hermes_home
        """,
        "-p",
        "hermes_kit.pytest_plugin",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )
