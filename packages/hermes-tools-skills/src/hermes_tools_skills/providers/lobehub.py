"""Agents on LobeHub, whose instructions are converted to skills."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hermes_text.terminal import clean
from hermes_tools_skills.providers.json_values import items, mapping, text
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    SkillFile,
    SourceAccess,
    SourceError,
    best_matches,
)

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_AGENTS = 20_000
_MAX_DESCRIPTION = 1_024
_MAX_TAGS = 20


class LobeHub:
    """The index of agents of LobeHub."""

    title = "LobeHub"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Search names, descriptions and tags."""
        return best_matches(query, self.browse(_MAX_AGENTS, access), limit)

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return the agents of the index."""

        def request() -> list[CatalogEntry]:
            found = access.web.get_json(f"{_base(access)}/index.json")
            listed = items(found, "agents")
            if not listed:
                raise SourceError("LobeHub sent a response without agents.")
            return list(_entries(listed[:_MAX_AGENTS]))

        return access.cached("lobehub", request)[:limit]

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return the entry of an agent."""
        return self.fetch(identifier, access).entry

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download an agent and convert it to a SKILL.md."""
        if not _IDENTIFIER.fullmatch(identifier):
            raise SourceError(f"{identifier[:200]!r} is not an agent on LobeHub.")
        found = access.web.get_json(f"{_base(access)}/{identifier}.json")
        role = text(mapping(found, "config"), "systemRole")
        if not role.strip():
            raise SourceError(f"The agent {identifier} on LobeHub has no instructions.", kind="not_found")
        entry = next(_entries([{**mapping(found), "identifier": identifier}]))
        data = _skill_text(entry, role).encode("utf-8", errors="replace")
        note = "It was an agent of LobeHub: only its instructions were converted, without its model and plugins."
        return FetchedSkill(entry=entry, files=(SkillFile(path="SKILL.md", data=data),), notes=(note,))


def _skill_text(entry: CatalogEntry, role: str) -> str:
    # JSON strings are YAML strings, whatever they contain.
    description = entry.description or f"Instructions of the agent {entry.name}."
    front = [f"name: {json.dumps(entry.name)}", f"description: {json.dumps(description, ensure_ascii=False)}"]
    tags = ", ".join(json.dumps(tag, ensure_ascii=False) for tag in entry.tags)
    front += [f"metadata:\n  hermes:\n    tags: [{tags}]"] if tags else []
    return "---\n" + "\n".join(front) + f"\n---\n\n{role.strip()}\n"


def _entries(listed: Sequence[Any]) -> Iterator[CatalogEntry]:
    for each in listed:
        agent = mapping(each)
        meta = mapping(agent, "meta")
        identifier = text(agent, "identifier")
        if not _IDENTIFIER.fullmatch(identifier):
            continue
        about = ": ".join(filter(None, (clean(text(meta, "title")), clean(text(meta, "description")))))
        yield CatalogEntry(
            source="lobehub",
            identifier=f"lobehub:{identifier}",
            name=re.sub(r"[^a-z0-9]+", "-", identifier.lower()).strip("-")[:64] or "agent",
            description=about[:_MAX_DESCRIPTION],
            url=f"https://lobehub.com/agent/{identifier}",
            updated=clean(text(agent, "createdAt"))[:40],
            tags=tuple(clean(text(tag)) for tag in items(meta, "tags")[:_MAX_TAGS]),
        )


def _base(access: SourceAccess) -> str:
    return access.settings.lobehub_url.rstrip("/")
