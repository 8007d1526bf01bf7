"""Find skills in all sources at the same time, and find the source of an identifier."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from hermes_core.errors import did_you_mean
from hermes_schemas import nearest
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.providers.protocol import CatalogEntry, SkillSource, SourceError

_LOCAL = ("/", "./", "../", "~")
_WEB_PAGE = re.compile(
    r"https?://github\.com/(?P<repository>[^/]+/[^/#?]+)(?:/(?:tree|blob)/(?P<ref>[^/]+)/?(?P<path>[^#?]*))?/?"
)
_GIT = re.compile(r"https?://[^#]+\.git(?:[@#].*)?|ssh://.+|[\w.-]+@[\w.-]+:.+")
_MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What the sources returned.

    Attributes:
        entries: The skills, best first.
        problems: The sources that failed, with the reason.
        notes: Which results are old.
    """

    entries: tuple[CatalogEntry, ...]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def search_skills(hub: SkillHub, query: str, *, limit: int = 20, source: str = "") -> SearchResult:
    """Search all sources, or one. A source that fails does not stop the others.

    Raises:
        HubError: There is no such source.
    """
    return _ask(hub, source, limit, lambda each: each.search(query, limit, hub.access))


def browse_skills(hub: SkillHub, *, limit: int = 50, source: str = "") -> SearchResult:
    """List the catalogs of all sources, or of one. Raises `HubError` if there is no such source."""
    return _ask(hub, source, limit, lambda each: each.browse(limit, hub.access))


def _ask(hub: SkillHub, source: str, limit: int, ask: Callable[[SkillSource], Sequence[CatalogEntry]]) -> SearchResult:
    chosen = {source: _require_source(hub, source)} if source else hub.sources
    _ = hub.access  # created once, before the threads start
    answers: SimpleQueue[tuple[str, Sequence[CatalogEntry] | SourceError]] = SimpleQueue()

    def run(name: str, each: SkillSource) -> None:
        try:
            answers.put((name, ask(each)))
        except SourceError as error:
            answers.put((name, error))
        except Exception as error:  # a source may be foreign code; one that fails says nothing about the others
            answers.put((name, SourceError(f"{type(error).__name__}: {error}")))

    for name, each in chosen.items():
        # Threads of the standard pool would delay the end of the command.
        threading.Thread(target=run, args=(name, each), daemon=True).start()
    deadline = time.monotonic() + hub.settings.search_seconds
    waiting = set(chosen)
    found: dict[str, Sequence[CatalogEntry]] = {}
    problems = []
    while waiting:
        try:
            name, answer = answers.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            problems += [f"{name}: it did not respond in time." for name in sorted(waiting)]
            break
        waiting.discard(name)
        if isinstance(answer, SourceError):
            problems.append(f"{name}: {answer.reason}")
        else:
            found[name] = answer
    ordered = _merge([found[name] for name in chosen if name in found])
    return SearchResult(entries=tuple(ordered[:limit]), problems=tuple(problems), notes=tuple(hub.cache.notes))


def _merge(lists: Sequence[Sequence[CatalogEntry]]) -> list[CatalogEntry]:
    """Take the best of each source in turn, trusted ones first among equals, and each identifier once."""
    merged: dict[str, CatalogEntry] = {}
    for rank in range(max(map(len, lists), default=0)):
        row = [entries[rank] for entries in lists if rank < len(entries)]
        for entry in sorted(row, key=lambda each: each.trust != "trusted"):
            merged.setdefault(entry.identifier, entry)
    return list(merged.values())


def _require_source(hub: SkillHub, name: str) -> SkillSource:
    if name not in hub.sources:
        known = sorted(hub.sources)
        raise HubError(f"There is no source {name!r}.{did_you_mean(nearest(name, known))} Known: {', '.join(known)}.")
    return hub.sources[name]


def find_source(hub: SkillHub, identifier: str) -> tuple[str, SkillSource, str]:
    """Return the name of the source of an identifier, the source, and what it takes.

    Accepted are `SOURCE:...`, `owner/repository[/path][@ref]`, URLs, paths, and the exact name of a skill that one of
    the sources lists.

    Raises:
        HubError: It cannot be understood, or several sources list that name.
        SourceError: The sources cannot be asked.
    """
    given = identifier.strip()
    name, colon, rest = given.partition(":")
    if colon and name in hub.sources:
        return name, hub.sources[name], rest
    name, rest = _infer(given)
    if name:
        return name, _require_source(hub, name), rest
    found = [entry for entry in search_skills(hub, given, limit=100).entries if entry.name == given]
    if len(found) == 1:
        return find_source(hub, found[0].identifier)
    if found:
        listed = ", ".join(entry.identifier for entry in found[:_MAX_CANDIDATES])
        raise HubError(f"{len(found)} skills are named {given!r}. Name the one you mean: {listed}.")
    raise HubError(f"No source lists a skill named {given!r}. Try 'hermes skills search {given}'.", kind="missing")


def _infer(given: str) -> tuple[str, str]:
    """Return the name of a source by the form of an identifier, and what it takes; empty for a bare name."""
    if given.startswith(_LOCAL) or given in (".", "..") or given.startswith("." + os.sep):
        return "directory", given
    if _GIT.fullmatch(given):
        return "git", given
    if page := _WEB_PAGE.fullmatch(given):
        path = f"/{page['path'].strip('/')}" if page["path"] else ""
        return "github", page["repository"] + path + (f"@{page['ref']}" if page["ref"] else "")
    if given.startswith(("https://", "http://")):
        return "url", given
    return ("github", given) if "/" in given else ("", given)
