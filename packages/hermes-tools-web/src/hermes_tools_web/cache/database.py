"""The file of the cache: opening it safely, what is in it, and what its errors mean."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


APPLICATION = 0x48574542
"""What SQLite files of this kind have in their header: the letters HWEB."""
VERSION = 1
"""The version of the schema. A file of an older one is begun anew, one of a newer is left alone."""

BUSY_SECONDS = 0.25
"""How long somebody else's writing is waited for: less than it takes to fetch a page again."""
_WAL_BYTES = 1 << 20
"""What stays of the log of changes when it has been worked into the file."""

# Texts have a table of their own, so that noting a use does not write the text again. What is used gets the highest
# number, so the order of uses holds among all processes and does not hang on clocks.
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
    """Raised when there is something in the cache's place that is not ours to use or to remove."""


def open_database(path: Path) -> sqlite3.Connection:
    """The file, made when it is not there, with its schema; readable by the user alone.

    Raises:
        sqlite3.Error: it cannot be opened, or is broken: see `is_broken`.
        OSError: its folder cannot be used, or what is there is not a file of ours.
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

    An older one of that name is replaced: a cache may be large, and one copy is enough to look at.

    Raises:
        OSError: it cannot be renamed.
    """
    if inode is not None and get_inode(path) not in (inode, None):
        return
    for name in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    if get_inode(path) is not None:
        os.replace(path, path.with_name(f"{path.name}.broken"))


def get_inode(path: Path) -> int | None:
    """Which file stands under a path; None when there is none."""
    try:
        return os.lstat(path).st_ino
    except (OSError, ValueError):
        return None


def is_broken(error: Exception) -> bool:
    """Whether an error means that the file is none, or damaged."""
    import sqlite3

    # A plain SQLITE_ERROR is a table or column that is not there: the statements themselves are right.
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


def is_busy(error: Exception) -> bool:
    """Whether an error means that somebody else holds the file."""
    import sqlite3

    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: Exception) -> int:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else 0  # the higher bits tell details


def bytes_used(database: sqlite3.Connection) -> int:
    """How much of the file is in use: exact, and known without looking at the entries."""
    return (read_pragma(database, "page_count") - read_pragma(database, "freelist_count")) * read_pragma(
        database, "page_size"
    )


def read_pragma(database: sqlite3.Connection, pragma: str) -> int:
    """The value of a pragma that is a number."""
    return int(database.execute(f"PRAGMA {pragma}").fetchone()[0])


def _make_private(path: Path) -> None:
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        # Closing a file that SQLite has open elsewhere in this process would drop its locks: so only a new one is made.
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            pass  # another process was quicker
        return
    if not stat.S_ISREG(found.st_mode):
        raise UnusableFileError(f"{path} is not a regular file")
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(path, 0o600)


def _prepare(database: sqlite3.Connection) -> None:
    if read_pragma(database, "page_count") == 0:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")  # it counts only before anything is written
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
