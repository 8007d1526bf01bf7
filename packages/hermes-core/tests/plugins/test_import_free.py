"""Looking at installed plugins imports none of them, and nothing heavy: measured in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hermes_core
from hermes_core.plugins.manifest import FILE

if TYPE_CHECKING:
    from plugins.conftest import Shop

NEVER = ("pluggy", "pydantic", "anyio", "asyncio", "yaml", "importlib.metadata", "rich", "click")
"""What nobody needs who only looks."""
AT_LOAD = (
    *NEVER,
    "logging",
    "pathlib",
    "hermes_core.plugins.plugin_import",
    "hermes_core.calls.pipeline",
)
"""What loading a host does without, too."""

FULL = """
    import click
    from hermes_core import Toolset, hookimpl, tool
    from pydantic import BaseModel

    class Table(BaseModel):
        seats: int = 4

    @tool(toolset="NAME", aliases=["NAME_alias"], effects=["read"], requires_env=["SHOP_KEY_OF_NAME"])
    def NAME_locked(text: str) -> str:
        '''Needs a key.'''
        return text

    @tool(toolset="NAME")
    def NAME_open(number: int = 3) -> int:
        '''Needs nothing.'''
        return number

    @hookimpl
    def hermes_tools():
        return [NAME_locked, NAME_open]

    @hookimpl
    def hermes_toolsets():
        return [Toolset("NAME_set", tools=["NAME_open"])]

    @hookimpl
    def hermes_settings():
        return {"NAME_section": Table}

    @hookimpl
    def hermes_commands():
        return [click.Command("NAME-command", help="Do it.")]

    @hookimpl
    def hermes_providers():
        return {"engine": {"NAME": object}}
"""
NAMES = ("alpha", "beta", "gamma")


@pytest.fixture
def folder(shop: Shop) -> Path:
    """Three plugins with manifests, whose code must not be imported any more."""
    for name in NAMES:
        shop.install(name, FULL.replace("NAME", name))
        shop.rewrite(name, f"raise SystemExit('shop_{name} was imported')\n")
        assert (shop.folder / f"shop_{name}" / FILE).is_file()
    return shop.folder


@pytest.fixture
def environment(folder: Path, home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HERMES", "COVERAGE", "COV_"))}
    source = Path(str(hermes_core.__file__)).parent.parent
    path = [str(folder), str(source), *filter(None, [kept.get("PYTHONPATH")])]
    return kept | {"HERMES_HOME": str(home), "PYTHONPATH": os.pathsep.join(path)}


def run(code: str, environment: dict[str, str]) -> tuple[Any, set[str]]:
    """What some code puts into `answer`, and the modules that it loaded beside those that Python starts with."""
    script = (
        "import sys; before = set(sys.modules); answer = None\n"
        f"{code}\n"
        "loaded = sorted(set(sys.modules) - before)\n"
        "import json; print(json.dumps([answer, loaded]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr
    answer, loaded = json.loads(done.stdout.splitlines()[-1])
    return answer, set(loaded)


def heavy(loaded: set[str], among: tuple[str, ...]) -> list[str]:
    plugins = [module for module in loaded if module.startswith("shop_")]
    return sorted(plugins + [name for name in among if name in loaded])


LOAD = (
    "from hermes_core.host import Hermes; from hermes_core.inspection import plugin_commands, plugin_sections\n"
    "hermes = Hermes.load()\n"
)


def test_loading_a_host_imports_no_plugin_and_nothing_heavy(environment: dict[str, str]) -> None:
    answer, loaded = run(LOAD + "answer = len(hermes.registry.names())", environment)
    assert answer == 6
    assert heavy(loaded, AT_LOAD) == []


def test_a_second_start_reads_its_cache_and_is_as_light(environment: dict[str, str], home: Path) -> None:
    run(LOAD, environment)
    _, loaded = run(LOAD, environment)
    assert heavy(loaded, AT_LOAD) == []


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        ("[spec.name for spec in hermes.tools()]", ["alpha_open", "beta_open", "gamma_open"]),
        ("len(hermes.tools(available=False))", 6),
        ("len(hermes.tools(['beta_set']))", 1),
        ("[why.available for why in map(hermes.why, hermes.registry.names())]", [False, True] * 3),
        ("hermes.why('alpha_alias').reason.count('SHOP_KEY_OF_alpha')", 1),
        ("[(one.name, one.status, one.imported) for one in hermes.report]", [[n, "loaded", False] for n in NAMES]),
        ("[one.name for one in plugin_sections(hermes)]", [f"{name}_section" for name in NAMES]),
        ("plugin_commands(hermes)", {f"{name}-command": "Do it." for name in NAMES}),
        ("[name for name in hermes.toolsets.names() if name.endswith('_set')]", [f"{name}_set" for name in NAMES]),
    ],
)
def test_looking_imports_no_plugin_and_nothing_heavy(environment: dict[str, str], look: str, expected: object) -> None:
    answer, loaded = run(f"{LOAD}answer = {look}", environment)
    assert answer == expected
    assert heavy(loaded, NEVER) == []


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
def test_definitions_import_no_plugin_and_nothing_heavy(environment: dict[str, str], format: str) -> None:
    answer, loaded = run(f"{LOAD}answer = len(hermes.definitions(format={format!r}))", environment)
    assert answer == 3
    assert heavy(loaded, NEVER) == []


def test_everything_one_after_the_other_imports_no_plugin(environment: dict[str, str]) -> None:
    code = f"""{LOAD}
