"""Hiding, finding and describing tools imports none of their plugins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MANIFEST = {"manifest": 1, "api": ">=1.0,<2", "hooks": ["hermes_tools"]}


@pytest.fixture
def environment(tmp_path: Path, home: Path) -> dict[str, str]:
    """Three plugins with manifests whose code cannot be imported, beside tool search."""
    for name in ("alpha", "beta", "gamma"):
        package = tmp_path / f"shop_{name}"
        package.mkdir()
        (package / "__init__.py").write_text(f"import sys\nsys.exit('shop_{name} was imported')\n", encoding="utf-8")
        tool: dict[str, Any] = {
            "name": f"{name}_open",
            "toolset": name,
            "description": "Needs nothing.",
            "parameters": {},
        }
        text = json.dumps({**MANIFEST, "plugin": name, "tools": [tool]})
        (package / "hermes-plugin.json").write_text(text, encoding="utf-8")
        _install(tmp_path, f"shop-{name}", f"{name} = shop_{name}")
    _install(tmp_path, "hermes-search", "search = hermes_search.plugin")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "HERMES_HOME": str(home)}


def _install(site: Path, name: str, entry_point: str) -> None:
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[hermes.plugins]\n{entry_point}\n", encoding="utf-8")


def run(code: str, environment: dict[str, str], options: str = "") -> tuple[Any, set[str]]:
    """Run code that leaves an `answer`, and return it with the modules that were imported."""
    script = (
        f"import json, sys\nfrom hermes_core import Hermes\nhermes = Hermes.load({options})\n"
        f"{code}\nprint(json.dumps([answer, sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    answer, modules = json.loads(done.stdout)
    return answer, set(modules)


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
def test_hiding_tools_imports_no_plugin_and_no_ranking(environment: dict[str, str], format: str) -> None:
    code = f"answer = [len(hermes.definitions(format={format!r}, context_length=n)) for n in (100, 10**6)]"
    answer, modules = run(code, environment)
    assert answer == [3, 3]
    assert not {each for each in modules if each.startswith(("shop_", "hermes_search.ranking", "pydantic", "numpy"))}


def test_listing_tools_does_not_even_import_tool_search(environment: dict[str, str]) -> None:
    answer, modules = run("answer = [spec.name for spec in hermes.tools()]", environment, "only_looking=True")
    assert {"alpha_open", "tool_search"} <= set(answer)
    assert not {each for each in modules if each.startswith(("shop_", "hermes_search"))}


def test_hidden_tools_are_found_and_described_without_their_plugins(environment: dict[str, str]) -> None:
    code = (
        'found = json.loads(hermes.call("tool_search", {"query": "beta open"}))\n'
        'shown = json.loads(hermes.call("tool_describe", {"name": "beta_open"}))\n'
        'answer = [found["total_available"], found["matches"][0]["name"], shown["description"]]\n'
        "hermes.close()"
    )
    answer, modules = run(code, environment)
    assert answer == [3, "beta_open", "Needs nothing."]
    assert not {each for each in modules if each.startswith("shop_")}


def test_calling_a_hidden_tool_imports_its_plugin_alone(environment: dict[str, str]) -> None:
    answer, _ = run("answer = hermes.call('tool_call', {'name': 'beta_open', 'arguments': {}})", environment)
    assert "sys.exit('shop_beta was imported')" in answer
    assert "shop_alpha" not in answer
