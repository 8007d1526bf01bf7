"""What is installed, what is outdated, and what was changed locally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from hermes_core.settings import refuse_inside
from hermes_tools_skills.hub.acceptances import scan_staged
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import fetch_skill, name_files, read_installed, read_original, save_aside
from hermes_tools_skills.hub.lock_file import LockedSkill, read_lock, require_installed, write_lock
from hermes_tools_skills.hub.quarantine import Transaction, open_stage, recover, write_files
from hermes_tools_skills.hub.search import find_source
from hermes_tools_skills.hub.state_files import StateFiles, timestamp
from hermes_tools_skills.providers.file_checks import check_files
from hermes_tools_skills.providers.protocol import SourceError
from hermes_tools_skills.scanner import ContentError, ScanReport, hash_content

Local = Literal["unchanged", "changed", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillStatus:
    """The state of an installed skill.

    Attributes:
        skill: Its entry in the lock.
        local: Whether its files are the ones that were installed.
        upstream: Whether the source has another version, or why that is not known.
        latest: The version that the source has.
        problem: Why the source could not be asked.
    """

    skill: LockedSkill
    local: Local
    upstream: Literal["current", "outdated", "unknown"] = "unknown"
    latest: str = ""
    problem: str = ""


def local_state(state: StateFiles, skill: LockedSkill) -> Local:
    """Return whether the files of an installed skill are the ones that were installed."""
    try:
        digest = hash_content(state.skills / skill.install_path)
    except ContentError:
        return "missing"
    return "unchanged" if digest in (skill.content_hash, *skill.accepted_hashes) else "changed"


def check_skills(hub: SkillHub, names: Sequence[str] = ()) -> list[SkillStatus]:
    """Ask the sources which skills are outdated, and look which ones were changed locally.

    Raises:
        HubError: A skill was not installed with the hub.
    """
    recover(hub.state)
    chosen = [require_installed(hub.state, name) for name in names] or list(read_lock(hub.state).values())
    found = []
    for number, skill in enumerate(sorted(chosen, key=lambda each: each.name), 1):
        hub.progress(f"Checking {skill.name}", number, len(chosen))
        status = SkillStatus(skill=skill, local=local_state(hub.state, skill))
        try:
            is_current, latest = _is_current(hub, skill)
        except (SourceError, HubError) as error:
            found.append(replace(status, problem=error.reason))
        else:
            found.append(replace(status, upstream="current" if is_current else "outdated", latest=latest))
    return found


def _is_current(hub: SkillHub, skill: LockedSkill) -> tuple[bool, str]:
    _, provider, rest = find_source(hub, skill.identifier)
    if skill.revision and skill.source in ("github", "clawhub", "claude"):
        entry = provider.inspect(rest, hub.access)
        if entry.revision:
            return entry.revision == skill.revision, entry.version
    with open_stage(hub.state) as stage:
        fetched = fetch_skill(hub, stage, skill.identifier)
        if fetched.entry.revision and fetched.entry.revision == skill.revision:
            return True, fetched.entry.version
        files, _, _ = name_files(check_files(fetched.files, hub.limits), fetched.entry.name, "", skill)
        write_files(stage.original, files)
        return hash_content(stage.original) == skill.upstream_hash, fetched.entry.version


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What `uninstall_skill` did.

    Attributes:
        skill: The entry that the lock had.
        stayed: The files that stay, because the user added them.
        moved: The files with local changes, which were moved to `folder`.
        folder: Where they are; None if there are none.
    """

    skill: LockedSkill
    stayed: tuple[str, ...]
    moved: tuple[str, ...]
    folder: Path | None


