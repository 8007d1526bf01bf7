"""Where the hub stores its state, and how its JSON files are read and written."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_files.atomic import file_lock, newer_format, write_atomic
from hermes_tools_skills.audit_log import record_change
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.installed import LOCK, STATE
from hermes_tools_skills.store import SkillStore

_VERSION = 1
_LOCK_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class StateFiles:
    """The files of the hub in `$HERMES_HOME/skills/.hub`."""

    home: Path

    @property
    def skills(self) -> Path:
        """The directory of the skills."""
        return self.home / "skills"

    @property
    def hub(self) -> Path:
        """The directory of the state."""
        return self.skills / STATE

    @property
    def lock(self) -> Path:
        """What is installed, from where."""
        return self.hub / LOCK

    @property
    def quarantine(self) -> Path:
        """Skills that were downloaded and not installed, one directory per operation."""
        return self.hub / "quarantine"

    @property
    def originals(self) -> Path:
        """Each installed skill as it was downloaded, under its hash: the basis for merging local changes."""
        return self.hub / "originals"

    @property
    def cache(self) -> Path:
        """Catalogs of sources."""
        return self.hub / "cache"

    @property
    def removed(self) -> Path:
        """Files with local changes of skills that were uninstalled or replaced."""
        return self.hub / "removed"

    @property
    def taps(self) -> Path:
        """The repositories and sites that the user added."""
        return self.hub / "taps.json"

    @property
    def findings(self) -> Path:
        """The findings of recent scans, and those that the user accepted."""
        return self.hub / "findings.json"

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let no other process change skills. Raises `HubError` if one does so for long."""
        try:
            with SkillStore(self.skills).locked():
                yield
        except TimeoutError as error:
            raise HubError(f"Another process is changing skills: {error.strerror}.", kind="state") from error

    def append_audit(self, action: str, skill: str, **facts: object) -> None:
        """Append a line to the audit log."""
        record_change(self.skills, action, skill, **facts)


def timestamp() -> str:
    """Return the time in UTC, such as 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def read_json(file: Path) -> dict[str, Any]:
    """Return the object in a state file; empty if there is none.

    Raises:
        HubError: The file is damaged, or from a newer version.
    """
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise HubError(f"{file} cannot be read ({error}). Repair it, or move it away.", kind="state") from error
    problem = newer_format(found.get("version"), _VERSION) if isinstance(found, dict) else "it is not an object"
    if problem:
        raise HubError(f"{file} cannot be read: {problem}.", kind="state")
    return dict(found)


def write_json(file: Path, value: Mapping[str, Any]) -> None:
    """Write a state file atomically."""
    text = json.dumps({"version": _VERSION, **value}, indent=2, sort_keys=True, ensure_ascii=True)
    write_atomic(file, text.encode() + b"\n")


def edit_json(file: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change a state file under its lock. Raises `HubError` like `read_json`."""
    with file_lock(file, timeout=_LOCK_SECONDS):
        value = read_json(file)
        edit(value)
        write_json(file, value)
