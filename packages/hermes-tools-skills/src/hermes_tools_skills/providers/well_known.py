"""Skills that a site publishes in `/.well-known/skills/index.json` or `/.well-known/agent-skills/index.json`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from hermes_text.terminal import clean
from hermes_tools_skills.providers.archives import is_archive, read_archive, strip_top
from hermes_tools_skills.providers.file_checks import require_safe_name
from hermes_tools_skills.providers.json_values import items, mapping, text
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    SkillFile,
    SourceAccess,
    SourceError,
    best_matches,
)

_INDEXES = ("/.well-known/skills/index.json", "/.well-known/agent-skills/index.json")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?")
_MAX_SKILLS = 2_000


class WellKnown:
    """Sites with an index of skills. An identifier is `example.org/name`."""

    title = "Well-known index"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Search the indexes of the sites that the user added."""
        return best_matches(query, self.browse(_MAX_SKILLS, access), limit)

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return the skills of the sites that the user added."""
        found: list[CatalogEntry] = []
        for tap in access.taps.get("wellknown", ()):
            found += access.cached(f"wellknown/{tap}", lambda tap=tap: _list_site(tap, access))  # type: ignore[misc]
        return found[:limit]

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return the entry of a skill."""
        return _find(identifier, access)[0]

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download the files that the index lists, all from the same site."""
        entry, found, index = _find(identifier, access)
        digest = text(found, "digest").removeprefix("sha256:")
        if location := text(found, "url"):
            url = urljoin(index, location)
            _require_same_site(index, url)
            data = access.web.get(url).body
            if digest and hashlib.sha256(data).hexdigest() != digest:
                raise SourceError(f"{entry.name} differs from its digest in the index.", kind="refused")
            files = strip_top(read_archive(data, access.limits)) if is_archive(data) else [_instructions(data)]
            return FetchedSkill(entry=entry, files=tuple(files))
        names = [text(name) for name in items(found, "files")] or ["SKILL.md"]
        access.limits.require(len(names), 0)
        files = []
        for number, name in enumerate(names, 1):
            require_safe_name(name)
            access.progress(f"Downloading {name}", number, len(names))
            files.append(SkillFile(path=name, data=access.web.get(urljoin(index, quote(f"{entry.name}/{name}"))).body))
            access.limits.require(number, sum(len(file.data) for file in files))
        return FetchedSkill(entry=entry, files=tuple(files))


def _instructions(data: bytes) -> SkillFile:
    return SkillFile(path="SKILL.md", data=data)


def _list_site(site: str, access: SourceAccess) -> list[CatalogEntry]:
    return [entry for entry, _, _ in _skills(site, access)]


def _find(identifier: str, access: SourceAccess) -> tuple[CatalogEntry, dict[str, Any], str]:
    site, _, name = identifier.rpartition("/")
    if identifier.count("/") == (2 if "://" in identifier else 0):
        site, name = identifier, ""
    found = [each for each in _skills(site, access) if not name or each[0].name == name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted(each[0].name for each in _skills(site, access))[:30])
    problem = f"has no skill {name!r}" if name else "has several skills"
    raise SourceError(f"{site} {problem}. It has: {names}.", kind="not_found")


def _skills(site: str, access: SourceAccess) -> list[tuple[CatalogEntry, dict[str, Any], str]]:
    base = site if "://" in site else f"https://{site}"
    if not _HOST.fullmatch(urlsplit(base).netloc) or urlsplit(base).path.strip("/"):
        raise SourceError(f"{site[:200]!r} is not a site. Example: wellknown:example.org/deploy")
    index, found = _read_index(base, access)
    entries = []
    for each in items(found, "skills")[:_MAX_SKILLS]:
        name = text(each, "name")
        if not _NAME.fullmatch(name):
            continue
        entry = CatalogEntry(
            source="wellknown",
            identifier=f"wellknown:{site}/{name}",
            name=name,
            description=clean(text(each, "description")),
            version=clean(text(each, "version")),
            revision=text(each, "digest")[:100],
            url=urljoin(index, f"{name}/SKILL.md"),
        )
        entries.append((entry, mapping(each), index))
    return entries


def _read_index(base: str, access: SourceAccess) -> tuple[str, Any]:
    key = f"wellknown {base}"
    if key not in access.memory:
        for number, path in enumerate(_INDEXES, 1):
            try:
                response = access.web.get(base.rstrip("/") + path, headers={"Accept": "application/json"})
            except SourceError as error:
                if error.kind != "not_found" or number == len(_INDEXES):
                    raise
            else:
                access.memory[key] = response.url, _index(response.parse_json(), base)
                break
    read: tuple[str, Any] = access.memory[key]
    return read


def _index(found: Any, base: str) -> Any:
    if not isinstance(found, dict) or not isinstance(found.get("skills"), list):
        raise SourceError(f"{base} has an index without a list of skills: {json.dumps(found)[:80]}.")
    return found


def _require_same_site(index: str, url: str) -> None:
    if urlsplit(index)[:2] != urlsplit(url)[:2]:
        raise SourceError(f"The index {index} refers to another site: {url[:200]}.", kind="refused")
