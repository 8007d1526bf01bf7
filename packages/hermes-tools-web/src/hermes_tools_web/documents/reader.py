"""Parse the bytes of a response into a document, in worker threads with a time limit."""

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
    """Parse a page or document.

    Its kind is detected from the bytes: servers are often wrong.

    Raises:
        UnreadableError: it is not text, is damaged, or needs a library that cannot be imported.
    """
    content = detect_content(body, content_type, url)
    try:
        return truncate_document(_read(content, url, links=links))
    except ImportError as error:  # a missing library must not lose the page
        return truncate_document(_read_without_library(content, error))


def _read(content: DetectedContent, url: str, *, links: bool) -> Document:
    # Import only the parser that is needed.
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
    """Extract the bare text of a document when its parser cannot be imported.

    Raises:
        UnreadableError: the document has no bare text.
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
    note = f"Only the bare text could be extracted: a library could not be imported ({problem})."
    return replace(document, notes=(*document.notes, note))


_log = logging.getLogger("hermes.web")
_ELSEWHERE = "Try another source."


class ReadError(Exception):
    """Raised when a fetched document cannot be parsed.

    Attributes:
        reason: The reason, in a sentence.
        hint: What to do about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(reason)


class DocumentReader:
    """Parses documents in threads.

    A thread cannot be killed. One that takes too long is abandoned, but counts as busy until it ends.
    """

    def __init__(self, *, maximum: int, read: Callable[[FetchedPage], Document] | None = None) -> None:
        self._free = threading.BoundedSemaphore(maximum)
        self._read = read or _read_fetched

    async def read(self, fetched: FetchedPage, *, seconds: float) -> Document:
        """Parse a document.

        Raises:
            ReadError: it cannot be parsed, or not in time.
        """
        latest = time.monotonic() + seconds
        try:
            with anyio.fail_after(seconds):
                # Waiting documents do not use threads of the default limiter, which other work needs.
                own = anyio.CapacityLimiter(1)
                return await anyio.to_thread.run_sync(
                    self._read_in_turn, fetched, latest, abandon_on_cancel=True, limiter=own
                )
        except TimeoutError:
            raise _too_slow() from None

    def _read_in_turn(self, fetched: FetchedPage, latest: float) -> Document:
        left = latest - time.monotonic()
        if left <= 0 or not self._free.acquire(timeout=left):  # the thread may have started too late
            raise _too_slow()
        try:
            return self._read_or_explain(fetched)
        finally:
            self._free.release()

    def _read_or_explain(self, fetched: FetchedPage) -> Document:
        try:
            return self._read(fetched)
        except UnreadableError as error:
            raise ReadError(error.reason, error.hint) from error
        except Exception as error:  # third-party parsers raise anything on untrusted input
            _log.warning("A page from %s could not be read", fetched.final_url[:200], exc_info=True)
            raise ReadError(f"The page could not be read: {type(error).__name__}.", _ELSEWHERE) from error


def _too_slow() -> ReadError:
    return ReadError("Parsing the page took too long.", _ELSEWHERE)


def _read_fetched(fetched: FetchedPage) -> Document:
    return read_document(fetched.body, content_type=fetched.content_type, url=fetched.final_url)
