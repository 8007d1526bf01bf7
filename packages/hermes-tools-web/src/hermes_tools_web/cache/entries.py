"""The entries of the cache: found, kept, counted and taken away. Each function works within a file that is open."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_tools_web.cache.database import BUSY_SECONDS, bytes_used, read_pragma

if TYPE_CHECKING:
    import sqlite3


_SPARE_PAGES = 8
"""What indexes and tables may need beside the text when an entry comes."""
_SWEEP = 500
"""So many entries that are too old go at one time: sweeping a full cache at once would hold everybody up."""


class Entry(NamedTuple):
    """What is known of a text before it is read."""

    id: int
    made: float
    packed: bytes


class Counts(NamedTuple):
    """How much there is."""

    pages: int
    searches: int
    bytes: int


def find(database: sqlite3.Connection, digest: bytes) -> Entry | None:
    """The entry with that digest; None when there is none."""
    query = "SELECT entries.id, made, text FROM entries JOIN texts USING (id) WHERE digest = ?"
    row = database.execute(query, (digest,)).fetchone()
    return None if row is None else Entry(row[0], row[1], bytes(row[2]))


def mark_used(database: sqlite3.Connection, entry: int) -> None:
    """Make an entry the last that goes. When somebody else is writing, that is left out: the text is here already."""
    import sqlite3

    database.execute("PRAGMA busy_timeout = 0")
    try:
        database.execute("UPDATE entries SET used = (SELECT max(used) + 1 FROM entries) WHERE id = ?", (entry,))
    except sqlite3.OperationalError:
        pass  # whatever it is, the next writing tells of it
    finally:
        database.execute(f"PRAGMA busy_timeout = {round(BUSY_SECONDS * 1000)}")


def insert(
    database: sqlite3.Connection, *, digest: bytes, kind: str, provider: str, made: float, packed: bytes
) -> None:
    """Add an entry, as the last that goes."""
    added = database.execute(
        "INSERT INTO entries (digest, kind, provider, made, used)"
        " VALUES (?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM entries))",
        (digest, kind, provider, made),
    )
    database.execute("INSERT INTO texts (id, text) VALUES (?, ?)", (added.lastrowid, packed))


def remove(database: sqlite3.Connection, digest: bytes) -> None:
    """Take the entry with that digest away, if there is one."""
    _remove_all(database, database.execute("SELECT id FROM entries WHERE digest = ?", (digest,)).fetchall())


def sweep(database: sqlite3.Connection, kind: str, *, oldest: float, newest: float) -> None:
    """Take entries of a kind away that are too old, or from a future that cannot be."""
    for query, bound in (
        ("SELECT id FROM entries WHERE kind = ? AND made <= ? LIMIT ?", oldest),
        ("SELECT id FROM entries WHERE kind = ? AND made > ? LIMIT ?", newest),
    ):
        _remove_all(database, database.execute(query, (kind, bound, _SWEEP)).fetchall())


def free_space(database: sqlite3.Connection, size: int, limit: int) -> None:
    """Take away what was used longest ago, until a text of that size fits within the limit."""
    page = read_pragma(database, "page_size")
    needed = (size // (page - 4) + 1 + _SPARE_PAGES) * page
    while bytes_used(database) + needed > limit:
        oldest = database.execute("SELECT id FROM entries ORDER BY used LIMIT 1").fetchall()
        if not oldest:
            return
        _remove_all(database, oldest)


def empty(database: sqlite3.Connection) -> int:
    """Take everything away; how much there was."""
    there = int(database.execute("SELECT count(*) FROM entries").fetchone()[0])
    database.execute("DELETE FROM texts")
    database.execute("DELETE FROM entries")
    return there


def count(database: sqlite3.Connection) -> Counts:
    """How many entries of each kind there are, and what they take of the disk."""
    rows = dict(database.execute("SELECT kind, count(*) FROM entries GROUP BY kind").fetchall())
    return Counts(rows.get("page", 0), rows.get("search", 0), bytes_used(database))


def _remove_all(database: sqlite3.Connection, rows: Sequence[tuple[int]]) -> None:
    database.executemany("DELETE FROM texts WHERE id = ?", rows)
    database.executemany("DELETE FROM entries WHERE id = ?", rows)


_SEAL = 16
_COMPRESSED, _PLAIN = b"z", b"p"
_SHORT = 512
"""A text of so many bytes gains little from compression."""
_LEVEL = 3
"""Pages shrink to nearly the same as with the highest level, in a third of the time."""


class ChecksumError(ValueError):
    """Raised when what lies in the cache is not what was put there."""


def make_digest(kind: str, provider: str, key: str) -> bytes:
    """What stands for a key in the file: what people asked for cannot be read off it."""
    return hashlib.sha256(json.dumps([kind, provider, key]).encode()).digest()


def pack(digest: bytes, text: str) -> bytes:
    """A text as it lies in the file."""
    import zlib

    plain = text.encode("utf-8", "surrogatepass")
    form, body = _PLAIN, plain
    if len(plain) > _SHORT:
        compressed = zlib.compress(plain, _LEVEL)
        if len(compressed) < len(plain):
            form, body = _COMPRESSED, compressed
    return _seal(digest, form, body) + form + body


def unpack(digest: bytes, packed: bytes) -> str:
    """The text again.

    Raises:
        SealError: it is another's, or damaged.
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
