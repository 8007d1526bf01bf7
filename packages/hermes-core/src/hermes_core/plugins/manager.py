"""The plugins of one host: pluggy orders their hooks, and this module rejects invalid ones."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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
    """One plugin's function for one hook, and the arguments that it accepts."""

    hook: str
    plugin: str
    function: Any
    argnames: tuple[str, ...]


def read_plugin(plugin: object, name: str) -> tuple[Implementation, ...]:
    """Return all implementations of a plugin, checked before it is registered.

    Raises `PluginError` if it implements a hook that does not exist, takes arguments that the hook does not have, is a
    wrapper, or has an unmarked function with the name of a hook, which would never be called.
    """
    parser = pluggy.PluginManager(hookspecs.PROJECT)
    marked = {
        each: options for each in dir(plugin) if (options := parser.parse_hookimpl_opts(plugin, each)) is not None
    }
    for hook in HOOKS:
        if hook not in marked and inspect.isroutine(getattr(plugin, hook, None)):
            reason = f"{hook} is not marked as an implementation of the hook."
            raise PluginError(reason, plugin=name, remedy="Put @hermes_core.hookimpl above it.")
    found = []
    for attribute, options in marked.items():
        hook = options.get("specname") or attribute
        implementation = pluggy.HookImpl(plugin, name, getattr(plugin, attribute), options)
        if hook not in HOOKS:
            if implementation.optionalhook:
                continue
            near = did_you_mean(hermes_schemas.nearest(hook, HOOKS, 1))
            raise PluginError(f"there is no hook {hook!r}.{near}", plugin=name, remedy="Rename it.")
        if implementation.wrapper or implementation.hookwrapper:
            reason = f"{hook} is declared as a wrapper, which Hermes hooks cannot be."
            raise PluginError(reason, plugin=name, remedy="Return an answer instead; see the hook's documentation.")
        _check_arguments(name, hook, implementation)
        found.append(Implementation(hook, name, implementation.function, tuple(implementation.argnames)))
    return tuple(found)


def _check_arguments(plugin: str, hook: str, implementation: pluggy.HookImpl) -> None:
    given = list(inspect.signature(getattr(hookspecs, hook)).parameters)
    for argument in implementation.argnames:
        if argument not in given:
            function: Any = implementation.function
            code = getattr(getattr(function, "__func__", function), "__code__", None)
            at = f" at {code.co_filename}:{code.co_firstlineno}" if code is not None else ""
            near = did_you_mean(hermes_schemas.nearest(argument, given, 1))
            raise PluginError(
                f"{hook}{at} takes an argument {argument!r} that the hook does not give. "
                f"It gives {' and '.join(given) or 'none'}.{near}",
                plugin=plugin,
                remedy="Take only the arguments that the hook documents.",
            )


class Plugins:
    """The accepted plugins of a host, and the implementations of each hook in call order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._table: Mapping[str, tuple[Implementation, ...]] = MappingProxyType({})
        self.generation = 0
        self.installed: set[str] = set()  # installed by the user, not provided by the application
        self.failures: dict[tuple[str, str], str] = {}  # the first error of each hook, by plugin and hook
        self._tabled = -1

    @cached_property
    def _manager(self) -> pluggy.PluginManager:
        """Created for the first plugin, because a host that only lists tools needs none."""
        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        return manager

    def names(self) -> tuple[str, ...]:
        """Return the names of the plugins, in the order in which they were accepted."""
        return tuple(name for name, plugin in self._manager.list_name_plugin() if plugin is not None)

    def objects(self) -> tuple[object, ...]:
        """Return the plugins themselves, in the same order."""
        return tuple(plugin for _, plugin in self._manager.list_name_plugin() if plugin is not None)

    def accept(self, plugin: object, name: str) -> None:
        """Add a plugin. An invalid one raises `PluginError` and changes nothing."""
        read_plugin(plugin, name)
        with self._lock:
            if self._manager.has_plugin(name):
                raise PluginError("another plugin already has this name.", plugin=name, remedy="Rename one of them.")
            if self._manager.is_registered(plugin):
                raise PluginError("it is already registered under another name.", plugin=name)
            self._manager.register(plugin, name)
            self.generation += 1

    def remove(self, name: str) -> bool:
        """Remove the hooks of a plugin; its tools stay until they are deregistered."""
        with self._lock:
            if not self._manager.has_plugin(name):
                return False
            self._manager.unregister(name=name)
            self.generation += 1
            return True

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        """Return the implementations of a hook in call order."""
        if self._tabled != self.generation:
            self._make_table()
        return self._table.get(hook, ())

    def _make_table(self) -> None:
        """Update the table once after several changes."""
        with self._lock:
            table = {}
            for hook in HOOKS if self.generation else ():
                ordered = reversed(getattr(self._manager.hook, hook).get_hookimpls())
                table[hook] = tuple(Implementation(hook, i.plugin_name, i.function, tuple(i.argnames)) for i in ordered)
            self._table, self._tabled = MappingProxyType(table), self.generation
