"""`WebCache`: pages and search results on disk, one file each, and the cache that a session shares."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self

from hermes_core import ToolContext
from hermes_tools_web.providers.protocol import Access
from hermes_tools_web.settings import CacheSettings

Kind = Literal["page", "search"]

FOLDER = "cache"
"""The cache directory in the home directory."""
NAME = "web"

_MB = 1_000_000
_PART = 10
"""No entry takes more than a tenth of the limit."""
_FILLED = 0.9
"""How full the cache is after space was freed: freeing looks at every file, so it is done rarely."""
_BLOCK = 4096
"""The space that a file takes on most disks is a multiple of this."""
_SCAN_SECONDS = 600.0
"""How often expired entries and those of other processes are counted."""
_SLACK_SECONDS = 60.0
"""Entries dated further in the future were made before the clock was set back, so their age is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """The contents of a cache."""

    path: Path  # the directory
    pages: int  # the number of pages
    searches: int  # the number of searches
    bytes: int  # the size on disk
    limit: int  # the size limit
    problem: str  # why the cache cannot be used; empty when it can


class _Entry(NamedTuple):
    """The file of an entry. Its modification time is when it was made, and its access time when it was last used."""

    used: int
    path: str
    size: int
    made: float

    @property
    def kind(self) -> Kind:
        return "search" if os.path.basename(self.path).startswith("search") else "page"


