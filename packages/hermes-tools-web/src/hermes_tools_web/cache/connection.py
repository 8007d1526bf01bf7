"""The shared SQLite connection of a cache: opened lazily, and repaired or paused when it fails."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hermes_tools_web.cache.database import get_inode, is_broken, is_busy, move_aside, open_database, read_pragma

if TYPE_CHECKING:
    import sqlite3


Result = TypeVar("Result")

_PAUSE_SECONDS = 30.0
"""How long to wait after a failed open, so that not every call pays for the attempt."""
_BUSY_PAUSE_SECONDS = 2.0
"""How long to wait after a lock timeout."""


class CacheConnection:
    """A thread-safe connection that may fail without harm."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self.path = path
        self._unread = self._unwritten = ""
        self._clock = clock
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._database: sqlite3.Connection | None = None
        self._abandoned: list[sqlite3.Connection] = []
        self._inode: int | None = None
        self._closed = False
        self._paused_until = 0.0
        self._busy_until = 0.0
        self._warned: set[str] = set()

    @property
    def problem(self) -> str:
        """Why the cache could not be used the last time; empty when it could."""
        return self._unread or self._unwritten

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Run a function with the database; return None and set `problem` when that is not possible.

        Args:
            work: The function. It runs a second time if the file was broken and has been recreated.
        """
        import sqlite3

        with self._process_lock():
            for again in (True, False):
                try:
                    database = self._opened()
                    if database is None:
                        return None
                    result = work(database)
                except (sqlite3.Error, OSError) as error:
                    if not (again and self._recover(error)):
                        self._give_up(error)
                        return None
                else:
                    self._unread = ""
                    return result
        return None

    def change(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Run a function in a transaction; see `read`."""
        if self._is_ahead(self._busy_until):
            return None

        def whole(database: sqlite3.Connection) -> Result:
            database.execute("BEGIN IMMEDIATE")
            try:
                result = work(database)
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:  # on a full disk SQLite has already rolled back
                    database.execute("ROLLBACK")
                raise
            return result

        self._unwritten = ""
        result = self.read(whole)
        self._unwritten = self._unread
        return result

    def shrink(self, limit: int) -> None:
        """Return unused space to the disk if the file is larger than the limit."""

        def work(database: sqlite3.Connection) -> None:
            if read_pragma(database, "page_count") * read_pragma(database, "page_size") > limit:
                database.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after one page
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        self.read(work)

    def close(self) -> None:
        """Close the connection for good. Closing twice is fine."""
        with self._process_lock():
            self._closed = True
            self._let_go()

    def _process_lock(self) -> threading.Lock:
        # After a fork, the child has a copy of the connection, which it must not close, and a lock that nothing frees.
        if self._process != os.getpid():
            self._process, self._lock = os.getpid(), threading.Lock()
            self._abandon()
        return self._lock

    def _opened(self) -> sqlite3.Connection | None:
        if self._closed:
            return None
        if self._database is not None and get_inode(self.path) != self._inode:
            self._let_go()
        if self._database is None:
            if self._is_ahead(self._paused_until):
                return None
            self._inode = get_inode(self.path)
            self._database = open_database(self.path)
            self._inode = get_inode(self.path)
        return self._database

    def _let_go(self) -> None:
        # On close, SQLite deletes the write-ahead log by name; it must not delete that of another file.
        if get_inode(self.path) not in (self._inode, None):
            self._abandon()
        database, self._database = self._database, None
        if database is not None:
            import sqlite3

            try:
                database.close()
            except sqlite3.Error:
                pass  # the file is broken or gone

    def _abandon(self) -> None:
        if self._database is not None:
            self._abandoned.append(self._database)
            self._database = None

    def _recover(self, error: Exception) -> bool:
        """Move a broken file aside; return whether a second attempt makes sense."""
        if not is_broken(error):
            return False
        self._let_go()
        try:
            move_aside(self.path, self._inode)
        except OSError:
            return False
        self._warn_once(
            f"The web cache {self.path} is damaged ({error}). It was moved to {self.path}.broken, and a new one is "
            "started."
        )
        return True

    def _give_up(self, error: Exception) -> None:
        now = self._clock()
        if is_busy(error):
            self._busy_until = now + _BUSY_PAUSE_SECONDS
        elif self._database is None or is_broken(error):
            self._paused_until = now + _PAUSE_SECONDS
            self._let_go()
        self._unread = str(error)
        self._warn_once(
            f"The web cache {self.path} cannot be used ({error}). Everything works without it, but more slowly."
        )

    def _is_ahead(self, moment: float) -> bool:
        now = self._clock()
        return now < moment <= now + _PAUSE_SECONDS  # a clock that was set back does not extend the pause

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            import logging

            logging.getLogger("hermes.web").warning("%s", message)
