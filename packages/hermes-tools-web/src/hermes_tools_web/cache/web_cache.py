"""`WebCache`: the cache of pages and search results, and the one that a session shares."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from hermes_core import ToolContext
from hermes_tools_web.cache import entries
from hermes_tools_web.cache.connection import CacheConnection
from hermes_tools_web.cache.entries import ChecksumError, make_digest, pack, unpack
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import CacheSettings

if TYPE_CHECKING:
    import sqlite3


Kind = Literal["page", "search"]

FOLDER = "cache"
"""The cache directory in the home directory."""
FILE = "web.db"

_MB = 1_000_000
_PART = 10
"""No entry takes more than a tenth of the limit."""
_LARGEST = 500 * _MB
"""SQLite accepts at most twice this in one value."""
_SLACK_SECONDS = 60.0
"""Entries dated further in the future were made before the clock was set back, so their age is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """The contents of a cache."""

    path: Path  # the file
    pages: int  # the number of pages
    searches: int  # the number of searches
    bytes: int  # the size on disk
    limit: int  # the size limit
    problem: str  # why the cache cannot be used; empty when it can


class WebCache:
    """Cached texts by kind, provider and key, safe for threads and processes.

    The file is opened on first use. If it is full, broken, read-only or locked, a warning is logged, nothing is found
    and nothing is stored.
    """

    def __init__(self, folder: Path, settings: CacheSettings, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(folder) / FILE
        self.limit = settings.max_mb * _MB
        self.settings = settings
        self._clock = clock
        self._file = CacheConnection(self.path, clock)

    @property
    def problem(self) -> str:
        """Why the cache could not be used the last time; empty when it could."""
        return self._file.problem

    def get(self, kind: Kind, provider: str, key: str) -> str | None:
        """Return a cached text; None when there is none or it has expired."""
        if not self._is_enabled(kind):
            return None
        digest = make_digest(kind, provider, key)
        found = self._file.read(lambda database: self._find(database, kind, digest))
        if found is None:
            return None
        try:
            return unpack(digest, found)
        except ChecksumError:
            self._file.change(lambda database: entries.remove(database, digest))
            return None

    def put(self, kind: Kind, provider: str, key: str, text: str) -> None:
        """Store a text and remove the least recently used ones if there is no space.

        Args:
            kind: `page` or `search`.
            provider: The provider that returned the text.
            key: The key from `cache_key`.
            text: The text. One that takes more than a tenth of the limit is not stored.
        """
        if not self._is_enabled(kind):
            return
        digest = make_digest(kind, provider, key)
        packed = pack(digest, text)
        fits = len(packed) <= min(self.limit // _PART, _LARGEST)
        name = provider.encode("utf-8", "replace").decode()

        def keep(database: sqlite3.Connection) -> None:
            entries.remove(database, digest)  # the old text is outdated, whether or not the new one fits
            self._sweep(database)
            if fits:
                entries.free_space(database, len(packed), self.limit)
                entries.insert(database, digest=digest, kind=kind, provider=name, made=self._clock(), packed=packed)

        self._file.change(keep)
        self._file.shrink(self.limit)

    def clear(self) -> int | None:
        """Remove all entries and return the space to the disk.

        Returns:
            How many entries there were; None when they could not be removed, and then `problem` says why.
        """
        if not _is_there(self.path):
            return 0
        there = self._file.change(entries.empty)
        if there is not None:
            self._file.shrink(0)
        return there

    def stats(self) -> CacheStats:
        """Describe the contents, without creating the file."""
        counted = self._file.read(entries.count) if _is_there(self.path) else None
        pages, searches, size = counted or (0, 0, 0)
        return CacheStats(
            path=self.path, pages=pages, searches=searches, bytes=size, limit=self.limit, problem=self.problem
        )

    def close(self) -> None:
        """Close the cache for good: nothing is found or stored afterwards. Closing twice is fine."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_enabled(self, kind: Kind) -> bool:
        return self.settings.enabled and self._seconds(kind) > 0

    def _seconds(self, kind: Kind) -> float:
        minutes = self.settings.page_minutes if kind == "page" else self.settings.search_minutes
        return minutes * 60.0

    def _find(self, database: sqlite3.Connection, kind: Kind, digest: bytes) -> bytes | None:
        found = entries.find(database, digest)
        if found is None or not -_SLACK_SECONDS <= self._clock() - found.made < self._seconds(kind):
            return None
        entries.mark_used(database, found.id)
        return found.packed

    def _sweep(self, database: sqlite3.Connection) -> None:
        now = self._clock()
        kinds: tuple[Kind, ...] = ("page", "search")
        for kind in kinds:
            entries.sweep(database, kind, oldest=now - self._seconds(kind), newest=now + _SLACK_SECONDS)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


_KEY = "web_cache"
_making = threading.Lock()


def session_cache(ctx: ToolContext, settings: CacheSettings) -> WebCache:
    """Return the cache of a call's session, opened on first use and closed with the session."""
    with _making:
        found = ctx.session.state.get(_KEY)
        if isinstance(found, WebCache) and found.settings != settings:
            found.close()  # the settings changed; a call that still uses it finds and stores nothing more
            found = None
        if found is None:
            found = WebCache(ctx.home / FOLDER, settings)
            ctx.session.on_close(found.close)
            ctx.session.state[_KEY] = found
    assert isinstance(found, WebCache)
    return found


_ANSWERS = ("parallel_search_mode", "user_agent")
"""Settings that change a provider's answer, besides the URLs."""


def cache_key(question: str, access: Access) -> str:
    """Return the cache key for a request and the settings that change its answer.

    API keys are not part of it: they do not change the answer and must not reach the disk.
    """
    urls = [name for name in type(access.settings).model_fields if name.endswith("_url")]
    settings = access.settings.model_dump(mode="json", include={*_ANSWERS, *urls})
    return json.dumps([question, settings], sort_keys=True)
