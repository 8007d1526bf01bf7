"""What `hermes.lock` pins, which tools it accepts, and the file itself: found, read and written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError, did_you_mean
from hermes_core.files import newer_format, write_atomic
from hermes_core.plugins.lock.definition import define, digest, estimate_tokens, quote
from hermes_core.tools.spec import ToolSpec
from hermes_schemas import nearest

FILE_NAME = "hermes.lock"
NO_LOCK = frozenset({"none", "off"})
"""What `$HERMES_LOCK` says to work without a lock."""

_FORMAT = 1
"""Raised when an older Hermes could misread the file."""
_MAX_BYTES = 64 * 1024 * 1024
"""Thousands of tools fit; a device file or a disk image does not."""
_REMEDY = "Restore the file, or delete it and run 'hermes lock' after reviewing the tools."
_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTool:
    """One pinned tool.

    Attributes:
        name: What models call it.
        plugin: The plugin that brings it.
        tokens: About how many tokens it costs in every request.
        digest: The digest of the definition.
        definition: The lines of the definition, as `define` returns them.
    """

    name: str
    plugin: str
    tokens: int
    digest: str
    definition: list[str]


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
        """Return the lock of these plugins and their tools, each given with its plugin's name.

        Raises:
            PluginError: Two plugins bring a tool of one name.
            ToolDefinitionError: A definition is not JSON, or larger than anything a model could read.
        """
        known = {plugin.name: plugin for plugin in plugins}
        tools: dict[str, LockedTool] = {}
        for name, spec in specs:
            if spec.name in tools:
                raise PluginError(
                    f"tool {spec.name!r} is also brought by plugin {tools[spec.name].plugin!r}, "
                    "and a lock holds one tool of each name.",
                    plugin=name,
                )
            plugin = known.setdefault(name, LockedPlugin(name=name))
            lines = define(spec, plugin=name, distribution=plugin.distribution)
            tools[spec.name] = LockedTool(
                name=spec.name, plugin=name, tokens=estimate_tokens(spec), digest=digest(lines), definition=lines
            )
        return _lock(known, tools)

    def accepts(self, spec: ToolSpec, *, plugin: str, distribution: str | None) -> bool:
        """Return whether this is the tool that was pinned: same plugin, same distribution, same definition."""
        locked = self.tools.get(spec.name)
        if locked is None or locked.plugin != plugin:
            return False
        try:
            return digest(define(spec, plugin=plugin, distribution=distribution)) == locked.digest
        except ToolDefinitionError:
            return False  # what cannot be locked was never accepted

    def with_accepted(self, other: Lock, names: Iterable[str]) -> Lock:
        """Return this lock with the entries of some tools, and their plugins' versions, taken from another.

        A tool that the other lacks is removed; so is a plugin that the other lacks once no tool of it is left.

        Raises:
            ConfigError: Neither lock has a tool of that name.
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


# -- the file --------------------------------------------------------------------------------------------------------


def read_lock(file: Path) -> Lock:
    """Read a lock.

    Raises:
        ConfigError: It cannot be read, is not a lock, was written by a newer version, or was edited by hand.
    """
    return _Reader(str(file)).read(_read(file))


def write_lock(file: Path, lock: Lock) -> bool:
    """Write a lock as a whole or not at all. False when the file says the same already; then it is not touched.

    A file that is not a lock, is damaged, or was written by a newer version is not overwritten. A link is not
    followed: whoever put it there must not choose what is overwritten.

    Raises:
        ConfigError: It cannot be written; the file is as it was.
    """
    refuse_inside(f"{FILE_NAME} cannot be written")
    if file.is_symlink():
        raise ConfigError(
            f"is a link to {os.readlink(file)}. Remove it, or name the file itself with --file.", file=str(file)
        )
    try:
        data = _encode(lock)
        target = Path(os.path.abspath(file))
        mode = 0o644  # it is committed and reviewed: nothing in it is secret
        if target.is_file():
            before = _read(target)
            if before == data:
                return False
            _Reader(str(target)).read(before)
            mode = target.stat().st_mode & 0o777
        write_atomic(target, data, mode=mode)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be written ({reason}).", file=os.path.abspath(file)) from error
    return True


def _encode(lock: Lock) -> bytes:
    """Return a lock as JSON, byte for byte the same for the same entries."""
    document = {
        "format": _FORMAT,
        "plugins": {
            name: {"distribution": plugin.distribution, "version": plugin.version}
            for name, plugin in lock.plugins.items()
        },
        "tools": {
            name: {"plugin": tool.plugin, "tokens": tool.tokens, "digest": tool.digest, "definition": tool.definition}
            for name, tool in lock.tools.items()
        },
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
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
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"is larger than {_MAX_BYTES:,} bytes, which no lock is.", file=str(file))
    return data


