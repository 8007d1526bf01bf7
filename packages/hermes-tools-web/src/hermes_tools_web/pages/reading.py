"""Makes a document of the bytes that a server sent, whatever they are."""

from __future__ import annotations

from dataclasses import replace

from hermes_tools_web.pages.bounds import bounded
from hermes_tools_web.pages.characters import one_line
from hermes_tools_web.pages.charset import decode
from hermes_tools_web.pages.document import Document, UnreadableError
from hermes_tools_web.pages.sniffing import Sniffed, sniff


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
    sniffed = sniff(body, content_type, url)
    try:
        return bounded(_read(sniffed, url, links=links))
    except ImportError as error:  # a library is missing or broken, which is no reason to lose the page
        return bounded(_read_without_library(sniffed, error))


def _read(sniffed: Sniffed, url: str, *, links: bool) -> Document:
    # Each kind of document has a reader of its own, and only the one that is needed is imported.
    if sniffed.kind == "pdf":
        from hermes_tools_web.pages.pdf import read_pdf

        return read_pdf(sniffed.body)
    text = decode(sniffed.body, sniffed.charset)
    if sniffed.kind == "html":
        from hermes_tools_web.pages.html import read_html

        return read_html(text, url, links=links)
    if sniffed.kind == "feed":
        from hermes_tools_web.pages.feeds import read_feed

        return read_feed(text, url, links=links)
    if sniffed.kind == "json":
        from hermes_tools_web.pages.json_feeds import read_json_or_feed

        return read_json_or_feed(text, url, links=links)
    if sniffed.kind == "xml":
        from hermes_tools_web.pages.data import read_xml

        return read_xml(text)
    from hermes_tools_web.pages.text import read_text

    return read_text(text)


def _read_without_library(sniffed: Sniffed, error: ImportError) -> Document:
    """Read the words of a document without its reader.

    Raises:
        UnreadableError: the document is no text without its reader.
    """
    problem = one_line(f"{type(error).__name__}: {error}", 200)
    if sniffed.kind == "pdf":
        raise UnreadableError(
            f"PDF documents cannot be read: a library could not be imported ({problem}).",
            "Ask the user to install hermes-tools-web again, with its dependencies.",
        )
    from hermes_tools_web.pages.text import read_markup_as_text, read_text

    text = decode(sniffed.body, sniffed.charset)
    document = read_markup_as_text(text) if sniffed.kind in ("html", "feed", "xml") else read_text(text)
    note = f"Only the bare text could be read: a library could not be imported ({problem})."
    return replace(document, notes=(*document.notes, note))
