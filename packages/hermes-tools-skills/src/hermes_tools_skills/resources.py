"""The files of a skill: listed without their contents, and read one at a time, never outside of the skill."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hermes_core.errors import ToolInputError
from hermes_files.regular_files import read_regular_file
from hermes_tools_skills.index import EXCLUDED
from hermes_tools_skills.skill import Skill

FOLDERS = ("references", "templates", "scripts", "assets")
"""The directories of resources that the specification names, and in which `skill_manage` may write."""

MAX_BYTES = 1 << 20
_MAX_LISTED = 200
_MAX_DEPTH = 6
_MAX_VISITED = 5_000


class ResourceError(ToolInputError):
    """Raised when a file of a skill cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """The files of a skill besides SKILL.md.

    Attributes:
        files: Their paths, sorted.
        omitted: How many more exist.
    """

    files: tuple[str, ...]
    omitted: int = 0

    def grouped(self) -> dict[str, list[str]]:
        """Return the files by directory of the specification, and all others under `other`."""
        groups: dict[str, list[str]] = {}
        for file in self.files:
            first = file.split("/", 1)[0]
            groups.setdefault(first if first in FOLDERS and "/" in file else "other", []).append(file)
        return groups


def list_resources(skill: Skill) -> Resources:
    """List the files of a skill besides its SKILL.md, without links that lead outside."""
    found = sorted(_walk(skill.directory, skill.file.name))
    return Resources(files=tuple(found[:_MAX_LISTED]), omitted=max(0, len(found) - _MAX_LISTED))


def _walk(directory: Path, own: str) -> Iterator[str]:
    waiting = [("", 0)]
    visited = 0
    while waiting and visited < _MAX_VISITED:
        relative, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(directory / relative), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            visited += 1
            path = f"{relative}/{entry.name}" if relative else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in EXCLUDED and depth < _MAX_DEPTH:
                    waiting.append((path, depth + 1))
            elif path != own and (not entry.is_symlink() or _is_inside(directory, path)) and entry.is_file():
                yield path


def read_resource(skill: Skill, file_path: str) -> dict[str, Any]:
    """Return one file of a skill as facts for a result: its text, or a description of a binary file.

    Raises:
        ResourceError: The path leads outside of the skill, or the file cannot be read.
    """
    path = _locate(skill, file_path)
    try:
        size = os.stat(path).st_size
        data = read_regular_file(str(path), MAX_BYTES)
    except FileNotFoundError:
        raise _error(skill, f"{file_path} does not exist in the skill {skill.id}.") from None
    except IsADirectoryError:
        raise _error(skill, f"{file_path} is a directory.") from None
    except OSError as error:
        raise _error(skill, f"{file_path} cannot be read: {error.strerror or error}.") from None
    kind = mimetypes.guess_type(path.name)[0] or ""
    text = _decode(data) if len(data) <= MAX_BYTES else None
    if text is not None:
        return {"content": text, "file_type": path.suffix.lstrip(".") or "text"}
    if len(data) > MAX_BYTES and b"\0" not in data[:4096]:
        reason = f"{file_path} has {size:,} bytes; at most {MAX_BYTES:,} are read."
        raise ResourceError(reason, hint=f"Read parts of {path} with read_file, or search it.")
    return {
        "is_binary": True,
        "size": size,
        "file_type": kind or "application/octet-stream",
        "path": str(path),
        "note": "This is a binary file. Use its path with a program that can read it.",
    }


def _locate(skill: Skill, file_path: str) -> Path:
    pure = PurePosixPath(file_path.replace("\\", "/"))
    if not pure.parts or "\0" in file_path or pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0]:
        raise _error(skill, f"{file_path!r} is not a relative path inside of the skill.")
    require_inside(skill, str(pure))
    return skill.directory / pure


def require_inside(skill: Skill, file_path: str) -> None:
    """Raise `ResourceError` if a path of a skill is a link that leads outside of it."""
    if not _is_inside(skill.directory, file_path):
        raise _error(skill, f"{file_path} leads outside of the skill.")


def _is_inside(directory: Path, relative: str) -> bool:
    top = os.path.realpath(directory)
    try:
        target = os.path.realpath(os.path.join(directory, relative))
    except (OSError, ValueError):
        return False
    return target.startswith(top + os.sep)


def _decode(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _error(skill: Skill, reason: str) -> ResourceError:
    listed = list_resources(skill)
    return ResourceError(
        reason,
        hint="Use a path from available_files.",
        available_files=listed.grouped(),
        **({"omitted": listed.omitted} if listed.omitted else {}),
    )
