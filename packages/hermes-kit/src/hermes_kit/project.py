"""A plugin's project on disk: the plugins it declares, and the location of their code."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_core import ConfigError
from hermes_core.inspection import GROUP
from hermes_files.installed_packages import find_package

FILE = "pyproject.toml"
TABLE = f'[project.entry-points."{GROUP}"]'
_EXAMPLE = f'{TABLE} dice = "hermes_tools_dice.plugin"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The plugins that the `pyproject.toml` of a directory declares.

    Attributes:
        folder: The directory of the project.
        name: The distribution's name.
        version: The distribution's version, if the file has it.
        plugins: The value of the entry point for each plugin.
    """

    folder: Path
    name: str | None
    version: str | None
    plugins: dict[str, str]

    def make_importable(self) -> None:
        """Put the directories of the plugins' packages first in Python's path.

        Raises:
            ConfigError: a package is neither in `src` nor in the directory itself, nor installed.
        """
        import importlib

        for plugin, value in self.plugins.items():
            top = value.partition("[")[0].partition(":")[0].strip().split(".", maxsplit=1)[0]
            root = next((root for root in (self.folder / "src", self.folder) if _holds(root, top)), None)
            if root is not None:
                if str(root) in sys.path:
                    sys.path.remove(str(root))
                sys.path.insert(0, str(root))
                importlib.invalidate_caches()
            elif find_package(top) is None:
                raise ConfigError(
                    f"the package {top!r} is neither in src nor in {self.folder}, and it is not installed. Install the "
                    "project with 'pip install -e .', or fix the entry point.",
                    file=str(self.folder / FILE),
                    key=f"{GROUP}.{plugin}",
                )


def read_project(folder: str | os.PathLike[str]) -> Project:
    """Read the project in a directory.

    Raises:
        ConfigError: there is no `pyproject.toml`, it cannot be read, or it declares no plugin.
    """
    import tomllib

    directory = Path(folder).resolve()
    file = directory / FILE
    try:
        with file.open("rb") as opened:
            data = tomllib.load(opened)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError(
            "there is no such file. Name a plugin, a distribution, a package, or the directory of a project.",
            file=str(file),
        ) from error
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror or error}).", file=str(file)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not TOML: {error}.", file=str(file)) from error
    project = _table(data, "project")
    plugins = _table(_table(project, "entry-points"), GROUP)
    if not plugins or not all(isinstance(value, str) and value for value in plugins.values()):
        raise ConfigError("it declares no plugin.", file=str(file), example=_EXAMPLE)
    name, version = project.get("name"), project.get("version")
    return Project(
        folder=directory,
        name=name if isinstance(name, str) else None,
        version=version if isinstance(version, str) else None,
        plugins=dict(plugins),
    )


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _holds(root: Path, top: str) -> bool:
    return (root / top).is_dir() or (root / f"{top}.py").is_file()
