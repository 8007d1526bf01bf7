"""Installs and updates: fetch, check, quarantine, scan, show, and then one transaction."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_core.settings import refuse_inside
from hermes_tools_skills.hub.acceptances import scan_staged
from hermes_tools_skills.hub.changes import FileChange, Merge, Policy, by_path, compare_files, merge_versions
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.lock_file import LockedSkill, read_lock, require_installed
from hermes_tools_skills.hub.quarantine import Stage, Transaction, open_stage, recover, write_files
from hermes_tools_skills.hub.search import find_source
from hermes_tools_skills.hub.state_files import StateFiles, timestamp
from hermes_tools_skills.index import Root, SkillIndex
from hermes_tools_skills.providers.directory import read_directory
from hermes_tools_skills.providers.file_checks import check_files
from hermes_tools_skills.providers.protocol import FetchedSkill, SizeLimits, SkillFile, SourceError
from hermes_tools_skills.providers.skill_text import read_front, text_field
from hermes_tools_skills.scanner import ScanReport, hash_content
from hermes_tools_skills.skill import FILES, Skill

if TYPE_CHECKING:
    from hermes_tools_skills.scanner import Action

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_NAME_LINE = re.compile(r"(?m)^name[ \t]*:.*$")
_FRONT_END = re.compile(r"(?m)^---[ \t]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A skill in quarantine, and what installing it would change.

    Attributes:
        hub: The hub.
        stage: Where it is.
        entry: The entry that the lock would have.
        current: The installed version; None for an installation.
        report: The report of the scan.
        changes: The files that would change.
        gained: The capabilities that the installed version does not have; all of them for an installation.
        dropped: The capabilities that only the installed version has.
        merge: How local changes are treated; None if there are none.
        before: The hash of the directory that it replaces; empty for an installation.
        notes: What the user should know, as sentences.
        description: What the skill does.
        force: Whether to install despite the verdict `caution`.
    """

    hub: SkillHub
    stage: Stage
    entry: LockedSkill
    current: LockedSkill | None
    report: ScanReport
    changes: tuple[FileChange, ...]
    gained: tuple[str, ...]
    dropped: tuple[str, ...]
    merge: Merge | None
    before: str
    notes: tuple[str, ...]
    description: str
    force: bool = False

    @property
    def action(self) -> Action:
        """What the policy says: allow, ask or block."""
        return self.report.action(self.entry.trust, force=self.force)

    def apply(self) -> LockedSkill:
        """Install it.

        Raises:
            HubError: It is blocked, local changes conflict, or the installed version changed in the meantime.
        """
        refuse_inside("Skills cannot be installed")
        if self.action == "block":
            raise HubError(f"{self.entry.name} is blocked by the scan.", kind="blocked")
        if self.merge and self.merge.conflicts:
            files = ", ".join(self.merge.conflicts[:20])
            raise HubError(
                f"Local changes of {self.entry.name} conflict with the update: {files}. "
                "Choose --local keep or --local replace.",
                kind="changed",
            )
        if hash_content(self.stage.new(self.entry.name)) != self.report.content_hash:
            raise HubError("The files in quarantine changed after they were scanned.", kind="changed")
        if self.merge and self.merge.lost:
            save_aside(self.hub.state, self.entry, self.merge.lost)
        facts = {
            "source": self.entry.identifier,
            "revision": self.entry.revision,
            "content_hash": self.entry.content_hash,
            "trust": self.entry.trust,
            "verdict": self.entry.verdict,
            "accepted": list(self.entry.accepted),
            "forced": self.force and self.report.action(self.entry.trust) == "block",
        }
        action = "update" if self.current else "install"
        self.stage.commit(
            Transaction(
                action=action,
                name=self.entry.name,
                path=self.entry.install_path,
                current=self.current,
                before=self.before,
                entry=self.entry,
                facts=facts,
            )
        )
        return self.entry


@contextlib.contextmanager
def prepare_install(
    hub: SkillHub,
    identifier: str,
    *,
    name: str = "",
    category: str = "",
    force: bool = False,
    check_name: bool = True,
) -> Iterator[Plan]:
    """Download a skill into quarantine and scan it. Nothing is installed unless `Plan.apply` is called in the block.

    Args:
        hub: The hub.
        identifier: What to install; see `find_source`.
        name: Install it under another name.
        category: Install it in a category.
        force: Install despite the verdict `caution`.
        check_name: Whether to require a name that is not taken.

    Raises:
        HubError: The name is taken or not valid.
        SourceError: It cannot be downloaded, or its files are refused.
    """
    _require_words(name, category)
    with open_stage(hub.state) as stage:
        fetched = fetch_skill(hub, stage, identifier)
        yield _plan(hub, stage, fetched, name=name, category=category, force=force, check_name=check_name)


