"""Extract the text of a PDF, page by page, with the library of the extra `documents`."""

from __future__ import annotations

import io
import logging
from typing import Final

from hermes_tools_terminal.documents.extractors import DocumentError

KIND: Final = "PDF"

MAX_PAGES: Final = 1000
"""The maximum number of pages."""

MAX_TEXT: Final = 20_000_000
"""The maximum number of characters: all pages may share the same large content."""


def extract_text(data: bytes) -> str:
    """Return the text of a PDF; each page begins with its number.

    Raises:
        DocumentError: It is damaged or encrypted, or the library is not installed.
    """
    try:
        from pypdf import PdfReader
    except ImportError:
        from hermes_core.families import install_command

        reason = f"a library is missing. Install it with: {install_command('hermes-tools-terminal[documents]')}"
        raise DocumentError(KIND, reason) from None
    # It logs every oddity of a file; real problems are raised.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentError(KIND, "it is encrypted with a password.")
        count, parts, size = len(reader.pages), [], 0
        for number in range(min(count, MAX_PAGES)):
            text = reader.pages[number].extract_text().strip()
            parts.append(f"--- Page {number + 1} of {count} ---\n{text}")
            size += len(text)
            if size > MAX_TEXT:
                break
    except DocumentError:
        raise
    except Exception as error:  # foreign code: it fails on broken files in many ways
        raise DocumentError(KIND, f"it is damaged or in an unsupported format ({_describe_error(error)}).") from None
    if len(parts) < count:
        parts.append(f"[{count - len(parts)} more pages are not shown.]")
    return "\n\n".join(parts)


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
