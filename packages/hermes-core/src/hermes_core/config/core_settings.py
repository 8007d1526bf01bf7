"""The core's own settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    import os

    from hermes_core.config.config import Config

CORE_SECTION_NAMES = frozenset({"calls", "plugins", "results", "toolset_distributions", "toolsets"})
"""The core's own sections of `config.yaml`."""

POLICY_SECTIONS = {"policy": "hermes-approval"}
"""The sections of `config.yaml` that restrict calls, with our distributions that read them."""

SHORTEST_SECRET = 6  # in characters
DEFAULT_TIMEOUT = 300.0
DEFAULT_HOOK_TIMEOUT = 10.0
DEFAULT_APPROVAL_TIMEOUT = 300.0


class Settings(NamedTuple):
    """The core's settings from `config.yaml`. `sections` describes each setting."""

    plugins_enabled: tuple[str, ...] | None = None
    plugins_disabled: tuple[str, ...] = ()
    plugins_required: tuple[str, ...] = ()
    plugins_distributions: Mapping[str, str] = MappingProxyType({})
    plugins_accept: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    plugins_import_seconds: float = 2.0  # done twice, once in a separate process: a start takes at most five seconds
    plugins_upstream: bool = False
    toolsets: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    toolset_distributions: Mapping[str, Any] = MappingProxyType({})
    timeout: float | None = None
    hook_timeout: float = DEFAULT_HOOK_TIMEOUT
    approval_timeout: float = DEFAULT_APPROVAL_TIMEOUT
    max_depth: int = 32
    max_abandoned: int = 4
    reader_tool: str = "read_file"


def core_settings(
    config: Mapping[str, Any] | Config | None, home: str | os.PathLike[str], environ: Mapping[str, str] | None
) -> Settings:
    """Return the core's settings out of those of an application. Raises `ConfigError` if one is invalid."""
    if config is None or (isinstance(config, Mapping) and CORE_SECTION_NAMES.isdisjoint(config)):
        return Settings()
    if isinstance(config, Mapping):
        from hermes_core.config.config import Config

        config = Config(home, environ=environ, data=config)
    return config.settings()


def checked_seconds(seconds: Any) -> float | None:
    """Return a valid deadline or None. Raises `ConfigError` for other values."""
    if seconds is None or (isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0):
        return seconds
    raise ConfigError(f"timeout is {seconds!r}, not a number of seconds above 0.", example="timeout=30")
