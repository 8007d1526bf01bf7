"""What a source of skills implements, receives and returns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from hermes_core.errors import HermesError
from hermes_text.terminal import clean

if TYPE_CHECKING:
    from hermes_net import NetPolicy
    from hermes_tools_skills.hub_settings import HubSettings
    from hermes_tools_skills.providers.web_client import WebClient

EXTENSION_POINT = "skill_sources"
"""The extension point of sources."""

Trust = Literal["trusted", "community"]
Progress = Callable[[str, int, int], None]
"""Receives a message, how much is done, and the total; 0 if it is not known."""
CachedEntries = Callable[[str, Callable[[], "Sequence[CatalogEntry]"]], "list[CatalogEntry]"]

ErrorKind = Literal["invalid", "not_found", "rate_limited", "refused", "network", "unsupported"]


class SourceError(HermesError):
    """Raised when a source cannot do what it was asked to.

    Attributes:
        reason: What is wrong, as a sentence.
        kind: Why: a wrong identifier or answer, nothing found, a rate limit, a refusal, the network, or an operation
            that the source does not have.
        retry_at: When a rate limit ends, in seconds since the epoch.
    """

    code = "skill_source"

    def __init__(self, reason: str, *, kind: ErrorKind = "invalid", retry_at: float | None = None) -> None:
        self.reason = reason
        self.kind = kind
        self.retry_at = retry_at
        super().__init__(reason)


def rate_limit_error(name: str, retry_at: float | None, hint: str = "") -> SourceError:
    """Return the error for a rate limit, which names the local time when it ends."""
    until = ""
    if retry_at is not None:
        minutes = max(1, round((retry_at - time.time()) / 60))
        until = f" until {time.strftime('%H:%M', time.localtime(retry_at))} (in about {minutes} min)"
    return SourceError(
        f"{name} allows no more requests{until}.{f' {hint}' if hint else ''}", kind="rate_limited", retry_at=retry_at
    )


class FileNameError(SourceError):
    """Raised when a skill has a file whose name cannot be written safely on every system.

    Attributes:
        path: The name.
    """

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        super().__init__(f"The file {clean(ascii(path))[:120]} {reason}.", kind="refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """How large a skill may be.

    Attributes:
        files: The maximum number of files.
        bytes: The maximum size of all files.
        file_bytes: The maximum size of one file.
    """

    files: int = 2_000
    bytes: int = 50 * 1024 * 1024
    file_bytes: int = 16 * 1024 * 1024

    def require(self, count: int, total: int) -> None:
        """Raise `SourceError` if a skill has too many files or bytes."""
        if count > self.files:
            raise SourceError(f"The skill has more than {self.files:,} files.", kind="refused")
        if total > self.bytes:
            raise SourceError(f"The skill is larger than {self.bytes >> 20:,} MiB.", kind="refused")

    def require_file(self, path: str, size: int) -> None:
        """Raise `FileNameError` if a file is too large."""
        if size > self.file_bytes:
            raise FileNameError(path, f"is larger than {self.file_bytes >> 20:,} MiB")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """One file of a skill.

    Attributes:
        path: The path relative to the skill, with `/`.
        data: The content.
        executable: Whether it can be executed.
    """

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """A skill in the catalog of a source.

    Attributes:
        source: The name of the source.
        identifier: What `hermes skills install` takes.
        name: The name of the skill.
        description: What it does.
        version: The version that its author gave it.
        revision: Changes with the content of the skill; empty if the source cannot tell without a download.
        trust: The level of trust.
        url: A page about it.
        updated: When it was changed, as the source writes it.
        tags: Its tags.
    """

    source: str
    identifier: str
    name: str
    description: str = ""
    version: str = ""
    revision: str = ""
    trust: Trust = "community"
    url: str = ""
    updated: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedSkill:
    """A skill that was downloaded and not yet checked.

    Attributes:
        entry: What the source says about it.
        files: Its files. Their names come from the source and were not checked.
        pinned: The identifier of exactly this version; empty if the source cannot return it again.
        notes: What was left out or converted, as sentences.
    """

    entry: CatalogEntry
    files: tuple[SkillFile, ...]
    pinned: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAccess:
    """What a source receives with each call.

    Attributes:
        settings: The settings `skills.hub`.
        policy: Which addresses may be reached.
        web: Sends requests.
        taps: The repositories and sites that the user added, without the prefix, by the name of the source.
        environ: The environment, with `.env`.
        work_dir: A directory for temporary files, which exists.
        limits: How large a skill may be.
        progress: Reports progress.
        cached: Returns the entries of a catalog by its name, from the cache or from the function.
        memory: What sources remember until the command ends, such as tokens.
    """

    settings: HubSettings
    policy: NetPolicy
    web: WebClient
    taps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict)
    work_dir: Path = Path()
    limits: SizeLimits = SizeLimits()
    progress: Progress = lambda _message, _done, _total: None
    cached: CachedEntries = lambda _name, make: list(make())
    memory: dict[str, Any] = field(default_factory=dict)


class SkillSource(Protocol):
    """A kind of registry or repository. Methods are sync, may run in any thread, and raise `SourceError`.

    A source is registered under its name with the hook `hermes_providers` at `skill_sources`. The name is also the
    prefix of its identifiers.
    """

    @property
    def title(self) -> str:
        """The display name."""
        ...

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return up to `limit` skills that match a query, best first."""
        ...

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:
        """Return up to `limit` skills."""
        ...

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return what is known about a skill, without its files. `identifier` has no prefix."""
        ...

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Download a skill. `identifier` has no prefix."""
        ...


def matches(query: str, entry: CatalogEntry) -> int:
    """Return how many words of a query a catalog entry contains, twice for words in its name."""
    name, rest = entry.name.lower(), f"{entry.description} {' '.join(entry.tags)} {entry.identifier}".lower()
    return sum(2 if word in name else 1 for word in query.lower().split() if word in name or word in rest)


def best_matches(query: str, entries: Sequence[CatalogEntry], limit: int) -> list[CatalogEntry]:
    """Return the entries with words of a query, best first."""
    scored = [(matches(query, entry), entry) for entry in entries]
    scored.sort(key=lambda pair: (-pair[0], pair[1].name))
    return [entry for score, entry in scored if score][:limit]
