"""The text of an Excel workbook."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hermes_tools_terminal.documents import xlsx
from hermes_tools_terminal.documents.extractors import DocumentError
from hermes_tools_terminal.documents.xlsx import format_date

Packed = Callable[[dict[str, str | bytes]], bytes]


def workbook(
    *sheets: tuple[str, str, str], shared: str = "", styles: str = "", about: str = ""
) -> dict[str, str | bytes]:
    """Sheets are name, state and rows."""
    entries = "".join(
        f'<sheet name="{name}" sheetId="{n}" state="{state}" r:id="rId{n}"/>'
        for n, (name, state, _) in enumerate(sheets, 1)
    )
    links = "".join(f'<Relationship Id="rId{n}" Target="worksheets/s{n}.xml"/>' for n in range(1, len(sheets) + 1))
    links += '<Relationship Id="x" Type="t/sharedStrings" Target="/xl/shared.xml"/>' * bool(shared)
    links += '<Relationship Id="y" Type="t/styles" Target="styles.xml"/>' * bool(styles)
    parts: dict[str, str | bytes] = {
        "xl/workbook.xml": f'<workbook xmlns:r="r">{about}<sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{links}</Relationships>",
    }
    for n, (_, _, rows) in enumerate(sheets, 1):
        parts[f"xl/worksheets/s{n}.xml"] = f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
    if shared:
        parts["xl/shared.xml"] = f"<sst>{shared}</sst>"
    if styles:
        parts["xl/styles.xml"] = f"<styleSheet>{styles}</styleSheet>"
    return parts


def test_cells_of_every_type_are_told_in_their_columns(packed: Packed) -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1"><v>2.5</v></c></row>'
        '<row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2" t="inlineStr"><is><t>in line</t></is></c>'
        '<c r="C2" t="str"><f>A1&amp;"x"</f><v>made</v></c><c r="D2" t="e"><v>#N/A</v></c></row>'
    )
    shared = "<si><t>first</t></si><si><r><t>sec</t></r><r><t>ond</t></r><rPh><t>loud</t></rPh></si>"
    text = xlsx.extract_text(packed(workbook(("Data", "visible", rows), shared=shared)))
    assert text == "## Sheet: Data\nsecond\t\t2.5\nTRUE\tin line\tmade\t#N/A"


def test_hidden_sheets_are_left_out(packed: Packed) -> None:
    row = "<row><c><v>1</v></c></row>"
    parts = workbook(("A", "visible", row), ("B", "hidden", row), ("C", "veryHidden", row))
    assert xlsx.extract_text(packed(parts)) == "## Sheet: A\n1"


def test_many_rows_and_columns_are_cut_with_a_note(packed: Packed) -> None:
    rows = '<row><c r="A1"><v>7</v></c><c r="IW1"><v>8</v></c></row>' * (xlsx.MAX_ROWS + 3)
    lines = xlsx.extract_text(packed(workbook(("A", "visible", rows)))).split("\n")
    assert lines.count("7") == xlsx.MAX_ROWS
    assert lines[-2:] == ["[3 more rows are not shown.]", "[Columns after the first 256 are not shown.]"]


def test_a_text_that_is_not_there_is_marked(packed: Packed) -> None:
    row = '<row><c t="s"><v>99</v></c><c t="s"><v>x</v></c></row>'
    assert xlsx.extract_text(packed(workbook(("A", "visible", row)))) == "## Sheet: A\n?\t?"


def test_a_sheet_without_its_part_is_an_error(packed: Packed) -> None:
    parts = workbook(("A", "visible", ""))
    del parts["xl/worksheets/s1.xml"]
    with pytest.raises(DocumentError, match="xl/worksheets/s1.xml is missing"):
        xlsx.extract_text(packed(parts))


def test_too_big_a_workbook_is_refused() -> None:
    with pytest.raises(DocumentError, match="52,428,801 bytes"):
        xlsx.extract_text(bytes(xlsx.MAX_BYTES + 1))


STYLES = """<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>
<numFmt numFmtId="165" formatCode="[Red]0.00&quot; md&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>"""


@pytest.mark.parametrize(
    ("about", "first"), [("", "2024-02-29"), ('<workbookPr date1904="1"/>', "2028-03-01")], ids=["1900", "1904"]
)
def test_dates_are_told_as_dates_and_other_numbers_are_not(packed: Packed, about: str, first: str) -> None:
    values = [("45351", 1), ("45351.5", 2), ("0.25", 1), ("45351", 0), ("45351", 3), ("much", 1), ("45351", 99)]
    row = "".join(f'<c s="{style}"><v>{value}</v></c>' for value, style in values)
    text = xlsx.extract_text(packed(workbook(("A", "visible", f"<row>{row}</row>"), styles=STYLES, about=about)))
    expected = [first, f"{first} 12:00:00", "06:00:00", "45351", "45351", "much", "45351"]
    assert text.split("\n")[1].split("\t") == expected


@pytest.mark.parametrize(
    ("value", "told"),
    [("1", "1900-01-01"), ("59", "1900-02-28"), ("61", "1900-03-01"), ("-1", "-1"), ("1e99", "1e99"), ("nan", "nan")],
)
def test_the_days_of_1900_are_counted_as_excel_does(value: str, told: str) -> None:
    assert format_date(value) == told
