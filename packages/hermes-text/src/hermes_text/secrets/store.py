"""Collects the secrets of a program, those that it declares and those of its user, and caches them for a second.

Declared secrets are variables that the program requires and settings that are marked as secrets. They are hidden in
every text, by the rules of `declared_values`. The user's own secrets also include variables with the name of a secret;
they are only masked in texts that a model reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Protocol

# Modules are imported in functions: most programs have no secrets.
if TYPE_CHECKING:
    from hermes_text.secrets.encoded_secrets import Spelling

_REFRESH_SECONDS = 1.0
"""The maximum delay until a change is noticed, except where `SecretSources` documents another."""

_Pairs = frozenset[tuple[str, str]]
"""Secrets, each with the name for its mask."""


class SecretSources(Protocol):
    """The sources of a program's secrets."""

    def generation(self) -> int:
        """Return a number that grows when the declarations change, which is noticed at once."""

    def required(self) -> Iterable[str]:
        """Return the names of the variables that are declared."""

    def lookup(self, name: str) -> tuple[str, ...]:
        """Return the values of a declared variable. A change is noticed at once where the variable is requested."""

    def settings(self) -> Iterable[tuple[str, str, str]] | None:
        """Return the owner, the key and the text of each secret setting; None when there are no settings at all."""

    def user_stamp(self) -> object:
        """Return a value that changes as soon as the user's file of variables does."""

    def user_variables(self) -> Mapping[str, str]:
        """Return the variables in the user's file."""

    def environ(self) -> Mapping[str, str]:
        """Return the environment."""


class SecretStore:
    """The secrets of a program, collected on first use. The declared secrets of `above` are hidden, too."""

    def __init__(self, sources: SecretSources, above: SecretStore | None = None) -> None:
        self._above = above
        self._sources = sources
        self._generation = sources.generation
        self._absent_at = -1
        self._collected_at = -1
        self._until = 0.0
        self._variables: dict[str, tuple[str, ...]] = {}
        self._settings: dict[str, _Pairs] = {}
        self._declared: _Pairs = frozenset()
        self._own: Mapping[str, str] = {}
        self._own_stamp: object = None
        self._own_until = 0.0

    def are_absent(self) -> bool:
        """Return True when no variable is required and there are no settings: then nothing is declared."""
        return self._generation() == self._absent_at and (self._above is None or self._above.are_absent())

    def hide(self, text: str) -> str:
        """Replace every declared secret in a text with a mask."""
        spelled = self.spelled()
        if not spelled:
            return text
        from hermes_text.secrets.encoded_secrets import hide

        return hide(text, spelled)

    def spelled(self, variables: Iterable[str] = (), owner: str | None = None) -> tuple[Spelling, ...]:
        """Return the spellings of declared secrets.

        Args:
            variables: The variables that the author of the text requires.
            owner: The owner of settings, for only these and the variables; None for everything that is declared.
        """
        if owner is None and not (variables or self._above or self._declared) and self._is_fresh():
            return ()  # the common case
        found = self._find_declared(variables, owner)
        if not found:
            return ()
        from hermes_text.secrets.encoded_secrets import spellings

        return spellings(found)

    @property
    def own(self) -> Mapping[str, str]:
        """The user's own secrets, each with its name, the longest first."""
        stamp = self._sources.user_stamp()
        if stamp != self._own_stamp or monotonic() > self._own_until:
            self._own_stamp = stamp
            self._own = dict(sorted(self._find_own(), key=lambda pair: len(pair[0]), reverse=True))
            self._own_until = monotonic() + _REFRESH_SECONDS
        return self._own

    def _find_declared(self, variables: Iterable[str], owner: str | None) -> _Pairs:
        above: _Pairs = frozenset() if self._above is None else self._above._find_declared(variables, owner)
        if self._generation() == self._absent_at:
            return above
        self._refresh(variables)
        if owner is None:
            return above | self._declared
        return above.union(self._in_variables(variables), self._settings.get(owner, frozenset()))

    def _is_fresh(self) -> bool:
        return self._generation() == self._collected_at and monotonic() <= self._until

    def _refresh(self, variables: Iterable[str]) -> None:
        lookup = self._sources.lookup
        if self._is_fresh() and all(lookup(name) == self._variables.get(name) for name in variables):
            return
        generation = self._generation()
        settings = self._sources.settings()
        self._variables = {name: lookup(name) for name in {*self._sources.required(), *variables}}
        self._settings = self._by_owner(settings or ())
        self._declared = frozenset(self._in_variables(self._variables)).union(*self._settings.values())
        self._absent_at = generation if not self._variables and settings is None else -1
        self._collected_at, self._until = generation, monotonic() + _REFRESH_SECONDS

    def _in_variables(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            for value in self._variables.get(name, ()):
                from hermes_text.secrets.declared_values import secrets_in_variable

                yield from secrets_in_variable(name, value)

    def _by_owner(self, settings: Iterable[tuple[str, str, str]]) -> dict[str, _Pairs]:
        found: dict[str, _Pairs] = {}
        for owner, key, text in settings:
            from hermes_text.secrets.declared_values import secrets_in

            found[owner] = found.get(owner, frozenset()).union(secrets_in(key, text))
        return found

    def _find_own(self) -> Iterator[tuple[str, str]]:
        from hermes_text.secrets.declared_values import certain_secrets, names_secret

        required = set(self._sources.required())
        for name, value in self._sources.user_variables().items():
            yield from certain_secrets(name, value, named=name in required or names_secret(name))
        for name, value in dict(self._sources.environ()).items():
            if name in required or names_secret(name):
                yield from certain_secrets(name, value, named=True)
        for _, key, text in self._sources.settings() or ():
            yield from certain_secrets(key, text, named=True)
