"""The home directory with the user's settings and state."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hermes_core.config.tool_session import session_home
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def hermes_home() -> Path:
    """Return `$HERMES_HOME` or `~/.hermes`, which may not exist. Raises `ConfigError` without a home directory."""
    from pathlib import Path

    return Path(home_folder())


def home_folder(given: str | os.PathLike[str] | None = None) -> str:
    """Return the home as a string, which is faster than a path. Raises like `session_home`, or if there is none."""
    wanted = os.fspath(given) if given is not None else os.environ.get("HERMES_HOME", "").strip()
    home = os.path.expanduser(wanted or os.path.join("~", ".hermes"))
    if (inherited := session_home(os.path.abspath(home) if wanted else None)) is not None:
        return inherited
    if home.startswith("~"):
        raise ConfigError(
            "there is no home directory for settings.", key="HERMES_HOME", example="HERMES_HOME=/srv/hermes"
        )
    return os.path.abspath(home)


def may_be_there(path: str) -> bool:
    """Return False only if a path certainly does not exist."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def says_something(home: str, environ: Mapping[str, str]) -> bool:
    """Return True if a file or a variable may contain settings."""
    if any(may_be_there(os.path.join(home, name)) for name in ("config.yaml", ".env")):
        return True
    if any(name[:7].upper() == "HERMES_" and "__" in name for name in environ):
        return True
    return os.path.lexists(home) and not os.path.isdir(home)  # reading it reports the problem
