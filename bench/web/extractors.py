"""The extractors that are compared, each with the settings that keep the most structure."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from bench.web.building import Page

INSTALL = "pip install readability-lxml html2text"
"""What is needed for the comparison alone."""


def available() -> dict[str, Callable[[Page], str]]:
    """The extractors that are installed, ours first."""
    found: dict[str, Callable[[Page], str]] = {"ours": ours, "trafilatura": trafilatura_alone}
    if find_spec("readability") and find_spec("html2text"):
        found["readability"] = readability_alone
    if find_spec("html2text"):
        found["html2text"] = html2text_alone
    return found


def ours(page: Page) -> str:
    """What `web_extract` reads; the notes belong to it."""
    from hermes_tools_web.documents.reader import read_document

    document = read_document(page.body, content_type=page.content_type, url=page.url)
    return "\n\n".join([document.markdown, *document.notes])


def trafilatura_alone(page: Page) -> str:
    """Trafilatura's own Markdown."""
    import trafilatura

    found = trafilatura.extract(
        page.body,
        url=page.url,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
        include_images=True,
    )
    return found or ""


def readability_alone(page: Page) -> str:
    """What readability takes for the article, written by html2text, since it writes HTML itself."""
    logging.getLogger("readability").disabled = True
    try:
        return _as_markdown(import_module("readability").Document(_text(page), url=page.url).summary(), page.url)
    except Exception:  # it raises its own errors on what is no page
        return ""


def html2text_alone(page: Page) -> str:
    """The whole page."""
    return _as_markdown(_text(page), page.url)


def _as_markdown(markup: str, url: str) -> str:
    written: str = import_module("html2text").HTML2Text(baseurl=url, bodywidth=0).handle(markup)
    return written


def _text(page: Page) -> str:
    """The text as a caller reads it who believes the server, then the page."""
    told = re.search(r"charset=([\w-]+)", page.content_type) or re.search(
        r"charset=[\"']?([\w-]+)", page.body[:2000].decode("latin-1")
    )
    return page.body.decode(told.group(1) if told else "utf-8", "replace")
