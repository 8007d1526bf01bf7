"""What counts as a number of seconds."""

from __future__ import annotations

from typing import Any

from hermes_core.errors import ConfigError


def checked_seconds(seconds: Any) -> float | None:
    """The value, when it can be a deadline.

    Raises:
        ConfigError: it cannot.
    """
    if seconds is None or (isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0):
        return seconds
    raise ConfigError(f"timeout is {seconds!r}, not a number of seconds above 0.", example="timeout=30")