def uninstall_skill(state: StateFiles, name: str) -> Removal:
    """Remove the files that were installed. Files that the user added stay; changed ones are moved aside.

    Raises:
        HubError: The skill was not installed with the hub.
        SourceError: Its directory contains a link, or is too large.
    """
    refuse_inside("Skills cannot be removed")
    with open_stage(state) as stage:
        skill = require_installed(state, name)
        folder = state.skills / skill.install_path
        if not folder.exists():
            facts = {"source": skill.identifier, "missing": True}
            return _forget(state, skill, facts)
        before = hash_content(folder)
        local = read_installed(state, skill)
        original = read_original(state, skill) or {}
        installed = set(skill.files)
        stayed = {path: file for path, file in local.items() if path not in installed}
        moved: tuple[str, ...] = ()
        if not before == skill.content_hash == skill.upstream_hash:
            moved = tuple(path for path in local if path in installed and local[path] != original.get(path))
        aside = save_aside(state, skill, moved) if moved else None
        if stayed:
            write_files(stage.new(name), stayed.values())
        facts = {"source": skill.identifier, "stayed": len(stayed), "moved": str(aside or "")}
        transaction = Transaction(
            action="uninstall",
            name=name,
            path=skill.install_path,
            current=skill,
            before=before,
            entry=None,
            facts=facts,
        )
        stage.commit(transaction, has_new=bool(stayed))
        _remove_empty_category(state, folder.parent)
        return Removal(skill=skill, stayed=tuple(sorted(stayed)), moved=moved, folder=aside)


def _forget(state: StateFiles, skill: LockedSkill, facts: dict[str, object]) -> Removal:
    with state.exclusive():
        skills = read_lock(state)
        skills.pop(skill.name, None)
        write_lock(state, skills)
        state.append_audit("uninstall", skill.name, **facts)
    return Removal(skill=skill, stayed=(), moved=(), folder=None)


def _remove_empty_category(state: StateFiles, folder: Path) -> None:
    if folder != state.skills:
        try:
            folder.rmdir()
        except OSError:  # it is not empty
            pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The result of scanning an installed skill again.

    Attributes:
        skill: Its entry in the lock.
        local: Whether its files are the ones that were installed.
        report: The report of the scan.
    """

    skill: LockedSkill
    local: Local
    report: ScanReport

    @property
    def is_clean(self) -> bool:
        """Whether it would be installed, and is what was installed."""
        return self.local == "unchanged" and self.report.action(self.skill.trust) != "block"


def audit_skills(hub: SkillHub, names: Sequence[str] = (), *, accept_changes: bool = False) -> list[Audit]:
    """Scan installed skills again, and check their hashes.

    Args:
        hub: The hub.
        names: The skills; all of them if empty.
        accept_changes: Store the hash of local changes, so that these files count as installed.

    Raises:
        HubError: A skill was not installed with the hub, or its changes are blocked by the scan.
    """
    recover(hub.state)
    chosen = [require_installed(hub.state, name) for name in names] or list(read_lock(hub.state).values())
    audits = []
    for number, skill in enumerate(sorted(chosen, key=lambda each: each.name), 1):
        hub.progress(f"Scanning {skill.name}", number, len(chosen))
        local = local_state(hub.state, skill)
        folder = hub.state.skills / skill.install_path
        missing = ScanReport(problems=("The directory is missing.",))
        report = missing if local == "missing" else scan_staged(hub.state, folder, skill.trust)
        audit = Audit(skill=skill, local=local, report=report)
        if accept_changes and local == "changed":
            audit = _accept_changes(hub.state, audit)
        audits.append(audit)
    return audits


def _accept_changes(state: StateFiles, audit: Audit) -> Audit:
    """Store the hash of a skill with local changes."""
    refuse_inside("Local changes cannot be accepted")
    skill, report = audit.skill, audit.report
    if report.action(skill.trust) == "block":
        reason = f"The changes of {skill.name} are blocked by the scan. Accept its findings first, or undo the changes."
        raise HubError(reason, kind="blocked")
    folder = state.skills / skill.install_path
    with state.exclusive():
        skills = read_lock(state)
        if skills.get(skill.name) != skill or hash_content(folder) != report.content_hash:
            raise HubError(f"Another process has changed {skill.name}. Try again.", kind="changed")
        digest = hash_content(folder)
        changed = replace(
            skill, content_hash=digest, accepted_hashes=(), verdict=report.verdict, updated_at=timestamp()
        )
        write_lock(state, {**skills, skill.name: changed})
        state.append_audit("accept changes", skill.name, content_hash=digest, verdict=report.verdict)
    return Audit(skill=changed, local="unchanged", report=report)
