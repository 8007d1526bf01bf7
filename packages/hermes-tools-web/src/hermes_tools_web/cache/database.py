"""Open the cache's SQLite file safely, and classify its errors."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


APPLICATION = 0x48574542
"""The application ID in the SQLite header: the letters HWEB."""
VERSION = 1
"""The schema version. Older files are recreated; newer ones are left alone."""

BUSY_SECONDS = 0.25
"""How long to wait for a lock: less than fetching a page again takes."""
_WAL_BYTES = 1 << 20
"""The size limit of the write-ahead log after a checkpoint."""

# Texts have their own table, so that marking an entry as used does not rewrite its text. The most recently used entry
# has the highest number, so the order holds across processes and does not depend on clocks.
_SCHEMA = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, provider TEXT NOT NULL,
    made REAL NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX entries_used ON entries (used);
CREATE INDEX entries_made ON entries (kind, made);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL);
"""


class UnusableFileError(OSError):
    """Raised when the cache path is taken by something that is not our cache file."""


def open_database(path: Path) -> sqlite3.Connection:
    """Open the cache file, and create it with its schema if needed; only the user can read it.

    Raises:
        sqlite3.Error: the file cannot be opened or is broken; see `is_broken`.
        OSError: the directory cannot be used, or the path is not our cache file.
    """
    import sqlite3

    if "\0" in str(path):
        raise UnusableFileError("a path cannot have a NUL character in it")
    _make_private(path)
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def move_aside(path: Path, inode: int | None) -> None:
    """Rename a broken file to `NAME.broken`, unless another process has replaced it since it was opened.

    An older `.broken` file is replaced: one copy is enough, and caches can be large.

    Raises:
        OSError: the file cannot be renamed.
    """
    if inode is not None and get_inode(path) not in (inode, None):
        return
    for name in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    if get_inode(path) is not None:
        os.replace(path, path.with_name(f"{path.name}.broken"))


def get_inode(path: Path) -> int | None:
    """Return the inode of a path; None when there is no file."""
    try:
        return os.lstat(path).st_ino
    except (OSError, ValueError):
        return None


def is_broken(error: Exception) -> bool:
    """Return whether an error means that the file is damaged or not a database."""
    import sqlite3

    # A plain SQLITE_ERROR means a missing table or column: the statements themselves are valid.
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def is_busy(error: Exception) -> bool:
    """Return whether an error means that another process holds a lock."""
    import sqlite3

    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: Exception) -> int:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else 0  # the higher bits are details


def bytes_used(database: sqlite3.Connection) -> int:
    """Return how many bytes of the file are in use."""
    return (read_pragma(database, "page_count") - read_pragma(database, "freelist_count")) * read_pragma(
        database, "page_size"
    )


def read_pragma(database: sqlite3.Connection, pragma: str) -> int:
    """Read a pragma with an integer value."""
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])


def _make_private(path: Path) -> None:
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        # Closing a file that SQLite has open elsewhere in this process would drop its locks, so only create a new one.
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            pass  # another process created it first
        return
    if not stat.S_ISREG(found.st_mode):
        raise UnusableFileError(f"{path} is not a regular file")
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(path, 0o600)


def _prepare(database: sqlite3.Connection) -> None:
    if read_pragma(database, "page_count") == 0:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only has an effect before the first write
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    if _is_current(database):
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        if not _is_current(database):
            _begin_anew(database)
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _is_current(database: sqlite3.Connection) -> bool:
    application, version = read_pragma(database, "application_id"), read_pragma(database, "user_version")
    if application != APPLICATION and database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise UnusableFileError("the file belongs to another program")
    if application == APPLICATION and version > VERSION:
        raise UnusableFileError(f"the file was made by a newer version of this program (schema {version})")
    return application == APPLICATION and version == VERSION


def _begin_anew(database: sqlite3.Connection) -> None:
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    for (name,) in found.fetchall():
        quoted = str(name).replace('"', '""')
        database.execute(f'DROP TABLE "{quoted}"')
    for statement in _SCHEMA.split(";"):
        if statement.strip():
            database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION}")
    database.execute(f"PRAGMA user_version = {VERSION}")
