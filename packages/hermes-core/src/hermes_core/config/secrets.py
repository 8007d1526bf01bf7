"""The sources of a host's secrets: variables that tools require, settings, `.env` and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError

if TYPE_CHECKING:
    from hermes_core.config.config import Config


class HostSecrets:
    """The sources of a host's secrets, for `SecretStore`."""

    def __init__(
        self,
        home: Path,
        environ: Mapping[str, str],
        required: Callable[[], Iterable[str]],
        config: Callable[[], Config | None],
        owner_of: Callable[[str], str],
        generation: Callable[[], int],
    ) -> None:
        self.required = required
        self.generation = generation
        self._environ = environ
        self._config = config
        self._owner_of = owner_of
        self._env_file = home / ".env"
        self._user_variables: dict[str, str] = {}

    def lookup(self, name: str) -> tuple[str, ...]:
        """Return the values of a variable that a tool may find: that of the host, and that of the process."""
        found = dict.fromkeys((self._environ.get(name), os.environ.get(name)))
        return tuple(filter(None, found))

    def settings(self) -> Iterable[tuple[str, str, str]] | None:
        """Return each secret in the settings, with its plugin and its key; None without settings."""
        config = self._config()
        return None if config is None else self._in_settings(config)

    def _in_settings(self, config: Config) -> Iterator[tuple[str, str, str]]:
        for spec in config.sections.values():
            if "writeOnly" in repr(spec.schema):  # reading a section takes time
                for path, text in spec.find_secrets(_read_section(config, spec.name)):
                    yield self._owner_of(spec.name), ".".join((spec.name, *path)), text

    def user_stamp(self) -> tuple[int, int] | None:
        """Return a value that changes with `.env`."""
        try:
            found = self._env_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def user_variables(self) -> dict[str, str]:
        """Return the variables in `.env`; the previous ones if it is being written or invalid."""
        from hermes_files import FileError
        from hermes_files.dotenv import parse_dotenv

        with suppress(OSError, FileError):
            text = self._env_file.read_text(encoding="utf-8-sig", errors="replace") if self._env_file.exists() else ""
            self._user_variables = {each.name: each.value for each in parse_dotenv(self._env_file, text)}
        return self._user_variables

    def environ(self) -> Mapping[str, str]:
        """Return the environment, extended by `.env`."""
        config = self._config()
        with suppress(ConfigError):  # `.env` is invalid, which the settings report
            if config is not None:
                return config.environ
        return settings_environ(self._environ)


def _read_section(config: Config, name: str) -> object:
    with suppress(ConfigError):
        return config.section(name)
    with suppress(ConfigError):  # no tool gets an invalid section, but its secrets must still be hidden
        return config.stored(name)
    return None
