"""Directories for downloaded skills, and the transaction that installs one: the old version or the new one, no mix.

A transaction first writes a journal beside the new files, then exchanges the directories, and then writes the lock.
If the process is killed in between, the next one finishes or undoes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from hermes_files.atomic import write_atomic
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.lock_file import LockedSkill, parse_entry, read_lock, write_lock
from hermes_tools_skills.hub.state_files import StateFiles
from hermes_tools_skills.providers.protocol import SkillFile
from hermes_tools_skills.scanner import hash_content
from hermes_tools_skills.store import exchange, remove_tree

_JOURNAL, _NEW, _OLD, _ORIGINAL = "journal.json", "new", "old", "original"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """A change of one installed skill.

    Attributes:
        action: `install`, `update` or `uninstall`, for the audit log.
        name: The name of the skill.
        path: Its directory, relative to that of all skills.
        current: The entry of the lock when the operation began.
        before: The hash of the directory that it replaces; empty if there must be none.
        entry: The new entry of the lock; None removes it.
        facts: What the audit log says in addition.
    """

    action: str
    name: str
    path: str
    current: LockedSkill | None
    before: str
    entry: LockedSkill | None
    facts: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Stage:
    """A directory in the quarantine, in which one operation prepares a skill."""

    state: StateFiles
    folder: Path

    def new(self, name: str) -> Path:
        """Return the directory of the new version."""
        return self.folder / _NEW / name

    @property
    def old(self) -> Path:
        """The directory of the old version, after `commit`."""
        return self.folder / _OLD

    @property
    def original(self) -> Path:
        """The directory of the new version as it was downloaded."""
        return self.folder / _ORIGINAL

    def commit(self, transaction: Transaction, *, has_new: bool = True) -> None:
        """Replace the installed version by the new one, or remove it if there is no new one.

        Raises:
            HubError: The directory changed since the operation began.
        """
        state = self.state
        target = state.skills / transaction.path
        with state.exclusive():
            recover(state, held=True)
            if read_lock(state).get(transaction.name) != transaction.current:
                raise HubError(f"Another process has changed {transaction.name}. Try again.", kind="changed")
            _require_unchanged(target, transaction.before)
            new = self.new(transaction.name)
            self._store_original(transaction.entry)
            journal = {
                "action": transaction.action,
                "name": transaction.name,
                "path": transaction.path,
                "inode": new.stat().st_ino if has_new else 0,
                "entry": transaction.entry.as_dict() if transaction.entry else None,
                "facts": dict(transaction.facts),
            }
            write_atomic(self.folder / _JOURNAL, json.dumps(journal).encode())
            try:
                self._swap(new if has_new else None, target, transaction.before)
            except BaseException:
                _recover_stage(state, self.folder)  # an interrupt may come after the exchange
                (self.folder / _JOURNAL).unlink(missing_ok=True)
                raise
            _complete(state, journal)
            (self.folder / _JOURNAL).unlink()
            _remove_unused_originals(state)

    def _swap(self, new: Path | None, target: Path, before: str) -> None:
        """Exchange the directories, and back if the old one changed since it was last checked."""
        target.parent.mkdir(parents=True, exist_ok=True)
        if new is not None and not before:
            os.rename(new, target)
        elif new is not None and exchange(new, target):
            if hash_content(new) != before:
                exchange(new, target)
                raise _changed(target)
            os.rename(new, self.old)
        else:
            os.rename(target, self.old)
            if hash_content(self.old) != before:
                os.rename(self.old, target)
                raise _changed(target)
            if new is not None:
                os.rename(new, target)

    def _store_original(self, entry: LockedSkill | None) -> None:
        if entry is None:
            return
        stored = self.state.originals / entry.upstream_hash
        self.state.originals.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not stored.exists():
            os.rename(self.original, stored)


@contextlib.contextmanager
def open_stage(state: StateFiles) -> Iterator[Stage]:
    """Open a directory in the quarantine for the duration of a block; it is removed at the end."""
    with state.exclusive():
        recover(state, held=True)
        folder = state.quarantine / token_hex(8)
        folder.mkdir(parents=True, mode=0o700)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX)  # as long as it is held, no other process cleans up
    try:
        yield Stage(state, folder)
    finally:
        remove_tree(folder)
        os.close(handle)


def recover(state: StateFiles, *, held: bool = False) -> None:
    """Finish or undo what processes that were killed have left behind.

    Args:
        state: The state.
        held: Whether this process holds `StateFiles.exclusive`.
    """
    if not state.quarantine.is_dir():
        return
    if not held:
        if any(state.quarantine.iterdir()):
            with state.exclusive():
                recover(state, held=True)
        return
    for folder in sorted(state.quarantine.iterdir()):
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:  # not ours
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # its process is alive
            continue
        else:
            if (folder / _JOURNAL).exists():
                _recover_stage(state, folder)
            remove_tree(folder)
        finally:
            os.close(handle)


def _recover_stage(state: StateFiles, folder: Path) -> None:
    journal = json.loads((folder / _JOURNAL).read_bytes())
    if journal["entry"] is not None:
        parse_entry(state, journal["name"], journal["entry"])
    target = state.skills / journal["path"]
    is_there = target.exists()
    if (journal["inode"] and is_there and target.stat().st_ino == journal["inode"]) or (
        not journal["inode"] and not is_there
    ):
        _complete(state, journal)
    elif not is_there and (folder / _OLD).exists():  # between the two steps of a system that cannot exchange
        os.rename(folder / _OLD, target)


def _complete(state: StateFiles, journal: Mapping[str, Any]) -> None:
    skills = read_lock(state)
    entry = journal["entry"]
    if entry is None:
        skills.pop(journal["name"], None)
    else:
        skills[journal["name"]] = parse_entry(state, journal["name"], json.loads(json.dumps(entry)))
    write_lock(state, skills)
    state.append_audit(journal["action"], journal["name"], **journal["facts"])


def _require_unchanged(target: Path, before: str) -> None:
    is_there = os.path.lexists(target)
    if is_there and not before:
        raise HubError(f"{target} exists already. Choose another name with --name.", kind="taken")
    if before and (not is_there or target.is_symlink() or hash_content(target) != before):
        raise _changed(target)


def _changed(target: Path) -> HubError:
    return HubError(f"{target} was changed by another process at the same time. Try again.", kind="changed")


def _remove_unused_originals(state: StateFiles) -> None:
    used = {skill.upstream_hash for skill in read_lock(state).values()}
    for folder in state.originals.iterdir():
        if folder.name not in used:
            remove_tree(folder)


def write_files(folder: Path, files: Iterable[SkillFile]) -> None:
    """Write files below a new directory. Their names must have been checked."""
    folder.mkdir(parents=True)
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o755 if file.executable else 0o644
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as opened:
            os.fchmod(descriptor, mode)  # whatever the umask
            opened.write(file.data)