hermes.tools(); hermes.report; plugin_sections(hermes); plugin_commands(hermes)
for format in ("openai", "anthropic", "responses", "mcp"):
    hermes.definitions(format=format)
    [hermes.definition(name, format=format) for name in hermes.registry.names()]
for name in hermes.registry.names():
    hermes.why(name); hermes.registry.get(name)
answer = [record.problems for record in hermes.report]
hermes.close()
"""
    answer, loaded = run(code, environment)
    assert answer == [[], [], []]
    assert heavy(loaded, NEVER) == []


def test_the_code_would_have_been_noticed(environment: dict[str, str]) -> None:
    answer, _ = run(f"{LOAD}answer = hermes.call('beta_open')", environment)
    assert "sys.exit('shop_beta was imported')" in answer
    assert "shop_alpha" not in answer


# The command


NOTE_MODULES = """
import atexit, os, sys

def note():
    with open(os.environ["SHOP_MODULES"], "w") as opened:
        opened.write("\\n".join(sys.modules))

atexit.register(note)
"""


def hermes(environment: dict[str, str], folder: Path, *args: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """Run the console script, and see which modules it had in the end."""
    program = Path(sys.executable).with_name("hermes")
    noted = folder / "modules.txt"
    (folder / "sitecustomize.py").write_text(NOTE_MODULES)
    done = subprocess.run(
        [str(program), *args],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment | {"SHOP_MODULES": str(noted)},
    )
    return done, set(noted.read_text().split())


@pytest.mark.parametrize(
    ("args", "code", "shown"),
    [
        (["tools", "--json"], 0, "beta_open"),
        (["tools"], 0, "beta_open"),
        (["describe", "beta_open", "--json"], 0, "Needs nothing."),
        (["why", "beta_open"], 0, "beta_open is available."),
        (["why", "beta_locked"], 5, "SHOP_KEY_OF_beta"),
        (["toolsets", "--json"], 0, "beta_set"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_command_looks_without_importing_plugins(
    environment: dict[str, str], folder: Path, args: list[str], code: int, shown: str
) -> None:
    done, loaded = hermes(environment, folder, *args)
    assert done.returncode == code, done.stderr
    assert shown in done.stdout
    assert "hermes_core.host" in loaded
    assert heavy(loaded, ("pydantic", "anyio", "asyncio", "yaml", "importlib.metadata")) == []


def test_the_command_imports_the_one_plugin_that_it_calls(shop: Shop, environment: dict[str, str]) -> None:
    shop.rewrite("beta", FULL.replace("NAME", "beta"))
    done, loaded = hermes(environment, shop.folder, "call", "beta_open")
    assert done.stdout.strip() == "3"
    assert heavy(loaded, ()) == ["shop_beta"]
