"""PUBLIC: find plugins, load one without a host, and watch the hooks of a host: for tools that check plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hermes_core.plugins import sources
from hermes_core.plugins.api import default_range, within
from hermes_core.plugins.candidate import APPLICATION, Candidate
from hermes_core.plugins.contribution import Contribution
from hermes_core.plugins.entry_points import InstalledEntryPoint
from hermes_core.plugins.importing import load
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins
from hermes_core.plugins.manifest import find_top_level
from hermes_core.plugins.names import RESERVED, normalize
from hermes_core.plugins.registration import CORE_COMMANDS, CORE_SECTIONS, Registrar
from hermes_core.plugins.report import LoadReport
from hermes_core.tools.availability import Verdict
from hermes_core.tools.model_text import clean_text
from hermes_core.tools.provider_schema import render, sanitize_parameters

if TYPE_CHECKING:
    from hermes_core.calls.session import Session
    from hermes_core.host import Hermes
    from hermes_core.tools.spec import ToolSpec

__all__ = [
    "CORE_COMMANDS",
    "CORE_SECTIONS",
    "GROUP",
    "HOOKS",
    "RESERVED",
    "Candidate",
    "Contribution",
    "Implementation",
    "LoadReport",
    "Verdict",
    "clean_text",
    "declared_plugin",
    "default_range",
    "default_session",
    "file_plugin",
    "find_file_plugins",
    "find_installed_plugins",
    "find_object",
    "find_top_level",
    "load",
    "load_object",
    "normalize",
    "open_sessions",
    "refused_toolsets",
    "render_definition",
    "watch_hooks",
    "within",
]

GROUP = sources.GROUP
"""The entry-point group of plugins."""

Wrap = Callable[[Implementation], Implementation | None]


# -- plugins without a host ------------------------------------------------------------------------------------------


def find_installed_plugins() -> list[Candidate]:
    """Return every installed plugin, sorted by name. Nothing is imported."""
    return sources.find_installed()


def find_file_plugins() -> Iterator[Candidate]:
    """Return the single-file plugins of the user and of the project in the current directory."""
    from hermes_core.config.home import home_folder

    home = home_folder()
    yield from sources.find_files(home)
    yield from sources.find_project_files(home)


def file_plugin(path: str) -> Candidate:
    """Return the plugin in a single file."""
    return sources.file_candidate(path, "file")


def declared_plugin(name: str, value: str, distribution: str | None, version: str | None) -> Candidate:
    """Return a plugin that a project declares as an entry point, installed or not."""
    entry = InstalledEntryPoint(GROUP, name, value, distribution, version)
    return sources.installed_candidate(entry, origin="project")


def find_object(plugin: object) -> object:
    """Return the plugin object of an object, a class, a module, or the value of an entry point."""
    found = sources.load_object(plugin) if isinstance(plugin, str) else plugin
    return found() if isinstance(found, type) else found


def load_object(plugin: object, name: str) -> Contribution:
    """Load what `find_object` finds, and return what it contributes.

    Raises:
        PluginError: it cannot be loaded.
    """
    return load(Candidate(name=name, origin=APPLICATION, load=lambda: find_object(plugin)))


# -- what the core keeps for itself ----------------------------------------------------------------------------------


def refused_toolsets(name: str, contribution: Contribution) -> tuple[str, ...]:
    """Explain which toolsets of a plugin a host would refuse even if no other plugin were installed."""
    from hermes_core.plugins.offer import Offer, offer_of_code
    from hermes_core.tools.registry import Registry
    from hermes_core.tools.toolset import ToolsetCatalog

    toolsets = Offer()
    toolsets.toolsets = offer_of_code(contribution).toolsets
    return tuple(Registrar(Registry(), ToolsetCatalog(), lambda *_: True).put(name, toolsets).problems)


def render_definition(tool: ToolSpec) -> dict[str, Any]:
    """Return the definition of a tool as models see it, in OpenAI's format."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": sanitize_parameters(tool.parameters, name=tool.name),
    }
    return render(function, "openai", effects=tool.effects)


# -- the hooks of a host ---------------------------------------------------------------------------------------------


def default_session(host: Hermes) -> Session:
    """Return the session of calls that name none."""
    return host._dispatcher.default_session


def open_sessions(host: Hermes) -> tuple[Session, ...]:
    """Return the sessions of a host that are not closed."""
    return tuple(host._dispatcher._sessions)


def watch_hooks(host: Hermes, wrap: Wrap) -> float:
    """Replace the implementation of each hook of a host, and log every failure of a hook, not only its first.

    The host is of no other use afterwards.

    Args:
        host: The host.
        wrap: Gets an implementation and returns the one that is called instead, or None for no call.

    Returns:
        How many seconds one hook may take.
    """
    hooks = host._dispatcher.hooks
    watched: Any = _WatchedPlugins(host.plugins, wrap)
    hooks._plugins = watched
    hooks._table, hooks._generation = {}, -1
    hooks.exact = False  # as in most hosts, so that fast hooks are called in place after some calls
    return hooks.seconds


class _WatchedPlugins:
    """The plugins of a host with their implementations wrapped."""

    def __init__(self, plugins: Plugins, wrap: Wrap) -> None:
        self._plugins = plugins
        self._wrap = wrap
        self._wrapped: dict[Implementation, Implementation | None] = {}
        self.failures = _NoFailures()

    @property
    def generation(self) -> int:
        return self._plugins.generation

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        found = self._plugins.implementations(hook)
        for each in found:
            if each not in self._wrapped:
                self._wrapped[each] = self._wrap(each)
        return tuple(wrapped for each in found if (wrapped := self._wrapped[each]) is not None)


class _NoFailures(dict[tuple[str, str], str]):
    """Stores no failure, so that each one is logged as if it were the first."""

    def setdefault(self, _key: tuple[str, str], text: str = "") -> str:
        return text
