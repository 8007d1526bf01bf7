"""The secrets that tools and plugins declare: values of `requires_env`, and settings that are marked as secrets.

A declared value is hidden wherever it appears, with these exceptions, which would only spoil results:

- Values of fewer than 6 characters, and words such as `localhost` or `production`, are not hidden.
- Values of fewer than 8 characters, numbers and short words are hidden as whole words only, and not in encodings.
- A variable is not taken for a secret when its value is a path or a URL without a password, or when its name ends in a
  word such as `URL`, `HOST`, `REGION` or `MODEL`; unless the value holds something that looks generated.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hermes_core.errors import ConfigError
from hermes_text.secrets.spellings import Spelling, hide, spellings

if TYPE_CHECKING:
    from hermes_core.config.config import Config

__all__ = ["SHORTEST", "DeclaredSecrets"]

SHORTEST = 6
_REFRESH_SECONDS = 1.0
"""How long a changed setting may go unnoticed. Changes of the variables of the tool that runs are noticed at once."""

_PATH = re.compile(r"(?:~|\.{1,2})?/|[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PLAIN_NAME = re.compile(
    r"(?:^|_)(?:url|uri|host|hostname|port|region|zone|model|user|username|path|dir|directory|home|file|name|endpoint|env"
    r"|environment|level|mode|lang|locale|tz|timezone|email|project|org|organization|backend|provider|version)$",
    re.IGNORECASE,
)
_TRIVIAL = frozenset(
    """
    anonymous changeme default development disabled enabled example localhost nothing password placeholder private
    production public secret staging string testing undefined unknown unlimited username 127.0.0.1 0.0.0.0
    """.split()  # noqa: SIM905 - a list of twenty lines would bury the code around it
)


class DeclaredSecrets:
    """The declared secrets of one host.

    Args:
        environ: Where tools' keys are looked up.
        required: Returns the variables that any tool requires.
        config: Returns the user's settings.
        owner_of: Returns the plugin that a section of the settings belongs to.
        generation: Returns a number that grows whenever tools or sections change.
    """

    def __init__(
        self,
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
        self._settings: dict[str, frozenset[tuple[str, str]]] = {}
        self._all: frozenset[tuple[str, str]] = frozenset()
        self._values: frozenset[str] = frozenset()
        self._absent_at = -1

    def are_absent(self) -> bool:
        """Return True when no tool requires a variable and there are no settings: then there is nothing to look for."""
        return self._generation() == self._absent_at

    def hide(self, text: str, requires_env: Iterable[str] = (), owner: str | None = None) -> str:
        """Replace secrets in a text with masks.

        Args:
            text: Any text.
            requires_env: The variables of the tool whose text it is.
            owner: The plugin of that tool, to hide only what the two declare; None hides everything that is declared.
        """
        spelled = self.spelled(requires_env, owner)
        return hide(text, spelled) if spelled else text

    def spelled(self, requires_env: Iterable[str] = (), owner: str | None = None) -> tuple[Spelling, ...]:
        """Return the spellings of the secrets that `hide` would replace."""
        self._refresh(requires_env)
        if owner is None:
            return spellings(self._all) if self._all else ()
        own = frozenset(pair for name in requires_env for pair in _in_variable(name, self._variables.get(name, ())))
        own |= self._settings.get(owner, frozenset())
        return spellings(own) if own else ()

    @property
    def values(self) -> frozenset[str]:
        """Every secret that is declared."""
        self._refresh(())
        return self._values

    def _refresh(self, requires_env: Iterable[str]) -> None:
        moment = self._generation()
        stale = moment != self._moment or time.monotonic() > self._until
        if not stale and all(self._lookup(name) == self._variables.get(name) for name in requires_env):
            return
        self._variables = {name: self._lookup(name) for name in {*self._required(), *requires_env}}
        settings: dict[str, set[tuple[str, str]]] = {}
        for section, pair in self._in_settings():
            settings.setdefault(self._owner_of(section), set()).add(pair)
        self._settings = {owner: frozenset(pairs) for owner, pairs in settings.items()}
        in_variables = (pair for name, values in self._variables.items() for pair in _in_variable(name, values))
        self._all = frozenset(in_variables).union(*self._settings.values())
        self._values = frozenset(value for value, _ in self._all)
        self._absent_at = moment if not self._variables and self._config() is None else -1
        self._moment, self._until = moment, time.monotonic() + _REFRESH_SECONDS

    def _lookup(self, name: str) -> tuple[str, ...]:
        """Return the values that a tool may find: the host's, and the one of the process."""
        found = [value for environ in (self._environ, os.environ) if (value := environ.get(name))]
        return tuple(dict.fromkeys(found))

    def _in_settings(self) -> Iterator[tuple[str, tuple[str, str]]]:
        config = self._config()
        if config is None:
            return
        for spec in config.sections.values():
            if "writeOnly" not in repr(spec.schema):  # to read a section takes time
                continue
            for way, value in spec.secrets_in(_section(config, spec.name)):
                for leaf in _leaves(value):
                    for pair in _pairs(".".join((spec.name, *way)), leaf):
                        yield spec.name, pair


def _section(config: Config, name: str) -> object:
    with suppress(ConfigError):
        return config.section(name)
    with suppress(ConfigError):  # no tool gets a section that is wrong, but what the file says is still a secret
        return config.stored(name)
    return None


def _leaves(value: Any) -> Iterator[str]:
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)


def _in_variable(name: str, values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the secrets in the values of a variable that a tool requires, which need not be a secret."""
    from hermes_text.secrets.formats import has_generated_run  # most hosts have no secrets to look for

    for value in map(str.strip, values):
        if _URL.match(value):
            passwords = _passwords_in(value)
            secret = bool(passwords) or has_generated_run(value)
            for password in passwords:
                yield from _pairs(name, password)
        else:
            harmless = _PLAIN_NAME.search(name) or _PATH.match(value)
            secret = not harmless or has_generated_run(value)
        if secret:
            yield from _pairs(name, value)


def _passwords_in(url: str) -> set[str]:
    from urllib.parse import unquote, urlsplit

    try:
        password = urlsplit(url).password
    except ValueError:
        return {url}  # no URL at all
    return {password, unquote(password)} if password else set()


def _pairs(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a value and, where it has several, its lines, each with its name."""
    label = _label(name)
    for part in {value.strip(), *(line.strip() for line in value.splitlines())}:
        if not is_trivial(part):
            yield part, label


def is_trivial(value: str) -> bool:
    """Return True for a value that stands in many texts and says nothing: short, a common word, one character."""
    plain = value.lower().partition(":")[0]
    return len(value) < SHORTEST or plain in _TRIVIAL or len(set(value)) == 1


def _label(name: str) -> str:
    """Return a name as it may stand in a mask."""
    return "".join(char if char.isascii() and (char.isalnum() or char in "_.-") else "_" for char in name)[:80]
