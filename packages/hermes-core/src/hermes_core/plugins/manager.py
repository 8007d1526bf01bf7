"""The plugins of one host: pluggy keeps them and their order, this file keeps them apart from each other."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pluggy

import hermes_schemas
from hermes_core import hookspecs
from hermes_core.errors import PluginError, did_you_mean

_PREFIX = "hermes_"
HOOKS = tuple(name for name in vars(hookspecs) if name.startswith(_PREFIX))


@dataclass(frozen=True, slots=True)
class Implementation:
    """One plugin's function for one hook, and the arguments it asked for."""

    hook: str
    plugin: str
    function: Any
    argnames: tuple[str, ...]


def new_manager() -> pluggy.PluginManager:
    """A pluggy manager that knows our hooks."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def read_plugin(plugin: object, name: str) -> tuple[Implementation, ...]:
    """Everything a plugin implements, checked on its own, so that a wrong one never meets the others.

    Raises:
        PluginError: it implements a hook that does not exist, takes arguments that the hook does not give, or wraps.
    """
    manager = new_manager()
    try:
        manager.register(plugin, name)
    except pluggy.PluginValidationError as error:
        from hermes_core.plugins.explaining import explain_arguments

        raise explain_arguments(plugin, name, manager, error) from error
    except ValueError as error:
        raise PluginError(str(error), plugin=name) from error
    _refuse_unmarked(plugin, name, manager)
    found = []
    for caller in manager.get_hookcallers(plugin) or ():
        for implementation in caller.get_hookimpls():
            if caller.spec is None:
                if implementation.optionalhook:
                    continue
                near = did_you_mean(hermes_schemas.nearest(caller.name, HOOKS, 1))
                raise PluginError(f"there is no hook {caller.name!r}.{near}", plugin=name, remedy="Rename it.")
            if implementation.wrapper or implementation.hookwrapper:
                raise PluginError(
                    f"{caller.name} is declared as a wrapper, which Hermes hooks cannot be.",
                    plugin=name,
                    remedy="Return an answer instead; see the hook's documentation.",
                )
            found.append(Implementation(caller.name, name, implementation.function, tuple(implementation.argnames)))
    return tuple(found)


def _refuse_unmarked(plugin: object, name: str, manager: pluggy.PluginManager) -> None:
    """A function that is called like a hook but bears no mark would never be called, and nobody would know why."""
    taken = {
        implementation.function
        for caller in manager.get_hookcallers(plugin) or ()
        for implementation in caller.get_hookimpls()
    }
    for hook in HOOKS:
        function = getattr(plugin, hook, None)
        if inspect.isroutine(function) and function not in taken:
            raise PluginError(
                f"{hook} is not marked as an implementation of the hook.",
                plugin=name,
                remedy="Put @hermes_core.hookimpl above it.",
            )


class Plugins:
    """The accepted plugins of a host, and who implements which hook in which order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: pluggy.PluginManager | None = None
        self._table: Mapping[str, tuple[Implementation, ...]] = MappingProxyType({})
        self.generation = 0
        self.installed: set[str] = set()
        """The plugins that the user installed, beside those that an application gives."""
        self.failures: dict[tuple[str, str], str] = {}
        """What went wrong first in a hook, by plugin and hook."""
        self._tabled = -1

    @property
    def _manager(self) -> pluggy.PluginManager:
        """Made for the first plugin: a host that only lists tools needs none."""
        if self._made is None:
            self._made = new_manager()
        return self._made

    def names(self) -> tuple[str, ...]:
        """The plugins' names, in the order in which they were accepted."""
        return tuple(name for name, plugin in self._manager.list_name_plugin() if plugin is not None)

    def objects(self) -> tuple[object, ...]:
        """The plugins themselves, in the order in which they were accepted."""
        return tuple(plugin for _, plugin in self._manager.list_name_plugin() if plugin is not None)

    def accept(self, plugin: object, name: str) -> tuple[Implementation, ...]:
        """Add a plugin. One that cannot stand raises `PluginError` and leaves nothing behind."""
        implementations = read_plugin(plugin, name)
        with self._lock:
            if self._manager.has_plugin(name):
                raise PluginError("a plugin of this name is there already.", plugin=name, remedy="Rename one of them.")
            if self._manager.is_registered(plugin):
                raise PluginError("it is registered already under another name.", plugin=name)
            self._manager.register(plugin, name)
            self.generation += 1
        return implementations

    def remove(self, name: str) -> bool:
        """Take a plugin's hooks out; its tools stay until they are deregistered."""
        with self._lock:
            if not self._manager.has_plugin(name):
                return False
            self._manager.unregister(name=name)
            self.generation += 1
            return True

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        """Who implements a hook, in the order of the calls."""
        if self._tabled != self.generation:
            self._make_table()
        return self._table.get(hook, ())

    def _make_table(self) -> None:
        """Ask pluggy once after a row of changes."""
        with self._lock:
            table = {}
            for hook in HOOKS if self._made is not None else ():
                ordered = reversed(getattr(self._manager.hook, hook).get_hookimpls())
                table[hook] = tuple(Implementation(hook, i.plugin_name, i.function, tuple(i.argnames)) for i in ordered)
            self._table, self._tabled = MappingProxyType(table), self.generation
