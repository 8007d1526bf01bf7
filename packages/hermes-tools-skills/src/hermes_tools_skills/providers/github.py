"""Skills in repositories on GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from hermes_tools_skills.providers.file_checks import is_left_out
from hermes_tools_skills.providers.github_api import GitHubApi, Location, TreeEntry
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    SourceAccess,
    SourceError,
    Trust,
    best_matches,
)
from hermes_tools_skills.providers.skill_text import choose_skill, find_skills, read_front, text_field
from hermes_tools_skills.skill import FILES

_MAX_IN_REPOSITORY = 300
_THREADS = 8


class GitHub:
    """Searches the repositories that the user added, and installs from any."""

    title = "GitHub"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Search the names and descriptions in all taps."""
        return best_matches(query, self.browse(_MAX_IN_REPOSITORY, access), limit)

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return the skills of all taps."""
        found: list[CatalogEntry] = []
        problems: list[SourceError] = []
        for tap in access.taps.get("github", ()):
            try:
                found += access.cached(f"github/{tap}", lambda tap=tap: list_repository(tap, access))  # type: ignore[misc]
            except SourceError as error:
                problems.append(error)
        if problems and not found:
            raise problems[0]
        return found[:limit]

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return the entry of a skill, with the hash of its tree as the revision."""
        api = GitHubApi(access)
        return _read_entry(api, access, _find(api, Location.parse(identifier)))

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download a directory of a repository."""
        return fetch_directory(Location.parse(identifier), access)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A skill in a repository: its directory at a commit, what is in it, and the hash of its tree."""

    location: Location
    commit: str
    folder: str
    entries: Sequence[TreeEntry]
    revision: str

    @property
    def prefix(self) -> str:
        return f"{self.folder}/" if self.folder else ""

    @property
    def path(self) -> str:
        return f"{self.location.repository}/{self.folder}".removesuffix("/")

    def entry(self, content: bytes, access: SourceAccess) -> CatalogEntry:
        """Return the catalog entry, of which the SKILL.md is known."""
        front = read_front(content)
        return CatalogEntry(
            source="github",
            identifier=f"github:{self.path}" + (f"@{self.location.ref}" if self.location.ref else ""),
            name=text_field(front, "name") or PurePosixPath(self.path).name,
            description=text_field(front, "description"),
            version=text_field(front, "version"),
            revision=self.revision,
            trust=trust_of(self.location, access),
            url=f"https://github.com/{self.location.repository}/tree/{self.commit}/{self.folder}".removesuffix("/"),
        )


def fetch_directory(location: Location, access: SourceAccess) -> FetchedSkill:
    """Download a skill from a repository. Raises `SourceError`."""
    api = GitHubApi(access)
    found = _find(api, location)
    chosen = [entry for entry in found.entries if entry.kind != "tree" and not is_left_out(entry.path)]
    files = api.blobs(location.repository, found.commit, found.prefix, chosen)
    content = next(file.data for file in files if file.path in FILES)
    return FetchedSkill(
        entry=found.entry(content, access), files=tuple(files), pinned=f"github:{found.path}@{found.commit}"
    )


def trust_of(location: Location, access: SourceAccess) -> Trust:
    """Return the trust level of a repository. A commit may come from a fork, so only the default branch is trusted."""
    trusted = {name.lower() for name in access.settings.trusted_repositories}
    return "trusted" if not location.ref and location.repository.lower() in trusted else "community"


def list_repository(repository: str, access: SourceAccess) -> list[CatalogEntry]:
    """Return the skills of a repository with their descriptions. Raises `SourceError`."""
    api = GitHubApi(access)
    location = Location.parse(repository)
    commit, tree = api.commit(location)
    entries = api.tree(location.repository, tree)
    by_path = {entry.path: entry for entry in entries}
    folders = find_skills(entry.path for entry in entries if entry.kind == "blob")[:_MAX_IN_REPOSITORY]
    done = 0

    def read(folder: str) -> CatalogEntry:
        nonlocal done
        prefix = f"{folder}/" if folder else ""
        files = [replace(by_path[prefix + name], path=name) for name in FILES if prefix + name in by_path]
        revision = by_path[folder].sha if folder else tree
        found = _Found(location=location, commit=commit, folder=folder, entries=files, revision=revision)
        made = _read_entry(api, access, found)
        done += 1
        access.progress(f"Reading {location.repository}", done, len(folders))
        return made

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(read, folders))


def _read_entry(api: GitHubApi, access: SourceAccess, found: _Found) -> CatalogEntry:
    file = next(entry for entry in found.entries if entry.path in FILES)
    (content,) = api.blobs(found.location.repository, found.commit, found.prefix, [file])
    return found.entry(content.data, access)


def _find(api: GitHubApi, location: Location) -> _Found:
    commit, tree = api.commit(location)
    try:
        everything = api.tree(location.repository, tree)
    except SourceError as error:
        if error.kind != "refused" or not location.path:
            raise
        folder, revision = location.path, ""  # the repository is too large to list, so the path must be complete
        entries = api.tree(location.repository, tree, folder)
        choose_skill([entry.path for entry in entries if "/" not in entry.path], "", folder)
    else:
        paths = [entry.path for entry in everything if entry.kind == "blob"]
        folder = choose_skill(paths, location.path, location.repository)
        revision = next((entry.sha for entry in everything if entry.path == folder), tree)
        entries = api.tree(location.repository, tree, folder)
    return _Found(location=location, commit=commit, folder=folder, entries=entries, revision=revision)
