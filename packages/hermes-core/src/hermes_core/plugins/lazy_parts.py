"""Parts of a host that are created when they are needed, and that do not keep the host alive."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core.config.config import Config
    from hermes_core.plugins.manager import Plugins
    from hermes_core.plugins.registration import Registrar


SHARED_KEYS = {"browser": ("allow_private_urls",)}
"""Keys in sections of other plugins that all plugins may read: an older location of `security.allow_private_urls`."""


class LazyPlugins:
    """The table of hooks, created for the first plugin that is imported."""

    @property
    def made(self) -> bool:
        return "now" in self.__dict__

    @cached_property
    def now(self) -> Plugins:
        from hermes_core.plugins.manager import Plugins

        return Plugins()


class LazyConfig:
    """The user's settings, read when they are first needed, with the sections of all plugins."""

    def __init__(
        self,
        home: str,
        given: Mapping[str, Any] | Config | None,
        environ: Mapping[str, str] | None,
        registrar: Registrar,
    ) -> None:
        self.home = home
        self._given = given
        self._environ = environ
        self.registrar = registrar
        self._seen = -1
        self._users: Config | None = None
        self.written: Config | None = None
        """The user's settings, even if the application provides others for plugins."""

    @property
    def sources(self) -> tuple[Config, ...]:
        """All settings that decide about calls: those of the user and those of the application."""
        from hermes_core.config.home import says_something
        from hermes_core.config.tool_session import settings_environ, tool_session

        written, given = self.written, (self.now,) if self._given else ()
        if tool_session() is not None:  # the program's own settings do not count there
            if self._users is None and says_something(self.home, settings_environ()):
                from hermes_core.config.config import Config

                self._users = Config(self.home)
            written, given = self._users, ()
        if written is None or written in given:
            return given
        written.declare(self.registrar.sections())
        return (written, *given)

    def is_readable(self, section: str, plugin: str) -> bool:
        """Return True if a plugin may read a section: one that it declares, or that of a provider.

        A provider works in calls of other plugins' tools, so these may read the section with its name.
        """
        return plugin in self.registrar.owners_of_section(section) or self.registrar.is_section_of_provider(section)

    @property
    def is_empty(self) -> bool:
        """Return True if certainly no setting is set."""
        if self._given or self.written is not None or self.registrar.sections_generation:
            return False
        from os import environ

        return not any(name.upper().startswith("HERMES_") and "__" in name for name in (self._environ or environ))

    @property
    def now(self) -> Config:
        """The settings, updated with the sections of new plugins."""
        from hermes_core.config.config import Config

        if not isinstance(self._given, Config):
            self._given = Config(self.home, environ=self._environ, data=self._given or {})
        if self._seen != self.registrar.sections_generation:
            self._seen = self.registrar.sections_generation
            self._given.declare(self.registrar.sections())
        return self._given
