"""Snapshots: files that list the installed skills with their exact versions, for another machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hermes_files.atomic import write_atomic
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import Plan, prepare_install
from hermes_tools_skills.hub.lock_file import read_lock
from hermes_tools_skills.hub.state_files import StateFiles, timestamp
from hermes_tools_skills.hub.taps import add_tap, list_taps
from hermes_tools_skills.providers.protocol import SourceError

_FORMAT = "hermes-skills-snapshot"
_VERSION = 1
_MAX_BYTES = 16 << 20
_KEYS = ("name", "install_path", "identifier", "pinned", "upstream_hash")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What an import did about one skill.

    Attributes:
        name: The skill.
        outcome: Whether it was installed, was there already, or was not installed.
        reason: Why it was not.
    """

    name: str
    outcome: Literal["installed", "present", "skipped"]
    reason: str = ""


def export_snapshot(state: StateFiles, file: Path) -> int:
    """Write a snapshot and return the number of skills. Raises `HubError` if the lock is damaged."""
    skills = [{key: getattr(skill, key) for key in _KEYS} for skill in read_lock(state).values()]
    taps = [f"{source}:{name}" for source, names in list_taps(state).items() for name in names]
    document = {"format": _FORMAT, "version": _VERSION, "created": timestamp(), "taps": taps, "skills": skills}
    write_atomic(file, json.dumps(document, indent=2, ensure_ascii=True).encode() + b"\n", mode=0o644)
    return len(skills)


def import_snapshot(
    hub: SkillHub, file: Path, confirm: Callable[[Plan], bool], *, latest: bool = False
) -> Iterator[ImportResult]:
    """Install the skills of a snapshot in the same versions, one by one.

    Args:
        hub: The hub.
        file: The snapshot.
        confirm: Returns whether a skill may be installed.
        latest: Install the newest version if the source cannot return the one of the snapshot.

    Raises:
        HubError: It is not a snapshot.
    """
    document = _read(file)
    known = {f"{source}:{name}" for source, names in list_taps(hub.state).items() for name in names}
    for tap in document["taps"]:
        if tap not in known:
            add_tap(hub.state, tap)
    for listed in document["skills"]:
        name = listed["name"]
        installed = read_lock(hub.state).get(name)
        if installed and installed.upstream_hash == listed["upstream_hash"]:
            yield ImportResult(name=name, outcome="present")
            continue
        category = listed["install_path"].rpartition("/")[0]
        try:
            with prepare_install(hub, listed["pinned"] or listed["identifier"], name=name, category=category) as plan:
                reason = "" if latest else _difference(plan, listed)
                if not reason and plan.action == "block":
                    reason = "The scan blocks it."
                if not reason and not confirm(plan):
                    reason = "You did not confirm it."
                if not reason:
                    plan.apply()
        except (HubError, SourceError) as error:
            reason = error.reason
        yield ImportResult(name=name, outcome="skipped" if reason else "installed", reason=reason)


def _difference(plan: Plan, listed: dict[str, str]) -> str:
    if plan.entry.upstream_hash == listed["upstream_hash"]:
        return ""
    return "The source has another version than the snapshot. Use --latest to install it."


def _read(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
        found = json.loads(data) if len(data) <= _MAX_BYTES else None
    except (OSError, ValueError, RecursionError) as error:
        raise HubError(f"{file} cannot be read: {error}.") from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT or found.get("version") != _VERSION:
        raise HubError(f"{file} is not a snapshot that this version can read.")
    taps, skills = found.get("taps"), found.get("skills")
    is_valid = isinstance(taps, list) and all(isinstance(tap, str) for tap in taps) and isinstance(skills, list)
    if not is_valid or not all(_is_entry(each) for each in skills or ()):
        raise HubError(f"{file} is not a valid snapshot.")
    return found


def _is_entry(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(found.get(key), str) for key in _KEYS)
