"""Makes a document of the bytes that a server sent, whatever they are."""

from __future__ import annotations

from hermes_tools_web.pages.bounds import bounded
from hermes_tools_web.pages.charset import decode
from hermes_tools_web.pages.document import Document
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
        UnreadableError: it is no text, or is damaged.
    """
    return bounded(_read(sniff(body, content_type, url), url, links=links))


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
