"""Every test has a home of its own, and its hosts have tool search."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes
from hermes_core.cli.main import main
from hermes_search import plugin


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's."""
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


@pytest.fixture
def host() -> Iterator[Callable[..., Hermes]]:
    """Makes hosts with tool search, and closes them when the test is over."""
    made: list[Hermes] = []

    def make(*, plugins: tuple[object, ...] | list[object] = (), **options: Any) -> Hermes:
        hermes = Hermes(plugins=[plugin, *plugins], **options)
        made.append(hermes)
        return hermes

    yield make
    for hermes in made:
        hermes.close()


DICE = """
from hermes_core import hookimpl, tool

@tool(toolset="dice")
def roll_dice(count: int, labels: list[str] | None = None, mode: str = "low") -> dict:
    \"\"\"Roll dice.\"\"\"
    return {}

@tool(toolset="dice", requires_env=["DICE_SHOP_KEY"], effects=["network", "spend"])
def buy_dice(count: int) -> str:
    \"\"\"Buy dice.\"\"\"
    return "bought"

@tool(toolset="dice", effects=["delete"])
def burn_dice() -> str:
    \"\"\"Burn all dice.\"\"\"
    return "burnt"

@tool(toolset="dice")
def watch_dice(seconds: float, started: str = "") -> str:
    \"\"\"Watch the dice for some time.\"\"\"
    return "watched"

@tool(toolset="dice")
def lose_dice(how: str, value: str = "") -> str:
    \"\"\"Lose a die in one of several ways.\"\"\"
    return "lost"

@hookimpl
def hermes_tools():
    return [roll_dice, buy_dice, burn_dice, watch_dice, lose_dice]
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bare(home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, with tool search installed as pip leaves it."""
    _install(tmp_path / "site", "hermes-search", "search = hermes_search.plugin")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    for name in ("COLUMNS", "DICE_SHOP_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        code = main(args)
        captured = capfd.readouterr()
        return subprocess.CompletedProcess(args, code, captured.out, captured.err)

    return run


@pytest.fixture
def hermes(bare: Run, tmp_path: Path) -> Run:
    """Run the command with a plugin that brings five tools."""
    _install(tmp_path / "site", "hermes-tools-dice", "dice = hermes_search_test_dice")
    (tmp_path / "site" / "hermes_search_test_dice.py").write_text(DICE, encoding="utf-8")
    return bare


def _install(site: Path, name: str, entry_point: str) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{entry_point}\n", encoding="utf-8")
