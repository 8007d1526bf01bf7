"""What `hermes.lock` pins, which tools it accepts, and the file itself: found, read and written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from hermes_core.config.home import may_be_there
from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError, PluginError, ToolDefinitionError, did_you_mean
from hermes_core.plugins.candidate import Candidate, HeldBack
from hermes_core.plugins.lock.definition import define, digest, estimate_tokens, quote
from hermes_core.tools.spec import ToolSpec
from hermes_files.atomic import newer_format, write_atomic
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
    """One pinned tool: its plugin, about how many tokens it costs, and its definition with the digest of that."""

    plugin: str
    tokens: int
    digest: str
    definition: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedPlugin:
    """The distribution and version that a plugin came from."""

    distribution: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything that is pinned, by name, sorted."""

    plugins: Mapping[str, LockedPlugin] = field(default_factory=dict)
    tools: Mapping[str, LockedTool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plugins", MappingProxyType(dict(sorted(self.plugins.items()))))
        object.__setattr__(self, "tools", MappingProxyType(dict(sorted(self.tools.items()))))

    @classmethod
    def of(cls, plugins: Mapping[str, LockedPlugin], specs: Iterable[tuple[str, ToolSpec]]) -> Lock:
        """Return the lock of these plugins and their tools, each given with its plugin's name.

        Raises:
            PluginError: Two plugins bring a tool of one name.
            ToolDefinitionError: A definition is not JSON, or larger than anything a model could read.
        """
        known = dict(plugins)
        tools: dict[str, LockedTool] = {}
        for name, spec in specs:
            if spec.name in tools:
                raise PluginError(
                    f"tool {spec.name!r} is also brought by plugin {tools[spec.name].plugin!r}, "
                    "and a lock holds one tool of each name.",
                    plugin=name,
                )
            plugin = known.setdefault(name, LockedPlugin())
            lines = define(spec, plugin=name, distribution=plugin.distribution)
            tools[spec.name] = LockedTool(
                plugin=name, tokens=estimate_tokens(spec), digest=digest(lines), definition=lines
            )
        return cls(plugins=known, tools=tools)

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
        return Lock(plugins=plugins, tools=tools)


def hold(lock: Lock, candidate: Candidate, tool: ToolSpec, before: ToolSpec | None) -> HeldBack | None:
    """Explain why a tool must not run; `before` is the one of the manifest, when this is the one of the code."""
    plugin, distribution = candidate.name, candidate.distribution
    if lock.accepts(tool, plugin=plugin, distribution=distribution):
        return None
    if before is not None and lock.accepts(before, plugin=plugin, distribution=distribution):
        reason = "it is quarantined: its code is not what its manifest says, and hermes.lock knows the latter"
        remedy = "Tell its author to run 'hermes plugin manifest', or install another version."
        return HeldBack(reason, remedy, quarantined=True)
    what = "its definition changed since" if tool.name in lock.tools else "it came after"
    remedy = f"Look at it with 'hermes lock diff', then run 'hermes lock accept {tool.name}'."
    return HeldBack(f"it is quarantined: {what} hermes.lock was written", remedy, quarantined=True)


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
    document = {
        "format": _FORMAT,
        "plugins": {name: asdict(plugin) for name, plugin in lock.plugins.items()},
        "tools": {name: asdict(tool) for name, tool in lock.tools.items()},
    }
    try:
        data = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
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
    """Reads the content of a lock file, and refuses everything that `write_lock` does not write."""

    def __init__(self, file: str) -> None:
        self._file = file

    def read(self, data: bytes) -> Lock:
        document = self._parse(data)
        if isinstance(document, dict) and (newer := newer_format(document.get("format"), _FORMAT)):
            raise ConfigError(f"{newer}. Upgrade hermes-core, or move the file away.", file=self._file, key="format")
        self._check(document, None, {"format": int, "plugins": dict, "tools": dict})
        if document["format"] != _FORMAT:
            self._refuse(f"is {_short(document['format'])}, where {_FORMAT} should be.", "format")
        for name, plugin in document["plugins"].items():
            self._check(plugin, f"plugins.{name}", {"distribution": str | None, "version": str | None})
        for name, tool in document["tools"].items():
            self._check_tool(name, tool, document["plugins"])
        return Lock(
            plugins={name: LockedPlugin(**plugin) for name, plugin in document["plugins"].items()},
            tools={name: LockedTool(**tool) for name, tool in document["tools"].items()},
        )

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
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            self._refuse(f"has {_short(next(key for key in keys if keys.count(key) > 1))} twice.")
        return found

    def _check_tool(self, name: str, tool: Any, plugins: Mapping[str, Any]) -> None:
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
            if not isinstance(entry[name], kind) or isinstance(entry[name], bool):
                where = name if key is None else f"{key}.{name}"
                self._refuse(f"is {_short(entry[name])}, where {_KINDS[kind]} should be.", where)
        for name in entry:
            if name not in fields:
                self._refuse(f"has an unknown entry {_short(name)}.", key)

    def _refuse(self, reason: str, key: str | None = None, *, line: int | None = None) -> NoReturn:
        raise ConfigError(f"{reason} {_REMEDY}", file=self._file, line=line, key=key)


_KINDS: Mapping[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    str | None: "text or null",
}


def _short(value: object) -> str:
    """Return a value of the file for an error message: at most one line of it."""
    if isinstance(value, dict | list):
        return _KINDS[type(value)]
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# -- which file ------------------------------------------------------------------------------------------------------


def find_lock(home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the lock in effect: `$HERMES_LOCK`, or `hermes.lock` in the working directory or the home; or None.

    A dead link counts: a lock that cannot be read must not count as no lock.

    Raises:
        ConfigError: `$HERMES_LOCK` names a file that does not exist.
    """
    named = environ.get("HERMES_LOCK", "").strip()
    if named.casefold() in NO_LOCK:
        return None
    if named:
        file = Path(os.path.expanduser(named))
        if not may_be_there(str(file)):
            raise ConfigError(
                f"there is no file {str(file)!r}. Run 'hermes lock' to write it, or unset the variable.",
                key="HERMES_LOCK",
                example="HERMES_LOCK=off works without a lock",
            )
        return file
    folders = [home]
    with suppress(FileNotFoundError):  # the working directory was removed
        folders.insert(0, Path.cwd())
    return next((folder / FILE_NAME for folder in folders if may_be_there(str(folder / FILE_NAME))), None)
