"""Who reads which document is told by its name and by its first bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from hermes_tools_terminal.documents.extractors import find_extractor


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.pdf", b"%PDF-1.7", "PDF"),
        ("A.PDF", b"\n\n%PDF-1.7", "PDF"),
        ("no ending", b"%PDF-1.7", "PDF"),
        ("a.pdf", b"just text", None),
        ("notes.txt", b"about %PDF-1.7", None),
        ("a.docx", b"PK\x03\x04", "Word document"),
        ("a.docx", b"not packed", None),
        ("a.xlsx", b"PK\x03\x04", "Excel workbook"),
        ("a.zip", b"PK\x03\x04", None),
        ("a.ipynb", b'\xef\xbb\xbf\n {"cells": []}', "notebook"),
        ("a.ipynb", b"", None),
        ("a.py", b"{", None),
        ("", b"", None),
    ],
)
def test_a_document_is_known_by_name_and_content(name: str, head: bytes, kind: str | None) -> None:
    found = find_extractor(name, head)
    assert (found.kind if found else None) == kind


def test_what_is_found_reads_the_document(pdf: Callable[..., bytes]) -> None:
    data = pdf("Hello")
    found = find_extractor("x.pdf", data[:1000])
    assert found is not None
    assert "Hello" in found.extract(data)
    notebook = json.dumps({"cells": [{"cell_type": "raw", "source": "text"}]}).encode()
    found = find_extractor("x.ipynb", notebook)
    assert found is not None
    assert found.extract(notebook).endswith("text")


def test_nothing_heavy_is_loaded_before_a_document_is_read() -> None:
    told = "print(sorted({'zipfile', 'pyexpat', 'pypdf', 'json'} & set(sys.modules)))"
    rooms = "hermes_tools_terminal.documents.extractors, hermes_tools_terminal.documents.image_info"
    run = [
        subprocess.run([sys.executable, "-c", f"import sys, {names}; {told}"], capture_output=True, check=True).stdout
        for names in ("hermes_tools_terminal", rooms)
    ]
    assert b"pypdf" not in run[0]
    assert run[0] == run[1]
