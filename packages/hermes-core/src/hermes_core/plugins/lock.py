"""The contents of `hermes.lock`: the definition of each tool, so that changes are noticed before it is used."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError, did_you_mean
from hermes_core.plugins.plugin_records import Candidate, HeldBack
from hermes_core.tools.definitions import neutral_definition
from hermes_core.tools.tool_spec import ToolSpec
from hermes_schemas import nearest
from hermes_schemas.path_lines import changed_lines, json_lines

Entry = TypeVar("Entry")

_MAX_CHARS = 2_000_000  # more than any model's context


# -- contents --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTool:
    """One pinned tool: its plugin, its approximate cost in tokens, and its definition with a digest."""

    plugin: str
    tokens: int = field(compare=False)
    digest: str
    definition: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPlugin:
    """The distribution and version of a plugin."""

    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """All pinned plugins and tools, sorted by name."""

    plugins: Mapping[str, LockedPlugin] = field(default_factory=dict)
    tools: Mapping[str, LockedTool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("plugins", "tools"):
            object.__setattr__(self, name, MappingProxyType(dict(sorted(getattr(self, name).items()))))

    @classmethod
    def of(cls, plugins: Mapping[str, LockedPlugin], specs: Iterable[tuple[str, ToolSpec]]) -> Lock:
        """Return the lock of plugins and tools. Raises `PluginError` if two plugins provide the same tool."""
        known = dict(plugins)
        tools: dict[str, LockedTool] = {}
        for name, spec in specs:
            if spec.name in tools:
                other = tools[spec.name].plugin
                reason = f"tool {spec.name!r} is also provided by plugin {other!r}, and a lock contains each name once."
                raise PluginError(reason, plugin=name)
            lines = define(spec, plugin=name, distribution=known.setdefault(name, LockedPlugin()).distribution)
            tools[spec.name] = LockedTool(
                plugin=name, tokens=estimate_tokens(spec), digest=digest(lines), definition=lines
            )
        return cls(plugins=known, tools=tools)

    def accepts(self, spec: ToolSpec, *, plugin: str, distribution: str | None) -> bool:
        """Return True if this is the pinned tool: same plugin, same distribution, same definition."""
        locked = self.tools.get(spec.name)
        if locked is None or locked.plugin != plugin:
            return False
        try:
            return digest(define(spec, plugin=plugin, distribution=distribution)) == locked.digest
        except ToolDefinitionError:
            return False  # a definition that cannot be locked was never accepted

    def with_accepted(self, other: Lock, names: Iterable[str]) -> Lock:
        """Return a copy with the entries of some tools, and their plugins' versions, taken from another lock.

        Tools that the other lock lacks are removed; so are plugins that it lacks, once they have no tools.
        """
        tools, plugins = dict(self.tools), dict(self.plugins)
        touched: set[str] = set()
        for name in names:
            entries = [lock.tools[name] for lock in (self, other) if name in lock.tools]
            if not entries:
                near = did_you_mean(nearest(name, {*self.tools, *other.tools}))
                raise ConfigError(f"There is no tool {name!r} to accept.{near}")
            touched |= {entry.plugin for entry in entries}
            tools.pop(name, None)
            if name in other.tools:
                tools[name] = other.tools[name]
        left = {tool.plugin for tool in tools.values()}
        for plugin in touched:
            if plugin in other.plugins:
                plugins[plugin] = other.plugins[plugin]
            elif plugin not in left:
                plugins.pop(plugin, None)
        return Lock(plugins=plugins, tools=tools)


def hold(lock: Lock, candidate: Candidate, tool: ToolSpec, before: ToolSpec | None) -> HeldBack | None:
    """Explain why a tool must not run; `before` is the tool of the manifest, if this one is from the code."""
    plugin, distribution = candidate.name, candidate.distribution
    if lock.accepts(tool, plugin=plugin, distribution=distribution):
        return None
    if before is not None and lock.accepts(before, plugin=plugin, distribution=distribution):
        reason = "it is quarantined: its code differs from its manifest, which hermes.lock accepts"
        remedy = "Tell its author to run 'hermes plugin manifest', or install another version."
        return HeldBack(reason, remedy, quarantined=True)
    what = "its definition changed since" if tool.name in lock.tools else "it came after"
    remedy = f"Look at it with 'hermes lock diff', then run 'hermes lock accept {tool.name}'."
    return HeldBack(f"it is quarantined: {what} hermes.lock was written", remedy, quarantined=True)


# -- the text of a definition ----------------------------------------------------------------------------------------


def define(spec: ToolSpec, *, plugin: str, distribution: str | None) -> list[str]:
    """Return the lines that pin a tool: what models see, what policies use, and where the tool comes from."""
    needs = {each if isinstance(each, str) else f"{each.__module__}.{each.__qualname__}" for each in spec.needs}
    definition: dict[str, Any] = {
        "name": spec.name,
        "plugin": plugin,
        "distribution": distribution,
        "toolset": spec.toolset,
        "effects": sorted(spec.effects),
        "requires_env": sorted(set(spec.requires_env)),
        "needs": sorted(needs),
        "aliases": sorted(set(spec.aliases)),
        "argument_aliases": spec.argument_aliases,
        "description": spec.description,
        "parameters": spec.parameters,
    }
    try:
        return json_lines({key: value for key, value in definition.items() if value}, max_chars=_MAX_CHARS)
    except ValueError as error:
        raise ToolDefinitionError(spec.name, f"its definition cannot be locked: {error}.") from error


def digest(lines: list[str]) -> str:
    """Return `sha256:` and the hash of a definition's lines."""
    return "sha256:" + hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()


