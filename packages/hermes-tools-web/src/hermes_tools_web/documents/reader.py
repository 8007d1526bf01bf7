"""Makes a document of the bytes that a server sent, whatever they are."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from hermes_tools_web.documents.charset import decode
from hermes_tools_web.documents.content_type import DetectedContent, detect_content
from hermes_tools_web.documents.document import Document, UnreadableError, truncate_document
from hermes_tools_web.text import one_line

if TYPE_CHECKING:
    from hermes_tools_web.fetcher.fetch import FetchedPage


def read_document(body: bytes, *, content_type: str, url: str, links: bool = False) -> Document:
    """What a page or document says.

    What it is, is told by its bytes: servers say the wrong thing too often.

    Args:
        body: Its bytes.
        content_type: What the server says that it is.
        url: Where it was found, after redirects.
        links: Whether its links are wanted, too.

    Raises:
        UnreadableError: it is no text, is damaged, or needs a library that cannot be imported.
    """
    content = detect_content(body, content_type, url)
    try:
        return truncate_document(_read(content, url, links=links))
    except ImportError as error:  # a library is missing or broken, which is no reason to lose the page
        return truncate_document(_read_without_library(content, error))


def _read(content: DetectedContent, url: str, *, links: bool) -> Document:
    # Each kind of document has a reader of its own, and only the one that is needed is imported.
    if content.kind == "pdf":
        from hermes_tools_web.documents.pdf import read_pdf

        return read_pdf(content.body)
    text = decode(content.body, content.charset)
    if content.kind == "html":
        from hermes_tools_web.documents.html import read_html

        return read_html(text, url, links=links)
    if content.kind == "feed":
        from hermes_tools_web.documents.feeds import read_feed

        return read_feed(text, url, links=links)
    if content.kind == "json":
        from hermes_tools_web.documents.feeds import read_json_or_feed

        return read_json_or_feed(text, url, links=links)
    if content.kind == "xml":
        from hermes_tools_web.documents.text_formats import read_xml

        return read_xml(text)
    from hermes_tools_web.documents.text_formats import read_text

    return read_text(text)


def _read_without_library(content: DetectedContent, error: ImportError) -> Document:
    """Read the words of a document without its reader.

    Raises:
        UnreadableError: the document is no text without its reader.
    """
    problem = one_line(f"{type(error).__name__}: {error}", 200)
    if content.kind == "pdf":
        raise UnreadableError(
            f"PDF documents cannot be read: a library could not be imported ({problem}).",
            "Ask the user to install hermes-tools-web again, with its dependencies.",
        )
    from hermes_tools_web.documents.text_formats import read_markup_as_text, read_text

    text = decode(content.body, content.charset)
    document = read_markup_as_text(text) if content.kind in ("html", "feed", "xml") else read_text(text)
    note = f"Only the bare text could be read: a library could not be imported ({problem})."
    return replace(document, notes=(*document.notes, note))


_log = logging.getLogger("hermes.web")
_ELSEWHERE = "Look for the same elsewhere."


class ReadError(Exception):
    """Raised when a document was fetched and cannot be read.

    Attributes:
        reason: Why, in a sentence.
        hint: What can be done about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(reason)


class DocumentReader:
    """Makes documents of what was fetched.

    Nothing ends a thread from outside. One that takes too long is left to itself, and counts until it is done.

    Args:
        most: How many threads may be busy.
        read: What reads one document; not given means `pages.reading.read_document`.
    """

    def __init__(self, *, maximum: int, read: Callable[[FetchedPage], Document] | None = None) -> None:
        self._free = threading.BoundedSemaphore(maximum)
        self._read = read or _read_fetched

    async def read(self, fetched: FetchedPage, *, seconds: float) -> Document:
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

    def _read_in_turn(self, fetched: FetchedPage, latest: float) -> Document:
        if not self._free.acquire(timeout=max(0.0, latest - time.monotonic())):
            raise _too_slow()
        try:
            return self._explained(fetched)
        finally:
            self._free.release()

    def _explained(self, fetched: FetchedPage) -> Document:
        from hermes_tools_web.documents.document import UnreadableError

        try:
            return self._read(fetched)
        except UnreadableError as error:
            raise ReadError(error.reason, error.hint) from error
        except Exception as error:  # parsers of others get what strangers wrote, and raise what they like
            _log.warning("A page from %s could not be read", fetched.final_url[:200], exc_info=True)
            raise ReadError(f"The page could not be read: {type(error).__name__}.", _ELSEWHERE) from error


def _too_slow() -> ReadError:
    return ReadError("Reading the page takes too long.", _ELSEWHERE)


def _read_fetched(fetched: FetchedPage) -> Document:

    return read_document(fetched.body, content_type=fetched.content_type, url=fetched.final_url)
