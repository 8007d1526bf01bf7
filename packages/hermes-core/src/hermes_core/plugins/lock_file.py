"""Finds, reads and writes the file `hermes.lock`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from hermes_core.config.home import may_be_there
from hermes_core.config.tool_session import refuse_inside
from hermes_core.errors import ConfigError
from hermes_core.plugins.lock import Lock, LockedPlugin, LockedTool, digest
from hermes_files.atomic import newer_format, write_atomic
from hermes_files.regular_files import read_regular_file
from hermes_schemas import compile_checker
from hermes_schemas.path_lines import quote

FILE_NAME = "hermes.lock"
NO_LOCK = frozenset({"none", "off"})  # values of `$HERMES_LOCK` that disable the lock
_FORMAT = 1  # increased when an older Hermes could misread the file
_MAX_BYTES = 64 * 1024 * 1024  # enough for thousands of tools, but not for a device file or a disk image
_REMEDY = "Restore the file, or delete it and run 'hermes lock' after reviewing the tools."
_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)


def find_lock(home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return the lock in effect: `$HERMES_LOCK`, or `hermes.lock` in the working directory or the home; or None.

    A broken link counts as a lock, because a lock that cannot be read must not be ignored. Raises `ConfigError` if
    `$HERMES_LOCK` names a file that does not exist.
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


def write_lock(file: Path, lock: Lock) -> bool:
    """Write a lock completely or not at all; return False if the file has the same contents already.

    A file that is not a lock, is damaged, or was written by a newer version is not overwritten. Links are not followed,
    because they could point to any file. Raises `ConfigError` if the lock cannot be written.
    """
    refuse_inside(f"{FILE_NAME} cannot be written")
    if file.is_symlink():
        reason = f"is a link to {os.readlink(file)}. Remove it, or name the file itself with --file."
        raise ConfigError(reason, file=str(file))
    document = {
        "format": _FORMAT,
        "plugins": {name: asdict(plugin) for name, plugin in lock.plugins.items()},
        "tools": {name: asdict(tool) for name, tool in lock.tools.items()},
    }
    try:
        data = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")
        target = Path(os.path.abspath(file))
        mode = 0o644  # it is committed and contains no secrets
        if target.is_file():
            before = _read(target)
            if before == data:
                return False
            _parse(before, str(target))
            mode = target.stat().st_mode & 0o777
        write_atomic(target, data, mode=mode)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"cannot be written ({reason}).", file=os.path.abspath(file)) from error
    return True


def read_lock(file: Path) -> Lock:
    """Read a lock. Raises `ConfigError` if that is not possible, or the lock was edited by hand."""
    return _parse(_read(file), str(file))


def _read(file: Path) -> bytes:
    try:
        data = read_regular_file(str(file), _MAX_BYTES)
    except IsADirectoryError as error:
        raise ConfigError("is a directory instead of a lock file.", file=str(file)) from error
    except FileNotFoundError as error:
        raise ConfigError("there is no such file. Run 'hermes lock' to write it.", file=str(file)) from error
    except (OSError, ValueError) as error:
        remedy = "Make it readable, or set HERMES_LOCK=off to work without a lock."
        reason = f"cannot be read ({getattr(error, 'strerror', None) or error}), so no tool can be compared with it."
        raise ConfigError(f"{reason} {remedy}", file=str(file)) from error
    if len(data) > _MAX_BYTES:
        raise ConfigError(f"is larger than {_MAX_BYTES:,} bytes, which is too large for a lock.", file=str(file))
    return data


def _parse(data: bytes, file: str) -> Lock:
    """Parse the contents of a lock file. Only the exact format of `write_lock` is accepted."""

    def refuse(reason: str, key: str | None = None, line: int | None = None) -> NoReturn:
        raise ConfigError(f"{reason} {_REMEDY}", file=file, key=key, line=line)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(found := dict(pairs)) < len(pairs):
            refuse(f"contains {max(keys, key=keys.count)[:60]!r} twice.")
        return found

    try:
        text = data.decode("utf-8-sig")
        document = json.loads(text, object_pairs_hook=unique)
    except UnicodeDecodeError as error:
        refuse("is not UTF-8 text.", line=data.count(b"\n", 0, error.start) + 1)
    except json.JSONDecodeError as error:
        if conflict := _CONFLICT.search(text):
            refuse("contains a merge conflict.", line=text.count("\n", 0, conflict.start()) + 1)
        refuse(f"is not JSON ({error.msg})." if text.strip() else "is empty.", line=error.lineno)
    except RecursionError:
        refuse("is nested too deeply.")
    except ValueError as error:  # a number with thousands of digits
        refuse(f"contains a number that cannot be read ({error}).")
    if isinstance(document, dict) and (newer := newer_format(document.get("format"), _FORMAT)):
        raise ConfigError(f"{newer}. Upgrade hermes-core, or move the file away.", file=file, key="format")
    for found in compile_checker(_SCHEMA).find_problems(document, limit=1):
        refuse(found.message, found.path or None)
    plugins = {name: LockedPlugin(**plugin) for name, plugin in document["plugins"].items()}
    tools = {name: LockedTool(**tool) for name, tool in document["tools"].items()}
    for name, tool in tools.items():
        key = f"tools.{name}"
        if tool.plugin not in plugins:
            refuse(f"is {tool.plugin[:60]!r}, which is not a plugin of this lock.", f"{key}.plugin")
        if digest(tool.definition) != tool.digest:
            refuse("was edited by hand: the digest belongs to another definition.", key)
        if tool.definition[:2] != [f"name: {quote(name)}", f"plugin: {quote(tool.plugin)}"]:
            refuse("is the definition of another tool.", key)
    return Lock(plugins=plugins, tools=tools)


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_PLUGIN = _object(distribution=_TEXT_OR_NULL, version=_TEXT_OR_NULL)
_TOOL = _object(plugin=_TEXT, tokens={"type": "integer"}, digest=_TEXT, definition={"type": "array", "items": _TEXT})
_SCHEMA = _object(
    format={"const": _FORMAT},
    plugins={"type": "object", "additionalProperties": _PLUGIN},
    tools={"type": "object", "additionalProperties": _TOOL},
)