@contextlib.contextmanager
def prepare_update(hub: SkillHub, name: str, *, local: Policy = "merge", force: bool = False) -> Iterator[Plan | None]:
    """Download the newest version of an installed skill, merge local changes and scan it; None if it is current.

    Raises:
        HubError: It was not installed with the hub, or its directory is missing.
        SourceError: It cannot be downloaded, or its files are refused.
    """
    with open_stage(hub.state) as stage:
        current = require_installed(hub.state, name)
        fetched = fetch_skill(hub, stage, current.identifier)
        plan = _plan(hub, stage, fetched, current=current, local=local, force=force)
        is_current = plan.entry.upstream_hash == current.upstream_hash and (local == "merge" or not plan.changes)
        yield None if is_current else plan


def fetch_skill(hub: SkillHub, stage: Stage, identifier: str) -> FetchedSkill:
    """Download a skill into memory. Raises `SourceError` or `HubError`."""
    source, provider, rest = find_source(hub, identifier)
    hub.progress(f"Asking {provider.title}", 0, 0)
    fetched = provider.fetch(rest, replace(hub.access, work_dir=stage.folder))
    return replace(fetched, entry=replace(fetched.entry, source=source))


def _plan(
    hub: SkillHub,
    stage: Stage,
    fetched: FetchedSkill,
    *,
    name: str = "",
    category: str = "",
    force: bool = False,
    current: LockedSkill | None = None,
    local: Policy = "merge",
    check_name: bool = True,
) -> Plan:
    hub.progress("Checking files", 0, 0)
    files = check_files(fetched.files, hub.limits)
    files, name, description = name_files(files, fetched.entry.name, name, current)
    if current is None:
        category = category or _category(files)
        path = f"{category}/{name}" if category else name
        if check_name:
            _require_free(hub, name, path, fetched.entry.identifier)
    else:
        path = current.install_path
    write_files(stage.original, files)
    before, merge = "", None
    new = files
    previous: dict[str, SkillFile] = {}
    if current is not None:
        before, previous, merge = _merge(hub, current, files, local)
        new = merge.files if merge else files
    folder = stage.new(name)
    write_files(folder, new)
    hub.progress("Scanning", 0, 0)
    report = scan_staged(hub.state, folder, fetched.entry.trust)
    capabilities = tuple(dict.fromkeys(f"{each.kind}: {each.detail}" for each in sorted(report.capabilities)))
    had = current.capabilities if current else ()
    now = timestamp()
    upstream = {file.path for file in files}
    entry = LockedSkill(
        name=name,
        install_path=path,
        source=fetched.entry.source,
        identifier=current.identifier if current else fetched.entry.identifier,
        pinned=fetched.pinned,
        version=fetched.entry.version,
        revision=fetched.entry.revision,
        trust=fetched.entry.trust,
        verdict=report.verdict,
        content_hash=hash_content(folder),
        upstream_hash=hash_content(stage.original),
        files=tuple(file.path for file in new if file.path in upstream),
        capabilities=capabilities,
        accepted=tuple(each.id for each in report.accepted),
        installed_at=current.installed_at if current else now,
        updated_at=now,
    )
    return Plan(
        hub=hub,
        stage=stage,
        entry=entry,
        current=current,
        report=report,
        changes=tuple(compare_files(previous, by_path(new))),
        gained=tuple(each for each in capabilities if each not in had),
        dropped=tuple(each for each in had if each not in capabilities),
        merge=merge,
        before=before,
        notes=fetched.notes,
        description=description,
        force=force,
    )


# -- names -----------------------------------------------------------------------------------------------------------


def name_files(
    files: tuple[SkillFile, ...], suggested: str, asked: str, current: LockedSkill | None
) -> tuple[tuple[SkillFile, ...], str, str]:
    """Return the files with the name of the installed skill in SKILL.md, that name, and the description."""
    found = by_path(files)
    file = next((found[name] for name in FILES if name in found), None)
    front = read_front(file.data) if file else None
    if file is None or front is None:
        raise SourceError("The skill has no SKILL.md with a frontmatter that can be read.", kind="refused")
    description = text_field(front, "description")
    if not description:
        raise SourceError("The SKILL.md has no description.", kind="refused")
    given = text_field(front, "name")
    name = (
        current.name if current else asked or next((each for each in (given, suggested) if _NAME.fullmatch(each)), "")
    )
    if not name:
        raise HubError(f"{(given or suggested)[:80]!r} is not a valid name. Choose one with --name.")
    if given != name:
        renamed = replace(file, data=_rename(file.data, name))
        if text_field(read_front(renamed.data), "name") != name:
            raise HubError(f"The name in {file.path} cannot be changed to {name!r}.")
        files = tuple(renamed if each is file else each for each in files)
    return files, name, description


