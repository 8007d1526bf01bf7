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
    from pypdf import PageObject, PdfReader


MAX_PAGES = 500
MAX_CHARACTERS = 2_000_000
SECONDS = 20.0
"""The time limit for all pages."""
_MAX_STREAM = 16 * 1024 * 1024
"""The limit for the drawing commands of one page; larger ones are maps or attacks."""
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
    if failed:
        shown = ", ".join(map(str, failed[:20]))
        notes.append(f"These pages could not be read: {shown}{' and more' if len(failed) > 20 else ''}.")
    empty = [number for number, text in found if not text and number not in failed]
    if empty and len(empty) < len(found):
        shown = ", ".join(map(str, empty[:20]))
        notes.append(f"These pages have no text (perhaps images): {shown}{' and more' if len(empty) > 20 else ''}.")
    return notes


def _page_text(reader: PdfReader, index: int) -> str | None:
    try:
        page = reader.pages[index]
        if _is_too_big(page):
            return None
        return _tidy(page.extract_text() or "")
    except Exception:  # one broken page must not lose the others
        return None


def _is_too_big(page: PageObject) -> bool:
    contents = page.get_contents()
    return contents is not None and len(contents.get_data()) > _MAX_STREAM


def _tidy(text: str) -> str:
    text = _HYPHENATED.sub("", strip_invisible(text))
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _facts(reader: PdfReader) -> dict[str, str]:
    facts: dict[str, str] = {}
    try:
        metadata = reader.metadata
        pairs = (
            {}
            if metadata is None
            else {"title": metadata.title, "author": metadata.author, "description": metadata.subject}
        )
        date = metadata.creation_date if metadata is not None else None
    except Exception:  # metadata may be broken, too
        return facts
    facts.update({key: one_line(str(value)) for key, value in pairs.items() if value and one_line(str(value))})
    if date is not None:
        facts["date"] = date.date().isoformat()
    facts["pages"] = str(len(reader.pages))
    return {key: value for key, value in facts.items() if value.lower() not in ("untitled", "anonymous", "unspecified")}
