"""The life of a third-party plugin, from its wheel to its end, in an environment of its own, with real pip."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DICE = ROOT / "examples" / "hermes-tools-dice"
NEEDED = [ROOT / "packages" / f"hermes-{name}" for name in ("files", "schemas", "text", "core", "kit")]

LIST_WITHOUT_IMPORT = """
import json, sys
from hermes_core.cli.main import main
code = main({arguments!r})
loaded = sorted(name for name in sys.modules if name.split(".")[0] in {heavy!r})
print(json.dumps(loaded), file=sys.stderr)
sys.exit(code)
"""
HEAVY = ["hermes_tools_dice", "pydantic", "anyio"]


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, a home and a project folder that nothing else knows."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def run(self, *command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        kept = ("PATH", "LANG", "PIP_", "UV_", "SSL_", "REQUESTS_", "HTTP", "http", "no_proxy", "NO_PROXY")
        environment = {name: value for name, value in os.environ.items() if name.startswith(kept)}
        environment |= {"HOME": str(self.folder), "HERMES_HOME": str(self.folder / "home"), "COLUMNS": "200"}
        return subprocess.run(
            [str(part) for part in command],
            cwd=cwd or self.project,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def must(self, *command: str | Path, cwd: Path | None = None) -> str:
        done = self.run(*command, cwd=cwd)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def pip(self, *arguments: str | Path) -> str:
        return self.must(self.python, "-m", "pip", "--disable-pip-version-check", "-q", *arguments)

    def hermes(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.folder / "venv" / "bin" / "hermes", *arguments)

    def told(self, *arguments: str, code: int = 0) -> Any:
        done = self.hermes(*arguments)
        assert done.returncode == code, f"{arguments}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def wheel(self, source: Path) -> Path:
        out = self.folder / "dist" / source.name
        self.pip("wheel", "--no-deps", "--wheel-dir", out, source)
        (made,) = sorted(out.glob("*.whl"))[-1:]
        return made


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    made = Environment(tmp_path_factory.mktemp("dice"))
    made.project.mkdir()
    venv.create(made.folder / "venv", with_pip=True, symlinks=True)
    made.pip("install", *(made.wheel(copied(source, made.folder / source.name)) for source in NEEDED))
    yield made
    shutil.rmtree(made.folder, ignore_errors=True)


def copied(source: Path, target: Path) -> Path:
    """A copy to build from: a build must leave nothing behind in the repository."""
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache", "build", "dist", "*.egg-info")
    return Path(shutil.copytree(source, target, ignore=ignored))


def tools(environment: Environment) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in environment.told("tools", "--all", "--json")["tools"]}


def test_the_whole_life_of_a_plugin(environment: Environment) -> None:
    first = environment.wheel(copied(DICE, environment.folder / "dice-1.0"))
    assert first.name == "hermes_tools_dice-1.0.0-py3-none-any.whl"
    assert tools(environment) == {}

    # Installed, it is listed without being imported.
    environment.pip("install", first)
    for arguments in (["tools", "--json"], ["describe", "dice_roll", "--json"], ["why", "dice_odds", "--json"]):
        program = LIST_WITHOUT_IMPORT.format(arguments=arguments, heavy=HEAVY)
        done = environment.run(environment.python, "-c", program)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stderr) == []
    assert sorted(tools(environment)) == ["dice_odds", "dice_roll"]
    record = {each["name"]: each for each in environment.told("plugins", "--json")["plugins"]}["dice"]
    assert (record["name"], record["distribution"], record["version"]) == ("dice", "hermes-tools-dice", "1.0.0")
    assert (record["status"], record["imported"], record["problems"]) == ("loaded", False, [])

    # Its tools can be called, its settings set, its policy denies.
    assert len(environment.told("call", "dice_roll", "notation=3d6")["rolls"]) == 3
    assert environment.told("call", "dice_odds", "notation=2d6", "at_least=7")["percent"] == 58.33
    assert environment.hermes("config", "set", "dice.max_dice", "2").returncode == 0
    assert "exceed dice.max_dice, which is 2" in environment.told("call", "dice_roll", "notation=3d6", code=4)["error"]
    assert environment.hermes("config", "set", "dice.max_dice", "many").returncode == 2
    assert environment.hermes("config", "unset", "dice.max_dice").returncode == 0
    environment.must(environment.folder / "venv/bin/hermes", "doctor")

    # Its own tests pass where it is installed.
    tests = copied(DICE / "tests", environment.folder / "dice-tests")
    options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-W", "error")
    environment.must(environment.python, "-m", "pytest", *options, tests)

    # Locked, it stays as it is; written twice, the lock does not change.
    environment.must(environment.folder / "venv/bin/hermes", "lock")
    locked = (environment.project / "hermes.lock").read_bytes()
    environment.must(environment.folder / "venv/bin/hermes", "lock")
    assert (environment.project / "hermes.lock").read_bytes() == locked
    assert environment.told("lock", "check", "--json")["ok"] is True

    # Rebuilt without a change, nothing is new.
    environment.pip("install", "--force-reinstall", "--no-deps", first)
    assert environment.told("lock", "check", "--json")["ok"] is True

    # Upgraded to a version that changed one tool, that tool is quarantined, and the other works on.
    environment.pip("install", "--no-deps", "--upgrade", environment.wheel(changed(environment)))
    assert tools(environment)["dice_odds"]["available"] is True
    assert tools(environment)["dice_roll"]["available"] is False
    assert "quarantined" in tools(environment)["dice_roll"]["reason"]
    assert "quarantined" in environment.told("call", "dice_roll", "notation=3d6", code=5)["error"]
    assert environment.told("call", "dice_odds", "notation=d6", "at_least=7")["chance"] == 0
    difference = environment.told("lock", "diff", "--json")
    (change,) = difference["changes"]
    assert (change["tool"], change["kind"]) == ("dice_roll", "changed")
    assert {"effects", "parameters"} <= set(change["fields"])
    assert change["token_delta"] > 0
    (version,) = difference["versions"]
    assert (version["before"], version["after"]) == ("1.0.0", "1.1.0")
    assert environment.told("lock", "check", "--json", code=1)["ok"] is False

    # Accepted, it works again.
    environment.must(environment.folder / "venv/bin/hermes", "lock", "accept", "dice_roll")
    assert environment.told("call", "dice_roll", "notation=3d6", "times=2")["times"] == 2
    assert environment.told("lock", "check", "--json")["ok"] is True

    # Uninstalled, it is gone, and the lock says so.
    environment.pip("uninstall", "-y", "hermes-tools-dice")
    assert tools(environment) == {}
    assert "dice" not in {each["name"] for each in environment.told("plugins", "--json")["plugins"]}
    gone = environment.told("lock", "check", "--json", code=1)
    assert {(change["tool"], change["kind"]) for change in gone["changes"]} == {
        ("dice_odds", "removed"),
        ("dice_roll", "removed"),
    }


def changed(environment: Environment) -> Path:
    """The next version: one tool takes another argument and declares what it does; the manifest is made anew."""
    source = copied(DICE, environment.folder / "dice-1.1")
    project = source / "pyproject.toml"
    project.write_text(project.read_text(encoding="utf-8").replace('version = "1.0.0"', 'version = "1.1.0"'))
    module = source / "src" / "hermes_tools_dice" / "tools.py"
    text = module.read_text(encoding="utf-8")
    text = text.replace('@tool(toolset="dice", emoji="🎲"', '@tool(toolset="dice", effects=["spend"], emoji="🎲"')
    text = text.replace(
        "def dice_roll(notation: Notation, ctx: ToolContext)",
        "def dice_roll(notation: Notation, ctx: ToolContext, times: int = 1)",
    )
    text = text.replace('"bonus": dice.bonus, "total"', '"times": times, "bonus": dice.bonus, "total"')
    module.write_text(text, encoding="utf-8")
    stale = environment.run(environment.folder / "venv/bin/hermes", "plugin", "manifest", "--check", cwd=source)
    assert stale.returncode == 1, stale.stdout + stale.stderr
    environment.must(environment.folder / "venv/bin/hermes", "plugin", "manifest", cwd=source)
    environment.must(environment.folder / "venv/bin/hermes", "plugin", "manifest", "--check", cwd=source)
    return source


def test_the_example_ships_its_manifest(environment: Environment) -> None:
    import zipfile

    with zipfile.ZipFile(environment.wheel(copied(DICE, environment.folder / "dice-shipped"))) as wheel:
        packed = wheel.read("hermes_tools_dice/hermes-plugin.json")
    assert packed == (DICE / "src" / "hermes_tools_dice" / "hermes-plugin.json").read_bytes()
