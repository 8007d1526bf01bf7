"""`lock.json`: what is installed, from where, and the hash of its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from hermes_files.atomic import file_lock
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.state_files import StateFiles, read_json, write_json

_LISTS = ("files", "capabilities", "accepted", "accepted_hashes")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedSkill:
    """An installed skill.

    Attributes:
        name: Its name.
        install_path: Its directory, relative to `$HERMES_HOME/skills`.
        source: The source.
        identifier: What it was installed with, so that it is updated from there.
        pinned: The identifier of exactly this version; empty if the source cannot return it again.
        version: The version that its author gave it.
        revision: What the source says about its content.
        trust: The level of trust.
        verdict: The verdict of the scan.
        content_hash: The digest of the directory when it was installed or last updated.
        accepted_hashes: The digests of later versions, which the user or a scan has accepted.
        upstream_hash: The same of the files as they were downloaded. It differs if local changes were merged.
        files: The files that were installed, relative to the directory. Others belong to the user.
        capabilities: What it can do, according to the scan.
        accepted: The findings that the user accepted.
        installed_at: When it was installed, in UTC.
        updated_at: When it was changed by the hub.
    """

    name: str
    install_path: str
    source: str
    identifier: str
    pinned: str = ""
    version: str = ""
    revision: str = ""
    trust: str = "community"
    verdict: str = ""
    content_hash: str
    accepted_hashes: tuple[str, ...] = ()
    upstream_hash: str
    files: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    installed_at: str = ""
    updated_at: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)


def read_lock(state: StateFiles) -> dict[str, LockedSkill]:
    """Return the installed skills by name. Raises `HubError` if the file is damaged."""
    listed = read_json(state.lock).get("installed", {})
    if not isinstance(listed, dict):
        raise HubError(f"{state.lock} is damaged: 'installed' is not an object.", kind="state")
    return {name: parse_entry(state, name, found) for name, found in listed.items()}


def parse_entry(state: StateFiles, name: str, found: Any) -> LockedSkill:
    """Return an entry of the lock. Raises `HubError` if it is damaged or leads out of the directory of the skills."""
    values = found if isinstance(found, dict) else {}
    given: dict[str, Any] = {}
    for field in fields(LockedSkill):
        value = values.get(field.name, "")
        is_list = field.name in _LISTS
        if is_list:
            value = value or []
        if not (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
            if is_list
            else isinstance(value, str)
        ):
            raise HubError(f"{state.lock} is damaged: {name!r} has a wrong {field.name!r}.", kind="state")
        given[field.name] = tuple(value) if is_list else value
    parts = given["install_path"].split("/")
    if given["name"] != name or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise HubError(f"{state.lock} is damaged: {name!r} has a wrong name or path.", kind="state")
    return LockedSkill(**given)


def write_lock(state: StateFiles, skills: Mapping[str, LockedSkill]) -> None:
    """Write the lock. Only the holder of `StateFiles.exclusive` may do so."""
    with file_lock(state.lock):
        write_json(state.lock, {"installed": {name: skill.as_dict() for name, skill in skills.items()}})


def require_installed(state: StateFiles, name: str) -> LockedSkill:
    """Return an installed skill. Raises `HubError` if the hub did not install it."""
    skills = read_lock(state)
    if name not in skills:
        known = ", ".join(sorted(skills)[:30]) or "none"
        raise HubError(f"{name!r} was not installed with the hub. Installed skills: {known}.", kind="missing")
    return skills[name]
