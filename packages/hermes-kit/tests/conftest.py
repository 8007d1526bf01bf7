"""Every test has a home of its own, the plugin of the kit, and projects and distributions in scratch directories."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes
from hermes_core.cli.main import main


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The plugin of the kit is what these tests are about: of all installed plugins, it alone is not hidden."""
    return "hermes-kit"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's directory; it does not exist before something is written into it."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    for name in ("COLUMNS", "NO_COLOR", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
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


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bare(home: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process, with nothing installed but what the environment holds."""

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        code = main(args)
        captured = capfd.readouterr()
        return subprocess.CompletedProcess(args, code, captured.out, captured.err)

    return run


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment of a process of its own."""
    return {**os.environ, "HERMES_HOME": str(home)}


def in_front(site: Path) -> str:
    """The path for a process of its own: the folder first, then what hides the plugins of this environment."""
    return os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))


@pytest.fixture
def process(environment: dict[str, str]) -> Run:
    """Run the command as a user does, in a process of its own."""

    def run(*args: str, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hermes_core", *args],
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            encoding="utf-8",
            env=environment | env,
            timeout=30,
            check=False,
        )

    return run


COIN = '''
import click
from hermes_core import hookimpl, tool

print("the plugin prints while it is imported")


@tool(toolset="coin")
def toss_coin(times: int = 1) -> str:
    """Toss a coin as often as you like.

    Args:
        times: How often it is tossed.
    """
    return "heads"


@click.command("flip")
@click.argument("times", type=int)
def flip(times):
    """Flip a coin on the command line."""
    click.echo(f"flipped {times} times")
    return 7


@hookimpl
def hermes_tools():
    return [toss_coin]


@hookimpl
def hermes_commands():
    return [flip]
'''
"""A plugin of which a reviewer says nothing, with a tool and a command."""


class Workshop:
    """Projects and installed distributions in scratch folders, and the command run among them as a user runs it."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self.site = folder / "site"
        self.site.mkdir()
        # Without bytecode: a module that is written anew within a second would run as it was before.
        self.environment = {
            **os.environ,
            "HERMES_HOME": str(home),
            "PYTHONPATH": in_front(self.site),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def project(self, source: str = COIN, *, src: str = "src", plugins: str = 'coin = "hermes_tools_coin"') -> Path:
        """A project whose package holds the plugin, with nothing of it installed; gives its folder."""
        project = self.folder / "project"
        self.package(project / src, source)
        self.declare(project, plugins)
        return project

    def declare(self, project: Path, plugins: str) -> None:
        """Write the `pyproject.toml` of a project."""
        project.mkdir(exist_ok=True)
        text = '[project]\nname = "hermes-tools-coin"\nversion = "0.3"\n'
        text += f'[project.entry-points."hermes.plugins"]\n{plugins}\n' if plugins else ""
        (project / "pyproject.toml").write_text(text, encoding="utf-8")

    def package(self, root: Path, source: str, name: str = "hermes_tools_coin") -> Path:
        """A package with one module."""
        package = root / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(source, encoding="utf-8")
        return package

    def install(self, source: str = COIN, *, name: str = "coin", more: str = "") -> Path:
        """A distribution as pip leaves it, without a manifest; gives its package."""
        module = f"hermes_tools_{name}"
        info = self.site / f"{module}-0.3.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: Hermes_Tools.{name.title()}\nVersion: 0.3\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{name} = {module}\n{more}", encoding="utf-8")
        return self.package(self.site, source, module)

    def run(self, *args: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the installed script."""
        return subprocess.run(
            [Path(sys.executable).with_name("hermes"), *args],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            env=self.environment | env,
            cwd=cwd or self.folder,
            timeout=60,
            check=False,
        )


@pytest.fixture
def workshop(tmp_path: Path, home: Path) -> Workshop:
    """Where plugins are made and tried out."""
    return Workshop(tmp_path, home)
