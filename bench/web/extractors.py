"""The extractors that are compared on labeled pages, each as a function from a page to plain text."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from bench.web.labeled_pages import LabeledPage

Extractor = Callable[[LabeledPage], str]

_IMAGE = re.compile(r"\[image: [^\]]*\]|!\[(?:[^\[\]\\]|\\.)*\]\((?:[^()\\]|\\.|\([^()]*\))*\)")
_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\((?:[^()\\]|\\.|\([^()]*\))*\)")
_LINE_MARKS = re.compile(r"^[ \t>]*(?:`{3,}.*$|\d+[.)] |[-*+] \[[ xX]\] )", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_BLOCKS = (
    "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)


def available() -> dict[str, Extractor]:
    """The extractors that are installed, ours first."""
    found: dict[str, Extractor] = {
        "ours": ours,
        "trafilatura": partial(trafilatura_text, include_comments=False),
        "trafilatura, precision": partial(trafilatura_text, include_comments=False, favor_precision=True),
        "trafilatura, recall": partial(trafilatura_text, include_comments=False, favor_recall=True),
        "trafilatura, fast": partial(trafilatura_text, include_comments=False, fast=True),
        "trafilatura, with comments": partial(trafilatura_text, include_comments=True),
    }
    if find_spec("readability"):
        found["readability-lxml"] = readability_text
    if find_spec("resiliparse"):
        found["resiliparse"] = resiliparse_text
    return found


def ours(page: LabeledPage) -> str:
    """The Markdown of `web_extract`."""
    from hermes_tools_web.documents.reader import read_document

    return read_document(page.body, content_type="text/html", url=page.url).markdown


def plain_text(markdown: str) -> str:
    """Remove what a reader of rendered Markdown does not see: addresses, languages of code, list numbers and images."""
    text = _LINE_MARKS.sub("", markdown)
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    return _ESCAPE.sub("", text)


def trafilatura_text(page: LabeledPage, **options: Any) -> str:
    """The text of trafilatura."""
    import trafilatura

    return trafilatura.extract(page.body, url=page.url, **options) or ""


def readability_text(page: LabeledPage) -> str:
    """The text of the element that readability selects."""
    logging.getLogger("readability").disabled = True
    try:
        markup = import_module("readability").Document(page.body, url=page.url).summary()
        return _text_of(markup)
    except Exception:  # it raises its own errors, and those of lxml, on unusual pages
        return ""


def resiliparse_text(page: LabeledPage) -> str:
    """The text of resiliparse."""
    tree = import_module("resiliparse.parse.html").HTMLTree.parse_from_bytes(
        page.body, import_module("resiliparse.parse.encoding").detect_encoding(page.body, html5_compatible=True)
    )
    text: str = import_module("resiliparse.extract.html2text").extract_plain_text(
        tree, main_content=True, alt_texts=False, links=False, form_fields=False, noscript=False, list_bullets=False
    )
    return text


def _text_of(markup: str) -> str:
    root = import_module("lxml.html").fromstring(markup)
    for element in root.iter(*_BLOCKS.split()):
        element.text = "\n" + (element.text or "")
        element.tail = "\n" + (element.tail or "")
    return "".join(root.itertext())
