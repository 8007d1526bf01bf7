"""The secrets of one host: those that tools and plugins declare, and those of its user.

Declared are the values of `requires_env` and settings that are marked as secrets. They are hidden in everything that
leaves a call, by the rules of `hermes_text.secrets.values`. The user's own secrets are also variables, in `.env` or the
environment, whose names say so; they are masked in texts that a model reads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import ConfigError

# Modules for secrets are imported in functions: most hosts have no secrets to look for.
if TYPE_CHECKING:
    from hermes_core.config.config import Config
    from hermes_text.secrets.spellings import Spelling

_REFRESH_SECONDS = 1.0
"""How long a change may go unnoticed. Those of `.env` and of the variables of the running tool are noticed at once."""

Pairs = frozenset[tuple[str, str]]
"""Secrets, each with the name for its mask."""


class Secrets:
    """The secrets of one host, whose `.env` is in `home`; `generation` grows whenever tools or sections change.

    Those of the host `above` are hidden here, too.
    """

    def __init__(
        self,
        home: Path,
        environ: Mapping[str, str],
        required: Callable[[], Iterable[str]],
        config: Callable[[], Config | None],
        owner_of: Callable[[str], str],
        generation: Callable[[], int],
        above: Secrets | None = None,
    ) -> None:
        self._above = above
        self._environ = environ
        self._required = required
        self._config = config
        self._owner_of = owner_of
        self._generation = generation
        self._moment = -1
        self._until = 0.0
        self._variables: dict[str, tuple[str, ...]] = {}
        self._settings: dict[str, Pairs] = {}
        self._declared: Pairs = frozenset()
        self._absent_at = -1
        self._env_file = home / ".env"
        self._dotenv: dict[str, str] = {}
        self._stamp: tuple[int, int] | None = None
        self._own: Mapping[str, str] = {}
        self._own_until = 0.0

    def are_absent(self) -> bool:
        """Return True when no tool requires a variable and there are no settings: then nothing is declared."""
        return self._generation() == self._absent_at and (self._above is None or self._above.are_absent())

    def hide(self, text: str) -> str:
        """Replace every declared secret in a text with a mask."""
        spelled = self.spelled()
        if not spelled:
            return text
        from hermes_text.secrets.spellings import hide

        return hide(text, spelled)

    def spelled(self, requires_env: Iterable[str] = (), owner: str | None = None) -> tuple[Spelling, ...]:
        """Return declared secrets as they may be written.

        Args:
            requires_env: The variables of the tool whose text it is.
            owner: The plugin of that tool, for only what the two declare; None for everything that is declared.
        """
        found = self._find_declared(requires_env, owner)
        if not found:
            return ()
        from hermes_text.secrets.spellings import spellings

        return spellings(found)

    @property
    def own(self) -> Mapping[str, str]:
        """The user's own secrets, each with its name, the longest first."""
        stamp = self._stamp_of_dotenv()
        if stamp != self._stamp or time.monotonic() > self._own_until:
            if stamp != self._stamp:
                self._dotenv = self._read_dotenv()
            self._stamp = stamp
            self._own = dict(sorted(self._find_own(), key=lambda pair: len(pair[0]), reverse=True))
            self._own_until = time.monotonic() + _REFRESH_SECONDS
        return self._own

    # -- declared --------------------------------------------------------------------------------------------

    def _find_declared(self, requires_env: Iterable[str], owner: str | None) -> Pairs:
        found = self._above._find_declared(requires_env, owner) if self._above is not None else frozenset()
        moment = self._generation()
        if moment == self._absent_at:
            return found
        if moment != self._moment or requires_env or time.monotonic() > self._until:
            self._refresh(requires_env)
        if owner is None:
            return found | self._declared
        return found.union(self._in_variables(requires_env), self._settings.get(owner, frozenset()))

    def _refresh(self, requires_env: Iterable[str]) -> None:
        moment = self._generation()
        is_stale = moment != self._moment or time.monotonic() > self._until
        if not is_stale and all(self._lookup(name) == self._variables.get(name) for name in requires_env):
            return
        config = self._config()
        self._variables = {name: self._lookup(name) for name in {*self._required(), *requires_env}}
        self._settings = self._in_settings(config) if config is not None else {}
        self._declared = frozenset(self._in_variables(self._variables)).union(*self._settings.values())
        self._absent_at = moment if not self._variables and config is None else -1
        self._moment, self._until = moment, time.monotonic() + _REFRESH_SECONDS

    def _lookup(self, name: str) -> tuple[str, ...]:
        """Return the values that a tool may find: the host's, and the one of the process."""
        found = dict.fromkeys((self._environ.get(name), os.environ.get(name)))
        return tuple(filter(None, found))

    def _in_variables(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            for value in self._variables.get(name, ()):
                from hermes_text.secrets.values import secrets_in_variable

                yield from secrets_in_variable(name, value)

    def _in_settings(self, config: Config) -> dict[str, Pairs]:
        from hermes_text.secrets.values import secrets_in

        found: dict[str, Pairs] = {}
        for section, key, value in _secret_settings(config):
            owner = self._owner_of(section)
            found[owner] = found.get(owner, frozenset()).union(secrets_in(key, value))
        return found

    # -- the user's own --------------------------------------------------------------------------------------

    def _find_own(self) -> Iterator[tuple[str, str]]:
        from hermes_text.secrets.values import certain_secrets, names_secret

        required, config = set(self._required()), self._config()
        for name, value in self._dotenv.items():
            yield from certain_secrets(name, value, named=name in required or names_secret(name))
        environ = settings_environ(self._environ)
        if config is not None:
            with suppress(ConfigError):  # `.env` is broken, which the settings report
                environ = config.environ
        for name, value in dict(environ).items():
            if name in required or names_secret(name):
                yield from certain_secrets(name, value, named=True)
        for _, key, value in () if config is None else _secret_settings(config):
            yield from certain_secrets(key, value, named=True)

    def _stamp_of_dotenv(self) -> tuple[int, int] | None:
        try:
            found = self._env_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def _read_dotenv(self) -> dict[str, str]:
        """Return the variables in `.env`; those it had before when it is half-written or broken."""
        from hermes_files import FileError
        from hermes_files.dotenv import parse_dotenv

        try:
            text = self._env_file.read_text(encoding="utf-8-sig", errors="replace")
            return {each.name: each.value for each in parse_dotenv(self._env_file, text)}
        except FileNotFoundError:
            return {}
        except (OSError, FileError):
            return self._dotenv


def _secret_settings(config: Config) -> Iterator[tuple[str, str, str]]:
    """Yield each text in a setting that is marked as a secret, with its section and its key."""
    for spec in config.sections.values():
        if "writeOnly" in repr(spec.schema):  # to read a section takes time
            for path, text in spec.find_secrets(_read_section(config, spec.name)):
                yield spec.name, ".".join((spec.name, *path)), text


def _read_section(config: Config, name: str) -> object:
    with suppress(ConfigError):
        return config.section(name)
    with suppress(ConfigError):  # no tool gets a section that is invalid, but what the file says is still a secret
        return config.stored(name)
    return None