class WebCache:
    """Cached texts by kind, provider and key, safe for threads and processes.

    Each entry is a file with a checksum: one that is only partly written is not found. The directory is created on
    first use. If the disk is full, read-only or fails, a warning is logged, nothing is found and nothing is stored.
    """

    def __init__(self, folder: Path, settings: CacheSettings, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(folder) / NAME
        self.limit = settings.max_mb * _MB
        self.settings = settings
        self.problem = ""
        """Why the cache could not be used the last time; empty when it could."""
        self._clock = clock
        self._taken = 0
        self._scanned_at = float("-inf")
        self._is_closed = self._is_reported = False

    def get(self, kind: Kind, provider: str, key: str) -> str | None:
        """Return a cached text; None when there is none or it has expired."""
        if not self._is_enabled(kind):
            return None
        digest = _digest(kind, provider, key)
        path = self._file(kind, digest)
        try:
            packed, made = _read(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._report(error)
            return None
        self.problem = ""
        text = _unpack(digest, packed) if self._is_fresh(kind, made / 1e9) else None
        try:
            if text is None:
                os.unlink(path)
            else:
                os.utime(path, ns=(time.time_ns(), made))
        except OSError:
            pass  # removed meanwhile, or a read-only disk
        return text

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
        digest = _digest(kind, provider, key)
        packed = _pack(digest, text)
        try:
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            os.chmod(self.path, 0o700)
            self._free_space(_size_on_disk(len(packed)))
            if len(packed) <= self.limit // _PART:
                _write(self._file(kind, digest), packed, made=round(self._clock() * 1e9))
                self._taken += _size_on_disk(len(packed))
            else:  # the old text is outdated
                Path(self._file(kind, digest)).unlink(missing_ok=True)
        except (OSError, ValueError) as error:
            self._report(error)
        else:
            self.problem = ""

    def clear(self) -> int | None:
        """Remove all entries.

        Returns:
            How many entries there were; None when they could not be removed, and then `problem` says why.
        """
        try:
            entries = list(self._entries())
            for entry in entries:
                Path(entry.path).unlink(missing_ok=True)
        except (OSError, ValueError) as error:
            self._report(error)
            return None
        return len(entries)

    def stats(self) -> CacheStats:
        """Describe the contents, without creating the directory."""
        try:
            entries = list(self._entries())
        except (OSError, ValueError) as error:
            self._report(error)
            entries = []
        pages = sum(entry.kind == "page" for entry in entries)
        return CacheStats(
            path=self.path,
            pages=pages,
            searches=len(entries) - pages,
            bytes=sum(entry.size for entry in entries),
            limit=self.limit,
            problem=self.problem,
        )

    def close(self) -> None:
        """Close the cache for good: nothing is found or stored afterwards. Closing twice is fine."""
        self._is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_enabled(self, kind: Kind) -> bool:
        return self.settings.enabled and not self._is_closed and self._seconds(kind) > 0

    def _seconds(self, kind: Kind) -> float:
        return 60.0 * (self.settings.page_minutes if kind == "page" else self.settings.search_minutes)

    def _is_fresh(self, kind: Kind, made: float) -> bool:
        return -_SLACK_SECONDS <= self._clock() - made < self._seconds(kind)

    def _file(self, kind: Kind, digest: bytes) -> str:
        return os.path.join(self.path, f"{kind}-{digest.hex()}")

    def _entries(self) -> Iterator[_Entry]:
        try:
            listed = os.scandir(self.path)
        except FileNotFoundError:
            return
        with listed:
            for file in listed:
                try:
                    facts = file.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # another process removed it
                yield _Entry(facts.st_atime_ns, file.path, _size_on_disk(facts.st_size), facts.st_mtime)

    def _free_space(self, needed: int) -> None:
        """Remove expired entries and the least recently used ones, if it is time or there is no space."""
        if self._taken + needed <= self.limit and abs(self._clock() - self._scanned_at) < _SCAN_SECONDS:
            return
        self._scanned_at = self._clock()
        entries = sorted(self._entries())
        self._taken = sum(entry.size for entry in entries)
        is_full = self._taken + needed > self.limit
        for entry in entries:
            is_surplus = is_full and self._taken + needed > self.limit * _FILLED
            if is_surplus or not self._is_fresh(entry.kind, entry.made):
                Path(entry.path).unlink(missing_ok=True)
                self._taken -= entry.size

    def _report(self, error: Exception) -> None:
        self.problem = str(error)
        if not self._is_reported:
            self._is_reported = True
            import logging

            logging.getLogger("hermes.web").warning(
                "The web cache %s cannot be used (%s). Everything works without it, but more slowly.", self.path, error
            )


def _size_on_disk(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _read(path: str) -> tuple[bytes, int]:
    """Return the bytes of a regular file and its modification time in nanoseconds."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(f"{path} is not a regular file")
        return file.read(), facts.st_mtime_ns


def _write(path: str, packed: bytes, *, made: int) -> None:
    """Write a file that only the user can read; the checksum protects readers from a part of it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "wb") as file:
            file.write(packed)
            file.flush()
            os.utime(file.fileno(), ns=(time.time_ns(), made))
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise


_SEAL = 16
_COMPRESSED, _PLAIN = b"z", b"p"
_SHORT = 512
"""Texts of up to this many bytes gain little from compression."""
_LEVEL = 3
"""Nearly as small as the highest level, in a third of the time."""


def _digest(kind: str, provider: str, key: str) -> bytes:
    """Hash a key, so that the file does not reveal what was requested."""
    return hashlib.sha256(json.dumps([kind, provider, key]).encode()).digest()


def _pack(digest: bytes, text: str) -> bytes:
    """Encode a text: a checksum, a format byte, and the text, compressed if it is long."""
    plain = text.encode("utf-8", "surrogatepass")
    body = _COMPRESSED + zlib.compress(plain, _LEVEL) if len(plain) > _SHORT else _PLAIN + plain
    return _seal(digest, body) + body


def _unpack(digest: bytes, packed: bytes) -> str | None:
    """Decode a text; None when it is damaged or belongs to another key."""
    seal, body = packed[:_SEAL], packed[_SEAL:]
    if seal != _seal(digest, body):
        return None
    plain = zlib.decompress(body[1:]) if body[:1] == _COMPRESSED else body[1:]
    return plain.decode("utf-8", "surrogatepass")


def _seal(digest: bytes, body: bytes) -> bytes:
    return hashlib.sha256(digest + body).digest()[:_SEAL]


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
