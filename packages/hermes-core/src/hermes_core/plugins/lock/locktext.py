"""The text of a lock file: JSON that merges well, and an answer to everything that can be wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from hermes_core.errors import ConfigError, ToolDefinitionError
from hermes_core.files.damaged import newer_format
from hermes_core.plugins.lock.digest import digest, digest_of_canonical, encoded

FORMAT = 1
"""Raised when an older Hermes could misread the file."""

MAX_BYTES = 64 * 1024 * 1024
"""Thousands of tools fit; a device file or somebody's disk image does not."""

REMEDY = "Run 'hermes lock' to write it anew, after looking at what changed."

_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

Entries = dict[str, dict[str, Any]]

# What each field of a definition must be; the first three are always there.
_DEFINITION: Mapping[str, type[Any]] = {
    "name": str,
    "toolset": str,
    "parameters": dict,
    "description": str,
    "effects": list,
    "aliases": list,
    "argument_aliases": dict,
    "needs": list,
    "requires_env": list,
}
_ALWAYS = ("name", "toolset", "parameters")
_KINDS: Mapping[type[Any], str] = {dict: "an object", list: "a list", str: "text"}


def lock_bytes(plugins: Mapping[str, Mapping[str, Any]], tools: Mapping[str, Mapping[str, Any]]) -> bytes:
    """A lock file, byte for byte the same for the same entries."""
    document = {"format": FORMAT, "plugins": plugins, "tools": tools}
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, default=_plain)
    return encoded(text + "\n")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def refuse_newer(file: Path, data: bytes) -> None:
    """Raise `ConfigError` for a lock that a newer version wrote: this one cannot tell what it would lose."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(document, dict) and (newer := newer_format(document.get("format"), FORMAT)):
        raise ConfigError(f"{newer}. Upgrade hermes-core, or move the file away. Nothing was changed.", file=str(file))


def parse_lock(file: Path, data: bytes) -> tuple[Entries, Entries]:
    """The plugins and the tools of a lock file, each by name.

    Raises:
        ConfigError: anything is not as `lock_bytes` writes it.
    """
    return _Reader(str(file)).read(data)


class _DuplicateKeyError(ValueError):
    """Raised when an object has one key twice, which JSON readers pass over in silence."""


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file

    def read(self, data: bytes) -> tuple[Entries, Entries]:
        document = self._parsed(data)
        self._check_keys(document, None, ("format", "plugins", "tools"))
        if type(document["format"]) is not int or document["format"] != FORMAT:
            self._refuse(
                f"the format is {_short(document['format'])}, and this Hermes reads format {FORMAT}. "
                "Either it was written by another version, or it was edited by hand.",
                key="format",
            )
        plugins = self._object(document["plugins"], "plugins")
        tools = self._object(document["tools"], "tools")
        for name, entry in plugins.items():
            self._check_plugin(f"plugins.{name}", entry)
        for name, entry in tools.items():
            self._check_tool(name, entry, plugins)
        return plugins, tools

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self._refuse("is not UTF-8 text.", line=line, cause=error)
        try:
            document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            if marker := _CONFLICT.search(text):
                self._refuse(
                    "holds the marks of a merge conflict.", line=text.count("\n", 0, marker.start()) + 1, cause=error
                )
            reason = "is empty." if not text.strip() else f"is not JSON: {error.msg} (column {error.colno})."
            self._refuse(reason, line=error.lineno, cause=error)
        except _DuplicateKeyError as error:
            self._refuse(f"has {str(error)!r} twice in one object, as a merge may leave it.", cause=error)
        except RecursionError as error:
            self._refuse("is nested deeper than any lock.", cause=error)
        except ValueError as error:  # NaN, or a number of thousands of digits
            self._refuse(f"holds a number that cannot be read: {error}.", cause=error)
        return self._object(document, None)

    def _check_plugin(self, key: str, entry: object) -> None:
        plugin = self._object(entry, key)
        self._check_keys(plugin, key, ("distribution", "version"))
        for field, value in plugin.items():
            if value is not None and not isinstance(value, str):
                self._refuse(f"is {_short(value)}, where text or null should be.", key=f"{key}.{field}")

    def _check_tool(self, name: str, entry: object, plugins: Mapping[str, Any]) -> None:
        key = f"tools.{name}"
        tool = self._object(entry, key)
        self._check_keys(tool, key, ("definition", "digest", "plugin"))
        plugin, stated = tool["plugin"], tool["digest"]
        if not isinstance(plugin, str) or plugin not in plugins:
            self._refuse(f"is {_short(plugin)}, which is no plugin of this lock.", key=f"{key}.plugin")
        if not isinstance(stated, str) or not _DIGEST.fullmatch(stated):
            self._refuse(f"is {_short(stated)}, where 'sha256:' and 64 digits should be.", key=f"{key}.digest")
        definition = self._object(tool["definition"], f"{key}.definition")
        if not _belongs(stated, definition):
            self._refuse("was edited by hand: the digest belongs to another definition.", key=key)
        self._check_definition(f"{key}.definition", definition)
        if definition["name"] != name:
            self._refuse(f"is the definition of {_short(definition['name'])}.", key=key)

    def _check_definition(self, key: str, definition: dict[str, Any]) -> None:
        for field in _ALWAYS:
            if field not in definition:
                self._refuse(f"{field!r} is missing.", key=key)
        for field, value in definition.items():
            kind = _DEFINITION.get(field)
            if kind is None:
                self._refuse(f"there is no such part as {_short(field)}.", key=key)
            if not isinstance(value, kind):
                self._refuse(f"is {_short(value)}, where {_KINDS[kind]} should be.", key=f"{key}.{field}")
            if kind is list or field == "argument_aliases":
                words = value.values() if isinstance(value, dict) else value
                if not all(isinstance(word, str) for word in words):
                    self._refuse("holds something else than text.", key=f"{key}.{field}")

    def _object(self, value: object, key: str | None) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._refuse(f"is {_short(value)}, where an object should be.", key=key)
        return value

    def _check_keys(self, entry: Mapping[str, Any], key: str | None, wanted: tuple[str, ...]) -> None:
        for name in wanted:
            if name not in entry:
                self._refuse(f"{name!r} is missing.", key=key)
        for name in entry:
            if name not in wanted:
                self._refuse(f"there is no such part as {_short(name)}.", key=key)

    def _refuse(
        self, reason: str, *, line: int | None = None, key: str | None = None, cause: Exception | None = None
    ) -> NoReturn:
        raise ConfigError(f"{reason} {REMEDY}", file=self._file, line=line, key=key) from cause


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = sorted(key for key, _ in pairs)
        raise _DuplicateKeyError(next(key for key, other in pairwise(keys) if key == other))
    return made


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _belongs(stated: str, definition: dict[str, Any]) -> bool:
    """Whether the digest is that of the definition. As written it is canonical; editors may have spelt it anew."""
    try:
        return digest_of_canonical(definition) == stated or digest(definition) == stated
    except (ToolDefinitionError, RecursionError, ValueError):
        return False


def _short(value: object) -> str:
    """A value of the file in a sentence; never more of it than a line holds."""
    if isinstance(value, dict | list):
        return _KINDS[type(value)]
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
