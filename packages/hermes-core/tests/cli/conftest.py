"""Two installed distributions, one of them broken, and ways to run the command among them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_core.cli.main import main

DICE = '''
import time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from hermes_core import Deny, ToolTimeoutError, hookimpl, tool, tool_error

print("the plugin prints while it is imported")


class Edit(BaseModel):
    line: Annotated[int, Field(ge=1, description="Line number")]
    text: str = ""


@tool(toolset="dice", emoji="🎲", aliases=["throw"], argument_aliases={"number": "count"})
def roll_dice(
    count: Annotated[int, Field(ge=1, le=10, description="How many dice")],
    labels: list[str] | None = None,
    mode: Literal["low", "high"] = "low",
    edits: list[Edit] = [],
    name: str = "",
) -> dict[str, Any]:
    """Roll dice.

    They always fall in the same way.
    """
    print("the tool prints while it runs")
    return {"rolls": [1] * count, "labels": labels, "name": name}


@tool(toolset="dice", requires_env=["DICE_SHOP_KEY"], effects=["network", "spend"])
def buy_dice(count: int) -> str:
    """Buy dice."""
    return "bought"


@tool(toolset="dice", effects=["delete"])
def burn_dice() -> str:
    """Burn all dice."""
    return "burnt"


@tool(toolset="dice")
def watch_dice(seconds: float, started: str = "") -> str:
    """Watch the dice for some time."""
    if started:
        open(started, "w").close()
    time.sleep(seconds)
    return "watched"


@tool(toolset="dice")
def lose_dice(how: Literal["raise", "say", "null", "wait", "repeat"], value: Any = None) -> Any:
    """Lose a die in one of several ways."""
    if how == "repeat":
        return value
    if how == "wait":
        raise ToolTimeoutError("it rolls and rolls")
    if how == "raise":
        raise ValueError("it rolled under the sofa")
    return tool_error("lost") if how == "say" else {"output": "kept", "error": None}


@hookimpl
def hermes_tools():
    return [roll_dice, buy_dice, burn_dice, watch_dice, lose_dice]


@hookimpl
def hermes_pre_tool_call(call):
    return Deny("no fire in here") if "delete" in call.tool.effects else None
'''


def install(folder: Path, name: str, version: str, module: str, source: str) -> None:
    """Make a distribution as pip leaves it: a module beside its metadata."""
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    plugin = name.removeprefix("hermes-tools-")
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{plugin} = {module}\n", encoding="utf-8")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the plugin `dice`, which works, and the plugin `cracked`, which cannot be imported."""
    folder = tmp_path_factory.mktemp("site")
    install(folder, "hermes-tools-dice", "1.2", "hermes_cli_test_dice", DICE)
    install(folder, "hermes-tools-cracked", "0.1", "hermes_cli_test_cracked", "import no_such_module_anywhere\n")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder; it does not exist before somebody writes into it."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    for name in ("COLUMNS", "NO_COLOR", "DICE_SHOP_KEY", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    return folder


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
def hermes(bare: Run, site: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, among the two plugins."""
    monkeypatch.syspath_prepend(str(site))
    return bare


@pytest.fixture
def environment(home: Path, site: Path) -> dict[str, str]:
    """The environment of a process of its own, in which the two plugins are installed."""
    return {**os.environ, "PYTHONPATH": in_front(site), "HERMES_HOME": str(home)}


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

    def write_manifest(self, plugin: str = "coin") -> None:
        """Write the manifest of an installed plugin from its code, which a process of its own imports."""
        module = f"hermes_tools_{plugin}"
        write = (
            "import contextlib, io, sys; from hermes_core.inspection import Candidate, load, load_object; "
            "from hermes_core.inspection import make_manifest, manifest_text\n"
            "plugin = Candidate(name=sys.argv[2], origin='test', load=lambda: load_object(sys.argv[1]))\n"
            "with contextlib.redirect_stdout(sys.stderr): found = load(plugin)\n"
            "print(manifest_text(make_manifest(sys.argv[2], found)), end='')"
        )
        command = [sys.executable, "-c", write, module, plugin]
        text = subprocess.run(command, env=self.environment, capture_output=True, check=True, timeout=60).stdout
        (self.site / module / "hermes-plugin.json").write_bytes(text)

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
