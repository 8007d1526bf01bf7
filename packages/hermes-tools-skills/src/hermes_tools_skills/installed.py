"""What the hub recorded about installed skills, so that a change after the installation is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_files.atomic import file_lock, write_atomic
from hermes_tools_skills.scanner import ContentError, hash_content
from hermes_tools_skills.skill import SkillError

STATE = ".hub"
"""The directory of the hub's state in `$HERMES_HOME/skills`, which models cannot change."""

LOCK = "lock.json"
FORMAT = 1
ACCEPTED = "accepted_hashes"
"""The key of the digests of later versions that the user or a scan has accepted."""


def read_lock(root: Path) -> dict[str, Any]:
    """Return `lock.json`: the format under `version`, and the records under `installed`, by name.

    Raises:
        SkillError: The file is damaged, or has a newer format.
    """
    file = root / STATE / LOCK
    try:
        data: Any = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {"version": FORMAT, "installed": {}}
    except (OSError, ValueError, RecursionError) as error:
        raise SkillError(f"{file} cannot be read ({error}). Restore it, or move it away.") from None
    installed = data.get("installed") if isinstance(data, dict) else None
    if not isinstance(installed, dict) or not all(isinstance(each, dict) for each in installed.values()):
        raise SkillError(f"{file} is damaged. Restore it, or move it away.")
    if data.get("version") != FORMAT:
        raise SkillError(f"{file} has format {data.get('version')}; this version reads format {FORMAT}.")
    return {**data}


def find_record(root: Path, directory: Path) -> Mapping[str, Any] | None:
    """Return the record of an installed skill; None if it was not installed by the hub. Raises `SkillError`."""
    path = _relative(root, directory)
    records = read_lock(root)["installed"].values()
    return next((record for record in records if record.get("install_path") == path), None)


def require_unchanged(root: Path, directory: Path) -> None:
    """Raise `SkillError` if an installed skill has changed since it was installed, or since its change was accepted."""
    record = find_record(root, directory)
    if record is None:
        return
    try:
        digest = hash_content(directory)
    except ContentError as error:
        raise SkillError(str(error)) from None
    if digest not in (record.get("content_hash"), *record.get(ACCEPTED, ())):
        raise SkillError("Its files have changed since it was installed, so it is not used.")


def accept_digest(root: Path, directory: Path, digest: str, *, only: bool = False) -> None:
    """Accept a version of an installed skill that differs from the installed one.

    Accept it before it is put in place, and `only` it afterwards: then a crash at any time leaves an accepted version.
    Callers hold the lock of the skills; that of `lock.json` is always taken second.

    Raises:
        SkillError: `lock.json` is damaged.
        OSError: It cannot be written.
    """
    path = _relative(root, directory)
    with file_lock(root / STATE / LOCK):
        data = read_lock(root)
        record = next((each for each in data["installed"].values() if each.get("install_path") == path), None)
        if record is None:
            return
        accepted = [] if only else [each for each in record.get(ACCEPTED, ()) if each != digest]
        record[ACCEPTED] = [*accepted, digest]
        write_atomic(root / STATE / LOCK, (json.dumps(data, indent=2, sort_keys=True) + "\n").encode())


def _relative(root: Path, directory: Path) -> str:
    return Path(os.path.realpath(directory)).relative_to(os.path.realpath(root)).as_posix()
