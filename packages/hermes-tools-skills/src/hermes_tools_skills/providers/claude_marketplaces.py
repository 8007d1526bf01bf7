"""Skills in the plugins of Claude Code marketplaces: repositories with a `.claude-plugin/marketplace.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from hermes_text.terminal import clean
from hermes_tools_skills.providers.github import fetch_directory, list_repository
from hermes_tools_skills.providers.github_api import GitHubApi, Location
from hermes_tools_skills.providers.json_values import items, mapping, text
from hermes_tools_skills.providers.protocol import CatalogEntry, FetchedSkill, SourceAccess, SourceError, best_matches

_FILE = ".claude-plugin/marketplace.json"
_MAX_PLUGINS = 1_000
_MAX_SKILLS = 2_000


class ClaudeMarketplaces:
    """Searches the marketplaces that the user added. An identifier is `owner/repository/plugin/skill`."""

    title = "Claude Code marketplaces"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Search the skills of all marketplaces."""
        return best_matches(query, self.browse(_MAX_SKILLS, access), limit)

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return the skills of all marketplaces."""
        found: list[CatalogEntry] = []
        for tap in access.taps.get("claude", ()):
            found += access.cached(f"claude/{tap}", lambda tap=tap: list(_list_skills(tap, access)))  # type: ignore[misc]
        return found[:limit]

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return the entry of a skill."""
        return _find(identifier, access)[0]

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download a skill of a plugin from the repository of the plugin."""
        entry, location = _find(identifier, access)
        fetched = fetch_directory(location, access)
        return replace(fetched, entry=replace(entry, version=fetched.entry.version, revision=fetched.entry.revision))


def _find(identifier: str, access: SourceAccess) -> tuple[CatalogEntry, Location]:
    marketplace = Location.parse(identifier)
    wanted = marketplace.path
    found = [
        (entry, location)
        for entry, location in _skills(marketplace.repository, access)
        if entry.identifier.partition("/")[2].partition("/")[2] == wanted or entry.name == wanted
    ]
    if len(found) == 1:
        return found[0]
    problem = f"has {len(found)} skills named {wanted!r}" if found else f"has no skill {wanted!r}"
    raise SourceError(f"The marketplace {marketplace.repository} {problem}.", kind="not_found")


def _list_skills(marketplace: str, access: SourceAccess) -> Iterator[CatalogEntry]:
    yield from (entry for entry, _ in _skills(marketplace, access))


def _skills(marketplace: str, access: SourceAccess) -> Iterator[tuple[CatalogEntry, Location]]:
    """Yield the skills of a marketplace and where they are. Plugins outside of GitHub are not supported."""
    document = _read(marketplace, access)
    root = text(mapping(document, "metadata"), "pluginRoot")
    count = 0
    for plugin in items(document, "plugins")[:_MAX_PLUGINS]:
        location = _plugin_location(marketplace, root, plugin) if isinstance(plugin, dict) else None
        if location is None:
            continue
        for skill in _plugin_skills(plugin, location, access):
            count += 1
            if count > _MAX_SKILLS:
                return
            entry = replace(
                skill,
                source="claude",
                identifier=f"claude:{marketplace}/{clean(text(plugin, 'name'))}/{skill.name}",
                version=skill.version or clean(text(plugin, "version")),
                description=skill.description or clean(text(plugin, "description")),
            )
            yield entry, Location.parse(skill.identifier.removeprefix("github:"))


def _read(marketplace: str, access: SourceAccess) -> dict[str, Any]:
    repository = Location.parse(marketplace).repository
    data = GitHubApi(access).read_file(Location(repository=repository, path=_FILE))
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{repository} has a malformed {_FILE}.") from error
    if not isinstance(document, dict):
        raise SourceError(f"{repository} has a {_FILE} that is not an object.")
    return document


def _plugin_location(marketplace: str, root: str, plugin: dict[str, Any]) -> Location | None:
    source = plugin.get("source", "./")
    if isinstance(source, str):
        path = _joined(root, source)
        return None if path is None else Location(repository=marketplace, path=path)
    named = mapping(source)
    if named.get("source") != "github":
        return None
    ref = text(named, "sha") or text(named, "ref")
    try:
        return Location.parse(text(named, "repo") + (f"@{ref}" if ref else ""))
    except SourceError:
        return None


def _plugin_skills(plugin: dict[str, Any], location: Location, access: SourceAccess) -> Iterator[CatalogEntry]:
    """Yield the skills of a plugin: those that it lists, or those in its directory `skills`."""
    at = f"@{location.ref}" if location.ref else ""
    key = f"claude repository {location.repository}{at}"
    if key not in access.memory:
        access.memory[key] = list_repository(location.repository + at, access)
    listed: list[CatalogEntry] = access.memory[key]
    given = plugin.get("skills")
    names = [given] if isinstance(given, str) else given if isinstance(given, list) else None
    if names is not None:
        paths = {_joined(location.path, text(name)) for name in names}
    for entry in listed:
        path = entry.identifier.removeprefix(f"github:{location.repository}").partition("@")[0].strip("/")
        if names is None:
            parent = PurePosixPath(path).parent.as_posix()
            chosen = path == location.path or parent == (_joined(location.path, "skills") or "")
        else:
            chosen = path in paths or PurePosixPath(path).parent.as_posix() in paths
        if chosen:
            yield entry


def _joined(root: str, path: str) -> str | None:
    """Return a path below a directory of the repository; None if it leaves it."""
    parts: list[str] = []
    for part in (*root.split("/"), *path.split("/")):
        if part == "..":
            return None
        if part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
