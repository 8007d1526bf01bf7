"""What a plugin brings, asked of its code and checked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from hermes_core.config.sections import SectionSpec
from hermes_core.errors import PluginError
from hermes_core.plugin_context import declared_hooks
from hermes_core.plugins.api import default_range
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.manager import HOOKS, Implementation, read_plugin
from hermes_core.plugins.manifest import can_be_command
from hermes_core.tools.declaration import not_json
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset

if TYPE_CHECKING:
    from click import Command

Providers = Mapping[str, Mapping[str, Callable[[], object]]]
_SECTIONS_REMEDY = 'Return {"section": a dataclass, a pydantic model class, or a JSON schema}.'
_HELP_CHARS = 120
"""How much of a command's help is shown in a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What a plugin brings, checked and ready to be registered.

    Attributes:
        plugin: The object with the hooks, or the factory that makes it for each host.
        hooks: The hooks that it implements, and those that it says its factory may add.
        commands: Its commands by name; None when nobody asked for them, because its manifest lists them.
    """

    plugin: object
    implementations: tuple[Implementation, ...]
    hooks: tuple[str, ...]
    tools: tuple[Tool, ...] = ()
    toolsets: tuple[Toolset, ...] = ()
    sections: tuple[SectionSpec, ...] = ()
    commands: Mapping[str, Command] | None
    help_lines: Mapping[str, str]
    providers: Providers
    api: str | None = None


def collect(candidate: Candidate, *, commands: bool = True) -> Contribution:
    """Import a plugin, ask it everything that it can be asked while it is loaded, and check the answers.

    Args:
        candidate: The plugin.
        commands: Whether to ask for its commands, which takes the modules of a command line.

    Raises:
        PluginError: An answer cannot be used. Who imports the plugin adds its name.
        BaseException: whatever its code raised.
    """
    plugin = candidate.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    if plugin is None:
        raise PluginError("its entry point is None.", remedy="Point it at a module.")
    implementations = read_plugin(plugin, candidate.name)
    declared = declared_hooks(plugin, candidate.name, HOOKS) if hasattr(plugin, "hermes_factory") else ()
    tools: list[Tool] = []
    toolsets: list[Toolset] = []
    sections: list[SectionSpec] = []
    providers: dict[str, Mapping[str, Callable[[], object]]] = {}
    for implementation in implementations:
        if implementation.hook == "hermes_tools":
            tools += _checked("hermes_tools", implementation.function(), Tool)
        elif implementation.hook == "hermes_toolsets":
            toolsets += _checked("hermes_toolsets", implementation.function(), Toolset)
        elif implementation.hook == "hermes_providers":
            providers.update(_checked_providers(implementation.function()))
        elif implementation.hook == "hermes_settings":
            sections += _checked_sections(candidate, implementation.function())
    asked = collect_commands(implementations) if commands else None
    return Contribution(
        plugin=plugin,
        implementations=implementations,
        hooks=tuple(dict.fromkeys([*(each.hook for each in implementations), *declared])),
        tools=tuple(tools),
        toolsets=tuple(toolsets),
        sections=tuple(sections),
        commands=asked,
        help_lines={name: str(each.get_short_help_str(_HELP_CHARS)) for name, each in (asked or {}).items()},
        providers=providers,
        api=_declared_api(plugin),
    )


def _checked(hook: str, answer: object, kind: type[Any]) -> list[Any]:
    if answer is None:
        return []
    if isinstance(answer, kind):
        return [answer]
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
        raise PluginError(
            f"{hook} returned {_described(answer)}, not a list of {kind.__name__}s.",
            remedy=f"Return a list: [{kind.__name__.lower()}, ...].",
        )
    items = list(answer)
    for item in items:
        if not isinstance(item, kind):
            raise PluginError(
                f"{hook} returned a list that holds {_described(item)}, not a {kind.__name__}.",
                remedy="Declare it with @tool or Tool.from_schema." if kind is Tool else f"Make it a {kind.__name__}.",
            )
    return items


def _checked_providers(answer: object) -> Providers:
    if answer is None:
        return {}
    if isinstance(answer, Mapping) and all(
        isinstance(point, str)
        and isinstance(named, Mapping)
        and all(isinstance(name, str) and callable(factory) for name, factory in named.items())
        for point, named in answer.items()
    ):
        return answer
    raise PluginError(
        f"hermes_providers returned {_described(answer)}.",
        remedy='Return {"extension point": {"name": function that makes the provider}}.',
    )


def _checked_sections(candidate: Candidate, answer: object) -> list[SectionSpec]:
    """Sections from `{"name": model or JSON schema}`."""
    if answer is None:
        return []
    found: list[SectionSpec] = []
    if not isinstance(answer, Mapping):
        raise PluginError(
            f"hermes_settings returned {_described(answer)}.",
            remedy=_SECTIONS_REMEDY,
        )
    for name, described in answer.items():
        if isinstance(described, Mapping):
            found.append(SectionSpec(name=name, schema=described, owner=candidate.name))
        elif inspect.isclass(described) and (hasattr(described, "model_json_schema") or is_dataclass(described)):
            found.append(SectionSpec.from_model(name, described, owner=candidate.name))
        else:
            raise PluginError(
                f"hermes_settings gives {_described(described)} for the section {name!r}.",
                remedy=_SECTIONS_REMEDY,
            )
    for section in found:
        if problem := not_json(section.schema):
            raise PluginError(
                f"hermes_settings gives a schema for the section {section.name!r} that is not JSON ({problem}).",
                remedy="Use JSON values only, defaults too.",
            )
    return found


def collect_commands(implementations: Iterable[Implementation]) -> dict[str, Command]:
    """Ask a plugin for its commands, and check the answer.

    Raises:
        PluginError: The answer cannot be used.
        BaseException: whatever its code raised.
    """
    commands: dict[str, Command] = {}
    for implementation in implementations:
        if implementation.hook == "hermes_commands":
            commands.update(_checked_commands(implementation.function()))
    return commands


def _checked_commands(answer: object) -> dict[str, Command]:
    from click import Command

    commands: dict[str, Command] = {}
    for command in _checked("hermes_commands", answer, Command):
        if not command.name or not can_be_command(command.name):
            raise PluginError(
                f"hermes_commands returned a command with the name {command.name!r}: not NAME or GROUP NAME."
                if command.name
                else "hermes_commands returned a command without a name.",
                remedy='Name it: @click.command("name").',
            )
        commands[command.name] = command
    return commands


def _declared_api(plugin: object) -> str | None:
    """The range of API versions that the code itself names."""
    declared = getattr(plugin, "hermes_api", None)
    if declared is not None and not isinstance(declared, str):
        raise PluginError(
            f"its hermes_api is {_described(declared)}, not a range of versions.",
            remedy=f'Write hermes_api = "{default_range()}".',
        )
    return declared


def _described(value: object) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (registration hooks are not async)"
    name = getattr(value, "__name__", None)
    return f"{type(value).__name__} {name}" if name else f"a {type(value).__name__}"
