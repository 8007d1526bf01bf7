"""The lock as a value: what is pinned, what it accepts, and how one entry after another is accepted into it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError, did_you_mean
from hermes_core.files.atomic import write_atomic
from hermes_core.plugins.lock.digest import definition_of, digest_of_canonical
from hermes_core.plugins.lock.locktext import MAX_BYTES, lock_bytes, parse_lock, refuse_newer
from hermes_core.schemas.nearest import nearest
from hermes_core.tools.spec import ToolSpec

FILE_NAME = "hermes.lock"
NO_LOCK = frozenset({"none", "off"})
"""What `$HERMES_LOCK` says to work without a lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTool:
    """One pinned tool.

    Attributes:
        name: What models call it.
        plugin: The plugin that brings it.
        digest: The digest of the definition.
        definition: What models are shown and policy decides by, as `definition_of` makes it.
    """

    name: str
    plugin: str
    digest: str
    definition: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPlugin:
    """One plugin and where it came from.

    Attributes:
        name: The plugin's name.
        distribution: The distribution that ships it; None for one that was not installed.
        version: That distribution's version.
    """

    name: str
    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything that is pinned, by name, sorted."""

    plugins: Mapping[str, LockedPlugin]
    tools: Mapping[str, LockedTool]

    @classmethod
    def of(cls, plugins: Iterable[LockedPlugin], specs: Iterable[tuple[str, ToolSpec]]) -> Lock:
        """The lock of these plugins and their tools, each given with its plugin's name.

        Raises:
            PluginError: two plugins bring a tool of one name.
            ToolDefinitionError: a definition is not JSON, or larger than anything a model could read.
        """
        tools: dict[str, LockedTool] = {}
        for plugin, spec in specs:
            definition = definition_of(spec)
            if spec.name in tools:
                raise PluginError(
                    f"tool {spec.name!r} is also brought by plugin {tools[spec.name].plugin!r}, "
                    "and a lock holds one tool of each name.",
                    plugin=plugin,
                )
            tools[spec.name] = LockedTool(
                name=spec.name, plugin=plugin, digest=digest_of_canonical(definition), definition=definition
            )
        sources = {tool.plugin: LockedPlugin(name=tool.plugin) for tool in tools.values()}
        return _lock(sources | {plugin.name: plugin for plugin in plugins}, tools)

    def accepts(self, plugin: str, spec: ToolSpec) -> bool:
        """Whether this is the very tool that was pinned: same plugin, same definition."""
        locked = self.tools.get(spec.name)
        if locked is None or locked.plugin != plugin:
            return False
        try:
            return digest_of_canonical(definition_of(spec)) == locked.digest
        except ToolDefinitionError:
            return False  # what cannot be locked was never accepted

    def with_accepted(self, other: Lock, names: Iterable[str]) -> Lock:
        """This lock with the entries of some tools, and their plugins' versions, taken from another.

        A tool that the other lacks is removed; so is a plugin that the other lacks once no tool of it is left.

        Raises:
            ConfigError: a name that neither lock has.
        """
        tools, plugins = dict(self.tools), dict(self.plugins)
        touched: set[str] = set()
        for name in names:
            before, after = self.tools.get(name), other.tools.get(name)
            if before is None and after is None:
                near = did_you_mean(nearest(name, {*self.tools, *other.tools}))
                raise ConfigError(f"There is no tool {name!r} to accept.{near}")
            touched |= {tool.plugin for tool in (before, after) if tool is not None}
            tools.pop(name, None)
            if after is not None:
                tools[name] = after
        left = {tool.plugin for tool in tools.values()}
        for plugin in touched:
            if plugin in other.plugins:
                plugins[plugin] = other.plugins[plugin]
            elif plugin not in left:
                plugins.pop(plugin, None)
        return _lock(plugins, tools)


def _lock(plugins: Mapping[str, LockedPlugin], tools: Mapping[str, LockedTool]) -> Lock:
    return Lock(
        plugins=MappingProxyType({name: plugins[name] for name in sorted(plugins)}),
        tools=MappingProxyType({name: tools[name] for name in sorted(tools)}),
    )


def read_lock(file: Path) -> Lock:
    """The lock in a file.

    Raises:
        ConfigError: it cannot be read, is not a lock, or was edited by hand.
    """
    plugins, tools = parse_lock(file, _read(file))
    return _lock(
        {name: LockedPlugin(name=name, **entry) for name, entry in plugins.items()},
        {name: LockedTool(name=name, **entry) for name, entry in tools.items()},
    )


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except IsADirectoryError as error:
        raise ConfigError("is a folder, where the lock file should be.", file=str(file)) from error
    except FileNotFoundError as error:
        raise ConfigError("there is no such file. Run 'hermes lock' to write it.", file=str(file)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"cannot be read ({reason}), so no tool can be compared with it. "
            "Make it readable, or set HERMES_LOCK=off to work without a lock.",
            file=str(file),
        ) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"is larger than {MAX_BYTES:,} bytes, which no lock is.", file=str(file))
    return data


def write_lock(file: Path, lock: Lock) -> bool:
    """Write a lock whole or not at all. False when the file says the same already; then it is not touched.

    A link is not followed: whoever put it there must not choose what is overwritten.

    Raises:
        ConfigError: it cannot be written, or a newer version wrote it; the file is as it was.
    """
    refuse_inside(f"{FILE_NAME} cannot be written")
    if file.is_symlink():
        raise ConfigError(
            f"is a link to {os.readlink(file)}. Remove it, or name the file itself with --file.", file=str(file)
        )
    try:
        data = lock_bytes(
            {
                name: {"distribution": plugin.distribution, "version": plugin.version}
                for name, plugin in lock.plugins.items()
            },
            {
                name: {"plugin": tool.plugin, "digest": tool.digest, "definition": tool.definition}
                for name, tool in lock.tools.items()
            },
        )
        target = Path(os.path.abspath(file))
        mode = 0o644  # it is committed and reviewed: nothing in it is secret
        if target.exists():
            before = target.read_bytes()
            if before == data:
                return False
            refuse_newer(target, before)
            mode = target.stat().st_mode & 0o777
        write_atomic(target, data, mode=mode)
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be written ({reason}).", file=os.path.abspath(file)) from error
    return True


def find_lock(home: Path, environ: Mapping[str, str]) -> Path | None:
    """The lock that counts: `$HERMES_LOCK`, `hermes.lock` in the working folder, or in the home; None without one.

    Raises:
        ConfigError: `$HERMES_LOCK` names a file that does not exist.
    """
    named = environ.get("HERMES_LOCK", "").strip()
    if named.casefold() in NO_LOCK:
        return None
    if named:
        file = Path(os.path.expanduser(named))
        if not _is_there(file):
            raise ConfigError(
                f"there is no file {str(file)!r}. Run 'hermes lock' to write it, or unset the variable.",
                key="HERMES_LOCK",
                example="HERMES_LOCK=off works without a lock",
            )
        return file
    try:
        folders: tuple[Path, ...] = (Path.cwd(), home)
    except FileNotFoundError:  # somebody removed the working folder
        folders = (home,)
    return next((file for folder in folders if _is_there(file := folder / FILE_NAME)), None)


def _is_there(file: Path) -> bool:
    """Whether something bears this name, even a dead link: a lock that cannot be read must not count as no lock."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True