def _rename(data: bytes, name: str) -> bytes:
    """Return a SKILL.md with another name in its frontmatter."""
    text = data.decode("utf-8", errors="surrogateescape")
    start = text.index("---") + 3
    end = found.start() if (found := _FRONT_END.search(text, start)) else len(text)
    front = text[start:end]
    renamed, count = _NAME_LINE.subn(f"name: {name}", front, count=1)
    if not count:
        renamed = f"\nname: {name}" + front
    return (text[:start] + renamed + text[end:]).encode("utf-8", errors="surrogateescape")


def _category(files: tuple[SkillFile, ...]) -> str:
    """Return the category in the frontmatter if it is a valid one; empty otherwise."""
    front = read_front(next(file.data for file in files if file.path in FILES))
    metadata = front.data.get("metadata") if front else None
    hermes = metadata.get("hermes") if isinstance(metadata, Mapping) else None
    found = hermes.get("category") if isinstance(hermes, Mapping) else None
    return found if isinstance(found, str) and _NAME.fullmatch(found) else ""


def _require_words(name: str, category: str) -> None:
    for word, what in ((name, "name"), (category, "category")):
        if word and not _NAME.fullmatch(word):
            raise HubError(f"{word!r} is not a valid {what}: use up to 64 of a-z, 0-9, '.', '_' and '-'.")


def _require_free(hub: SkillHub, name: str, path: str, identifier: str) -> None:
    """Raise `HubError` if a skill with this name exists, in whichever directory of `$HERMES_HOME/skills`."""
    recover(hub.state)
    installed = read_lock(hub.state).get(name)
    if installed is not None and installed.identifier == identifier:
        raise HubError(f"{name} is already installed. Run 'hermes skills update {name}'.", kind="taken")
    origin = f"was installed from {installed.identifier}" if installed else ""
    for skill in SkillIndex().read(Root(path=hub.state.skills, origin="home")):
        if isinstance(skill, Skill) and name in (skill.name.lower(), skill.directory.name.lower()):
            origin = origin or f"is at {skill.directory}"
    target = hub.state.skills / path
    if not origin and (target.exists() or target.is_symlink()):
        origin = f"has the directory {target}"
    if not origin and any((parent / each).exists() for parent in _parents(hub.state, target) for each in FILES):
        origin = f"would be inside of the skill {target.parent}"
    if origin:
        raise HubError(f"Another skill named {name!r} {origin}. Choose another name with --name.", kind="taken")


def _parents(state: StateFiles, target: Path) -> Iterator[Path]:
    parent = target.parent
    while parent != state.skills:
        yield parent
        parent = parent.parent


# -- local changes ---------------------------------------------------------------------------------------------------


def read_installed(state: StateFiles, skill: LockedSkill) -> dict[str, SkillFile]:
    """Return the files in the directory of an installed skill, including those of the user.

    Raises:
        HubError: The directory is missing.
        SourceError: It contains a link, or is too large.
    """
    folder = state.skills / skill.install_path
    if not folder.is_dir() or folder.is_symlink():
        raise HubError(f"{folder} is missing. Run 'hermes skills uninstall {skill.name}'.", kind="missing")
    return by_path(read_directory(folder, SizeLimits(files=4_000, bytes=64 << 20), everything=True))


def read_original(state: StateFiles, skill: LockedSkill) -> dict[str, SkillFile] | None:
    """Return the files of an installed skill as they were downloaded; None if they are missing or damaged."""
    folder = state.originals / skill.upstream_hash
    if not folder.is_dir() or hash_content(folder) != skill.upstream_hash:
        return None
    return by_path(read_directory(folder, SizeLimits(files=4_000, bytes=64 << 20), everything=True))


def _merge(
    hub: SkillHub, current: LockedSkill, files: tuple[SkillFile, ...], policy: Policy
) -> tuple[str, dict[str, SkillFile], Merge | None]:
    """Return the hash and the files of the installed version, and the merged version if there are local changes."""
    folder = hub.state.skills / current.install_path
    local = read_installed(hub.state, current)
    before = hash_content(folder)
    if before == current.content_hash == current.upstream_hash:
        return before, local, None
    base = read_original(hub.state, current)
    if base is None:
        if policy == "merge":
            reason = f"The original of {current.name} is missing, so its local changes cannot be merged."
            raise HubError(f"{reason} Choose --local keep or --local replace.", kind="changed")
        base = {}
    return before, local, merge_versions(base, local, by_path(files), policy)


def save_aside(state: StateFiles, skill: LockedSkill, paths: tuple[str, ...]) -> Path:
    """Copy files with local changes out of the way before they are replaced, and return where they are."""
    local = read_installed(state, skill)
    folder = state.removed / f"{skill.name}-{timestamp().replace(':', '')}"
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{folder.name.partition('~')[0]}~{number}")
    write_files(folder, [local[path] for path in paths if path in local])
    return folder
