"""The text of a PDF."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_terminal.documents.extractors import DocumentError
from hermes_tools_terminal.documents.pdf import extract_text


def test_each_page_is_told_with_its_number(pdf: Callable[..., bytes]) -> None:
    assert extract_text(pdf("Hello there", "Second page")) == (
        "--- Page 1 of 2 ---\nHello there\n\n--- Page 2 of 2 ---\nSecond page"
    )


def test_a_missing_library_says_what_to_install(pdf: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(DocumentError, match=r"pip install './packages/hermes-tools-terminal\[documents\]'"):
        extract_text(pdf("Hello"))


def test_a_pdf_with_a_password_is_said_to_have_one(pdf: Callable[..., bytes]) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("secret"))))
    writer.encrypt("password", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    with pytest.raises(DocumentError, match="password"):
        extract_text(file.getvalue())


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"%PDF-1.4\nnothing more\n%%EOF", b"\0" * 100])
def test_a_broken_pdf_is_said_to_be_broken(data: bytes) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        extract_text(data)


@given(place=st.integers(0, 800), junk=st.binary(max_size=8))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_pdf_gives_text_or_a_clear_error(pdf: Callable[..., bytes], place: int, junk: bytes) -> None:
    data = pdf("Hello there")
    place %= len(data)
    try:
        found = extract_text(data[:place] + junk + data[place + len(junk) :])
        assert not found or found.startswith("--- Page 1 of ")
    except DocumentError as error:
        assert error.kind == "PDF"  # noqa: PT017 - both outcomes are right
