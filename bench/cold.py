"""What a person waits for: a fresh `hermes` that lists tools, helps, says its version, or calls its first tool."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from bench.harness import Row, fastest

PLUGINS = 12
TOOLS = 6
OTHERS = 300
_REPEATS = 15
_LONG_AGO = 1_000_000_000

_READ = """
import json, sys
import click, pluggy
tools = []
for file in sys.argv[1:]:
    with open(file, encoding="utf-8") as opened:
        tools += json.load(opened).get("tools", ())
print(len(tools))
"""

_CLICK = """
import click

@click.group()
def program():
    "Do things."

@program.command()
def thing():
    "Do one."

program(prog_name="program")
"""


_IMPORTS = "import click, pydantic; pydantic.BaseModel"
_CALL = """
import sys
from hermes_core import Hermes
with Hermes.load() as hermes:
    answer = hermes.call(sys.argv[1], {sys.argv[2]: sys.argv[3]})
assert '"error": "' not in answer, answer
"""


def rows() -> Iterator[Row]:
    """Listings and help, then the first calls."""
    yield from _listings()
    yield from _first_calls()


def _first_calls() -> Iterator[Row]:
    """The processor time of a process that calls one tool of the terminal family."""
    calls = {"terminal": ("command", "true"), "read_file": ("file_path", "x.txt")}
    with TemporaryDirectory(prefix="hermes-bench-") as folder:
        site = Path(folder)
        (site / "home").mkdir()
        (site / "x.txt").write_text("x\n")
        sides = {"imports": _fresh([sys.executable, "-c", _IMPORTS], site, clock=_children_cpu)}
        for tool, (name, value) in calls.items():
            command = [*hermes(), "call", tool, f"{name}={value}"]
            sides[f"hermes call {tool}"] = _fresh(command, site, clock=_children_cpu)
            program = [sys.executable, "-c", _CALL, tool, name, value]
            sides[f"Hermes.load(), then {tool}"] = _fresh(program, site, clock=_children_cpu)
        best = fastest(sides, _REPEATS)
    for side in list(sides)[1:]:
        # From the first import to the result: 250 ms for a command, 150 ms for a file, where the baseline takes 60 ms.
        limit = 3.5 if "terminal" in side else 2.5
        limit += 0.5 if side.startswith("hermes call") else 0
        yield Row(what=side, against="import click, pydantic", ours=best[side], baseline=best["imports"], limit=limit)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _listings() -> Iterator[Row]:
    """Twelve plugins with a manifest each and 72 tools; then the same among 300 other distributions."""
    with TemporaryDirectory(prefix="hermes-bench-") as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        for site, others in ((few, 0), (many, OTHERS)):
            install(site, others)
        manifests = _manifests(few)
        best = fastest(
            {
                "read": _fresh([sys.executable, "-c", _READ, *manifests], few),
                "tools": _fresh([*hermes(), "tools", "--json"], few),
                "crowd": _fresh([*hermes(), "tools", "--json"], many),
                "click": _fresh([sys.executable, "-c", _CLICK, "--help"], few),
                "help": _fresh([*hermes(), "--help"], few),
                "version": _fresh([*hermes(), "--version"], few),
            },
            _REPEATS,
        )

    def row(what: str, ours: str, against: str, baseline: str, limit: float | None) -> Row:
        return Row(what=what, against=against, ours=best[ours], baseline=best[baseline], limit=limit)

    yield row("hermes tools --json", "tools", "click, pluggy and json.load", "read", 1.8)
    yield row(f"the same among {OTHERS} distributions", "crowd", "hermes tools --json", "tools", 1.3)
    yield row("hermes --help", "help", "a bare click program", "click", 1.4)
    yield row("hermes --version", "version", "a bare click program", "click", 1.3)


def _manifests(site: Path) -> list[str]:
    """The manifests that a listing reads: those in `site`, and those of everything else that is installed."""
    env = {**os.environ, "PYTHONPATH": str(site), "HERMES_HOME": str(site / "home")}
    done = subprocess.run([*hermes(), "plugins", "--json"], env=env, capture_output=True, text=True, check=True)
    return [record["manifest"] for record in json.loads(done.stdout)["plugins"] if record["manifest"]]


def hermes() -> list[str]:
    """The command as people run it."""
    script = Path(sysconfig.get_path("scripts"), "hermes")
    return [str(script)] if script.exists() else [sys.executable, "-m", "hermes_core"]


def install(site: Path, others: int) -> None:
    """Create a directory as pip does, with plugins that cannot be imported, because nothing should import them."""
    (site / "home").mkdir(parents=True)
    for number in range(PLUGINS):
        package = site / f"hermes_tools_bench{number}"
        package.mkdir()
        (package / "__init__.py").write_text("raise SystemExit('a listing must not import plugins')\n")
        (package / "hermes-plugin.json").write_text(json.dumps(_manifest(number), indent=2))
        _distribution(site, package.name, f"[hermes.plugins]\nbench{number} = {package.name}\n")
    for number in range(others):
        _distribution(site, f"other{number}", "" if number % 3 else f"[console_scripts]\no{number} = other:main\n")
    for folder in (site, *site.glob("*.dist-info")):
        os.utime(folder, (_LONG_AGO, _LONG_AGO))  # what has just changed is not remembered


def _distribution(site: Path, name: str, entry_points: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if entry_points:
        (info / "entry_points.txt").write_text(entry_points)
        os.utime(info / "entry_points.txt", (_LONG_AGO, _LONG_AGO))


def _manifest(number: int) -> dict[str, Any]:
    return {
        "manifest": 1,
        "plugin": f"bench{number}",
        "api": ">=1.0,<2",
        "hooks": ["hermes_tools", "hermes_settings", "hermes_commands"],
        "tools": [_tool(number, index) for index in range(TOOLS)],
        "settings": [
            {
                "name": f"bench{number}",
                "schema": {"type": "object", "properties": {"backend": {"type": "string", "default": "auto"}}},
            }
        ],
        "commands": [{"name": f"bench{number}", "help": "Do something about it."}],
    }


def _tool(number: int, index: int) -> dict[str, Any]:
    properties: dict[str, Any] = {
        f"text{each}": {"type": "string", "description": f"What the part {each} is to be, in a few words."}
        for each in range(3)
    }
    properties["limit"] = {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "How many."}
    properties["names"] = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
    return {
        "name": f"bench{number}_do_{index}",
        "toolset": f"bench{number}",
        "description": "Do one of the things that tools do, and say what came of it. " * 3,
        "parameters": {"type": "object", "properties": properties, "required": ["text0"]},
        "effects": ["network"] if index % 2 else ["read"],
        "requires_env": ["PATH"] if index == 0 else [],
    }


def _fresh(command: list[str], site: Path, *, clock: Callable[[], float] = perf_counter) -> Callable[[], float]:
    environment: Mapping[str, str] = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "PYTHONPATH": str(site),
        "HERMES_HOME": str(site / "home"),
    }

    def run() -> None:
        # Without a timeout: waiting for one looks every fifty milliseconds, which is all that would be measured.
        subprocess.run(command, env=environment, cwd=site, stdout=subprocess.DEVNULL, check=True)

    def timed() -> float:
        started = clock()
        run()
        return clock() - started

    run()  # writes the bytecode
    return timed