class _Reader:
    """Reads the content of a lock file, and refuses everything that `_encode` does not write."""

    def __init__(self, file: str) -> None:
        self._file = file

    def read(self, data: bytes) -> Lock:
        document = self._parse(data)
        if isinstance(document, dict) and (newer := newer_format(document.get("format"), _FORMAT)):
            raise ConfigError(f"{newer}. Upgrade hermes-core, or move the file away.", file=self._file, key="format")
        self._check(document, None, {"format": int, "plugins": dict, "tools": dict})
        if document["format"] != _FORMAT or document["format"] is True:
            self._refuse(f"is {_short(document['format'])}, where {_FORMAT} should be.", "format")
        for name, plugin in document["plugins"].items():
            self._check(plugin, f"plugins.{name}", {"distribution": (str, None), "version": (str, None)})
        plugins = {name: LockedPlugin(name=name, **plugin) for name, plugin in document["plugins"].items()}
        for name, tool in document["tools"].items():
            self._check_tool(name, tool, plugins)
        return _lock(plugins, {name: LockedTool(name=name, **tool) for name, tool in document["tools"].items()})

    def _parse(self, data: bytes) -> Any:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self._refuse("is not UTF-8 text.", line=data.count(b"\n", 0, error.start) + 1)
        try:
            return json.loads(text, object_pairs_hook=self._unique)
        except json.JSONDecodeError as error:
            if conflict := _CONFLICT.search(text):
                self._refuse("holds a merge conflict.", line=text.count("\n", 0, conflict.start()) + 1)
            self._refuse(f"is not JSON ({error.msg})." if text.strip() else "is empty.", line=error.lineno)
        except RecursionError:
            self._refuse("is nested too deeply.")
        except ValueError as error:  # a number of thousands of digits
            self._refuse(f"holds a number that cannot be read ({error}).")

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                self._refuse(f"has {_short(key)} twice.")
            found[key] = value
        return found

    def _check_tool(self, name: str, tool: Any, plugins: Mapping[str, LockedPlugin]) -> None:
        key = f"tools.{name}"
        self._check(tool, key, {"plugin": str, "tokens": int, "digest": str, "definition": list})
        lines, plugin = tool["definition"], tool["plugin"]
        if plugin not in plugins:
            self._refuse(f"is {_short(plugin)}, which is no plugin of this lock.", f"{key}.plugin")
        if not all(isinstance(line, str) for line in lines):
            self._refuse("holds something other than text.", f"{key}.definition")
        if digest(lines) != tool["digest"]:
            self._refuse("was edited by hand: the digest belongs to another definition.", key)
        if lines[:2] != [f"name: {quote(name)}", f"plugin: {quote(plugin)}"]:
            self._refuse("is the definition of another tool.", key)

    def _check(self, entry: Any, key: str | None, fields: Mapping[str, Any]) -> None:
        """Refuse an entry that is not an object with exactly these fields."""
        if not isinstance(entry, dict):
            self._refuse(f"is {_short(entry)}, where an object should be.", key)
        for name, kind in fields.items():
            if name not in entry:
                self._refuse(f"{name!r} is missing.", key)
            kinds = kind if isinstance(kind, tuple) else (kind,)
            if type(entry[name]) not in kinds and not (entry[name] is None and None in kinds):
                wanted = " or ".join(_KINDS[each] for each in kinds)
                place = name if key is None else f"{key}.{name}"
                self._refuse(f"is {_short(entry[name])}, where {wanted} should be.", place)
        for name in entry:
            if name not in fields:
                self._refuse(f"has an unknown entry {_short(name)}.", key)

    def _refuse(self, reason: str, key: str | None = None, *, line: int | None = None) -> NoReturn:
        raise ConfigError(f"{reason} {_REMEDY}", file=self._file, line=line, key=key)


_KINDS: Mapping[Any, str] = {dict: "an object", list: "a list", str: "text", int: "a whole number", None: "null"}


def _short(value: object) -> str:
    """Return a value of the file for an error message: at most one line of it."""
    if isinstance(value, dict | list):
        return _KINDS[type(value)]
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- which file ------------------------------------------------------------------------------------------------------


def find_lock(home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the lock in effect: `$HERMES_LOCK`, or `hermes.lock` in the working directory or the home; or None.

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
    except FileNotFoundError:  # the working directory was removed
        folders = (home,)
    return next((file for folder in folders if _is_there(file := folder / FILE_NAME)), None)


def _is_there(file: Path) -> bool:
    """Return whether the name is taken, even by a dead link: a lock that cannot be read must not count as no lock."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return True
