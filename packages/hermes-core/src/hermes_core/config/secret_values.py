"""The user's own secrets: the values that are masked in what a model reads, whatever they look like."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hermes_core.config.dotenv import parse_dotenv
from hermes_core.errors import ConfigError
from hermes_text.secrets.formats import has_generated_run, is_guessable
from hermes_text.secrets.names import looks_secret

if TYPE_CHECKING:
    from hermes_core.config.config import Config

__all__ = ["OwnSecrets"]

_SHORTEST = 8
_REFRESH_SECONDS = 1.0
"""How long a variable that the process has set may go unnoticed."""

_SECRET_PART = re.compile(
    r"(?:^|_)(?:secret|token|password|passwd|passphrase|apikey|credentials?)(?:_|$)", re.IGNORECASE
)
_PATH = re.compile(r"(?:~|\.{1,2})?/|[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_NOT_IN_KIND = re.compile(r"[^\w.-]", re.ASCII)


class OwnSecrets:
    """The secrets of one user: from `.env`, the environment, and settings that are declared as secrets.

    Args:
        home: The directory with `.env`.
        config: Returns the user's settings.
        required: Returns the variables that tools need.
    """

    def __init__(self, home: Path, config: Callable[[], Config], required: Callable[[], Iterable[str]]) -> None:
        self._env_file = home / ".env"
        self._config = config
        self._required = required
        self._dotenv: dict[str, str] = {}
        self._stamp: tuple[int, int] | None = None
        self._values: Mapping[str, str] = {}
        self._until = 0.0

    @property
    def values(self) -> Mapping[str, str]:
        """Each secret and its name, the longest first; a changed `.env` counts at once."""
        stamp = _stamp(self._env_file)
        if stamp != self._stamp or time.monotonic() > self._until:
            if stamp != self._stamp:
                self._dotenv = self._read_dotenv()
            self._stamp = stamp
            found = dict(self._find())
            self._values = {value: found[value] for value in sorted(found, key=len, reverse=True)}
            self._until = time.monotonic() + _REFRESH_SECONDS
        return self._values

    def _find(self) -> Iterator[tuple[str, str]]:
        required = set(self._required())
        for name, value in self._dotenv.items():
            yield from _secrets_in(name, value, named=name in required or _names_secret(name))
        config = self._config()
        for name, value in _environ(config).items():
            if name in required or _names_secret(name):
                yield from _secrets_in(name, value, named=True)
        for spec in config.sections.values():
            for way in spec.ways():
                if spec.is_secret(way):
                    key = ".".join((spec.name, *way))
                    yield from _secrets_in(key, _setting(config, (spec.name, *way)), named=True)

    def _read_dotenv(self) -> dict[str, str]:
        try:
            text = self._env_file.read_text(encoding="utf-8-sig", errors="replace")
            return {each.name: each.value for each in parse_dotenv(self._env_file, text)}
        except FileNotFoundError:
            return {}
        except (OSError, ConfigError):
            return self._dotenv  # half-written or broken: what it said before still counts


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _environ(config: Config) -> Mapping[str, str]:
    try:
        return dict(config.environ)
    except ConfigError:
        return dict(os.environ)  # `.env` is broken, which the settings report


def _setting(config: Config, key: tuple[str, ...]) -> object:
    try:
        return config.get(key)
    except ConfigError:
        return None  # the tool that reads it reports the problem


def _names_secret(name: str) -> bool:
    return looks_secret(name) or _SECRET_PART.search(name) is not None


def _secrets_in(name: str, value: object, *, named: bool) -> Iterator[tuple[str, str]]:
    """Yield the parts of a value that are secrets, each with a name for its mask.

    Args:
        name: What the value is called.
        value: The value.
        named: Whether the name says that it is a secret; otherwise it must look generated.
    """
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if not isinstance(value, str):
        return
    name = _NOT_IN_KIND.sub("_", name)[:80]
    for line in value.splitlines():
        part = line.strip()
        is_secret = named
        if _URL.match(part):
            part, is_secret = _password_of(part), True
        elif _PATH.match(part) and not has_generated_run(part):
            continue
        if len(part) >= _SHORTEST and not is_guessable(part) and (is_secret or has_generated_run(part)):
            yield part, name


def _password_of(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""
