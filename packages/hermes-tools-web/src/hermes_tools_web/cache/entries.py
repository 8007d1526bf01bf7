"""Query and change the entries of the cache, and encode their texts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_tools_web.cache.database import BUSY_SECONDS, bytes_used, read_pragma

if TYPE_CHECKING:
    import sqlite3


_SPARE_PAGES = 8
"""Extra database pages that indexes and tables may need for a new entry."""
_SWEEP = 500
"""How many expired entries are removed at once, so that a full cache does not block other calls."""


class Entry(NamedTuple):
    """A cache entry with its encoded text."""

    id: int
    made: float
    packed: bytes


class Counts(NamedTuple):
    """The number of entries by kind, and their size."""

    pages: int
    searches: int
    bytes: int


def find(database: sqlite3.Connection, digest: bytes) -> Entry | None:
    """Return the entry with a digest, or None."""
    query = "SELECT entries.id, made, text FROM entries JOIN texts USING (id) WHERE digest = ?"
    row = database.execute(query, (digest,)).fetchone()
    return None if row is None else Entry(row[0], row[1], bytes(row[2]))


def mark_used(database: sqlite3.Connection, entry: int) -> None:
    """Mark an entry as most recently used; skipped when another process is writing."""
    import sqlite3

    database.execute("PRAGMA busy_timeout = 0")
    try:
        database.execute("UPDATE entries SET used = (SELECT max(used) + 1 FROM entries) WHERE id = ?", (entry,))
    except sqlite3.OperationalError:
        pass  # the next write reports the problem
    finally:
        database.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")


def insert(
    database: sqlite3.Connection, *, digest: bytes, kind: str, provider: str, made: float, packed: bytes
) -> None:
    """Insert an entry as the most recently used one."""
    added = database.execute(
        "INSERT INTO entries (digest, kind, provider, made, used)"
        " VALUES (?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM entries))",
        (digest, kind, provider, made),
    )
    database.execute("INSERT INTO texts (id, text) VALUES (?, ?)", (added.lastrowid, packed))


def remove(database: sqlite3.Connection, digest: bytes) -> None:
    """Remove the entry with a digest, if there is one."""
    _remove_all(database, database.execute("SELECT id FROM entries WHERE digest = ?", (digest,)).fetchall())


def sweep(database: sqlite3.Connection, kind: str, *, oldest: float, newest: float) -> None:
    """Remove entries of a kind that have expired or are dated in the future."""
    for query, bound in (
        ("SELECT id FROM entries WHERE kind = ? AND made <= ? LIMIT ?", oldest),
        ("SELECT id FROM entries WHERE kind = ? AND made > ? LIMIT ?", newest),
    ):
        _remove_all(database, database.execute(query, (kind, bound, _SWEEP)).fetchall())


def free_space(database: sqlite3.Connection, size: int, limit: int) -> None:
    """Remove the least recently used entries until a text of that size fits into the limit."""
    page = read_pragma(database, "page_size")
    needed = (size // (page - 4) + 1 + _SPARE_PAGES) * page
    while bytes_used(database) + needed > limit:
        oldest = database.execute("SELECT id FROM entries ORDER BY used LIMIT 1").fetchall()
        if not oldest:
            return
        _remove_all(database, oldest)


def empty(database: sqlite3.Connection) -> int:
    """Remove all entries and return how many there were."""
    there = int(database.execute("SELECT count(*) FROM entries").fetchone()[0])
    database.execute("DELETE FROM texts")
    database.execute("DELETE FROM entries")
    return there


def count(database: sqlite3.Connection) -> Counts:
    """Count the entries of each kind and the bytes they use."""
    rows = dict(database.execute("SELECT kind, count(*) FROM entries GROUP BY kind").fetchall())
    return Counts(rows.get("page", 0), rows.get("search", 0), bytes_used(database))


def _remove_all(database: sqlite3.Connection, rows: Sequence[tuple[int]]) -> None:
    database.executemany("DELETE FROM texts WHERE id = ?", rows)
    database.executemany("DELETE FROM entries WHERE id = ?", rows)


_SEAL = 16
_COMPRESSED, _PLAIN = b"z", b"p"
_SHORT = 512
"""Texts of up to this many bytes gain little from compression."""
_LEVEL = 3
"""Nearly as small as the highest level, in a third of the time."""


class ChecksumError(ValueError):
    """Raised when a cached text is damaged or belongs to another key."""


def make_digest(kind: str, provider: str, key: str) -> bytes:
    """Hash a key, so that the file does not reveal what was requested."""
    return hashlib.sha256(json.dumps([kind, provider, key]).encode()).digest()


def pack(digest: bytes, text: str) -> bytes:
    """Encode a text: a checksum, a format byte, and the text, compressed if it is long."""
    import zlib

    plain = text.encode("utf-8", "surrogatepass")
    form, body = _PLAIN, plain
    if len(plain) > _SHORT:
        compressed = zlib.compress(plain, _LEVEL)
        if len(compressed) < len(plain):
            form, body = _COMPRESSED, compressed
    return _seal(digest, form, body) + form + body


def unpack(digest: bytes, packed: bytes) -> str:
    """Decode a text.

    Raises:
        ChecksumError: the text is damaged or belongs to another key.
    """
    import zlib

    form, body = packed[_SEAL : _SEAL + 1], packed[_SEAL + 1 :]
    if packed[:_SEAL] != _seal(digest, form, body):
        raise ChecksumError("the seal does not fit")
    return (zlib.decompress(body) if form == _COMPRESSED else body).decode("utf-8", "surrogatepass")


def _seal(digest: bytes, form: bytes, body: bytes) -> bytes:
    made = hashlib.sha256(digest + form)
    made.update(body)
    return made.digest()[:_SEAL]
