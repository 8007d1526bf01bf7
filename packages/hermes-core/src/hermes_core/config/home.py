"""Where a user's settings and state live."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_core.errors import ConfigError


def hermes_home() -> Path:
    """`$HERMES_HOME`, or `~/.hermes`. The folder need not exist yet."""
    given = os.environ.get("HERMES_HOME", "").strip()
    try:
        home = Path(given).expanduser() if given else Path.home() / ".hermes"
    except RuntimeError as error:
        raise ConfigError(
            "there is no home folder to keep settings in.", key="HERMES_HOME", example="HERMES_HOME=/srv/hermes"
        ) from error
    return home.absolute()
