"""A shop of installed plugins: packages with metadata, entry points and, mostly, a manifest."""

from __future__ import annotations

import importlib
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes
from hermes_core.plugins.generated_manifest import make_manifest, manifest_text
from hermes_core.plugins.manifest import FILE
from hermes_core.plugins.plugin_import import load
from hermes_core.plugins.plugin_records import Candidate, PluginRecord
from hermes_core.plugins.plugin_sources import GROUP, load_object

Manifest = dict[str, Any]

DICE = """
    from hermes_core import hookimpl, tool, Toolset

    @tool(toolset="dice", aliases=["throw"], effects=["read"])
    def roll(sides: int = 6) -> int:
        '''Roll a die.'''
        return sides

    @hookimpl
    def hermes_tools():
        return [roll]

    @hookimpl
    def hermes_toolsets():
        return [Toolset("games", tools=["roll"])]
"""
COIN = """
    from hermes_core import hookimpl, tool

    @tool(toolset="coin")
    def toss() -> str:
        '''Toss a coin.'''
        return "heads"

    @hookimpl
    def hermes_tools():
        return [toss]
"""


class Shop:
    """A folder of installed distributions, in front of everything else that Python can import."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: list[Hermes] = []

    def install(
        self,
        name: str,
        source: str | None = None,
        *,
        entry: str | None = None,
        manifest: bool = True,
        requires: Iterable[str] = (),
    ) -> Path:
        """Install the distribution `NAME-tools` with the package `shop_NAME` and the plugin NAME; give its folder."""
        package = self.folder / f"shop_{name}"
        package.mkdir()
        self.rewrite(name, source or "")
        info = self.folder / f"{name}_tools-1.0.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}-tools", "Version: 1.0"]
        lines += [f"Requires-Dist: {line}" for line in requires]
        extras = {line.partition("extra == ")[2].strip("'\" ") for line in requires if "extra ==" in line}
        lines += [f"Provides-Extra: {extra}" for extra in sorted(extras)]
        (info / "METADATA").write_text("\n".join(lines) + "\n")
        value = entry or f"shop_{name}"
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {value}\n")
        importlib.invalidate_caches()
        if manifest:
            self.write_manifest(name, entry=value)
        return package

    def rewrite(self, name: str, source: str) -> None:
        """Change a plugin's code; its manifest stays as it is."""
        folder = self.folder / f"shop_{name}"
        (folder / "__init__.py").write_text(textwrap.dedent(source))
        for stale in folder.glob("__pycache__/*"):  # a rewrite within the same second must be noticed
            stale.unlink()
        self.forget()

    def write_manifest(
        self, name: str, change: Callable[[Manifest], Any] | None = None, *, entry: str | None = None
    ) -> Manifest:
        """Write the manifest that the code deserves, changed or not, and forget that the code was imported for it."""
        value = entry or f"shop_{name}"
        brought = load(Candidate(name=name, origin="test", load=lambda: load_object(value)))
        made = make_manifest(name, brought)
        if change is not None:
            change(made)
        (self.folder / f"shop_{name}" / FILE).write_text(manifest_text(made))
        self.forget()
        return made

    def read_manifest(self, name: str) -> Manifest:
        found: Manifest = json.loads((self.folder / f"shop_{name}" / FILE).read_text())
        return found

    def forget(self) -> None:
        """Unload every package of the shop."""
        for module in [module for module in sys.modules if module.startswith(("shop_", "hermes_plugin_file_"))]:
            del sys.modules[module]
        importlib.invalidate_caches()

    def imported(self) -> list[str]:
        """The plugins whose code was imported."""
        return sorted(module.removeprefix("shop_") for module in sys.modules if module.startswith("shop_"))

    def load(self, **options: Any) -> Hermes:
        hermes = Hermes.load(**options)
        self.hosts.append(hermes)
        return hermes

    def record(self, hermes: Hermes, name: str) -> PluginRecord:
        found = hermes.report.get(name)
        assert found is not None
        return found


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A shop without plugins, and a current folder without a project."""
    folder, here = tmp_path / "shop", tmp_path / "here"
    folder.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delenv("HERMES_PLUGINS", raising=False)
    monkeypatch.delenv("HERMES_LOCK", raising=False)
    made = Shop(folder)
    yield made
    for hermes in made.hosts:
        hermes.close()
    made.forget()


@pytest.fixture
def dice() -> str:
    """The source of a plugin with the tool `roll`."""
    return DICE


@pytest.fixture
def coin() -> str:
    """The source of a plugin with the tool `toss`."""
    return COIN
