"""The text of a Word document."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_terminal.documents.docx import extract_text
from hermes_tools_terminal.documents.extractors import DocumentError

Packed = Callable[[dict[str, str | bytes]], bytes]
BODY = "word/document.xml"
SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def body(content: str) -> str:
    return f'<?xml version="1.0"?><w:document {SPACES}><w:body>{content}</w:body></w:document>'


def paragraph(text: str, style: str = "") -> str:
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_paragraphs_are_lines_and_headings_are_marked(packed: Packed) -> None:
    data = packed({BODY: body(paragraph("Title", "Heading1") + paragraph("Grüße &amp; “more”") + paragraph(""))})
    assert extract_text(data) == "# Title\nGrüße & “more”\n"


def test_runs_of_a_paragraph_belong_together(packed: Packed) -> None:
    runs = "<w:r><w:t>one </w:t></w:r><w:r><w:t>two</w:t><w:tab/><w:t>three</w:t><w:br/><w:t>four</w:t></w:r>"
    assert extract_text(packed({BODY: body(f"<w:p>{runs}</w:p>")})) == "one two\tthree\nfour"


def test_tables_are_told_row_by_row_even_inside_one_another(packed: Packed) -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('x')}</w:tc><w:tc>{paragraph('y')}</w:tc></w:tr></w:tbl>"
    row = f"<w:tr><w:tc>{paragraph('a')}{paragraph('b')}</w:tc><w:tc>{inner}{paragraph('')}</w:tc></w:tr>"
    data = packed({BODY: body(f"<w:tbl>{row}</w:tbl>{paragraph('after')}")})
    assert extract_text(data) == "a b | x | y\nafter"


def test_what_is_told_in_two_forms_is_told_once(packed: Packed) -> None:
    both = (
        f"<mc:AlternateContent><mc:Choice>{paragraph('box')}</mc:Choice>"
        f"<mc:Fallback>{paragraph('box')}</mc:Fallback></mc:AlternateContent>"
    )
    assert extract_text(packed({BODY: body(both)})) == "box"


def test_deleted_text_is_not_told(packed: Packed) -> None:
    data = packed(
        {BODY: body("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>x</w:t></w:r></w:p>")}
    )
    assert extract_text(data) == "x"


def test_a_document_type_is_refused(packed: Packed) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    with pytest.raises(DocumentError, match="document type"):
        extract_text(packed({BODY: bomb + body(paragraph("&b;")).partition("?>")[2]}))


def test_what_unpacks_to_far_more_than_it_is_is_refused(packed: Packed) -> None:
    with pytest.raises(DocumentError, match="too large"):
        extract_text(packed({BODY: body(paragraph("a" * 30_000_000))}))


@pytest.mark.parametrize(
    ("parts", "said"),
    [({"other.xml": "<a/>"}, "missing"), ({BODY: "<w:document"}, "damaged"), ({BODY: b"\0\xff"}, "damaged")],
)
def test_a_part_that_is_missing_or_broken_is_named(packed: Packed, parts: dict[str, str | bytes], said: str) -> None:
    with pytest.raises(DocumentError, match=f"word/document.xml is {said}"):
        extract_text(packed(parts))


def test_a_broken_archive_is_said_to_be_broken(packed: Packed) -> None:
    data = packed({BODY: body(paragraph("text " * 100))})
    for place in range(0, len(data), 7):
        broken = data[:place] + b"\xff\0" + data[place + 2 :]
        try:
            found = extract_text(broken)
        except DocumentError:
            continue
        assert found == "text " * 100
    with pytest.raises(DocumentError, match="damaged"):
        extract_text(b"PK\x03\x04" + data[4:100])


def test_a_body_of_another_name_is_found(packed: Packed) -> None:
    links = '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document2.xml"/></Relationships>'
    assert extract_text(packed({"_rels/.rels": links, "word/document2.xml": body(paragraph("here"))})) == "here"
