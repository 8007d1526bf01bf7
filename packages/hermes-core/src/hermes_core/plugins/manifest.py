"""`hermes-plugin.json`: describes a plugin, so that it need not be imported."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hermes_core.errors import PluginError, ToolDefinitionError
from hermes_core.plugins.api_version import LAZY_HOOKS, POLICY_HOOKS
from hermes_files.installed_packages import find_package
from hermes_files.regular_files import read_regular_file
from hermes_schemas.readonly import ReadOnlyDict, ReadOnlyList

if TYPE_CHECKING:
    from hermes_core.plugins.registration import Make, Offer
    from hermes_core.tools.toolset import Toolset

FILE = "hermes-plugin.json"
FORMAT = 1

_MAX_BYTES = 4 * 1024 * 1024  # a thousand tools need half of it; reading more would be slower than the import
_NO_SECTION_NAME = frozenset(". \n\t\"'[]:#")
MANIFEST_REMEDY = "Generate it again with 'hermes plugin manifest', or reinstall the distribution."


class Manifest:
    """The manifest of one plugin. Its `call_hooks` require the code, its `policy_hooks` may deny calls."""

    def __init__(self, file: str, data: Mapping[str, Any]) -> None:
        self.file = file
        self.plugin: str = data["plugin"]
        self.api: str = data["api"]
        self.tools: Sequence[Mapping[str, Any]] = data.get("tools", ())
        self.toolsets: Sequence[Mapping[str, Any]] = data.get("toolsets", ())
        self.settings: Sequence[Mapping[str, Any]] = data.get("settings", ())
        self.commands: Sequence[Mapping[str, Any]] = data.get("commands", ())
        self.providers: Mapping[str, Sequence[str]] = data.get("providers", {})
        self.hooks: Sequence[str] = data.get("hooks", ())
        self.call_hooks = tuple(hook for hook in self.hooks if hook not in LAZY_HOOKS)
        self.policy_hooks = tuple(hook for hook in self.hooks if hook in POLICY_HOOKS)

    def offer(self, lazy: Callable[[str, str], Make]) -> Offer:
        """Return what the manifest offers; `lazy` returns a function that imports the plugin for a provider."""
        from hermes_core.plugins.registration import Offer
        from hermes_core.tools.lazy_tool import lazy_tool
        from hermes_core.tools.tool_spec import LazyHandler

        handler = LazyHandler(self.plugin)
        return Offer(
            tools=tuple(lazy_tool(entry, handler) for entry in self.tools),
            toolsets=tuple(map(_toolset, self.toolsets)),
            sections={entry["name"]: entry for entry in self.settings},
            help_lines={entry["name"]: str(entry.get("help", "")) for entry in self.commands},
            providers={point: {name: lazy(point, name) for name in names} for point, names in self.providers.items()},
        )


def _toolset(entry: Mapping[str, Any]) -> Toolset:
    from hermes_core.tools.toolset import Toolset

    parts = {key: part for key, part in entry.items() if key in ("description", "tools", "includes", "aliases")}
    if not isinstance(parts.get("description", ""), str):
        raise ToolDefinitionError(entry["name"], "the toolset's description is not text.")
    return Toolset(entry["name"], **parts)


def read_manifest(plugin: str, text: bytes, file: str) -> Manifest | None:
    """Parse a manifest; return None if it belongs to another plugin. Raises `PluginError` if it is invalid."""
    try:
        if len(text) > _MAX_BYTES:
            raise ValueError(f"more than {_MAX_BYTES // 1024 // 1024} MiB")
        data = json.loads(text, object_hook=_read_only, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        why = str(error).replace("\n", " ")
        if not isinstance(error, ValueError):
            why = "it is nested too deeply"
        elif isinstance(error, UnicodeDecodeError):
            why = "it is not UTF-8"
        reason = f"its manifest {file} is not valid JSON: {why}."
        raise PluginError(reason, plugin=plugin, remedy=MANIFEST_REMEDY) from error
    if isinstance(data, dict) and type(data.get("plugin")) is str and data["plugin"] != plugin:
        return None
    problem = _problem(data)
    if problem:
        raise PluginError(f"its manifest {file} cannot be used: {problem}.", plugin=plugin, remedy=MANIFEST_REMEDY)
    return Manifest(file, data)


def can_be_command(name: str) -> bool:
    """Return True for a name of letters, digits, dashes and underscores, or two of them: a group and its command."""
    words = name.split(" ")
    return (
        name.isascii()
        and len(words) <= 2
        and all(word[:1].isalnum() and word.replace("-", "").replace("_", "").isalnum() for word in words)
    )


def _problem(data: Any) -> str | None:
    """Describe a structural problem of a manifest; tools and toolsets are checked when they are created."""
    if not isinstance(data, dict):
        return "it does not contain an object"
    if type(data.get("plugin")) is not str:
        return '"plugin" is not the name of the plugin'
    if type(data.get("api")) is not str:
        return '"api" is not a range of versions such as ">=1.0,<2"'
    if type(data.get("manifest")) is not int or data["manifest"] != FORMAT:
        return f'"manifest" is {data.get("manifest")!r}, and this version reads format {FORMAT}'
    for key in ("tools", "toolsets", "settings", "commands", "hooks"):
        entries = data.get(key, [])
        if not isinstance(entries, list):
            return f'"{key}" is not a list'
        if key != "hooks" and not all(isinstance(each, dict) and type(each.get("name")) is str for each in entries):
            return f'an entry of "{key}" is not an object with a name'
    if not all(type(hook) is str and hook.startswith("hermes_") for hook in data.get("hooks", ())):
        return '"hooks" contains something that is not a hook'
    for section in data.get("settings", ()):
        if not isinstance(section.get("schema"), dict):
            return 'an entry of "settings" has no schema'
        if not section["name"] or _NO_SECTION_NAME & set(section["name"]):
            return f'an entry of "settings" has the name {section["name"]!r}, which is not a valid section name'
    for command in data.get("commands", ()):
        if not can_be_command(command["name"]) or type(command.get("help", "")) is not str:
            return f'an entry of "commands" has an invalid name {command["name"]!r}, or a help that is not text'
    providers = data.get("providers", {})
    if not isinstance(providers, dict) or not all(
        isinstance(names, list) and all(type(name) is str for name in names) for names in providers.values()
    ):
        return '"providers" is not an object of lists of names'
    return None


def _read_only(found: dict[str, Any]) -> ReadOnlyDict:
    for key, value in found.items():
        if type(value) is list:
            found[key] = _read_only_list(value)
    return ReadOnlyDict(found)


def _read_only_list(found: list[Any]) -> ReadOnlyList:
    return ReadOnlyList([_read_only_list(value) if type(value) is list else value for value in found])


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if abs(number) == float("inf"):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def find_manifest(plugin: str, module: str) -> Manifest | None:
    """Find the manifest of a plugin in the package of its entry point. Raises `PluginError` if it is invalid."""
    for file, text in _texts(plugin, module):
        found = read_manifest(plugin, text, file)
        if found is not None:
            return found
    return None


def manifest_places(module: str) -> list[str]:
    """Return the directories that may contain a plugin's manifest. The first one is where a new manifest is written."""
    top, *rest = module.split(".")
    spec = find_package(top)
    if spec is None or not spec.submodule_search_locations:
        return []
    places = []
    for location in spec.submodule_search_locations:
        folders = [location]
        for part in rest:
            folders.append(os.path.join(folders[-1], part))
        places += [folder for folder in reversed(folders) if folder == location or os.path.isdir(folder)]
    return places


def _texts(plugin: str, module: str) -> Iterator[tuple[str, bytes]]:
    """Yield all files that may be the manifest. A package with several plugins has one file for each."""
    for folder in manifest_places(module):
        for name in (FILE, f"hermes-plugin.{plugin}.json"):
            file = os.path.join(folder, name)
            try:
                yield file, read_regular_file(file, _MAX_BYTES)
            except NotADirectoryError:  # the package is in an archive, which its loader can read
                spec = find_package(module.partition(".")[0])
                with suppress(Exception):  # anything that a loader raises for a missing file
                    yield file, spec.loader.get_data(file)  # type: ignore[union-attr]
            except (OSError, ValueError) as error:
                if isinstance(error, FileNotFoundError) and not os.path.islink(file):
                    continue
                why = getattr(error, "strerror", None) or error
                raise PluginError(
                    f"its manifest {file} cannot be read ({why}).", plugin=plugin, remedy=MANIFEST_REMEDY
                ) from error
