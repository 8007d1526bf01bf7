"""Skills on ClawHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from hermes_text.terminal import clean
from hermes_tools_skills.providers.archives import read_archive, strip_top
from hermes_tools_skills.providers.json_values import mapping, text
from hermes_tools_skills.providers.protocol import CatalogEntry, FetchedSkill, SourceAccess, SourceError

_SLUG = re.compile(r"(?:@?[A-Za-z0-9][A-Za-z0-9_-]{0,63}/)?(?P<slug>[A-Za-z0-9][A-Za-z0-9._-]{0,99})")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")
_PAGE = 100


class ClawHub:
    """The public registry of OpenClaw. An identifier is `slug[@version]`."""

    title = "ClawHub"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Search by meaning, on the server."""

        def request() -> list[CatalogEntry]:
            found = access.web.get_json(_url(access, "search"), params={"q": query, "limit": str(limit)})
            return list(_entries(found, "results", access))

        return access.cached(f"clawhub/search/{limit}/{query}", request)

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return the skills with the most downloads."""

        def request() -> list[CatalogEntry]:
            entries: list[CatalogEntry] = []
            cursor = ""
            while len(entries) < limit:
                params = {"sort": "downloads", "limit": str(min(limit - len(entries), _PAGE))}
                found = access.web.get_json(
                    _url(access, "skills"), params={**params, **({"cursor": cursor} if cursor else {})}
                )
                page = list(_entries(found, "items", access))
                entries += page
                access.progress("Reading ClawHub", len(entries), limit)
                following = text(found, "nextCursor")
                if not page or not following or following == cursor:
                    break
                cursor = following
            return entries

        return access.cached(f"clawhub/browse/{limit}", request)

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return the entry of a skill, with its version as the revision."""
        slug, version = _parse(identifier)
        found = access.web.get_json(_url(access, f"skills/{quote(slug)}"))
        if not isinstance(found, dict) or not isinstance(found.get("skill"), dict):
            raise SourceError("ClawHub sent a response without a skill.")
        latest = text(mapping(found, "latestVersion"), "version")
        moderation = mapping(found, "moderation")
        if moderation.get("isMalwareBlocked"):
            raise SourceError(f"ClawHub blocks {slug} as malware.", kind="refused")
        entry = _entry(found["skill"], access, version or latest)
        if entry is None:
            raise SourceError("ClawHub sent a skill without a slug.")
        return entry

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download a version as an archive."""
        entry = self.inspect(identifier, access)
        slug, asked = _parse(identifier)
        version = asked or entry.version
        access.progress(f"Downloading {slug}", 0, 0)
        params = {"slug": slug, **({"version": version} if version else {})}
        archive = access.web.get(_url(access, "download"), params=params).body
        files = tuple(strip_top(read_archive(archive, access.limits)))
        return FetchedSkill(entry=entry, files=files, pinned=f"clawhub:{slug}@{version}" if version else "")


def _parse(identifier: str) -> tuple[str, str]:
    slug, _, version = identifier.rpartition("@") if "@" in identifier[1:] else (identifier, "", "")
    found = _SLUG.fullmatch(slug)
    if not found or (version and not _VERSION.fullmatch(version)):
        raise SourceError(f"{identifier[:200]!r} is not a skill on ClawHub. Example: clawhub:gifgrep@1.2.3")
    return found["slug"], version


def _url(access: SourceAccess, path: str) -> str:
    return f"{access.settings.clawhub_url.rstrip('/')}/api/v1/{path}"


def _entries(found: Any, key: str, access: SourceAccess) -> Iterator[CatalogEntry]:
    listed = found.get(key) if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise SourceError(f"ClawHub sent a response without {key!r}.")
    for each in listed:
        latest = text(mapping(each, "latestVersion"), "version")
        entry = _entry(mapping(each), access, latest or text(each, "version"))
        if entry is not None:
            yield entry


def _entry(found: dict[str, Any], access: SourceAccess, version: str) -> CatalogEntry | None:
    slug = text(found, "slug")
    if not _SLUG.fullmatch(slug):
        return None
    version = version if _VERSION.fullmatch(version) else ""
    return CatalogEntry(
        source="clawhub",
        identifier=f"clawhub:{slug}",
        name=slug,
        description=clean(text(found, "summary") or text(found, "displayName")),
        version=version,
        revision=version,
        url=f"{access.settings.clawhub_url.rstrip('/')}/skills/{quote(slug)}",
    )
