"""Parse PDF documents, within limits of pages, time and characters."""

from __future__ import annotations

import io
import logging
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hermes_tools_web.documents.document import Document, UnreadableError
from hermes_tools_web.text import one_line, strip_invisible

if TYPE_CHECKING:
    from pypdf import PdfReader


MAX_PAGES = 500
MAX_CHARACTERS = 2_000_000
SECONDS = 20.0
"""The time limit for all pages."""
_MAX_STREAM = 16 * 1024 * 1024
"""The limit for the drawing commands of one page; larger ones are maps or attacks."""
_NO_FACTS = frozenset({"", "untitled", "anonymous", "unspecified"})
_SPACES = re.compile(r"[ \t]+")
_HYPHENATED = re.compile(r"(?<=[a-zäöüß])-\n(?=[a-zäöüß])")


def read_pdf(body: bytes) -> Document:
    """Extract the text of a PDF.

    Raises:
        UnreadableError: it is encrypted, damaged, or has no text.
    """
    with _silence_pypdf():
        reader = _opened(body)
        pages, notes = _pages(reader)
        facts = _facts(reader)
    if not any(text for _, text in pages):
        raise UnreadableError(
            f"This PDF has {len(pages)} pages without text: it was probably scanned.",
            "A tool for images may help.",
        )
    markdown = "\n\n".join(f"## Page {number}\n\n{text}" for number, text in pages if text)
    return Document(kind="pdf", title=facts.pop("title", ""), markdown=markdown, facts=facts, notes=tuple(notes))


@contextmanager
def _silence_pypdf() -> Iterator[None]:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # the parent of its module loggers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _opened(body: bytes) -> PdfReader:
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(body[max(0, body.find(b"%PDF-")) :]), strict=False)
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception as error:  # third-party parsers raise anything
        if "cryptography" in str(error) or "AES" in str(error):
            raise UnreadableError("This PDF uses an unsupported encryption.", "Find another copy.") from error
        raise _damaged(error) from error
    if locked:
        raise UnreadableError("This PDF is protected by a password.", "Find another copy.")
    return reader


def _damaged(error: BaseException) -> UnreadableError:
    what = one_line(str(error), 150).rstrip(".") or type(error).__name__
    return UnreadableError(f"This PDF is damaged or incomplete ({what}).", "Fetch it again or find another copy.")


def _pages(reader: PdfReader) -> tuple[list[tuple[int, str]], list[str]]:
    found: list[tuple[int, str]] = []
    failed: list[int] = []
    try:
        count = len(reader.pages)
    except Exception as error:
        raise _damaged(error) from error
    end = time.monotonic() + SECONDS
    size = 0
    why = ""
    for number in range(1, count + 1):
        if number > MAX_PAGES or size > MAX_CHARACTERS or (found and time.monotonic() > end):
            why = "the document is very long" if time.monotonic() <= end else "parsing took too long"
            break
        text = _page_text(reader, number - 1)
        if text is None:
            failed.append(number)
        found.append((number, text or ""))
        size += len(text or "")
    if failed and len(failed) == len(found):
        raise UnreadableError(f"None of the {len(found)} pages of this PDF can be read.", "Find another copy.")
    return found, _notes(found, failed, count, why)


def _notes(found: list[tuple[int, str]], failed: list[int], count: int, why: str) -> list[str]:
    notes = [f"Only the first {len(found)} of {count} pages were read, because {why}."] if why else []
    empty = [number for number, text in found if not text and number not in failed]
    for words, numbers in (("could not be read", failed), ("have no text (perhaps images)", empty)):
        if numbers and len(numbers) < len(found):
            shown = ", ".join(map(str, numbers[:20]))
            notes.append(f"These pages {words}: {shown}{' and more' if len(numbers) > 20 else ''}.")
    return notes


def _page_text(reader: PdfReader, index: int) -> str | None:
    try:
        page = reader.pages[index]
        contents = page.get_contents()
        if contents is not None and len(contents.get_data()) > _MAX_STREAM:
            return None
        return _tidy(page.extract_text() or "")
    except Exception:  # one broken page must not lose the others
        return None


def _tidy(text: str) -> str:
    text = _HYPHENATED.sub("", strip_invisible(text))
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _facts(reader: PdfReader) -> dict[str, str]:
    facts: dict[str, str] = {}
    try:
        metadata = reader.metadata
        if metadata is not None:
            found = {"title": metadata.title, "author": metadata.author, "description": metadata.subject}
            facts = {name: one_line(str(value)) for name, value in found.items() if value}
            facts["date"] = metadata.creation_date.date().isoformat() if metadata.creation_date else ""
    except Exception:  # metadata may be broken, too
        facts.pop("date", None)
    facts["pages"] = str(len(reader.pages))
    return {name: value for name, value in facts.items() if value.lower() not in _NO_FACTS}
