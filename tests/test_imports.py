"""What importing and using the core loads, and what its façade exports."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hermes_core
from hermes_core import Hermes

HEAVY = ("anyio", "asyncio", "click", "importlib.metadata", "pydantic", "rich", "yaml")
"""Libraries that take longer to load than the core, so they are loaded only when they are needed."""

_DECLARE = """
from hermes_core import Hermes, Tool

def handler(args, **info):
    return {"echo": args}

schema = {
    "name": "echo",
    "description": "Say it again.",
    "parameters": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
}
hermes = Hermes(tools=[Tool.from_schema(schema, handler)])
assert len(hermes.definitions()) == 1
"""
_HOOKED = """
from hermes_core import hookimpl

class Watcher:
    @hookimpl
    def hermes_pre_tool_call(self, call, ctx):
        return None

    @hookimpl
    def hermes_post_tool_call(self, record):
        return None

hermes.add_plugin(Watcher())
"""


def loaded_by(code: str) -> set[str]:
    """Return the modules that a new interpreter loads to run some code."""
    script = (
        f"import sys; before = set(sys.modules)\n{code}\nimport json; print(json.dumps([*set(sys.modules) - before]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def heavy(modules: set[str], *, among: tuple[str, ...] = HEAVY) -> list[str]:
    """Return the heavy modules among some."""
    return sorted(name for name in among if name in modules)


def test_importing_the_core_loads_nothing_heavy() -> None:
    assert heavy(loaded_by("import hermes_core")) == []


def test_declaring_tools_and_listing_them_loads_nothing_heavy() -> None:
    assert heavy(loaded_by(_DECLARE)) == []


@pytest.mark.parametrize(
    "call",
    [
        'assert hermes.call("echo", {"count": 1}) == \'{"echo": {"count": 1}}\'',
        'assert hermes.call("echo", {"count": "1"}) == \'{"echo": {"count": 1}}\'',
        'assert "error" in hermes.call("echo", {"count": "many"})',
        'assert "error" in hermes.call("no_such_tool")',
        'assert hermes.run("echo", {"count": 1}).status == "ok"',
        'assert [hermes.call("echo", {"count": 1}) for _ in range(10)]',
        'with hermes.session() as session: session.call("echo", {"count": 1})',
    ],
    ids=["fits", "is repaired", "is refused", "is unknown", "is recorded", "is proven", "has a session"],
)
@pytest.mark.parametrize("hooks", ["", _HOOKED], ids=["without hooks", "with hooks"])
def test_a_sync_tool_called_from_sync_code_never_touches_an_event_loop(call: str, hooks: str) -> None:
    loaded = loaded_by(f"{_DECLARE}\n{hooks}\n{call}\nhermes.close()")
    assert heavy(loaded) == []


def test_the_facade_shows_at_most_35_names_and_writes_each_in_one_import() -> None:
    names = hermes_core.__all__
    imported = [
        (alias.asname, node.module)
        for node in ast.walk(ast.parse(Path(str(hermes_core.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hermes_core.")
        for alias in node.names
        if node.module != "hermes_core.lazy_names"
    ]
    assert len(names) <= 35
    assert names == sorted(name for name, _ in imported if name is not None)
    assert len(names) == len(set(names)) == len(imported)
    assert set(names) <= set(dir(hermes_core))
    for name, module in imported:
        assert getattr(hermes_core, str(name)) is getattr(import_module(str(module)), str(name))


def test_strict_type_checkers_know_every_name_of_the_facade(tmp_path: Path) -> None:
    file = tmp_path / "application.py"
    lines = [f"from hermes_core import {name} as {name.lower()}_{at}" for at, name in enumerate(hermes_core.__all__)]
    wrong = "with Hermes(tools=[]) as hermes:\n    hermes.call(1)\n"
    file.write_text("\n".join([*lines, "from hermes_core import Hermes", "", wrong]), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path)
    (error,) = done.stdout.splitlines()
    assert 'Argument 1 to "call" of "Caller" has incompatible type "int"; expected "str"' in error


def test_the_facade_reports_unknown_names() -> None:
    with pytest.raises(AttributeError, match="'hermes_core' has no attribute 'Hermess'"):
        hermes_core.Hermess  # type: ignore[attr-defined]  # noqa: B018


def test_everything_behind_the_facade_is_documented() -> None:
    undocumented = []
    for name in hermes_core.__all__:
        value = getattr(hermes_core, name)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue
        # A dataclass without a docstring gets one made of its signature, which documents nothing.
        text = inspect.getdoc(value) or ""
        if not text or text.startswith(f"{name}("):
            undocumented.append(name)
    assert undocumented == []


def test_every_public_method_behind_the_facade_is_documented() -> None:
    undocumented = []
    for name in hermes_core.__all__:
        value = getattr(hermes_core, name)
        if not inspect.isclass(value):
            continue
        for member, attribute in vars(value).items():
            function = attribute.fget if isinstance(attribute, property) else getattr(attribute, "__func__", attribute)
            if member[0] != "_" and inspect.isfunction(function) and not inspect.getdoc(function):
                undocumented.append(f"{name}.{member}")
    assert undocumented == []


def test_a_host_has_at_most_25_public_members_and_12_options() -> None:
    hermes = Hermes()
    assert len([name for name in dir(hermes) if name[0] != "_"]) <= 25
    assert len(inspect.signature(Hermes).parameters) <= 12


def test_features_families_and_documents_import_public_modules_also_for_types() -> None:
    core = Path(str(hermes_core.__file__)).parent
    public = {f"hermes_core.{each.stem}" for each in core.glob("*.py") if '"""PUBLIC: ' in each.read_text("utf-8")}
    root = Path(__file__).parents[1]
    places = ("packages/*/src/**/*.py", "packages/*/README.md", "docs/**/*.md", "examples/*/src/**/*.py", "README.md")
    used = {
        (str(file.relative_to(root)), module)
        for place in places
        for file in root.glob(place)
        if core not in file.parents
        for module in re.findall(r"^\s*(?:from|import) (hermes_core\.[\w.]+)", file.read_text("utf-8"), re.MULTILINE)
    }
    assert len(used) > 50
    assert {(file, module) for file, module in used if module not in public} == set()
