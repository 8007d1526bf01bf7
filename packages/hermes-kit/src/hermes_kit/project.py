"""A plugin's project as its author has it on disk: which plugins it declares, and where their code lies."""

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
    """What the `pyproject.toml` of a folder says of its plugins.

    Attributes:
        folder: Where the project lies.
        name: The distribution's name.
        version: The distribution's version, where the file states it.
        plugins: Plugin name to the entry point's value.
    """

    folder: Path
    name: str | None
    version: str | None
    plugins: dict[str, str]

    def make_importable(self) -> None:
        """Put the folders in which the plugins' packages lie in front of what Python can import.

        Raises:
            ConfigError: a package lies neither in `src` nor in the folder itself, nor is it installed.
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
                    "project with 'pip install -e .', or mend the entry point.",
                    file=str(self.folder / FILE),
                    key=f"{GROUP}.{plugin}",
                )


def read_project(folder: str | os.PathLike[str]) -> Project:
    """The project in a folder.

    Raises:
        ConfigError: there is no `pyproject.toml`, it cannot be read, or it declares no plugin.
    """
    import tomllib

    where = Path(folder).resolve()
    file = where / FILE
    try:
        with file.open("rb") as opened:
            data = tomllib.load(opened)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError(
            "there is no such file. Name a plugin, a distribution, a package, or the folder of a project.",
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
        folder=where,
        name=name if isinstance(name, str) else None,
        version=version if isinstance(version, str) else None,
        plugins=dict(plugins),
    )


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _holds(root: Path, top: str) -> bool:
    return (root / top).is_dir() or (root / f"{top}.py").is_file()
