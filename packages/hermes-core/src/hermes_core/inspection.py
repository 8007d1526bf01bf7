"""PUBLIC: for programs that check plugins: find plugins, load one without a host, and inspect the parts of a host."""
# ruff: noqa: PLC0414 - `as` tells type checkers that a name is exported

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeVar

    import click

    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.rehearsal import Rehearsal as Rehearsal
    from hermes_core.calls.session import Session
    from hermes_core.config.core_settings import CORE_SECTION_NAMES as CORE_SECTION_NAMES
    from hermes_core.config.home import home_folder as home_folder
    from hermes_core.config.sections import SectionSpec
    from hermes_core.host import Hermes, HostParts
    from hermes_core.plugins.api_version import default_range as default_range
    from hermes_core.plugins.api_version import within as within
    from hermes_core.plugins.contributions import Contribution as Contribution
    from hermes_core.plugins.generated_manifest import differences as differences
    from hermes_core.plugins.generated_manifest import make_manifest as make_manifest
    from hermes_core.plugins.generated_manifest import manifest_text as manifest_text
    from hermes_core.plugins.manager import HOOKS as HOOKS
    from hermes_core.plugins.manager import Implementation as Implementation
    from hermes_core.plugins.manager import Plugins as Plugins
    from hermes_core.plugins.manifest import FILE as FILE
    from hermes_core.plugins.manifest import FORMAT as FORMAT
    from hermes_core.plugins.manifest import find_manifest as find_manifest
    from hermes_core.plugins.manifest import manifest_places as manifest_places
    from hermes_core.plugins.manifest import read_manifest as read_manifest
    from hermes_core.plugins.name_ownership import RESERVED as RESERVED
    from hermes_core.plugins.plugin_import import load as load
    from hermes_core.plugins.plugin_records import APPLICATION as APPLICATION
    from hermes_core.plugins.plugin_records import Candidate as Candidate
    from hermes_core.plugins.plugin_records import LoadReport as LoadReport
    from hermes_core.plugins.plugin_sources import GROUP as GROUP
    from hermes_core.plugins.plugin_sources import file_candidate as file_candidate
    from hermes_core.plugins.plugin_sources import find_files as find_files
    from hermes_core.plugins.plugin_sources import find_installed as find_installed
    from hermes_core.plugins.plugin_sources import find_project_files as find_project_files
    from hermes_core.plugins.plugin_sources import installed_candidate as installed_candidate
    from hermes_core.plugins.plugin_sources import load_object as load_object
    from hermes_core.plugins.registration import CORE_COMMANDS as CORE_COMMANDS
    from hermes_core.tools.declaration import CODE_FIELDS as CODE_FIELDS
    from hermes_core.tools.definitions import neutral_definition as neutral_definition
    from hermes_core.tools.lazy_tool import UNLIMITED as UNLIMITED
    from hermes_core.tools.requirements import Verdict as Verdict
    from hermes_core.tools.tool_spec import EFFECTS as EFFECTS

    Kind = TypeVar("Kind")
else:
    from hermes_core.lazy_names import lazy_names

    _, __getattr__, __dir__ = lazy_names()


def _parts(host: Hermes) -> HostParts:
    from hermes_core.host import parts_of  # loaded already if there is a host

    return parts_of(host)


def _dispatcher(host: Hermes) -> Dispatcher:
    from hermes_core.host import dispatcher_of

    return dispatcher_of(host)


def refused_toolsets(name: str, contribution: Contribution) -> tuple[str, ...]:
    """Explain which toolsets of a plugin a host would reject even if no other plugin were installed."""
    from hermes_core.plugins.registration import Offer, Registrar
    from hermes_core.tools.registry import Registry
    from hermes_core.tools.toolset import ToolsetCatalog

    toolsets = Offer(toolsets=contribution.toolsets)
    return tuple(Registrar(Registry(), ToolsetCatalog(), lambda *_: True).put(name, toolsets).problems)


# -- the parts of a host ---------------------------------------------------------------------------------------------


def plugin_sections(host: Hermes) -> tuple[SectionSpec, ...]:
    """Return the sections of `config.yaml` that the plugins of a host read."""
    return _parts(host).registrar.sections()


def plugin_commands(host: Hermes) -> Mapping[str, str]:
    """Return the commands that plugins add to `hermes`, with their summaries."""
    return {name: line for name, (_, line) in _parts(host).registrar.commands.items()}


def load_command(host: Hermes, name: str) -> click.Command:
    """Import the plugin of a command and return the command. Raises `PluginError` if that fails."""
    found: click.Command = _parts(host).loader.command(name)
    return found


def find_plugin(host: Hermes, kind: type[Kind]) -> Kind | None:
    """Return the plugin that is an instance of a class, or None."""
    _dispatcher(host)  # creates the plugins that have a factory
    return next((each for each in hook_table(host).objects() if isinstance(each, kind)), None)


def tool_source(host: Hermes, name: str) -> str:
    """Return the plugin that provides a tool, in this host or a parent; `application` otherwise."""
    return _dispatcher(host).source_of(name)


def toolset_verdict(host: Hermes, toolset: str) -> Verdict:
    """Return whether a toolset as a whole is available."""
    availability = _parts(host).visibility.availability
    return availability.toolset(host.registry.snapshot.toolset_checks.get(toolset))


def set_clock(host: Hermes, clock: Callable[[], float]) -> None:
    """Use another clock for the age of cached availability checks."""
    _parts(host).visibility.availability.clock = clock


def abandoned_calls(host: Hermes) -> Mapping[str, int]:
    """Return the number of abandoned calls of each tool or hook that still run."""
    return dict(_dispatcher(host).abandoned.counts) if _parts(host).has_dispatcher else {}


def hook_table(host: Hermes) -> Plugins:
    """Return the implementations of all hooks, in call order."""
    return _parts(host).plugins.now


def default_session(host: Hermes) -> Session:
    """Return the session of calls that specify none."""
    return _dispatcher(host).default_session


def open_sessions(host: Hermes) -> tuple[Session, ...]:
    """Return the open sessions of a host."""
    return tuple(_dispatcher(host).sessions)


def replace_hook_table(host: Hermes, table: Any) -> float:
    """Let a host call the hooks of another table; return the deadline of a hook. Use the host for nothing else."""
    hooks = _dispatcher(host).hooks
    hooks.use_table(table)
    return hooks.seconds
