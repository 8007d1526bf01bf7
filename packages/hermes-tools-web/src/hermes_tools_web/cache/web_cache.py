"""`WebCache`: what was fetched already, so that it is not fetched twice."""

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
"""Where the file lies in the user's folder."""
FILE = "web.db"

_MB = 1_000_000
_PART = 10
"""No entry takes more than this part of the whole."""
_LARGEST = 500 * _MB
"""SQLite takes no more than twice that in one piece."""
_SLACK_SECONDS = 60.0
"""An entry from further in the future was made before the clock was put back, and nobody knows its age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """What the cache holds.

    Attributes:
        path: The file.
        pages: How many pages.
        searches: How many searches.
        bytes: How much of the disk they take.
        limit: How much they may take.
        problem: Why it cannot be used; empty when it can.
    """

    path: Path
    pages: int
    searches: int
    bytes: int
    limit: int
    problem: str


class WebCache:
    """Texts on the disk, by what was asked and who answered, for threads and processes.

    It is opened at the first use. A disk that is full, broken, read-only or locked costs no more than a line in the
    log: nothing is found then, and nothing is kept.

    Args:
        folder: Where its file lies: `cache` in the user's folder.
        settings: How long and how much is kept.
        clock: Tells the time in seconds.
    """

    def __init__(self, folder: Path, settings: CacheSettings, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(folder) / FILE
        self.limit = settings.max_mb * _MB
        self.settings = settings
        self._clock = clock
        self._file = CacheConnection(self.path, clock)

    @property
    def problem(self) -> str:
        """Why it could not be used the last time; empty when it could."""
        return self._file.problem

    def get(self, kind: Kind, provider: str, key: str) -> str | None:
        """What was kept; None when there is nothing, or it is too old.

        Args:
            kind: What it is.
            provider: Who gave it.
            key: What was asked for: a URL, or a query with its options.
        """
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
        """Keep a text; what was used longest ago goes when there is no room.

        Args:
            kind: What it is.
            provider: Who gave it.
            key: What was asked for.
            text: What is kept. One that takes more than a tenth of the whole is not.
        """
        if not self._is_enabled(kind):
            return
        digest = make_digest(kind, provider, key)
        packed = pack(digest, text)
        fits = len(packed) <= min(self.limit // _PART, _LARGEST)
        name = provider.encode("utf-8", "replace").decode()

        def keep(database: sqlite3.Connection) -> None:
            entries.remove(database, digest)  # what it said before is old, whether or not there is room for the new
            self._sweep(database)
            if fits:
                entries.free_space(database, len(packed), self.limit)
                entries.insert(database, digest=digest, kind=kind, provider=name, made=self._clock(), packed=packed)

        self._file.change(keep)
        self._file.shrink(self.limit)

    def clear(self) -> int | None:
        """Forget everything, and give the disk its room back.

        Returns:
            How many entries there were; None when it could not be done, and then `problem` says why.
        """
        if not _is_there(self.path):
            return 0
        there = self._file.change(entries.empty)
        if there is not None:
            self._file.shrink(0)
        return there

    def stats(self) -> CacheStats:
        """What it holds. A file that is not there is not made."""
        counted = self._file.read(entries.count) if _is_there(self.path) else None
        pages, searches, size = counted or (0, 0, 0)
        return CacheStats(
            path=self.path, pages=pages, searches=searches, bytes=size, limit=self.limit, problem=self.problem
        )

    def close(self) -> None:
        """Let go of the file, for good: nothing is found or kept after that. Closing twice is fine."""
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
    """The cache of the session that a call belongs to.

    Args:
        ctx: The call.
        settings: How long and how much is kept.
    """
    with _making:
        found = ctx.session.state.get(_KEY)
        if isinstance(found, WebCache) and found.settings != settings:
            found.close()  # the user has decided anew; a call that still uses it finds and keeps nothing more
            found = None
        if found is None:
            found = WebCache(ctx.home / FOLDER, settings)
            ctx.session.on_close(found.close)
            ctx.session.state[_KEY] = found
    assert isinstance(found, WebCache)
    return found


_ANSWERS = ("parallel_search_mode", "user_agent")
"""Settings that change what a provider answers, besides those that say where it is."""


def cache_key(question: str, access: Access) -> str:
    """The key under which the answer to a question is kept.

    Whoever sets another server for a provider does not want what the one before it said. Keys are not in it: they
    change who pays, and nothing of them belongs on the disk.

    Args:
        question: What was asked: a URL, or a query with its options.
        access: The settings that it was asked with.
    """
    said = access.settings.model_dump(mode="json", include={*_ANSWERS, *_places(access)})
    return json.dumps([question, said], sort_keys=True)


def _places(access: Access) -> list[str]:
    return [name for name in type(access.settings).model_fields if name.endswith("_url")]