def estimate_tokens(spec: ToolSpec) -> int:
    """Estimate how many tokens the definition costs in every request: four characters each."""
    function = neutral_definition(spec.name, spec.description, spec.parameters)
    shown = {"type": "function", "function": function}
    return -(-len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False)) // 4)


# -- differences -----------------------------------------------------------------------------------------------------

Kind = Literal["added", "removed", "changed"]


class Change(NamedTuple):
    """A tool that changed. For a removed one, the fields describe what it was."""

    tool: str
    plugin: str
    kind: Kind
    fields: list[str]  # the parts of its definition that changed
    diff: list[str]  # the changed lines of its definition, prefixed with `+` or `-`
    token_delta: int  # additional tokens in every request


class VersionChange(NamedTuple):
    """A plugin whose distribution or version changed. For a removed one, the fields describe what it was."""

    plugin: str
    kind: Kind
    distribution: str | None
    before: str | None
    after: str | None
    distribution_before: str | None
    """None if it did not change"""


class Differences(NamedTuple):
    """All differences between two locks, sorted by name; false if there are none."""

    changes: tuple[Change, ...]
    versions: tuple[VersionChange, ...]

    def __bool__(self) -> bool:
        return bool(self.changes or self.versions)

    def as_dict(self) -> dict[str, Any]:
        return {name: [each._asdict() for each in part] for name, part in self._asdict().items()}


def compare(before: Lock, after: Lock) -> Differences:
    """Return the differences between two locks."""
    changes = (_change(*each) for each in _pairs(before.tools, after.tools))
    versions = (_version_change(*each) for each in _pairs(before.plugins, after.plugins))
    return Differences(tuple(changes), tuple(versions))


def _pairs(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> Iterator[tuple[str, Entry | None, Entry | None]]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)


def _kind(before: object, after: object) -> Kind:
    return "added" if before is None else "removed" if after is None else "changed"


def _version_change(name: str, before: LockedPlugin | None, after: LockedPlugin | None) -> VersionChange:
    was, now = before or LockedPlugin(), after or LockedPlugin()
    is_moved = before is not None and after is not None and was.distribution != now.distribution
    distribution = (after or was).distribution
    moved_from = was.distribution if is_moved else None
    return VersionChange(name, _kind(before, after), distribution, was.version, now.version, moved_from)


def _change(name: str, before: LockedTool | None, after: LockedTool | None) -> Change:
    nothing = LockedTool(plugin="", tokens=0, digest="", definition=[])
    was, now = before or nothing, after or nothing
    diff = changed_lines(was.definition, now.definition)
    fields = [re.split(r"[.:\[]", line[2:], maxsplit=1)[0] for line in diff] if before and after else []
    plugin = now.plugin or was.plugin
    return Change(name, plugin, _kind(before, after), list(dict.fromkeys(fields)), diff, now.tokens - was.tokens)
