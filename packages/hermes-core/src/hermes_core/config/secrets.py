"""The secrets of one host: those that tools and plugins declare, and those of its user.

Declared are the values of `requires_env` and settings that are marked as secrets. They are hidden in everything that
leaves a call, by the rules of `hermes_text.secrets.values`. The user's own secrets are also variables, in `.env` or the
environment, whose names say so; they are masked in texts that a model reads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_core.config.config import Config
    from hermes_text.secrets.spellings import Spelling

_REFRESH_SECONDS = 1.0
"""How long a change may go unnoticed. Those of `.env` and of the variables of the running tool are noticed at once."""

Pairs = frozenset[tuple[str, str]]
"""Secrets, each with the name for its mask."""


class Secrets:
    """The secrets of one host.

    Args:
        home: The directory with `.env`.
        environ: Where tools' keys are looked up.
        required: Returns the variables that any tool requires.
        config: Returns the user's settings; None when there are none.
        owner_of: Returns the plugin that a section of the settings belongs to.
        generation: Returns a number that grows whenever tools or sections change.
    """

    def __init__(
        self,
        home: Path,
        environ: Mapping[str, str],
        required: Callable[[], Iterable[str]],
        config: Callable[[], Config | None],
        owner_of: Callable[[str], str],
        generation: Callable[[], int],
    ) -> None:
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
        return self._generation() == self._absent_at

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
        moment = self._generation()
        if moment == self._absent_at:
            return ()
        if moment != self._moment or requires_env or time.monotonic() > self._until:
            self._refresh(requires_env)
        found = self._declared
        if owner is not None:
            found = frozenset(self._in_variables(requires_env)) | self._settings.get(owner, frozenset())
        if not found:
            return ()
        from hermes_text.secrets.spellings import spellings

        return spellings(found)

    @property
    def values(self) -> frozenset[str]:
        """Every secret that is declared."""
        self._refresh(())
        return frozenset(value for value, _ in self._declared)

    @property
    def own(self) -> Mapping[str, str]:
        """The user's own secrets, each with its name, the longest first."""
        stamp = self._stamp_of_dotenv()
        if stamp != self._stamp or time.monotonic() > self._own_until:
            from hermes_core.config.secret_sources import find_own, read_dotenv

            if stamp != self._stamp:
                self._dotenv = read_dotenv(self._env_file, self._dotenv)
            self._stamp = stamp
            found = find_own(self._dotenv, self._environ, self._config(), self._required())
            self._own = dict(sorted(found, key=lambda pair: len(pair[0]), reverse=True))
            self._own_until = time.monotonic() + _REFRESH_SECONDS
        return self._own

    # -- declared --------------------------------------------------------------------------------------------

    def _are_unchanged(self, variables: Iterable[str]) -> bool:
        return all(self._lookup(name) == self._variables.get(name) for name in variables)

    def _refresh(self, requires_env: Iterable[str]) -> None:
        moment = self._generation()
        is_stale = moment != self._moment or time.monotonic() > self._until
        if not is_stale and (not requires_env or self._are_unchanged(requires_env)):
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
                from hermes_text.secrets.values import secrets_in_variable  # most hosts have no secrets to look for

                yield from secrets_in_variable(name, value)

    def _in_settings(self, config: Config) -> dict[str, Pairs]:
        from hermes_core.config.secret_sources import secret_settings
        from hermes_text.secrets.values import secrets_in

        found: dict[str, Pairs] = {}
        for section, key, value in secret_settings(config):
            owner = self._owner_of(section)
            found[owner] = found.get(owner, frozenset()).union(secrets_in(key, value))
        return found

    def _stamp_of_dotenv(self) -> tuple[int, int] | None:
        try:
            found = self._env_file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
