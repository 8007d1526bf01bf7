"""Searches of this machine's folders, with each engine in turn."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.files.filesystem import FileInfo, Stamp
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search

ENGINES = ("ripgrep", "python", "grep")


class BarePlace(LocalEnvironment):
    """This machine as a place that only a shell leads to, with the programs of one folder and no others.

    Args:
        folder: Where commands run.
        programs: The folder of the programs, with `sh` among them.
    """

    kind = "bare"

    def __init__(self, folder: Path, programs: Path) -> None:
        super().__init__(str(folder))
        self._variables = {**self._variables, "PATH": str(programs)}
        self._programs = programs

    def _wrapped(self, argv: Sequence[str]) -> Sequence[str]:
        return [str(self._programs / argv[0]), *argv[1:]]


@pytest.fixture(scope="session")
def applets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that busybox is, and nothing else."""
    if shutil.which("busybox") is None:
        pytest.skip("There is no busybox: install busybox-static.")
    made = tmp_path_factory.mktemp("applets")
    subprocess.run(["busybox", "--install", "-s", str(made)], check=True, capture_output=True)
    return made


@pytest.fixture
def bare(folder: Path) -> Callable[[Path], BarePlace]:
    """Makes places with the programs of a folder."""

    def make(programs: Path) -> BarePlace:
        place = BarePlace(folder, programs)
        place.open()
        return place

    return make


def needs(engine: str) -> None:
    """Skip where an engine is missing."""
    if engine == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")


def found(path: Path | str) -> FileInfo:
    """What is at a path."""
    real = os.path.realpath(path)
    info = os.stat(real)
    kind = "folder" if os.path.isdir(real) else "file"
    stamp = Stamp(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return FileInfo(asked=str(path), path=real, kind="folder" if kind == "folder" else "file", stamp=stamp)


class Searcher:
    """Searches one folder.

    Args:
        folder: The folder.
        engine: With what.
    """

    def __init__(self, folder: Path, engine: str) -> None:
        self.folder = folder
        self.engine = engine
        self.environment = LocalEnvironment(str(folder))
        self.environment.open()

    def __call__(
        self, pattern: str, path: str = "", *, scene: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """What is found."""
        at = found(self.folder / path)
        given = {"workspace": str(self.folder), "engine": self.engine, "shown_as": path, **(scene or {})}
        return search(Request(pattern=pattern, **more), SearchContext(environment=self.environment, found=at, **given))

    def lines(self, pattern: str, path: str = "", **more: Any) -> list[tuple[str, int, str]]:
        """The lines that are found."""
        told = self(pattern, path, **more)
        assert "error" not in told, told
        return [(each["path"], each["line"], each["content"]) for each in told["matches"]]

    def files(self, pattern: str, **more: Any) -> list[str]:
        """The names that are found."""
        told = self(pattern, names=True, **more)
        assert "error" not in told, told
        return list(told["files"])


@pytest.fixture
def look() -> Callable[[Path], FileInfo]:
    """Says what is at a path."""
    return found


@pytest.fixture
def searcher(folder: Path) -> Callable[[str], Searcher]:
    """Searches the folder with the engine that is named."""

    def make(engine: str) -> Searcher:
        needs(engine)
        return Searcher(folder, engine)

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to search, with nothing of the tests' own in it."""
    made = tmp_path / "searched"
    made.mkdir()
    return made


@pytest.fixture(params=ENGINES)
def searching(request: pytest.FixtureRequest, folder: Path) -> Searcher:
    """Searches the folder with each engine in turn."""
    needs(request.param)
    return Searcher(folder, request.param)
