"""Short ways to read a page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_web.documents.document import Document
from hermes_tools_web.documents.reader import read_document

Read = Callable[..., Document]


@pytest.fixture
def read() -> Read:
    """Reads markup, or bytes, as if they came from https://site.example/docs/page."""

    def reads(
        body: str | bytes,
        content_type: str = "text/html; charset=utf-8",
        url: str = "https://site.example/docs/page",
        links: bool = False,
    ) -> Document:
        sent = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
        return read_document(sent, content_type=content_type, url=url, links=links)

    return reads


@pytest.fixture
def write(read: Read) -> Callable[[str], str]:
    """The Markdown of a piece of markup that is the whole content of a page."""

    def writes(markup: str) -> str:
        return read(f"<!doctype html><html><body><main>{markup}</main></body></html>").markdown

    return writes
