"""Select the text extractor for a document."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple


class DocumentError(ValueError):
    """Raised when a document yields no text."""

    def __init__(self, kind: str, reason: str) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(f"No text can be read from this {kind}: {reason}")


class Extractor(NamedTuple):
    """Extracts the text of one type of document.

    Attributes:
        kind: The type, such as `PDF`.
        extract: Returns the text of the content; raises `DocumentError` on failure.
        plain: Whether the content is text itself, which can be shown if it is damaged.
    """

    kind: str
    extract: Callable[[bytes], str]
    plain: bool = False


def find_extractor(name: str, head: bytes) -> Extractor | None:
    """Return the extractor for a file; None if it is not a document."""
    if b"%PDF-" in head[:1024] and (name.lower().endswith(".pdf") or head.startswith(b"%PDF-")):
        return _PDF
    ending = name.lower().rpartition(".")[2]
    if head.startswith(b"PK\x03\x04"):
        return _PACKED.get(ending)
    if ending == "ipynb" and head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _NOTEBOOK
    return None


def _extractor(module: str) -> Callable[[bytes], str]:
    """Return the `extract_text` of a module, which is imported when it is called."""

    def extract(data: bytes) -> str:
        text: str = import_module(f"hermes_tools_terminal.documents.{module}").extract_text(data)
        return text

    return extract


_PDF: Final = Extractor("PDF", _extractor("pdf"))
_NOTEBOOK: Final = Extractor("notebook", _extractor("notebook"), plain=True)
_WORD: Final = Extractor("Word document", _extractor("docx"))
_SHEETS: Final = Extractor("Excel workbook", _extractor("xlsx"))
_PACKED: Final = {"docx": _WORD, "docm": _WORD, "dotx": _WORD, "xlsx": _SHEETS, "xlsm": _SHEETS, "xltx": _SHEETS}
