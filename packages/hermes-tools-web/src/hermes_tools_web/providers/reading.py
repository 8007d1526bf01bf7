"""Reads documents in threads, each within a time, and never more at once than there are threads for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from hermes_tools_web.fetching.fetched import Fetched
    from hermes_tools_web.pages.document import Document

_log = logging.getLogger("hermes.web")
_ELSEWHERE = "Look for the same elsewhere."


class ReadingError(Exception):
    """Raised when a document was fetched and cannot be read.

    Attributes:
        reason: Why, in a sentence.
        hint: What can be done about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(reason)


class Reader:
    """Makes documents of what was fetched.

    Nothing ends a thread from outside. One that takes too long is left to itself, and counts until it is done.

    Args:
        most: How many threads may be busy.
        read: What reads one document; not given means `pages.reading.read_document`.
    """

    def __init__(self, *, most: int, read: Callable[[Fetched], Document] | None = None) -> None:
        self._free = threading.BoundedSemaphore(most)
        self._read = read or _read

    async def read(self, fetched: Fetched, *, seconds: float) -> Document:
        """What a document says.

        Args:
            fetched: The document.
            seconds: How long that may take.

        Raises:
            ReadingError: it cannot be read, or not in time.
        """
        latest = time.monotonic() + seconds
        try:
            with anyio.fail_after(seconds):
                # Those who wait for their turn take no thread of the others: pages must not hold up what is no page.
                own = anyio.CapacityLimiter(1)
                return await anyio.to_thread.run_sync(
                    self._read_in_turn, fetched, latest, abandon_on_cancel=True, limiter=own
                )
        except TimeoutError:
            raise _too_slow() from None

    def _read_in_turn(self, fetched: Fetched, latest: float) -> Document:
        if not self._free.acquire(timeout=max(0.0, latest - time.monotonic())):
            raise _too_slow()
        try:
            return self._explained(fetched)
        finally:
            self._free.release()

    def _explained(self, fetched: Fetched) -> Document:
        from hermes_tools_web.pages.document import UnreadableError

        try:
            return self._read(fetched)
        except UnreadableError as error:
            raise ReadingError(error.reason, error.hint) from error
        except Exception as error:  # parsers of others get what strangers wrote, and raise what they like
            _log.warning("A page from %s could not be read", fetched.final_url[:200], exc_info=True)
            raise ReadingError(f"The page could not be read: {type(error).__name__}.", _ELSEWHERE) from error


def _too_slow() -> ReadingError:
    return ReadingError("Reading the page takes too long.", _ELSEWHERE)


def _read(fetched: Fetched) -> Document:
    from hermes_tools_web.pages.reading import read_document

    return read_document(fetched.body, content_type=fetched.content_type, url=fetched.final_url)
