"""The files of a new plugin project."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from hermes_core import ConfigError
from hermes_core.inspection import RESERVED, default_range

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_TEMPLATES = Path(__file__).with_name("templates")
"""The files of a project, for `str.format`."""


def project_files(name: str) -> dict[str, str]:
    """Return every file of a new project except its manifest, by path.

    Args:
        name: The plugin's name: lower-case words with dashes between them. The name of the distribution works, too.

    Raises:
        ConfigError: it cannot be the name of a plugin.
    """
    name = name.removeprefix("hermes-tools-")
    word = name.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(word) or len(name) > 40:
        raise ConfigError(
            f"{name!r} cannot be the name of a plugin: use lower-case words, joined with '-'.", example="dice"
        )
    owner = RESERVED.get(name, f"hermes-tools-{name}")
    if owner != f"hermes-tools-{name}":
        raise ConfigError(f"the name {name!r} is reserved for the plugin of {owner}.", example=f"my-{name}")
    facts = {
        "name": name,
        "word": word,
        "distribution": f"hermes-tools-{name}",
        "package": f"hermes_tools_{word}",
        "api": default_range(),
    }
    source = f"src/{facts['package']}"
    templates = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        f"{source}/__init__.py": "__init__.py",
        f"{source}/settings.py": "settings.py",
        f"{source}/tools.py": "tools.py",
        f"tests/test_{word}.py": "tests.py",
    }
    files = {
        path: (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8").format(**facts)
        for path, template in templates.items()
    }
    return {**files, f"{source}/py.typed": ""}
