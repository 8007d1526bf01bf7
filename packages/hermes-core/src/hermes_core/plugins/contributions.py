"""Collects and checks what the code of a plugin contributes."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_core.errors import PluginError
from hermes_core.plugin_context import declared_hooks
from hermes_core.plugins.api_version import POLICY_HOOKS, REGISTRATION_HOOKS, default_range
from hermes_core.plugins.manager import HOOKS, Implementation, read_plugin
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.plugins.registration import Make, Offer
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset
from hermes_schemas.schema_limits import not_json

if TYPE_CHECKING:
    from click import Command

    from hermes_core.config.sections import SectionSpec
    from hermes_core.plugin_context import PluginContext

Result = TypeVar("Result")
_HELP_CHARS = 120  # of a command's help in a list


class Contribution(Offer):
    """What the code of a plugin offers, checked and ready to be registered.

    `plugin` may be a factory, and `hooks` include those of its object. `commands` are None if the manifest lists them.
    """

    sections: Mapping[str, SectionSpec]

    def __init__(
        self,
        plugin: object,
        implementations: tuple[Implementation, ...],
        hooks: tuple[str, ...],
        commands: Mapping[str, Command] | None,
        api: str | None,
        **offer: Any,
    ) -> None:
        super().__init__(**offer)
        self.plugin = plugin
        self.implementations = implementations
        self.hooks = hooks
        self.commands = commands
        self.api = api


def collect(candidate: Candidate, *, commands: bool = True) -> Contribution:
    """Import a plugin, call its registration hooks and check the answers. Raises anything that the plugin raises."""
    plugin = candidate.load()
    if inspect.isclass(plugin):
        plugin = plugin()
    if plugin is None:
        raise PluginError("its entry point is None.", remedy="Point it at a module.")
    implementations = read_plugin(plugin, candidate.name)
    declared = declared_hooks(plugin, candidate.name, HOOKS) if hasattr(plugin, "hermes_factory") else ()
    tools: list[Tool] = []
    toolsets: list[Toolset] = []
    sections: dict[str, SectionSpec] = {}
    providers: dict[str, Mapping[str, Make]] = {}
    for each in implementations:
        if each.hook == "hermes_tools":
            tools += _checked(each.hook, each.function(), Tool)
        elif each.hook == "hermes_toolsets":
            toolsets += _checked(each.hook, each.function(), Toolset)
        elif each.hook == "hermes_providers":
            providers |= _checked_providers(each.function())
        elif each.hook == "hermes_settings":
            sections |= _checked_sections(candidate, each.function())
    asked = collect_commands(implementations) if commands else None
    return Contribution(
        plugin=plugin,
        implementations=implementations,
        hooks=tuple(dict.fromkeys([*(each.hook for each in implementations), *declared])),
        tools=tuple(tools),
        toolsets=tuple(toolsets),
        sections=sections,
        commands=asked,
        help_lines={name: str(each.get_short_help_str(_HELP_CHARS)) for name, each in (asked or {}).items()},
        providers=providers,
        api=_declared_api(plugin),
    )


def collect_commands(implementations: Iterable[Implementation]) -> dict[str, Command]:
    """Collect and check the commands of a plugin. Raises like `collect`."""
    asked = [each for each in implementations if each.hook == "hermes_commands"]
    if not asked:
        return {}
    from click import Command

    from hermes_core.plugins.manifest import can_be_command

    commands: dict[str, Command] = {}
    for each in asked:
        for command in _checked(each.hook, each.function(), Command):
            if not command.name or not can_be_command(command.name):
                what = f"with the name {command.name!r}: not NAME or GROUP NAME." if command.name else "without a name."
                reason = f"hermes_commands returned a command {what}"
                raise PluginError(reason, remedy='Name it: @click.command("name").')
            commands[command.name] = command
    return commands


def make_for_host(factory: Any, name: str, context: PluginContext) -> object:
    """Let a factory create the plugin of one host. Raises `PluginError` if that is not a plugin with hooks."""
    made = factory.hermes_factory(context)
    has_hook = any(each.hook not in REGISTRATION_HOOKS for each in read_plugin(made, name))
    may_deny = not set(POLICY_HOOKS).isdisjoint(declared_hooks(factory, name, HOOKS))
    if inspect.isclass(made) or (not has_hook and (may_deny or type(made).__module__ == "builtins")):
        reason = f"its hermes_factory returned {_described(made)}, which is not an object with hooks of calls."
        raise PluginError(reason, remedy="Return the object with the hooks.")
    return made


def run_here(candidate: Candidate, work: Callable[[], Result]) -> tuple[Result | PluginError, float]:
    """Run code of an application's plugin in this thread, and measure the time."""
    started = time.perf_counter()
    result: Result | PluginError
    try:
        result = work()
    except (Exception, SystemExit) as error:  # foreign code: it disables only itself
        from hermes_core.plugins.import_errors import explain

        result = explain(candidate, error)
    return result, time.perf_counter() - started


def _checked(hook: str, answer: object, kind: type[Any]) -> list[Any]:
    if answer is None:
        return []
    if isinstance(answer, kind):
        return [answer]
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
        reason = f"{hook} returned {_described(answer)}, not a list of {kind.__name__}s."
        raise PluginError(reason, remedy=f"Return a list: [{kind.__name__.lower()}, ...].")
    items = list(answer)
    for item in items:
        if not isinstance(item, kind):
            reason = f"{hook} returned a list that contains {_described(item)}, not a {kind.__name__}."
            how = "Declare it with @tool or Tool.from_schema." if kind is Tool else f"Make it a {kind.__name__}."
            raise PluginError(reason, remedy=how)
    return items


def _checked_providers(answer: object) -> Mapping[str, Mapping[str, Make]]:
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


def _checked_sections(candidate: Candidate, answer: object) -> dict[str, SectionSpec]:
    from hermes_core.config.sections import SectionSpec

    remedy = 'Return {"section": a dataclass, a pydantic model class, or a JSON schema}.'
    if not isinstance(answer, Mapping | None):
        raise PluginError(f"hermes_settings returned {_described(answer)}.", remedy=remedy)
    sections: dict[str, SectionSpec] = {}
    for name, described in (answer or {}).items():
        if isinstance(described, Mapping):
            section = SectionSpec(name=name, schema=described, owner=candidate.name)
        elif inspect.isclass(described) and (hasattr(described, "model_json_schema") or is_dataclass(described)):
            section = SectionSpec.from_model(name, described, owner=candidate.name)
        else:
            reason = f"hermes_settings gives {_described(described)} for the section {name!r}."
            raise PluginError(reason, remedy=remedy)
        if problem := not_json(section.schema):
            reason = f"hermes_settings gives a schema for the section {name!r} that is not JSON ({problem})."
            raise PluginError(reason, remedy="Use JSON values only, defaults too.")
        sections[name] = section
    return sections


def _declared_api(plugin: object) -> str | None:
    declared = getattr(plugin, "hermes_api", None)
    if declared is not None and not isinstance(declared, str):
        reason = f"its hermes_api is {_described(declared)}, not a range of versions."
        raise PluginError(reason, remedy=f'Write hermes_api = "{default_range()}".')
    return declared


def _described(value: object) -> str:
    if inspect.iscoroutine(value):
        value.close()
        return "a coroutine (registration hooks are not async)"
    name = getattr(value, "__name__", None)
    return f"{type(value).__name__} {name}" if name else f"a {type(value).__name__}"
